// The visits of a run as bars on lanes: one for the execution, one for each branch or iteration.

import type { DebugSession } from "stepglass/debug";
import type { Lane } from "../model/protocol.ts";

/// So many lanes are drawn; the others would be thinner than a line.
const MOST = 40;
const MOST_BARS = 4000;

export function lanesOf(session: DebugSession): Lane[] {
  const events = session.history();
  if (events.length === 0) return [];
  const end = events.length;
  const lanes = new Map<number, Lane>();
  let bars = 0;
  for (const visit of session.visitsInOrder()) {
    if (visit.enter > events.length || bars >= MOST_BARS) break;
    let lane = lanes.get(visit.thread);
    if (!lane) {
      if (lanes.size >= MOST) continue;
      lanes.set(visit.thread, (lane = { name: visit.threadName, bars: [] }));
    }
    const over = visit.end > 0 && visit.end <= events.length;
    const to = over ? visit.end : end;
    const failed = over && visit.exit !== visit.end;
    const kind = failed ? "failed" : visit.type === "Wait" ? "wait" : visit.type === "Task" ? "task" : "run";
    lane.bars.push({ state: visit.state, from: visit.enter, to, kind });
    bars += 1;
    for (const pause of visit.backoffs) {
      if (pause.failed <= end) lane.bars.push({ state: visit.state, from: pause.failed, to: pause.again > 0 && pause.again <= end ? pause.again : to, kind: "backoff" });
      bars += 1;
    }
  }
  return [...lanes.values()];
}
