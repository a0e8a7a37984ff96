// What the debugger draws on a state: its breakpoint, that a run is paused in it, that it is mocked, and what it waits for.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type GraphNode, isState } from "../model/graph.ts";
import type { NodeRun } from "../model/log.ts";
import type { PendingTimer } from "../model/protocol.ts";
import * as store from "../store.ts";
import { duration } from "../ui/format.ts";
import * as model from "./model.ts";

export function isPausedAt(state: string): boolean {
  return store.run.value?.phase === "paused" && model.pausedState.value === state;
}

export function DebugMarks({ node, run }: { node: GraphNode; run: Signal<NodeRun> }) {
  if (!isState(node)) return null;
  const mark = model.markOf(node.name);
  const paused = isPausedAt(node.name);
  return (
    <g class="debug-marks" aria-hidden="true">
      {mark && (
        <g class={`bp bp-${mark.kind}`} transform={`translate(${node.x} ${node.y + 27})`}>
          <title>{mark.title}</title>
          <circle r="7" />
          {mark.kind === "condition" && <path d="M0 -3.4L3.4 0L0 3.4L-3.4 0Z" />}
        </g>
      )}
      {paused && <path class="paused-pointer" transform={`translate(${node.x - (mark ? 24 : 14)} ${node.y + 27})`} d="M-7 -7L4 0L-7 7Z" />}
      {model.isMocked(node.name) && (
        <g class="mock-mark" transform={`translate(${node.x + node.width - 18} ${node.y})`}>
          <title>Mocked</title>
          <rect x="-9" y="-8" width="18" height="16" rx="5" />
          <text y="4">M</text>
        </g>
      )}
      {(run.value.status === "waiting" || run.value.status === "retrying" || run.value.status === "running" || run.value.status === "awaiting") && <Remaining node={node} />}
    </g>
  );
}

/// The time that a Wait, a pause before a retry or a time out has left.
function Remaining({ node }: { node: GraphNode }) {
  const now = useSignal(performance.now());
  const timer = store.timer.value;
  const next = timer?.timers.find(({ state }) => state === node.name);
  const flows = next !== undefined && (timer?.speed ?? 0) > 0;
  useEffect(() => {
    if (!flows) return;
    const tick = setInterval(() => (now.value = performance.now()), 250);
    return () => clearInterval(tick);
  }, [flows]);
  if (!timer || !next || !store.busy.value || !store.live.value) return null;
  const passed = flows ? Math.max(0, now.value - timer.heard) * timer.speed : 0;
  const text = wordsOf(next, Math.max(0, next.at - timer.now - passed));
  const width = text.length * 6.4 + 14;
  return (
    <g class="remaining" transform={`translate(${node.x + 12} ${node.y + node.height})`}>
      <rect x="0" y="-9" width={width} height="18" rx="9" />
      <text x={width / 2} y="4">
        {text}
      </text>
    </g>
  );
}

function wordsOf(timer: PendingTimer, left: number): string {
  const time = duration(left < 10_000 ? left : Math.ceil(left / 1000) * 1000);
  return timer.kind === "retry" ? `\u21bb${timer.retries} in ${time}` : timer.kind === "wait" ? `\u23f1 ${time}` : `times out in ${time}`;
}

/// The same for those who do not see it.
export function debugWords(node: GraphNode): string[] {
  if (!isState(node)) return [];
  const words: string[] = [];
  if (isPausedAt(node.name)) words.push("paused here");
  const mark = model.markOf(node.name);
  if (mark && mark.kind !== "off") words.push(mark.kind === "condition" ? "conditional breakpoint" : mark.kind === "log" ? "log point" : "breakpoint");
  if (model.isMocked(node.name)) words.push("mocked");
  return words;
}
