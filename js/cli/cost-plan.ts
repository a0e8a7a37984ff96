// Plans of simulations: inputs, and how long the tasks of a definition take, how often they fail, and what they return.

import { isObject } from "../core/base/json.ts";
import { milliseconds } from "../core/base/duration.ts";
import { read } from "../language/files/reading.ts";
import type { Random } from "../testing/kit/random.ts";
import { CheckedYaml, type Path } from "./checked-yaml.ts";
import * as is from "./test-fields.ts";

/** How long a task takes, in milliseconds, for a generator of random numbers. */
type Duration = (random: Random) => number;

/** What is known of a task. */
export interface TaskPlan {
  duration: Duration;
  /** Errors with the share of the calls that fail with them. The sum is 1 at most. */
  errors: { error: string; share: number }[];
  /** What the task returns. Absent for an example that fits the definition. */
  output?: { value: unknown };
}

/** A plan. */
export interface Plan {
  executions: number | undefined;
  seed: number | undefined;
  /** The inputs with their weights; empty if the plan has none. */
  inputs: { weight: number; input: unknown }[];
  /** The plans of tasks by state, function or resource; `*` is that of all others. */
  tasks: Record<string, TaskPlan>;
}

/** The plan that knows nothing: tasks succeed at once. */
export const EMPTY_PLAN: Plan = { executions: undefined, seed: undefined, inputs: [], tasks: {} };
/** The plan of a task of which nothing is known. */
export const EMPTY_TASK: TaskPlan = { duration: () => 0, errors: [] };

/** The 99th percentile of the standard normal distribution. */
const NORMAL_P99 = 2.3263478740408408;

const count: is.Check = (value) => (Number.isInteger(value) && Number(value) > 0 ? undefined : "must be a whole number above 0");

const PLAN: is.Checks<{ executions: number; seed: number; input: unknown; inputs: unknown[]; tasks: Record<string, unknown> }> = {
  executions: count,
  seed: is.whole,
  input: is.any,
  inputs: is.list,
  tasks: is.object,
};

const INPUT: is.Checks<{ weight: number; input: unknown }> = {
  weight: (value) => (typeof value === "number" && value > 0 ? undefined : "must be a number above 0"),
  input: is.any,
};

const TASK: is.Checks<{ duration: unknown; errors: Record<string, unknown>; output: unknown }> = {
  duration: is.any,
  errors: is.object,
  output: is.any,
};

const SPREAD: is.Checks<Record<"min" | "max" | "mean" | "p50" | "p99", string>> = {
  min: is.duration,
  max: is.duration,
  mean: is.duration,
  p50: is.duration,
  p99: is.duration,
};

/** Reads a plan. Throws BadFile with all problems. */
export function readPlan(file: string): Plan {
  const yaml = new CheckedYaml(file, read(file));
  return yaml.read((value) => new PlanReader(yaml).plan(value ?? {}));
}

class PlanReader {
  #yaml: CheckedYaml;

  constructor(yaml: CheckedYaml) {
    this.#yaml = yaml;
  }

  plan(value: unknown): Plan | undefined {
    const fields = this.#yaml.fields(value, [], "a plan", PLAN);
    if (fields === undefined) return undefined;
    const { executions, seed, tasks = {}, inputs = [] } = fields;
    const isSingle = Object.hasOwn(fields, "input");
    if (isSingle && fields.inputs !== undefined) this.#yaml.wrong(["input"], "a plan has either input or inputs", true);
    return {
      executions,
      seed,
      inputs: isSingle ? [{ weight: 1, input: fields.input }] : inputs.map((one, i) => this.#input(one, ["inputs", i])),
      tasks: Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, this.#task(task, ["tasks", name])])),
    };
  }

  #input(value: unknown, path: Path): { weight: number; input: unknown } {
    const { weight = 1, input } = this.#yaml.fields(value, path, "an input", INPUT) ?? {};
    return { weight, input };
  }

  #task(value: unknown, path: Path): TaskPlan {
    const fields = this.#yaml.fields(value ?? {}, path, "a task", TASK) ?? {};
    return {
      duration: fields.duration === undefined ? EMPTY_TASK.duration : this.#duration(fields.duration, [...path, "duration"]),
      errors: this.#errors(fields.errors ?? {}, [...path, "errors"]),
      ...(Object.hasOwn(fields, "output") && { output: { value: fields.output } }),
    };
  }

  #errors(errors: Record<string, unknown>, path: Path): TaskPlan["errors"] {
    const found = Object.entries(errors).map(([error, value]) => {
      const share = shareOf(value);
      if (share === undefined) this.#yaml.wrong([...path, error], `${error} must be a share of the calls, such as 2% or 0.02`);
      return { error, share: share ?? 0 };
    });
    // Sums of shares such as 0.7, 0.2 and 0.1 are not exact.
    if (found.reduce((sum, { share }) => sum + share, 0) > 1 + 1e-9) this.#yaml.wrong(path, "the shares are more than 100 % in all");
    return found;
  }

  #duration(value: unknown, path: Path): Duration {
    const fixed = milliseconds(value);
    if (fixed !== undefined) return () => fixed;
    const forms = "a duration is a text such as 300 ms, or one of {min, max}, {mean} and {p50, p99}";
    if (!isObject(value)) return this.#noDuration(path, `${forms}, not ${JSON.stringify(value)}`);
    const spread = this.#yaml.fields(value, path, "a duration", SPREAD);
    const given = Object.keys(value).sort().join();
    const of = (name: keyof typeof SPREAD): number => milliseconds(spread?.[name]) ?? 0;
    if (given === "max,min") {
      if (of("max") < of("min")) return this.#noDuration(path, "max is less than min");
      return (random) => of("min") + random.fraction() * (of("max") - of("min"));
    }
    // The fraction is below 1, so the logarithm is finite.
    if (given === "mean") return (random) => -of("mean") * Math.log(1 - random.fraction());
    if (given !== "p50,p99") return this.#noDuration(path, forms);
    if (spread?.p50 !== undefined && spread.p99 !== undefined && (of("p50") === 0 || of("p99") < of("p50")))
      return this.#noDuration(path, "p50 must be above 0, and p99 not below it");
    return logNormal(of("p50"), of("p99"));
  }

  /** Reports a mistake, and returns a placeholder. Nothing will be simulated. */
  #noDuration(path: Path, message: string): Duration {
    this.#yaml.wrong(path, message);
    return EMPTY_TASK.duration;
  }
}

/** Returns the distribution of latencies: log-normal, by its median and its 99th percentile. */
function logNormal(p50: number, p99: number): Duration {
  const sigma = Math.log(p99 / p50) / NORMAL_P99;
  return (random) => {
    // The method of Box and Muller makes a normal number of two uniform ones.
    const radius = Math.sqrt(-2 * Math.log(1 - random.fraction()));
    return p50 * Math.exp(sigma * radius * Math.cos(2 * Math.PI * random.fraction()));
  };
}

/** Reads "2%" or 0.02. Undefined for anything else. */
function shareOf(value: unknown): number | undefined {
  const [, percent] = typeof value === "string" ? (/^(\d+(?:\.\d+)?)\s*%$/.exec(value) ?? []) : [];
  const share = percent === undefined ? value : Number(percent) / 100;
  return typeof share === "number" && share >= 0 && share <= 1 ? share : undefined;
}
