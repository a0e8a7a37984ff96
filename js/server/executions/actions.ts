// Actions on an execution besides AWS's API. The debugger's pages, the command and programs use them.

import { codeOf, messageOf } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { isJson } from "../../core/tasks/integration.ts";
import { ApiError, invalid, noExecution, runsElsewhere } from "../protocol/errors.ts";
import type { StoredExecution } from "../storage/records.ts";
import type { Context } from "./context.ts";

/** The names of all actions, in the order in which pages offer them. */
export const ACTIONS = ["signal", "cancel", "stop", "redrive", "resume", "migrate"] as const;
export type ActionName = (typeof ACTIONS)[number];

/** Performs the actions on executions. A host that lacks one cannot perform it. Payloads are JSON texts. */
export interface ExecutionActions {
  signal(arn: string, name: string, payload: string, id?: string): Promise<void>;
  cancel(arn: string, cause?: string): Promise<void>;
  /** Resolves when the execution has ended. */
  stop(arn: string, error?: string, cause?: string): Promise<unknown>;
  redrive(arn: string): Promise<object | void>;
  resume(arn: string): Promise<void>;
  /** Continues it with the registered definition of its machine. Resolves to false if it already has that definition. */
  migrate?(arn: string): Promise<boolean>;
}

/** The API's error for each error code of the runtime. */
const API_ERRORS = new Map<unknown, (message: string, arn: string) => ApiError>([
  ["UNKNOWN_EXECUTION", (_, arn) => noExecution(arn)],
  ["NOT_RUNNING", (message) => new ApiError("ExecutionNotRunning", message)],
  ["NOT_REDRIVABLE", (message) => new ApiError("ExecutionNotRedrivable", message)],
  ["NOT_MIGRATABLE", (message) => new ApiError("ExecutionNotMigratable", message)],
  ["EXECUTION_SUSPENDED", (message) => new ApiError("ExecutionSuspended", message)],
  ["EXECUTION_ELSEWHERE", (message) => runsElsewhere(message)],
  ["UNKNOWN_MACHINE", (message) => invalid(message)],
  ["INVALID_ARGUMENT", (message) => invalid(message)],
  ["PAYLOAD_TOO_LARGE", (message) => invalid(message)],
]);

/** Returns the actions of a server. */
export function actionsOf(service: Context): ExecutionActions {
  const { runner, tasks } = service;
  return {
    signal: (arn, name, payload, id) => tasks.signals.send(arn, name, payload, id),
    cancel: (arn, cause) => tasks.cancellation.cancel(arn, cause),
    stop: (arn, error, cause) => runner.stop(arn, error, cause),
    redrive: (arn) => service.call("RedriveExecution", { executionArn: arn }),
    resume: (arn) => runner.at(arn, "resume", [arn]),
  };
}

/** Sends a signal to a running execution; resolves when it is in the store. `payload` is JSON text. Throws ApiError. */
export async function sendSignal(service: Context, arn: string, name: string, payload: string, id?: string): Promise<void> {
  await send(actionsOf(service), arn, name, payload, id);
}

async function send(actions: ExecutionActions, arn: string, name: string, payload: string, id?: string): Promise<void> {
  if (!isJson(payload)) throw invalid("The payload of a signal must be JSON");
  await withApiErrors(arn, actions.signal(arn, name, payload, id));
}

/** Turns an error of the runtime into an error of the API. */
async function withApiErrors<Result>(arn: string, action: Promise<Result>): Promise<Result> {
  try {
    return await action;
  } catch (thrown) {
    throw API_ERRORS.get(codeOf(thrown))?.(messageOf(thrown), arn) ?? thrown;
  }
}

/** Performs an action that a page requests. `input` is the body of the request, with payloads as JSON texts. Throws ApiError. */
export async function act(actions: ExecutionActions, { id, status }: StoredExecution, action: string, input: unknown): Promise<object> {
  const given = isObject(input) ? input : {};
  const text = (name: string): string | undefined => {
    const value = given[name];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") throw invalid(`${name} must be a text`);
    return value;
  };
  const checkRunning = (): void => {
    if (status !== "RUNNING") throw new ApiError("ExecutionNotRunning", `the execution ${id} has ended`);
  };
  switch (action) {
    case "signal": {
      const name = text("name");
      if (name === undefined) throw invalid("A signal needs a name");
      await send(actions, id, name, text("payload") ?? "null", text("id"));
      return {};
    }
    case "stop":
      checkRunning();
      await withApiErrors(id, actions.stop(id, text("error"), text("cause")));
      return {};
    case "cancel":
      checkRunning();
      await withApiErrors(id, actions.cancel(id, text("cause")));
      return {};
    case "resume":
      await withApiErrors(id, actions.resume(id));
      return {};
    case "redrive":
      return (await withApiErrors(id, actions.redrive(id))) ?? {};
    case "migrate":
      if (actions.migrate === undefined) throw invalid("Executions of a server cannot be migrated: a Runtime can do that");
      checkRunning();
      return { migrated: await withApiErrors(id, actions.migrate(id)) };
    default:
      throw new ApiError("ResourceNotFound", `an execution has no ${action.slice(0, 200)}`, { status: 404 });
  }
}
