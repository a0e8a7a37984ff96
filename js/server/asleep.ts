// The handlers of a server that calls nothing: tasks wait for the server that comes after it.

import { TAKER, type Taker } from "../tasks/call.ts";
import { stepFunctions } from "./nested.ts";
import { TaskRouter } from "./router.ts";
import type { Service } from "./service.ts";

/** Leaves every task as it is: whoever has one keeps it. */
const nobody: Taker & { [TAKER]: true } = { [TAKER]: true, take: () => {}, taken: () => {} };

/** Finds nobody for each task, but knows what executions were started by tasks: they are stopped with them. */
export class Asleep extends TaskRouter {
  readonly #of: Service;

  constructor(service: Service) {
    super(service, { tasks: {} });
    this.#of = service;
  }

  override forTestCase(): this {
    return this;
  }

  override find(resource: string): Taker {
    const parsed = this.resource(resource);
    // A signal that is sent now is given to who waits for it.
    if (parsed.kind === "runtime" && parsed.name === "waitForSignal") return this.#of.tasks.find(parsed) ?? nobody;
    const starter = stepFunctions(this.#of, parsed);
    const taken = starter?.taken?.bind(starter);
    return taken === undefined ? nobody : ({ ...nobody, taken } as Taker);
  }
}
