// A state of the graph: its contents and its accessible name.

import { type ReadonlySignal, type Signal, computed, useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type GraphNode, isContainer, isState } from "../model/graph.ts";
import { type NodeRun, meanOf } from "../model/log.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { glyphOf } from "../ui/services.ts";
import { position } from "../debugger/model.ts";
import type { PendingTimer } from "../model/protocol.ts";
import { count, duration } from "../ui/format.ts";
import { lazy } from "../ui/lazy.tsx";
import { type NodeMark, type OverState, captions, nodeMarks, overlay } from "../debugger/onGraph.ts";
import { choose, focused } from "./focus.ts";
import { DRAWN, detail, inBoxes, nameSize } from "./lod.ts";
import { cut, wrapped } from "../ui/measure.ts";
import { renameNode } from "./graphEditor.ts";
import { found } from "./search.ts";
import { type Shown, overrideOf, shownOf, signOf } from "./status.ts";

const Marks = lazy(() => import("./Marks.tsx").then((module) => module.Marks));
const OverSign = lazy(() => import("./Marks.tsx").then((module) => module.OverSign));
const Problems = lazy(() => import("./Marks.tsx").then((module) => module.Problems));
const Signs = lazy(() => import("./Signs.tsx").then((module) => module.Signs));
const Sums = lazy(() => import("./Sums.tsx").then((module) => module.Sums));

interface ButtonProps {
  node: GraphNode;
  /** The targets of its transitions, in words. */
  ways: string;
  run: Signal<NodeRun>;
  container?: boolean;
  children: ComponentChildren;
}

/**
 * A state as a button, with its words and signs; the box is given. A run changes the class and the accessible name most often.
 * They are written directly to the element, so that many states that change at once are not rendered again.
 */
export function NodeButton({ node, ways, run, container = false, children }: ButtonProps) {
  const override = useComputed(() => overrideOf(node));
  const shown = useComputed(() => shownOf(run.value, override.value));
  const status = useComputed(() => shown.value.status).value;
  // This is computed, so that a node is rendered only if its own part of the selection changes.
  const selected = useComputed(
    () => isState(node) && (selection.selectedState.value === node.name || selection.alsoSelected.value.has(node.name)),
  ).value;
  const told = useTold(node);
  const timer = useTimer(node, status);
  const classes = useMemo(() => computed(() => classesOf(node, container, shown.value.status, selected, told)), [node, selected]);
  const name = useMemo(() => computed(() => nameOf(node, ways, run.value, shown.value.text, timer, told)), [node, ways, timer]);
  // This is in lower case because attribute names of SVG are case-sensitive.
  const tabindex = useComputed(() => (focused.value === node.id ? 0 : -1));
  const far = detail.value === "far";
  return (
    <g class={classes} data-move={node.id}>
      <g
        class="node-button"
        role="button"
        data-node={node.id}
        tabindex={tabindex}
        aria-label={name}
        aria-pressed={selected}
        onFocus={() => (focused.value = node.id)}
        onClick={() => choose(node)}
        onDblClick={() => isState(node) && void renameNode(node.id)}
      >
        {selected && <rect class="selection" x={node.x - 4} y={node.y - 4} width={node.width + 8} height={node.height + 8} rx="13" />}
        {children}
        {!far && <rect class="focus-ring" x={node.x - 4} y={node.y - 4} width={node.width + 8} height={node.height + 8} rx="13" />}
      </g>
      {!far && <Around node={node} run={run} status={status} timer={timer} told={told} />}
    </g>
  );
}

function classesOf(node: GraphNode, container: boolean, status: Shown, selected: boolean, { match, marks, over }: Told): string {
  return [
    container ? "node container" : "node",
    `type-${node.type.toLowerCase()}`,
    `is-${status}`,
    selected ? "selected" : "",
    node.reachable ? "" : "unreached",
    node.type === "Missing" ? "missing" : "",
    marks.value.some(({ kind }) => kind === "mock") ? "mocked" : "",
    match.value,
    over.value ? `over-${over.value.kind}` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** The facts about a state besides its run. */
interface Told {
  /** The classes for search results. */
  match: ReadonlySignal<string>;
  live: ReadonlySignal<string | undefined>;
  bad: ReadonlySignal<number>;
  marks: ReadonlySignal<readonly NodeMark[]>;
  over: ReadonlySignal<OverState | undefined>;
}

function useTold({ name, pointer }: GraphNode): Told {
  return {
    match: useComputed(() => (found.value.names.has(name) ? (found.value.current === name ? "match current-match" : "match") : "")),
    live: useComputed(() => captions.value.get(pointer)?.text),
    bad: useComputed(() => problemCounts.value.get(pointer) ?? 0),
    marks: useComputed(() => nodeMarks.value.get(pointer) ?? NONE),
    over: useComputed(() => overlay.value?.nodes.get(pointer)),
  };
}

interface AroundProps {
  node: GraphNode;
  run: Signal<NodeRun>;
  status: Shown;
  timer: PendingTimer | undefined;
  told: Told;
}

/** The parts around the box of a state: its status, its counts, its marks, and the number of its problems. */
function Around({ node, run, status, timer, told }: AroundProps) {
  const marks = told.marks.value;
  const over = told.over.value;
  const bad = told.bad.value;
  const near = detail.value === "near";
  return (
    <>
      {(status !== "idle" || node.pattern) && (
        <Signs
          node={node}
          run={run}
          status={status}
          sign={signOf(status)}
          near={near}
          after={status === "paused" && left.value}
          timer={timer}
        />
      )}
      {(node.type === "Parallel" || node.type === "Map") && <FoldButton node={node} />}
      {near && node.depth > 0 && status !== "idle" && <Sums node={node} />}
      {marks.some(({ side }) => side !== "edge") && <Marks node={node} marks={marks} />}
      {over?.sign && <OverSign node={node} kind={over.kind} sign={over.sign} />}
      {bad > 0 && <Problems node={node} problems={bad} />}
    </>
  );
}

const WAITS = new Set(["waiting", "retrying", "running", "awaiting", "paused"]);
const NONE: readonly NodeMark[] = [];
/** Whether the run is paused after the state was left. */
const left = computed(() => position.value?.left === true);

/** Returns the timer that a state waits for. Only waiting states subscribe to the timers. */
function useTimer(node: GraphNode, status: string): PendingTimer | undefined {
  const waits = WAITS.has(status);
  return useMemo(
    () =>
      computed(() =>
        waits && execution.busy.value && playback.live.value
          ? execution.timer.value?.timers.find(
              ({ state, iterations, execution }) =>
                execution === undefined && state === node.name && playback.isSelected(node.id, iterations),
            )
          : undefined,
      ),
    [waits, node],
  ).value;
}

/** Returns the remaining time in words, as of the last report and not updated with every tick. */
function waitWords(timer: PendingTimer | undefined): string {
  if (!timer) return "";
  const time = duration(Math.max(0, timer.at - (execution.timer.value?.now ?? timer.at)));
  return timer.kind === "wait"
    ? `, ${time} left`
    : timer.kind === "timeout"
      ? `, times out in ${time}`
      : `, attempt ${timer.retries + 1}${timer.of === undefined ? "" : ` of ${timer.of + 1}`} in ${time}`;
}

/** A fold button for the mouse. The keys are plus and minus. */
function FoldButton({ node }: { node: GraphNode }) {
  const x = node.x + node.width - 24 - (node.retries ? 16 : 0);
  return (
    <g
      class="fold"
      aria-hidden="true"
      transform={`translate(${x} ${node.y + (node.collapsed ? 8 : 12)})`}
      onClick={() => analysis.toggleFold(node.pointer)}
    >
      <title>{node.collapsed ? "Unfold (+)" : "Fold (−)"}</title>
      <rect x="-6" y="-4" width="24" height="24" rx="6" />
      <path d={node.collapsed ? "M1 8H11M6 3V13" : "M1 8H11"} />
    </g>
  );
}

export function Head({ node }: { node: GraphNode }) {
  const { x, y } = node;
  const told = useComputed(() => captions.value.get(node.pointer)).value;
  const live = told?.inside ? told.text : undefined;
  if (!inBoxes.value) return null;
  const { size, left, tile, lines, first } = nameIn(node, nameSize.value);
  return (
    <>
      {tile && <rect class="tile" x={x + 11} y={y + 12} width="30" height="30" rx="7" />}
      {tile && <path class="glyph" transform={`translate(${x + 16} ${y + 17})`} d={glyphOf(node)} />}
      <text class="name" style={{ fontSize: `${size}px` }}>
        {lines.map((line, i) => (
          <tspan key={i} x={x + left} y={y + first + (size === DRAWN ? 16 : size * LINE) * i}>
            {line}
          </tspan>
        ))}
      </text>
      {size === DRAWN && (
        <text class={live === undefined ? "caption" : "caption live"} x={x + left} y={y + 22}>
          {` ${live === undefined ? node.caption : cut(live, 11, node.width - left - 12)}`}
        </text>
      )}
      {detail.value === "near" && node.retries && (
        <path class="retries" transform={`translate(${x + node.width - 21} ${y + 9})`} d="M10.6 6A4.6 4.6 0 1 1 9.2 2.7M9.6 .4V3.2H6.8" />
      )}
    </>
  );
}

/** The line height of a name, relative to its font size. */
const LINE = 1.06;

/** How far the status sign extends above the lower border, in px. */
const STATUS = 11;

/** Returns the layout of a name in its box. In a small drawing the name is larger and replaces smaller texts. */
function nameIn(node: GraphNode, size: number): { size: number; left: number; tile: boolean; lines: string[]; first: number } {
  if (size === DRAWN)
    return { size, left: 52, tile: true, lines: node.lines.map((line, i) => (i < node.lines.length - 1 ? `${line} ` : line)), first: 39 };
  const fold = node.type === "Parallel" || node.type === "Map" ? 28 : 0;
  const height = isContainer(node) ? 54 : node.height;
  const most = isContainer(node) ? 1 : Math.max(1, Math.floor((height + 2) / (size * LINE)));
  const low = (lines: string[]): number => (height - lines.length * size * LINE) / 2 + size * 0.9;
  // The name has the whole box except the corner with the status.
  const from = (left: number): string[] => {
    const lines = wrapped(node.name, size, node.width - left - 10 - fold, most);
    const last = low(lines) + (lines.length - 1) * size * LINE;
    return last > height - STATUS && !isContainer(node) ? wrapped(node.name, size, node.width - left - 28 - fold, lines.length) : lines;
  };
  const beside = from(52);
  // If the name has no room beside the type's icon, it uses the icon's place too.
  const tile = !beside.at(-1)!.endsWith("…");
  const lines = tile ? beside : from(10);
  return { size, left: tile ? 52 : 10, tile, lines, first: low(lines) };
}

const PATTERN_TEXT = { token: "waits for its token", sync: "waits for the job to finish" } as const;

const problemCounts = computed(() => {
  const counts = new Map<string, number>();
  const index = analysis.graph.value;
  if (!index) return counts;
  for (const { pointer } of analysis.problems.value) {
    // This finds the innermost state that contains the position.
    for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      if (!index.byId.has(at)) continue;
      counts.set(at, (counts.get(at) ?? 0) + 1);
      break;
    }
  }
  return counts;
});

function nameOf(node: GraphNode, ways: string, run: NodeRun, status: string, timer: PendingTimer | undefined, told: Told): string {
  // The accessible name begins with the text that is drawn.
  const drawn = nameIn(node, inBoxes.value ? nameSize.value : DRAWN).lines.join("");
  const live = told.live.value;
  const problems = told.bad.value;
  const over = told.over.value;
  const parts = [`${drawn}${live === undefined ? "" : ` ${live}`} ${node.caption || node.type}`];
  if (!drawn.startsWith(node.name)) parts.push(node.name);
  if (node.type === "Missing") return [...parts, "missing state"].join(", ");
  parts.push(status + waitWords(timer));
  if (run.entered > 1) parts.push(`entered ${run.entered} times`);
  if (run.iterations > 0) {
    parts.push(
      `${run.iterationsDone} of ${run.iterations + run.queued} items done${run.iterationsFailed ? `, ${run.iterationsFailed} failed` : ""}`,
    );
    const most = node.map?.maxConcurrency;
    if (run.queued > 0)
      parts.push(`${run.iterations - run.iterationsDone - run.iterationsFailed}${most === undefined ? "" : ` of max ${most}`} running`);
  }
  if (run.queued > 0 && run.status !== "queued") parts.push(`${run.queued} queued`);
  if (run.entered > 1 && run.lost > run.caught) parts.push(`${run.lost - run.caught} failed`);
  const mean = run.entered > 1 ? meanOf(run, run.last) : 0;
  if (mean > 0) parts.push(`${duration(mean)} on average`);
  if (run.failures > 0) parts.push(count(run.failures, "failed attempt"));
  if (node.retries) parts.push("has retries");
  if (node.pattern) parts.push(PATTERN_TEXT[node.pattern]);
  for (const { title } of over ? [...told.marks.value, over] : told.marks.value) parts.push(title);
  if (node.collapsed) parts.push("folded");
  if (!node.reachable) parts.push("unreachable");
  if (problems > 0) parts.push(count(problems, "problem"));
  return [...parts, ...(ways === "" ? [] : [ways])].join(", ");
}
