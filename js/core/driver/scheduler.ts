// Shares the event loop with the host: the package works for about SLICE milliseconds in a turn, and then the host's timers, input
// and output are handled. A chain of microtasks would starve the host.

const SLICE = 10;
// The number of jobs that may begin in a turn regardless of the time. The caller or another process may have used up the time.
const FREE = 4;
// Reading the clock takes as long as some states. If it moved by less than BRIEF milliseconds between each of MANY readings in a
// row, it is next read after FEW jobs.
const BRIEF = 0.1;
const MANY = 16;
const FEW = 8;

// The function is read at import, because fake timers of tests are meant for the waits of executions, not for their turns. Browsers
// have none.
const immediate = (globalThis as { setImmediate?: (job: () => void) => unknown }).setImmediate;
// In Node, `performance` loads modules for a millisecond, and hrtime does not.
const hrtime = (globalThis as { process?: { hrtime?: () => [number, number] } }).process?.hrtime;
const now = hrtime === undefined ? performance.now.bind(performance) : () => milliseconds(hrtime());

function milliseconds([seconds, nanoseconds]: [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Calls a job after the current code has run. */
export const soon: (job: () => void) => void = globalThis.queueMicrotask.bind(globalThis);

let channel: MessageChannel | undefined;
let sent: (() => void)[] = [];

let posted = false;
let end = 0;
let free = 0;
let few = 0;
let brief = 0;
let looked = 0;
let waiting: (() => void)[] = [];

/** Returns whether work may continue in this turn. */
export function inTime(): boolean {
  if (!posted) {
    posted = true;
    looked = now();
    end = looked + SLICE;
    free = FREE;
    nextTurn(turn);
    return true;
  }
  if (few > 0) {
    few -= 1;
    return true;
  }
  const at = now();
  brief = at - looked < BRIEF ? brief + 1 : 0;
  if (brief >= MANY) few = FEW;
  looked = at;
  return at < end;
}

/** Returns whether work may begin in this turn. */
export function mayBegin(): boolean {
  if (posted && free > 0) {
    free -= 1;
    return true;
  }
  return inTime();
}

/** Calls `job` in a later turn, after the jobs that are already queued. */
export function later(job: () => void): void {
  waiting.push(job);
  if (!posted) {
    posted = true;
    nextTurn(turn);
  }
}

/** Resolves in a later turn, after the jobs that are already queued. */
export function untilLater(): Promise<void> {
  return new Promise((resolve) => later(resolve));
}

function turn() {
  posted = false;
  const jobs = waiting;
  waiting = [];
  let done = 0;
  try {
    while (done < jobs.length && inTime()) jobs[done++]?.();
  } finally {
    if (done < jobs.length) {
      waiting = jobs.slice(done).concat(waiting);
      const last = waiting.pop();
      if (last !== undefined) later(last);
    }
  }
}

/** Calls a job in the next turn. setTimeout is the last choice: browsers delay a nested setTimeout by four milliseconds. */
function nextTurn(job: () => void): void {
  if (immediate !== undefined) immediate(job);
  else if (typeof MessageChannel === "function") throughChannel(job);
  else setTimeout(job, 0);
}

function throughChannel(job: () => void): void {
  if (channel === undefined) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => {
      const jobs = sent;
      sent = [];
      for (const one of jobs) one();
    };
  }
  sent.push(job);
  channel.port2.postMessage(0);
}
