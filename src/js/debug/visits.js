// All visits of states in the order of their entering, as a time line shows them.

/** The visits up to an event, with the pauses between their attempts: `{…, threadName, backoffs: [{failed, again}]}`. */
export function* visitsOf(recording, until, threadName) {
  const { chains, tape } = recording;
  for (const visit of chains.visits) {
    if (visit.enter > until) return;
    const backoffs = [];
    if (visit.attempts > 1) {
      for (const place of recording.stagesOf(visit.enter)) {
        const failed = tape[place].after;
        if (tape[place].stage === "retry") backoffs.push({ failed, again: nextAttempt(recording, failed, visit) });
      }
    }
    yield { ...visit, slot: chains.threads[visit.thread].slot, threadName: threadName(visit.thread), backoffs };
  }
}

/** The event that begins the attempt after a failed one; 0 while there is none. */
function nextAttempt({ chains, events }, failed, visit) {
  for (let id = failed + 1; id <= events.length; id++) {
    if (chains.visitOf(id) === visit && /(?:Scheduled|Started)$/.test(events[id - 1].type)) return id;
    if (visit.end > 0 && id > visit.end) return 0;
  }
  return 0;
}
