// Interceptors: functions of the user around the handlers of tasks, around starts and around signals.

import type { Task, TaskHandler } from "../../core/api/index.d.ts";
import type { DurableExecution, Interceptor, InterceptedSignal, InterceptedStart } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";

const METHODS = ["task", "start", "signal"] as const;

/** The interceptors of a runtime. The first one is the outermost. */
export class Interceptors {
  readonly #list: readonly Interceptor[];
  readonly #around = new WeakMap<TaskHandler, TaskHandler>();
  readonly #hasTasks: boolean;

  constructor(list: readonly Interceptor[] = []) {
    if (!Array.isArray(list)) throw misuse("INVALID_OPTION", `interceptors must be a list, not ${shown(list)}`);
    for (const one of list) {
      // An interceptor can be an object of a class, with members of its own.
      if (typeof one !== "object" || one === null || METHODS.every((name) => one[name] === undefined))
        throw misuse("INVALID_OPTION", `an interceptor must have at least one of the methods ${METHODS.join(", ")}`);
      for (const name of METHODS)
        if (one[name] !== undefined && typeof one[name] !== "function")
          throw misuse("INVALID_OPTION", `${name} of an interceptor must be a function, not ${shown(one[name])}`);
    }
    this.#list = list;
    this.#hasTasks = list.some(({ task }) => task !== undefined);
  }

  /** Returns a handler with the interceptors of tasks around it. */
  handler(handler: TaskHandler): TaskHandler {
    if (!this.#hasTasks) return handler;
    const known = this.#around.get(handler);
    if (known !== undefined) return known;
    let call: (input: any, task: Task) => unknown = handler;
    for (const one of this.#list.toReversed()) {
      if (one.task === undefined) continue;
      const inner = call;
      call = (input, task) => one.task!({ input, task }, (changed: { input: any } = { input }) => inner(changed.input, task));
    }
    const around = call as TaskHandler;
    this.#around.set(handler, around);
    return around;
  }

  start(start: InterceptedStart, begin: (start: InterceptedStart) => Promise<DurableExecution>): Promise<DurableExecution> {
    return this.#chain("start", start, begin);
  }

  signal(signal: InterceptedSignal, send: (signal: InterceptedSignal) => Promise<void>): Promise<void> {
    return this.#chain("signal", signal, send);
  }

  async #chain<Given extends object, Result>(
    name: "start" | "signal",
    given: Given,
    last: (given: Given) => Promise<Result>,
  ): Promise<Result> {
    let call = last;
    for (const one of this.#list.toReversed()) {
      // The type of the method is the one of `name`.
      const method = one[name] as unknown as ((given: Given, next: (changed?: Given) => Promise<Result>) => Promise<Result>) | undefined;
      if (method === undefined) continue;
      const inner = call;
      call = async (given) => method.call(one, given, (changed = given) => inner(changed));
    }
    return call(given);
  }
}
