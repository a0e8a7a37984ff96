// Signals: named messages to a running execution. They are stored in their order until a state takes them.

import { isObject } from "../../core/base/json.ts";
import { misuse } from "../../core/base/errors.ts";
import { randomUuid } from "../../core/base/random.ts";
import { shown } from "../../core/base/shown.ts";
import { later } from "../../core/driver/scheduler.ts";
import { PAYLOAD_LIMIT } from "../../core/execution/start.ts";
import type { HandlerCall, TaskCall, TaskDriver, Taker } from "../../core/tasks/call.ts";
import { jsonText } from "../../core/tasks/integration.ts";
import type { Host, Noted } from "./host.ts";
import { type Live, settle } from "./live.ts";
import { invalid, isClosed, membersOf, refuse } from "./requests.ts";

// Maximum number of signal ids that an execution remembers, to ignore a signal that is sent again.
const IDS = 1000;

/** A signal that no task has taken yet. */
type Signal = [name: string, payload: string];

/** The state of an execution's signals, which is rebuilt from its notes. */
interface SignalState {
  buffer?: Signal[];
  /** Signals that were given to tasks. The task may not have ended yet. */
  given?: [task: number, ...signal: Signal][];
  ids?: string[];
}

/** The signals that an execution waits for, and the number of those that no state has taken yet, by name. */
export interface PendingSignals {
  waiting: string[];
  buffered: Record<string, number>;
}

/** A task that waits for a signal. */
interface Waiter {
  call: TaskCall;
  driver: TaskDriver;
  name: string;
}

/** The signals of a runtime's executions. */
export class Signals {
  readonly #host: () => Host;
  readonly #waiting = new WeakMap<Live, Waiter[]>();

  constructor(host: () => Host) {
    this.#host = host;
  }

  /** The handlers of the tasks that use signals, by their names. */
  readonly tasks: Readonly<Record<string, Taker>> = {
    waitForSignal: {
      take: (call, driver) => this.#await(call, driver, true),
      // The fact that records the return of the host must come first, so this is delayed.
      taken: (call, driver) => {
        call.submits = true;
        later(() => this.#await(call, driver, false));
      },
    },
    signalExecution: { take: (call, driver) => void this.#pass(call as HandlerCall, driver) },
  };

  /** Returns the signals that an execution of this process waits for, and how many it has of each name that no state has taken. */
  async pending(arn: string): Promise<PendingSignals> {
    const host = this.#host();
    const live = host.find(arn) ?? (await host.take(arn));
    // It may have ended in the same moment.
    if (live === undefined || live.hasLeft || live.status !== "RUNNING") return { waiting: [], buffered: {} };
    const tasks = JSON.parse(live.engine.ask("pending")) as { resource: string; input?: { Name?: unknown } }[];
    const names = tasks.filter(({ resource }) => resource === "urn:stepglass:waitForSignal").map(({ input }) => input?.Name);
    return { waiting: [...new Set(names.filter((name) => typeof name === "string"))], buffered: Signals.counts(live.state) };
  }

  /** Sends a signal. Resolves when the signal is in the store. */
  async send(arn: string, name: string, payload: string, id?: string): Promise<void> {
    checkSignal(name, payload);
    const host = this.#host();
    // A call to another process may be repeated, so the signal gets an id there.
    await host.at(arn, "signal", [arn, name, payload, id ?? (host.store.sharing && randomUuid())]);
  }

  /** Sends a signal to an execution that this process owns. */
  async take(arn: string, name: string, payload: string, id?: string): Promise<void> {
    const host = this.#host();
    const live = await host.take(arn);
    if (live === undefined || live.journal.isEnding) {
      const record = await host.record(arn);
      if (record === undefined) throw misuse("UNKNOWN_EXECUTION", `there is no execution ${arn}`);
      const why = record.suspended === undefined ? "has ended" : "is suspended";
      throw misuse("NOT_RUNNING", `the execution ${arn} ${why}: it takes no signals`);
    }
    if (id === undefined || !(live.state as SignalState).ids?.includes(id)) {
      this.#note(live, "signal", name, payload, id);
      this.#match(live);
    }
    await settle(live);
  }

  /** Called by the host. Applies a recorded note to the state of an execution. */
  onNote({ state }: Noted, name: string, details: unknown[]): void {
    if (!name.startsWith("signal")) return;
    const signals = state as SignalState;
    const buffer = (signals.buffer ??= []);
    const given = (signals.given ??= []);
    if (name === "signal") {
      const [signal, payload, id] = details as [string, string, string?];
      buffer.push([signal, payload]);
      if (id !== undefined && id !== null) signals.ids = [...(signals.ids ?? []), id].slice(-IDS);
    } else if (name === "signal.given") {
      const [task, signal] = details as [number, string];
      const at = buffer.findIndex(([other]) => other === signal);
      if (at >= 0) given.push([task, ...buffer.splice(at, 1)[0]!]);
    } else if (name === "signal.returned") {
      const at = given.findIndex(([task]) => task === details[0]);
      if (at >= 0) buffer.unshift(given.splice(at, 1)[0]!.slice(1) as Signal);
    }
  }

  /** Called by the host when a task was cancelled. A signal that the task was given is available to the next task again. */
  onCancelled(live: Live, task: number): void {
    if (!(live.state as SignalState).given?.some(([other]) => other === task)) return;
    this.#note(live, "signal.returned", task);
    later(() => this.#match(live));
  }

  /** Called by the host before a snapshot. Removes the signals of tasks that have ended. */
  onSnapshot(live: Live): void {
    const signals = live.state as SignalState;
    if (signals.given === undefined || signals.given.length === 0) return;
    const open = new Set((JSON.parse(live.engine.ask("pending")) as { task: number }[]).map(({ task }) => task));
    signals.given = signals.given.filter(([task]) => open.has(task));
  }

  /** Returns the number of signals that no task has taken yet, by name. */
  static counts(state: Record<string, unknown>): Record<string, number> {
    const counts = new Map<string, number>();
    for (const [name] of (state as SignalState).buffer ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
    return Object.fromEntries(counts);
  }

  #note(live: Live, name: string, ...details: unknown[]): void {
    live.note(name, ...details);
    this.onNote(live, name, details);
  }

  #await(call: TaskCall, driver: TaskDriver, first: boolean): void {
    const { Name: name } = membersOf(call);
    const live = this.#host().find(driver.execution.arn);
    if (call.ended || live === undefined) return;
    if (typeof name !== "string" || name === "") return refuse(driver, call, invalid("Name", "the name of a signal", name));
    const { task } = call.command;
    call.submits = true;
    call.answered = true;
    if (first) driver.post("submitted", task, JSON.stringify({ Name: name }));
    // The task may have been given a signal before a restart.
    const known = (live.state as SignalState).given?.find(([other]) => other === task);
    if (known !== undefined) return void driver.complete(call, "succeed", known[2]);
    const waiting = this.#waiting.get(live) ?? [];
    this.#waiting.set(live, waiting);
    const waiter = { call, driver, name };
    waiting.push(waiter);
    call.onEnd = () => {
      const at = waiting.indexOf(waiter);
      if (at >= 0) waiting.splice(at, 1);
    };
    this.#match(live);
  }

  /** Gives signals to waiting tasks. Both are served in the order of their arrival. */
  #match(live: Live): void {
    for (const { call, driver, name } of [...(this.#waiting.get(live) ?? [])]) {
      const signal = (live.state as SignalState).buffer?.find(([other]) => other === name);
      if (signal === undefined || call.ended || live.journal.isEnding) continue;
      this.#note(live, "signal.given", call.command.task, name);
      driver.complete(call, "succeed", signal[1]);
    }
  }

  /** Sends a signal for a `signalExecution` task. */
  async #pass(call: HandlerCall, driver: TaskDriver): Promise<void> {
    const { ExecutionArn: arn, Name: name } = membersOf(call);
    if (typeof arn !== "string") return refuse(driver, call, invalid("ExecutionArn", "the ARN of an execution", arn));
    if (typeof name !== "string") return refuse(driver, call, invalid("Name", "the name of a signal", name));
    const { task } = call.command;
    const given = isObject(call.command.input) && Object.hasOwn(call.command.input, "Payload");
    const payload = given ? (driver.inputOf?.(task, "Payload") ?? jsonText(call.command.input.Payload)) : "null";
    try {
      // The id makes sure that a signal which is sent again after a restart counts once.
      await this.send(arn, name, payload, `${call.task.idempotencyKey}/${task}`);
    } catch (thrown) {
      if (isClosed(thrown)) return;
      return refuse(driver, call, { error: "Stepglass.SignalFailed", cause: (thrown as Error).message });
    }
    driver.complete(call, "succeed", "{}");
  }
}

function checkSignal(name: string, payload: string): void {
  if (typeof name !== "string" || name === "")
    throw misuse("INVALID_ARGUMENT", `the name of a signal must be a non-empty string, not ${shown(name)}`);
  if (payload.length > PAYLOAD_LIMIT)
    throw misuse(
      "PAYLOAD_TOO_LARGE",
      `the payload of a signal can have at most ${PAYLOAD_LIMIT} characters, but this one has ${payload.length}`,
      RangeError,
    );
}
