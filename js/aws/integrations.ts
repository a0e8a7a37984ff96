// How the requests and responses of optimized integrations differ from those of the API. Integrations that are not listed have the
// API's own.

import { createHash } from "node:crypto";
import type { Task as PublicTask } from "../core/api/index.d.ts";
import { TaskError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { jsonText } from "../core/tasks/integration.ts";
import { JsonText } from "../core/tasks/json-text.ts";
import type { Members } from "./jobs.ts";

/** Calls another API of the same service. Its request and response have PascalCase members. */
export type CallApi = (action: string, request: Members) => Promise<Members>;

/** How an integration differs from its API. */
export interface Integration {
  /** The API, if it has another name. */
  action?: string;
  /** The package of the client after `@aws-sdk/client-`, if it is not the service's. */
  client?: string;
  /** Returns the API's request. */
  request?(given: Members, task: PublicTask, call: CallApi): Members | Promise<Members>;
  /** Returns the integration's response. */
  response?(answer: Members, given: Members): Members;
}

/** Keys are the service and the API. */
export const INTEGRATIONS: ReadonlyMap<string, Integration> = new Map<string, Integration>([
  [
    "bedrock:invokeModel",
    {
      client: "bedrock-runtime",
      request: (given) => ({ ContentType: "application/json", ...given }),
      response: (answer) => ({ ...answer, Body: parsed(answer.Body) }),
    },
  ],
  ["ecs:runTask", { response: placed }],
  [
    "elasticmapreduce:addStep",
    {
      action: "addJobFlowSteps",
      request: ({ ClusterId, Step, ...others }) => ({ ...others, JobFlowId: ClusterId, Steps: [Step] }),
      response: ({ StepIds }) => ({ StepId: first(StepIds) }),
    },
  ],
  [
    "elasticmapreduce:cancelStep",
    {
      action: "cancelSteps",
      request: ({ StepId, ...others }) => ({ ...others, StepIds: [StepId] }),
      response: ({ CancelStepsInfoList }) => ({ CancelStepsInfo: first(CancelStepsInfoList) }),
    },
  ],
  [
    "elasticmapreduce:createCluster",
    { action: "runJobFlow", response: ({ JobFlowId, ...others }) => ({ ...others, ClusterId: JobFlowId }) },
  ],
  [
    "elasticmapreduce:modifyInstanceFleetByName",
    {
      action: "modifyInstanceFleet",
      async request({ ClusterId, InstanceFleetName, InstanceFleet }, _, call) {
        const { InstanceFleets } = await call("listInstanceFleets", { ClusterId });
        return { ClusterId, InstanceFleet: { ...members(InstanceFleet), InstanceFleetId: idOf(InstanceFleets, InstanceFleetName) } };
      },
    },
  ],
  [
    "elasticmapreduce:modifyInstanceGroupByName",
    {
      action: "modifyInstanceGroups",
      async request({ ClusterId, InstanceGroupName, InstanceGroup }, _, call) {
        const { InstanceGroups } = await call("listInstanceGroups", { ClusterId });
        return { ClusterId, InstanceGroups: [{ ...members(InstanceGroup), InstanceGroupId: idOf(InstanceGroups, InstanceGroupName) }] };
      },
    },
  ],
  [
    "elasticmapreduce:setClusterTerminationProtection",
    { action: "setTerminationProtection", request: ({ ClusterId, ...others }) => ({ ...others, JobFlowIds: [ClusterId] }) },
  ],
  ["elasticmapreduce:terminateCluster", { action: "terminateJobFlows", request: ({ ClusterId }) => ({ JobFlowIds: [ClusterId] }) }],
  ["events:putEvents", { request: withResources }],
  ["states:startExecution", { request: (given, task) => ({ Name: childName(task), Input: {}, ...given }) }],
]);

function first(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

function members(value: unknown): Members {
  return isObject(value) ? value : {};
}

function parsed(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return new JsonText(body);
  } catch {
    return body;
  }
}

/** ECS responds with success although it could not place a task. */
function placed(answer: Members): Members {
  if (Array.isArray(answer.Failures) && answer.Failures.length > 0) throw new TaskError("AmazonECS.Unknown", jsonText(answer));
  return answer;
}

/** Returns the id of the named part of an EMR cluster. */
function idOf(list: unknown, name: unknown): unknown {
  const found = Array.isArray(list) ? list.filter(isObject).find((one) => one.Name === name) : undefined;
  if (found !== undefined) return found.Id;
  throw new TaskError("ElasticMapReduce.AmazonElasticMapReduceException", `the cluster has nothing named ${jsonText(name)}`);
}

/** Adds the ARNs of the machine and of its execution to each entry, as Step Functions does. */
function withResources(given: Members, task: PublicTask): Members {
  const { arn } = task.execution;
  const machine = arn
    .replace(/:(execution|express):/, ":stateMachine:")
    .split(":")
    .slice(0, 7)
    .join(":");
  const entries = Array.isArray(given.Entries) ? given.Entries : [];
  return {
    ...given,
    Entries: entries.map((entry: unknown) =>
      isObject(entry) ? { ...entry, Resources: [...(Array.isArray(entry.Resources) ? entry.Resources : []), machine, arn] } : entry,
    ),
  };
}

/** Returns a name for what a task starts. It stays the same if the attempt is repeated after a restart, so that it is started once. */
function childName(task: PublicTask): string {
  const digits = createHash("sha256").update(`${task.idempotencyKey}/${task.attempt}`).digest("hex");
  return digits.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
}
