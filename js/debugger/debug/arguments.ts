// Checks the arguments of a session's constructor and methods, all in one place and before anything is changed.

import type { Breakpoint, DebugOptions, DebugSession, Mock } from "../../core/api/debug.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { LAST } from "../../core/base/instant.ts";
import { type Allowed, checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string");

const word = (...words: unknown[]): Allowed => [words.map((one) => JSON.stringify(one)).join(" or "), (value) => words.includes(value)];
const whole: Allowed = ["a whole number", Number.isInteger];
const event: Allowed = ["a whole number or Infinity", (value) => Number.isInteger(value) || value === Infinity];
const count: Allowed = ["a whole number that is not negative", (value) => Number.isInteger(value) && Number(value) >= 0];
const text: Allowed = ["a string", (value) => typeof value === "string"];
const named: Allowed = ["a string that is not empty", (value) => typeof value === "string" && value !== ""];
const flag: Allowed = ["true or false", (value) => typeof value === "boolean"];
const callback: Allowed = ["a function", (value) => typeof value === "function"];
const object: Allowed = ["an object", isObject];
const texts: Allowed = ["an array of strings", isTexts];
/** A duration. A longer one would lead outside the range of a Date. */
const span: Allowed = [`a number of milliseconds from 0 to ${LAST}`, (value) => typeof value === "number" && value >= 0 && value <= LAST];
const indices: Allowed = [
  "an array of indices",
  (value) => Array.isArray(value) && value.every((one) => one === undefined || Number.isInteger(one)),
];
const stops: Allowed = [
  '"none", "uncaught", "all" or an array of error names',
  (value) => ["none", "uncaught", "all"].includes(value as string) || isTexts(value),
];
/** Accepts every value, because another check is made for it. */
const anything = (what: string): Allowed => [what, () => true];

/** The allowed members of an object. A member that is undefined here is checked elsewhere. */
type Members = Readonly<Record<string, Allowed | undefined>>;

/**
 * The parameters of each method, in order. A parameter whose name ends with `?` may be undefined. An object instead of a pair lists
 * the options by name.
 */
const PARAMETERS: { readonly [Method in keyof DebugSession]?: Readonly<Record<string, Allowed | Members>> } = {
  on: { name: anything("a string"), listener: callback },
  definitionOf: { execution: whole },
  selectExecution: { execution: whole },
  history: { "from?": count, "run?": whole, "execution?": whole },
  childSteps: { "from?": count },
  continue: { "options?": { ignoreBreakpoints: flag } },
  goto: { event },
  gotoPlace: { place: event },
  restart: { "definition?": anything("a definition"), "options?": object },
  runTo: { state: text },
  stop: { "error?": text, "cause?": text },
  setExceptionBreakpoints: { filter: stops },
  advance: { "milliseconds?": span },
  recovered: { "milliseconds?": span },
  answer: {
    task: whole,
    answer: { kind: word("succeed", "fail", "heartbeat", "silence"), output: undefined, error: text, cause: text, after: span },
  },
  take: { task: whole, "options?": { workerName: text } },
  childHistory: { arn: text },
  answerToken: { token: text, method: word("succeed", "fail", "heartbeat") },
  next: { "thread?": whole },
  stepIn: { "thread?": whole },
  stepOut: { "thread?": whole },
  childThreads: { "options?": { start: count, count } },
  stackTrace: { "thread?": whole },
  scopes: { "visit?": whole },
  stages: { "visit?": whole, "attempt?": count, "options?": { all: flag, item: count } },
  visits: { state: text },
  childVisits: { state: text, "options?": { iterations: indices, most: count } },
  historyOf: { "visit?": whole },
  visitsInOrder: { "visit?": whole },
  evaluate: { question: text, "options?": { language: undefined, visit: whole, values: object } },
  values: { "visit?": whole },
  fork: { "options?": { event, label: text } },
  setValue: { change: { target: word("input", "result", "variable"), name: named, value: undefined, visit: whole } },
  setVariable: { name: named },
  selectRun: { run: whole },
  removeRun: { run: whole },
  coverage: { "run?": whole, "options?": { whole: flag } },
  compare: { a: whole, b: whole },
};

const BREAKPOINT: { readonly [Member in keyof Breakpoint]?: Allowed } = {
  id: count,
  state: text,
  machine: text,
  stage: text,
  when: word("before", "after"),
  errors: texts,
  uncaught: flag,
  from: text,
  to: text,
  indices: text,
  at: word("start", "end"),
  path: text,
  taken: ['a number from 0 on or "default"', (value) => value === "default" || (Number.isInteger(value) && Number(value) >= 0)],
  condition: text,
  language: word("jsonata", "jsonpath"),
  hit: text,
  log: text,
  enabled: flag,
};

/** Any method of a class. */
type Method = (this: unknown, ...given: unknown[]) => unknown;

/** Makes each method of the class check its arguments first. */
export function guard(Class: { prototype: object }): void {
  const methods = Class.prototype as Record<string, Method>;
  for (const [name, parameters] of Object.entries(PARAMETERS)) {
    const method = methods[name];
    if (method !== undefined) Object.assign(methods, guarded(name, method, parameters));
  }
}

/** Returns an object with the wrapped method under its name, so that the function has the same name. */
function guarded(name: string, method: Method, parameters: Readonly<Record<string, Allowed | Members>>): Record<string, Method> {
  const where = `session.${name}()`;
  const looks = Object.entries(parameters).map(([label, allowed]) => ({
    label: label.replace("?", ""),
    isOptional: label.endsWith("?"),
    allowed,
  }));
  return {
    [name](this: unknown, ...given: unknown[]): unknown {
      for (const [place, { label, isOptional, allowed }] of looks.entries()) {
        const value = given[place];
        if (value === undefined && isOptional) continue;
        if (isAllowed(allowed)) must(allowed, value, `${where}: ${label}`);
        else checkMembers(value, allowed, where, label);
      }
      return method.apply(this, given);
    },
  };
}

function isAllowed(given: Allowed | Members): given is Allowed {
  return Array.isArray(given);
}

function checkMembers(value: unknown, members: Members, where: string, label: string): void {
  must(object, value, `${where}: ${label}`);
  checkOptions(value, Object.keys(members), where);
  if (isObject(value)) mustAll(members, value, where);
}

/** Checks breakpoints. Unknown members are allowed, and stay in the breakpoints. */
export function checkBreakpoints(breakpoints: readonly Breakpoint[]): void {
  if (!Array.isArray(breakpoints)) throw misuse("INVALID_ARGUMENT", `breakpoints must be an array, not ${shown(breakpoints)}`);
  for (const [i, breakpoint] of (breakpoints as readonly unknown[]).entries()) {
    must(object, breakpoint, `breakpoint ${i + 1}`);
    if (isObject(breakpoint)) mustAll(BREAKPOINT, breakpoint, `breakpoint ${i + 1}`);
  }
}

const MODES: readonly Mock["mode"][] = ["ask", "echo", "result", "error", "script", "expression", "function", "recorded", "handler"];

/** Checks mocks by the names under which they are set. */
export function checkMocks(mocks: Readonly<Record<string, Mock>>): void {
  if (typeof mocks !== "object" || mocks === null) throw misuse("INVALID_OPTION", `mocks must be an object, not ${shown(mocks)}`);
  for (const [name, mock] of Object.entries(mocks)) checkMock(isObject(mock) ? mock : {}, `the mock of ${JSON.stringify(name)}`);
}

function checkMock(mock: Record<string, unknown>, where: string): void {
  const { mode, handler, answers = [], expression, steps = [] } = mock;
  const isList = (value: unknown): value is Record<string, unknown>[] => Array.isArray(value) && value.every(isObject);
  const isUsable =
    (MODES as readonly unknown[]).includes(mode) &&
    (mode !== "function" || typeof handler === "function") &&
    (mode !== "recorded" || (mock["answers"] !== undefined && isList(answers))) &&
    (mode !== "expression" || typeof expression === "string") &&
    (mode !== "script" || isList(steps));
  if (!isUsable) throw misuse("INVALID_OPTION", `${where} needs a mode, one of ${MODES.join(", ")}, and the members of that mode`);
  for (const { after } of [mock, ...(isList(steps) ? steps : []), ...(isList(answers) ? answers : [])])
    if (after !== undefined) must(span, after, `${where}: after`);
}

/** Checks the clock of a session. */
export function checkClock(clock: DebugOptions["clock"]): void {
  if (clock === "skip" || clock === "manual" || (typeof clock === "number" && Number.isFinite(clock) && clock > 0)) return;
  throw misuse("INVALID_OPTION", `clock must be "skip", "manual" or a number above 0, not ${shown(clock)}`);
}

function mustAll(members: Members, value: Record<string, unknown>, where: string): void {
  for (const [name, allowed] of Object.entries(members))
    if (allowed && value[name] !== undefined) must(allowed, value[name], `${where}: ${name}`);
}

function must([words, allows]: Allowed, value: unknown, what: string): void {
  if (!allows(value)) throw misuse("INVALID_ARGUMENT", `${what} must be ${words}, not ${shown(value)}`);
}
