// A session as data: its runs with the facts that their engines were fed, which are enough to make them again.

import { RestoreError } from "../errors.js";
import { StateMachine, definitionText, engineSettings, handleOf, seedOf } from "../machine.js";
import { Recording } from "./recording.js";
import { Run } from "./run.js";
import { DebugSession, reach } from "./session.js";

const VERSION = 1;

/** The runs of a session as JSON data. What a fork has in common with its parent is written once. */
export function saveSession(session) {
  const { runs, current } = reach(session);
  const saved = runs.map((run) => {
    const { id, parent, at, label, info, seed, input, start, recording, position, frontier, own, performed } = run;
    const { facts } = recording;
    const before = runs.find((one) => one.id === parent)?.recording.facts ?? [];
    let shared = 0;
    while (shared < facts.length && facts[shared] === before[shared]) shared += 1;
    const definition = run.definition instanceof StateMachine ? run.definition.definition : definitionText(run.definition);
    return { id, parent, at, label, definition, info, seed: String(seed), input, start, shared, facts: facts.slice(shared).map(({ fact }) => written(fact)), inbox: run.inbox.filter(([method]) => method !== "start"), performed, position, frontier, own };
  });
  return { version: VERSION, current: current.id, runs: saved };
}

/** A start has a seed, which is a BigInt; it is the run's own. */
function written([method, now, ...rest]) {
  return method === "start" ? [method, now] : [method, now, ...rest];
}

/**
 * A session with the runs of a saved one, paused where it was. Tasks that were at work are called again when it goes on.
 * Throws RestoreError.
 */
export function restoreSession(saved, options = {}) {
  if (saved?.version !== VERSION || !Array.isArray(saved.runs) || saved.runs.length === 0) throw new RestoreError("this is no saved debugging session");
  const session = new DebugSession(saved.runs[0].definition, options);
  const { host, runs: begun, adopt } = reach(session);
  for (const { recording } of begun) recording.discard();
  const made = new Map();
  try {
    for (const one of saved.runs) made.set(one.id, runOf(one, made, host, options));
  } catch (thrown) {
    session.dispose();
    throw thrown instanceof RestoreError ? thrown : new RestoreError(`a run of the saved session cannot be made again: ${thrown?.message ?? thrown}`);
  }
  adopt([...made.values()], made.get(saved.current) ?? made.values().next().value);
  return session;
}

function runOf({ id, parent, at, label, definition, info, seed, input, start, shared = 0, facts, inbox = [], performed, position, frontier, own }, made, host, options) {
  const before = made.get(parent)?.recording.facts ?? [];
  const last = [...made.keys()].at(-1) ?? 0;
  if (!Number.isSafeInteger(id) || id <= last || !Array.isArray(facts) || shared > before.length) throw new RestoreError("a run of the saved session is damaged");
  const machine = new StateMachine(definition, options.type ? { type: options.type } : {});
  const recording = new Recording(handleOf(machine), engineSettings(options, machine.type));
  const words = seedOf(seed);
  for (const { fact } of before.slice(0, shared)) recording.repeat(fact);
  for (const [method, now, ...rest] of facts) recording.repeat(method === "start" ? [method, now, input, info, words] : [method, now, ...rest]);
  const { length } = recording;
  const run = new Run({ id, parent, at, label, definition, info, seed: words, input, start, host, recording, performed });
  run.inbox.push(...inbox);
  const place = (given) => Math.max(0, Math.min(Number(given) || 0, length));
  Object.assign(run, { position: place(position), frontier: place(frontier), own: place(own) });
  return run;
}
