// The iterations of Maps: their status, and the run restricted to the chosen iterations.

import type { GraphIndex } from "./graph.ts";
import { EventLog, Fold, Item } from "./fold.ts";

export { EventLog, Fold, Item };

/** An iteration of a Map: its index, the first one that has failed ("failing"), or the one that has begun last ("latest"). */
export type Choice = number | "failing" | "latest";
export type Choices = ReadonlyMap<string, Choice>;

/** Returns the chosen iteration of each Map by the Map's node; -1 if that iteration has not begun. */
function resolve(index: GraphIndex, log: EventLog, fold: Fold, choices: Choices): Map<number, number> {
  const found = new Map<number, number>();
  const { nodes } = index.graph;
  const maps = [...choices].map(([pointer, choice]) => [index.byId.get(pointer) ?? -1, choice] as const).filter(([node]) => node >= 0);
  maps.sort(([a], [b]) => nodes[a]!.depth - nodes[b]!.depth);
  for (const [node, choice] of maps) {
    const round = roundsAt(index, log, fold, node, found).at(-1) ?? -1;
    const begun = (log.roundItems[round] ?? []).filter((item) => log.itemEntry[item]! < fold.at);
    const failed =
      choice === "failing"
        ? begun.filter((item) => fold.items[item] === Item.Failed).sort((a, b) => log.itemIndex[a]! - log.itemIndex[b]!)[0]
        : undefined;
    found.set(
      node,
      (typeof choice === "number" ? begun.findLast((item) => log.itemIndex[item] === choice) : (failed ?? begun.at(-1))) ?? -1,
    );
  }
  return found;
}

/** Returns whether an iteration lies inside the chosen ones. */
function isIn(log: EventLog, chosen: ReadonlyMap<number, number>, item: number): boolean {
  for (let at = item; at >= 0; at = log.itemAround[at]!) {
    const wanted = chosen.get(log.itemNode[at]!);
    if (wanted !== undefined && wanted !== at) return false;
  }
  return true;
}

/** Returns the last rounds of a Map: one, or one for each chosen iteration around it. */
function roundsAt(index: GraphIndex, log: EventLog, fold: Fold, node: number, chosen: ReadonlyMap<number, number>): number[] {
  const last = new Map<number, number>();
  for (const round of log.roundsOf.get(node) ?? []) {
    if (log.roundEntry[round]! >= fold.at) break;
    const around = log.roundAround[round]!;
    if (around >= 0 && !isIn(log, chosen, around)) continue;
    last.set(around, round);
  }
  // A Map has no rounds if the chosen iteration of an enclosing Map has not begun.
  for (let at = index.stateAround(node); at >= 0; at = index.stateAround(at)) if (chosen.get(at) === -1) return [];
  return [...last.values()];
}

/** The run restricted to the chosen iterations. It applies to the states inside their Maps. */
export class Part {
  readonly fold: Fold;
  private readonly covered = new Set<number>();

  constructor(
    private readonly index: GraphIndex,
    log: EventLog,
    readonly key: string,
    chosen: ReadonlyMap<number, number>,
    waits: readonly number[],
  ) {
    const known = new Map<number, boolean>();
    const from = Math.min(...[...chosen.values()].map((item) => (item < 0 ? log.length : log.itemEntry[item]!)));
    this.fold = new Fold(index, log, {
      from: Number.isFinite(from) ? from : 0,
      waits,
      has(item) {
        let is = known.get(item);
        if (is === undefined) known.set(item, (is = isIn(log, chosen, item)));
        return is;
      },
    });
    for (const map of chosen.keys()) for (const inner of index.statesInside(map)) this.covered.add(inner);
  }

  seek(to: number): ReturnType<Fold["seek"]> {
    return this.fold.seek(to);
  }

  covers(node: number): boolean {
    return this.covered.has(node);
  }

  coversEdge(edge: number): boolean {
    const { from, to } = this.index.graph.edges[edge]!;
    return this.covers(this.index.byId.get(from) ?? -1) || this.covers(this.index.byId.get(to) ?? -1);
  }
}

/** Returns the part for these choices. It is `before` if the choices still mean the same iterations. */
export function partOf(before: Part | undefined, index: GraphIndex, log: EventLog, fold: Fold, choices: Choices): Part | undefined {
  if (choices.size === 0) return undefined;
  const chosen = resolve(index, log, fold, choices);
  if (chosen.size === 0) return undefined;
  const waits = [...chosen].flatMap(([map, item]) => (item < 0 && fold.runs[map]!.queued > 0 ? [map] : []));
  const key = `${[...chosen].join(" ")} ${waits.join()}`;
  return before?.key === key ? before : new Part(index, log, key, chosen, waits);
}

/** The displayed part of a run, and the choice of iterations. */
export interface DisplayedRun {
  index: GraphIndex;
  log: EventLog;
  fold: Fold;
  choices: Choices;
}

/** The iterations of a Map that can be chosen, in order. Each has a slot. */
export interface View {
  /** The number of iterations, including those that have not begun. */
  total: number;
  /** The status of each slot; 0 means that the iteration has not begun. */
  statuses: Uint8Array;
  /** The number of each slot's iteration among all iterations, or -1 if it has not begun. */
  items: Int32Array;
  /** The number of iterations by status. */
  counts: number[];
  /** The slot of the chosen iteration, or -1 if all are shown together. */
  at: number;
}

export function viewOf({ index, log, fold, choices }: DisplayedRun, map: string): View | null {
  const node = index.byId.get(map) ?? -1;
  if (node < 0) return null;
  const chosen = resolve(index, log, fold, choices);
  const rounds = roundsAt(index, log, fold, node, chosen);
  const own = chosen.get(node);
  let total = 0;
  const slots: { start: number; count: number }[] = rounds.map((round) => {
    const known = log.roundTotal[round]!;
    const begun = log.roundItems[round]!;
    const count = Math.max(known, begun.length === 0 ? 0 : Math.max(begun.length, log.itemIndex[begun.at(-1)!]! + 1));
    const start = total;
    total += count;
    return { start, count };
  });
  const statuses = new Uint8Array(total);
  const items = new Int32Array(total).fill(-1);
  let at = -1;
  rounds.forEach((round, i) => {
    const { start } = slots[i]!;
    for (const item of log.roundItems[round]!) {
      if (log.itemEntry[item]! >= fold.at) continue;
      const slot = start + log.itemIndex[item]!;
      statuses[slot] = fold.items[item]!;
      items[slot] = item;
      if (item === own) at = slot;
    }
    const choice = choices.get(map);
    if (own === -1 && typeof choice === "number" && i === rounds.length - 1 && choice < slots[i]!.count) at = start + choice;
  });
  const counts = [0, 0, 0, 0, 0, 0];
  for (const status of statuses) counts[status]! += 1;
  // If the Map has ended, iterations that have not begun never will.
  if (fold.runs[node]!.queued === 0) counts[Item.None] = 0;
  return { total, statuses, items, counts, at };
}

/**
 * Returns the choices that select a slot: its own index and those of the enclosing iterations. Choices inside the Map are
 * cleared.
 */
export function choicesOf(
  { index, log }: Pick<DisplayedRun, "index" | "log">,
  view: View,
  map: string,
  slot: number,
): [string, Choice | undefined][] {
  const item = view.items[slot]!;
  const inner = index
    .statesInside(index.byId.get(map) ?? -1)
    .map((at) => index.graph.nodes[at]!)
    .filter(({ type }) => type === "Map");
  const own: [string, Choice][] = item < 0 ? [[map, slot]] : choicesFor({ index, log }, item);
  return [...inner.map(({ id }): [string, undefined] => [id, undefined]), ...own];
}

/**
 * Returns the indices of the chosen iterations around a node, the outermost Map first; undefined where all iterations are shown.
 */
export function chosenAround({ index, log, fold, choices }: DisplayedRun, node: number): (number | undefined)[] {
  const chosen = resolve(index, log, fold, choices);
  const found: (number | undefined)[] = [];
  for (let at = index.stateAround(node); at >= 0; at = index.stateAround(at)) {
    const { type, id } = index.graph.nodes[at]!;
    if (type !== "Map") continue;
    const item = chosen.get(at);
    const choice = choices.get(id);
    found.unshift(item === undefined ? undefined : item >= 0 ? log.itemIndex[item] : typeof choice === "number" ? choice : -1);
  }
  return found;
}

/** Returns the choices that select an iteration. */
export function choicesFor({ index, log }: Pick<DisplayedRun, "index" | "log">, item: number): [string, Choice][] {
  const found: [string, Choice][] = [];
  for (let at = item; at >= 0; at = log.itemAround[at]!) found.push([index.graph.nodes[log.itemNode[at]!]!.id, log.itemIndex[at]!]);
  return found;
}

/** Returns the path to an iteration, from the outermost Map: `#3 › #0`. */
export function pathOf(log: EventLog, item: number): string {
  const path: string[] = [];
  for (let at = item; at >= 0; at = log.itemAround[at]!) path.unshift(`#${log.itemIndex[at]}`);
  return path.join(" › ");
}
