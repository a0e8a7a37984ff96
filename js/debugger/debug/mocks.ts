// Mocks of tasks: a result, an error, a script of both, an expression, a function, a recording, or a person who is asked.

import type { Mock, MockStep } from "../../core/api/debug.d.ts";
import type { InvokeCommand, RecordedTask, TaskHandler } from "../../core/api/index.d.ts";
import { TaskResponse, handlerInput } from "../../core/tasks/integration.ts";
import { Handlers, parseResource } from "../../core/tasks/resource.ts";
import type { CallCommand, ReplyFact } from "./model.ts";
import { answerTo } from "./expressions.ts";

/** The answer that a mock asks for. */
interface Wanted {
  /** Delay after the call, in milliseconds. */
  after?: number;
  output?: unknown;
  error?: string;
  cause?: string;
  /** Whether a person is asked. */
  ask?: boolean;
  /** Whether the task gets no answer. */
  silent?: boolean;
  /** The recorded facts of the answer, in place of an output or an error. */
  facts?: ReplyFact[];
}

/** The answer of a mock. */
export class Reply {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    this.wanted = wanted;
  }
}

/** Mocks that answer a task themselves. */
type AnsweringMock = Exclude<Mock, { mode: "handler" }>;

/** The properties of a task by which its mock is found. */
type MockedTask = Pick<InvokeCommand, "state" | "resource"> & { input?: unknown };

/** The mocks of a run. The mock of a state comes first; others are found by resource, as handlers are. */
export class Mocks {
  #named: Map<string, () => Mock>;
  #handlers: Handlers<() => Mock>;

  constructor(mocks: Readonly<Record<string, Mock>> = {}) {
    this.#named = new Map(Object.entries(mocks).map(([name, mock]) => [name, () => mock]));
    this.#handlers = new Handlers(this.#named);
  }

  /** Returns the mock that answers a task. Undefined if it has none, or if its handler is to be called. */
  find(task: MockedTask): AnsweringMock | undefined {
    const mock = this.#find(task)?.();
    return mock?.mode === "handler" ? undefined : mock;
  }

  /** Returns the name under which the mock of a task is set. */
  nameFor(task: MockedTask): string | undefined {
    const found = this.find(task) && this.#find(task);
    for (const [name, mock] of this.#named) if (mock === found) return name;
    return undefined;
  }

  #find({ state, resource, input }: MockedTask): (() => Mock) | undefined {
    const found = this.#named.get(state) ?? this.#handlers.find(resource, state, input);
    return typeof found === "function" ? found : undefined;
  }
}

/** Returns the answer of a mock to a command: a Reply, or what its function returns. `handle` calls the function. */
export function replyOf(mock: AnsweringMock, command: CallCommand, handle: (handler: TaskHandler) => unknown): unknown {
  const { mode } = mock;
  switch (mode) {
    case "function":
      return handle(mock.handler);
    case "ask":
      return new Reply({ ask: true });
    case "echo":
      return new Reply({ output: inputOf(command), after: mock.after });
    case "script":
      return scripted(mock, command);
    case "recorded": {
      const recorded = mock.answers[command.call];
      if (recorded === undefined)
        return new Reply({ error: "States.TaskFailed", cause: `the recording has no answer for call ${command.call}` });
      return new Reply(factsOf(recorded));
    }
    case "expression":
      return evaluated(mock, command);
    default:
      return single(mock, command);
  }
}

function evaluated({ expression, after }: Extract<Mock, { mode: "expression" }>, command: CallCommand): Reply {
  const input = inputOf(command);
  const { value, nothing, message } = answerTo("jsonata", expression, {
    input,
    variables: { states: { input }, input, attempt: command.attempt, iteration: command.iterations?.at(-1) ?? null },
  });
  if (message !== undefined) return new Reply({ error: "States.TaskFailed", cause: `the mock's expression: ${message}`, after });
  return new Reply({ output: nothing ? null : value, after });
}

/** Returns the input that a handler would get: for a Lambda invocation, its payload. */
function inputOf({ resource, input }: CallCommand): unknown {
  return handlerInput(parseResource(resource), input);
}

function single({ result = null, response, error, cause, silent, after }: MockStep, command: CallCommand): Reply {
  if (silent) return new Reply({ silent: true });
  if (error !== undefined) return new Reply({ error, cause, after });
  // An answer by task token is never wrapped.
  const whole = response !== undefined && !command.resource.endsWith(".waitForTaskToken");
  return new Reply({ output: whole ? new TaskResponse(response) : (response ?? result), after });
}

/** Answers with the first step whose attempt, iteration and call match. A step that names none of them always matches. */
function scripted({ steps = [], after }: Extract<Mock, { mode: "script" }>, command: CallCommand): Reply {
  const step = steps.find(
    ({ attempt, iteration, call }) =>
      inRanges(attempt, command.attempt) && inRanges(iteration, command.iterations?.at(-1)) && inRanges(call, command.call),
  );
  if (step === undefined) {
    const at = command.iterations?.length ? ` of iteration ${command.iterations.at(-1)}` : "";
    return new Reply({
      error: "States.TaskFailed",
      cause: `the mock's script has no step for attempt ${command.attempt}${at}, call ${command.call}`,
    });
  }
  return single({ after, ...step }, command);
}

/** Converts recorded facts of an answer to a mock's answer; the reverse of `factsOf`. */
export function answerOf(
  facts: readonly ReplyFact[],
): Omit<RecordedTask, "state" | "iterations" | "attempt" | "event" | "input" | "unknown"> {
  const outcome: ReturnType<typeof answerOf> = { never: true };
  for (const { method, after, b, c } of facts) {
    if (method === "started") outcome.workerName = b ?? null;
    else if (method === "submitted") outcome.submitted = JSON.parse(b ?? "null");
    else if (method === "succeed" || method === "fail") {
      delete outcome.never;
      outcome.after = after;
      if (method === "succeed") outcome.output = JSON.parse(b ?? "null");
      else Object.assign(outcome, { error: b ?? null }, c !== undefined && { cause: c });
    }
  }
  return outcome;
}

/**
 * Returns the answer of a recorded task as facts, each `after` its call by some milliseconds. `silent` is true if the task got no
 * answer.
 */
export function factsOf(recorded: Partial<RecordedTask>): { facts: ReplyFact[]; silent: boolean } {
  const { after = 0, submitted, workerName, output, error, cause, never } = recorded;
  const facts: ReplyFact[] = [];
  if (workerName !== undefined) facts.push({ method: "started", after: 0, b: workerName ?? undefined });
  if (submitted !== undefined) facts.push({ method: "submitted", after: 0, b: JSON.stringify(submitted) });
  if (error !== undefined) facts.push({ method: "fail", after, b: error ?? undefined, c: cause });
  else if (output !== undefined) facts.push({ method: "succeed", after, b: JSON.stringify(output) });
  return { facts, silent: never === true };
}

/** Returns whether a number is in a list of ranges such as "0", "1-3", "4+" or "0,2-4". An empty list contains every number. */
export function inRanges(ranges: string | null | undefined, n: number | undefined): boolean {
  if (ranges === undefined || ranges === null || String(ranges).trim() === "") return true;
  if (n === undefined) return false;
  return String(ranges)
    .split(",")
    .some((part) => {
      const [, low, more, high = low] = /^\s*(\d+)\s*(?:(\+)|-\s*(\d+))?\s*$/.exec(part) ?? [];
      return low !== undefined && n >= Number(low) && (more !== undefined || n <= Number(high));
    });
}
