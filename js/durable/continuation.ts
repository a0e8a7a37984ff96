// `urn:stepglass:continueAsNew`: an execution ends, and the next one begins with a history of its own.

import type { ExecutionRecord } from "../api/durable.d.ts";
import { isObject } from "../base/json.ts";
import { shown } from "../base/shown.ts";
import { startProblem } from "../execution/start.ts";
import { isJson, jsonText } from "../tasks/integration.ts";
import { inputText, refusal } from "../execution/nested.ts";
import type { TaskCall, TaskDriver, TaskFailure, Taker } from "../tasks/call.ts";
import type { Runs } from "./children.ts";
import { invalid, isClosed, membersOf, refuse } from "./requests.ts";

/** What an execution's record says of those before and after it. */
export interface Continued {
  /** The number of this one; the first is 1. */
  run: number;
  /** The name of the first one. */
  base: string;
  /** The ARN of the one before. */
  from: string;
}

/** What a continuation asks of whoever runs the executions. */
type Following = Pick<Runs, "host" | "payloadLimit" | "machine" | "begin">;

/**
 * The next execution begins in the write in which this one ends: there is never one without the other.
 *
 * In a store that processes share another one may begin an execution of that name in the same moment. So the next one is in the store
 * there before this one ends; between the two a restart takes the task again, which finds the next one by its name.
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
    const { Machine: given } = membersOf(call);
    const { task, state } = call.command;
    const wanted = given === undefined || given === null ? live.record.machineArn : given;
    const registered = typeof wanted === "string" ? this.#runs.machine(wanted) : undefined;
    if (registered === undefined) return refuse(driver, call, invalid("Machine", "the name or the ARN of a machine", given));
    const input = inputText(call, (value) => driver.inputOf?.(task, "Input") ?? jsonText(value));
    const own = optionsOf(call);
    if ("failure" in own) return refuse(driver, call, own.failure);
    const about = nextOf(live.record);
    const name = `${about.base}.${about.run}`;
    const at = { definition: live.machine.definition, frames: live.driver.frames().length, state };
    const problem = problemOf(at, name, input, this.#runs.payloadLimit);
    if (problem !== undefined) return refuse(driver, call, problem);
    const { tags = live.record.tags, priority = Number(live.record.priority ?? 0) } = own;
    const succeed = (record: ExecutionRecord): boolean =>
      driver.complete(call, "succeed", JSON.stringify({ ExecutionArn: record.id, StartDate: record.startDate }));
    // One that this version of Stepglass has not begun may be there.
    let isReady = false;
    const ready = (record: ExecutionRecord): void => {
      isReady = true;
      if (!succeed(record)) live.continueNot();
    };
    try {
      const { record } = await this.#runs.begin({
        machine: registered.name,
        name,
        input,
        run: `${about.base}.${about.run}`,
        continued: about,
        ...(this.#runs.host.store.sharing === undefined && { continues: { live, ready } }),
        ...(tags !== undefined && { tags }),
        ...(priority !== 0 && { priority }),
      });
      if (isReady) return;
      const from = (record.continued as Continued | undefined)?.from;
      if (from !== live.id) {
        const cause = `the name ${shown(name)} of the next execution is taken: ${record.id}`;
        return refuse(driver, call, { error: "Stepglass.ContinueFailed", cause });
      }
      if (call.ended) return;
      void live.change({ continuedTo: record.id });
      succeed(record);
    } catch (thrown) {
      if (!isClosed(thrown)) refuse(driver, call, { error: "Stepglass.ContinueFailed", cause: (thrown as Error).message });
    }
  }
}

/** What the next execution has that this one has not; what is not said stays as it is. */
export function optionsOf(call: TaskCall): { tags?: Record<string, string>; priority?: number } | { failure: TaskFailure } {
  const { Tags: tags, Priority: priority } = membersOf(call);
  const areTags = isObject(tags) && Object.values(tags).every((value) => typeof value === "string");
  if (tags !== undefined && !areTags) return { failure: invalid("Tags", "an object of texts", tags) };
  if (priority !== undefined && typeof priority !== "number") return { failure: invalid("Priority", "a number", priority) };
  return { ...(tags !== undefined && { tags: tags as Record<string, string> }), ...(priority !== undefined && { priority }) };
}

export function nextOf({ id, name, continued }: ExecutionRecord): Continued {
  const { run, base } = (continued as Continued | undefined) ?? { run: 1, base: name };
  return { run: run + 1, base, from: id };
}

/** Where a continuation stands. */
interface Standpoint {
  /** The definition of its execution. */
  definition: string;
  /** How many frames run there. */
  frames: number;
  state: string;
}

/** Why an execution cannot go on as a new one here. */
export function problemOf(at: Standpoint, name: string, input: string, limit: number | undefined): TaskFailure | undefined {
  const { state } = at;
  // Two executions must not run for one: after this task there is nothing left to do.
  if (!isLast(at)) {
    const cause = `urn:stepglass:continueAsNew must be in a top-level state with "End": true, and ${shown(state)} is not one`;
    return { error: "Stepglass.InvalidRequest", cause };
  }
  const problem = startProblem(name, input, limit);
  if (problem !== undefined) return refusal("states:startExecution", ...problem);
  return isJson(input) ? undefined : invalid("Input", "JSON", input);
}

/** Whether an execution ends with a state. */
function isLast({ definition, frames, state }: Standpoint): boolean {
  const { States } = JSON.parse(definition) as { States: Record<string, { End?: boolean }> };
  return Object.hasOwn(States, state) && States[state]?.End === true && frames === 1;
}
