// Determines the least policy for a definition: visits its states and combines the permissions that they need.

import type { ExecutionPolicy, PolicyOptions, PolicyStatement } from "../../core/api/integrations.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { parseResource } from "../../core/tasks/resource.ts";
import { Call, type Collected, type Permission, textOf } from "./call.ts";
import { RULES } from "./optimized.ts";
import { bucketOf, objectOf, sdkRule } from "./sdk.ts";

/** The part of a machine that has states: the machine itself, a branch, or an item processor. */
interface Place {
  pointer: string;
  /** Whether states without a QueryLanguage of their own use JSONata. */
  jsonata: boolean;
}

const LOGS = [
  "CreateLogDelivery",
  "CreateLogStream",
  "GetLogDelivery",
  "UpdateLogDelivery",
  "DeleteLogDelivery",
  "ListLogDeliveries",
  "PutLogEvents",
]
  .concat(["PutResourcePolicy", "DescribeResourcePolicies", "DescribeLogGroups"])
  .map((name) => `logs:${name}`);

const TRACES = ["PutTraceSegments", "PutTelemetryRecords", "GetSamplingRules", "GetSamplingTargets"].map((name) => `xray:${name}`);

/** Returns the least policy that the role of a machine with this definition needs, and what could not be determined. */
export function policyOf(definition: object | string, options: PolicyOptions = {}): ExecutionPolicy {
  checkOptions(options, ["region", "account", "partition", "name", "logs", "tracing"], "policyOf()");
  const machine: unknown = typeof definition === "string" ? parsed(definition) : definition;
  if (!isObject(machine)) throw misuse("INVALID_ARGUMENT", `policyOf() takes a definition, not ${shown(machine)}`);
  const collected: Collected = { permissions: [], gaps: [] };
  walk(machine, { pointer: "", jsonata: machine.QueryLanguage === "JSONata" }, collected, options);
  // These actions have no resources in IAM (Developer Guide, "Logging to CloudWatch Logs", "Tracing with X-Ray").
  for (const action of [...(options.logs ? LOGS : []), ...(options.tracing ? TRACES : [])])
    collected.permissions.push({ action, resource: "*", condition: undefined });
  return { policy: { Version: "2012-10-17", Statement: statements(collected.permissions) }, unknown: unique(collected.gaps) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw misuse(
      "INVALID_ARGUMENT",
      "policyOf() takes a definition as an object or as JSON text; parseYaml() of stepglass/node reads YAML",
    );
  }
}

function walk(machine: Record<string, unknown>, { pointer, jsonata }: Place, collected: Collected, options: PolicyOptions): void {
  if (!isObject(machine.States)) return;
  for (const [name, state] of Object.entries(machine.States)) {
    if (!isObject(state)) continue;
    const at = `${pointer}/States/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const own = typeof state.QueryLanguage === "string" ? state.QueryLanguage === "JSONata" : jsonata;
    const about = { name, pointer: at, jsonata: own };
    if (state.Type === "Task") task(state, about, collected, options);
    if (state.Type === "Map") map(state, about, collected, options);
    for (const inner of ["ItemProcessor", "Iterator"])
      if (isObject(state[inner])) walk(state[inner], { pointer: `${at}/${inner}`, jsonata }, collected, options);
    if (Array.isArray(state.Branches))
      state.Branches.forEach((branch, i) => {
        if (isObject(branch)) walk(branch, { pointer: `${at}/Branches/${i}`, jsonata }, collected, options);
      });
  }
}

/** A state and its position. */
interface About {
  name: string;
  pointer: string;
  jsonata: boolean;
}

function task(state: Record<string, unknown>, about: About, collected: Collected, options: PolicyOptions): void {
  const request = about.jsonata ? "Arguments" : "Parameters";
  const written = textOf(state.Resource, `${about.pointer}/Resource`);
  const resource = parseResource(written.text ?? "");
  const call = (sync: boolean) =>
    new Call(collected, about, { template: state[request], at: `${about.pointer}/${request}`, sync, options });
  // A call with the permissions of another role needs none of this one (Developer Guide, "Accessing resources in other accounts").
  if (isObject(state.Credentials)) {
    const other = new Call(collected, about, { template: state.Credentials, at: `${about.pointer}/Credentials`, options });
    other.allow(
      "sts:AssumeRole",
      other.find("RoleArn", "iam", (name) => `role/${name}`),
    );
    other.lacks([], "elsewhere", `the role in Credentials calls ${written.text ?? "the Resource"}: that role needs the permission`);
    return;
  }
  if (written.reason !== undefined && !/:function:|^arn:[^:]*:states:[^:]*:[^:]*:[\w-]+:/.test(written.text ?? "")) {
    call(false).lacks([], written.reason, `what the state calls is not known: its Resource is ${shown(state.Resource)}`, written.pointer);
    return;
  }
  switch (resource.kind) {
    case "lambda": {
      const gap = written.reason && { reason: written.reason, pointer: written.pointer, message: "the Resource has a placeholder" };
      call(false).allow("lambda:InvokeFunction", { resources: [written.text ?? "*"], ...(gap && { gap }) });
      return;
    }
    case "service": {
      const [service = "", action = "", operation] = resource.name.split(":");
      const rule =
        service === "aws-sdk" ? sdkRule(action, operation ?? "") : Object.hasOwn(RULES, resource.name) ? RULES[resource.name] : undefined;
      if (rule !== undefined) rule(call(resource.pattern.startsWith("sync")));
      else call(false).lacks([], "unmapped", `there is no integration ${resource.name}`, written.pointer);
      return;
    }
    // Workers of an activity have their own permissions. Any other resource does not belong to AWS.
    default:
      if (resource.kind === "other")
        call(false).lacks([], "unmapped", `${shown(state.Resource)} is not a Resource of AWS`, written.pointer);
  }
}

/**
 * Adds the permissions for the items, the results and the child executions of a Map (Developer Guide, "IAM policies for using
 * Distributed Map states").
 */
function map(state: Record<string, unknown>, about: About, collected: Collected, options: PolicyOptions): void {
  const call = (template: unknown, at: string) => new Call(collected, about, { template, at: `${about.pointer}/${at}`, options });
  const processor = isObject(state.ItemProcessor) ? state.ItemProcessor : undefined;
  const config = isObject(processor?.ProcessorConfig) ? processor.ProcessorConfig : undefined;
  if (config?.Mode === "DISTRIBUTED") {
    const own = call(undefined, "");
    const { name = "*" } = options;
    const label = typeof state.Label === "string" && !state.Label.includes("${") ? state.Label : "*";
    own.allow("states:StartExecution", own.arn("states", `stateMachine:${name}`));
    own.allow(["states:DescribeExecution", "states:StopExecution"], own.arn("states", `execution:${name}:*`));
    own.allow(
      ["states:DescribeExecution", "states:StopExecution", "states:RedriveExecution"],
      own.arn("states", `execution:${name}/${label}:*`),
    );
    if (options.name === undefined)
      own.lacks([], "elsewhere", "the name of the state machine, which starts child executions of itself, is not in the definition");
  }
  const request = about.jsonata ? "Arguments" : "Parameters";
  if (isObject(state.ItemReader)) reader(state.ItemReader, call(state.ItemReader[request], `ItemReader/${request}`));
  if (isObject(state.ResultWriter) && state.ResultWriter.Resource !== undefined) {
    const writer = call(state.ResultWriter[request], `ResultWriter/${request}`);
    const bucket = bucketOf(writer);
    const prefix = writer.value("Prefix").text?.replace(/\/?$/, "/") ?? "";
    const resources = bucket.resources.map((arn) => `${arn}/${prefix}*`);
    writer.allow(["s3:PutObject", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:AbortMultipartUpload"], { ...bucket, resources });
  }
}

function reader(itemReader: Record<string, unknown>, call: Call): void {
  const config: Record<string, unknown> = isObject(itemReader.ReaderConfig) ? itemReader.ReaderConfig : {};
  if (typeof itemReader.Resource === "string" && itemReader.Resource.includes(":s3:listObjects")) {
    const bucket = bucketOf(call);
    const prefix = call.value("Prefix");
    const condition = prefix.text === undefined ? undefined : { StringLike: { "s3:prefix": [`${prefix.text}*`] } };
    call.allow("s3:ListBucket", bucket, condition);
    if (config.Transformation === "LOAD_AND_FLATTEN")
      call.allow("s3:GetObject", { resources: bucket.resources.map((arn) => `${arn}/${prefix.text ?? ""}*`) });
    return;
  }
  call.allow("s3:GetObject", objectOf(call));
  if (config.InputType === "MANIFEST") call.lacks("s3:GetObject", "elsewhere", "the manifest names the files with the items: add them");
}

/** Returns statements that combine the resources with the same actions, and contain every permission once. */
function statements(permissions: readonly Permission[]): PolicyStatement[] {
  const byResource = new Map<string, { resource: string; condition: Permission["condition"]; actions: Set<string> }>();
  for (const { action, resource, condition } of permissions) {
    const bare = condition && Object.keys(condition).length > 0 ? condition : undefined;
    const key = JSON.stringify([resource, bare]);
    const entry = byResource.get(key) ?? { resource, condition: bare, actions: new Set() };
    byResource.set(key, entry);
    entry.actions.add(action);
  }
  const byActions = new Map<string, PolicyStatement>();
  for (const { resource, condition, actions } of byResource.values()) {
    const list = [...actions].sort();
    const key = JSON.stringify([list, condition]);
    const statement = byActions.get(key);
    if (statement !== undefined) statement.Resource.push(resource);
    else byActions.set(key, { Effect: "Allow", Action: list, Resource: [resource], ...(condition && { Condition: condition }) });
  }
  return [...byActions.values()];
}

function unique<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
