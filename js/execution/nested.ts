// @ts-nocheck: has no types yet.
// Executions that tasks start: what `states:startExecution` and its kin do with the machines that are registered.

import { isJson, jsonText, membersText, started, description } from "../tasks/integration.ts";
import { bareName } from "../tasks/resource.ts";
import { misuse } from "../base/errors.ts";
import { startProblem } from "./start.ts";

const ACCOUNT = "arn:aws:states:us-east-1:123456789012";
const SEND = { "aws-sdk:sfn:sendTaskSuccess": "succeed", "aws-sdk:sfn:sendTaskFailure": "fail", "aws-sdk:sfn:sendTaskHeartbeat": "heartbeat" };
const ASK = /^(?:states|aws-sdk:sfn):(describe|stop)Execution$/;
const START = ["states:startExecution", "aws-sdk:sfn:startExecution", "aws-sdk:sfn:startSyncExecution"];

/** The API's limit: an error that is handed on from execution to execution is quoted once more in each, and doubles. */
const LONGEST_CAUSE = 32_768;

/** The machines that tasks may start, by name and by ARN. */
export class Machines {
  #named = new Map();

  /** `option` is an array of machines, or an object or Map of them. */
  constructor(option, isMachine) {
    if (typeof option !== "object" || option === null) throw misuse("INVALID_OPTION", "machines must be an array, an object or a Map of state machines");
    const own = (machine) => [machine.arn ?? machine.name, machine];
    const entries = Array.isArray(option) ? option.map((machine) => (isMachine(machine) ? own(machine) : ["", machine])) : option instanceof Map ? option : Object.entries(option);
    for (const [name, machine] of entries) {
      if (typeof name !== "string" || !isMachine(machine)) throw misuse("INVALID_OPTION", `the machine ${JSON.stringify(String(name))} must be a StateMachine`);
      this.#named.set(name, machine);
      if (!this.#named.has(bareName(name, ":stateMachine:"))) this.#named.set(bareName(name, ":stateMachine:"), machine);
    }
  }

  /** All of them, some twice. */
  get all() {
    return [...this.#named.values()];
  }

  /** What does a task that starts, describes or stops an execution or answers a token; undefined for other tasks. */
  find({ kind, name }, input) {
    if (kind !== "service") return undefined;
    if (Object.hasOwn(SEND, name)) return new Sender(SEND[name]);
    const asked = ASK.exec(name);
    if (asked) return new Clerk(asked[1]);
    const arn = input?.StateMachineArn;
    if (!START.includes(name) || typeof arn !== "string") return undefined;
    const machine = this.#named.get(arn) ?? this.#named.get(withoutQualifier(arn)) ?? this.#named.get(bareName(arn, ":stateMachine:"));
    return machine && new Starter(machine);
  }

  /** Whether a task starts an execution. */
  isStart({ kind, name }) {
    return kind === "service" && START.includes(name);
  }

  /** The error of a task that starts a machine which is not registered; undefined for other tasks. */
  missing({ name }, input) {
    const arn = input?.StateMachineArn;
    return START.includes(name) && typeof arn === "string" ? refusal(name, "StateMachineDoesNotExist", `State Machine Does Not Exist: '${arn}'`) : undefined;
  }
}

/** What executions share that were started by one another: machines, handlers, one time line, names and tokens. */
export class Family {
  drivers = new Set();
  // The executions that were given a name, by ARN.
  named = new Map();
  // Those that can be described or stopped, by ARN.
  known = new Map();

  /**
   * `launch` starts or restores an execution as a member; with `keeps` those that have ended can still be described.
   * `refuses` tells the code and message of the error with which no more may be started.
   */
  constructor({ launch, refuses, onNested, keeps, payloadLimit }) {
    this.launch = launch;
    this.refuses = refuses;
    this.onNested = onNested;
    this.keeps = keeps;
    this.payloadLimit = payloadLimit;
  }

  /** Takes an execution in, and gives what is to be done with it: `begun(execution)`, `ended(outcome, now)`. */
  enter(record) {
    this.known.set(record.arn, record);
    const ended = (outcome, now) => {
      record.end(outcome, now, this.keeps);
      if (!this.keeps) this.known.delete(record.arn);
    };
    return { begun: (execution) => (record.execution = execution), ended };
  }

  /** Takes in an execution that was begun elsewhere, as the data of its record has it; with an outcome it has ended. */
  again(data, execution, outcome, stopDate) {
    const record = Object.assign(new Child(), data, { told: true });
    const { begun, ended } = this.enter(record);
    if (data.named) this.named.set(record.arn, record);
    if (outcome === undefined) begun(execution);
    else ended(outcome, stopDate);
    return { record, ended };
  }

  /** Takes in the execution that is nobody's child. */
  found({ name, arn, machineArn, machineName, input, startDate }) {
    return this.enter(Object.assign(new Child(), { name, arn, machineArn: machineArn ?? arnOf(machineName), input, startDate }));
  }

  /** Tells of an execution that a task has started. */
  tell(child, parent) {
    try {
      this.onNested?.(child, parent);
    } catch (thrown) {
      console.error("stepglass: onNested threw an error", thrown);
    }
  }
}

/** Starts a machine, and waits for it where the integration does. */
class Starter {
  constructor(machine) {
    this.machine = machine;
  }

  take(call, driver) {
    const { resource } = call;
    const refused = driver.family.refuses?.(driver);
    if (refused) return fail(driver, call, refusal(resource.name, ...refused));
    if (resource.name.endsWith("startSyncExecution") && this.machine.type !== "EXPRESS") {
      return fail(driver, call, refusal(resource.name, "StateMachineTypeNotSupported", "This operation is not supported by this type of state machine"));
    }
    const child = this.#child(call, driver);
    if (child !== undefined) this.answer(child, call, driver);
    // Told last: who hears of it may stop it at once.
    if (child?.told === false) {
      child.told = true;
      driver.family.tell(child.execution, driver.execution);
    }
  }

  answer(child, call, driver) {
    const { resource, command } = call;
    const { task } = command;
    const now = driver.now();
    if (resource.pattern === "waitForTaskToken") {
      call.answered = true;
      driver.post("submitted", task, started(command, child.arn, now));
    } else if (resource.pattern !== "") {
      driver.post("submitted", task, started(command, child.arn, now));
      this.#await(child, call, driver);
    } else if (resource.name.endsWith("startSyncExecution")) {
      this.#await(child, call, driver);
    } else {
      const sdk = resource.name.startsWith("aws-sdk:");
      driver.complete(call, "succeed", sdk ? JSON.stringify({ ExecutionArn: child.arn, StartDate: iso(now) }) : started(command, child.arn, now));
    }
  }

  /** Waits again for a child that was restored with its parent. */
  resume(call, driver, { child: info, snapshot }) {
    const child = Object.assign(new Child(), info, { running: true });
    this.#begin(child, driver, { snapshot });
    child.told = true;
    driver.family.tell(child.execution, driver.execution);
    this.#await(child, call, driver);
  }

  /** The new execution; one that runs with this name and input already; or undefined where AWS refuses. */
  #child(call, driver) {
    const { resource, command } = call;
    const { StateMachineArn: machineArn, Name, Input: given } = command.input;
    // The API takes a text; Step Functions writes one where there is something else.
    const input = given === undefined || given === null ? "{}" : typeof given === "string" ? given : jsonText(given);
    const seed = mix(driver.seed, command.task);
    const name = typeof Name === "string" ? Name : uuid(seed);
    const problem = startProblem(name, input, driver.family.payloadLimit);
    if (problem) return void fail(driver, call, refusal(resource.name, ...problem));
    const arn = executionArn(machineArn, name, this.machine, seed);
    const known = driver.family.named.get(arn);
    if (known?.running && known.input === input) return known;
    if (known) return void fail(driver, call, refusal(resource.name, "ExecutionAlreadyExists", `Execution Already Exists: '${arn}'`));
    try {
      JSON.parse(input);
    } catch {
      return void fail(driver, call, refusal(resource.name, "InvalidExecutionInput", "Invalid State Machine Execution Input: 'the input is not JSON'"));
    }
    const child = Object.assign(new Child(), { name, arn, machineArn: arnOf(machineArn), input, startDate: driver.now(), seed: `${seed}`, named: typeof Name === "string" });
    if (child.named) driver.family.named.set(arn, child);
    this.#begin(child, driver, { text: input });
    return child;
  }

  #begin(child, driver, from) {
    const { family } = driver;
    const { begun, ended } = family.enter(child);
    const execution = family.launch(this.machine, {
      ...from,
      family,
      seed: BigInt(child.seed),
      info: { name: child.name, arn: child.arn, stateMachineName: bareName(child.machineArn, ":stateMachine:"), stateMachineArn: child.machineArn },
      onFinish: ended,
      record: child,
    });
    begun(execution);
  }

  #await(child, call, driver) {
    const { resource } = call;
    call.child = child;
    call.onCancel = () => {
      if (!child.running) return;
      const parent = driver.execution.arn;
      child.execution.abort(undefined, `The Task state in AWS Step Functions execution [${parent}] which was managing this resource was aborted`);
    };
    const tell = () => {
      const about = { ...child, ...child.outcome };
      if (resource.name.endsWith("startSyncExecution")) return driver.complete(call, "succeed", JSON.stringify(syncResponse(about)));
      const text = membersText(description(resource, about));
      if (child.outcome.status === "SUCCEEDED") driver.complete(call, "succeed", text);
      else driver.complete(call, "fail", "States.TaskFailed", text.slice(0, LONGEST_CAUSE));
    };
    if (child.running) child.waiters.push(tell);
    else tell();
  }
}

/** A task whose execution runs already, or has ended, is answered as if it had just started it. */
export function rejoin(record, call, driver) {
  new Starter().answer(record, call, driver);
}

/** An execution that a task has started, for as long as it counts. */
class Child {
  running = true;
  told = false;
  waiters = [];

  end(outcome, now, keep) {
    this.running = false;
    this.outcome = outcome;
    this.stopDate = now;
    const { waiters } = this;
    this.waiters = [];
    for (const tell of waiters) tell();
    // Else only the name is kept: it is taken.
    if (!keep) this.outcome = this.input = undefined;
    this.execution = undefined;
  }

  /** What a snapshot of the parent keeps. */
  toJSON() {
    const { name, arn, machineArn, input, startDate, seed } = this;
    return { name, arn, machineArn, input, startDate, seed };
  }
}

/** Describes or stops an execution of the family. */
class Clerk {
  constructor(what) {
    this.what = what;
  }

  take(call, driver) {
    const { ExecutionArn: arn, Error: error, Cause: cause } = call.command.input ?? {};
    const service = call.resource.name;
    const record = driver.family.known.get(arn);
    const problem = record ? undefined : arnProblem(arn);
    if (record === undefined || arn.includes(":express:")) {
      return fail(driver, call, refusal(service, ...(problem ?? ["InvalidArn", "Invalid Arn: 'Resource type not valid in this context: express'"])));
    }
    const date = service.startsWith("aws-sdk:") ? iso : (time) => time;
    if (this.what === "stop") {
      const answer = () => driver.complete(call, "succeed", JSON.stringify({ StopDate: date(record.stopDate) }));
      if (!record.running) return answer();
      // Answered when it has stopped: whoever looks next sees it ABORTED.
      record.waiters.push(answer);
      return record.execution.abort(textOrNothing(error), textOrNothing(cause));
    }
    const about = description(call.resource, { ...record, status: "RUNNING", ...record.outcome });
    for (const name of ["StartDate", "StopDate"]) if (about[name] !== undefined) about[name] = date(about[name]);
    driver.complete(call, "succeed", membersText(about));
  }
}

const textOrNothing = (value) => (typeof value === "string" ? value : undefined);

/** Why there is no execution with this ARN. */
function arnProblem(arn) {
  if (typeof arn !== "string" || !arn.startsWith("arn:")) return ["InvalidArn", `Invalid Arn: 'Invalid ARN prefix: ${arn}'`];
  return arn.includes(":express:") ? undefined : ["ExecutionDoesNotExist", `Execution Does Not Exist: '${arn}'`];
}

/** Answers the task token of an execution in the family. */
class Sender {
  constructor(method) {
    this.method = method;
  }

  take(call, driver) {
    const { TaskToken, Output, Error: error, Cause: cause } = call.command.input ?? {};
    for (const member of driver.family.drivers) {
      const target = member.findCall(TaskToken);
      if (target === undefined) continue;
      const rest = { succeed: [typeof Output === "string" ? Output : jsonText(Output)], fail: [error, cause], heartbeat: [] }[this.method];
      if (this.method === "succeed" && !isJson(rest[0])) return fail(driver, call, refusal("aws-sdk:sfn", "InvalidOutput", "Invalid Output: 'the output is not JSON'"));
      if (!member.complete(target, this.method, ...rest)) break;
      return driver.complete(call, "succeed", "{}");
    }
    const spent = [...driver.family.drivers].some((member) => member.findCall(TaskToken) !== undefined);
    const [code, message] = spent ? ["TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'"] : ["InvalidToken", "Invalid Token: 'Invalid token'"];
    fail(driver, call, refusal("aws-sdk:sfn", code, message));
  }
}

function fail(driver, call, { error, cause }) {
  driver.complete(call, "fail", error, cause);
}

/** An error of the service, in the words of the optimized integration or of the SDK's. */
export function refusal(service, code, message) {
  const id = "00000000-0000-4000-8000-000000000000";
  const name = code.replace(/(?<!Exception)$/, "Exception");
  return service.startsWith("aws-sdk:")
    ? { error: `Sfn.${name}`, cause: `${message} (Service: Sfn, Status Code: 400, Request ID: ${id})` }
    : { error: `StepFunctions.${name}`, cause: `${message} (Service: AWSStepFunctions; Status Code: 400; Error Code: ${code}; Request ID: ${id}; Proxy: null)` };
}

/** StartSyncExecution's response. */
function syncResponse({ status, error, cause, output, arn, input, name, machineArn, startDate, stopDate }) {
  const response = { BillingDetails: { BilledDurationInMilliseconds: Math.max(Math.ceil((stopDate - startDate) / 100), 1) * 100, BilledMemoryUsedInMB: 64 } };
  if (cause !== undefined) response.Cause = cause;
  if (error !== undefined) response.Error = error;
  response.ExecutionArn = arn;
  response.Input = input;
  response.InputDetails = { Included: true };
  response.Name = name;
  if (status === "SUCCEEDED") {
    response.Output = jsonText(output);
    response.OutputDetails = { Included: true };
  }
  return { ...response, StartDate: iso(startDate), StateMachineArn: machineArn, Status: status, StopDate: iso(stopDate) };
}

const iso = (time) => new Date(time).toISOString();

/** A machine's ARN without version or alias; one for a mere name. */
function arnOf(text) {
  return text.includes(":stateMachine:") ? withoutQualifier(text) : `${ACCOUNT}:stateMachine:${text}`;
}

function withoutQualifier(arn) {
  return /^(.*:stateMachine:[^:]*)/.exec(arn)?.[1] ?? arn;
}

function executionArn(machineArn, name, machine, seed) {
  const base = arnOf(machineArn);
  if (machine.type === "EXPRESS") return `${base.replace(":stateMachine:", ":express:")}:${name}:${uuid(mix(seed, 1))}`;
  return `${base.replace(":stateMachine:", ":execution:")}:${name}`;
}

/** A seed for a part of something seeded (SplitMix64). */
function mix(seed, part) {
  let z = BigInt.asUintN(64, seed + 0x9e3779b97f4a7c15n * BigInt(part));
  z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** A name as AWS gives one, from a seed. */
function uuid(seed) {
  const hex = mix(seed, 2).toString(16).padStart(16, "0") + mix(seed, 3).toString(16).padStart(16, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
