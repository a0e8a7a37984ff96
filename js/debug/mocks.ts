// @ts-nocheck: has no types yet.
// What stands for a task: a result, an error, a script of them, an expression, a function, a recording, or the person at the page.

import { TaskResponse, handlerInput } from "../tasks/integration.ts";
import { Handlers, parseResource } from "../tasks/resource.ts";
import { answerTo } from "./expressions.ts";
import type { Mock } from "../api/debug.d.ts";
import type { RecordedTask } from "../api/index.d.ts";

/** A fact that answers a task, which comes so many milliseconds after its call. */
export interface ReplyFact {
  method: "started" | "submitted" | "succeed" | "fail" | "heartbeat";
  after: number;
  b?: string | null;
  c?: string;
}

/** What a mock wants to happen. */
interface Wanted {
  /** Milliseconds after the call. */
  after?: number;
  output?: unknown;
  error?: string;
  cause?: string;
  /** Whether a person is asked. */
  ask?: boolean;
  /** Whether no answer comes. */
  silent?: boolean;
  /** What a recording has instead. */
  facts?: ReplyFact[];
}

/** The answer of a mock. */
export class Reply {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    this.wanted = wanted;
  }
}

/** The mocks of a run: a state's own first, all others found as handlers are. */
export class Mocks {
  #states = new Map();
  #handlers;
  #modes = new Map();

  constructor(mocks: Record<string, Mock> = {}) {
    for (const [name, mock] of Object.entries(mocks)) {
      const reply = planOf(mock);
      this.#modes.set(reply, mock.mode);
      this.#states.set(name, reply);
    }
    this.#handlers = new Handlers(this.#states);
  }

  /** The function that replies to a command, or undefined where no mock is meant for it. */
  find(command) {
    const reply = this.#states.get(command.state) ?? this.#handlers.find(command.resource, command.state, command.input);
    return reply === undefined || this.#modes.get(reply) === "handler" ? undefined : reply;
  }

  modeOf(reply) {
    return this.#modes.get(reply);
  }

  /** The name that the mock stands under which is meant for a command. */
  nameFor(command) {
    const found = this.find(command);
    for (const [name, reply] of this.#states) if (reply === found) return name;
    return undefined;
  }
}

/** The mock as a function of the command, the call and the host's way to call a handler. */
function planOf(mock) {
  return mock.mode === "function" ? (command, handle) => handle(mock.handler) : (command) => replyOf(mock, command);
}

function replyOf(mock, command) {
  const { after = 0 } = mock;
  switch (mock.mode) {
    case "ask":
      return new Reply({ ask: true });
    case "echo":
      return new Reply({ output: inputOf(command), after });
    case "script":
      return scripted(mock, command);
    case "recorded": {
      const recorded = mock.answers[command.call];
      if (recorded === undefined) return new Reply({ error: "States.TaskFailed", cause: `the recording has no answer for call ${command.call}` });
      return new Reply(factsOf(recorded));
    }
    case "expression": {
      const input = inputOf(command);
      const { value, nothing, message } = answerTo("jsonata", mock.expression, {
        input,
        variables: { states: { input }, input, attempt: command.attempt, iteration: command.iterations?.at(-1) ?? null },
      });
      if (message !== undefined) return new Reply({ error: "States.TaskFailed", cause: `the mock's expression: ${message}`, after });
      return new Reply({ output: nothing ? null : value, after });
    }
    default:
      return single(mock, command);
  }
}

/** What a handler would be given: of a function that is invoked its payload. */
function inputOf({ resource, input }) {
  return handlerInput(parseResource(resource), input);
}

function single({ result = null, response, error, cause, silent, after = 0 }, command) {
  if (silent) return new Reply({ silent: true });
  if (error !== undefined) return new Reply({ error, cause, after });
  // What comes by a token is never wrapped.
  const whole = response !== undefined && !command.resource.endsWith(".waitForTaskToken");
  return new Reply({ output: whole ? new TaskResponse(response) : (response ?? result), after });
}

/** The first step whose attempt, iteration and call fit; a step that names none fits always. */
function scripted({ steps = [], after }, command) {
  const step = steps.find(({ attempt, iteration, call }) => inRanges(attempt, command.attempt) && inRanges(iteration, command.iterations?.at(-1)) && inRanges(call, command.call));
  if (step === undefined) {
    const at = command.iterations?.length ? ` of iteration ${command.iterations.at(-1)}` : "";
    return new Reply({ error: "States.TaskFailed", cause: `the mock's script has no step for attempt ${command.attempt}${at}, call ${command.call}` });
  }
  return single({ after, ...step }, command);
}

/** The other way: what facts say of a task's answer. */
export function answerOf(facts: ReplyFact[]): Omit<RecordedTask, "state" | "iterations" | "attempt" | "event" | "input" | "unknown"> {
  const told = { never: true };
  for (const { method, after, b, c } of facts) {
    if (method === "started") told.workerName = b ?? null;
    else if (method === "submitted") told.submitted = JSON.parse(b);
    else if (method === "succeed" || method === "fail") {
      delete told.never;
      told.after = after;
      if (method === "succeed") told.output = JSON.parse(b);
      else Object.assign(told, { error: b ?? null }, c !== undefined && { cause: c });
    }
  }
  return told;
}

/** What a recorded task was answered, as facts that come `after` so many milliseconds; `silent` where nobody answered. */
export function factsOf({ after = 0, submitted, workerName, output, error, cause, never }: Partial<RecordedTask>): { facts: ReplyFact[]; silent: boolean } {
  const facts = [];
  if (workerName !== undefined) facts.push({ method: "started", after: 0, b: workerName ?? undefined });
  if (submitted !== undefined) facts.push({ method: "submitted", after: 0, b: JSON.stringify(submitted) });
  if (error !== undefined) facts.push({ method: "fail", after, b: error ?? undefined, c: cause });
  else if (output !== undefined) facts.push({ method: "succeed", after, b: JSON.stringify(output) });
  return { facts, silent: never === true };
}

/** Whether a number is in "0", "1-3", "4+", "0,2-4"; nothing written holds all. */
export function inRanges(ranges, n) {
  if (ranges === undefined || ranges === null || String(ranges).trim() === "") return true;
  if (n === undefined) return false;
  return String(ranges)
    .split(",")
    .some((part) => {
      const range = /^\s*(\d+)\s*(?:(\+)|-\s*(\d+))?\s*$/.exec(part);
      if (!range) return false;
      const low = Number(range[1]);
      return n >= low && (range[2] !== undefined || n <= Number(range[3] ?? low));
    });
}
