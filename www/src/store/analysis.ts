// What the definition's text says: its graph as it is folded, its states, and what is wrong with it.

import { batch, computed, effect, signal } from "@preact/signals";
import { WorkerLost } from "../client.ts";
import { afterPaint } from "../ui/afterPaint.ts";
import { widthsFor } from "../ui/measure.ts";
import { GraphIndex } from "../model/graph.ts";
import type { Analysis, Analyzed, Diagnostic, Drawing, Drawn, Inside, StatePlace } from "../model/protocol.ts";
import { client, engine } from "./interpreter.ts";
import { revealRange, selectedState } from "./selection.ts";
import { shout } from "./words.ts";
import { definition, flush, format, machineType } from "./workspace.ts";

/// Of the definition on the page.
export const latest = signal<Analysis | null>(null);
const ownGraph = signal<GraphIndex | null>(null);
/// The started execution that is looked at in place of the run's own, and what was read of its machine.
export const inside = signal<(Inside & { graph: GraphIndex; analysis: Analysis | null }) | null>(null);
export const graph = computed(() => inside.value?.graph ?? ownGraph.value);
/// Of the definition whose graph is shown: that on the page, or a started execution's.
export const shown = computed(() => (inside.value ? inside.value.analysis : latest.value));
/// The graph on screen is of an earlier text: this one cannot be read.
export const stale = signal(false);
export const direction = signal<"TB" | "LR">("TB");
/// Width by height of the graph's pane, as it was when the machine was opened; 0 before the pane is there.
export const aspect = signal(0);
/// What somebody has folded, and what of the large and deep, which is folded by itself, somebody has opened.
export const collapsed = signal<ReadonlySet<string>>(new Set());
export const expanded = signal<ReadonlySet<string>>(new Set());
export const problems = computed<Diagnostic[]>(() => latest.value?.diagnostics ?? []);
export const errorCount = computed(() => problems.value.filter((problem) => problem.severity === "error").length);

/// The text that the analysis is of, and what it was read as: nothing once the text has changed, as what the editor knows of an edited text
/// is not what it knew before, also where an undo brings the same text back.
let analyzedText = "";
let analyzedAs = "";
export const analyzed = (): string => analyzedText;

/// The graph that the page has, by the interpreter's number.
let graphHeld = 0;
export const drawnGraph = (): { have: number; index: GraphIndex | null } => ({
  have: ownGraph.peek() ? graphHeld : 0,
  index: ownGraph.peek(),
});
/// What the page was told of a text last, by the interpreter's number.
let told: { id: number; named: NonNullable<Analyzed["named"]> } = { id: 0, named: [] };
/// The shape of the pane that it was laid out for.
export let laidOutFor = 0;
let analyzeTimer: ReturnType<typeof setTimeout> | undefined;
let analyzing = 0;

/// How a definition's graph is laid out.
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

/// A text that is being read: whether its graph is there, what is done when it is, and when all is known.
interface Reading {
  text: string;
  drawn?: boolean;
  then: (() => void)[];
  all?: Promise<void>;
}
let reading: Reading | undefined;

/// Reads the text at once. Its graph comes first, and is painted before the interpreter looks for problems. A text that is known is
/// only drawn: folded, turned, or for a pane of another shape, as the first run makes it.
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
  // What is edited is painted before; where there is no graph yet, nobody waits for its painting.
  const looked = Promise.resolve(ownGraph.value && drawn.then(() => new Promise<void>(afterPaint))).then(() =>
    known ? undefined : client.call("analyze", { ...asked, type, have: told.id }),
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
      if (!(error instanceof WorkerLost) && engine.value !== "broken") shout(`The definition could not be read: ${error.message}`);
    },
  ));
}

/// With what the page knew already.
function wholeOf({ id, named = told.named, offsets, ...found }: Analyzed): Analysis {
  const { states = [], tasks = [] } = latest.peek() ?? {};
  told = { id, named };
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
      graphHeld = graphId;
    } else if (text.trim() === "") ownGraph.value = null;
    stale.value = graphId === undefined && text.trim() !== "";
    const state = selectedState.value;
    if (state !== null && graphId !== undefined && !graph.value!.byName.has(state)) selectedState.value = null;
  });
}

/// Resolves when what is known of the definition is of its present text.
export async function settled(): Promise<void> {
  if (beingRead()) await reading!.all;
}

/// Acts as soon as the graph is of the present text: before it is painted, so that what is selected then is painted with it.
export function withGraph(act: () => void): void {
  if (!beingRead() || reading!.drawn) act();
  else reading!.then.push(act);
}

/// Whether the present text is being read, which it is if it has not been.
function beingRead(): boolean {
  flush();
  const { value } = definition;
  if (analyzedText === value) return false;
  if (reading?.text !== value) void analyze();
  return true;
}

/// Until what has changed is read, in ms; for a text that is after the patience of the editor.
const PATIENCE = 90;
/// The most for a text that takes long to read: while somebody types, the last keys are worth more than all between.
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

/// The pane's shape, which a layout is made for.
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

/// As the machine is drawn where nobody has folded anything.
export const resetFolds = (): void => setFolds(new Set(), new Set());

/// Opens all that a state is inside of.
export function unfoldTo(pointer: string): void {
  const around = (shown.value?.states ?? []).filter((state) => pointer.startsWith(`${state.pointer}/`)).map((state) => state.pointer);
  if (around.length > 0) setFolded(around, false);
}

/// What was read of the machine of the started execution that is looked at.
export function readInside(drawn: GraphIndex, found: Analysis | null): void {
  const now = inside.peek();
  if (now) inside.value = { ...now, graph: drawn, analysis: found };
}

/// Goes to the place of a value in the definition.
export function revealPointer(pointer: string): void {
  const place = problems.value.find((problem) => problem.pointer === pointer && problem.range)?.range;
  if (place) revealRange(place.start.offset, place.end.offset);
}
