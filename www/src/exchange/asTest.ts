// Exports a run as a test: a file with the package's test kit, for Node's test runner or for Vitest, and the mock file of Step
// Functions Local.

import type { Config } from "../model/runReport.ts";
import type { HistoryEvent } from "../model/recorded.ts";
import { type Call, callsOf } from "./answers.ts";
import { configText } from "../debugger/mockFiles.ts";
import { resultOf } from "../model/recorded.ts";

/** More bytes than any run has. */
const NO_LIMIT = 2 ** 31 - 1;

export type Runner = "node:test" | "vitest";

export interface Run {
  title: string;
  /** The definition as JSON text. */
  definition: string;
  input: string;
  seed: number;
  /** The execution's name, and its ARN if it has one of its own. */
  name: string;
  arn?: string;
  events: readonly HistoryEvent[];
  /** The other options of the execution. */
  config: Config;
  /**
   * The calls by state, for a run that was made on this page. A recorded history lacks those of a Distributed Map's child
   * executions.
   */
  calls?: ReadonlyMap<string, readonly Call[]>;
}

/** Returns whether the history lacks calls, because child executions have histories of their own. */
export function hasChildExecutions(events: readonly HistoryEvent[]): boolean {
  return events.some(({ type }) => type === "MapRunStarted");
}

/** Returns the text of an ES module that runs the machine with the answers of its tasks and expects the same result. */
export function testText(run: Run, runner: Runner): string {
  const { events, title } = run;
  const end = resultOf(events.at(-1)!);
  if (!end) throw new Error("The run has not ended, so a test has no result to expect yet.");
  if (end.status === "ABORTED") throw new Error("The run was stopped by hand, which a test cannot repeat.");
  const calls = run.calls ?? callsOf(events);
  const mocks = [...calls].map(([state, answers]) => `  ${member(state)}: ${listed(answers.map(mockText))},`);
  const used = [
    "expectRun",
    ...["never", "responds", "returns", "throws"].filter((name) =>
      [...calls.values()].flat().some((call) => mockText(call).startsWith(`${name}(`)),
    ),
    "testMachine",
  ];
  const expected =
    end.status === "SUCCEEDED"
      ? `.succeeded(${js(end.output ?? JSON.parse(end.text ?? "null"), 4)})`
      : end.status === "TIMED_OUT"
        ? ".timedOut()"
        : end.error === undefined
          ? ".failedWith()"
          : `.failedWith(${literal(end.error)})`;
  const start = runner === "vitest" ? "npx vitest run" : "node --test";
  return `// The run of “${line(title)}” as a test:   npm install --save-dev stepglass${runner === "vitest" ? " vitest" : ""} && ${start} ${fileName(title)}
import { test } from "${runner}";
import { ${used.join(", ")} } from "stepglass/testing";

const definition = ${js(parse(run.definition), 0)};

// The options of the run: equal names, seeds and times give equal runs.
const machine = testMachine(definition, ${js(settingsOf(run), 0)});
const input = ${js(parse(run.input) ?? {}, 0)};

// The answers of the tasks, call by call. after() takes time of the execution's clock.
const mocks = {${mocks.length === 0 ? "" : `\n${mocks.join("\n")}\n`}};

test(${literal(`${title}: ${end.status}${end.error ? ` with ${end.error}` : ""}`)}, async () => {
  const run = await machine.run(input, { mocks, name: ${literal(run.name)}${run.arn === undefined ? "" : `, arn: ${literal(run.arn)}`} });
  expectRun(run)
    ${expected}
    .passedThrough(${statesOf(events)
      .map((state) => literal(state))
      .join(", ")});
});
`;
}

function settingsOf({ seed, events, config: { type, payload, events: counted } }: Run): Record<string, unknown> {
  return {
    seed,
    startTime: Date.parse(events[0]!.timestamp),
    ...(type && { type }),
    ...(payload === false && { payloadLimit: NO_LIMIT }),
    ...(counted === false && { historyLimit: 0 }),
  };
}

/** Returns the text of a `MockConfigFile.json`. */
export function mockConfig(run: Run): string {
  const responses: Record<string, Record<string, unknown>> = {};
  const testCase: Record<string, string> = {};
  for (const [state, calls] of run.calls ?? callsOf(run.events)) {
    const name = `${state}Responses`;
    testCase[state] = name;
    responses[name] = ranges(calls.map(mocked));
  }
  return configText(run.title, "RecordedRun", testCase, responses);
}

export function fileName(title: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  return `${name || "run"}.test.mjs`;
}

export function statesOf(events: readonly HistoryEvent[]): string[] {
  return events
    .filter(({ type }) => type.endsWith("StateEntered"))
    .map((event) => String((event["stateEnteredEventDetails"] as { name?: string } | undefined)?.name ?? ""));
}

/** Returns an answer in the syntax of the test kit. */
function mockText({ after, response, error, cause, wrapped, never }: Call): string {
  if (never) return "never()";
  const answer =
    error !== undefined
      ? `throws(${[error, ...(cause === undefined ? [] : [cause])].map(literal).join(", ")})`
      : `${wrapped ? "responds" : "returns"}(${js(response ?? null, 4)})`;
  return after > 0 ? `${answer}.after("${after} ms")` : answer;
}

function listed(answers: string[]): string {
  const one = `[${answers.join(", ")}]`;
  return one.length <= 100 && !one.includes("\n") ? one : `[\n${answers.map((answer) => `    ${answer},`).join("\n")}\n  ]`;
}

function mocked({ response, error, cause, never }: Call): Record<string, unknown> {
  if (never) return { Throw: { Error: "States.Timeout", Cause: "No answer was recorded" } };
  return error === undefined ? { Return: response ?? null } : { Throw: { Error: error, Cause: cause ?? "" } };
}

/** Merges equal consecutive answers under one key: `"1-3"`. */
function ranges(answers: unknown[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (let from = 0; from < answers.length;) {
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

/** Returns a value as a person would write it in a module: in one line if it fits. */
function js(value: unknown, indent: number): string {
  const one = inline(value);
  if (one.length + indent <= 110 || typeof value !== "object" || value === null) return one;
  const pad = " ".repeat(indent + 2);
  const end = " ".repeat(indent);
  if (Array.isArray(value)) return `[\n${value.map((item) => `${pad}${js(item, indent + 2)},`).join("\n")}\n${end}]`;
  return `{\n${Object.entries(value)
    .map(([key, held]) => `${pad}${member(key)}: ${js(held, indent + 2)},`)
    .join("\n")}\n${end}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return literal(value);
  const members = Object.entries(value).map(([key, held]) => `${member(key)}: ${inline(held)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** `__proto__` is an ordinary key only in brackets. */
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
