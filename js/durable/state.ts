// What an execution shows of itself: `urn:stepglass:setState`, and queries.

import type { ExecutionQuery, ExecutionRecord } from "../api/durable.d.ts";
import { isObject } from "../base/json.ts";
import type { Taker } from "../tasks/call.ts";
import { jsonText } from "../tasks/integration.ts";
import type { Host } from "./host.ts";
import { invalid, refuse } from "./requests.ts";
import { storedJson } from "../store/stored-json.ts";
import { Signals } from "./signals.ts";

/** The characters of a state, as the Flow Framework has it: it is in every list of executions. */
const LONGEST = 32_768;

/** Shows a value. It is kept with the task's result, in this order: a task that is called again shows it again. */
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

/** What an execution shows, and where it is, without moving it; undefined if there is none. */
export async function query(host: Host, arn: string): Promise<ExecutionQuery | undefined> {
  const seen = await host.peek(arn);
  if (seen === undefined) return undefined;
  const { record, frames, state } = seen;
  return { status: record.status, ...shownState(record), frames, signals: Signals.counts(state) };
}

/** The state that an execution shows, where it shows one. */
export function shownState({ id, state }: ExecutionRecord): { state?: unknown } {
  return typeof state === "string" ? { state: storedJson(state, `the state of ${id}`) } : {};
}
