// `urn:stepglass:continueAsNew`: ends an execution, and starts the next one with a history of its own.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import { isObject } from "../../core/base/json.ts";
import { shown } from "../../core/base/shown.ts";
import { startProblem } from "../../core/execution/start.ts";
import { isJson, jsonText } from "../../core/tasks/integration.ts";
import { inputText, refusal } from "../../core/execution/nested.ts";
import type { TaskCall, TaskDriver, TaskFailure, Taker } from "../../core/tasks/call.ts";
import type { Continues, Host, Started } from "./host.ts";
import { invalid, isClosed, membersOf, refuse } from "./requests.ts";

/** The position of an execution in a chain of continued executions. It is stored in the execution's record. */
export interface Continued {
  /** The number of this execution in the chain; the first is 1. */
  run: number;
  /** The name of the chain's first execution. */
  base: string;
  /** The ARN of the previous execution. */
  from: string;
}

/** The parts of the runtime that a continuation uses. */
interface Following {
  readonly host: Host;
  readonly payloadLimit: number | undefined;
  /** Returns the machine with an ARN or a name. */
  machine(arn: string): { name: string } | undefined;
  /** Starts the next execution. With `continues`, in the write in which this one ends. */
  begin(start: NextExecution & { run: string; continues?: Continues }): Promise<Started>;
}

/**
 * Starts the next execution in the same write in which this one ends, so that neither can be stored without the other.
 *
 * In a store that several processes share, another process may start an execution of that name at the same moment. Therefore the
 * next execution is stored first there, and this one ends afterwards. After a restart between the two writes the task is taken
 * again, and finds the next execution by its name.
 */
export class Continuation implements Taker {
  readonly #runs: Following;

  constructor(runs: Following) {
    this.#runs = runs;
  }

  take(call: TaskCall, driver: TaskDriver): void {
    void this.#continue(call, driver);
  }

  async #continue(call: TaskCall, driver: TaskDriver): Promise<void> {
    const live = this.#runs.host.find(driver.execution.arn);
    if (live === undefined) return;
    const next = nextExecution(call, {
      record: live.record,
      definition: live.machine.definition,
      frames: live.driver.frames().length,
      payloadLimit: this.#runs.payloadLimit,
      inputOf: (task) => driver.inputOf?.(task, "Input"),
      machine: (named = live.record.machineArn) => this.#runs.machine(named)?.name,
    });
    if ("failure" in next) return refuse(driver, call, next.failure);
    const { machine, name, input, continued } = next;
    const { tags = live.record.tags, priority = Number(live.record.priority ?? 0) } = next;
    const succeed = (record: ExecutionRecord): boolean =>
      driver.complete(call, "succeed", JSON.stringify({ ExecutionArn: record.id, StartDate: record.startDate }));
    // `ready` is not called if the next execution was stored before, for example by another version of Stepglass.
    let isReady = false;
    const ready = (record: ExecutionRecord): void => {
      isReady = true;
      if (!succeed(record)) live.continueNot();
    };
    try {
      const { record } = await this.#runs.begin({
        machine,
        name,
        input,
        run: name,
        continued,
        ...(this.#runs.host.store.sharing === undefined && { continues: { live, ready } }),
        ...(tags !== undefined && { tags }),
        ...(live.record.attributes !== undefined && { attributes: live.record.attributes }),
        ...(priority !== 0 && { priority }),
      });
      if (isReady) return;
      const from = (record.continued as Continued | undefined)?.from;
      if (from !== live.id) {
        return refuse(driver, call, nameTaken(name, record.id));
      }
      if (call.ended) return;
      void live.change({ continuedTo: record.id });
      succeed(record);
    } catch (thrown) {
      if (!isClosed(thrown)) refuse(driver, call, { error: "Stepglass.ContinueFailed", cause: (thrown as Error).message });
    }
  }
}

/** Returns the failure of a task whose next execution has the name of another execution. */
export function nameTaken(name: string, arn: string): TaskFailure {
  return { error: "Stepglass.ContinueFailed", cause: `the name ${shown(name)} of the next execution is taken: ${arn}` };
}

/** The execution that continues as a new one, as its host knows it. */
interface Continuing {
  record: ExecutionRecord;
  /** The definition of the execution. */
  definition: string;
  /** The number of frames that are running. */
  frames: number;
  payloadLimit: number | undefined;
  /** Returns the JSON text of the task's Input, if the host has it. */
  inputOf: (task: number) => string | undefined;
  /** Returns the name of a registered machine, by its name or ARN; by default that of the execution. */
  machine: (named?: string) => string | undefined;
}

/** The next execution of a chain. */
interface NextExecution {
  machine: string;
  name: string;
  /** JSON text. */
  input: string;
  continued: Continued;
  /** The options that the task sets. Those that it does not set are taken from this execution. */
  tags?: Record<string, string>;
  priority?: number;
}

/** Returns the execution that a task asks for, or why the execution cannot continue as a new one. */
export function nextExecution(call: TaskCall, from: Continuing): NextExecution | { failure: TaskFailure } {
  const { Machine: given } = membersOf(call);
  const { task, state } = call.command;
  const machine = given === undefined || given === null ? from.machine() : typeof given === "string" ? from.machine(given) : undefined;
  if (machine === undefined) return { failure: invalid("Machine", "the name or the ARN of a machine", given) };
  const input = inputText(call, (value) => from.inputOf(task) ?? jsonText(value));
  const own = optionsOf(call);
  if ("failure" in own) return own;
  const continued = nextOf(from.record);
  const name = `${continued.base}.${continued.run}`;
  const problem = problemOf({ definition: from.definition, frames: from.frames, state }, name, input, from.payloadLimit);
  return problem === undefined ? { machine, name, input, continued, ...own } : { failure: problem };
}

/** Returns the options that the task sets for the next execution. */
function optionsOf(call: TaskCall): { tags?: Record<string, string>; priority?: number } | { failure: TaskFailure } {
  const { Tags: tags, Priority: priority } = membersOf(call);
  const areTags = isObject(tags) && Object.values(tags).every((value) => typeof value === "string");
  if (tags !== undefined && !areTags) return { failure: invalid("Tags", "an object of texts", tags) };
  if (priority !== undefined && typeof priority !== "number") return { failure: invalid("Priority", "a number", priority) };
  return { ...(tags !== undefined && { tags: tags as Record<string, string> }), ...(priority !== undefined && { priority }) };
}

function nextOf({ id, name, continued }: ExecutionRecord): Continued {
  const { run, base } = (continued as Continued | undefined) ?? { run: 1, base: name };
  return { run: run + 1, base, from: id };
}

/** The position at which an execution continues as a new one. */
interface Standpoint {
  /** The definition of the execution. */
  definition: string;
  /** The number of frames that are running. */
  frames: number;
  state: string;
}

/** Returns why an execution cannot continue as a new one at this position. */
function problemOf(at: Standpoint, name: string, input: string, limit: number | undefined): TaskFailure | undefined {
  const { state } = at;
  // The task must be the last thing that the execution does. Otherwise, both executions would run.
  if (!isLast(at)) {
    const cause = `urn:stepglass:continueAsNew must be in a top-level state with "End": true, and ${shown(state)} is not one`;
    return { error: "Stepglass.InvalidRequest", cause };
  }
  const problem = startProblem(name, input, limit);
  if (problem !== undefined) return refusal("states:startExecution", ...problem);
  return isJson(input) ? undefined : invalid("Input", "JSON", input);
}

/** Returns whether the execution ends when this state does. */
function isLast({ definition, frames, state }: Standpoint): boolean {
  const { States } = JSON.parse(definition) as { States: Record<string, { End?: boolean }> };
  return Object.hasOwn(States, state) && States[state]?.End === true && frames === 1;
}
