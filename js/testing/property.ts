// @ts-nocheck: has no types yet.
// Property tests: a machine run with generated outcomes of its tasks, and the smallest schedule for which something does
// not hold.
//
// What a task comes to is decided by its name, iteration and number of call alone, so a schedule is a list of those calls
// that do not simply succeed. Shrinking takes entries away and makes those that stay simpler; the rest of the run follows.

import { shown } from "../base/options.ts";
import { brief } from "./compare.ts";
import { spoken } from "./duration.ts";
import { TestKitError } from "./errors.ts";
import { check, testMachine } from "./machine.ts";
import { Random } from "./random.ts";
import { isResult, never, returns, throws } from "./results.ts";

const OPTIONS = ["runs", "seed", "schedule", "check", "input", "inputs", "outputs", "errors", "timeouts", "delays", "failures", "allow", "maxCalls", "maxShrinks", "mocks", "tasks", "machines", "name", "type", "startTime"];
/** The error that nobody has named. */
const UNEXPECTED = "Unexpected.Error";

/** A property that does not hold, with the smallest schedule that was found. */
export class PropertyError extends Error {
  constructor(message, fields) {
    super(message);
    this.name = "PropertyError";
    Object.assign(this, fields);
    Object.defineProperty(this, "run", { value: fields.run, enumerable: false });
  }
}

/**
 * Runs a machine many times with generated outcomes: success, every error that a Retry or Catch names, one that none
 * names, time outs. Resolves to what was tried; rejects with PropertyError for the smallest schedule that fails.
 */
export async function property(source, options = {}) {
  check(options, OPTIONS, "property()");
  const machine = typeof source?.callsOf === "undefined" && source?.outline !== undefined ? source : testMachine(source, pick(options, ["name", "type"]));
  return new Property(machine, options).run();
}

const isFunction = (value) => typeof value === "function";
const isObject = (value) => typeof value === "object" && value !== null;
const count = ["a whole number that is not negative", (value) => Number.isInteger(value) && value >= 0];

const ALLOWED = {
  check: ["a function", isFunction],
  inputs: ["an array that is not empty, or a function", (value) => isFunction(value) || (Array.isArray(value) && value.length > 0)],
  outputs: ["an object", isObject],
  errors: ["an array or an object", isObject],
  schedule: ["an object", isObject],
  timeouts: ['"declared", "all" or "none"', (value) => ["declared", "all", "none"].includes(value)],
  delays: ["an array of numbers of seconds", (value) => Array.isArray(value) && value.every((one) => Number.isFinite(one) && one >= 0)],
  allow: ["an array", Array.isArray],
  failures: ["a number from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1],
  maxCalls: count,
  maxShrinks: count,
};

function pick(options, names) {
  return Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
}

class Property {
  #machine;
  #options;
  #tasks;

  constructor(machine, options) {
    const { runs = 100, schedule, seed } = options;
    for (const [name, [words, allows]] of Object.entries(ALLOWED)) if (options[name] !== undefined && !allows(options[name])) throw new TestKitError(`${name} must be ${words}, not ${shown(options[name])}`);
    if (!(Number.isInteger(runs) && runs > 0)) throw new TestKitError("runs must be a whole number, 1 or more");
    if (seed !== undefined && !Number.isInteger(seed)) throw new TestKitError("seed must be a whole number");
    this.#machine = machine;
    this.#options = { runs: schedule === undefined ? runs : 1, timeouts: "declared", failures: 0.4, maxCalls: 2000, maxShrinks: 2000, delays: [], allow: [], ...pick(options, OPTIONS.filter((name) => name !== "runs")) };
    this.#tasks = new Map(machine.outline.states.filter(({ type }) => type === "Task").map((state) => [state.name, { errors: this.#errorsOf(state), slow: this.#timesOut(state) }]));
  }

  async run() {
    const { runs, schedule, seed } = this.#options;
    let next = seed ?? Math.floor(Math.random() * 2 ** 31);
    const first = next;
    const seen = { runs: 0, calls: 0, statuses: {} };
    for (let i = 0; i < runs; i++) {
      const tried = await this.#try(schedule === undefined ? new Generated(next, this) : new Fixed(readSchedule(schedule)), next);
      seen.runs += 1;
      seen.calls += tried.run?.calls.length ?? 0;
      if (tried.run) seen.statuses[tried.run.status] = (seen.statuses[tried.run.status] ?? 0) + 1;
      if (tried.problem !== undefined) await this.#report(tried, next, i + 1);
      next = new Random(next).bits();
    }
    return { seed: first, ...seen };
  }

  /** Runs once; what does not hold is `problem`. */
  async #try(outcomes, seed, given = this.#inputOf(seed)) {
    const { mocks, tasks, machines, startTime } = this.#options;
    const counts = new Map();
    const used = new Map();
    const answer = (value, task) => {
      const place = task.iterations.length > 0 ? `${task.stateName}[${task.iterations.join("/")}]` : task.stateName;
      const number = counts.get(place) ?? 0;
      counts.set(place, number + 1);
      const key = `${place}#${number}`;
      const outcome = outcomes.of(key, task.stateName) ?? { kind: "return" };
      if (outcome.kind !== "return" || outcome.pick !== undefined || outcome.delay) used.set(key, outcome);
      return this.#answer(outcome, value, task);
    };
    const options = { mocks: [...this.#tasks.keys()].length === 0 ? {} : answer, seed: seed >>> 0, ...pick({ machines, startTime }, ["machines", "startTime"]) };
    // Mocks and handlers of the user's own stand for their states; all others are generated.
    const own = { ...mocks, ...(typeof tasks === "object" ? tasks : {}) };
    if (Object.keys(own).length > 0) options.mocks = { "*": answer, ...own };
    let run;
    try {
      run = await this.#machine.run(given, options);
    } catch (thrown) {
      if (!(thrown instanceof TestKitError)) throw thrown;
      return { problem: thrown.message, schedule: used, input: given, thrown };
    }
    const base = { run, schedule: used, input: given };
    const broken = this.#invariants(run);
    if (broken !== undefined) return { ...base, problem: broken };
    try {
      if ((await this.#options.check?.(run)) === false) return { ...base, problem: "check() returned false" };
    } catch (thrown) {
      return { ...base, problem: String(thrown?.message ?? thrown).split("\n\nWhat happened:")[0], thrown };
    }
    return base;
  }

  #inputOf(seed) {
    const { input, inputs, schedule } = this.#options;
    // A schedule is run with the input that it was found with.
    if (inputs === undefined || (schedule !== undefined && input !== undefined)) return input;
    const random = new Random(seed ^ 0x5bd1e995);
    return typeof inputs === "function" ? inputs(random) : random.pick([...inputs]);
  }

  /** What holds of every machine that is sound. */
  #invariants(run) {
    const { allow } = this.#options;
    if (run.status === "RUNNING") return allow.includes("hang") ? undefined : run.ending;
    if (run.error === "States.Runtime" && !allow.includes("States.Runtime")) return `The execution failed with States.Runtime, which nothing can catch: ${run.cause}`;
    return undefined;
  }

  #answer(outcome, input, task) {
    if (outcome.kind === "never") return never();
    const result = outcome.kind === "throw" ? throws(outcome.error, "generated") : this.#success(outcome, input, task);
    return outcome.delay ? result.after(`${outcome.delay} ms`) : result;
  }

  #success({ pick: choice }, input, task) {
    const { outputs = {} } = this.#options;
    const output = outputs[task.stateName] ?? outputs["*"];
    if (output === undefined) return returns({});
    if (typeof output === "function") return returns(output(input, task, new Random(choice ?? 0)));
    return Array.isArray(output) ? returns(output[(choice ?? 0) % Math.max(1, output.length)]) : isResult(output) ? output : returns(output);
  }

  /** The names of errors that the definition speaks of around a state, and one that it does not. */
  #errorsOf(state) {
    const names = new Set();
    for (let at = state; at !== undefined; at = at.parent) {
      for (const { ErrorEquals = [] } of [...(at.fields.Retry ?? []), ...(at.fields.Catch ?? [])]) for (const name of ErrorEquals) names.add(name);
    }
    // These stand for any error, come from the interpreter, or are what a time out gives.
    for (const name of ["States.ALL", "States.TaskFailed", "States.Timeout", "States.HeartbeatTimeout", "States.Runtime", "States.DataLimitExceeded"]) names.delete(name);
    for (const name of [...names]) if (/^States\.(?!Permissions$)/.test(name)) names.delete(name);
    const { errors } = this.#options;
    for (const name of Array.isArray(errors) ? errors : (errors?.[state.name] ?? [])) names.add(name);
    return [...names, UNEXPECTED];
  }

  /** Whether it ends a task of the state when no answer comes. */
  #timesOut({ fields }) {
    if (this.#options.timeouts === "all") return true;
    if (this.#options.timeouts === "none") return false;
    return ["TimeoutSeconds", "TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath"].some((name) => fields[name] !== undefined) || this.#machine.outline.definition.TimeoutSeconds !== undefined;
  }

  /** For a generator: an outcome of a state's call. */
  generate(random, state, calls) {
    const { failures, delays, maxCalls, outputs = {} } = this.#options;
    const task = this.#tasks.get(state) ?? { errors: [UNEXPECTED], slow: false };
    const outcome = { kind: "return" };
    const roll = random.fraction();
    const kind = random.below(task.errors.length + (task.slow ? 1 : 0));
    if (calls < maxCalls && roll < failures) {
      if (kind === task.errors.length) return { kind: "never" };
      outcome.kind = "throw";
      outcome.error = task.errors[kind];
    }
    const output = outputs[state] ?? outputs["*"];
    const choice = random.bits();
    if (outcome.kind === "return" && (typeof output === "function" || Array.isArray(output))) {
      const number = Array.isArray(output) ? choice % Math.max(1, output.length) : choice;
      if (number !== 0) outcome.pick = number;
    }
    const late = random.below(3);
    if (delays.length > 0 && late === 0) outcome.delay = random.pick(delays) * 1000;
    return outcome;
  }

  /** Shrinks what has failed and says it. */
  async #report(failure, seed, run) {
    const { smallest, tries } = await this.#shrink(failure, seed);
    const schedule = [...smallest.schedule].map(([key, outcome]) => [key, { ...outcome }]);
    throw new PropertyError(this.#message(smallest, seed, run, tries), { seed, schedule: Object.fromEntries(schedule), input: smallest.input, problem: smallest.problem, run: smallest.run, cause: smallest.thrown });
  }

  /** The smallest schedule that fails: first whole stretches are taken away, then single entries, then what stays is made simpler. */
  async #shrink(failure, seed) {
    let smallest = failure;
    let tries = 0;
    const attempt = async (entries, input = smallest.input) => {
      if (tries >= this.#options.maxShrinks) return false;
      tries += 1;
      const tried = await this.#try(new Fixed(new Map(entries)), seed, input);
      if (tried.problem === undefined) return false;
      smallest = tried;
      return true;
    };
    // Of inputs in a list the first that will do.
    const { inputs } = this.#options;
    for (const input of Array.isArray(inputs) ? inputs : []) if (input === smallest.input || (await attempt(smallest.schedule, input))) break;
    let shrunk = true;
    while (shrunk && tries < this.#options.maxShrinks) {
      shrunk = false;
      for (let size = Math.max(1, smallest.schedule.size >> 1); size >= 1; size >>= 1) {
        for (let at = 0; at < smallest.schedule.size; ) {
          const entries = [...smallest.schedule];
          const before = smallest.schedule.size;
          const without = [...entries.slice(0, at), ...entries.slice(at + size)];
          if ((await attempt(without)) && smallest.schedule.size < before) shrunk = true;
          else at += size;
        }
      }
      for (const [key, outcome] of [...smallest.schedule]) {
        for (const simpler of this.#simpler(outcome)) {
          if (!smallest.schedule.has(key)) break;
          if (await attempt([...smallest.schedule].map(([other, it]) => [other, other === key ? simpler : it]))) {
            shrunk = true;
            break;
          }
        }
      }
    }
    return { smallest, tries };
  }

  #simpler(outcome) {
    const out = [];
    const { delay, ...atOnce } = outcome;
    if (delay) out.push(atOnce);
    if (outcome.pick > 0) out.push({ ...outcome, pick: outcome.pick >> 1 });
    if (outcome.kind === "never") out.push({ kind: "throw", error: UNEXPECTED });
    else if (outcome.kind === "throw" && outcome.error !== UNEXPECTED) out.push({ ...outcome, error: UNEXPECTED });
    return out;
  }

  #message({ problem, schedule, input, run }, seed, number, tries) {
    const lines = [`${problem}`, ""];
    lines.push(`Found in run ${number}, made as small as possible in ${tries} tries:`);
    if (input !== undefined) lines.push(`  input  ${brief(input, 200)}`);
    if (schedule.size === 0) lines.push("  every task succeeds at once");
    for (const [key, outcome] of schedule) lines.push(`  ${spokenKey(key)} ${spokenOutcome(outcome)}`);
    if (schedule.size > 0) lines.push("  every other call succeeds at once");
    lines.push("", "Again, the same run:", `  property(machine, { …, seed: ${seed}, runs: 1 })`, "Or this schedule alone:", `  property(machine, { …, schedule: ${JSON.stringify(Object.fromEntries([...schedule].map(([key, outcome]) => [key, shortOutcome(outcome)])))}${this.#options.inputs === undefined ? "" : `, input: ${JSON.stringify(input)}`} })`);
    if (run !== undefined) lines.push("", "What happened:", ...run.text({ times: true, lines: 40 }).trimEnd().split("\n").map((line) => `  ${line}`));
    return lines.join("\n");
  }
}

/** Outcomes of a seed; each is made once, so that it is the same whenever it is asked for. */
class Generated {
  #seed;
  #property;
  #calls = 0;

  constructor(seed, property) {
    this.#seed = seed;
    this.#property = property;
  }

  of(key, state) {
    let hash = this.#seed >>> 0;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193) >>> 0;
    return this.#property.generate(new Random(hash), state, this.#calls++);
  }
}

/** Outcomes of a schedule. */
class Fixed {
  #outcomes;

  constructor(outcomes) {
    this.#outcomes = outcomes;
  }

  of(key) {
    return this.#outcomes.get(key);
  }
}

function readSchedule(schedule) {
  if (typeof schedule !== "object" || schedule === null) throw new TestKitError("schedule must be an object, as a failed property prints it");
  return new Map(Object.entries(schedule).map(([key, outcome]) => [key, typeof outcome === "string" ? longOutcome(outcome) : outcome]));
}

// In a printed schedule: "never", "Error.Name", "output 3", each with "after 5" where it is late.
function shortOutcome({ kind, error, pick: choice, delay }) {
  const late = delay ? ` after ${delay / 1000}` : "";
  if (kind === "never") return "never";
  return kind === "throw" ? `${error}${late}` : `output ${choice ?? 0}${late}`;
}

function longOutcome(text) {
  if (text === "never") return { kind: "never" };
  const [, what, late] = /^(.*?)(?: after ([\d.]+))?$/s.exec(text);
  const delay = late === undefined ? {} : { delay: Number(late) * 1000 };
  const [, choice] = /^output (\d+)$/.exec(what) ?? [];
  return choice === undefined ? { kind: "throw", error: what, ...delay } : { kind: "return", pick: Number(choice), ...delay };
}

function spokenKey(key) {
  const at = key.lastIndexOf("#");
  return `${key.slice(0, at)}, call ${Number(key.slice(at + 1)) + 1}:`;
}

function spokenOutcome({ kind, error, pick: choice, delay }) {
  const late = delay ? `, after ${spoken(delay)}` : "";
  if (kind === "never") return "no answer comes";
  return `${kind === "throw" ? `fails with ${error}` : choice === undefined ? "succeeds" : `succeeds with output ${choice}`}${late}`;
}
