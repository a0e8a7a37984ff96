// This table has the requests of the operations: members, types and constraints, as in the API's model. The
// TypeScript types are derived from it.

import { ApiError } from "./errors.ts";

/** Limits of the length of a text or a list. */
interface Lengths {
  min?: number;
  max?: number;
}

/** A text. `values` lists the allowed ones. */
interface TextShape<Value extends string = string> extends Lengths {
  type: "String";
  values?: readonly Value[];
  pattern?: RegExp;
  /** The pattern as it appears in AWS's messages. */
  written?: string;
  /** Whether messages omit the value. */
  secret?: boolean;
}

interface NumberShape {
  type: "Integer" | "Float";
  least?: number;
  most?: number;
}

interface FlagShape {
  type: "Boolean";
}

interface ListShape<Member = Shape> extends Lengths {
  type: "List";
  member: Member;
}

interface StructureShape<Members = Record<string, Shape>, Required extends string = string> {
  type: "Structure";
  name: string;
  members: Members;
  required: readonly Required[];
}

/** The constraints on a value of a request. */
type Shape = TextShape | NumberShape | FlagShape | ListShape | StructureShape;

/** The type of the values of a shape. */
type ValueOf<S> =
  S extends TextShape<infer Value>
    ? Value
    : S extends NumberShape
      ? number
      : S extends FlagShape
        ? boolean
        : S extends ListShape<infer Member>
          ? ValueOf<Member>[]
          : S extends StructureShape<infer Members, infer Required>
            ? MembersOf<Members, Required>
            : never;

type MembersOf<Members, Required extends string> = {
  [Name in keyof Members as Name extends Required ? Name : never]: ValueOf<Members[Name]>;
} & {
  [Name in keyof Members as Name extends Required ? never : Name]?: ValueOf<Members[Name]>;
};

const text = (min?: number, max?: number, more?: Pick<TextShape, "pattern" | "written" | "secret">): TextShape => ({
  type: "String",
  min,
  max,
  ...more,
});
const oneOf = <const Value extends string>(...values: Value[]): TextShape<Value> => ({ type: "String", values });
const integer = (least: number, most?: number): NumberShape => ({ type: "Integer", least, most });
const number = (least: number, most?: number): NumberShape => ({ type: "Float", least, most });
const flag: FlagShape = { type: "Boolean" };
const list = <Member extends Shape>(member: Member, min?: number, max?: number): ListShape<Member> => ({ type: "List", member, min, max });

function structure<Members extends Record<string, Shape>>(name: string, members: Members): StructureShape<Members, never>;
function structure<Members extends Record<string, Shape>, const Required extends string & keyof Members>(
  name: string,
  members: Members,
  required: readonly Required[],
): StructureShape<Members, Required>;
function structure(name: string, members: Record<string, Shape>, required: readonly string[] = []): StructureShape {
  return { type: "Structure", name, members, required };
}

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

const request = <Members extends Record<string, Shape>, const Required extends string & keyof Members = never>(
  required: readonly Required[],
  members: Members,
): StructureShape<Members, Required> => structure("Request", members, required);

/** The request of every operation. */
const REQUESTS = {
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
    // AWS's messages list them in this order.
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
  ValidateStateMachineDefinition: request(["definition"], {
    definition,
    type,
    severity: oneOf("ERROR", "WARNING"),
    maxResults: integer(0, 100),
  }),
};

/** The name of an operation of the API. */
export type Operation = keyof typeof REQUESTS;

/** The request of an operation, by AWS's names: `Input<"StartExecution">` is StartExecutionInput. */
export type Input<Name extends Operation> = ValueOf<(typeof REQUESTS)[Name]>;

export type EncryptionConfiguration = ValueOf<typeof encryptionConfiguration>;
export type LoggingConfiguration = ValueOf<typeof loggingConfiguration>;
export type TracingConfiguration = ValueOf<typeof tracingConfiguration>;
export type RoutingConfigurationListItem = ValueOf<typeof routingConfiguration>[number];
/** A tag of a request. */
export type GivenTag = ValueOf<typeof tags>[number];

/** Returns whether the API has an operation of this name. */
export function isOperation(name: string): name is Operation {
  return Object.hasOwn(REQUESTS, name);
}

/**
 * Returns the members of a request that its operation has. Throws SerializationException if a type is wrong, and
 * ValidationException with
 * every violated constraint.
 */
export function checkRequest<Name extends Operation>(operation: Name, given: unknown): Input<Name> {
  const problems: string[] = [];
  const request = read(REQUESTS[operation], given, "", problems);
  if (problems.length > 0) {
    const count = problems.length === 1 ? "1 validation error detected" : `${problems.length} validation errors detected`;
    throw new ApiError("ValidationException", `${count}: ${problems.join("; ")}`);
  }
  // `read` ensures the type that `ValueOf` derives from the shape.
  return request as Input<Name>;
}

/** Reads a value of the given shape. Adds violated constraints to `problems`. */
function read(shape: Shape, value: unknown, path: string, problems: string[]): unknown {
  switch (shape.type) {
    case "Structure":
      return readStructure(shape, value, path, problems);
    case "List":
      return readList(shape, value, path, problems);
    case "String":
      return readText(shape, value, path, problems);
    case "Boolean":
      return readFlag(value);
    default:
      return readNumber(shape, value, path, problems);
  }
}

function readStructure(shape: StructureShape, value: unknown, path: string, problems: string[]): object {
  if (!isStructure(value)) throw mistyped(value, "a Structure");
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(shape.members)) {
    const inner = path === "" ? key : `${path}.${key}`;
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (given !== undefined && given !== null) out[key] = read(member, given, inner, problems);
    else if (shape.required.includes(key)) problems.push(notNull(inner));
  }
  return out;
}

function readList(shape: ListShape, value: unknown, path: string, problems: string[]): unknown[] {
  if (!Array.isArray(value)) throw mistyped(value, "a List");
  const members = value.map((member: unknown, index) => {
    const inner = `${path}.${index + 1}.member`;
    if (member !== null) return read(shape.member, member, inner, problems);
    problems.push(notNull(inner));
    return undefined;
  });
  checkLength(shape, value, path, problems);
  return members;
}

function readText(shape: TextShape, value: unknown, path: string, problems: string[]): string {
  if (typeof value !== "string") throw mistyped(value, "a String");
  checkLength(shape, value, path, problems);
  if (shape.pattern && !shape.pattern.test(value)) {
    broken(shape, value, path, `Member must satisfy regular expression pattern: ${shape.written}`, problems);
  }
  if (shape.values && !shape.values.includes(value)) {
    broken(shape, value, path, `Member must satisfy enum value set: [${shape.values.join(", ")}]`, problems);
  }
  return value;
}

function readNumber({ type, least = -Infinity, most = Infinity }: NumberShape, value: unknown, path: string, problems: string[]): number {
  const integer = type === "Integer";
  if (typeof value !== "number" || (integer && !Number.isSafeInteger(value))) throw mistyped(value, integer ? "an Integer" : "a Float");
  if (value < least) broken({ type }, value, path, `Member must have value greater than or equal to ${least}`, problems);
  if (value > most) broken({ type }, value, path, `Member must have value less than or equal to ${most}`, problems);
  return value;
}

function readFlag(value: unknown): boolean {
  if (typeof value !== "boolean") throw mistyped(value, "a Boolean");
  return value;
}

function checkLength(shape: TextShape | ListShape, value: string | unknown[], path: string, problems: string[]): void {
  const { min = 0, max = Infinity } = shape;
  if (value.length < min) broken(shape, value, path, `Member must have length greater than or equal to ${min}`, problems);
  if (value.length > max) broken(shape, value, path, `Member must have length less than or equal to ${max}`, problems);
}

function notNull(path: string): string {
  return `Value null at '${path}' failed to satisfy constraint: Member must not be null`;
}

function broken(shape: Shape, value: unknown, path: string, why: string, problems: string[]): void {
  // Secret values are omitted, and long ones are truncated.
  const shown = shape.type === "String" && shape.secret ? "" : ` '${cut(written(shape, value))}'`;
  problems.push(`Value${shown} at '${path}' failed to satisfy constraint: ${why}`);
}

function cut(text: string): string {
  return text.length > 5000 ? `${text.slice(0, 5000)}…` : text;
}

/** Formats a value as AWS's messages do. */
function written(shape: Shape, value: unknown): string {
  if (shape.type === "List" && Array.isArray(value)) {
    const members = value.slice(0, 10).map((member: unknown) => written(shape.member, member));
    return `[${members.join(", ")}]`;
  }
  if (shape.type !== "Structure") return String(value);
  const given = isStructure(value) ? value : {};
  const members = Object.entries(shape.members).filter(([key]) => Object.hasOwn(given, key));
  return `${shape.name}(${members.map(([key, member]) => `${key}=${written(member, given[key])}`).join(", ")})`;
}

function isStructure(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the error for a value of the wrong type, which has the name of the value's token in AWS's parser. */
function mistyped(value: unknown, wanted: string): ApiError {
  return new ApiError("SerializationException", `${tokenOf(value)} can not be converted to ${wanted}`);
}

function tokenOf(value: unknown): string {
  if (Array.isArray(value)) return "START_ARRAY";
  switch (typeof value) {
    case "string":
      return "STRING_VALUE";
    case "number":
      return Number.isInteger(value) ? "NUMBER_VALUE" : "DECIMAL_VALUE";
    case "boolean":
      return value ? "TRUE_VALUE" : "FALSE_VALUE";
    default:
      return typeof value === "object" && value !== null ? "START_OBJECT" : "NULL_VALUE";
  }
}
