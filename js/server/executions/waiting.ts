// Handlers that leave tasks open if the handlers of an earlier server are missing.

import type { TaskHandler } from "../../core/api/index.d.ts";
import type { Taker } from "../../core/tasks/call.ts";
import { Handlers, type MissingHandler } from "../../core/tasks/resource.ts";

/** The handlers of an execution that an earlier server started. A task without a handler waits until a server has it. */
export class Waiting extends Handlers {
  readonly #router: Handlers;

  constructor(router: Handlers) {
    super({});
    this.#router = router;
  }

  override find(resource: string, state: string, input: unknown): TaskHandler | Taker | undefined {
    return this.#router.find(resource, state, input);
  }

  override missing(resource: string, state: string, input: unknown): MissingHandler {
    const missing = this.#router.missing(resource, state, input);
    // Activities are in the store, so a missing activity was deleted.
    return this.resource(resource).kind === "activity" ? missing : { ...missing, waits: true };
  }
}
