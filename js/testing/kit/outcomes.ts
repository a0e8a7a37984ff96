// The outcomes of a machine's task calls: generated from a seed, or read from a schedule.

import type { Task } from "../../core/api/index.d.ts";
import type { PropertyOptions } from "../../core/api/testing.d.ts";
import type { Outline, OutlinedState } from "../../core/definition/outline.ts";
import { Random } from "./random.ts";
import { type MockResult, isResult, never, returns, throws } from "../mocks/results.ts";
import type { Outcome, Schedule } from "./schedule.ts";

/** An error that no definition names. */
export const UNEXPECTED = "Unexpected.Error";

/** Errors that are wildcards, that only the interpreter raises, or that timeouts cause. */
const NOT_THROWN = /^States\.(?!Permissions$)/;

const TIMEOUTS = ["TimeoutSeconds", "TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath"] as const;

/** The options of a property test for the generator, with their defaults. */
export interface GeneratorOptions extends Pick<PropertyOptions, "outputs" | "errors"> {
  timeouts: NonNullable<PropertyOptions["timeouts"]>;
  delays: readonly number[];
  failures: number;
  maxCalls: number;
}

/** Returns the outcome of each call of a run. Undefined for a call that succeeds. */
export interface Outcomes {
  of(key: string, state: string): Outcome | undefined;
}

/** How a task can fail: with these errors, or by not answering. */
interface Failures {
  errors: string[];
  timesOut: boolean;
}

/** Returns the outcomes of a schedule. */
export function scheduled(schedule: Schedule): Outcomes {
  return { of: (key) => schedule.get(key) };
}

/** Generates outcomes of a machine's tasks, and answers their calls accordingly. */
export class Generator {
  #options: GeneratorOptions;
  #outline: Outline;
  #tasks: Map<string, Failures>;

  constructor(outline: Outline, options: GeneratorOptions) {
    this.#options = options;
    this.#outline = outline;
    const tasks = outline.states.filter(({ type }) => type === "Task");
    this.#tasks = new Map(tasks.map((state) => [state.name, { errors: this.#errorsOf(state), timesOut: this.#timesOut(state) }]));
  }

  /** Whether the machine has any task. */
  get hasTasks(): boolean {
    return this.#tasks.size > 0;
  }

  /** Returns outcomes from a seed. Each depends on the seed and its key only, so it is always the same. */
  from(seed: number): Outcomes {
    let calls = 0;
    return { of: (key, state) => this.#generate(new Random(hashOf(seed, key)), state, calls++) };
  }

  /** Returns the answer of a call. */
  answer(outcome: Outcome, input: unknown, task: Task): MockResult {
    if (outcome.kind === "never") return never();
    // The error may be missing in a schedule that was written by hand. `throws()` reports that.
    const result = outcome.kind === "throw" ? throws(outcome.error as string, "generated") : this.#success(outcome, input, task);
    return outcome.delay ? result.after(`${outcome.delay} ms`) : result;
  }

  #success({ pick = 0 }: Outcome, input: unknown, task: Task): MockResult {
    const output = this.#outputOf(task.stateName);
    if (output === undefined) return returns({});
    if (typeof output === "function") return returns(output(input, task, new Random(pick)));
    if (Array.isArray(output)) return returns(output[pick % Math.max(1, output.length)]);
    return isResult(output) ? output : returns(output);
  }

  #outputOf(state: string): unknown {
    const { outputs = {} } = this.#options;
    return outputs[state] ?? outputs["*"];
  }

  /** Returns the error names that the definition uses around a state, and one that it does not use. */
  #errorsOf(state: OutlinedState): string[] {
    const names = new Set<string>();
    for (let at: OutlinedState | undefined = state; at !== undefined; at = at.parent) {
      for (const { ErrorEquals = [] } of [...(at.fields.Retry ?? []), ...(at.fields.Catch ?? [])])
        for (const name of ErrorEquals) names.add(name);
    }
    const { errors } = this.#options;
    const added = Array.isArray(errors) ? errors : ((errors as Record<string, readonly string[]> | undefined)?.[state.name] ?? []);
    return [...new Set([...[...names].filter((name) => !NOT_THROWN.test(name)), ...added]), UNEXPECTED];
  }

  /** Returns whether a task of the state ends if no answer comes. */
  #timesOut({ fields }: OutlinedState): boolean {
    if (this.#options.timeouts === "all") return true;
    if (this.#options.timeouts === "none") return false;
    return TIMEOUTS.some((name) => fields[name] !== undefined) || this.#outline.definition.TimeoutSeconds !== undefined;
  }

  /** The numbers are drawn in the same order for all outcomes, so that a seed gives the same outcomes in later versions. */
  #generate(random: Random, state: string, calls: number): Outcome {
    const { failures, delays, maxCalls } = this.#options;
    const task = this.#tasks.get(state) ?? { errors: [UNEXPECTED], timesOut: false };
    const fails = random.fraction() < failures && calls < maxCalls;
    const kind = random.below(task.errors.length + (task.timesOut ? 1 : 0));
    if (fails && kind === task.errors.length) return { kind: "never" };
    const outcome: Outcome = fails ? { kind: "throw", error: task.errors[kind] } : { kind: "return" };
    const pick = this.#pick(random.bits(), state);
    if (!fails && pick !== 0) outcome.pick = pick;
    const isLate = random.below(3) === 0;
    if (delays.length > 0 && isLate) outcome.delay = random.pick(delays) * 1000;
    return outcome;
  }

  /** Chooses the output of a task from a list. For a function, the choice is any number. */
  #pick(bits: number, state: string): number {
    const output = this.#outputOf(state);
    if (typeof output === "function") return bits;
    return Array.isArray(output) ? bits % Math.max(1, output.length) : 0;
  }
}

/** Returns a number from a seed and a text (FNV-1a). */
function hashOf(seed: number, text: string): number {
  let hash = seed >>> 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
