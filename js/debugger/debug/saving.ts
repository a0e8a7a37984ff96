// Saves a session as data. Its runs are saved as the facts of their engines, from which they can be rebuilt.

import type { DebugOptions, DebugSession as PublicSession, SavedSession } from "../../core/api/debug.d.ts";
import type { Definition, MachineType } from "../../core/api/index.d.ts";
import { RestoreError, messageOf, misuse } from "../../core/base/errors.ts";
import { seedOf } from "../../core/base/random.ts";
import type { Fact } from "../../core/border/facts.ts";
import { definitionText } from "../../core/definition/settings.ts";
import { StateMachine, handleOf } from "../../core/execution/machine.ts";
import { engineSettings } from "../../core/execution/settings.ts";
import type { ExecutionInit, Execution } from "./execution.ts";
import type { Names, NestedData } from "./model.ts";
import type { ProgramHost } from "./program.ts";
import { type PastFact, Recording } from "./recording.ts";
import { Run, nestedDataOf } from "./run.ts";
import { DebugSession, internals } from "./session.ts";

const VERSION = 1;

/** A saved execution. */
interface SavedExecution {
  definition: string;
  info: Names;
  seed: string;
  input: string;
  start: number;
  /** How many of its first facts are shared with the same execution in the parent run. */
  shared: number;
  /** The remaining facts. A start fact has only its time. */
  facts: PastFact[];
  /** Facts that wait to be fed. */
  inbox: Fact[];
  performed: number;
}

/** A saved nested execution. Its members are those of `Execution`. */
interface SavedStarted extends SavedExecution {
  type: MachineType;
  /** The number of the parent execution. */
  parent: number;
  task: number;
  visit: number;
  awaited: boolean;
  born: number;
  record: NestedData;
}

/** A saved run, with its main execution. Its members are those of `Run`. */
interface SavedRun extends SavedExecution {
  id: number;
  parent?: number;
  at?: number;
  atExecution?: number;
  label: string;
  position: number;
  frontier: number;
  own: number;
  /** `executions` are the nested ones, `turns` the order in which executions were fed facts, and `focus` the selected one. */
  executions?: SavedStarted[];
  turns?: number[];
  focus?: number;
}

/**
 * Returns the runs of a session as JSON data, or one of its runs as if it had no parent. Facts that a fork shares with its parent
 * are savedFact once.
 */
export function saveSession(session: PublicSession, { run: only }: { run?: number } = {}): SavedSession {
  // There is no other class of sessions.
  const { runs, run: current } = internals(session as DebugSession).player;
  if (only !== undefined) {
    const run = runs.find(({ id }) => id === only);
    if (run === undefined) throw misuse("INVALID_ARGUMENT", `there is no run ${only}`);
    const { parent, at, atExecution, ...saved } = savedRun(run, undefined);
    return { version: VERSION, current: only, runs: [saved] };
  }
  return {
    version: VERSION,
    current: current.id,
    runs: runs.map((run) => ({
      ...savedRun(
        run,
        runs.find(({ id }) => id === run.parent),
      ),
    })),
  };
}

function savedRun(run: Run, before: Run | undefined): SavedRun {
  const { id, parent, at, atExecution, label, first, focus, position, frontier, own, executions } = run;
  const { start, ...others } = savedExecution(first, before);
  const started = executions.length > 1 && {
    executions: executions.slice(1).map((one) => savedStarted(one, before)),
    turns: turnsOf(run.owners()),
    focus: focus.number,
  };
  return { id, parent, at, atExecution, label, start, ...others, position, frontier, own, ...started };
}

function savedExecution(
  { number, definition: given, info, seed, input, start, recording, inbox, performed }: Execution,
  before: Run | undefined,
): SavedExecution {
  const { facts } = recording;
  const theirs = before?.executions[number]?.recording.facts ?? [];
  let shared = 0;
  while (shared < facts.length && facts[shared] === theirs[shared]) shared += 1;
  const definition = given instanceof StateMachine ? given.definition : definitionText(given);
  return {
    definition,
    info,
    seed: String(seed),
    input,
    start,
    shared,
    facts: facts.slice(shared).map(({ fact }) => savedFact(fact)),
    inbox: inbox.filter(([method]) => method !== "start"),
    performed,
  };
}

function savedStarted(one: Execution, before: Run | undefined): SavedStarted {
  const { type, parent, task, visit, awaited, born, record } = one;
  // A nested execution has all of these.
  return {
    ...savedExecution(one, before),
    type,
    parent: parent?.number,
    task,
    visit,
    awaited,
    born,
    record: nestedDataOf(record),
  } as SavedStarted;
}

/** A start fact contains the seed, a BigInt. It is omitted, because it is the seed of the execution. */
function savedFact([method, now, ...rest]: PastFact): PastFact {
  return method === "start" ? [method, now] : ([method, now, ...rest] as PastFact);
}

/**
 * Restores a saved session, paused at its position. Tasks that were running are called again when the session continues. Throws
 * RestoreError.
 */
export function restoreSession(saved: SavedSession, options: DebugOptions = {}): DebugSession {
  if (saved?.version !== VERSION || !Array.isArray(saved.runs) || saved.runs[0] === undefined)
    throw new RestoreError("this is not a saved debugging session");
  const session = new DebugSession(saved.runs[0].definition, options);
  const { host, player } = internals(session);
  for (const run of player.runs) run.discard();
  const made = new Map<number, Run>();
  try {
    // This throws for a value that is not a saved run.
    for (const one of saved.runs as unknown as SavedRun[]) made.set(one.id, runOf(one, made, host, options));
  } catch (thrown) {
    session.dispose();
    throw thrown instanceof RestoreError ? thrown : new RestoreError(`a run of the saved session cannot be restored: ${messageOf(thrown)}`);
  }
  const runs = [...made.values()];
  // A saved session has at least one run.
  player.adopt(runs, made.get(saved.current) ?? runs[0]!);
  return session;
}

function damaged(): RestoreError {
  return new RestoreError("a run of the saved session is damaged");
}

function runOf(saved: SavedRun, made: ReadonlyMap<number, Run>, host: ProgramHost, options: DebugOptions): Run {
  const { id, parent, at, atExecution, label, position, frontier, own, executions = [], turns, focus = 0, ...first } = saved;
  const before = parent === undefined ? undefined : made.get(parent);
  const last = [...made.keys()].at(-1) ?? 0;
  if (!Number.isSafeInteger(id) || id <= last || !Array.isArray(executions)) throw damaged();
  const all = [
    executionOf(first, before?.first, options, options.type),
    ...executions.map((one, i) => {
      const { parent: starter, born, task, visit, awaited, record } = one;
      if (!(starter >= 0 && starter <= i) || !Number.isSafeInteger(born) || typeof record?.arn !== "string") throw damaged();
      return { ...executionOf(one, before?.executions[i + 1], host.limits, one.type), parent: starter, born, task, visit, awaited, record };
    }),
  ];
  const run = new Run({ id, parent, at, label, start: first.start, host });
  for (const { inbox, ...one } of all) run.adopt(one).inbox.push(...inbox);
  run.order(ownersOf(turns, all));
  run.jump(all.reduce((time, { recording }) => Math.max(time, recording.facts.at(-1)?.fact[1] ?? time), run.start));
  run.isEndReported = run.ended;
  const place = (given: unknown): number => Math.max(0, Math.min(Number(given) || 0, run.length));
  return Object.assign(run, {
    position: place(position),
    frontier: place(frontier),
    own: place(own),
    atExecution,
    focus: run.executions[focus] ?? run.first,
  });
}

type Restored = Omit<ExecutionInit, "parent" | "record" | "performed"> & { performed: number; inbox: Fact[] };

function executionOf(saved: SavedExecution, before: Execution | undefined, options: DebugOptions, type: MachineType | undefined): Restored {
  const { definition, info, seed, input, start, shared = 0, facts, inbox = [], performed } = saved;
  const theirs = before?.recording.facts ?? [];
  if (!Array.isArray(facts) || shared > theirs.length) throw damaged();
  const machine = new StateMachine(definition as Definition, { ...(type && { type }), name: info?.stateMachineName });
  const recording = new Recording(handleOf(machine), engineSettings(options, machine.type));
  const words = seedOf(seed);
  for (const { fact } of theirs.slice(0, shared)) recording.repeat(fact);
  for (const fact of facts) recording.repeat(fact[0] === "start" ? ["start", fact[1], input, info, words] : fact);
  return {
    definition,
    machine: handleOf(machine),
    type: machine.type,
    info,
    seed: words,
    input,
    start,
    recording,
    performed: performed ?? recording.facts.length,
    inbox,
  };
}

/** Encodes the order as pairs of an execution's number and how many facts it was fed in turn. */
function turnsOf(owners: readonly number[]): number[] {
  const turns: [owner: number, times: number][] = [];
  for (const owner of owners) {
    const last = turns.at(-1);
    if (last?.[0] === owner) last[1] += 1;
    else turns.push([owner, 1]);
  }
  return turns.flat();
}

/** Decodes the order of a saved run's facts. It has to contain each of them. */
function ownersOf(turns: readonly number[] | undefined, all: readonly Restored[]): number[] {
  const left = all.map(({ recording }) => recording.facts.length);
  if (turns === undefined && all.length === 1) return Array.from({ length: left[0] ?? 0 }, () => 0);
  const mismatch = new RestoreError("the executions of the saved session do not match each other");
  const owners: number[] = [];
  for (let i = 0; i < (turns?.length ?? 0); i += 2) {
    const [owner = -1, times = 0] = turns?.slice(i, i + 2) ?? [];
    const rest = (left[owner] ?? -1) - times;
    if (!(rest >= 0 && times > 0)) throw mismatch;
    left[owner] = rest;
    for (let n = 0; n < times; n++) owners.push(owner);
  }
  if (left.some((facts) => facts !== 0)) throw mismatch;
  return owners;
}
