// A run as a test that anybody can start: a file for Node's test runner, and the mock file of Step Functions Local.

import type { HistoryEvent } from "../worker/history.ts";
import { type Call, callsOf } from "./answers.ts";
import { resultOf } from "./recorded.ts";

export interface Run {
  title: string;
  /// JSON text.
  definition: string;
  input: string;
  seed: number;
  /// The execution's name.
  name: string;
  events: readonly HistoryEvent[];
  /// Calls by state where they are known better than the history tells: those of a Distributed Map's children.
  calls?: ReadonlyMap<string, readonly Call[]>;
}

/// Whether the history leaves calls out: those of child executions are in histories of their own.
export function hasChildExecutions(events: readonly HistoryEvent[]): boolean {
  return events.some(({ type }) => type === "MapRunStarted");
}

/// The text of an ES module for `node --test`.
export function nodeTest(run: Run): string {
  const { events, title } = run;
  const end = resultOf(events.at(-1)!);
  if (!end) throw new Error("The run has not ended, so there is nothing to expect yet.");
  const script = Object.fromEntries([...(run.calls ?? callsOf(events))].map(([state, calls]) => [state, calls.map(scripted)]));
  const states = statesOf(events);
  const options = { name: run.name, seed: run.seed, startTime: Date.parse(events[0]!.timestamp) };
  const expected =
    end.status === "SUCCEEDED"
      ? ['  assert.equal(report.status, "SUCCEEDED", report.cause);', `  assert.deepEqual(report.output, ${js(end.output, 2)});`]
      : [`  assert.equal(report.status, ${JSON.stringify(end.status)});`, ...(end.error === undefined ? [] : [`  assert.equal(report.error, ${JSON.stringify(end.error)});`])];
  return `// The run of “${line(title)}” as a test:   npm install --save-dev stepglass && node --test ${fileName(title)}
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "stepglass";

const definition = ${js(parse(run.definition), 0)};

const input = ${js(parse(run.input) ?? {}, 0)};

// What the tasks answered, call by call. \`after\` is in milliseconds.
const answers = ${js(script, 0)};

test(${JSON.stringify(`${title}: ${end.status}${end.error ? ` with ${end.error}` : ""}`)}, () => {
  const report = simulate(definition, input, answers, ${js(options, 2)});
${expected.join("\n")}
  const states = report.history.filter(({ type }) => type.endsWith("StateEntered")).map((event) => event.stateEnteredEventDetails.name);
  assert.deepEqual(states, ${js(states, 2)});
});
`;
}

/// The text of a `MockConfigFile.json`.
export function mockConfig(run: Run): string {
  const machine = run.title.replace(/[^\w-]/g, "-").replace(/-+/g, "-").slice(0, 80) || "StateMachine";
  const responses: Record<string, Record<string, unknown>> = {};
  const testCase: Record<string, string> = {};
  for (const [state, calls] of run.calls ?? callsOf(run.events)) {
    const name = `${state}Responses`;
    testCase[state] = name;
    responses[name] = ranges(calls.map(mocked));
  }
  return `${JSON.stringify({ StateMachines: { [machine]: { TestCases: { RecordedRun: testCase } } }, MockedResponses: responses }, null, 2)}\n`;
}

export function fileName(title: string): string {
  const name = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return `${name || "run"}.test.mjs`;
}

export function statesOf(events: readonly HistoryEvent[]): string[] {
  return events.filter(({ type }) => type.endsWith("StateEntered")).map((event) => String((event["stateEnteredEventDetails"] as { name?: string } | undefined)?.name ?? ""));
}

function scripted({ after, response, error, cause, submitted, never }: Call): Record<string, unknown> {
  return {
    ...(after > 0 ? { after } : {}),
    ...(submitted === undefined ? {} : { submitted }),
    ...(never ? { never } : error !== undefined ? { error, ...(cause === undefined ? {} : { cause }) } : submitted === undefined ? { response } : { output: response }),
  };
}

function mocked({ response, error, cause, never }: Call): Record<string, unknown> {
  if (never) return { Throw: { Error: "States.Timeout", Cause: "No answer was recorded" } };
  return error === undefined ? { Return: response ?? null } : { Throw: { Error: error, Cause: cause ?? "" } };
}

/// Equal answers in a row under one key: `"1-3"`.
function ranges(answers: unknown[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (let from = 0; from < answers.length; ) {
    const one = JSON.stringify(answers[from]);
    let to = from;
    while (to + 1 < answers.length && JSON.stringify(answers[to + 1]) === one) to += 1;
    found[from === to ? `${from}` : `${from}-${to}`] = answers[from];
    from = to + 1;
  }
  return found;
}

function parse(text: string): unknown {
  return text.trim() === "" ? null : JSON.parse(text);
}

/// A value as a person would write it in a module: in one line where it fits.
function js(value: unknown, indent: number): string {
  const one = inline(value);
  if (one.length + indent <= 110 || typeof value !== "object" || value === null) return one;
  const pad = " ".repeat(indent + 2);
  const end = " ".repeat(indent);
  if (Array.isArray(value)) return `[\n${value.map((item) => `${pad}${js(item, indent + 2)},`).join("\n")}\n${end}]`;
  return `{\n${Object.entries(value).map(([key, held]) => `${pad}${member(key)}: ${js(held, indent + 2)},`).join("\n")}\n${end}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return literal(value);
  const members = Object.entries(value).map(([key, held]) => `${member(key)}: ${inline(held)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/// `__proto__` is a key like others only between brackets.
function member(key: string): string {
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key);
}

function literal(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

function line(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, " ");
}
