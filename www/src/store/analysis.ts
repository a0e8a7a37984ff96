// The analysis of the definition's text: its graph with its folds, its states, and its problems.

import { batch, computed, effect, signal } from "@preact/signals";
import { WorkerLost } from "../client.ts";
import { afterPaint } from "../ui/afterPaint.ts";
import { widthsFor } from "../ui/measure.ts";
import { GraphIndex } from "../model/graph.ts";
import type { Analysis, Analyzed, Diagnostic, Drawing, Drawn, Inside, StatePlace } from "../model/protocol.ts";
import { client, engine } from "./interpreter.ts";
import { revealRange, selectedState } from "./selection.ts";
import { showAlarm } from "./notifications.ts";
import { definition, flush, format, machineType } from "./workspace.ts";

/** The analysis of the definition on the page. */
export const latest = signal<Analysis | null>(null);
const ownGraph = signal<GraphIndex | null>(null);
/** The child execution that is shown in place of the run's own, and the analysis of its machine. */
export const inside = signal<(Inside & { graph: GraphIndex; analysis: Analysis | null }) | null>(null);
export const graph = computed(() => inside.value?.graph ?? ownGraph.value);
/** The analysis of the definition whose graph is shown: that on the page, or a child execution's. */
export const shown = computed(() => (inside.value ? inside.value.analysis : latest.value));
/** Whether the graph on screen belongs to an earlier text, because the current one cannot be read. */
export const stale = signal(false);
export const direction = signal<"TB" | "LR">("TB");
/** The aspect ratio (width divided by height) of the graph's pane when the machine was opened; 0 before the pane exists. */
export const aspect = signal(0);
/**
 * The containers that the user has folded, and those that the user has opened although their size or depth folds them
 * automatically.
 */
export const collapsed = signal<ReadonlySet<string>>(new Set());
export const expanded = signal<ReadonlySet<string>>(new Set());
export const problems = computed<Diagnostic[]>(() => latest.value?.diagnostics ?? []);
export const errorCount = computed(() => problems.value.filter((problem) => problem.severity === "error").length);

/**
 * The analysed text and the options that it was read with. Both are cleared when the text changes, because the editor drops what
 * it knows of an edited text, even if an undo restores the same text.
 */
let analyzedText = "";
let analyzedAs = "";
export const analyzed = (): string => analyzedText;

/** The id of the graph that the page has. */
let drawnGraphId = 0;
export const drawnGraph = (): { have: number; index: GraphIndex | null } => ({
  have: ownGraph.peek() ? drawnGraphId : 0,
  index: ownGraph.peek(),
});
/** The last analysis that the page received. */
let lastAnalysis: { id: number; named: NonNullable<Analyzed["named"]> } = { id: 0, named: [] };
/** The aspect ratio that the last layout was made for. */
export let laidOutFor = 0;
let analyzeTimer: ReturnType<typeof setTimeout> | undefined;
let analyzing = 0;

/** Returns the options of the layout of a definition's graph. */
export function drawnAs(text: string): Drawn {
  return {
    collapsed: [...collapsed.value],
    expanded: [...expanded.value],
    direction: direction.value,
    widths: widthsFor(text),
    ...(aspect.value > 0 && { aspect: aspect.value }),
  };
}

export function analyzeSoon(delay: number): void {
  clearTimeout(analyzeTimer);
  analyzeTimer = setTimeout(() => void analyze(), delay);
}

/** A text that is being read: whether its graph is drawn, the callbacks for that, and a promise for the whole analysis. */
interface Reading {
  text: string;
  drawn?: boolean;
  then: (() => void)[];
  all?: Promise<void>;
}
let reading: Reading | undefined;

/**
 * Reads the text at once. Its graph comes first and is painted before the interpreter searches for problems. A text that was
 * analysed before is only drawn again: folded, turned, or for another aspect ratio, which the first run causes.
 */
export function analyze(): Promise<void> {
  clearTimeout(analyzeTimer);
  const mine = ++analyzing;
  const asked = { text: definition.value, format: format.value };
  const type = machineType.value;
  const readAs = `${asked.format} ${type}`;
  const known = analyzedText === asked.text && analyzedAs === readAs;
  const as = drawnAs(asked.text);
  const now: Reading = { text: asked.text, then: [] };
  const drawn = client.call("draw", { ...asked, ...as, have: drawnGraph().have }).then((made) => {
    if (mine === analyzing) draws(asked.text, made, as.aspect);
    now.drawn = true;
    for (const act of now.then) act();
    return made.took;
  });
  // The edited graph is painted first. If there is no graph yet, nothing waits for a painting.
  const looked = Promise.resolve(ownGraph.value && drawn.then(() => new Promise<void>(afterPaint))).then(() =>
    known ? undefined : client.call("analyze", { ...asked, type, have: lastAnalysis.id }),
  );
  reading = now;
  return (now.all = Promise.all([drawn, looked]).then(
    ([took, found]) => {
      if (mine !== analyzing) return;
      reading = undefined;
      if (!found) return;
      batch(() => {
        analyzedText = asked.text;
        analyzedAs = readAs;
        latest.value = { ...wholeOf(found), took: found.took + took };
      });
    },
    (error: Error) => {
      if (mine === analyzing) reading = undefined;
      if (!(error instanceof WorkerLost) && engine.value !== "broken") showAlarm(`The definition could not be read: ${error.message}`);
    },
  ));
}

/** Completes an analysis with the members that have not changed. */
function wholeOf({ id, named = lastAnalysis.named, offsets, ...found }: Analyzed): Analysis {
  const { states = [], tasks = [] } = latest.peek() ?? {};
  lastAnalysis = { id, named };
  const at = (state: (typeof named)[number], i: number): StatePlace => {
    const [from, to, nameFrom, nameTo] = offsets!.subarray(i * 4) as unknown as [number, number, number, number];
    return { ...state, from, to, nameFrom, nameTo };
  };
  return { states, tasks, ...found, ...(offsets && { places: named.map(at) }) };
}

function draws(text: string, { graphId, graph: made }: Drawing, shape: number | undefined): void {
  batch(() => {
    if (graphId !== undefined) {
      laidOutFor = shape ?? 0;
      if (made) {
        const { nodes = [], edges = [] } = ownGraph.peek()?.graph ?? {};
        const known: unknown[] = [...nodes, ...edges];
        const whole = <T>(parts: (T | number)[]): T[] => parts.map((part) => (typeof part === "number" ? (known[part] as T) : part));
        ownGraph.value = new GraphIndex({ ...made, nodes: whole(made.nodes), edges: whole(made.edges) }, made.corner);
      }
      drawnGraphId = graphId;
    } else if (text.trim() === "") ownGraph.value = null;
    stale.value = graphId === undefined && text.trim() !== "";
    const state = selectedState.value;
    if (state !== null && graphId !== undefined && !graph.value!.byName.has(state)) selectedState.value = null;
  });
}

/** Resolves when the analysis belongs to the current text. */
export async function settled(): Promise<void> {
  if (beingRead()) await reading!.all;
}

/**
 * Calls a function as soon as the graph belongs to the current text. This is before the painting, so that a selection made then
 * is painted with the graph.
 */
export function withGraph(act: () => void): void {
  if (!beingRead() || reading!.drawn) act();
  else reading!.then.push(act);
}

/** Returns whether the current text is being read. If it has not been read yet, this starts. */
function beingRead(): boolean {
  flush();
  const { value } = definition;
  if (analyzedText === value) return false;
  if (reading?.text !== value) void analyze();
  return true;
}

/** The delay after a change until it is read, in milliseconds. The editor has its own delay before that. */
const PATIENCE = 90;
/** The maximum delay for a text that takes long to read, in milliseconds. During typing, only the latest text matters. */
const LONGEST = 400;

let last: string | undefined;
effect(() => {
  const { value: text } = definition;
  void format.value;
  void direction.value;
  void aspect.value;
  void collapsed.value;
  void expanded.value;
  void machineType.value;
  if (last !== text) analyzedAs = "";
  const took = last === text ? 0 : 1.5 * (latest.peek()?.took ?? 0);
  analyzeSoon(last === undefined ? 0 : Math.max(PATIENCE, Math.min(took, LONGEST)));
  last = text;
});

/** Sets the aspect ratio of the pane for the layout. */
export function setAspect(ratio: number): void {
  aspect.value = ratio;
}

export function turnGraph(): void {
  direction.value = direction.value === "TB" ? "LR" : "TB";
}

export function toggleFold(pointer: string): void {
  const index = graph.value;
  setFolded([pointer], !index?.node(index.byId.get(pointer) ?? -1)?.collapsed);
}

function setFolded(pointers: string[], folded: boolean): void {
  const [closed, open] = [new Set(collapsed.value), new Set(expanded.value)];
  for (const pointer of pointers) {
    (folded ? closed : open).add(pointer);
    (folded ? open : closed).delete(pointer);
  }
  setFolds(closed, open);
  analyzeSoon(0);
}

export function setFolds(closed: ReadonlySet<string>, open: ReadonlySet<string>): void {
  batch(() => {
    collapsed.value = closed;
    expanded.value = open;
  });
}

/** Resets the folds to their defaults. */
export const resetFolds = (): void => setFolds(new Set(), new Set());

/** Unfolds all containers around a state. */
export function unfoldTo(pointer: string): void {
  const around = (shown.value?.states ?? []).filter((state) => pointer.startsWith(`${state.pointer}/`)).map((state) => state.pointer);
  if (around.length > 0) setFolded(around, false);
}

/** Sets the analysis of the machine of the shown child execution. */
export function readInside(drawn: GraphIndex, found: Analysis | null): void {
  const now = inside.peek();
  if (now) inside.value = { ...now, graph: drawn, analysis: found };
}

/** Goes to the position of a value in the definition. */
export function revealPointer(pointer: string): void {
  const place = problems.value.find((problem) => problem.pointer === pointer && problem.range)?.range;
  if (place) revealRange(place.start.offset, place.end.offset);
}
