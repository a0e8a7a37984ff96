// What stands for a task: a result, an error, a script of them, an expression, or the person at the page.

import { misuse } from "../errors.js";
import { Handlers } from "../resource.js";
import { ask } from "./expressions.js";

const MODES = ["ask", "echo", "result", "error", "script", "expression", "handler"];

/** What a mock wants to happen: `{output}`, `{error, cause}`, `{ask: true}` or `{silent: true}`, each `after` so many milliseconds. */
export class Reply {
  constructor(what) {
    Object.assign(this, { after: 0 }, what);
  }
}

/** The mocks of a run by state, function or resource, found as handlers are. */
export class Mocks {
  #handlers;
  #modes = new Map();

  constructor(mocks = {}) {
    const entries = Object.entries(mocks).filter(([, mock]) => check(mock).mode !== "handler");
    this.#handlers = new Handlers(
      Object.fromEntries(
        entries.map(([name, mock]) => {
          const reply = (command) => replyOf(mock, command);
          this.#modes.set(reply, mock.mode);
          return [name, reply];
        }),
      ),
    );
  }

  /** The function that replies to a command, or undefined where no mock is meant for it. */
  find(command) {
    return this.#handlers.find(command.resource, command.state, command.input);
  }

  modeOf(reply) {
    return this.#modes.get(reply);
  }
}

function check(mock) {
  if (typeof mock !== "object" || mock === null || !MODES.includes(mock.mode)) throw misuse("INVALID_OPTION", `a mock has a mode, one of ${MODES.join(", ")}`);
  return mock;
}

function replyOf(mock, command) {
  const { after = 0 } = mock;
  switch (mock.mode) {
    case "ask":
      return new Reply({ ask: true });
    case "echo":
      return new Reply({ output: command.input, after });
    case "script":
      return scripted(mock, command);
    case "expression": {
      const { value, nothing, message } = ask("jsonata", mock.expression, {
        input: command.input,
        variables: { states: { input: command.input }, input: command.input, attempt: command.attempt, iteration: command.iterations?.at(-1) ?? null },
      });
      if (message !== undefined) return new Reply({ error: "States.TaskFailed", cause: `the mock's expression: ${message}`, after });
      return new Reply({ output: nothing ? null : value, after });
    }
    default:
      return single(mock);
  }
}

function single({ result = null, error, cause, silent, after = 0 }) {
  if (silent) return new Reply({ silent: true });
  return error === undefined ? new Reply({ output: result, after }) : new Reply({ error, cause, after });
}

/** The first step whose attempt and iteration fit; a step that names neither fits always. */
function scripted({ steps = [], after }, command) {
  const step = steps.find(({ attempt, iteration }) => inRanges(attempt, command.attempt) && inRanges(iteration, command.iterations?.at(-1)));
  if (step === undefined) {
    const at = command.iterations?.length ? ` of iteration ${command.iterations.at(-1)}` : "";
    return new Reply({ error: "States.TaskFailed", cause: `no step of the mock's script is for attempt ${command.attempt}${at}` });
  }
  return single({ after, ...step });
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
