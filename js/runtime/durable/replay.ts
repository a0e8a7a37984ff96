// Restores the engine of an execution from its snapshot and its facts.

import type { StoredExecution } from "../../core/api/durable.d.ts";
import type { ExecutionInfo } from "../../core/execution/execution.ts";
import type { Fact } from "../../core/border/facts.ts";
import type { HistoryEngine } from "../../core/border/history-engine.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { type StoredFact, type Led, type Note, type Standing, ledText, ledTo, readFacts, readSnapshot } from "./facts.ts";
import type { Program } from "./programs.ts";

/** The place at which a replay leads to another result than the one that was stored. */
export interface Diverged {
  /** The number of the fact since the last snapshot. */
  fact: number;
  /** The time of the fact, in milliseconds since 1970. */
  at: number;
  /** The kind of the fact: `succeed`, `tick` … */
  event: string;
  /** The stored result, and the result of the replay. */
  was: string;
  is: string;
}

/** An engine and the data from which it was restored. */
export interface Remade {
  engine: HistoryEngine;
  facts: StoredFact[];
  /** The names of the execution, if its start is among the facts. */
  names: ExecutionInfo | undefined;
  standing: Standing | undefined;
  /** The time of the last fact. */
  lastAt: number;
}

/** Returns the snapshot and the facts from which an execution is restored. */
export function factsOf({ snapshot, journal }: StoredExecution): Pick<Remade, "standing" | "facts"> {
  return { standing: snapshot === undefined ? undefined : readSnapshot(snapshot), facts: journal.flatMap(readFacts) };
}

/** Restores an engine. Throws if a fact leads to another result than the stored one. */
export function remade(stored: StoredExecution, { machine, options }: Program): Remade {
  const { standing, facts } = factsOf(stored);
  const engine = StateMachine.engine(machine, options, standing && { text: standing.engine, events: standing.events });
  const names = replay(engine, facts);
  return { engine, facts, names, standing, lastAt: facts.at(-1)?.at ?? standing?.at ?? -Infinity };
}

/** Returns where a replay has diverged, if that is what was thrown. */
export function divergence(thrown: unknown): Diverged | undefined {
  return (thrown as { diverged?: Diverged } | undefined)?.diverged;
}

export function isNote(fact: Fact | Note): fact is Note {
  return fact[0] === "note";
}

/** Feeds the facts to an engine again. Returns the names of the execution if its start is among them. */
function replay(engine: HistoryEngine, facts: readonly StoredFact[]): ExecutionInfo | undefined {
  let info: ExecutionInfo | undefined;
  for (const [i, { at, led, fact }] of facts.entries()) {
    if (isNote(fact)) continue;
    if (fact[0] === "start") {
      const { tokenKey, ...names } = fact[2];
      info = names as ExecutionInfo;
    }
    const is = leadsTo(engine, at, fact, led);
    if (is !== undefined) throw diverged({ fact: i + 1, at, event: fact[0], was: ledText(led), is });
  }
  return info;
}

/** Returns what a fact leads to now, if that differs from what is stored. */
function leadsTo(engine: HistoryEngine, at: number, fact: Fact, led: Led): string | undefined {
  try {
    const now = ledTo(engine.feedFact(at, fact));
    return now === led ? undefined : ledText(now);
  } catch (thrown) {
    return `an error: ${messageOf(thrown)}`;
  }
}

function diverged(place: Diverged): Error {
  const { fact, at, event, was, is } = place;
  const message = `fact ${fact} (${event}, ${new Date(at).toISOString()}) has led to ${was}, and now leads to ${is}`;
  return Object.assign(misuse("REPLAY_DIVERGED", message, Error), { diverged: place });
}
