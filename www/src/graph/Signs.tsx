// The signs on the box of a state: its status, its counts, its error, and its remaining time.

import { type Signal, computed, useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { GraphNode } from "../model/graph.ts";
import type { NodeRun } from "../model/log.ts";
import type { PendingTimer } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import { duration, grouped } from "../ui/format.ts";
import { Parts, rowWidth } from "./Parts.tsx";
import type { Part } from "../ui/signs.ts";
import type { Shown } from "./status.ts";

interface Props {
  node: GraphNode;
  run: Signal<NodeRun>;
  status: Shown;
  /** The path data of the status sign. */
  sign: string;
  /** Whether the drawing is large enough to read the text. */
  near: boolean;
  /** Whether the run is paused after the state, and not before it or in it. */
  after: boolean;
  timer: PendingTimer | undefined;
}

const PATTERN_SIGN = { token: "pause", sync: "twice" } as const;
/** The width of a letter in px of the drawing. */
const LETTER = 6.6;
/** The maximum number of shown characters of an error name. */
const ERROR_SHOWN = 16;

export function Signs({ node, run, status, sign, near, after, timer }: Props) {
  const { x, y, width, height } = node;
  const parts = useWords(node, run, status, near);
  const wide = rowWidth(parts, LETTER);
  // The time that the clock has just skipped at this state, in milliseconds.
  const leap = useComputed(() =>
    playback.live.value && playback.skipped.value?.id === node.id ? playback.skipped.value.ms : undefined,
  ).value;
  return (
    <>
      {status === "paused" && (
        <g class="pause-marks" aria-hidden="true">
          <rect x={x + 4} y={y + 4} width={width - 8} height={height - 8} rx="7" />
          <path transform={`translate(${after ? x + width + 26 : x - 11} ${y + Math.min(height, 54) / 2})`} d="M-14 -8L0 0L-14 8Z" />
        </g>
      )}
      {status === "caught" && <path class="caught-edge" aria-hidden="true" d={`M${x + width - 2} ${y + 9}V${y + height - 9}`} />}
      {(sign !== "" || parts.length > 0) && (
        <g class="badges" aria-hidden="true">
          {sign !== "" && (
            <g class="status" transform={`translate(${x + width - 14} ${y + height})`}>
              <circle r="10" />
              {status === "running" ? <circle class="ring" r="5" /> : <path transform="translate(-6.5 -6.5) scale(.65)" d={sign} />}
            </g>
          )}
          {parts.length > 0 && (
            <g class="count" transform={`translate(${x + width - (sign !== "" ? 28 : 10)} ${y + height})`}>
              <rect x={-wide - 12} y="-9" width={wide + 12} height="18" rx="9" />
              <Parts parts={parts} letter={LETTER} x={-wide / 2 - 6} y={4} />
            </g>
          )}
        </g>
      )}
      {(timer || leap !== undefined) && (
        <Remaining node={node} since={run.value.last} timer={timer} leap={leap} used={parts.length === 0 ? 0 : wide + 38} />
      )}
    </>
  );
}

const NOTHING: Part[] = [];

/** Returns the words. The array stays the same if the words do, so that the ongoing run does not draw them again. */
function useWords(node: GraphNode, run: Signal<NodeRun>, status: Shown, near: boolean): Part[] {
  return useMemo(() => {
    let before = NOTHING;
    return computed(() => {
      const now = near ? words(node, run.value, status) : NOTHING;
      return JSON.stringify(now) === JSON.stringify(before) ? before : (before = now);
    });
  }, [node, run, status, near]).value;
}

function words(node: GraphNode, run: NodeRun, status: Shown): Part[] {
  const found: Part[] = [];
  if (node.pattern) found.push({ sign: PATTERN_SIGN[node.pattern] });
  if (run.entered > 1) found.push(`×${grouped(run.entered)}`);
  if (run.iterations > 0) found.push(`${run.iterationsDone + run.iterationsFailed}/${run.iterations + run.queued}`);
  else if (run.queued > 0 && node.type !== "Map") found.push(`${run.queued} waiting`);
  if (run.failures > 0 && run.status !== "failed") found.push({ sign: "retry" }, String(run.failures));
  if (status === "timedOut") found.push({ sign: "clock" });
  // The caption of a Fail state has its error already.
  if (run.error !== "" && node.type !== "Fail" && (status === "caught" || status === "failed" || status === "timedOut"))
    found.push(run.error.length > ERROR_SHOWN ? `${run.error.slice(0, ERROR_SHOWN - 1)}…` : run.error);
  return found;
}

/** The circumference of the ring. */
const ROUND = 2 * Math.PI * 4;

/** The remaining time of a wait, of a delay before a retry, or until a timeout, as a ring that empties and as a number. */
function Remaining({
  node,
  since,
  timer: next,
  leap,
  used,
}: {
  node: GraphNode;
  since: number;
  timer: PendingTimer | undefined;
  leap: number | undefined;
  used: number;
}) {
  const now = useSignal(performance.now());
  const timer = execution.timer.value;
  const flows = next !== undefined && (timer?.speed ?? 0) > 0;
  useEffect(() => {
    if (!flows) return;
    const tick = setInterval(() => (now.value = performance.now()), 250);
    return () => clearInterval(tick);
  }, [flows]);
  const passed = flows ? Math.max(0, now.value - timer!.heard) * timer!.speed : 0;
  const left = leap ?? (next && timer ? Math.max(0, next.at - timer.now - passed) : 0);
  const parts: Part[] = leap !== undefined || !next ? [{ sign: "clock" }, duration(left)] : wordsOf(next, left);
  const width = rowWidth(parts, 6.4) + 30;
  // If there is no room beside the other signs, the ring is below them.
  const down = 10 + width + used > node.width ? 17 : 0;
  const share = leap === undefined && next && next.at > since ? Math.min(1, left / (next.at - since)) : 1;
  return (
    <g class="remaining" aria-hidden="true" transform={`translate(${node.x + 10} ${node.y + node.height + down})`}>
      <rect x="0" y="-9" width={width} height="18" rx="9" />
      <circle class="left" cx="11" r="4" stroke-dasharray={`${share * ROUND} ${ROUND}`} transform="rotate(-90 11 0)" />
      <Parts parts={parts} letter={6.4} x={(width + 14) / 2} y={4} />
    </g>
  );
}

function wordsOf(timer: PendingTimer, left: number): Part[] {
  const time = duration(left < 10_000 ? left : Math.ceil(left / 1000) * 1000);
  return timer.kind === "retry"
    ? [{ sign: "retry" }, `${timer.retries}${timer.of === undefined ? "" : ` of ${timer.of}`} in ${time}`]
    : timer.kind === "wait"
      ? [{ sign: "clock" }, time]
      : [`times out in ${time}`];
}
