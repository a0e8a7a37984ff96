// Tasks that the command sends to AWS or an emulator of it: its flags, and the variables of Step Functions Local.

import type { AwsCall, AwsTaskOptions } from "../api/aws.d.ts";
import type { StartOptions, TaskHandler, TaskHandlers } from "../api/index.d.ts";
import { clientsOf } from "../aws/tasks.ts";
import { LAMBDA_FUNCTIONS } from "../aws/services.ts";
import { TaskError, messageOf } from "../base/errors.ts";
import { callsOf } from "../aws/plan.ts";
import type { MachineDefinition } from "../definition/fields.ts";
import { awsTasks } from "../entries/aws.ts";
import { StateMachine } from "../execution/machine.ts";
import { Machines } from "../execution/nested.ts";
import { Unusable } from "../files/problem.ts";
import { lambdaTask } from "../server/tasks.ts";
import { withOthers } from "../tasks/handlers.ts";
import { Handlers } from "../tasks/resource.ts";
import type { AwsValues } from "./aws-options.ts";

/** The variables of Step Functions Local, and the services whose endpoints they are. */
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

/** What the flags and the environment ask for. */
export interface Asked {
  handlers: Record<string, TaskHandler>;
  /** Whether nothing is to be called. */
  isDry: boolean;
}

/** The handlers that the flags and the environment ask for; `lambda` whether functions are to be called by LAMBDA_ENDPOINT here. */
export function asked(values: AwsValues, env: NodeJS.ProcessEnv, { lambda }: { lambda: boolean }): Asked {
  const isDry = values["aws-dry-run"] === true;
  const functions = env.LAMBDA_ENDPOINT || undefined;
  const options = optionsOf(values, env);
  let handlers: Record<string, TaskHandler>;
  try {
    handlers = options === undefined ? {} : awsTasks(options);
  } catch (error) {
    throw new Unusable(messageOf(error).replace("awsTasks(): ", ""), { usage: true });
  }
  if (functions !== undefined) {
    for (const name of ["lambda:*", LAMBDA_FUNCTIONS]) delete handlers[name];
    if (lambda) Object.assign(handlers, functionsAt(urlOf(functions, "LAMBDA_ENDPOINT")));
  }
  return { handlers: isDry ? dry(handlers) : handlers, isDry };
}

/** Handlers of one's own first, then those that were asked for. */
export function withAws(own: TaskHandlers, { handlers }: Asked): TaskHandlers {
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
  // Endpoints of single services name these alone.
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

/** Functions by the Invoke API alone: no package is needed for it. */
function functionsAt(url: string): Record<string, TaskHandler> {
  const handler = lambdaTask(url);
  FUNCTIONS.set(handler, url);
  return { "lambda:*": handler, "aws-sdk:lambda:invoke": handler, [LAMBDA_FUNCTIONS]: handler };
}

/** The endpoints of handlers that call functions. */
const FUNCTIONS = new WeakMap<object, string>();
/** Handlers that call nothing, and those in whose place they are. */
const DRY = new WeakMap<object, TaskHandler>();

/** In the place of handlers, those that say what they would have called. */
function dry(handlers: Record<string, TaskHandler>): Record<string, TaskHandler> {
  const stand = new Map<TaskHandler, TaskHandler>();
  for (const handler of Object.values(handlers)) {
    const told: TaskHandler = (_, task) => {
      throw new TaskError("Stepglass.DryRun", `${task.resource} was not called, because of --aws-dry-run`);
    };
    DRY.set(told, handler);
    stand.set(handler, told);
  }
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, stand.get(handler) ?? handler]));
}

/** What finds the handler of a task. */
type Finder = Pick<Handlers, "find">;

/** What a machine would call, with those that its tasks can start. */
export async function wouldCall(machine: StateMachine, { tasks = {}, machines = [] }: StartOptions): Promise<AwsCall[]> {
  const others = Array.isArray(machines) ? (machines as StateMachine[]) : [];
  const nested = new Machines(others, (value): value is StateMachine => value instanceof StateMachine);
  const calls = [machine, ...others].map((one) =>
    callsBy(JSON.parse(one.definition) as MachineDefinition, new Handlers<TaskHandler>(tasks, nested)),
  );
  return (await Promise.all(calls)).flat();
}

/** What the tasks of a definition would call. Those that `mocks` finds a handler for call nothing. */
export function callsBy(definition: MachineDefinition, handlers: Finder, mocks?: Finder): Promise<AwsCall[]> {
  return callsOf(definition, (resource, state, parameters) => {
    if (mocks?.find(resource, state, parameters) !== undefined) return undefined;
    const found = handlers.find(resource, state, parameters);
    const handler = found && (DRY.get(found) ?? found);
    const endpoint = handler && FUNCTIONS.get(handler);
    return endpoint === undefined ? handler && clientsOf(handler) : { endpoint };
  });
}

/** The lines of a list of calls. */
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
