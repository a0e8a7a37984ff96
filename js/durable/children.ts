// Executions that tasks start: `states:startExecution` and its kin, for machines of a runtime. A child is kept by itself, under a
// name that follows from the task, so that it is found again after a restart and never starts twice.

import type { ExecutionRecord, ParentClosePolicy, TaskOptions } from "../api/durable.d.ts";
import { isJson, jsonText } from "../tasks/integration.ts";
import { KnownText } from "../tasks/known-text.ts";
import { later } from "../driver/scheduler.ts";
import type { Outcome } from "../driver/driver.ts";
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
} from "../execution/nested.ts";
import { startProblem } from "../execution/start.ts";
import type { StateMachine } from "../execution/machine.ts";
import type { Completion, TaskCall, TaskDriver, Taker } from "../tasks/call.ts";
import type { MissingHandler, Resource } from "../tasks/resource.ts";
import { executionOfToken } from "../tasks/token.ts";
import type { Continues, Host, Started } from "./host.ts";
import type { Live } from "./live.ts";
import type { Continued } from "./continuation.ts";
import { isClosed, refuse } from "./requests.ts";
import { uuidOf } from "./names.ts";

/** The tags of executions that end with their parents, which a restart looks for. */
const SUPERVISED = "stepglass:supervised";
const PARENT = "stepglass:parent";

/** What a child's record says of its parent. */
export interface Parent {
  arn: string;
  /** The number of the task that has started it. */
  task: number;
  /** Whether the task waits for its end. */
  waits: boolean;
  policy: ParentClosePolicy;
}

/** A start that a task asks for. */
export interface ChildStart {
  machine: string;
  name: string;
  /** JSON text. */
  input: string;
  /** The execution whose task has started it. */
  parent?: Parent;
  /** The execution that it continues, and how it begins with that one's end. */
  continued?: Continued;
  continues?: Continues;
  tags?: Record<string, string>;
  priority?: number;
  /** What tells executions of an Express machine apart. */
  run: string;
}

/** What children ask of their runtime. */
export interface Runs {
  readonly host: Host;
  readonly payloadLimit: number | undefined;
  /** The machine that an ARN or a name means. */
  machine(arn: string): { name: string; machine: StateMachine } | undefined;
  begin(start: ChildStart): Promise<Started>;
  /** The ARN that the execution of a start has. */
  arnOf(start: ChildStart): string;
  answer(token: string, ...completion: Completion): Promise<boolean>;
  /** The options of a state, or of a resource. */
  options(state: string, resource: string): TaskOptions | undefined;
  cancel(arn: string, cause: string): Promise<void>;
}

/** The executions that tasks of a runtime start, describe and stop. */
export class Children {
  readonly #runs: Runs;
  /** Who waits for the ends of executions. */
  readonly #watchers = new Map<string, Set<(ended: ExecutionRecord) => void>>();

  constructor(runs: Runs) {
    this.#runs = runs;
  }

  /** The handler of a task that concerns executions; undefined for other tasks. */
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

  /** For the runtime: an execution has ended. Its parent may wait for it, and its children end as they are to. */
  ended(record: ExecutionRecord): void {
    for (const end of [...(this.#watchers.get(record.id) ?? [])]) end(record);
    const parent = parentOf(record);
    // The parent may have left the memory: it finds the end when it is back.
    if (parent?.waits) this.#runs.host.take(parent.arn).catch(() => {});
    if (record.hasChildren === true) void this.#close(record).catch(() => {});
  }

  /** For the runtime: executions have ended in other processes, and tasks may wait for them here. */
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

  /** For the runtime, when it opens: what was to end with its parent, and the process ended between the two. */
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
      // A child that was begun is not begun again, even if retention has removed it meanwhile.
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

  /** Why AWS would refuse a start. */
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
    // As on AWS: who waits for an execution stops it when it does not wait any more.
    const policy = this.#runs.options(state, resource)?.parentClosePolicy ?? (waits ? "terminate" : "abandon");
    return { arn: driver.execution.arn, task, waits, policy };
  }

  /** Notes that an execution has children that end with it, before there are any. */
  async #prepare({ arn, waits, policy }: Parent): Promise<void> {
    const live = this.#runs.host.find(arn);
    if (waits || policy === "abandon" || live === undefined || live.record.hasChildren === true) return;
    await live.change({ hasChildren: true });
  }

  /** Answers the task with its child, or waits for it. */
  #join(call: TaskCall, driver: TaskDriver, record: ExecutionRecord, again: boolean): void {
    const parent = this.#parent(call, driver);
    const child = this.#child(record, call);
    if (again) wait(child, call, driver);
    else rejoin(child, call, driver);
    call.onEndRequest = () => void this.#runs.cancel(record.id, abortedWith(parent.arn)).catch(() => {});
    if (parent.waits) call.onCancel = () => void this.#closeChild(record.id, parent).catch(() => {});
    this.#runs.host.find(parent.arn)?.kept();
  }

  /** A task has ended while its child was being started: it was cancelled, or its execution has only left the memory. */
  async #orphaned(id: string, parent: Parent, live: Live | undefined): Promise<void> {
    const above = await this.#runs.host.record(parent.arn);
    if (!parent.waits || (above?.status === "RUNNING" && this.#runs.host.find(parent.arn) !== live)) return;
    await this.#closeChild(id, parent);
  }

  /** An execution as tasks see it. */
  #child(record: ExecutionRecord, call: TaskCall): Child {
    const { id, name, machineArn, input, startDate } = record;
    const child = new Child({ name, arn: id, machineArn, input, startDate });
    child.told = true;
    child.isKept = true;
    const end = (ended: ExecutionRecord) => child.end(outcomeOf(ended), ended.stopDate ?? startDate, true);
    if (record.status !== "RUNNING") end(record);
    else {
      const abort = (error?: string, cause?: string) => void this.#stop(id, error, cause).catch(() => {});
      child.execution = { name, arn: id, abort };
      this.#watch(id, call, end);
    }
    return child;
  }

  /** Tells of the end of an execution, as long as a task is open: a parent that has left the memory leaves nothing behind. */
  #watch(id: string, call: TaskCall, end: (ended: ExecutionRecord) => void): void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(end));
    call.onEnd = () => {
      watchers.delete(end);
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
    };
    // It may have ended since its record was read.
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

  /** The record of an execution; null where the runtime was closed. */
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

  /** Does something with each running child that has these tags. */
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

/** The tags of an execution that its starter has given. */
export function ownTags(tags: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).filter(([name]) => name !== SUPERVISED && name !== PARENT));
}

function parentOf(record: ExecutionRecord): Parent | undefined {
  return record.parent as Parent | undefined;
}

/** Whether an execution waits for a task. */
function isOpen(live: Live, task: number): boolean {
  return (JSON.parse(live.engine.ask("pending")) as { task: number }[]).some((pending) => pending.task === task);
}

/** How an execution has ended, with all digits of its output's numbers. */
function outcomeOf({ status, output, error, cause }: ExecutionRecord): Outcome {
  const ended = { status, error, cause, ...(output !== undefined && { output: new KnownText(output) }) };
  return ended as Outcome;
}
