// The interpreter's worker: it compiles, lays out, runs, and owns the history. The page requests what it shows.

import { layout, renderMermaid, renderSvg, replayHistory, version } from "stepglass";
import type { Graph } from "../model/graph.ts";
import type { Call, Methods } from "../model/protocol.ts";
import { analyze } from "./analysis.ts";
import { findStates, findTasks, readSource, valueOf } from "./definition.ts";
import { draw, layOutAhead, graphForPage, wholeGraph } from "./drawing.ts";
import * as asked from "./language.ts";
import { alive, enoughFor } from "./parts.ts";
import type { Run, SandboxMessage } from "./run.ts";
import type { Shown } from "./recordedExecution.ts";
import type { Tally } from "./coverage.ts";
import { turn } from "./turn.ts";

let current: Run | undefined;
/** Events that were recorded elsewhere, shown in place of a run. */
let shown: Shown | undefined;
let sandbox: MessagePort | undefined;
/** The coverage of runs that were removed. */
const tally: Tally = new Map();

/** The methods that load the chunk for runs. All other methods about a run are called after one of these. */
const RUNS: ReadonlySet<keyof Methods> = new Set([
  "run",
  "show",
  "evaluate",
  "ruled",
  "checkMachine",
  "change",
  "coverage",
  "coverageFile",
]);
let runs: typeof import("./session.ts") | undefined;
let loading: Promise<void> | undefined;

/** Loads the chunk for runs. All calls wait for it, so that they keep their order. */
function loadRuns(): Promise<void> {
  return alive(import("./session.ts")).then(
    (module) => void (runs = module),
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
}

const methods: { [M in keyof Methods]: (params: Methods[M]["params"]) => Promise<Methods[M]["value"]> | Methods[M]["value"] } = {
  ping: () => version(),

  async draw({ text, format, have, ...as }) {
    const started = performance.now();
    return { ...(await draw(text, format, as, have)), took: performance.now() - started };
  },

  async analyze(params) {
    const started = performance.now();
    return { ...(await analyze(params)), took: performance.now() - started };
  },

  complete: (params) => asked.complete(params, lastRun),
  hover: (params) => asked.hover(params, lastRun),
  references: asked.references,
  rename: asked.rename,
  actions: asked.actions,
  format: asked.format,
  checkResult: (params) => import("./result.ts").then(({ checkResult }) => checkResult(params)),
  async edit({ ahead, ...params }) {
    const { edit, textAfter } = await import("./gestures.ts");
    const done = await edit(params);
    // The layout starts after the answer was sent.
    if (ahead && !("refused" in done)) setTimeout(() => layOutAhead(textAfter(params.text, done), params.format, ahead).catch(() => {}));
    return done;
  },
  gestures: async (params) => (await import("./gestures.ts")).gestures(params),
  decide: async (params) => {
    const [{ decide }, { answer }] = await Promise.all([import("./decide.ts"), import("./field.ts")]);
    return decide(params, (question) => answer(question, current ?? shown, lastRun));
  },
  handled: async (params) => {
    const [{ handled }, { answer }] = await Promise.all([import("./handled.ts"), import("./field.ts")]);
    return handled(params, current ?? shown, (question) => answer(question, current ?? shown, lastRun));
  },
  form: async (params) => (await import("./form.ts")).form(params),
  values: (params) => asked.values(params, lastRun),
  convert: asked.convert,

  async svg({ text, format, options }) {
    const { json } = await readSource(text, format);
    const { withServiceSigns } = await import("../ui/services.ts");
    return withServiceSigns(renderSvg(json, options));
  },

  async mermaid({ text, format, direction }) {
    const { json } = await readSource(text, format);
    return renderMermaid(json, { direction });
  },

  async json({ text, format }) {
    return (await readSource(text, format)).json;
  },

  run(request) {
    const made = make(request);
    starting = made.then(ready, ready);
    return made;
  },

  async show({ definition, format, events, result, have }) {
    current?.dispose();
    current = undefined;
    const { json } = await readSource(definition, format);
    const graph = wholeGraph(json);
    hide();
    const recorded = (shown = new runs!.Shown(graph));
    // The events are sent after the answer, so that the page knows which run they belong to.
    setTimeout(() => recorded.add(events, result));
    return { run: recorded.id, ...graphForPage(graph, have) };
  },

  async replay({ definition, format }) {
    if (!shown) throw new Error("no recorded execution is shown");
    const { json } = await readSource(definition, format);
    const recorded = shown;
    const { events } = recorded.history;
    const { fill, valuesIn } = await import("../model/placeholders.ts");
    const values = valuesIn(json, events);
    const filled = fill(json, values);
    const report = replayHistory(filled, { events } as never);
    const { matches, compared, divergences, missing, unreproducible, tasks, input, startTime } = report;
    recorded.replay = input === undefined ? undefined : new runs!.ReplayedRun(filled, recorded.history, report);
    return {
      matches,
      compared,
      divergences: divergences.slice(0, 100),
      missing: missing.slice(0, 100),
      unreproducible: unreproducible.length,
      filled: Object.fromEntries(values),
      tasks,
      input,
      ...(startTime !== undefined && { startTime }),
    };
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
  selectExecution: ({ id }) => done(current?.session.selectExecution(id)),
  layOut({ json, ...drawing }) {
    const found = asked.places({ json, problems: [] });
    const graph = layout(json, { ...drawing, foldLarge: true, selectors: true }) as unknown as Graph;
    return {
      graph,
      analysis: { diagnostics: [], ...(found && { places: found }), states: findStates(json), tasks: findTasks(json), took: 0 },
    };
  },
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
  flow: (params) => {
    if (!current) return shown?.replay?.flow(params) ?? null;
    const { state, enter, attempt, child, item } = params;
    return runs!.flowOf(current.session, current.definition(), state, enter, attempt, child, item);
  },
  evaluate: ({ question, language, visit, input }) => {
    const session = inspected()?.session;
    return session
      ? session.evaluate(question, {
          language,
          ...(visit !== undefined && { visit }),
          ...(input !== undefined && { values: { ...session.values(visit), input } }),
        })
      : runs!.ask(language, question, { input: input ?? null });
  },
  tryField: ({ visit, attempt, stage, item, language, text }) => {
    const run = inspected();
    return run
      ? runs!.tryField(run.session, run.definition(), visit, attempt, stage, item, language, text)
      : { message: "nothing has run yet" };
  },
  field: async (question) => (await import("./field.ts")).answer(question, current ?? shown, lastRun),
  put: async ({ text, format, ...change }) => (await import("./edits.ts")).put(await readSource(text, format), change),
  addCatch: async ({ text, format, ...change }) => (await import("./edits.ts")).addCatch(await readSource(text, format), change),
  failure: ({ visit, attempt }) => {
    const run = inspected();
    return run ? runs!.failureOf(run.session, run.definition(), visit, attempt) : null;
  },
  failing: async (params) => {
    const held = history();
    const run = inspected();
    if (!held || !run) return null;
    const { failingPart } = await import("./failing.ts");
    return failingPart(params, {
      outcome: runs!.outcomeOf(held),
      graph: held.graphIndex,
      flow: async (state, enter) => methods.flow({ state, enter }),
      failure: (visit, attempt) => runs!.failureOf(run.session, run.definition(), visit, attempt),
    });
  },
  operands: ({ visit, attempt, stage, texts }) => {
    const run = inspected();
    return run ? runs!.operandsOf(run.session, run.definition(), visit, attempt, stage, texts) : texts.map(() => []);
  },
  scopes: ({ visit }) => (current ? runs!.scopesOf(current.session, current.definition(), visit) : []),
  lights: ({ visit, attempt, stage, item, ...what }) => {
    const run = inspected()!;
    return runs!.lightsOf(new runs!.Looking(run.session, run.definition(), visit, item), visit, attempt, stage, what);
  },
  origin: (params) => {
    if (!current) return shown?.replay?.origin(params) ?? [];
    const { visit, attempt, stage, item, path } = params;
    return runs!.originOf(current.session, current.definition(), visit, attempt, stage, path, current.mocked, item);
  },
  setValue: (change) => done(current?.session.setValue(change)),
  fork: ({ event }) => done(current?.session.fork({ event })),

  async applyDefinition({ definition, format }) {
    if (!current) throw new Error("nothing runs");
    const { json, problems } = await readSource(definition, format);
    const wrong = problems.find(({ severity }) => severity === "error");
    if (wrong) throw new Error(wrong.message);
    return current.session.applyDefinition(json);
  },

  runs: () => current?.runs() ?? [],
  selectRun: ({ id }) => done(current?.session.selectRun(id)),
  removeRun: ({ id }) => done(current?.remove(id)),

  compare({ a, b }) {
    if (!current) throw new Error("nothing has run");
    return current.session.compare(a, b);
  },

  visitData({ run, enter, exit }) {
    const [entered] = current?.session.history(enter - 1, run) ?? [];
    const [exited] = exit > 0 ? (current?.session.history(exit - 1, run) ?? []) : [];
    return runs!.dataOf(entered, exited);
  },

  async exampleResults({ text, format }) {
    const { exampleResults } = await import("stepglass/example");
    return exampleResults(valueOf((await readSource(text, format)).json) as never);
  },

  async exampleInput({ text, format }) {
    const { exampleInput } = await import("stepglass/example");
    return exampleInput(valueOf((await readSource(text, format)).json) as never);
  },

  async coverage({ text, format }) {
    return runs!.coverageOf(await readSource(text, format), text, tally, current?.session, (run) => current!.definitionOf(run));
  },

  async coverageFile({ text, format, file, form }) {
    const source = await readSource(text, format);
    const { hits, runs: counted } = runs!.coverageOf(source, text, tally, current?.session, (run) => current!.definitionOf(run));
    return runs!.coverageFile(source, text, hits, counted, file, form);
  },
  lanes: (view) => {
    if (!current && !shown) return [];
    const critical = new Set(
      history()
        ?.criticalVisits()
        .map(({ enter }) => enter),
    );
    return runs!.lanesOf(current ? runs!.lanedSession(current.session) : shown!.laned(), view, critical);
  },

  outcome: () => {
    const held = history();
    return held ? runs!.outcomeOf(held) : null;
  },

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

  take: ({ id, workerName }) => current?.take(id, workerName) ?? false,
  kept: ({ have }) => current?.kept(have) ?? null,
  saveRuns: () => (current ? runs!.saveSession(current.session) : null),
  answerToken: ({ token, method, value }) => current?.answerToken(token, method, value) ?? false,
  ruled: ({ names, tasks }) => runs!.ruled(names, tasks),
  change: ({ before, after }) => runs!.compare(before, after),
  checkMachine: (machine) => runs!.problemOf(machine),
  childHistory: ({ arn }) => JSON.stringify({ events: current?.session.childHistory(arn) ?? [] }, null, 2),

  rows: ({ filter, from, count }) => history()?.rows(filter, from, count) ?? { from: 0, total: 0, rows: [] },
  place: ({ filter, id }) => history()?.place(filter, id) ?? -1,
  lastVisits: ({ states, upTo }) => history()?.lastVisits(states, upTo) ?? states.map(() => null),
  outputs: async ({ states, pins }) => (await import("./outputs.ts")).outputsOf(current ?? shown, states, pins),
  facets: () => history()?.facets() ?? { types: [], scopes: [] },
  chain: ({ id }) => history()?.chain(id) ?? [],
  brief: ({ id }) => history()?.brief(id) ?? null,
  event: ({ id }) => history()?.event(id) ?? null,
  visits: ({ state, iterations }) => current?.visitsOf(state, iterations) ?? history()?.visitsOf(state) ?? [],
  calls: () => current?.answered() ?? null,
  history: () => JSON.stringify({ events: history()?.events ?? [] }, null, 2),
};

/** The start of a run that is in progress. All other calls wait for it, so that they keep their order. */
let starting: Promise<void> | undefined;
const ready = (): void => void (starting = undefined);

async function make({ have, ...request }: Methods["run"]["params"]): Promise<Methods["run"]["value"]> {
  hide();
  const { json } = await readSource(request.definition, request.format);
  const graph = wholeGraph(json);
  await turn();
  // Restored runs have inputs of their own.
  runs!.refuse(request.saved ? "{}" : request.input, request.config);
  await turn();
  if (current?.canInclude(request)) current.restart(json, graph, request);
  else {
    current?.dispose();
    current = undefined;
    if (!request.beside) tally.clear();
    current = new runs!.Run(json, graph, request, () => sandbox, tally);
  }
  const run = current;
  await turn();
  // The answer is sent first, so that the page knows the run before it receives notes about it.
  setTimeout(() => current === run && run.begin(), 0);
  return { run: run.id, ...graphForPage(run.graph, have) };
}

function done(_: void): null {
  return null;
}

/** The data of the current run, or of the last one. */
const lastRun: asked.LastRun = {
  value: (reads) => runs?.valueOf(current ?? shown, reads),
  visit: (state) => runs?.visitOf(current ?? shown, state),
};

/** Returns the run whose data flow is inspected: the current one, or the replay of the recorded execution on screen. */
const inspected = (): Pick<Run, "session" | "definition"> | undefined => current ?? shown?.replay;

/** Closes the recorded execution on screen. */
function hide(): void {
  if (shown) shown.replay = undefined;
  shown = undefined;
}

/** Returns the history on screen. */
const history = () => (current ?? shown)?.history;

self.onmessage = async ({ data, ports }: MessageEvent<Call | { connect: true }>) => {
  if ("connect" in data) {
    sandbox?.close();
    sandbox = ports[0];
    if (sandbox) sandbox.onmessage = (event: MessageEvent<SandboxMessage>) => current?.handleSandboxMessage(event.data);
    return;
  }
  try {
    await enoughFor(data.method);
    if (!runs && RUNS.has(data.method)) loading ??= loadRuns();
    await loading;
    while (starting) await starting;
    const value = await methods[data.method](data.params as never);
    self.postMessage({ id: data.id, value });
  } catch (error) {
    self.postMessage({ id: data.id, error: String((error as Error)?.message ?? error) });
  }
};
