// Executions that tasks start: `states:startExecution` and the like, for machines of a runtime. A child is an execution of its own
// in the store. Its name follows from the task, so a restart finds it again and never starts it twice.

import type { ExecutionRecord, ParentClosePolicy, TaskOptions } from "../../core/api/durable.d.ts";
import { isJson, jsonText } from "../../core/tasks/integration.ts";
import { KnownText } from "../../core/tasks/known-text.ts";
import { later } from "../../core/driver/scheduler.ts";
import type { Outcome } from "../../core/driver/driver.ts";
import {
  ASK,
  Child,
  INVALID_OUTPUT,
  INVALID_TOKEN,
  SEND,
  TASK_TIMED_OUT,
  abortedWith,
  completionOf,
  describe,
  inputText,
  refusal,
  rejoin,
  serviceOf,
  startedMachine,
  stop,
  unknownExecution,
  unknownMachine,
  wait,
} from "../../core/execution/nested.ts";
import { startProblem } from "../../core/execution/start.ts";
import type { StateMachine } from "../../core/execution/machine.ts";
import type { Completion, TaskCall, TaskDriver, Taker } from "../../core/tasks/call.ts";
import type { MissingHandler, Resource } from "../../core/tasks/resource.ts";
import { executionOfToken } from "../../core/tasks/token.ts";
import type { Attributes } from "../store/attributes.ts";
import type { Continues, Host, Started } from "./host.ts";
import type { Live } from "./live.ts";
import type { Continued } from "./continuation.ts";
import { isClosed, refuse } from "./requests.ts";
import { uuidOf } from "./names.ts";

/** Tags of executions that end with their parents. A restart searches for them. */
const SUPERVISED = "stepglass:supervised";
const PARENT = "stepglass:parent";

/** The member `parent` of a child's record. */
export interface Parent {
  arn: string;
  /** The number of the task that has started the child. */
  task: number;
  /** Whether the task waits for the child's end. */
  waits: boolean;
  policy: ParentClosePolicy;
}

/** A start that a task requests. */
export interface ChildStart {
  machine: string;
  name: string;
  /** The input, as JSON text. */
  input: string;
  /** The execution whose task requests the start. */
  parent?: Parent;
  /** The execution that the new one continues, and the write in which both change. */
  continued?: Continued;
  continues?: Continues;
  tags?: Record<string, string>;
  attributes?: Attributes;
  priority?: number;
  /** Distinguishes the executions of an Express machine. */
  run: string;
  /** The number of a further execution with the same name, from 2. */
  runId?: number;
}

/** The methods of a runtime that its children need. */
export interface Runs {
  readonly host: Host;
  readonly payloadLimit: number | undefined;
  /** Whether values that JSON would change are refused. */
  readonly isStrict?: boolean | undefined;
  /** Returns the machine with an ARN or a name. */
  machine(arn: string): { name: string; machine: StateMachine } | undefined;
  begin(start: ChildStart): Promise<Started>;
  /** Returns the ARN of the execution that a start creates. */
  arnOf(start: ChildStart): string;
  answer(token: string, ...completion: Completion): Promise<boolean>;
  /** Returns the options of a state, or of a resource. */
  options(state: string, resource: string): TaskOptions | undefined;
  cancel(arn: string, cause: string): Promise<void>;
}

/** Starts, describes and stops executions for tasks of a runtime. */
export class Children {
  readonly #runs: Runs;
  /** Callbacks for the ends of executions, by ARN. */
  readonly #watchers = new Map<string, Set<(ended: ExecutionRecord) => void>>();

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  /** Returns the handler of a task that concerns executions, or undefined for other tasks. */
  find({ kind, name }: Resource, input: unknown): Taker | undefined {
    if (kind !== "service") return undefined;
    const method = SEND.get(name);
    if (method !== undefined) return { take: (call, driver) => void this.#send(method, call, driver) };
    const asked = ASK.exec(name);
    if (asked) return { take: (call, driver) => void this.#ask(asked[1] === "stop" ? stop : describe, call, driver) };
    const arn = startedMachine(name, input);
    if (arn === undefined || this.#runs.machine(arn) === undefined) return undefined;
    return {
      take: (call, driver) => void this.#start(call, driver, false),
      taken: (call, driver) => later(() => void this.#start(call, driver, true)),
    };
  }

  missing({ name }: Resource, input: unknown): MissingHandler | undefined {
    return unknownMachine(name, input);
  }

  /** The runtime calls this when an execution has ended. A waiting parent gets the end, and the children end by their close policy. */
  ended(record: ExecutionRecord): void {
    for (const end of [...(this.#watchers.get(record.id) ?? [])]) end(record);
    const parent = parentOf(record);
    // The parent may have been unloaded. Once it is loaded again, it reads the end from the store.
    if (parent?.waits) this.#runs.host.take(parent.arn).catch(() => {});
    if (record.hasChildren === true) void this.#close(record).catch(() => {});
  }

  /** The runtime calls this when executions have ended in other processes. Tasks may wait for them here. */
  endedElsewhere(ids: readonly string[]): void {
    for (const id of ids) {
      if (!this.#watchers.has(id)) continue;
      this.#runs.host.record(id).then(
        (record) =>
          record !== undefined && record.status !== "RUNNING" && [...(this.#watchers.get(id) ?? [])].forEach((end) => end(record)),
        () => {},
      );
    }
  }

  /** The runtime calls this when it opens. Ends children whose parent has ended, if the process stopped before it could end them. */
  async sweep(): Promise<void> {
    await this.#each({ [SUPERVISED]: "yes" }, async (child, parent) => {
      const above = await this.#runs.host.record(parent.arn);
      if (above?.status === "RUNNING") {
        if (!parent.waits || above.suspended !== undefined) return;
        const live = await this.#runs.host.take(parent.arn);
        if (live === undefined || isOpen(live, parent.task)) return;
      }
      await this.#closeChild(child.id, parent);
    });
  }

  async #start(call: TaskCall, driver: TaskDriver, again: boolean): Promise<void> {
    if (call.ended) return;
    const service = serviceOf(call);
    const { command } = call;
    const { StateMachineArn: machineArn, Name: given } = command.input;
    const registered = this.#runs.machine(machineArn);
    if (registered === undefined) return refuse(driver, call, unknownMachine(service, command.input)!);
    const parent = this.#parent(call, driver);
    const live = this.#runs.host.find(parent.arn);
    const key = uuidOf(`${parent.arn}/${parent.task}`);
    const input = inputText(call, (value) => driver.inputOf?.(command.task, "Input") ?? jsonText(value));
    const priority = this.#runs.options(command.state, command.resource)?.priority ?? 0;
    const start: ChildStart = {
      ...(priority !== 0 && { priority }),
      machine: registered.name,
      name: typeof given === "string" ? given : key,
      input,
      parent,
      run: key,
      ...(parent.policy !== "abandon" && { tags: { [SUPERVISED]: "yes", [PARENT]: parent.arn } }),
    };
    const problem = again ? undefined : this.#problem(service, registered.machine, start);
    if (problem !== undefined) return refuse(driver, call, problem);
    try {
      await this.#prepare(parent);
      // A child that was started before is not started again, even if retention has removed it since.
      const record = again ? await this.#runs.host.record(this.#runs.arnOf(start)) : (await this.#runs.begin(start)).record;
      if (record === undefined) return refuse(driver, call, unknownExecution(call, this.#runs.arnOf(start)));
      const own = parentOf(record);
      const isOwn = own?.arn === parent.arn && own.task === parent.task;
      if (!isOwn && (record.status !== "RUNNING" || record.input !== input))
        return refuse(driver, call, refusal(service, "ExecutionAlreadyExists", `Execution Already Exists: '${record.id}'`));
      if (call.ended) await this.#orphaned(record.id, parent, live);
      else this.#join(call, driver, record, again);
    } catch (thrown) {
      if (!call.ended && !isClosed(thrown)) refuse(driver, call, refusal(service, "InternalFailure", String((thrown as Error).message)));
    }
  }

  /** Returns the error with which AWS would refuse a start. */
  #problem(service: string, machine: StateMachine, { name, input }: ChildStart): MissingHandler | undefined {
    if (service.endsWith("startSyncExecution") && machine.type !== "EXPRESS")
      return refusal(service, "StateMachineTypeNotSupported", "This operation is not supported by this type of state machine");
    const problem = startProblem(name, input, this.#runs.payloadLimit);
    if (problem !== undefined) return refusal(service, ...problem);
    if (isJson(input)) return undefined;
    return refusal(service, "InvalidExecutionInput", "Invalid State Machine Execution Input: 'the input is not JSON'");
  }

  #parent(call: TaskCall, driver: TaskDriver): Parent {
    const { task, state, resource } = call.command;
    const waits = call.resource.pattern.startsWith("sync") || serviceOf(call).endsWith("startSyncExecution");
    // As on AWS, a parent that waits for a child stops it when it no longer waits.
    const policy = this.#runs.options(state, resource)?.parentClosePolicy ?? (waits ? "terminate" : "abandon");
    return { arn: driver.execution.arn, task, waits, policy };
  }

  /** Stores that an execution has children which end with it, before the first one is started. */
  async #prepare({ arn, waits, policy }: Parent): Promise<void> {
    const live = this.#runs.host.find(arn);
    if (waits || policy === "abandon" || live === undefined || live.record.hasChildren === true) return;
    await live.change({ hasChildren: true });
  }

  /** Completes the task with its child, or waits for the child's end. */
  #join(call: TaskCall, driver: TaskDriver, record: ExecutionRecord, again: boolean): void {
    const parent = this.#parent(call, driver);
    const child = this.#child(record, call);
    const { state, resource } = call.command;
    child.hasDistinctErrors = this.#runs.options(state, resource)?.childErrors === "distinct";
    if (again) wait(child, call, driver);
    else rejoin(child, call, driver);
    call.onEndRequest = () => void this.#runs.cancel(record.id, abortedWith(parent.arn)).catch(() => {});
    if (parent.waits) call.onCancel = () => void this.#closeChild(record.id, parent).catch(() => {});
    this.#runs.host.find(parent.arn)?.stored();
  }

  /** Called if a task has ended while its child was being started. The task was cancelled, or its execution was only unloaded. */
  async #orphaned(id: string, parent: Parent, live: Live | undefined): Promise<void> {
    const above = await this.#runs.host.record(parent.arn);
    if (!parent.waits || (above?.status === "RUNNING" && this.#runs.host.find(parent.arn) !== live)) return;
    await this.#closeChild(id, parent);
  }

  /** Returns an execution in the form that tasks use. */
  #child(record: ExecutionRecord, call: TaskCall): Child {
    const { id, name, machineArn, input, startDate } = record;
    const child = new Child({ name, arn: id, machineArn, input, startDate });
    child.isReported = true;
    child.isStored = true;
    const end = (ended: ExecutionRecord) => child.end(outcomeOf(ended), ended.stopDate ?? startDate, true);
    if (record.status !== "RUNNING") end(record);
    else {
      const abort = (error?: string, cause?: string) => void this.#stop(id, error, cause).catch(() => {});
      child.execution = { name, arn: id, abort };
      this.#watch(id, call, end);
    }
    return child;
  }

  /**
   * Calls `end` when an execution ends, while the task is open. The callback is removed with the task, so an unloaded parent leaves
   * none.
   */
  #watch(id: string, call: TaskCall, end: (ended: ExecutionRecord) => void): void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(end));
    call.onEnd = () => {
      watchers.delete(end);
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
    };
    // The execution may have ended since its record was read.
    this.#runs.host.record(id).then(
      (now) => now !== undefined && now.status !== "RUNNING" && watchers.has(end) && end(now),
      () => {},
    );
  }

  async #ask(answer: typeof describe, call: TaskCall, driver: TaskDriver): Promise<void> {
    const arn: unknown = call.command.input?.ExecutionArn;
    const record = await this.#record(arn);
    if (call.ended || record === null) return;
    if (record === undefined || record.id.includes(":express:"))
      return refuse(driver, call, unknownExecution(call, arn, record !== undefined));
    answer(this.#child(record, call), call, driver);
  }

  /** Returns the record of an execution, or null if the runtime was closed. */
  async #record(arn: unknown): Promise<ExecutionRecord | null | undefined> {
    if (typeof arn !== "string") return undefined;
    return this.#runs.host.record(arn).catch(() => null);
  }

  async #send(method: Completion[0], call: TaskCall, driver: TaskDriver): Promise<void> {
    const token: unknown = call.command.input?.TaskToken;
    const completion = completionOf(method, call);
    const arn = typeof token === "string" ? executionOfToken(token) : undefined;
    const record = await this.#record(arn);
    if (record === null) return;
    if (record === undefined) return refuse(driver, call, INVALID_TOKEN);
    if (completion === undefined) return refuse(driver, call, INVALID_OUTPUT);
    try {
      if (await this.#runs.answer(token as string, ...completion)) driver.complete(call, "succeed", "{}");
      else refuse(driver, call, TASK_TIMED_OUT);
    } catch (thrown) {
      if (!isClosed(thrown)) refuse(driver, call, INVALID_TOKEN);
    }
  }

  async #close(record: ExecutionRecord): Promise<void> {
    await this.#each({ [PARENT]: record.id }, (child, parent) => this.#closeChild(child.id, parent));
  }

  async #closeChild(id: string, { arn, policy }: Parent): Promise<void> {
    const why = abortedWith(arn);
    if (policy === "terminate") await this.#stop(id, undefined, why);
    else if (policy === "request-cancel") await this.#runs.cancel(id, why);
  }

  async #stop(id: string, error?: string, cause?: string): Promise<void> {
    await this.#runs.host.at(id, "stop", [id, error, cause]);
  }

  /** Calls `what` for each running child with these tags. */
  async #each(tags: Record<string, string>, what: (child: ExecutionRecord, parent: Parent) => Promise<void>): Promise<void> {
    for (let before: number | undefined; ;) {
      const page = await this.#runs.host.store.list({ status: "RUNNING", tags }, { ...(before !== undefined && { before }), limit: 100 });
      for (const child of page.items) {
        const parent = parentOf(child as ExecutionRecord);
        if (parent !== undefined) await what(child as ExecutionRecord, parent);
      }
      if (page.before === undefined) return;
      before = page.before;
    }
  }
}

/** Returns the tags that the caller of a start has given, without those of this file. */
export function ownTags(tags: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).filter(([name]) => name !== SUPERVISED && name !== PARENT));
}

function parentOf(record: ExecutionRecord): Parent | undefined {
  return record.parent as Parent | undefined;
}

/** Returns whether a task of an execution is still pending. */
function isOpen(live: Live, task: number): boolean {
  return (JSON.parse(live.engine.ask("pending")) as { task: number }[]).some((pending) => pending.task === task);
}

/** Returns the outcome of an execution. The numbers of its output keep all digits. */
function outcomeOf({ status, output, error, cause }: ExecutionRecord): Outcome {
  const ended = { status, error, cause, ...(output !== undefined && { output: new KnownText(output) }) };
  return ended as Outcome;
}
