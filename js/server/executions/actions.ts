// Actions on an execution besides AWS's API. The debugger's pages, the command and programs use them.

import type { ServerExecutionSignals } from "../../core/api/server.d.ts";
import { codeOf, messageOf } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { Signals } from "../../runtime/durable/signals.ts";
import { isJson } from "../../core/tasks/integration.ts";
import { ApiError, invalid, noExecution, runsElsewhere } from "../protocol/errors.ts";
import type { StoredExecution } from "../storage/records.ts";
import type { Context } from "./context.ts";

/** The API's error for each error code of the runtime. */
const API_ERRORS = new Map<unknown, (message: string, arn: string) => ApiError>([
  ["UNKNOWN_EXECUTION", (_, arn) => noExecution(arn)],
  ["NOT_RUNNING", (message) => new ApiError("ExecutionNotRunning", message)],
  ["EXECUTION_ELSEWHERE", (message) => runsElsewhere(message)],
  ["INVALID_ARGUMENT", (message) => invalid(message)],
  ["PAYLOAD_TOO_LARGE", (message) => invalid(message)],
]);

/** Sends a signal to a running execution; resolves when it is in the store. `payload` is JSON text. Throws ApiError. */
export async function sendSignal(service: Context, arn: string, name: string, payload: string, id?: string): Promise<void> {
  if (!isJson(payload)) throw invalid("The payload of a signal must be JSON");
  await withApiErrors(arn, service.tasks.signals.send(arn, name, payload, id));
}

/** Turns an error of the runtime into an error of the API. */
async function withApiErrors(arn: string, action: Promise<void>): Promise<void> {
  try {
    await action;
  } catch (thrown) {
    throw API_ERRORS.get(codeOf(thrown))?.(messageOf(thrown), arn) ?? thrown;
  }
}

/** Returns the signals that an execution waits for, and how many unread signals it has of each name. */
export function signalsOf({ runner }: Context, arn: string): Promise<ServerExecutionSignals> {
  return runner.at(arn, "signals", [arn]);
}

/** Does the same as `signalsOf` for an execution that runs in this process. */
export async function ownSignals(service: Context, arn: string): Promise<ServerExecutionSignals> {
  const live = await service.runner.live(arn);
  // It may have ended in the same moment.
  if (live === undefined || live.hasLeft || live.status !== "RUNNING") return { waiting: [], buffered: {} };
  const pending = JSON.parse(live.engine.ask("pending")) as { resource: string; input?: { Name?: unknown } }[];
  const names = pending.filter(({ resource }) => resource === "urn:stepglass:waitForSignal").map(({ input }) => input?.Name);
  return { waiting: [...new Set(names.filter((name) => typeof name === "string"))], buffered: Signals.counts(live.state) };
}

/** Performs an action that a page requests. `input` is the body of the request, with payloads as JSON texts. Throws ApiError. */
export async function act(service: Context, record: StoredExecution, action: string, input: unknown): Promise<object> {
  const given = isObject(input) ? input : {};
  const text = (name: string): string | undefined => {
    const value = given[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") throw invalid(`${name} must be a text`);
    return value;
  };
  switch (action) {
    case "signal": {
      const name = text("name");
      if (name === undefined) throw invalid("A signal needs a name");
      await sendSignal(service, record.id, name, text("payload") ?? "null", text("id"));
      return {};
    }
    case "stop": {
      if (record.status !== "RUNNING") throw new ApiError("ExecutionNotRunning", `the execution ${record.id} has ended`);
      await service.runner.stop(record.id, text("error"), text("cause"));
      return {};
    }
    case "cancel": {
      if (record.status !== "RUNNING") throw new ApiError("ExecutionNotRunning", `the execution ${record.id} has ended`);
      await withApiErrors(record.id, service.tasks.cancellation.cancel(record.id, text("cause")));
      return {};
    }
    case "resume": {
      await service.runner.at(record.id, "resume", [record.id]).catch((thrown: unknown) => {
        throw codeOf(thrown) === "EXECUTION_SUSPENDED" ? new ApiError("ExecutionSuspended", messageOf(thrown)) : thrown;
      });
      return {};
    }
    case "redrive":
      return service.call("RedriveExecution", { executionArn: record.id });
    default:
      throw new ApiError("ResourceNotFound", `an execution has no ${action.slice(0, 200)}`, { status: 404 });
  }
}
