// The handlers of a test, and a record of their calls.

import type { HostFeature, HostProgram, HostTask, HostTaskContext, OpenHost } from "../../core/api/host-tests.d.ts";
import type { Patience } from "./checks.ts";

/** A call of a handler. */
export interface Call {
  name: string;
  input: any;
  key: string;
  attempt: number;
  token: string | undefined;
  /** Whether the signal of the call was aborted. */
  readonly aborted: boolean;
  answer(value?: unknown): void;
}

/** Returns an error as a handler throws it. */
export function failure(error: string, cause: string): Error {
  return Object.assign(new Error(cause), { name: error, error, errorCause: cause });
}

/** The handlers of a test, and all of their calls. */
export class World {
  readonly calls: Call[] = [];
  readonly #patience: Patience;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** Returns a handler that records its calls. Without `answer`, the test gives the answer with the call's own method. */
  handler(name: string, answer?: (input: any, task: HostTaskContext, call: Call) => unknown): HostTask {
    return (input, task) => {
      let settle!: (value: unknown) => void;
      const later = new Promise((resolve) => (settle = resolve));
      const { idempotencyKey: key, attempt, token, signal } = task;
      const call: Call = { name, input, key, attempt, token, answer: settle, get aborted() { return signal.aborted; } }; // prettier-ignore
      this.calls.push(call);
      return answer === undefined ? later : answer(input, task, call);
    };
  }

  /** Returns the handlers of a test by their names. All of them record their calls. */
  handlers(
    answers: Readonly<Record<string, ((input: any, task: HostTaskContext, call: Call) => unknown) | undefined>>,
  ): HostProgram["tasks"] {
    return Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, this.handler(name, answer)]));
  }

  /** Returns the calls of a handler so far. */
  of(name: string): Call[] {
    return this.calls.filter((call) => call.name === name);
  }

  /** Resolves to the call of a handler with this number, counted from 0. */
  async called(name: string, number = 0): Promise<Call> {
    return this.#patience.until(() => this.of(name)[number], `call ${number + 1} of ${name}`);
  }
}

/** What a test gets: a host, handlers, and names. */
export interface Surroundings {
  patience: Patience;
  world: World;
  /** Opens a host, which is closed after the test. */
  open(program: HostProgram): Promise<OpenHost>;
  /** A name that no other test uses. */
  name(of: string): string;
}

export interface Test {
  name: string;
  /** The feature that the test needs, which a host may lack. */
  needs?: HostFeature;
  run(surroundings: Surroundings): Promise<void>;
}
