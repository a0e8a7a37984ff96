// Totals of a state over all iterations of a Map: how often each outcome occurred, and the mean duration.

import { useComputed } from "@preact/signals";
import type { GraphNode } from "../model/graph.ts";
import { meanOf } from "../model/log.ts";
import * as playback from "../store/playback.ts";
import { duration } from "../ui/format.ts";
import { Parts, rowWidth } from "./Parts.tsx";
import type { Part } from "../ui/signs.ts";

const LEVELS = 5;
/** The width of a letter in px of the drawing. */
const LETTER = 6.2;
/** For each Map, the longest mean duration of its states at the displayed position. */
let longest: { at: number; of: Map<number, number> } = { at: -1, of: new Map() };

function longestIn(map: number): number {
  const look = playback.iterations()!;
  const at = playback.shownAt.value;
  if (longest.at !== at) longest = { at, of: new Map() };
  let most = longest.of.get(map);
  if (most === undefined) {
    const now = playback.shownTime();
    most = 0;
    for (const state of look.index.statesInside(map))
      if (look.index.stateAround(state) === map) most = Math.max(most, meanOf(look.fold.runs[state]!, now));
    longest.of.set(map, most);
  }
  return most;
}

/** It is drawn for states inside a Map whose iterations are shown together. */
export function Sums({ node }: { node: GraphNode }) {
  const text = useComputed((): string => {
    const look = playback.iterations();
    const at = look?.index.byId.get(node.id) ?? -1;
    if (!look || at < 0) return "";
    let map = look.index.stateAround(at);
    while (map >= 0 && look.index.graph.nodes[map]!.type !== "Map") map = look.index.stateAround(map);
    if (map < 0 || look.choices.has(look.index.graph.nodes[map]!.id)) return "";
    const run = playback.runOf(node.id).value;
    if (run.entered < 2) return "";
    const mean = meanOf(run, playback.shownTime());
    const most = longestIn(map);
    const level = mean <= 0 || most <= 0 ? 0 : Math.max(1, Math.ceil((mean / most) * LEVELS));
    const done = run.exited - run.caught;
    const lost = run.lost - run.caught;
    // The number of visits is shown below it already.
    if (mean <= 0 && done === run.entered) return "";
    // The result is a string, so that the signal can compare it with the previous one.
    return [level, done, run.caught, lost, run.active, mean > 0 ? duration(mean) : ""].join("|");
  }).value;
  if (text === "") return null;
  const [level, done, caught, lost, active, mean] = text.split("|");
  const counts = [
    ["check", done],
    ["caught", caught],
    ["cross", lost],
    ["dot", active],
  ] as const;
  const parts: Part[] = [
    ...counts.flatMap(([sign, n]): Part[] => (Number(n) > 0 ? [{ sign }, n!] : [])),
    ...(mean ? [`mean ${mean}`] : []),
  ];
  const width = rowWidth(parts, LETTER) + 14;
  return (
    <g class={`sums heat-${level}`} aria-hidden="true">
      {level !== "0" && <rect class="heat" x={node.x + 3} y={node.y + 7} width="4" height={Math.min(node.height, 54) - 14} rx="2" />}
      <g transform={`translate(${node.x + node.width - 8} ${node.y})`}>
        <rect class="sum" x={-width} y="-9" width={width} height="17" rx="8.5" />
        <Parts parts={parts} letter={LETTER} x={-width / 2} y={3.5} />
      </g>
    </g>
  );
}
