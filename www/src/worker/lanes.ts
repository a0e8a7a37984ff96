// The visits of a run as bars on lanes: one for the execution, one for each branch or iteration in view.

import type { DebugSession } from "stepglass/debug";
import type { Lane } from "../model/protocol.ts";

/// So many lanes are drawn of their own; the others are one together.
const MOST = 40;
const MOST_BARS = 4000;

/// Of the events from one to another. Bars reach from event to event.
export function lanesOf(session: DebugSession, view: { from: number; to: number }): Lane[] {
  const last = session.events;
  if (last === 0) return [];
  const lanes = new Map<number, Lane>();
  const others: [number, number][] = [];
  const merged = new Set<number>();
  let bars = 0;
  for (const visit of session.visitsInOrder()) {
    if (visit.enter > Math.min(last, view.to)) break;
    const over = visit.end > 0 && visit.end <= last;
    const to = over ? visit.end : last;
    if (to < view.from) continue;
    let lane = lanes.get(visit.thread);
    if (!lane && (lanes.size >= MOST || bars >= MOST_BARS)) {
      merged.add(visit.thread);
      others.push([visit.enter, to]);
      continue;
    }
    if (!lane) lanes.set(visit.thread, (lane = { name: visit.threadName, bars: [] }));
    if (bars >= MOST_BARS) continue;
    const failed = over && visit.exit !== visit.end;
    const kind = failed ? "failed" : visit.type === "Wait" ? "wait" : visit.type === "Task" ? "task" : "run";
    let from = visit.enter;
    for (const pause of visit.backoffs) {
      if (pause.failed > last) break;
      const again = pause.again > 0 && pause.again <= last ? pause.again : to;
      lane.bars.push({ state: visit.state, from, to: pause.failed, kind: "attempt" }, { state: visit.state, from: pause.failed, to: again, kind: "backoff" });
      from = again;
      bars += 2;
    }
    if (from < to || visit.backoffs.length === 0) lane.bars.push({ state: visit.state, from, to, kind });
    bars += 1;
  }
  const found = [...lanes.values()];
  if (others.length > 0) found.push({ name: `${merged.size} more`, bars: united(others).map(([from, to]) => ({ state: "", from, to, kind: "run" })) });
  return found;
}

/// Stretches that touch as one. They come in the order of their beginnings.
function united(stretches: [number, number][]): [number, number][] {
  const out: [number, number][] = [];
  for (const [from, to] of stretches) {
    const last = out.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}
