// @ts-nocheck: has no types yet.
// What each operation takes: the members of its request with their types and constraints, as the API's model states them.

import { ApiError } from "./errors.ts";

const text = (min, max, more) => ({ type: "String", min, max, ...more });
const oneOf = (...values) => ({ type: "String", values });
const integer = (min, max) => ({ type: "Integer", least: min, most: max });
const number = (min, max) => ({ type: "Float", least: min, most: max });
const flag = { type: "Boolean" };
const list = (member, min, max) => ({ type: "List", member, min, max });
const structure = (name, members, required = []) => ({ type: "Structure", name, members, required });

const arn = text(1, 256);
const longArn = text(1, 2000);
const name = text(1, 80);
const data = text(undefined, 262_144, { secret: true });
const definition = text(1, 1_048_576, { secret: true });
const description = text(undefined, 256, { secret: true });
const token = text(1, 2048, { secret: true });
const error = text(undefined, 256, { secret: true });
const cause = text(undefined, 32_768, { secret: true });
const traceHeader = text(undefined, 256, { pattern: /^[\0-\x7f]*$/, written: "\\p{ASCII}*" });
const includedData = oneOf("ALL_DATA", "METADATA_ONLY");
const type = oneOf("STANDARD", "EXPRESS");
const maxResults = integer(0, 1000);
const nextToken = text(1, 1024);
const aliasName = text(1, 80, { pattern: /^(?=.*[a-zA-Z_\-.])[a-zA-Z0-9_\-.]+$/, written: "^(?=.*[a-zA-Z_\\-\\.])[a-zA-Z0-9_\\-\\.]+$" });
const page = { maxResults, nextToken };

const tags = list(structure("Tag", { key: text(1, 128), value: text(undefined, 256) }));
const encryptionConfiguration = structure(
  "EncryptionConfiguration",
  { kmsKeyId: text(1, 2048), kmsDataKeyReusePeriodSeconds: integer(60, 900), type: oneOf("AWS_OWNED_KEY", "CUSTOMER_MANAGED_KMS_KEY") },
  ["type"],
);
const tracingConfiguration = structure("TracingConfiguration", { enabled: flag });
const loggingConfiguration = structure("LoggingConfiguration", {
  level: oneOf("ALL", "ERROR", "FATAL", "OFF"),
  includeExecutionData: flag,
  destinations: list(structure("LogDestination", { cloudWatchLogsLogGroup: structure("CloudWatchLogsLogGroup", { logGroupArn: arn }) })),
});
const routingConfiguration = list(
  structure("RoutingConfigurationListItem", { stateMachineVersionArn: arn, weight: integer(0, 100) }, ["stateMachineVersionArn", "weight"]),
  1,
  2,
);
const mock = structure("MockInput", {
  result: data,
  errorOutput: structure("MockErrorOutput", { error, cause }),
  fieldValidationMode: oneOf("STRICT", "PRESENT", "NONE"),
});
const stateConfiguration = structure("TestStateConfiguration", {
  retrierRetryCount: integer(0),
  errorCausedByState: text(1, 80, { secret: true }),
  mapIterationFailureCount: integer(0),
  mapItemReaderData: data,
});

const request = (required, members) => structure("Request", members, required);

/** The request of every operation. */
export const REQUESTS = {
  CreateActivity: request(["name"], { name, tags, encryptionConfiguration }),
  CreateStateMachine: request(["name", "definition", "roleArn"], {
    name,
    definition,
    roleArn: arn,
    type,
    loggingConfiguration,
    tags,
    tracingConfiguration,
    publish: flag,
    versionDescription: description,
    encryptionConfiguration,
  }),
  CreateStateMachineAlias: request(["name", "routingConfiguration"], { description, name: aliasName, routingConfiguration }),
  DeleteActivity: request(["activityArn"], { activityArn: arn }),
  DeleteStateMachine: request(["stateMachineArn"], { stateMachineArn: arn }),
  DeleteStateMachineAlias: request(["stateMachineAliasArn"], { stateMachineAliasArn: arn }),
  DeleteStateMachineVersion: request(["stateMachineVersionArn"], { stateMachineVersionArn: longArn }),
  DescribeActivity: request(["activityArn"], { activityArn: arn }),
  DescribeExecution: request(["executionArn"], { executionArn: arn, includedData }),
  DescribeMapRun: request(["mapRunArn"], { mapRunArn: longArn }),
  DescribeStateMachine: request(["stateMachineArn"], { stateMachineArn: arn, includedData }),
  DescribeStateMachineAlias: request(["stateMachineAliasArn"], { stateMachineAliasArn: arn }),
  DescribeStateMachineForExecution: request(["executionArn"], { executionArn: arn, includedData }),
  GetActivityTask: request(["activityArn"], { activityArn: arn, workerName: name }),
  GetExecutionHistory: request(["executionArn"], { executionArn: arn, ...page, reverseOrder: flag, includeExecutionData: flag }),
  ListActivities: request([], page),
  ListExecutions: request([], {
    stateMachineArn: arn,
    // In the order in which AWS lists them.
    statusFilter: oneOf("SUCCEEDED", "TIMED_OUT", "PENDING_REDRIVE", "ABORTED", "FAILED", "RUNNING"),
    maxResults,
    nextToken: text(1, 3096),
    mapRunArn: longArn,
    redriveFilter: oneOf("REDRIVEN", "NOT_REDRIVEN"),
  }),
  ListMapRuns: request(["executionArn"], { executionArn: arn, ...page }),
  ListStateMachineAliases: request(["stateMachineArn"], { stateMachineArn: arn, ...page }),
  ListStateMachineVersions: request(["stateMachineArn"], { stateMachineArn: arn, ...page }),
  ListStateMachines: request([], page),
  ListTagsForResource: request(["resourceArn"], { resourceArn: arn }),
  PublishStateMachineVersion: request(["stateMachineArn"], { stateMachineArn: arn, revisionId: text(), description }),
  RedriveExecution: request(["executionArn"], { executionArn: arn, clientToken: text(1, 64, { pattern: /^[!-~]+$/, written: "[!-~]+" }) }),
  SendTaskFailure: request(["taskToken"], { taskToken: token, error, cause }),
  SendTaskHeartbeat: request(["taskToken"], { taskToken: token }),
  SendTaskSuccess: request(["taskToken", "output"], { taskToken: token, output: data }),
  StartExecution: request(["stateMachineArn"], { stateMachineArn: arn, name, input: data, traceHeader }),
  StartSyncExecution: request(["stateMachineArn"], { stateMachineArn: arn, name, input: data, traceHeader, includedData }),
  StopExecution: request(["executionArn"], { executionArn: arn, error, cause }),
  TagResource: request(["resourceArn", "tags"], { resourceArn: arn, tags }),
  TestState: request(["definition"], {
    definition,
    roleArn: arn,
    input: data,
    inspectionLevel: oneOf("INFO", "DEBUG", "TRACE"),
    revealSecrets: flag,
    variables: data,
    stateName: text(1, 80, { secret: true }),
    mock,
    context: data,
    stateConfiguration,
  }),
  UntagResource: request(["resourceArn", "tagKeys"], { resourceArn: arn, tagKeys: list(text(1, 128)) }),
  UpdateMapRun: request(["mapRunArn"], {
    mapRunArn: longArn,
    maxConcurrency: integer(0),
    toleratedFailurePercentage: number(0, 100),
    toleratedFailureCount: integer(0),
  }),
  UpdateStateMachine: request(["stateMachineArn"], {
    stateMachineArn: arn,
    definition,
    roleArn: arn,
    loggingConfiguration,
    tracingConfiguration,
    publish: flag,
    versionDescription: description,
    encryptionConfiguration,
  }),
  UpdateStateMachineAlias: request(["stateMachineAliasArn"], { stateMachineAliasArn: arn, description, routingConfiguration }),
  ValidateStateMachineDefinition: request(["definition"], { definition, type, severity: oneOf("ERROR", "WARNING"), maxResults: integer(0, 100) }),
};

/**
 * The members of a request that its operation knows. Throws SerializationException where a type is wrong, else
 * ValidationException with everything that breaks a constraint.
 */
export function checkRequest(operation, given) {
  const problems = [];
  const request = read(REQUESTS[operation], given, "", problems);
  if (problems.length > 0) {
    const count = problems.length === 1 ? "1 validation error detected" : `${problems.length} validation errors detected`;
    throw new ApiError("ValidationException", `${count}: ${problems.join("; ")}`);
  }
  return request;
}

const READERS = { Structure: readStructure, List: readList, String: readText, Integer: readNumber, Float: readNumber, Boolean: readFlag };

function read(shape, value, path, problems) {
  return READERS[shape.type](shape, value, path, problems);
}

function readStructure(shape, value, path, problems) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw mistyped(value, "a Structure");
  const out = {};
  for (const [key, member] of Object.entries(shape.members)) {
    const inner = path === "" ? key : `${path}.${key}`;
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (given !== undefined && given !== null) out[key] = read(member, given, inner, problems);
    else if (shape.required.includes(key)) problems.push(`Value null at '${inner}' failed to satisfy constraint: Member must not be null`);
  }
  return out;
}

function readList(shape, value, path, problems) {
  if (!Array.isArray(value)) throw mistyped(value, "a List");
  const members = value.map((member, index) => {
    const inner = `${path}.${index + 1}.member`;
    if (member !== null) return read(shape.member, member, inner, problems);
    problems.push(`Value null at '${inner}' failed to satisfy constraint: Member must not be null`);
    return undefined;
  });
  checkLength(shape, value, path, problems);
  return members;
}

function readText(shape, value, path, problems) {
  if (typeof value !== "string") throw mistyped(value, "a String");
  checkLength(shape, value, path, problems);
  if (shape.pattern && !shape.pattern.test(value)) broken(shape, value, path, `Member must satisfy regular expression pattern: ${shape.written}`, problems);
  if (shape.values && !shape.values.includes(value)) broken(shape, value, path, `Member must satisfy enum value set: [${shape.values.join(", ")}]`, problems);
  return value;
}

function readNumber(shape, value, path, problems) {
  if (typeof value !== "number" || (shape.type === "Integer" && !Number.isSafeInteger(value))) throw mistyped(value, shape.type === "Integer" ? "an Integer" : "a Float");
  if (value < shape.least) broken(shape, value, path, `Member must have value greater than or equal to ${shape.least}`, problems);
  if (value > shape.most) broken(shape, value, path, `Member must have value less than or equal to ${shape.most}`, problems);
  return value;
}

function readFlag(shape, value) {
  if (typeof value !== "boolean") throw mistyped(value, "a Boolean");
  return value;
}

function checkLength(shape, value, path, problems) {
  if (value.length < shape.min) broken(shape, value, path, `Member must have length greater than or equal to ${shape.min}`, problems);
  if (value.length > shape.max) broken(shape, value, path, `Member must have length less than or equal to ${shape.max}`, problems);
}

function broken(shape, value, path, why, problems) {
  // What is secret, and what is long, is not said again.
  const shown = shape.secret ? "" : ` '${cut(written(shape, value))}'`;
  problems.push(`Value${shown} at '${path}' failed to satisfy constraint: ${why}`);
}

function cut(text) {
  return text.length > 5000 ? `${text.slice(0, 5000)}…` : text;
}

/** A value as AWS's messages write it. */
function written(shape, value) {
  if (shape.type === "List") return `[${value.slice(0, 10).map((member) => written(shape.member, member)).join(", ")}]`;
  if (shape.type !== "Structure") return String(value);
  const members = Object.keys(shape.members).filter((key) => typeof value === "object" && value !== null && Object.hasOwn(value, key));
  return `${shape.name}(${members.map((key) => `${key}=${written(shape.members[key], value[key])}`).join(", ")})`;
}

function mistyped(value, wanted) {
  const kind = Array.isArray(value) ? "START_ARRAY" : typeof value === "object" && value !== null ? "START_OBJECT" : { string: "STRING_VALUE", number: Number.isInteger(value) ? "NUMBER_VALUE" : "DECIMAL_VALUE", boolean: value ? "TRUE_VALUE" : "FALSE_VALUE" }[typeof value] ?? "NULL_VALUE";
  return new ApiError("SerializationException", `${kind} can not be converted to ${wanted}`);
}
