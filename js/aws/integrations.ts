// What the optimized integrations change of requests and responses; all others have the API's own.

import { createHash } from "node:crypto";
import type { Task as PublicTask } from "../core/api/index.d.ts";
import { TaskError } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { jsonText } from "../core/tasks/integration.ts";
import { JsonText } from "../core/tasks/json-text.ts";
import type { Members } from "./jobs.ts";

/** Calls an API of the same service; its request and response are in PascalCase. */
export type CallApi = (action: string, request: Members) => Promise<Members>;

/** How an integration differs from its API. */
export interface Integration {
  /** The API, where it has another name. */
  action?: string;
  /** The package of its client after `@aws-sdk/client-`, where it is not the service's. */
  client?: string;
  /** The API's request. */
  request?(given: Members, task: PublicTask, call: CallApi): Members | Promise<Members>;
  /** The integration's response. */
  response?(answer: Members, given: Members): Members;
}

/** By service and API. */
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

/** ECS answers with success although it could place no task. */
function placed(answer: Members): Members {
  if (Array.isArray(answer.Failures) && answer.Failures.length > 0) throw new TaskError("AmazonECS.Unknown", jsonText(answer));
  return answer;
}

/** The id of the part of a cluster of EMR that has a name. */
function idOf(list: unknown, name: unknown): unknown {
  const found = Array.isArray(list) ? list.filter(isObject).find((one) => one.Name === name) : undefined;
  if (found !== undefined) return found.Id;
  throw new TaskError("ElasticMapReduce.AmazonElasticMapReduceException", `the cluster has nothing named ${jsonText(name)}`);
}

/** Step Functions adds the ARNs of the machine and of its execution to each entry. */
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

/** A name for what a task starts: the same if the attempt is made again after a restart, so that it is started once. */
function childName(task: PublicTask): string {
  const digits = createHash("sha256").update(`${task.idempotencyKey}/${task.attempt}`).digest("hex");
  return digits.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
}
