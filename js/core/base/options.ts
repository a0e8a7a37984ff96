// Checks options before they are used. The message names the given and the allowed values.

import { misuse } from "./errors.ts";
import { isInstant } from "./instant.ts";
import { shown } from "./shown.ts";

const COUNT = 2 ** 32 - 1;

/** A description of the allowed values, and a test for them. */
export type Allowed = readonly [what: string, allows: (value: unknown) => boolean];

const whole = (least: number): Allowed => [
  `a whole number from ${least} to ${COUNT}`,
  (value) => isWhole(value) && value >= least && value <= COUNT,
];
const word = (...words: unknown[]): Allowed => [words.map((one) => JSON.stringify(one)).join(" or "), (value) => words.includes(value)];
const text: Allowed = ["a string", (value) => typeof value === "string"];
const flag: Allowed = ["true or false", (value) => typeof value === "boolean"];
const callback: Allowed = ["a function", (value) => typeof value === "function"];
const instant: Allowed = ["a number of milliseconds since 1970", isInstant];

/** The allowed values of each option. An option means the same in all functions. */
const ALLOWED: Readonly<Record<string, Allowed>> = {
  type: word("STANDARD", "EXPRESS"),
  substitutions: ["an object with text or JSON for each placeholder", isSubstitutions],
  jsonata: word("2.0.6", "2.1"),
  name: text,
  arn: text,
  roleArn: text,
  stateMachineName: text,
  stateMachineArn: text,
  tokenKey: ["64 hexadecimal digits", (value) => typeof value === "string" && /^[\da-f]{64}$/i.test(value)],
  history: word("full", "none"),
  payloadLimit: whole(1),
  historyLimit: whole(0),
  stepBudget: whole(1),
  trace: flag,
  childHistories: flag,
  coverage: flag,
  onEvent: callback,
  onStage: callback,
  onChild: callback,
  onNested: callback,
  onIdle: callback,
  startTime: instant,
  until: ["a number of milliseconds since 1970, or Infinity", (value) => value === Infinity || isInstant(value)],
  abortAt: instant,
  signal: ["an AbortSignal", isSignal],
  seed: ["a whole number or a BigInt", (value) => typeof value === "bigint" || isWhole(value)],
  workerName: text,
  ask: flag,
  recorded: [
    "an array of the tasks of a recorded execution",
    (value) => Array.isArray(value) && value.every((task) => typeof task === "object" && task !== null),
  ],
  direction: word("TB", "LR"),
  theme: word("auto", "light", "dark"),
  foldLarge: flag,
  selectors: flag,
  background: flag,
  color: flag,
  title: text,
  prefix: text,
  fileName: text,
  source: text,
  indent: ["a whole number from 0 to 16", (value) => isWhole(value) && value >= 0 && value <= 16],
};

/** Throws for unknown options, because a misspelt one would have no effect, and for invalid values. */
export function checkOptions(options: unknown, known: readonly string[], where: string): void {
  if (typeof options !== "object" || options === null)
    throw misuse("INVALID_OPTION", `the options of ${where} must be an object, not ${shown(options)}`);
  const problems: string[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) throw misuse("INVALID_OPTION", `${where} has no option ${JSON.stringify(name)}; it has ${known.join(", ")}`);
    const allowed = ALLOWED[name];
    if (value !== undefined && allowed !== undefined && !allowed[1](value))
      problems.push(`${name} must be ${allowed[0]}, not ${shown(value)}`);
  }
  if (problems.length > 0) throw misuse("INVALID_OPTION", `${where}: ${problems.join("; ")}`);
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}

function isSubstitutions(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => ["string", "number", "boolean", "object"].includes(typeof one))
  );
}

function isSignal(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { aborted, addEventListener } = value as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}
