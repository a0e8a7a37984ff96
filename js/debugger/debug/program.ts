// The environment of a session's runs in a program: handlers, machines and recorded answers, in addition to mocks and a person.

import type { DebugOptions, Mock } from "../../core/api/debug.d.ts";
import type { Definition, InvokeCommand, StateMachine as PublicMachine, TaskHandler, TaskHandlers } from "../../core/api/index.d.ts";
import { TaskCancelled, misuse } from "../../core/base/errors.ts";
import { machineSettings } from "../../core/definition/settings.ts";
import { Task } from "../../core/driver/task.ts";
import { StateMachine, checkStart, handleOf } from "../../core/execution/machine.ts";
import type { Machines } from "../../core/execution/nested.ts";
import { engineSettings } from "../../core/execution/settings.ts";
import { handlerInput } from "../../core/tasks/integration.ts";
import { Handlers, type MissingHandler, type Resource } from "../../core/tasks/resource.ts";
import { startsExecution } from "./call-boundaries.ts";
import { NestedExecutions, machinesOf } from "./children.ts";
import { type Answering, type Call, type Execution, answersOf } from "./execution.ts";
import { checkMocks } from "./arguments.ts";
import { Host, type Playable } from "./host.ts";
import { Mocks } from "./mocks.ts";
import type { Names } from "./model.ts";
import type { Begin, Run } from "./run.ts";
import type { HistoryVisit } from "./execution-history.ts";

type AnswerToken = (token: string, method: "succeed" | "fail" | "heartbeat", value?: unknown) => boolean;

export class ProgramHost extends Host {
  /** The options of the session. A restart may replace them. */
  options: DebugOptions;
  /** The limits of all executions, including nested ones. */
  readonly limits: Pick<DebugOptions, "payloadLimit" | "historyLimit">;
  override nested = (run: Run, begin: Begin): NestedExecutions => new NestedExecutions(this, run, begin);
  #tasks: TaskHandlers | undefined;
  #machines: Machines | undefined;
  #handlers = new Handlers<TaskHandler>();
  #answerToken: AnswerToken;

  constructor(options: DebugOptions, answerToken: AnswerToken) {
    super();
    this.options = options;
    this.limits = { payloadLimit: options.payloadLimit, historyLimit: options.historyLimit };
    this.#answerToken = answerToken;
  }

  /** Sets the handlers that are used for tasks from now on. */
  setTasks(tasks: TaskHandlers | undefined): void {
    this.#tasks = tasks ?? {};
    this.#handlers = new Handlers<TaskHandler>(this.#tasks, this.#machines);
  }

  /** Sets the machines that tasks may start from now on. */
  setMachines(machines: DebugOptions["machines"]): void {
    this.#machines = machinesOf(machines);
    if (this.#tasks) this.setTasks(this.#tasks);
  }

  override setMocks(mocks: Record<string, Mock> | undefined): void {
    checkMocks(mocks ?? {});
    super.setMocks(mocks);
  }

  override machine(definition: Definition | PublicMachine): Playable {
    const machine = definition instanceof StateMachine ? definition : new StateMachine(definition, machineSettings(this.options));
    const { name, type } = machine;
    return { machine: handleOf(machine), name, type, settings: engineSettings(this.options, type) };
  }

  override names(run: number, stateMachineName: string): Names {
    const { name = `run-${run}`, arn } = this.options;
    return { name, stateMachineName, ...(arn !== undefined && { arn }) };
  }

  override check(name: string, input: string): void {
    checkStart(name, input, this.options);
  }

  /** Answers the calls that the recorded execution had as they were answered there, unless they have a mock. */
  override prepared(run: Run): Run {
    if (this.options.recorded) run.first.recorded = answersOf(this.options.recorded);
    return run;
  }

  override resource(text: string): Resource {
    return this.#handlers.resource(text);
  }

  override starts(execution: Execution, visit: HistoryVisit): boolean {
    return startsExecution(execution, visit, this.#machines, this.mocks);
  }

  override answering(command: InvokeCommand): Answering {
    const mocked = this.mocked(command);
    if (mocked) return mocked;
    const handler = this.#handlers.find(command.resource, command.state, command.input);
    if (typeof handler === "function") return { reply: (_, call, execution) => this.handle(handler, call, execution), mode: "handler" };
    if (handler !== undefined) return { taker: handler, mode: "handler" };
    return this.options.ask ? this.asking() : { mode: "missing" };
  }

  override missing({ resource, state, input }: InvokeCommand): MissingHandler {
    return this.#handlers.missing(resource, state, input);
  }

  protected override handle(handler: unknown, call: Call, execution: Execution): unknown {
    const [input, task] = this.given(call, execution);
    return (handler as TaskHandler)(input, task);
  }

  /** Returns the arguments of a handler. */
  given(call: Call, run: Execution): [input: unknown, task: Task] {
    const { command } = call;
    const execution = {
      name: run.name,
      arn: run.arn,
      succeed: (token: string, output: unknown) => this.#answerToken(token, "succeed", output),
      fail: (token: string, failure: object = {}) => this.#answerToken(token, "fail", failure),
      heartbeat: (token: string) => this.#answerToken(token, "heartbeat"),
    };
    const task: Task = new Task(command, {
      execution,
      heartbeat: (id: number) => {
        run.heartbeat(id);
        run.changed();
      },
      sleep: (_: unknown, milliseconds: unknown) => sleep(run, call, milliseconds),
    });
    call.onCancel = (reason) => Task.cancel(task, reason, undefined);
    return [handlerInput(call.resource, command.input), task];
  }
}

/**
 * Implements `sleep` for handlers: resolves when the given time of the run has passed. The clock can advance while handlers sleep.
 */
function sleep(execution: Execution, call: Call, milliseconds: unknown): Promise<void> {
  const duration = Number(milliseconds);
  if (!(duration >= 0)) throw misuse("INVALID_ARGUMENT", "task.sleep() takes a number of milliseconds", RangeError);
  call.sleeps = (call.sleeps ?? 0) + 1;
  const sleepers = (call.sleepers ??= new Set());
  call.onStop = (reason) => sleepers.forEach((wake) => wake(new TaskCancelled(reason, call.command.state)));
  const slept = new Promise<void>((resolve, reject) => {
    sleepers.add(reject);
    // A handler that sleeps for ever does not hold up the others.
    if (duration === Infinity) return;
    execution.wakeAt(execution.now() + duration, () => {
      sleepers.delete(reject);
      call.sleeps = (call.sleeps ?? 0) - 1;
      resolve();
    });
  });
  // The sleep is rejected when the task is cancelled. A handler that does not await it must not cause an unhandled rejection.
  slept.catch(() => {});
  execution.changed();
  return slept;
}

/** Returns the key in `mocks` of the mock for a task, or undefined. */
export function mockFor(mocks: Record<string, Mock>, task: { state: string; resource: string; input?: unknown }): string | undefined {
  checkMocks(mocks);
  return new Mocks(mocks).nameFor(task);
}
