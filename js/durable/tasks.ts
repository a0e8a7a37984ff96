// What a runtime does itself for tasks: Resources that begin with `urn:stepglass:`, and those of Step Functions.

import type { Taker } from "../tasks/call.ts";
import type { MissingHandler, Resource, TaskSource } from "../tasks/resource.ts";
import { Cancellation } from "./cancellation.ts";
import { Children, type Runs } from "./children.ts";
import { Continuation } from "./continuation.ts";
import type { HostOptions } from "./host.ts";
import { noteBeat } from "./live.ts";
import { Signals } from "./signals.ts";
import { stateTask } from "./state.ts";
import { noteAttempt } from "./task-options.ts";

export class RuntimeTasks implements TaskSource {
  readonly signals: Signals;
  readonly children: Children;
  readonly cancellation: Cancellation;
  /** By what follows `urn:stepglass:`. */
  readonly #own: ReadonlyMap<string, Taker>;

  constructor(runs: Runs) {
    const host = () => runs.host;
    this.signals = new Signals(host);
    this.children = new Children(runs);
    this.cancellation = new Cancellation(runs);
    this.#own = new Map(
      Object.entries({
        ...this.signals.tasks,
        setState: stateTask(host),
        continueAsNew: new Continuation(runs),
        ...this.cancellation.tasks,
      }),
    );
  }

  find(resource: Resource, input: unknown): Taker | undefined {
    return resource.kind === "runtime" ? this.#own.get(resource.name) : this.children.find(resource, input);
  }

  missing(resource: Resource, input: unknown): MissingHandler | undefined {
    if (resource.kind !== "runtime") return this.children.missing(resource, input);
    const known = [...this.#own.keys()].map((name) => `urn:stepglass:${name}`).join(", ");
    return { error: "States.TaskFailed", cause: `A Runtime has no task "urn:stepglass:${resource.name}"; it has: ${known}.` };
  }

  /** What the tasks have to hear of from their host. */
  get hooks(): Pick<HostOptions, "onNote" | "onCancelled" | "onSnapshot"> {
    return {
      onNote: (live, name, details) => {
        if (name === "heartbeat") noteBeat(live.state, details);
        else if (name === "attempt") noteAttempt(live.state, details);
        else this.signals.onNote(live, name, details);
      },
      onCancelled: (live, task) => this.signals.onCancelled(live, task),
      onSnapshot: (live) => this.signals.onSnapshot(live),
    };
  }
}
