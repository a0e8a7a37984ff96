// The iterations of Maps: which ones there are, the status of each, and the run as one of them alone has seen it.

import type { GraphIndex } from "./graph.ts";
import { EventLog, Fold, Item } from "./fold.ts";

export { EventLog, Fold, Item };

/// An iteration of a Map by its index, or the one that something makes interesting: the first that has failed, the one that
/// has begun last.
export type Choice = number | "failing" | "latest";
export type Choices = ReadonlyMap<string, Choice>;

/// The chosen iterations by their Map's node; -1 for one that has not begun.
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

/// Whether an iteration is one of those that are looked at.
function isIn(log: EventLog, chosen: ReadonlyMap<number, number>, item: number): boolean {
  for (let at = item; at >= 0; at = log.itemAround[at]!) {
    const wanted = chosen.get(log.itemNode[at]!);
    if (wanted !== undefined && wanted !== at) return false;
  }
  return true;
}

/// The last rounds of a Map: one, or one for each iteration around it that is looked at.
function roundsAt(index: GraphIndex, log: EventLog, fold: Fold, node: number, chosen: ReadonlyMap<number, number>): number[] {
  const last = new Map<number, number>();
  for (const round of log.roundsOf.get(node) ?? []) {
    if (log.roundEntry[round]! >= fold.at) break;
    const around = log.roundAround[round]!;
    if (around >= 0 && !isIn(log, chosen, around)) continue;
    last.set(around, round);
  }
  // Not without the one around that is chosen and has not begun.
  for (let at = index.stateAround(node); at >= 0; at = index.stateAround(at)) if (chosen.get(at) === -1) return [];
  return [...last.values()];
}

/// The run as the chosen iterations alone have seen it, for the states inside of their Maps.
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

/// The part that the choices make, which is the one before where they mean the same iterations.
export function partOf(before: Part | undefined, index: GraphIndex, log: EventLog, fold: Fold, choices: Choices): Part | undefined {
  if (choices.size === 0) return undefined;
  const chosen = resolve(index, log, fold, choices);
  if (chosen.size === 0) return undefined;
  const waits = [...chosen].flatMap(([map, item]) => (item < 0 && fold.runs[map]!.queued > 0 ? [map] : []));
  const key = `${[...chosen].join(" ")} ${waits.join()}`;
  return before?.key === key ? before : new Part(index, log, key, chosen, waits);
}

/// A run, so far as it is shown, and what of it.
export interface Look {
  index: GraphIndex;
  log: EventLog;
  fold: Fold;
  choices: Choices;
}

/// All iterations of a Map that are looked at, in order, each in a slot of its own.
export interface View {
  /// How many there are and will be.
  total: number;
  /// The status of each; 0 has not begun.
  statuses: Uint8Array;
  /// Its number among all iterations, -1 where it has not begun.
  items: Int32Array;
  /// By status.
  counts: number[];
  /// The slot of the chosen one, -1 for all together.
  at: number;
}

export function viewOf({ index, log, fold, choices }: Look, map: string): View | null {
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
  // What has not begun when its Map has ended never will.
  if (fold.runs[node]!.queued === 0) counts[Item.None] = 0;
  return { total, statuses, items, counts, at };
}

/// What to choose for a slot: its own index and those of the iterations around it.
export function choicesOf(
  { index, log }: Pick<Look, "index" | "log">,
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

/// The indices of the chosen iterations around a node, from the outermost Map on; undefined where all are looked at.
export function chosenAround({ index, log, fold, choices }: Look, node: number): (number | undefined)[] {
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

/// What to choose to look at an iteration.
export function choicesFor({ index, log }: Pick<Look, "index" | "log">, item: number): [string, Choice][] {
  const found: [string, Choice][] = [];
  for (let at = item; at >= 0; at = log.itemAround[at]!) found.push([index.graph.nodes[log.itemNode[at]!]!.id, log.itemIndex[at]!]);
  return found;
}

/// `#3 › #0`: the index of an iteration after those around it.
export function pathOf(log: EventLog, item: number): string {
  const path: string[] = [];
  for (let at = item; at >= 0; at = log.itemAround[at]!) path.unshift(`#${log.itemIndex[at]}`);
  return path.join(" › ");
}
