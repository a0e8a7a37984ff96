// Standby: the task router of a server that calls nothing. Its tasks wait for the next server that opens the store.

import { TAKER, type Taker } from "../../core/tasks/call.ts";
import { stepFunctions } from "./nested.ts";
import { TaskRouter } from "./router.ts";
import type { Context } from "./context.ts";

/** A taker that leaves every task open. */
const nobody: Taker & { [TAKER]: true } = { [TAKER]: true, take: () => {}, taken: () => {} };

/** Calls no task. It still records the executions that tasks have started, so that they are stopped with their parents. */
export class StandbyRouter extends TaskRouter {
  readonly #of: Context;

  constructor(service: Context) {
    super(service, { tasks: {} });
    this.#of = service;
  }

  override forTestCase(): this {
    return this;
  }

  override find(resource: string): Taker {
    const parsed = this.resource(resource);
    // Nothing is called for it, so a signal that is sent now reaches its execution.
    if (parsed.kind === "runtime" && parsed.name === "waitForSignal") return this.#of.tasks.find(parsed) ?? nobody;
    const starter = stepFunctions(this.#of, parsed);
    const taken = starter?.taken?.bind(starter);
    return taken === undefined ? nobody : ({ ...nobody, taken } as Taker);
  }
}
