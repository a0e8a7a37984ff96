// Built-in tasks: resources that the runtime handles itself. They begin with `urn:stepglass:`, or are Step Functions' own.

import { checkOptions } from "../../core/base/options.ts";
import { argumentText } from "../../core/tasks/integration.ts";
import type { Taker } from "../../core/tasks/call.ts";
import type { MissingHandler, Resource, TaskSource } from "../../core/tasks/resource.ts";
import { attributesTask } from "./attributes.ts";
import { forgetCalls, noteCall } from "./at-most-once.ts";
import { Cancellation } from "./cancellation.ts";
import { Children, type Runs } from "./children.ts";
import { Continuation } from "./continuation.ts";
import type { RemoteMethods, HostOptions } from "./host.ts";
import type { Interceptors } from "./interceptors.ts";
import { noteBeat } from "./live.ts";
import { Signals } from "./signals.ts";
import { stateTask } from "./state.ts";
import { forgetPlaces, noteAttempt, notePlace } from "./task-options.ts";

/** The parts of the runtime that the tasks with `urn:stepglass:` use. */
export type OwnRuns = Pick<Runs, "host" | "payloadLimit" | "isStrict" | "machine" | "begin" | "options">;

/** The built-in tasks whose resources begin with `urn:stepglass:`. */
export class OwnTasks implements TaskSource {
  readonly signals: Signals;
  readonly cancellation: Cancellation;
  /** Whether values that JSON would change are refused. */
  readonly isStrict: boolean;
  /** The handlers, by the part of the resource after `urn:stepglass:`. */
  readonly #own: ReadonlyMap<string, Taker>;

  constructor(runs: OwnRuns) {
    const host = () => runs.host;
    this.isStrict = runs.isStrict ?? false;
    this.signals = new Signals(host);
    this.cancellation = new Cancellation(runs);
    this.#own = new Map(
      Object.entries({
        ...this.signals.tasks,
        setState: stateTask(host),
        setAttributes: attributesTask(host),
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

  /** The methods that run in the process that owns an execution. */
  get remoteMethods(): RemoteMethods {
    return {
      signal: (arn: string, name: string, payload: string, id?: string) => this.signals.take(arn, name, payload, id),
      signals: (arn: string) => this.signals.pending(arn),
      cancel: (arn: string, cause?: string) => this.cancellation.take(arn, cause),
      cancelScope: (arn: string, state: string, index?: number, cause?: string) => this.cancellation.takeScope(arn, state, index, cause),
    };
  }

  /** The events of the host that the tasks listen to. */
  get hooks(): Pick<HostOptions, "onNote" | "onCancelled" | "onSnapshot"> {
    return {
      onNote: (live, name, details) => {
        if (name === "heartbeat") noteBeat(live.state, details);
        else if (name === "attempt") noteAttempt(live.state, details);
        else if (name === "queued") notePlace(live.state, details);
        else if (name === "called") noteCall(live.state, details);
        else this.signals.onNote(live, name, details);
      },
      onCancelled: (live, task) => this.signals.onCancelled(live, task),
      onSnapshot: (live) => {
        this.signals.onSnapshot(live);
        forgetPlaces(live);
        forgetCalls(live);
      },
    };
  }
}

/** Adds the tasks of Step Functions that start, describe and stop executions of the runtime. */
export class RuntimeTasks extends OwnTasks {
  readonly children: Children;
  readonly #interceptors: Interceptors;

  constructor(runs: Runs, interceptors: Interceptors) {
    super(runs);
    this.#interceptors = interceptors;
    this.children = new Children(runs);
  }

  /** Sends a signal, with the interceptors around it. */
  async sendSignal(arn: string, name: string, payload: unknown, options: { id?: string }): Promise<void> {
    checkOptions(options, ["id"], "signal()");
    await this.#interceptors.signal({ arn, name, payload, ...options }, (signal) =>
      this.signals.send(signal.arn, signal.name, argumentText(signal.payload, "the payload", this.isStrict), signal.id),
    );
  }

  override find(resource: Resource, input: unknown): Taker | undefined {
    return super.find(resource) ?? this.children.find(resource, input);
  }

  override missing(resource: Resource, input: unknown): MissingHandler | undefined {
    return super.missing(resource) ?? this.children.missing(resource, input);
  }
}
