// Searches for the smallest schedule for which a property does not hold.

import type { PropertyOptions } from "../../core/api/testing.d.ts";
import { UNEXPECTED } from "./outcomes.ts";
import type { TestRun } from "./run-result.ts";
import type { Outcome, Schedule } from "./schedule.ts";

/** One run with a schedule. */
export interface Tried {
  /** The outcomes that the run has used. */
  schedule: Schedule;
  input: unknown;
  /** The run. Undefined if it could not come to its end. */
  run?: TestRun;
  /** The problem of the run. */
  problem?: string;
  /** The thrown value that describes the problem. */
  thrown?: unknown;
}

/** A run with a problem. */
export type Broken = Tried & { problem: string };

export function isBroken(tried: Tried): tried is Broken {
  return tried.problem !== undefined;
}

/** Runs once with a schedule. */
type Trial = (schedule: Schedule, input: unknown) => Promise<Tried>;

/** The search for the smallest schedule that fails. */
export class Shrinking {
  #smallest: Broken;
  #tries = 0;
  /** Maximum number of runs. */
  #most: number;
  #try: Trial;

  constructor(failure: Broken, most: number, run: Trial) {
    this.#smallest = failure;
    this.#most = most;
    this.#try = run;
  }

  /** Shrinks the input first, then removes whole stretches of the schedule, then single entries, and then simplifies the rest. */
  async run(inputs: PropertyOptions["inputs"]): Promise<{ smallest: Broken; tries: number }> {
    // Uses the first input of a list that also fails.
    for (const input of Array.isArray(inputs) ? inputs : []) {
      if (input === this.#smallest.input || (await this.#fails(this.#smallest.schedule, input))) break;
    }
    let isShrinking = true;
    while (isShrinking && this.#tries < this.#most) {
      const isShorter = await this.#shorten();
      const isSimpler = await this.#simplify();
      isShrinking = isShorter || isSimpler;
    }
    return { smallest: this.#smallest, tries: this.#tries };
  }

  /** Returns whether a schedule fails, too. If so, it is the smallest one so far. */
  async #fails(schedule: Iterable<readonly [string, Outcome]>, input = this.#smallest.input): Promise<boolean> {
    if (this.#tries >= this.#most) return false;
    this.#tries += 1;
    const tried = await this.#try(new Map(schedule), input);
    if (!isBroken(tried)) return false;
    this.#smallest = tried;
    return true;
  }

  async #shorten(): Promise<boolean> {
    let isShorter = false;
    for (let size = Math.max(1, this.#smallest.schedule.size >> 1); size >= 1; size >>= 1) {
      for (let at = 0; at < this.#smallest.schedule.size;) {
        const entries = [...this.#smallest.schedule];
        const without = [...entries.slice(0, at), ...entries.slice(at + size)];
        if ((await this.#fails(without)) && this.#smallest.schedule.size < entries.length) isShorter = true;
        else at += size;
      }
    }
    return isShorter;
  }

  async #simplify(): Promise<boolean> {
    let isSimpler = false;
    for (const [key, outcome] of [...this.#smallest.schedule]) {
      for (const simpler of simplerThan(outcome)) {
        if (!this.#smallest.schedule.has(key)) break;
        if (!(await this.#fails([...this.#smallest.schedule].map(([other, it]) => [other, other === key ? simpler : it] as const))))
          continue;
        isSimpler = true;
        break;
      }
    }
    return isSimpler;
  }
}

/** Returns the outcomes that are simpler than one, the simplest last. */
function simplerThan(outcome: Outcome): Outcome[] {
  const out: Outcome[] = [];
  const { delay, ...atOnce } = outcome;
  const { pick = 0 } = outcome;
  if (delay) out.push(atOnce);
  if (pick > 0) out.push({ ...outcome, pick: pick >> 1 });
  if (outcome.kind === "never") out.push({ kind: "throw", error: UNEXPECTED });
  else if (outcome.kind === "throw" && outcome.error !== UNEXPECTED) out.push({ ...outcome, error: UNEXPECTED });
  return out;
}
