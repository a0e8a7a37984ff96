// The state that an execution publishes with `urn:stepglass:setState`, and queries of it.

import type { ExecutionQuery, ExecutionRecord } from "../../core/api/durable.d.ts";
import { isObject } from "../../core/base/json.ts";
import type { Taker } from "../../core/tasks/call.ts";
import { jsonText } from "../../core/tasks/integration.ts";
import type { Host } from "./host.ts";
import { heartbeatsOf } from "./live.ts";
import { invalid, refuse } from "./requests.ts";
import { storedJson } from "../store/stored-json.ts";
import { Signals } from "./signals.ts";

/** Maximum length of a state, in characters, as in the Flow Framework. The state is part of each entry in a list of executions. */
const LONGEST = 32_768;

/**
 * Returns the handler that publishes a value. The value and the task's result are stored together, in this order. A task that is called
 * again publishes its value again.
 */
export function stateTask(host: () => Host): Taker {
  return {
    take(call, driver) {
      const { input, task } = call.command;
      if (!isObject(input) || !Object.hasOwn(input, "Value")) return refuse(driver, call, invalid("Value", "the value to show", undefined));
      const text = driver.inputOf?.(task, "Value") ?? jsonText(input.Value);
      if (text.length > LONGEST) {
        const cause = `the state of an execution can have at most ${LONGEST} characters, but this one has ${text.length}`;
        return refuse(driver, call, { error: "Stepglass.StateTooLarge", cause });
      }
      void host().find(driver.execution.arn)?.change({ state: text });
      driver.complete(call, "succeed", text);
    },
  };
}

/**
 * Returns the published state and the current position of an execution, without continuing it; undefined if the execution does not
 * exist.
 */
export async function query(host: Host, arn: string): Promise<ExecutionQuery | undefined> {
  const seen = await host.peek(arn);
  if (seen === undefined) return undefined;
  const { record, frames, state } = seen;
  return { status: record.status, ...shownState(record), frames, signals: Signals.counts(state), ...heartbeatsOf(state) };
}

/** Returns the published state of an execution; an empty object if there is none. */
export function shownState({ id, state }: ExecutionRecord): { state?: unknown } {
  return typeof state === "string" ? { state: storedJson(state, `the state of ${id}`) } : {};
}
