// @ts-nocheck: has no types yet.
// What a session and its methods may be given: it is looked at before anything is done with it, in one place for all of them.

import { misuse } from "../base/errors.ts";
import { LAST, checkOptions, shown } from "../base/options.ts";

const word = (...words) => [words.map((one) => JSON.stringify(one)).join(" or "), (value) => words.includes(value)];
const whole = ["a whole number", Number.isInteger];
const event = ["a whole number or Infinity", (value) => Number.isInteger(value) || value === Infinity];
const count = ["a whole number that is not negative", (value) => Number.isInteger(value) && value >= 0];
const text = ["a string", (value) => typeof value === "string"];
const named = ["a string that is not empty", (value) => typeof value === "string" && value !== ""];
const flag = ["true or false", (value) => typeof value === "boolean"];
const callback = ["a function", (value) => typeof value === "function"];
const object = ["an object", (value) => typeof value === "object" && value !== null];
const texts = ["an array of strings", isTexts];
/** A time that passes. Longer ones lead out of what a Date can have. */
const span = [`a number of milliseconds from 0 to ${LAST}`, (value) => typeof value === "number" && value >= 0 && value <= LAST];
const indices = ["an array of indices", (value) => Array.isArray(value) && value.every((one) => one === undefined || Number.isInteger(one))];

function isTexts(value) {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** By method, its parameters in order; those with `?` may be undefined. An object instead of a pair has the options by name. */
const PARAMETERS = {
  on: { name: ["a string", () => true], listener: callback },
  definitionOf: { execution: whole },
  selectExecution: { execution: whole },
  history: { "from?": count, "run?": whole, "execution?": whole },
  childSteps: { "from?": count },
  continue: { "options?": { ignoreBreakpoints: flag } },
  goto: { event },
  gotoPlace: { place: event },
  restart: { "definition?": ["a definition", () => true], "options?": object },
  runTo: { state: text },
  stop: { "error?": text, "cause?": text },
  setExceptionBreakpoints: { filter: ['"none", "uncaught", "all" or an array of error names', (value) => ["none", "uncaught", "all"].includes(value) || isTexts(value)] },
  advance: { "milliseconds?": span },
  answer: { task: whole, answer: { kind: word("succeed", "fail", "heartbeat", "silence"), output: undefined, error: text, cause: text, after: span } },
  take: { task: whole, "options?": { workerName: text } },
  childHistory: { arn: text },
  answerToken: { token: text, method: word("succeed", "fail", "heartbeat") },
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

const BREAKPOINT = {
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
  condition: text,
  language: word("jsonata", "jsonpath"),
  hit: text,
  log: text,
  enabled: flag,
};

/** Lets each method of the class look at what it is given first. */
export function guard(Class) {
  for (const [name, parameters] of Object.entries(PARAMETERS)) {
    const method = Class.prototype[name];
    const where = `session.${name}()`;
    const looks = Object.entries(parameters).map(([label, allowed]) => [label.replace("?", ""), label.endsWith("?"), allowed]);
    const guarded = {
      [name](...given) {
        looks.forEach(([label, optional, allowed], place) => {
          const value = given[place];
          if (value === undefined && optional) return;
          if (Array.isArray(allowed)) must(allowed, value, `${where}: ${label}`);
          else checkMembers(value, allowed, where, label);
        });
        return method.apply(this, given);
      },
    };
    Class.prototype[name] = guarded[name];
  }
}

function checkMembers(value, members, where, label) {
  must(object, value, `${where}: ${label}`);
  checkOptions(value, Object.keys(members), where);
  for (const [name, allowed] of Object.entries(members)) if (allowed && value[name] !== undefined) must(allowed, value[name], `${where}: ${name}`);
}

/** Breakpoints as they are set; members that are not known stay with them. */
export function checkBreakpoints(breakpoints) {
  if (!Array.isArray(breakpoints)) throw misuse("INVALID_ARGUMENT", `breakpoints must be an array, not ${shown(breakpoints)}`);
  breakpoints.forEach((breakpoint, i) => {
    must(object, breakpoint, `breakpoint ${i + 1}`);
    for (const [name, allowed] of Object.entries(BREAKPOINT)) if (breakpoint[name] !== undefined) must(allowed, breakpoint[name], `breakpoint ${i + 1}: ${name}`);
  });
}

const MODES = ["ask", "echo", "result", "error", "script", "expression", "function", "recorded", "handler"];

/** Mocks by the names that they stand under. */
export function checkMocks(mocks) {
  if (typeof mocks !== "object" || mocks === null) throw misuse("INVALID_OPTION", `mocks must be an object, not ${shown(mocks)}`);
  for (const [name, mock] of Object.entries(mocks)) checkMock(mock, name);
}

function checkMock(mock, name) {
  const { mode, handler, answers, expression, steps = [] } = mock ?? {};
  const isObject = (one) => typeof one === "object" && one !== null;
  const usable =
    MODES.includes(mode) &&
    (mode !== "function" || typeof handler === "function") &&
    (mode !== "recorded" || (Array.isArray(answers) && answers.every(isObject))) &&
    (mode !== "expression" || typeof expression === "string") &&
    (mode !== "script" || (Array.isArray(steps) && steps.every(isObject)));
  if (!usable) throw misuse("INVALID_OPTION", `the mock of ${JSON.stringify(name)} needs a mode, one of ${MODES.join(", ")}, and the members of that mode`);
  for (const { after } of [mock, ...steps, ...(answers ?? [])]) if (after !== undefined) must(span, after, `the mock of ${JSON.stringify(name)}: after`);
}

/** A clock of a session. */
export function checkClock(clock) {
  if (clock !== "skip" && clock !== "manual" && !(Number.isFinite(clock) && clock > 0)) throw misuse("INVALID_OPTION", `clock must be "skip", "manual" or a number above 0, not ${shown(clock)}`);
}

function must([words, allows], value, what) {
  if (!allows(value)) throw misuse("INVALID_ARGUMENT", `${what} must be ${words}, not ${shown(value)}`);
}
