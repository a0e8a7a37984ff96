// The tool run.

import type { TestRun } from "../../core/api/testing.d.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import { Unusable } from "../../language/files/problem.ts";
import { Source, usable } from "../../language/files/source.ts";
import { MockError, TestKitError } from "../../testing/mocks/errors.ts";
import { testMachine, type TestMachine } from "../../testing/kit/test-machine.ts";
import { BadFile } from "../checked-yaml.ts";
import { readMocks } from "../test-file.ts";
import { definitionArguments, usableSource } from "./definitions.ts";
import { LISTED, OUTPUT, VALUE, type Cutter } from "./limits.ts";
import { any, array, int, object, oneOf, record, string } from "./protocol.ts";
import { cutMember, defineTool } from "./tool.ts";

const call = object({
  state: string(),
  resource: string(),
  attempt: int().describe("0 for the first, and one more for each retry."),
  input: any(),
  result: any().optional(),
  error: string().optional(),
});

export const runTool = defineTool({
  name: "run",
  title: "Run a state machine",
  description:
    "Runs a definition to its end in virtual time: waits and retries take no real time. No service is called: tasks answer from mocks, and a call without a mock ends the run with a message that says which one is missing.",
  input: {
    ...definitionArguments,
    input: any().optional().describe("The execution's input, any JSON value. Default: {}."),
    mocks: record(string(), any())
      .optional()
      .describe(
        'Answers of tasks, by the name of the state, function or resource ("sqs:sendMessage"; * stands for any characters): {"return": value}, {"throw": "ErrorName", "cause": "…"}, "never", or a list of these, one for each call with its retries. {"return": …} is a Lambda function\'s payload; {"respond": …} the service\'s whole response.',
      ),
    machines: array(string()).optional().describe("Files of definitions that tasks can start by states:startExecution."),
    seed: int().min(0).optional().describe("Of UUIDs, random numbers and jitter. Default: 1."),
    maxEvents: int().min(1).optional().describe("The history's largest number of events, after which the execution fails."),
    limit: int().min(1).max(1000).optional().describe(`The largest number of calls and states to list. Default: ${LISTED}.`),
  },
  output: {
    status: oneOf(["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED", "RUNNING"]).describe("RUNNING: the execution would wait for ever."),
    output: any().optional(),
    error: string().optional(),
    cause: string().optional(),
    path: array(string()).describe("The top-level states in the order in which they were entered."),
    waiting: array(string()).describe("The states that would wait for ever."),
    calls: array(call),
    retried: array(object({ state: string(), error: string().optional(), delay: int().describe("Milliseconds.") })),
    caught: array(object({ state: string(), error: string().optional(), cause: string().optional() })),
    events: int().describe("How many events the history has."),
    duration: int().describe("Milliseconds of the execution's own time."),
    ...cutMember,
  },
  async call(given, { cut, limits, signal }) {
    const { input = {}, mocks, machines, seed, limit = LISTED, maxEvents = limits.events, ...definition } = given;
    const source = usableSource(definition);
    const machine = testMachine(source.json, { name: source.machine, ...source.options(definition.type ? { type: definition.type } : {}) });
    const timer = AbortSignal.timeout(limits.seconds * 1000);
    const run = await attempt(machine, () =>
      machine.run(input, {
        mocks: mocksOf(mocks),
        ...(seed !== undefined && { seed }),
        ...(machines && { machines: machines.map(startable) }),
        historyLimit: Math.min(maxEvents, limits.events),
        signal: AbortSignal.any([signal, timer]),
      }),
    );
    if (timer.aborted && run.status === "ABORTED") cut.note(`the run was ended after ${limits.seconds} seconds of real time`);
    else if (run.history.length >= limits.events) cut.note(`the run may have at most ${limits.events.toLocaleString("en")} events`);
    return { text: cut.text(run.text({ times: true, lines: 200 }), limits.characters, "the text"), data: outcomeOf(run, limit, cut) };
  },
});

function outcomeOf(run: TestRun, limit: number, cut: Cutter) {
  const { status, output, error, cause, path, waiting, calls, retries, caught, history, duration } = run;
  return {
    status,
    ...(output !== undefined && { output: cut.value(output, OUTPUT, "the output") }),
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause: cut.text(cause, VALUE, "the cause") }),
    path: cut.list(path, limit, "state"),
    waiting: cut.list(waiting, limit, "waiting state"),
    calls: cut.list(calls, limit, "call").map((one) => ({
      state: one.state,
      resource: one.resource,
      attempt: one.attempt,
      input: cut.value(one.input ?? null, VALUE, `the input of ${one.state}`),
      ...(one.result !== undefined && { result: cut.value(one.result, VALUE, `the result of ${one.state}`) }),
      ...(one.error !== undefined && { error: one.error }),
    })),
    retried: cut.list(retries, limit, "retry").map((one) => ({ state: one.state, ...named(one), delay: Math.round(one.delay) })),
    caught: cut.list(caught, limit, "caught error").map((one) => ({
      state: one.state,
      ...named(one),
      ...(one.cause !== undefined && { cause: cut.text(one.cause, VALUE, "a cause") }),
    })),
    events: history.length,
    duration: Math.round(duration),
  };
}

function named({ error }: { error: string | undefined }): { error?: string } {
  return error === undefined ? {} : { error };
}

function mocksOf(mocks: Record<string, unknown> | undefined): ReturnType<typeof readMocks> {
  try {
    return readMocks(mocks ?? {});
  } catch (error) {
    throw error instanceof BadFile ? new Unusable(error.problems.map(({ message }) => message).join("\n")) : error;
  }
}

function startable(file: string): StateMachine {
  const source = new Source(file);
  return new StateMachine(usable(source).json, { ...source.options(), name: source.machine });
}

/** Returns the message of an error with its advice in the syntax of this tool. A mock without results left has no advice. */
function inToolWords({ message, problem, state }: MockError): string {
  return message === problem ? message : `${problem}Add one: mocks: {${JSON.stringify(state)}: {"return": …}}.`;
}

/** Runs an execution. Errors in its mocks are described in the words of this tool. */
async function attempt(machine: TestMachine, run: () => Promise<TestRun>): Promise<TestRun> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof TestKitError)) throw error;
    const { tasks } = machine.outline;
    const message = error instanceof MockError ? inToolWords(error) : error.message;
    throw new Unusable(`${message}\nThe definition's tasks: ${tasks.slice(0, 50).join(", ")}${tasks.length > 50 ? " …" : ""}`);
  }
}
