// Property tests: they run a machine with generated outcomes of its tasks, and search for the smallest schedule for which a
// property does not hold.
//
// The outcome of a call depends on its state, iteration and number only, so a schedule is a list of those calls that do not simply
// succeed. Shrinking removes entries and simplifies the others; the rest of the run follows.

import type { ExecutionStatus, Task } from "../../core/api/index.d.ts";
import type { Mock, PropertyError as Failure, PropertyOptions, PropertyReport } from "../../core/api/testing.d.ts";
import { shown } from "../../core/base/shown.ts";
import { brief } from "../mocks/display.ts";
import { TestKitError } from "../mocks/errors.ts";
import { type TestMachine, check, pick, testMachine } from "./test-machine.ts";
import { Generator, type GeneratorOptions, type Outcomes, scheduled } from "./outcomes.ts";
import { withoutStory } from "./mismatch.ts";
import { Random } from "./random.ts";
import type { TestRun } from "./run-result.ts";
import { type Broken, Shrinking, type Tried, isBroken } from "./shrinking.ts";
import { type Outcome, keyOf, placeOf, readSchedule, scheduleText, spokenSchedule } from "./schedule.ts";

const OPTIONS = [
  "runs",
  "seed",
  "schedule",
  "check",
  "input",
  "inputs",
  "outputs",
  "errors",
  "timeouts",
  "delays",
  "failures",
  "allow",
  "maxCalls",
  "maxShrinks",
  "mocks",
  "tasks",
  "machines",
  "name",
  "type",
  "startTime",
];

/** The details of a PropertyError. `cause` is what `check` threw. */
type FailureFields = Pick<Failure, "seed" | "schedule" | "input" | "problem" | "run"> & { cause: unknown };

/** Says how to run a failure again: the same run, or its schedule alone. */
export interface Again {
  run(seed: number): string;
  schedule(schedule: string, input: string | undefined): string;
}

/** The calls that do this in JavaScript. */
const CALLS: Again = {
  run: (seed) => `property(machine, { …, seed: ${seed}, runs: 1 })`,
  schedule: (schedule, input) => `property(machine, { …, schedule: ${schedule}${input === undefined ? "" : `, input: ${input}`} })`,
};

/** A property that does not hold, with the smallest schedule that was found. */
export class PropertyError extends Error {
  declare readonly seed: number;
  declare readonly schedule: Failure["schedule"];
  declare readonly input: unknown;
  declare readonly problem: string;
  declare readonly run: Failure["run"];
  /** Returns the message with other ways to run the failure again. Not enumerable. */
  declare readonly text: (again: Again) => string;

  constructor(text: (again: Again) => string, fields: FailureFields) {
    super(text(CALLS));
    Object.defineProperty(this, "text", { value: text });
    this.name = "PropertyError";
    Object.assign(this, fields);
    Object.defineProperty(this, "run", { value: fields.run, enumerable: false });
  }
}

/**
 * Runs a machine many times with generated outcomes: success, every error that a Retry or Catch names, one that none names, and
 * timeouts. Resolves to a report, or rejects with a PropertyError for the smallest schedule that fails.
 */
export async function property(source: unknown, options: PropertyOptions = {}): Promise<PropertyReport> {
  check(options, OPTIONS, "property()");
  const machine = isTestMachine(source) ? source : testMachine(source, pick(options, ["name", "type"]));
  return new Property(machine, options).run();
}

function isTestMachine(source: unknown): source is TestMachine {
  const { outline, callsOf } = (source ?? {}) as { outline?: unknown; callsOf?: unknown };
  return callsOf === undefined && outline !== undefined;
}

/** Tests an option's value; the words describe valid values. */
type Allowed = readonly [words: string, allows: (value: unknown) => boolean];

const isFunction = (value: unknown) => typeof value === "function";
const isObject = (value: unknown) => typeof value === "object" && value !== null;
const count: Allowed = ["a whole number that is not negative", (value) => Number.isInteger(value) && Number(value) >= 0];

const ALLOWED: { [Name in keyof PropertyOptions]: Allowed } = {
  check: ["a function", isFunction],
  inputs: ["an array that is not empty, or a function", (value) => isFunction(value) || (Array.isArray(value) && value.length > 0)],
  outputs: ["an object", isObject],
  errors: ["an array or an object", isObject],
  schedule: ["an object", isObject],
  timeouts: ['"declared", "all" or "none"', (value) => value === "declared" || value === "all" || value === "none"],
  delays: ["an array of numbers of seconds", (value) => Array.isArray(value) && value.every((one) => Number.isFinite(one) && one >= 0)],
  allow: ["an array", Array.isArray],
  failures: ["a number from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1],
  maxCalls: count,
  maxShrinks: count,
};

/** The options of a property with their defaults. */
type Settings = PropertyOptions & GeneratorOptions & Required<Pick<PropertyOptions, "runs" | "allow" | "maxShrinks">>;

function settingsOf(options: PropertyOptions): Settings {
  for (const [name, [words, allows]] of Object.entries(ALLOWED)) {
    const value = options[name as keyof PropertyOptions];
    if (value !== undefined && !allows(value)) throw new TestKitError(`${name} must be ${words}, not ${shown(value)}`);
  }
  const {
    runs = 100,
    seed,
    schedule,
    timeouts = "declared",
    failures = 0.4,
    maxCalls = 2000,
    maxShrinks = 2000,
    delays = [],
    allow = [],
  } = options;
  if (!(Number.isInteger(runs) && runs > 0)) throw new TestKitError("runs must be a whole number, 1 or more");
  if (seed !== undefined && !Number.isInteger(seed)) throw new TestKitError("seed must be a whole number");
  return { ...options, runs: schedule === undefined ? runs : 1, timeouts, failures, maxCalls, maxShrinks, delays, allow };
}

class Property {
  #machine: TestMachine;
  #options: Settings;
  #generator: Generator;

  constructor(machine: TestMachine, options: PropertyOptions) {
    this.#options = settingsOf(options);
    this.#machine = machine;
    this.#generator = new Generator(machine.outline, this.#options);
  }

  async run(): Promise<PropertyReport> {
    const { runs, schedule, seed } = this.#options;
    const first = seed ?? Math.floor(Math.random() * 2 ** 31);
    const seen = { runs: 0, calls: 0, statuses: {} as Partial<Record<ExecutionStatus, number>> };
    let next = first;
    for (let i = 0; i < runs; i++) {
      const tried = await this.#try(schedule === undefined ? this.#generator.from(next) : scheduled(readSchedule(schedule)), next);
      const { run } = tried;
      seen.runs += 1;
      if (run !== undefined) {
        seen.calls += run.calls.length;
        seen.statuses[run.status] = (seen.statuses[run.status] ?? 0) + 1;
      }
      if (isBroken(tried)) await this.#report(tried, next, i + 1);
      next = new Random(next).bits();
    }
    return { seed: first, ...seen };
  }

  /** Runs the machine once. */
  async #try(outcomes: Outcomes, seed: number, input: unknown = this.#inputOf(seed)): Promise<Tried> {
    const { machines, startTime } = this.#options;
    const used = new Map<string, Outcome>();
    const options = { mocks: this.#mocks(outcomes, used), seed: seed >>> 0, ...pick({ machines, startTime }, ["machines", "startTime"]) };
    let run: TestRun;
    try {
      run = await this.#machine.run(input, options);
    } catch (thrown) {
      if (!(thrown instanceof TestKitError)) throw thrown;
      return { problem: thrown.message, schedule: used, input, thrown };
    }
    return { run, schedule: used, input, ...(await this.#problemOf(run)) };
  }

  /** Returns mocks that answer with outcomes, and add those that are not simply success to `used`. */
  #mocks(outcomes: Outcomes, used: Map<string, Outcome>): Record<string, Mock> | ((input: unknown, task: Task) => unknown) {
    const counts = new Map<string, number>();
    const answer = (input: unknown, task: Task) => {
      const place = placeOf(task);
      const call = counts.get(place) ?? 0;
      counts.set(place, call + 1);
      const key = keyOf(place, call);
      const outcome = outcomes.of(key, task.stateName) ?? { kind: "return" };
      if (outcome.kind !== "return" || outcome.pick !== undefined || outcome.delay) used.set(key, outcome);
      return this.#generator.answer(outcome, input, task);
    };
    const { mocks, tasks } = this.#options;
    // The user's own mocks and handlers are used for their states. All others are generated.
    const own = { ...mocks, ...(typeof tasks === "object" ? tasks : {}) };
    if (Object.keys(own).length > 0) return { "*": answer, ...own };
    return this.#generator.hasTasks ? answer : {};
  }

  #inputOf(seed: number): unknown {
    const { input, inputs, schedule } = this.#options;
    // A schedule is run with the input with which it was found.
    if (inputs === undefined || (schedule !== undefined && input !== undefined)) return input;
    const random = new Random(seed ^ 0x5bd1e995);
    return typeof inputs === "function" ? inputs(random) : random.pick([...inputs]);
  }

  /** Returns the problem of a run that came to its end. */
  async #problemOf(run: TestRun): Promise<Pick<Tried, "problem" | "thrown">> {
    const { allow } = this.#options;
    if (run.status === "RUNNING" && !allow.includes("hang")) return { problem: run.ending };
    if (run.error === "States.Runtime" && !allow.includes("States.Runtime"))
      return { problem: `The execution failed with States.Runtime, which nothing can catch: ${run.cause}` };
    try {
      return (await this.#options.check?.(run)) === false ? { problem: "check() returned false" } : {};
    } catch (thrown) {
      return { problem: withoutStory(thrown), thrown };
    }
  }

  /** Shrinks a failure and throws it. */
  async #report(failure: Broken, seed: number, run: number): Promise<never> {
    const { smallest, tries } = await new Shrinking(failure, this.#options.maxShrinks, (schedule, input) =>
      this.#try(scheduled(schedule), seed, input),
    ).run(this.#options.inputs);
    const schedule = Object.fromEntries([...smallest.schedule].map(([key, outcome]) => [key, { ...outcome }]));
    const { input, problem, thrown } = smallest;
    throw new PropertyError((again) => this.#message(smallest, seed, run, tries, again), {
      seed,
      schedule,
      input,
      problem,
      run: smallest.run,
      cause: thrown,
    });
  }

  #message({ problem, schedule, input, run }: Broken, seed: number, number: number, tries: number, again: Again): string {
    const given = this.#options.inputs === undefined ? undefined : JSON.stringify(input);
    const lines = [problem, "", `Found in run ${number}, made as small as possible in ${tries} tries:`];
    if (input !== undefined) lines.push(`  input  ${brief(input, 200)}`);
    lines.push(...indented(spokenSchedule(schedule)));
    lines.push("", "Again, the same run:", `  ${again.run(seed)}`);
    lines.push("Or this schedule alone:", `  ${again.schedule(scheduleText(schedule), given)}`);
    if (run !== undefined) lines.push("", "What happened:", ...indented(run.text({ times: true, lines: 40 }).trimEnd().split("\n")));
    return lines.join("\n");
  }
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
