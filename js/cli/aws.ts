// Tasks that the command sends to AWS or an emulator of it, by its flags and by the variables of Step Functions Local.

import type { AwsCall, AwsTaskOptions } from "../core/api/aws.d.ts";
import type { StartOptions, TaskHandler, TaskHandlers } from "../core/api/index.d.ts";
import { clientsOf } from "../aws/tasks.ts";
import { LAMBDA_FUNCTIONS } from "../aws/services.ts";
import { TaskError, messageOf } from "../core/base/errors.ts";
import { callsOf } from "../aws/plan.ts";
import type { MachineDefinition } from "../core/definition/fields.ts";
import { awsTasks } from "../entries/aws.ts";
import { StateMachine } from "../core/execution/machine.ts";
import { Machines } from "../core/execution/nested.ts";
import { Unusable } from "../language/files/problem.ts";
import { lambdaTask } from "../server/executions/tasks.ts";
import { withOthers } from "../core/tasks/handlers.ts";
import { Handlers } from "../core/tasks/resource.ts";
import type { AwsValues } from "./aws-options.ts";

/** The variables of Step Functions Local that set the endpoint of a service. */
const VARIABLES: readonly (readonly [variable: string, service: string])[] = [
  ["BATCH_ENDPOINT", "batch"],
  ["DYNAMODB_ENDPOINT", "dynamodb"],
  ["ECS_ENDPOINT", "ecs"],
  ["GLUE_ENDPOINT", "glue"],
  ["SAGE_MAKER_ENDPOINT", "sagemaker"],
  ["SNS_ENDPOINT", "sns"],
  ["SQS_ENDPOINT", "sqs"],
  ["STEP_FUNCTIONS_ENDPOINT", "states"],
];

/** The handlers that the flags and the environment request. */
interface RequestedHandlers {
  handlers: Record<string, TaskHandler>;
  /** Whether the handlers must not call anything. */
  isDry: boolean;
}

/**
 * Returns the handlers that the flags and the environment request. `lambda` says whether this command calls functions at
 * LAMBDA_ENDPOINT itself.
 */
export function requestedHandlers(values: AwsValues, env: NodeJS.ProcessEnv, { lambda }: { lambda: boolean }): RequestedHandlers {
  const isDry = values["aws-dry-run"] === true;
  const functions = env.LAMBDA_ENDPOINT || undefined;
  const options = optionsOf(values, env);
  let handlers: Record<string, TaskHandler>;
  try {
    handlers = options === undefined ? {} : awsTasks(options);
  } catch (error) {
    throw new Unusable((error as { problem?: string }).problem ?? messageOf(error), { usage: true });
  }
  if (functions !== undefined) {
    for (const name of ["lambda:*", LAMBDA_FUNCTIONS]) delete handlers[name];
    if (lambda) Object.assign(handlers, functionsAt(urlOf(functions, "LAMBDA_ENDPOINT")));
  }
  return { handlers: isDry ? dry(handlers) : handlers, isDry };
}

/** Adds the requested handlers. The user's own handlers take precedence. */
export function withAws(own: TaskHandlers, { handlers }: RequestedHandlers): TaskHandlers {
  return Object.keys(handlers).length === 0 ? own : (withOthers(own, handlers) as TaskHandlers);
}

function optionsOf(values: AwsValues, env: NodeJS.ProcessEnv): AwsTaskOptions | undefined {
  const endpoints: Record<string, string> = {};
  for (const [variable, service] of VARIABLES) if (env[variable]) endpoints[service] = urlOf(env[variable], variable);
  let endpoint: string | undefined;
  for (const given of values["aws-endpoint"] ?? []) {
    const [, service, url] = /^([a-z][a-z0-9-]*)=(.*)$/.exec(given) ?? [];
    if (service === undefined) endpoint = urlOf(given, "--aws-endpoint");
    else endpoints[service] = urlOf(url ?? "", "--aws-endpoint");
  }
  const only = values["aws-only"];
  // Without --aws, endpoints of single services enable only those services.
  const all = values.aws === true || endpoint !== undefined;
  if (!all && only === undefined && Object.keys(endpoints).length === 0) return undefined;
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(Object.keys(endpoints).length > 0 && { endpoints }),
    ...(only !== undefined ? { only } : all && endpoint === undefined && Object.keys(endpoints).length > 0 && { only: ["*"] }),
  };
}

function urlOf(text: string, name: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Unusable(`${name} needs a URL that begins with http:// or https://, not ${JSON.stringify(text)}`, { usage: true });
  return text;
}

/** Returns handlers that call functions by the Invoke API. They need no SDK package. */
function functionsAt(url: string): Record<string, TaskHandler> {
  const handler = lambdaTask(url);
  FUNCTIONS.set(handler, url);
  return { "lambda:*": handler, "aws-sdk:lambda:invoke": handler, [LAMBDA_FUNCTIONS]: handler };
}

/** The endpoint of each handler that calls functions. */
const FUNCTIONS = new WeakMap<object, string>();
/** For each handler of a dry run, the handler that it replaces. */
const DRY = new WeakMap<object, TaskHandler>();

/** Replaces handlers by ones that fail with the name of the call instead of making it. */
function dry(handlers: Record<string, TaskHandler>): Record<string, TaskHandler> {
  const replacements = new Map<TaskHandler, TaskHandler>();
  for (const handler of Object.values(handlers)) {
    const dryHandler: TaskHandler = (_, task) => {
      throw new TaskError("Stepglass.DryRun", `${task.resource} was not called, because of --aws-dry-run`);
    };
    DRY.set(dryHandler, handler);
    replacements.set(handler, dryHandler);
  }
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, replacements.get(handler) ?? handler]));
}

/** Finds the handler of a task. */
type Finder = Pick<Handlers, "find">;

/** Returns the calls that a machine, and the machines that its tasks can start, would make. */
export async function wouldCall(machine: StateMachine, { tasks = {}, machines = [] }: StartOptions): Promise<AwsCall[]> {
  const others = Array.isArray(machines) ? (machines as StateMachine[]) : [];
  const nested = new Machines(others, (value): value is StateMachine => value instanceof StateMachine);
  const calls = [machine, ...others].map((one) =>
    callsBy(JSON.parse(one.definition) as MachineDefinition, new Handlers<TaskHandler>(tasks, nested)),
  );
  return (await Promise.all(calls)).flat();
}

/** Returns the calls that the tasks of a definition would make. A task for which `mocks` finds a handler makes none. */
export function callsBy(definition: MachineDefinition, handlers: Finder, mocks?: Finder): Promise<AwsCall[]> {
  return callsOf(definition, (resource, state, parameters) => {
    if (mocks?.find(resource, state, parameters) !== undefined) return undefined;
    const found = handlers.find(resource, state, parameters);
    const handler = found && (DRY.get(found) ?? found);
    const endpoint = handler && FUNCTIONS.get(handler);
    return endpoint === undefined ? handler && clientsOf(handler) : { endpoint };
  });
}

/** Formats a list of calls as lines. */
export function callLines(calls: readonly AwsCall[]): string {
  if (calls.length === 0) return "nothing would be called\n";
  const rows = calls.map(({ state, call, endpoint, region, package: name, installed }) => [
    state,
    call,
    `${endpoint ?? "AWS"}${region === undefined ? "" : ` ${region}`}`,
    name === undefined ? "" : installed ? name : `${name} (not installed)`,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
