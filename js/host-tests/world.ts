// What the handlers of a test have seen, and what they do.

import type { HostFeature, HostProgram, HostTask, HostTaskContext, OpenHost } from "../api/host-tests.d.ts";
import type { Patience } from "./checks.ts";

/** A call of a handler. */
export interface Call {
  name: string;
  input: any;
  key: string;
  attempt: number;
  token: string | undefined;
  /** Whether its signal was aborted. */
  readonly aborted: boolean;
  answer(value?: unknown): void;
}

/** A failure as a handler throws it. */
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

  /** A handler that notes its calls; without `answer` it answers when the test has it answer. */
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

  /** The handlers that a test names: each is noted. */
  handlers(
    answers: Readonly<Record<string, ((input: any, task: HostTaskContext, call: Call) => unknown) | undefined>>,
  ): HostProgram["tasks"] {
    return Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, this.handler(name, answer)]));
  }

  /** The calls of a handler so far. */
  of(name: string): Call[] {
    return this.calls.filter((call) => call.name === name);
  }

  /** Resolves to a call of a handler: its `number`-th, counted from 0. */
  async called(name: string, number = 0): Promise<Call> {
    return this.#patience.until(() => this.of(name)[number], `call ${number + 1} of ${name}`);
  }
}

/** What a test stands on. */
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
  /** What a host may lack. */
  needs?: HostFeature;
  run(surroundings: Surroundings): Promise<void>;
}
