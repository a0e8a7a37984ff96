// Built-in tasks on Restate: tasks that an execution performs itself. They start, describe and stop executions, answer tokens,
// receive signals and publish a state. Requests to another execution go through the task service, so that no slice waits for
// another one.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import type { InvokeCommand } from "../../core/api/index.d.ts";
import { isObject } from "../../core/base/json.ts";
import { shown } from "../../core/base/shown.ts";
import type { Outcome } from "../../core/driver/driver.ts";
import { changedAttributes } from "../durable/attributes.ts";
import { uuidOf } from "../durable/names.ts";
import { invalid, membersOf, refuse } from "../durable/requests.ts";
import {
  ASK,
  Child,
  INVALID_OUTPUT,
  INVALID_TOKEN,
  SEND,
  abortedWith,
  completionOf,
  describe,
  inputText,
  refusal,
  rejoin,
  serviceOf,
  startedMachine,
  unknownExecution,
  unknownMachine,
  wait,
} from "../../core/execution/nested.ts";
import { startProblem } from "../../core/execution/start.ts";
import type { Completion, TaskCall, TaskDriver, Taker } from "../../core/tasks/call.ts";
import { isJson, jsonText } from "../../core/tasks/integration.ts";
import { KnownText } from "../../core/tasks/known-text.ts";
import type { MissingHandler, Resource, TaskSource } from "../../core/tasks/resource.ts";
import { executionOfToken } from "../../core/tasks/token.ts";
import { EXECUTION } from "./context.ts";
import { hasTaken, offer, withdrawn } from "./activities.ts";
import { CONTINUE, continueAsNew, hasContinued } from "./continuation.ts";
import type { AskRequest, ExecutionEvent, StartRequest } from "./events.ts";
import type { SliceDriver } from "./slice-host.ts";
import type { RegisteredMachines } from "./registered-machines.ts";

/** Maximum length of a published state, in characters, as in the Flow Framework. */
const LONGEST = 32_768;
/** Maximum number of signal ids that an execution remembers. */
const REMEMBERED_IDS = 1000;

/** A built-in task. */
export class BuiltinTask implements Taker {
  readonly #take: (call: TaskCall, slice: SliceDriver) => void;

  constructor(take: (call: TaskCall, slice: SliceDriver) => void) {
    this.#take = take;
  }

  take(call: TaskCall, driver: TaskDriver): void {
    // These tasks are only called by slices.
    this.#take(call, driver as SliceDriver);
  }
}

const OFFER = new BuiltinTask(offer);

/** The built-in tasks of executions on Restate. */
export class BuiltinTasks implements TaskSource {
  readonly #machines: RegisteredMachines;
  readonly #payloadLimit: number | undefined;
  readonly #own: ReadonlyMap<string, BuiltinTask>;

  constructor(machines: RegisteredMachines, payloadLimit: number | undefined) {
    this.#machines = machines;
    this.#payloadLimit = payloadLimit;
    this.#own = new Map([
      ["waitForSignal", new BuiltinTask(awaitSignal)],
      ["signalExecution", new BuiltinTask(passSignal)],
      ["cancelExecution", new BuiltinTask(passCancel)],
      ["setState", new BuiltinTask(showState)],
      ["setAttributes", new BuiltinTask(setAttributes)],
      ["continueAsNew", new BuiltinTask((call, slice) => continueAsNew(machines, payloadLimit, call, slice))],
    ]);
  }

  find({ kind, name }: Resource, input: unknown): BuiltinTask | undefined {
    if (kind === "runtime") return this.#own.get(name);
    if (kind === "activity") return OFFER;
    if (kind !== "service") return undefined;
    const method = SEND.get(name);
    if (method !== undefined) return new BuiltinTask((call, slice) => passToken(method, call, slice));
    const asked = ASK.exec(name);
    if (asked) return new BuiltinTask(asked[1] === "stop" ? passStop : askRecord);
    const arn = startedMachine(name, input);
    const machine = arn === undefined ? undefined : this.#machines.nameOf(arn);
    return machine === undefined ? undefined : new BuiltinTask((call, slice) => this.#start(machine, call, slice));
  }

  missing({ kind, name }: Resource, input: unknown): MissingHandler | undefined {
    if (kind !== "runtime") return unknownMachine(name, input);
    const known = [...this.#own.keys()].map((own) => `urn:stepglass:${own}`).join(", ");
    return { error: "States.TaskFailed", cause: `On Restate there is no task "urn:stepglass:${name}"; there are: ${known}.` };
  }

  #start(machine: string, call: TaskCall, slice: SliceDriver): void {
    const { command, resource } = call;
    const service = serviceOf(call);
    const given = command.input.Name;
    const { id: parent } = slice.record;
    const key = uuidOf(`${parent}/${command.task}`);
    const input = inputText(call, (value) => slice.inputOf?.(command.task, "Input") ?? jsonText(value));
    const isExpress = this.#machines.registered(machine)?.machine.type === "EXPRESS";
    const name = typeof given === "string" ? given : key;
    const problem = this.#problem(service, isExpress, name, input);
    if (problem !== undefined) return refuse(slice, call, problem);
    const waits = resource.pattern.startsWith("sync") || service.endsWith("startSyncExecution");
    const request: StartRequest = { machine, name, input, parent: { arn: parent, task: command.task, waits } };
    const arn = this.#machines.names.execution(machine, name, isExpress ? key : undefined);
    slice.ctx.send({ service: EXECUTION, handler: "start", key: arn }, request);
    slice.notes.children.push([command.task, arn]);
    // A name that is derived from the task is not in use, so the child surely begins now. With another name, the answer to the
    // start decides.
    if (typeof given === "string" && !isExpress) return void (call.answered = true);
    this.#join({ name, arn, machineArn: this.#machines.names.machine(machine), input, startDate: slice.now() }, call, slice);
  }

  #join(details: ConstructorParameters<typeof Child>[0], call: TaskCall, slice: SliceDriver): void {
    const child = new Child(details);
    rejoin(child, call, slice);
    delete call.onCancel;
  }

  #problem(service: string, isExpress: boolean, name: string, input: string): MissingHandler | undefined {
    if (service.endsWith("startSyncExecution") && !isExpress)
      return refusal(service, "StateMachineTypeNotSupported", "This operation is not supported by this type of state machine");
    const problem = startProblem(name, input, this.#payloadLimit);
    if (problem !== undefined) return refusal(service, ...problem);
    if (isJson(input)) return undefined;
    return refusal(service, "InvalidExecutionInput", "Invalid State Machine Execution Input: 'the input is not JSON'");
  }
}

// ------------------------------------------------------------------------------------------------------ messages

/** Applies a message about a built-in task. Returns whether it had an effect. */
export function applyToBuiltinTasks(slice: SliceDriver, event: ExecutionEvent): boolean {
  if (event.type === "started") return hasStarted(slice, event);
  if (event.type === "taken") return hasTaken(slice, event);
  if (event.type === "ended") return hasEnded(slice, event);
  if (event.type === "signal") return signalled(slice, event);
  return false;
}

/** Applies the answer to the start of an execution: it has begun, or its name was in use. */
function hasStarted(slice: SliceDriver, { task, arn, answer }: ExecutionEvent & { type: "started" }): boolean {
  const call = slice.callOf(task);
  const known = slice.notes.children.some(([other, child]) => other === task && child === arn);
  if (call === undefined || !known) return false;
  if (call.command.resource === CONTINUE) {
    forget(slice, task);
    hasContinued(call, slice, { type: "started", task, arn, answer });
    return true;
  }
  const service = serviceOf(call);
  const input = inputText(call, (value) => slice.inputOf?.(task, "Input") ?? jsonText(value));
  if (answer.outcome === "exists" && (answer.status !== "RUNNING" || answer.input !== input)) {
    forget(slice, task);
    refuse(slice, call, refusal(service, "ExecutionAlreadyExists", `Execution Already Exists: '${arn}'`));
    return true;
  }
  const machineArn = arn.replace(":execution:", ":stateMachine:").replace(/:[^:]*$/, "");
  const child = new Child({ name: arn.slice(arn.lastIndexOf(":") + 1), arn, machineArn, input: answer.input, startDate: answer.startDate });
  rejoin(child, call, slice);
  // If another caller has started the execution, its end must be requested.
  if (answer.outcome === "exists" && call.child !== undefined)
    slice.ctx.send({ service: EXECUTION, handler: "event", key: arn }, { type: "follow", watcher: { arn: slice.record.id, task } });
  return true;
}

/** Applies the end of an execution that a task waits for. */
function hasEnded(slice: SliceDriver, { task, record }: ExecutionEvent & { type: "ended" }): boolean {
  if (!slice.notes.children.some(([other, arn]) => other === task && arn === record.id)) return false;
  forget(slice, task);
  const call = slice.callOf(task);
  if (call === undefined) return false;
  wait(childOf(record), call, slice);
  return true;
}

/** Converts an execution to the form that tasks return. */
function childOf(record: ExecutionRecord): Child {
  const { id, name, machineArn, input, startDate, status, output, error, cause, stopDate } = record;
  const child = new Child({ name, arn: id, machineArn, input, startDate });
  const outcome = { status, error, cause, ...(output !== undefined && { output: new KnownText(output) }) };
  if (status !== "RUNNING") child.end(outcome as Outcome, stopDate ?? startDate, true);
  return child;
}

function forget({ notes }: SliceDriver, task: number): void {
  notes.children = notes.children.filter(([other]) => other !== task);
}

/** Cancels a built-in task. An execution that it waits for is stopped. */
export function cancelBuiltinTask(slice: SliceDriver, task: number): void {
  withdrawn(slice, task);
  const child = slice.notes.children.find(([other]) => other === task);
  if (child === undefined) return;
  forget(slice, task);
  stopChild(slice, child[1]);
}

/** Stops the executions that tasks wait for, because this execution has ended. */
export function stopBuiltinTasks(slice: SliceDriver): void {
  for (const [task] of slice.notes.offers ?? []) withdrawn(slice, task);
  for (const [, arn] of slice.notes.children) stopChild(slice, arn);
  slice.notes.children = [];
}

function stopChild({ ctx, record }: SliceDriver, arn: string): void {
  ctx.send({ service: EXECUTION, handler: "stop", key: arn }, { cause: abortedWith(record.id) });
}

// ----------------------------------------------------------------------------------------------------------- signals

function awaitSignal(call: TaskCall, slice: SliceDriver): void {
  const { Name: name } = membersOf(call);
  if (typeof name !== "string" || name === "") return refuse(slice, call, invalid("Name", "the name of a signal", name));
  slice.post("submitted", call.command.task, JSON.stringify({ Name: name }));
  const at = slice.notes.signals.findIndex(([other]) => other === name);
  const signal = at < 0 ? undefined : slice.notes.signals.splice(at, 1)[0];
  if (signal !== undefined) slice.complete(call, "succeed", signal[1]);
}

function signalled(slice: SliceDriver, { name, payload, id }: ExecutionEvent & { type: "signal" }): boolean {
  const { notes } = slice;
  if (id !== undefined) {
    if (notes.ids.includes(id)) return false;
    notes.ids = [...notes.ids, id].slice(-REMEMBERED_IDS);
  }
  const waits = slice.pending.find((task) => task.resource === "urn:stepglass:waitForSignal" && nameIn(task) === name);
  const call = waits && slice.callOf(waits.task);
  if (call === undefined) notes.signals.push([name, payload]);
  else slice.complete(call, "succeed", payload);
  return true;
}

function nameIn({ input }: InvokeCommand): unknown {
  return isObject(input) ? input.Name : undefined;
}

function passSignal(call: TaskCall, slice: SliceDriver): void {
  const { ExecutionArn: arn, Name: name, Payload: given } = membersOf(call);
  if (typeof arn !== "string") return refuse(slice, call, invalid("ExecutionArn", "the ARN of an execution", arn));
  if (typeof name !== "string" || name === "") return refuse(slice, call, invalid("Name", "the name of a signal", name));
  const { task } = call.command;
  const payload = given === undefined ? "null" : (slice.inputOf?.(task, "Payload") ?? jsonText(given));
  ask(call, slice, arn, { type: "signal", name, payload, id: `${slice.record.id}/${task}` }, "Stepglass.SignalFailed");
}

function passCancel(call: TaskCall, slice: SliceDriver): void {
  const { ExecutionArn: arn, Details: details } = membersOf(call);
  if (typeof arn !== "string") return refuse(slice, call, invalid("ExecutionArn", "the ARN of an execution", arn));
  const text = details === undefined || typeof details === "string" ? details : jsonText(details);
  ask(call, slice, arn, { type: "cancel", ...(text !== undefined && { details: text }) }, "Stepglass.CancelFailed");
}

function passToken(method: Completion[0], call: TaskCall, slice: SliceDriver): void {
  const token: unknown = call.command.input?.TaskToken;
  const arn = typeof token === "string" ? executionOfToken(token) : undefined;
  const completion = completionOf(method, call);
  if (arn === undefined) return refuse(slice, call, INVALID_TOKEN);
  if (completion === undefined) return refuse(slice, call, INVALID_OUTPUT);
  ask(call, slice, arn, { type: "token", token: token as string, completion }, "token");
}

function passStop(call: TaskCall, slice: SliceDriver): void {
  const { ExecutionArn: arn, Error: error, Cause: cause } = membersOf(call);
  if (typeof arn !== "string" || arn.includes(":express:")) return refuse(slice, call, unknownExecution(call, arn, arn !== undefined));
  const about = { ...(typeof error === "string" && { error }), ...(typeof cause === "string" && { cause }) };
  ask(call, slice, arn, { type: "stop", ...about }, "stop");
}

/** Lets the task service send a message to another execution, and answer the task with the result. */
function ask(call: TaskCall, slice: SliceDriver, target: string, event: ExecutionEvent, kind: string): void {
  const { command } = call;
  const { id: asker } = slice.record;
  slice.sendTask(command.task, (fence): AskRequest => ({ asker, fence, command, target, event, kind }), "ask");
}

// ------------------------------------------------------------------------------------------------------------- others

function askRecord(call: TaskCall, slice: SliceDriver): void {
  const arn: unknown = call.command.input?.ExecutionArn;
  if (typeof arn !== "string" || arn.includes(":express:")) return refuse(slice, call, unknownExecution(call, arn, arn !== undefined));
  const described = slice.ctx.call<ExecutionRecord | null>({ service: EXECUTION, handler: "describe", key: arn }, null);
  slice.wait(described, (record) => {
    if (record === undefined || record === null) refuse(slice, call, unknownExecution(call, arn));
    else describe(childOf(record), call, slice);
  });
}

/** Publishes a value in the execution's description. */
function showState(call: TaskCall, slice: SliceDriver): void {
  const { input, task } = call.command;
  if (!isObject(input) || !Object.hasOwn(input, "Value")) return refuse(slice, call, invalid("Value", "the value to show", undefined));
  const text = slice.inputOf?.(task, "Value") ?? jsonText(input.Value);
  if (text.length > LONGEST) {
    const cause = `the state of an execution can have at most ${LONGEST} characters, but this one has ${shown(text.length)}`;
    return refuse(slice, call, { error: "Stepglass.StateTooLarge", cause });
  }
  slice.record = { ...slice.record, state: text };
  slice.complete(call, "succeed", text);
}

function setAttributes(call: TaskCall, slice: SliceDriver): void {
  const after = changedAttributes(call, slice.record);
  if ("failure" in after) return refuse(slice, call, after.failure);
  const { attributes, ...record } = slice.record;
  slice.record = { ...record, ...(after.attributes !== undefined && { attributes: after.attributes }) };
  slice.complete(call, "succeed", JSON.stringify(after.attributes ?? {}));
}
