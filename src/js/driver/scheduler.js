// Shares the event loop: whatever runs, a turn of this package's work takes about SLICE milliseconds, then the host's
// timers, input and output have theirs. Microtasks do not count as a turn: a chain of them starves the host.

const SLICE = 10;

let posted = false;
let end = 0;
let waiting = [];

/** Whether work may go on in this turn. */
export function inTime() {
  if (!posted) {
    posted = true;
    end = performance.now() + SLICE;
    nextTurn(turn);
    return true;
  }
  return performance.now() < end;
}

/** Calls `job` in a coming turn, after those that wait already. */
export function later(job) {
  waiting.push(job);
  if (!posted) {
    posted = true;
    nextTurn(turn);
  }
}

function turn() {
  posted = false;
  const jobs = waiting;
  waiting = [];
  let done = 0;
  while (done < jobs.length && inTime()) jobs[done++]();
  if (done < jobs.length) waiting = jobs.slice(done).concat(waiting);
}

let nextTurn = (job) => {
  nextTurn = chooseTurn();
  nextTurn(job);
};

// Not setTimeout: browsers hold a nested one back for four milliseconds.
function chooseTurn() {
  if (typeof setImmediate === "function") return setImmediate;
  if (typeof MessageChannel === "function") {
    const { port1, port2 } = new MessageChannel();
    let jobs = [];
    port1.onmessage = () => {
      const now = jobs;
      jobs = [];
      for (const job of now) job();
    };
    return (job) => {
      jobs.push(job);
      port2.postMessage(0);
    };
  }
  return (job) => setTimeout(job, 0);
}
