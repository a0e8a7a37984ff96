// A recorded execution as a test file.

import { existsSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { stringify } from "yaml";
import type { TestRun } from "../core/api/testing.d.ts";
import { messageOf } from "../core/base/errors.ts";
import { Unusable } from "../language/files/problem.ts";
import { write } from "../language/files/reading.ts";
import { readRecording } from "../language/files/recording.ts";
import { Source, usable } from "../language/files/source.ts";
import { count, writeJson } from "../language/files/terminal.ts";
import { callsOf, type Call } from "../core/history/calls.ts";
import { isStateEntered } from "../core/history/events.ts";
import type { RecordedDocument, RecordedEvent } from "../core/history/recorded.ts";
import { TestKitError } from "../testing/mocks/errors.ts";
import { testMachine, type TestMachine } from "../testing/kit/test-machine.ts";
import { shorten } from "../testing/kit/shorten.ts";
import { readMocks } from "./test-file.ts";
import { runTestFile } from "./test-run.ts";

/** An answer of a task, as a test file has it. */
type Answer = "never" | { return?: unknown; respond?: unknown; throw?: string; cause?: string; after?: string };

/** What a run depends on: the input, and the answers of each state's calls. */
interface Given {
  input: unknown;
  mocks: Record<string, Answer[]>;
}

interface RecordOptions {
  /** The definition's file; default: the definition of the recording, which the test file then contains. */
  definition: string | undefined;
  output: string | undefined;
  minimize: boolean;
  json: boolean;
}

/** Writes a recorded execution as a test file, and runs it; returns the exit code. Throws Unusable. */
export async function recordTest(file: string, { definition, output, minimize, json }: RecordOptions): Promise<number> {
  const recording = readRecording(file);
  const { name, status, events, type } = recording;
  if (status === "RUNNING" || status === "PENDING_REDRIVE")
    throw new Unusable(`${file} is of an execution that has not ended: a test would have no result to expect`);
  const to = output ?? `${(name || "execution").replaceAll(/[^\w.-]/g, "_")}.stepglass.yaml`;
  if (existsSync(to)) throw new Unusable(`${to} exists: remove it, or name another file with --output`);
  const { json: text } = usable(definition === undefined ? sourceOf(file, recording) : new Source(definition), {});
  const machine = testMachine(JSON.parse(text) as object, type === "EXPRESS" ? { type } : {});
  const recorded: Given = { input: parsed(recording.input, file), mocks: mocksOf(callsOf(events)) };
  const run = await runOf(machine, recorded, file);
  const differs = difference(run, recording);
  const runs = { count: 1 };
  const given = minimize ? await minimized(machine, recorded, run, runs) : recorded;
  const test = {
    definition: definition === undefined ? (JSON.parse(text) as unknown) : pathFrom(to, definition),
    ...(type === "EXPRESS" && { type }),
    tests: [
      {
        name: `${name}: ${run.status}${run.error === undefined ? "" : ` with ${run.error}`}`,
        ...given,
        expect: expectationsOf(run, minimize),
      },
    ],
  };
  write(to, `# Recorded from ${recording.executionArn || file}\n${stringify(test, { lineWidth: 0 })}`);
  const result = await runTestFile(to, {});
  const failures = result.problem === undefined ? result.tests.flatMap((one) => one.failures) : [{ message: result.problem }];
  const [bytes, before] = [size(given), size(recorded)];
  if (json) writeJson({ file: to, passed: failures.length === 0, differs, runs: runs.count, bytes, recordedBytes: before });
  else {
    process.stdout.write(`${to}: ${count(Object.values(given.mocks).flat().length, "mocked call")}, ${count(bytes, "byte")} of payloads`);
    process.stdout.write(minimize ? `, ${before} before; ${count(runs.count, "run")} took the same path\n` : "\n");
    if (differs !== undefined) process.stdout.write(`${differs}; the test expects what the definition does now\n`);
    for (const { message } of failures) process.stderr.write(`stepglass: the written test does not pass: ${message}\n`);
  }
  return failures.length === 0 ? 0 : 1;
}

function sourceOf(file: string, { definition, name }: RecordedDocument): Source {
  if (definition === undefined)
    throw new Unusable(`${file} does not have the definition that ran: name its file after it`, { usage: true });
  return new Source(`${name}.asl.json`, { text: definition });
}

function parsed(input: string | undefined, file: string): unknown {
  try {
    return JSON.parse(input ?? "{}");
  } catch {
    throw new Unusable(`${file} does not have the execution's whole input`);
  }
}

/** Returns the definition's path as a file in the test's folder names it. */
function pathFrom(test: string, definition: string): string {
  const path = relative(dirname(test), definition).split(sep).join("/");
  return path === "" ? definition : path;
}

function mocksOf(calls: ReadonlyMap<string, readonly Call[]>): Given["mocks"] {
  return Object.fromEntries([...calls].map(([state, list]) => [state, list.map(answerOf)]));
}

function answerOf({ after, response, error, cause, wrapped, never }: Call): Answer {
  if (never) return "never";
  return {
    ...(error !== undefined
      ? { throw: error, ...(cause !== undefined && { cause }) }
      : wrapped
        ? { respond: response ?? null }
        : { return: response ?? null }),
    ...(after > 0 && { after: `${after} ms` }),
  };
}

async function runOf(machine: TestMachine, { input, mocks }: Given, file: string): Promise<TestRun> {
  try {
    return await machine.run(input, { mocks: readMocks(mocks) });
  } catch (error) {
    if (error instanceof TestKitError) throw new Unusable(`${file} has not the answers that a test needs: ${messageOf(error)}`);
    throw error;
  }
}

/** Returns the names of the states that a history enters, in their order. */
function statesOf(events: readonly RecordedEvent[]): string[] {
  return events.filter(isStateEntered).map((event) => String((event["stateEnteredEventDetails"] as { name?: unknown } | undefined)?.name));
}

/** Returns how a run differs from its recording, as far as a test would show it; undefined if it does not. */
function difference(run: TestRun, { events, status, error }: RecordedDocument): string | undefined {
  if (run.status !== status) return `The recording ended with ${status}, and this definition with ${run.status}`;
  if (run.error !== error) return `The recording failed with ${error ?? "no error"}, and this definition with ${run.error ?? "no error"}`;
  const [before, now] = [statesOf(events), run.visits.map(({ state }) => state)];
  // Iterations that run side by side can enter their states in another order.
  if (JSON.stringify(before.toSorted()) === JSON.stringify(now.toSorted())) return undefined;
  const at = before.findIndex((state, i) => state !== now[i]);
  return at < 0
    ? `This definition enters ${String(now[before.length])} after the recording's last state`
    : `The recording enters ${before[at]} where this definition ${now[at] === undefined ? "ends" : `enters ${now[at]}`}`;
}

/** Shortens the input and the answers as far as runs still take the same path. */
async function minimized(machine: TestMachine, given: Given, whole: TestRun, runs: { count: number }): Promise<Given> {
  const goal = shapeOf(whole);
  const holds = async (candidate: Given): Promise<boolean> => {
    let run: TestRun;
    try {
      run = await machine.run(candidate.input, { mocks: readMocks(candidate.mocks) });
    } catch (error) {
      if (error instanceof TestKitError) return false;
      throw error;
    }
    if (shapeOf(run) !== goal) return false;
    runs.count += 1;
    return true;
  };
  let best: Given = { ...given, input: await shorten(given.input, (input) => holds({ ...given, input })) };
  for (const [state, answers] of Object.entries(given.mocks)) {
    for (const [call, answer] of answers.entries()) {
      if (answer === "never") continue;
      const replace = (other: Answer): Given => ({
        ...best,
        mocks: { ...best.mocks, [state]: (best.mocks[state] ?? []).with(call, other) },
      });
      let short: Exclude<Answer, "never"> = answer;
      for (const optional of ["after", "cause"] as const) {
        const { [optional]: value, ...without } = short;
        if (value !== undefined && (await holds(replace(without)))) short = without;
      }
      for (const kind of ["return", "respond"] as const) {
        if (!(kind in short)) continue;
        const rest = short;
        short = { ...rest, [kind]: await shorten(rest[kind], (value) => holds(replace({ ...rest, [kind]: value }))) };
      }
      best = replace(short);
    }
  }
  return best;
}

/** Returns what a shortened run must have in common with the whole one: every state that it enters, its retries and its end. */
function shapeOf(run: TestRun): string {
  return JSON.stringify([run.status, run.error, run.visits.map(({ state, iterations }) => [state, iterations]), run.calls.length]);
}

/** Returns what the test expects. Shortened payloads give other outputs, so a minimized test expects none. */
function expectationsOf(run: TestRun, isMinimized: boolean): object {
  const nested = run.visits.length > run.path.length;
  const counts: Record<string, number> = {};
  for (const { state } of run.visits) counts[state] = (counts[state] ?? 0) + 1;
  const retries: Record<string, number> = {};
  for (const { state } of run.retries) retries[state] = (retries[state] ?? 0) + 1;
  return {
    status: run.status,
    ...(run.status === "FAILED" && run.error !== undefined && { error: run.error }),
    ...(run.status === "SUCCEEDED" && !isMinimized && { output: run.output }),
    path: run.path,
    ...(nested && { entered: counts }),
    ...(Object.keys(retries).length > 0 && { retries }),
  };
}

function size(given: Given): number {
  return Buffer.byteLength(JSON.stringify(given));
}
