// @ts-nocheck: has no types yet.
// A session as data: its runs with the facts that their engines were fed, which are enough to make them again.

import { RestoreError } from "../base/errors.ts";
import { seedOf } from "../base/random.ts";
import { definitionText } from "../definition/settings.ts";
import { StateMachine, handleOf } from "../execution/machine.ts";
import { engineSettings } from "../execution/settings.ts";
import { Recording } from "./recording.ts";
import { Run, dataOf } from "./run.ts";
import { DebugSession, inside } from "./session.ts";

const VERSION = 1;

/** The runs of a session as JSON data. What a fork has in common with its parent is written once. */
export function saveSession(session) {
  const { runs, run: current } = inside(session).player;
  const saved = runs.map((run) => {
    const { id, parent, at, atExecution, label, first, focus, position, frontier, own, executions } = run;
    const before = runs.find((one) => one.id === parent);
    const { start, ...others } = savedExecution(first, before);
    const more = executions.length > 1 && {
      executions: executions.slice(1).map((one) => ({ ...savedExecution(one, before), type: one.type, parent: one.parent.number, task: one.task, visit: one.visit, awaited: one.awaited, born: one.born, record: dataOf(one.record) })),
      turns: turnsOf(run.owners()),
      focus: focus.number,
    };
    return { id, parent, at, atExecution, label, start, ...others, position, frontier, own, ...more };
  });
  return { version: VERSION, current: current.id, runs: saved };
}

function savedExecution({ number, definition: given, info, seed, input, start, recording, inbox, performed }, before) {
  const { facts } = recording;
  const theirs = before?.executions[number]?.recording.facts ?? [];
  let shared = 0;
  while (shared < facts.length && facts[shared] === theirs[shared]) shared += 1;
  const definition = given instanceof StateMachine ? given.definition : definitionText(given);
  return { definition, info, seed: String(seed), input, start, shared, facts: facts.slice(shared).map(({ fact }) => written(fact)), inbox: inbox.filter(([method]) => method !== "start"), performed };
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
  if (saved?.version !== VERSION || !Array.isArray(saved.runs) || saved.runs.length === 0) throw new RestoreError("this is not a saved debugging session");
  const session = new DebugSession(saved.runs[0].definition, options);
  const { host, player } = inside(session);
  for (const run of player.runs) run.discard();
  const made = new Map();
  try {
    for (const one of saved.runs) made.set(one.id, runOf(one, made, host, options));
  } catch (thrown) {
    session.dispose();
    throw thrown instanceof RestoreError ? thrown : new RestoreError(`a run of the saved session cannot be restored: ${thrown?.message ?? thrown}`);
  }
  player.adopt([...made.values()], made.get(saved.current) ?? made.values().next().value);
  return session;
}

function runOf({ id, parent, at, atExecution, label, position, frontier, own, executions = [], turns, focus = 0, ...first }, made, host, options) {
  const before = made.get(parent);
  const last = [...made.keys()].at(-1) ?? 0;
  if (!Number.isSafeInteger(id) || id <= last || !Array.isArray(executions)) throw new RestoreError("a run of the saved session is damaged");
  const all = [
    executionOf(first, before?.first, options, options.type),
    ...executions.map(({ born, task, visit, awaited, record, ...one }, i) => {
      if (!(one.parent >= 0 && one.parent <= i) || !Number.isSafeInteger(born) || typeof record?.arn !== "string") throw new RestoreError("a run of the saved session is damaged");
      return { ...executionOf(one, before?.executions[i + 1], host.limits, one.type), parent: one.parent, born, task, visit, awaited, record };
    }),
  ];
  const run = new Run({ id, parent, at, label, start: first.start, host });
  for (const { inbox, ...one } of all) run.adopt(one).inbox.push(...inbox);
  run.order(ownersOf(turns, all));
  run.jump(all.reduce((time, { recording }) => Math.max(time, recording.facts.at(-1)?.fact[1] ?? time), run.start));
  run.told = run.ended;
  const place = (given) => Math.max(0, Math.min(Number(given) || 0, run.length));
  Object.assign(run, { position: place(position), frontier: place(frontier), own: place(own), atExecution, focus: run.executions[focus] ?? run.first });
  return run;
}

function executionOf({ definition, info, seed, input, start, shared = 0, facts, inbox = [], performed }, before, options, type) {
  const theirs = before?.recording.facts ?? [];
  if (!Array.isArray(facts) || shared > theirs.length) throw new RestoreError("a run of the saved session is damaged");
  const machine = new StateMachine(definition, { ...(type && { type }), name: info?.stateMachineName });
  const recording = new Recording(handleOf(machine), engineSettings(options, machine.type));
  const words = seedOf(seed);
  for (const { fact } of theirs.slice(0, shared)) recording.repeat(fact);
  for (const [method, now, ...rest] of facts) recording.repeat(method === "start" ? [method, now, input, info, words] : [method, now, ...rest]);
  return { definition, machine: handleOf(machine), type: machine.type, info, seed: words, input, start, recording, performed: performed ?? recording.facts.length, inbox };
}

/** Pairs of an execution's number and how often it comes in turn. */
function turnsOf(owners) {
  const turns = [];
  for (const owner of owners) {
    if (turns.at(-2) === owner) turns[turns.length - 1] += 1;
    else turns.push(owner, 1);
  }
  return turns;
}

/** Whose the facts of a saved run are, in turn; all of them have to be there. */
function ownersOf(turns, all) {
  const left = all.map(({ recording }) => recording.facts.length);
  if (turns === undefined && all.length === 1) return new Array(left[0]).fill(0);
  const owners = [];
  for (let i = 0; i < (turns?.length ?? 0); i += 2) {
    left[turns[i]] -= turns[i + 1];
    if (!(left[turns[i]] >= 0 && turns[i + 1] > 0)) break;
    owners.push(...new Array(turns[i + 1]).fill(turns[i]));
  }
  if (left.some((facts) => facts !== 0)) throw new RestoreError("the executions of the saved session do not match each other");
  return owners;
}
