// Cooperative cancellation: pending tasks fail with an error that the definition can catch in order to clean up.

import type { PendingTask } from "../../core/api/index.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { argumentText } from "../../core/tasks/integration.ts";
import type { TaskCall, TaskDriver, Taker } from "../../core/tasks/call.ts";
import type { Runs } from "./children.ts";
import { settle } from "./live.ts";
import { invalid, isClosed, membersOf, refuse } from "./requests.ts";

export class Cancellation {
  readonly #runs: Pick<Runs, "host" | "options" | "isStrict">;

  constructor(runs: Pick<Runs, "host" | "options" | "isStrict">) {
    this.#runs = runs;
  }

  /** The handlers of the tasks. */
  readonly tasks: Readonly<Record<string, Taker>> = {
    cancelExecution: { take: (call, driver) => void this.#pass(call, driver) },
    cancelBranches: { take: (call, driver) => this.#besides(call, driver) },
  };

  /**
   * Requests that an execution ends. Resolves when the request is in the store. Tasks that clean up after the first request are not
   * cancelled by a second one.
   */
  async cancel(arn: string, details?: unknown): Promise<void> {
    await this.#runs.host.at(arn, "cancel", [arn, this.#cause(details)]);
  }

  #cause(details: unknown): string | undefined {
    return details === undefined || typeof details === "string" ? details : argumentText(details, "the details", this.#runs.isStrict);
  }

  /** Cancels a state with everything in it, or one of its branches or iterations. Returns whether the execution is in it. */
  async cancelScope(arn: string, state: string, options: { index?: number; details?: unknown } = {}): Promise<boolean> {
    checkOptions(options, ["index", "details"], "cancelScope()");
    const { index, details } = options;
    if (typeof state !== "string") throw misuse("INVALID_ARGUMENT", `the state must be a name, not ${shown(state)}`);
    if (index !== undefined && !(Number.isInteger(index) && index >= 0))
      throw misuse("INVALID_OPTION", `index must be a whole number from 0, not ${shown(index)}`);
    return this.#runs.host.at(arn, "cancelScope", [arn, state, index, this.#cause(details)]);
  }

  /** The same for an execution that this process owns. */
  async takeScope(arn: string, state: string, index?: number, cause?: string): Promise<boolean> {
    const live = await this.#runs.host.take(arn);
    if (live === undefined) return false;
    await settle(live);
    const frames = live.driver.frames().filter(({ child }) => child === undefined);
    const isThere = frames.some(
      ({ id, state: name }) =>
        name === state && (index === undefined || frames.some(({ parent, slot }) => parent === id && slot === index)),
    );
    if (isThere) live.post("cancel", cause, [], [state, index ?? null]);
    await settle(live);
    return isThere;
  }

  /** Cancels the other branches or iterations around a task. That and the end of the task are stored together. */
  #besides(call: TaskCall, driver: TaskDriver): void {
    const live = this.#runs.host.find(driver.execution.arn);
    if (live === undefined) return;
    const { Details: details } = membersOf(call);
    live.post("cancel", this.#cause(details), [], [null, null, call.command.task]);
    driver.complete(call, "succeed", "{}");
  }

  /** The same for an execution that this process owns. */
  async take(arn: string, cause?: string): Promise<void> {
    const live = await this.#runs.host.take(arn);
    if (live === undefined) return;
    if (live.record.cancelRequested === undefined) {
      const pending: PendingTask[] = JSON.parse(live.engine.ask("pending"));
      const spared = pending
        .filter(({ state, resource }) => this.#runs.options(state, resource)?.onCancel === "request")
        .map(({ task }) => task);
      live.record = { ...live.record, cancelRequested: { spared } };
      live.post("cancel", cause, spared);
      await settle(live);
      for (const task of spared) live.driver.requestEnd(task);
    }
    await settle(live);
  }

  async #pass(call: TaskCall, driver: TaskDriver): Promise<void> {
    const { ExecutionArn: arn, Details: details } = membersOf(call);
    if (typeof arn !== "string") return refuse(driver, call, invalid("ExecutionArn", "the ARN of an execution", arn));
    try {
      const record = await this.#runs.host.record(arn);
      if (record?.status === "RUNNING") await this.cancel(arn, details);
      else {
        const cause = record === undefined ? `there is no execution ${arn}` : `the execution ${arn} has ended`;
        return refuse(driver, call, { error: "Stepglass.CancelFailed", cause });
      }
    } catch (thrown) {
      if (isClosed(thrown)) return;
      return refuse(driver, call, { error: "Stepglass.CancelFailed", cause: (thrown as Error).message });
    }
    driver.complete(call, "succeed", "{}");
  }
}

/** Returns the numbers of the tasks that a request did not fail, because they were asked to end by themselves. */
export function sparedBy(requested: unknown): readonly number[] {
  return (requested as { spared?: number[] } | undefined)?.spared ?? [];
}
