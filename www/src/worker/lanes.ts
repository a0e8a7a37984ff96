// The visits of a run as bars on lanes: one lane for the execution, and one for each branch or iteration in view. Every visit is
// included: bars that would be too narrow to see are merged with their neighbours.

import type { DebugSession } from "stepglass/debug";
import { type Scale, scaleOf } from "../model/scale.ts";
import type { Bar, Lane } from "../model/protocol.ts";

/** The maximum number of separate lanes. All others share one lane. */
const MOST = 40;
/** The maximum number of bars. If there are more, more of them are merged. */
const MOST_BARS = 2000;
/** The minimum width of a bar, in pixels. */
const NARROW = 3;
/** The kinds of bars, the most important one last. A merged bar has the most important kind of its visits. */
const TELLING = ["run", "task", "wait", "backoff", "attempt", "failed"] as const;

/** A visit, with the pauses between its attempts by the events around them. `again` is 0 if no attempt followed. */
export interface LanedVisit {
  state: string;
  type: string;
  enter: number;
  exit: number;
  end: number;
  thread: number;
  threadName: string;
  backoffs: readonly { failed: number; again: number }[];
}

/** A run, or a recorded execution, as the time line reads it. */
export interface Laned {
  /** The number of events. */
  events: number;
  /** Returns the visits in the order of entry. */
  visitsInOrder(): Iterable<LanedVisit>;
  /** Returns the time of an event, in milliseconds. */
  timeOf(event: number): number;
}

/** Returns what the time line needs of a session. */
export function lanedSession(session: DebugSession): Laned {
  const times = session.history(0).map(({ timestamp }) => Date.parse(timestamp));
  return { events: session.events, visitsInOrder: () => session.visitsInOrder(), timeOf: (event) => times[event - 1]! };
}

/**
 * Returns the lanes of the events in a range, for a time line of `width` pixels. Bars reach from event to event. `critical` has the
 * events that began the visits on the critical path.
 */
export function lanesOf(run: Laned, view: { from: number; to: number; width: number }, critical: ReadonlySet<number> = new Set()): Lane[] {
  const last = run.events;
  if (last === 0) return [];
  const lanes = new Map<number, Lane>();
  const others: Bar[] = [];
  const merged = new Set<number>();
  for (const visit of run.visitsInOrder()) {
    if (visit.enter > Math.min(last, view.to)) break;
    const over = visit.end > 0 && visit.end <= last;
    const to = over ? visit.end : last;
    if (to < view.from) continue;
    const failed = over && visit.exit !== visit.end;
    const { state } = visit;
    const isCritical = critical.has(visit.enter) ? { critical: true } : {};
    let lane = lanes.get(visit.thread);
    if (!lane && lanes.size >= MOST) {
      merged.add(visit.thread);
      others.push({ state, from: visit.enter, to, kind: failed ? "failed" : "run", ...isCritical });
      continue;
    }
    if (!lane) lanes.set(visit.thread, (lane = { name: visit.threadName, bars: [] }));
    const kind = failed ? "failed" : visit.type === "Wait" ? "wait" : visit.type === "Task" ? "task" : "run";
    let from = visit.enter;
    for (const pause of visit.backoffs) {
      if (pause.failed > last) break;
      const again = pause.again > 0 && pause.again <= last ? pause.again : to;
      lane.bars.push(
        { state, from, to: pause.failed, kind: "attempt", ...isCritical },
        { state, from: pause.failed, to: again, kind: "backoff", ...isCritical },
      );
      from = again;
    }
    if (from < to || visit.backoffs.length === 0) lane.bars.push({ state, from, to, kind, ...isCritical });
  }
  const found = [...lanes.values()];
  if (others.length > 0) found.push({ name: `${merged.size} more`, bars: united(others) });
  const scale = scaleOf({ from: Math.max(1, view.from), to: Math.min(last, view.to) }, (event) => run.timeOf(event));
  for (let width = NARROW; ; width *= 2) {
    const drawn = found.map(({ name, bars }): Lane => ({ name, bars: gathered(bars, scale, width / view.width) }));
    if (width > view.width / 4 || drawn.reduce((sum, { bars }) => sum + bars.length, 0) <= MOST_BARS) return drawn;
  }
}

/** Merges bars that are narrower than a fraction of the time line and begin in the same fraction. */
function gathered(bars: readonly Bar[], scale: Scale, narrow: number): Bar[] {
  const out: Bar[] = [];
  let part = -1;
  for (const bar of bars) {
    const from = Math.max(0, scale.at(bar.from));
    if (Math.min(1, scale.at(bar.to)) - from >= narrow) {
      out.push(bar);
      part = -1;
      continue;
    }
    const here = Math.floor(from / narrow);
    if (here === part) out.push(both(out.pop()!, bar));
    else out.push(bar);
    part = here;
  }
  return out;
}

function both(a: Bar, b: Bar): Bar {
  return {
    state: a.state === b.state ? a.state : "",
    from: a.from,
    to: Math.max(a.to, b.to),
    kind: TELLING[Math.max(TELLING.indexOf(a.kind), TELLING.indexOf(b.kind))]!,
    bars: (a.bars ?? 1) + (b.bars ?? 1),
    failed: failuresOf(a) + failuresOf(b),
    ...((a.critical || b.critical) && { critical: true }),
  };
}

const failuresOf = ({ kind, failed }: Bar): number => failed ?? (kind === "failed" || kind === "attempt" ? 1 : 0);

/** Merges bars that touch. The bars are sorted by their beginnings. */
function united(bars: readonly Bar[]): Bar[] {
  const out: Bar[] = [];
  for (const bar of bars) {
    const last = out.at(-1);
    if (last && bar.from <= last.to) out[out.length - 1] = both(last, bar);
    else out.push(bar);
  }
  return out;
}
