// The interpreter's thread: it compiles, lays out, runs, and owns the history. The page asks for what it shows.

import { complete, init, layout, renderMermaid, renderSvg, replayHistory, validate, version } from "stepglass";
import type { Graph } from "../model/graph.ts";
import type { Call, Diagnostic, Methods, Note } from "../model/protocol.ts";
import { findStates, findTasks, readSource } from "./definition.ts";
import * as asked from "./language.ts";
import type { Run, SandboxMessage } from "./run.ts";
import type { Shown } from "./shown.ts";

const post = (note: Note): void => self.postMessage(note);

let current: Run | undefined;
/// Events that were recorded elsewhere, in place of a run.
let shown: Shown | undefined;
let sandbox: MessagePort | undefined;

const loaded = init().then(
  () => post({ note: "ready", version: version() }),
  (error: unknown) => {
    post({ note: "broken", message: String((error as Error)?.message ?? error) });
    throw error;
  },
);
loaded.catch(() => {});

/// What asks for the chunk of runs; all others about a run come after one of these.
const RUNS: ReadonlySet<keyof Methods> = new Set(["run", "show", "evaluate"]);
let runs: typeof import("./session.ts") | undefined;
let loading: Promise<void> | undefined;

/// Loads that chunk. All calls wait while it comes, so that they keep their order.
function loadRuns(): Promise<void> {
  // A slow line is no thread that hangs: a sign of life, which answers nothing.
  const alive = setInterval(() => self.postMessage({ id: 0, value: null }), 1_000);
  return import("./session.ts")
    .then(
      (module) => void (runs = module),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    )
    .finally(() => clearInterval(alive));
}

const methods: { [M in keyof Methods]: (params: Methods[M]["params"]) => Promise<Methods[M]["value"]> | Methods[M]["value"] } = {
  ping: () => version(),

  complete: ({ text, offset }) => complete(text, offset),

  async analyze({ text, format, collapsed, expanded, direction }) {
    const started = performance.now();
    const source = await readSource(text, format);
    const { json, problems } = source;
    const broken = problems.some((problem) => problem.severity === "error");
    const diagnostics: Diagnostic[] = broken ? problems : [...problems, ...asked.settle(source, validate(json) as unknown as Diagnostic[])];
    let graph: Graph | undefined;
    try {
      graph = layout(json, { collapsed, expanded, foldLarge: true, direction }) as unknown as Graph;
      if (graph.nodes.length === 0) graph = undefined;
    } catch {
      // Not JSON: the diagnostics say so, the page keeps the last graph.
    }
    const analysis: Methods["analyze"]["value"] = { diagnostics, states: findStates(json), tasks: findTasks(json), took: performance.now() - started };
    if (graph) analysis.graph = graph;
    return analysis;
  },

  hover: asked.hover,
  references: asked.references,
  rename: asked.rename,
  actions: asked.actions,
  format: asked.format,

  async svg({ text, format, options }) {
    const { json } = await readSource(text, format);
    return renderSvg(json, options);
  },

  async mermaid({ text, format, direction }) {
    const { json } = await readSource(text, format);
    return renderMermaid(json, { direction });
  },

  async json({ text, format }) {
    return (await readSource(text, format)).json;
  },

  async run(request) {
    current?.dispose();
    current = undefined;
    shown = undefined;
    const { json } = await readSource(request.definition, request.format);
    const graph = layout(json) as unknown as Graph;
    const run = new runs!.Run(json, graph, request, () => sandbox);
    current = run;
    // The answer goes first: what the run says is of a run that the page knows.
    setTimeout(() => current === run && run.begin(), 0);
    return { run: run.id, graph };
  },

  async show({ definition, format, events, result }) {
    current?.dispose();
    current = undefined;
    const { json } = await readSource(definition, format);
    const graph = layout(json) as unknown as Graph;
    const recorded = (shown = new runs!.Shown(graph));
    // After the answer, so that the page knows whose events they are.
    setTimeout(() => recorded.add(events, result));
    return { run: recorded.id, graph };
  },

  async replay({ definition, format }) {
    if (!shown) throw new Error("no recorded execution is shown");
    const { json } = await readSource(definition, format);
    const { matches, compared, divergences, missing, unreproducible, tasks, input, startTime } = replayHistory(json, { events: shown.history.events } as never);
    return { matches, compared, divergences: divergences.slice(0, 100), missing: missing.slice(0, 100), unreproducible: unreproducible.length, tasks, input, ...(startTime !== undefined && { startTime }) };
  },

  showMore({ run, events, result }) {
    if (shown?.id === run) shown.add(events, result);
    return null;
  },

  stop() {
    current?.stop();
    return null;
  },

  step: ({ command }) => done(current?.step(command)),
  runTo: ({ state }) => done(current?.session.runTo(state)),
  goTo: ({ event }) => done(current?.session.goto(event)),
  goToPlace: ({ place }) => done(current?.session.gotoPlace(place)),
  advance: ({ milliseconds }) => current?.session.advance(milliseconds) ?? false,

  setStops({ breakpoints, stops, exceptions }) {
    if (!current) return null;
    const { session } = current;
    session.setBreakpoints(breakpoints);
    session.setExceptionBreakpoints(exceptions);
    session.breakpointsEnabled = stops;
    return null;
  },

  setMocks: ({ mocks }) => done(current?.setMocks(mocks)),
  setClock: ({ clock }) => done(current?.setClock(clock)),
  variables: ({ visit }) => current?.session.scopes(visit) ?? {},
  visitsOf: ({ state }) => current?.session.visits(state) ?? [],
  iterations: ({ state, enter }) => (current ? runs!.iterationsOf(current.session, state, enter) : null),
  flow: ({ state, enter, attempt }) => (current ? runs!.flowOf(current.session, current.definition(), state, enter, attempt) : null),
  evaluate: ({ question, language, visit, input }) =>
    current ? current.session.evaluate(question, { language, ...(visit !== undefined && { visit }), ...(input !== undefined && { values: { ...current.session.values(visit), input } }) }) : runs!.ask(language, question, { input: input ?? null }),
  origin: ({ visit, attempt, stage, path }) => (current ? runs!.originOf(current.session, current.definition(), visit, attempt, stage, path) : []),
  setValue: (change) => done(current?.session.setValue(change)),
  fork: ({ event }) => done(current?.session.fork({ event })),

  async applyDefinition({ definition, format }) {
    if (!current) throw new Error("nothing runs");
    const { json, problems } = await readSource(definition, format);
    const wrong = problems.find(({ severity }) => severity === "error");
    if (wrong) throw new Error(wrong.message);
    return current.session.applyDefinition(json);
  },

  runs: () => current?.session.runs() ?? [],
  selectRun: ({ id }) => done(current?.session.selectRun(id)),
  lanes: () => (current ? runs!.lanesOf(current.session) : []),

  handlersDied({ message }) {
    sandbox?.close();
    sandbox = undefined;
    current?.handlersDied(message);
    return null;
  },

  answer({ id, answer }) {
    current?.answer(id, answer);
    return null;
  },

  rows: ({ filter, from, count }) => history()?.rows(filter, from, count) ?? { total: 0, rows: [] },
  place: ({ filter, id }) => history()?.place(filter, id) ?? -1,
  event: ({ id }) => history()?.event(id) ?? null,
  visits: ({ state }) => history()?.visitsOf(state) ?? [],
  history: () => JSON.stringify({ events: history()?.events ?? [] }, null, 2),
};

function done(_: void): null {
  return null;
}

/// The history that is on screen.
const history = () => (current ?? shown)?.history;

self.onmessage = async ({ data, ports }: MessageEvent<Call | { connect: true }>) => {
  if ("connect" in data) {
    sandbox?.close();
    sandbox = ports[0];
    if (sandbox) sandbox.onmessage = (event: MessageEvent<SandboxMessage>) => current?.hear(event.data);
    return;
  }
  try {
    await loaded;
    if (!runs && RUNS.has(data.method)) loading ??= loadRuns();
    await loading;
    const value = await methods[data.method](data.params as never);
    self.postMessage({ id: data.id, value });
  } catch (error) {
    self.postMessage({ id: data.id, error: String((error as Error)?.message ?? error) });
  }
};
