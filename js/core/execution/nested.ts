// Executions that tasks start: `states:startExecution` and related actions, on the registered machines.

import { isObject } from "../base/json.ts";
import { misuse } from "../base/errors.ts";
import { description, isJson, jsonText, membersText, started } from "../tasks/integration.ts";
import { bareName } from "../tasks/resource.ts";
import { startProblem } from "./start.ts";
import type { Execution, ExecutionSnapshot, StateMachine } from "../api/index.d.ts";
import type { NestedSnapshot } from "../driver/calls.ts";
import type { Outcome } from "../driver/driver.ts";
import type { Completion, NestedExecution, TaskCall, TaskDriver, TaskFailure, Taker } from "../tasks/call.ts";
import type { ExecutionDetails } from "../tasks/integration.ts";
import type { MissingHandler, Resource, TaskSource } from "../tasks/resource.ts";
import type { ExecutionInfo } from "./execution.ts";

const ACCOUNT = "arn:aws:states:us-east-1:123456789012";
export const SEND = /* @__PURE__ */ new Map<string | undefined, Completion[0]>([
  ["aws-sdk:sfn:sendTaskSuccess", "succeed"],
  ["aws-sdk:sfn:sendTaskFailure", "fail"],
  ["aws-sdk:sfn:sendTaskHeartbeat", "heartbeat"],
]);
export const ASK = /^(?:states|aws-sdk:sfn):(describe|stop)Execution$/;
const START: readonly (string | undefined)[] = ["states:startExecution", "aws-sdk:sfn:startExecution", "aws-sdk:sfn:startSyncExecution"];

/**
 * Maximum length of a cause in AWS's API, in characters. An error that is passed from execution to execution is quoted again in
 * each, so that its length doubles.
 */
const LONGEST_CAUSE = 32_768;

/** The driver of an execution whose tasks can start other executions. */
export interface FamilyDriver extends TaskDriver {
  readonly family: Family;
  /** The seed for the names and the seeds of the executions that this one starts. */
  readonly seed: bigint;
  /** The nesting depth, if it is counted: how many parent executions this one has. */
  readonly depth?: number;
}

/** An execution of a family, as its other members see it. */
export type Member = TaskDriver["execution"] & Partial<Pick<Execution, "snapshot">>;

/** What a family reads of a machine. The class of machines imports this module, so this module does not import it. */
interface StartableMachine extends Pick<StateMachine, "name" | "type"> {
  readonly arn?: string | undefined;
}

/** The machines that tasks may start, by name and by ARN. */
export class Machines<M extends StartableMachine = StartableMachine> implements TaskSource {
  #named = new Map<string, M>();

  /** `option` is an array of machines, or an object or Map of them. */
  constructor(option: object, isMachine: (value: unknown) => value is M) {
    if (typeof option !== "object" || option === null)
      throw misuse("INVALID_OPTION", "machines must be an array, an object or a Map of state machines");
    for (const [name, machine] of named(option, isMachine)) {
      if (typeof name !== "string" || !isMachine(machine))
        throw misuse("INVALID_OPTION", `the machine ${JSON.stringify(String(name))} must be a StateMachine`);
      this.#named.set(name, machine);
      if (!this.#named.has(bareName(name, ":stateMachine:"))) this.#named.set(bareName(name, ":stateMachine:"), machine);
    }
  }

  /** All machines. Some are listed twice. */
  get all(): M[] {
    return [...this.#named.values()];
  }

  /** Returns the handler of a task that starts, describes or stops an execution or answers a token; undefined for other tasks. */
  find({ kind, name }: Resource, input: unknown): Taker | undefined {
    if (kind !== "service") return undefined;
    const method = SEND.get(name);
    if (method !== undefined) return new Sender(method);
    const asked = ASK.exec(name);
    if (asked) return asked[1] === "stop" ? new Stopper() : new Describer();
    const arn = startedMachine(name, input);
    if (arn === undefined) return undefined;
    const machine = this.#named.get(arn) ?? this.#named.get(withoutQualifier(arn)) ?? this.#named.get(bareName(arn, ":stateMachine:"));
    return machine && new Starter(machine);
  }

  /** Returns whether a task starts an execution. */
  isStart({ kind, name }: Resource): boolean {
    return kind === "service" && START.includes(name);
  }

  /** Returns the error of a task that starts a machine which is not registered; undefined for other tasks. */
  missing({ name }: Resource, input: unknown): MissingHandler | undefined {
    return unknownMachine(name, input);
  }
}

/** Returns the ARN of the machine that a task of this service starts; undefined for other tasks. */
export function startedMachine(name: string | undefined, input: unknown): string | undefined {
  return START.includes(name) ? machineArn(input) : undefined;
}

/** Returns the failure of a task that starts a machine which is not registered; undefined for other tasks. */
export function unknownMachine(name: string | undefined, input: unknown): MissingHandler | undefined {
  const arn = startedMachine(name, input);
  if (name === undefined || arn === undefined) return undefined;
  return refusal(name, "StateMachineDoesNotExist", `State Machine Does Not Exist: '${arn}'`);
}

/** Returns the entries of the option `machines`. */
function named(option: object, isMachine: (value: unknown) => value is StartableMachine): Iterable<readonly [unknown, unknown]> {
  if (option instanceof Map) return option;
  if (!Array.isArray(option)) return Object.entries(option);
  return option.map((machine: unknown) => [isMachine(machine) ? (machine.arn ?? machine.name) : "", machine]);
}

function machineArn(input: unknown): string | undefined {
  const arn = isObject(input) ? input.StateMachineArn : undefined;
  return typeof arn === "string" ? arn : undefined;
}

/** The details of a new execution: the text of its input, or the snapshot from which it continues. */
export interface Launch {
  text?: string;
  snapshot?: ExecutionSnapshot;
  family: Family;
  seed: bigint;
  info: ExecutionInfo;
  onFinish: (outcome: Outcome, now: number) => void;
  record: Child;
}

/** The options of a family. */
interface FamilyOptions {
  /** Starts or restores an execution as a member. The machine is one of those that the family's `Machines` have. */
  launch(machine: StartableMachine, how: Launch): Member;
  /** Returns the code and the message of the error with which a start is refused; undefined if it is allowed. */
  refuses?: (driver: FamilyDriver) => readonly [code: string, message: string] | undefined;
  onNested?: ((child: Execution, parent: Execution) => void) | undefined;
  /** Whether executions that have ended can still be described. */
  keeps: boolean;
  payloadLimit?: number | undefined;
}

/** The functions with which a member reports its beginning and its end to the family. */
export interface Entry {
  begun(execution: Member): void;
  ended(outcome: Outcome, now: number): void;
}

/** Executions that have started each other. They share machines, handlers, a clock, names and tokens. */
export class Family {
  readonly drivers = new Set<TaskDriver>();
  /** The executions whose names were given by their tasks, by ARN. */
  readonly named = new Map<string, Child>();
  /** The executions that can be described or stopped, by ARN. */
  readonly known = new Map<string, Child>();
  readonly launch: FamilyOptions["launch"];
  readonly refuses: FamilyOptions["refuses"];
  readonly payloadLimit: number | undefined;
  keeps: boolean;
  #onNested: FamilyOptions["onNested"];

  constructor({ launch, refuses, onNested, keeps, payloadLimit }: FamilyOptions) {
    this.launch = launch;
    this.refuses = refuses;
    this.#onNested = onNested;
    this.keeps = keeps;
    this.payloadLimit = payloadLimit;
  }

  /** Adds an execution to the family. */
  enter(record: Child): Entry {
    this.known.set(record.arn, record);
    return {
      begun: (execution) => {
        record.execution = execution;
      },
      ended: (outcome, now) => {
        record.end(outcome, now, this.keeps);
        if (!this.keeps) this.known.delete(record.arn);
      },
    };
  }

  /** Adds an execution that was started elsewhere. If there is an outcome, it has ended. */
  again(
    details: ChildDetails,
    execution: Member,
    outcome: Outcome | undefined,
    stopDate: number,
  ): { record: Child; ended: Entry["ended"] } {
    const record = new Child(details);
    record.isReported = true;
    const { begun, ended } = this.enter(record);
    if (details.named) this.named.set(record.arn, record);
    if (outcome === undefined) begun(execution);
    else ended(outcome, stopDate);
    return { record, ended };
  }

  /** Adds the execution that was not started by a task. */
  found({
    name,
    arn,
    machineArn,
    machineName,
    input,
    startDate,
  }: Omit<ChildDetails, "machineArn"> & { machineArn?: string | undefined; machineName: string }): Entry {
    return this.enter(new Child({ name, arn, machineArn: machineArn ?? arnOf(machineName), input, startDate }));
  }

  /** Reports an execution that a task has started. */
  notify(child: Member, parent: Member): void {
    try {
      // If nested executions are observed, all members are whole executions.
      this.#onNested?.(child as Execution, parent as Execution);
    } catch (thrown) {
      console.error("stepglass: onNested threw an error", thrown);
    }
  }
}

/** Starts a machine, and waits for its execution if the integration does. */
class Starter implements Taker {
  #machine: StartableMachine;

  constructor(machine: StartableMachine) {
    this.#machine = machine;
  }

  take(call: TaskCall, driver: FamilyDriver): void {
    const name = serviceOf(call);
    const refused = driver.family.refuses?.(driver);
    if (refused) return fail(driver, call, refusal(name, ...refused));
    if (name.endsWith("startSyncExecution") && this.#machine.type !== "EXPRESS") {
      return fail(
        driver,
        call,
        refusal(name, "StateMachineTypeNotSupported", "This operation is not supported by this type of state machine"),
      );
    }
    const child = this.#child(call, driver);
    if (child === undefined) return;
    rejoin(child, call, driver);
    // The start is reported last, because an observer may stop the execution at once.
    if (!child.isReported) notify(child, driver);
  }

  /** Waits again for an execution that was restored with its parent. */
  resume(call: TaskCall, driver: FamilyDriver, { child: details, snapshot }: NestedSnapshot): void {
    // The details were written by toJSON().
    const child = new Child(details as unknown as ChildDetails);
    this.#begin(child, driver, { snapshot });
    notify(child, driver);
    wait(child, call, driver);
  }

  /** Returns the new execution, or one with this name and input that is already running; undefined if AWS would refuse the start. */
  #child(call: TaskCall, driver: FamilyDriver): Child | undefined {
    const { command } = call;
    const refuse = (code: string, message: string) => void fail(driver, call, refusal(serviceOf(call), code, message));
    const { StateMachineArn: machine, Name } = command.input;
    const input = inputText(call);
    const seed = mix(driver.seed, command.task);
    const name = typeof Name === "string" ? Name : uuid(seed);
    const problem = startProblem(name, input, driver.family.payloadLimit);
    if (problem) return refuse(...problem);
    const arn = executionArn(machine, name, this.#machine, seed);
    const known = driver.family.named.get(arn);
    if (known?.running && known.input === input) return known;
    if (known) return refuse("ExecutionAlreadyExists", `Execution Already Exists: '${arn}'`);
    if (!isJson(input)) return refuse("InvalidExecutionInput", "Invalid State Machine Execution Input: 'the input is not JSON'");
    const child = new Child({
      name,
      arn,
      machineArn: arnOf(machine),
      input,
      startDate: driver.now(),
      seed: `${seed}`,
      named: typeof Name === "string",
    });
    if (child.named) driver.family.named.set(arn, child);
    this.#begin(child, driver, { text: input });
    return child;
  }

  #begin(child: Child, { family }: FamilyDriver, from: Pick<Launch, "text" | "snapshot">): void {
    const { begun, ended } = family.enter(child);
    const { name, arn, machineArn: stateMachineArn } = child;
    const execution = family.launch(this.#machine, {
      ...from,
      family,
      seed: BigInt(child.seed ?? 0),
      info: { name, arn, stateMachineName: bareName(stateMachineArn, ":stateMachine:"), stateMachineArn },
      onFinish: ended,
      record: child,
    });
    begun(execution);
  }
}

/** Returns the JSON text of a start's Input. The API accepts a text; Step Functions converts any other value to one. */
export function inputText({ command }: TaskCall, write: (given: unknown) => string = jsonText): string {
  const given: unknown = command.input.Input;
  if (given === undefined || given === null) return "{}";
  return typeof given === "string" ? given : write(given);
}

/** Returns the service and the action of a call that starts, describes or stops executions. */
export function serviceOf({ resource }: TaskCall): string {
  return resource.name ?? "";
}

function notify(child: Child, driver: FamilyDriver): void {
  child.isReported = true;
  if (child.execution !== undefined) driver.family.notify(child.execution, driver.execution);
}

/**
 * Answers a task whose execution has started. An execution that is already running or has ended is answered as if the task had just
 * started it.
 */
export function rejoin(child: Child, call: TaskCall, driver: TaskDriver): void {
  const { resource, command } = call;
  const { task } = command;
  const now = driver.now();
  if (resource.pattern === "waitForTaskToken") {
    call.answered = true;
    driver.post("submitted", task, started(command, child.arn, now));
  } else if (resource.pattern !== "") {
    driver.post("submitted", task, started(command, child.arn, now));
    wait(child, call, driver);
  } else if (serviceOf(call).endsWith("startSyncExecution")) {
    wait(child, call, driver);
  } else {
    const sdk = serviceOf(call).startsWith("aws-sdk:");
    driver.complete(
      call,
      "succeed",
      sdk ? JSON.stringify({ ExecutionArn: child.arn, StartDate: iso(now) }) : started(command, child.arn, now),
    );
  }
}

/** Returns the cause of an execution that is stopped because the task that waited for it was stopped. The wording is AWS's. */
export function abortedWith(parent: string): string {
  return `The Task state in AWS Step Functions execution [${parent}] which was managing this resource was aborted`;
}

/** Returns the name of the error of a task whose child has not succeeded. AWS has one name for all. */
function childError({ hasDistinctErrors }: Child, { status }: Outcome): string {
  if (!hasDistinctErrors) return "States.TaskFailed";
  return status === "TIMED_OUT" ? "Child.TimedOut" : status === "ABORTED" ? "Child.Aborted" : "Child.Failed";
}

/** Ends a task together with the execution for which it waits. */
export function wait(child: Child, call: TaskCall, driver: TaskDriver): void {
  call.child = child;
  call.onCancel = () => {
    if (!child.running) return;
    const parent = driver.execution.arn;
    child.execution?.abort(undefined, abortedWith(parent));
  };
  const answer = (outcome: Outcome) => {
    const about = { ...child, ...outcome };
    if (serviceOf(call).endsWith("startSyncExecution")) return driver.complete(call, "succeed", JSON.stringify(syncResponse(about)));
    const text = membersText(description(call.resource, about));
    if (outcome.status === "SUCCEEDED") return driver.complete(call, "succeed", text);
    return driver.complete(call, "fail", childError(child, outcome), text.slice(0, LONGEST_CAUSE));
  };
  if (child.running) child.waiters.push(answer);
  else if (child.outcome !== undefined) answer(child.outcome);
}

/** The details of an execution when it begins. */
export interface ChildDetails {
  name: string;
  arn: string;
  machineArn: string;
  /** The input, as JSON text. */
  input: string;
  startDate: number;
  /** The seed of the execution's names and random values, as decimal digits. */
  seed?: string;
  /** Whether the task has given the execution its name. */
  named?: boolean;
}

/** An execution of a family. It exists as long as the execution can be described. */
export class Child implements NestedExecution, ChildDetails {
  declare name: string;
  declare arn: string;
  declare machineArn: string;
  declare input: string;
  declare startDate: number;
  declare seed?: string;
  declare named?: boolean;
  running = true;
  /** Whether the execution has a record of its own, and is found by its name. */
  isStored = false;
  /** Whether a task that waits for it fails with an error that says how it has ended. */
  hasDistinctErrors = false;
  /** Whether observers were notified of the execution. */
  isReported = false;
  waiters: ((outcome: Outcome) => void)[] = [];
  execution: Member | undefined;
  outcome: Outcome | undefined;
  stopDate: number | undefined;

  constructor(details: ChildDetails) {
    Object.assign(this, details);
  }

  end(outcome: Outcome, now: number, keep: boolean): void {
    this.running = false;
    this.outcome = outcome;
    this.stopDate = now;
    const { waiters } = this;
    this.waiters = [];
    for (const answer of waiters) answer(outcome);
    if (!keep) {
      // The name of the execution stays taken.
      this.outcome = undefined;
      this.input = "";
    }
    this.execution = undefined;
  }

  /** Returns the data that a snapshot of the parent contains. */
  toJSON(): { [key: string]: unknown } {
    const { name, arn, machineArn, input, startDate, seed } = this;
    return { name, arn, machineArn, input, startDate, seed };
  }
}

/** A handler of tasks that describe or stop an execution of the family. */
abstract class Asker implements Taker {
  take(call: TaskCall, driver: FamilyDriver): void {
    const arn: unknown = call.command.input?.ExecutionArn;
    const record = typeof arn === "string" ? driver.family.known.get(arn) : undefined;
    if (record !== undefined && !record.arn.includes(":express:")) return this.answer(record, call, driver);
    fail(driver, call, unknownExecution(call, arn, record !== undefined));
  }

  protected abstract answer(record: Child, call: TaskCall, driver: FamilyDriver): void;
}

class Describer extends Asker {
  protected override answer(record: Child, call: TaskCall, driver: FamilyDriver): void {
    describe(record, call, driver);
  }
}

/** Answers a task that describes an execution. */
export function describe(record: Child, call: TaskCall, driver: TaskDriver): void {
  const date = dateOf(call);
  const about = description(call.resource, { ...record, status: "RUNNING", ...record.outcome });
  about.StartDate = date(record.startDate);
  if (record.stopDate !== undefined) about.StopDate = date(record.stopDate);
  driver.complete(call, "succeed", membersText(about));
}

class Stopper extends Asker {
  protected override answer(record: Child, call: TaskCall, driver: FamilyDriver): void {
    stop(record, call, driver);
  }
}

/** Stops an execution for a task, and answers the task when the execution has stopped. */
export function stop(record: Child, call: TaskCall, driver: TaskDriver): void {
  const answer = () => driver.complete(call, "succeed", JSON.stringify({ StopDate: dateOf(call)(record.stopDate ?? driver.now()) }));
  if (!record.running) return void answer();
  // The task is answered afterwards, so that the next task that describes the execution sees the status ABORTED.
  record.waiters.push(answer);
  const { Error: error, Cause: cause } = call.command.input;
  record.execution?.abort(textOrNothing(error), textOrNothing(cause));
}

/** Returns a function that formats times as the SDK's integrations do, or as the optimized ones do. */
function dateOf(call: TaskCall): (time: number) => string | number {
  return serviceOf(call).startsWith("aws-sdk:") ? iso : (time) => time;
}

const EXPRESS_ARN = ["InvalidArn", "Invalid Arn: 'Resource type not valid in this context: express'"] as const;

function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the failure of a task that describes or stops an execution for which this is not possible: it is Express, or unknown. */
export function unknownExecution(call: TaskCall, arn: unknown, isKnown = false): MissingHandler {
  return refusal(serviceOf(call), ...((isKnown ? undefined : arnProblem(arn)) ?? EXPRESS_ARN));
}

/** Returns why there is no execution with this ARN; undefined for the ARN of an Express execution. */
function arnProblem(arn: unknown): readonly [code: string, message: string] | undefined {
  if (typeof arn !== "string" || !arn.startsWith("arn:")) return ["InvalidArn", `Invalid Arn: 'Invalid ARN prefix: ${String(arn)}'`];
  return arn.includes(":express:") ? undefined : ["ExecutionDoesNotExist", `Execution Does Not Exist: '${arn}'`];
}

/** A handler of tasks that answer the token of another task in the family. */
class Sender implements Taker {
  #method: Completion[0];

  constructor(method: Completion[0]) {
    this.#method = method;
  }

  take(call: TaskCall, driver: FamilyDriver): void {
    const { TaskToken: token } = call.command.input ?? {};
    const completion = completionOf(this.#method, call);
    const holders = [...driver.family.drivers].filter((member) => member.findCall(token) !== undefined);
    if (holders.length === 0) return fail(driver, call, INVALID_TOKEN);
    if (completion === undefined) return fail(driver, call, INVALID_OUTPUT);
    const [holder] = holders;
    const target = holder?.findCall(token);
    if (holder !== undefined && target !== undefined && holder.complete(target, ...completion))
      return void driver.complete(call, "succeed", "{}");
    fail(driver, call, TASK_TIMED_OUT);
  }
}

/** Returns the completion of the task whose token is answered; undefined if the output is not JSON. */
export function completionOf(method: Completion[0], { command }: TaskCall): Completion | undefined {
  const { Output, Error: error, Cause: cause } = command.input ?? {};
  if (method === "fail") return ["fail", error, cause];
  if (method === "heartbeat") return ["heartbeat"];
  const output = typeof Output === "string" ? Output : jsonText(Output);
  return isJson(output) ? ["succeed", output] : undefined;
}

function fail(driver: TaskDriver, call: TaskCall, { error, cause }: TaskFailure): void {
  driver.complete(call, "fail", error, cause);
}

/** Returns an error of the service, in the wording of the optimized integration or of the SDK's. */
export function refusal(service: string, code: string, message: string): MissingHandler {
  const id = "00000000-0000-4000-8000-000000000000";
  const name = code.replace(/(?<!Exception)$/, "Exception");
  return service.startsWith("aws-sdk:")
    ? { error: `Sfn.${name}`, cause: `${message} (Service: Sfn, Status Code: 400, Request ID: ${id}) (SDK Attempt Count: 1)` }
    : {
        error: `StepFunctions.${name}`,
        cause: `${message} (Service: AWSStepFunctions; Status Code: 400; Error Code: ${code}; Request ID: ${id}; Proxy: null)`,
      };
}

/** The failures of tasks that answer a token. */
export const INVALID_TOKEN = /* @__PURE__ */ refusal("aws-sdk:sfn", "InvalidToken", "Invalid Token: 'Invalid token'");
export const INVALID_OUTPUT = /* @__PURE__ */ refusal("aws-sdk:sfn", "InvalidOutput", "Invalid Output: 'the output is not JSON'");
export const TASK_TIMED_OUT = /* @__PURE__ */ refusal(
  "aws-sdk:sfn",
  "TaskTimedOut",
  "Task Timed Out: 'Provided task does not exist anymore'",
);

/** Returns StartSyncExecution's response. */
function syncResponse({
  status,
  error,
  cause,
  output,
  arn,
  input,
  name,
  machineArn,
  startDate,
  stopDate = startDate,
}: ExecutionDetails): object {
  return {
    BillingDetails: { BilledDurationInMilliseconds: Math.max(Math.ceil((stopDate - startDate) / 100), 1) * 100, BilledMemoryUsedInMB: 64 },
    ...(cause !== undefined && { Cause: cause }),
    ...(error !== undefined && { Error: error }),
    ExecutionArn: arn,
    Input: input,
    InputDetails: { Included: true },
    Name: name,
    ...(status === "SUCCEEDED" && { Output: jsonText(output), OutputDetails: { Included: true } }),
    StartDate: iso(startDate),
    StateMachineArn: machineArn,
    Status: status,
    StopDate: iso(stopDate),
  };
}

const iso = (time: number): string => new Date(time).toISOString();

/** Returns a machine's ARN without version or alias. A name without an ARN gets one. */
function arnOf(text: string): string {
  return text.includes(":stateMachine:") ? withoutQualifier(text) : `${ACCOUNT}:stateMachine:${text}`;
}

function withoutQualifier(arn: string): string {
  return /^(.*:stateMachine:[^:]*)/.exec(arn)?.[1] ?? arn;
}

function executionArn(machineArn: string, name: string, machine: StartableMachine, seed: bigint): string {
  const base = arnOf(machineArn);
  if (machine.type === "EXPRESS") return `${base.replace(":stateMachine:", ":express:")}:${name}:${uuid(mix(seed, 1))}`;
  return `${base.replace(":stateMachine:", ":execution:")}:${name}`;
}

/** Derives the seed of one part of an execution from the seed of the execution, with the SplitMix64 algorithm. */
function mix(seed: bigint, part: number): bigint {
  let z = BigInt.asUintN(64, seed + 0x9e3779b97f4a7c15n * BigInt(part));
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** Returns a UUID that is derived from a seed. AWS gives executions such names. */
function uuid(seed: bigint): string {
  const hex = mix(seed, 2).toString(16).padStart(16, "0") + mix(seed, 3).toString(16).padStart(16, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
