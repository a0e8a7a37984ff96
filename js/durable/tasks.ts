// What whoever runs executions does himself for tasks: Resources that begin with `urn:stepglass:`, and those of Step Functions.

import type { Taker } from "../tasks/call.ts";
import type { MissingHandler, Resource, TaskSource } from "../tasks/resource.ts";
import { Cancellation } from "./cancellation.ts";
import { Children, type Runs } from "./children.ts";
import { Continuation } from "./continuation.ts";
import type { RemoteMethods, HostOptions } from "./host.ts";
import { noteBeat } from "./live.ts";
import { Signals } from "./signals.ts";
import { stateTask } from "./state.ts";
import { forgetPlaces, noteAttempt, notePlace } from "./task-options.ts";

/** What tasks whose Resources begin with `urn:stepglass:` ask of whoever runs the executions. */
export type OwnRuns = Pick<Runs, "host" | "payloadLimit" | "machine" | "begin" | "options">;

/** The tasks whose Resources begin with `urn:stepglass:`. */
export class OwnTasks implements TaskSource {
  readonly signals: Signals;
  readonly cancellation: Cancellation;
  /** By what follows `urn:stepglass:`. */
  readonly #own: ReadonlyMap<string, Taker>;

  constructor(runs: OwnRuns) {
    const host = () => runs.host;
    this.signals = new Signals(host);
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

  find(resource: Resource, _input?: unknown): Taker | undefined {
    return resource.kind === "runtime" ? this.#own.get(resource.name) : undefined;
  }

  missing(resource: Resource, _input?: unknown): MissingHandler | undefined {
    if (resource.kind !== "runtime") return undefined;
    const known = [...this.#own.keys()].map((name) => `urn:stepglass:${name}`).join(", ");
    return { error: "States.TaskFailed", cause: `Stepglass has no task "urn:stepglass:${resource.name}"; it has: ${known}.` };
  }

  /** What is done with executions where they are. */
  get remoteMethods(): RemoteMethods {
    return {
      signal: (arn: string, name: string, payload: string, id?: string) => this.signals.take(arn, name, payload, id),
      cancel: (arn: string, details?: unknown) => this.cancellation.take(arn, details),
    };
  }

  /** What the tasks have to hear of from their host. */
  get hooks(): Pick<HostOptions, "onNote" | "onCancelled" | "onSnapshot"> {
    return {
      onNote: (live, name, details) => {
        if (name === "heartbeat") noteBeat(live.state, details);
        else if (name === "attempt") noteAttempt(live.state, details);
        else if (name === "queued") notePlace(live.state, details);
        else this.signals.onNote(live, name, details);
      },
      onCancelled: (live, task) => this.signals.onCancelled(live, task),
      onSnapshot: (live) => {
        this.signals.onSnapshot(live);
        forgetPlaces(live);
      },
    };
  }
}

/** Besides these the tasks of a runtime that start executions, describe and stop them. */
export class RuntimeTasks extends OwnTasks {
  readonly children: Children;

  constructor(runs: Runs) {
    super(runs);
    this.children = new Children(runs);
  }

  override find(resource: Resource, input: unknown): Taker | undefined {
    return super.find(resource) ?? this.children.find(resource, input);
  }

  override missing(resource: Resource, input: unknown): MissingHandler | undefined {
    return super.missing(resource) ?? this.children.missing(resource, input);
  }
}
