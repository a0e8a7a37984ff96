// The shapes of requests and responses, as the commands of the AWS SDK describe them: a schema is an array of a kind, names and the
// schemas of members, behind functions where shapes refer to each other.
//
// Step Functions spells members in PascalCase, has JSON where the API has text, and has text for times and bytes.

import { memberName } from "../core/integrations/names.ts";
import { isObject } from "../core/base/json.ts";
import { TaskError } from "../core/base/errors.ts";
import { jsonText } from "../core/tasks/integration.ts";

/** A schema of the SDK: a number or a word for simple values, an array for others. */
export type Schema = number | string | readonly unknown[] | (() => Schema);

/** A document type: any JSON value. */
const DOCUMENT = 15;

/** How names of members and times are written in a response. */
export interface Style {
  member(name: string): string;
  time(at: Date): string | number;
}

/** The parts of a schema that matter here. */
type Shape =
  | { kind: "structure"; members: ReadonlyMap<string, Schema> }
  | { kind: "list" | "map"; value: Schema }
  | { kind: "text" | "number" | "time" | "bytes" | "stream" | "other" };

const SIMPLE = new Map<number, Shape>([
  [0, { kind: "text" }],
  [1, { kind: "number" }],
  [4, { kind: "time" }],
  [5, { kind: "time" }],
  [6, { kind: "time" }],
  [7, { kind: "time" }],
  [21, { kind: "bytes" }],
  [42, { kind: "stream" }],
]);
const OTHER: Shape = { kind: "other" };
/** Simple lists and maps are numbers: the schema of their values plus one of these. */
const LIST = 64;
const MAP = 128;

function shapeOf(schema: Schema): Shape {
  if (typeof schema === "function") return shapeOf(schema());
  if (typeof schema === "number") {
    if (schema >= MAP) return { kind: "map", value: schema & (LIST - 1) };
    return schema >= LIST ? { kind: "list", value: schema & (LIST - 1) } : (SIMPLE.get(schema) ?? OTHER);
  }
  if (typeof schema === "string") return OTHER;
  // A member's schema together with its traits.
  if (schema.length === 2) return shapeOf(schema[0] as Schema);
  const [kind, , , , first, second] = schema;
  switch (kind) {
    case 0:
      return shapeOf(first as Schema);
    case 1:
      return { kind: "list", value: first as Schema };
    case 2:
      return { kind: "map", value: second as Schema };
    case 3:
    case 4:
    case -3: {
      const schemas = second as Schema[];
      return { kind: "structure", members: new Map((first as string[]).map((name, i) => [name, schemas[i] ?? DOCUMENT])) };
    }
    default:
      return OTHER;
  }
}

/** Names of members are compared without case: `DbInstanceIdentifier` is `DBInstanceIdentifier`. These differ in more than case. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([["nul", "null"]]);

function folded(name: string): string {
  const lower = name.toLowerCase();
  return OTHER_NAMES.get(lower) ?? lower;
}

/** Returns the JSON text of a request's member, which keeps all digits of numbers; undefined if it is not known. */
export type MemberText = (member: string, value: unknown) => string | undefined;

/** Converts a request for the SDK. Members that are null are omitted, as Step Functions does. */
export function toRequest(schema: Schema, value: unknown, memberText?: MemberText): unknown {
  const shape = shapeOf(schema);
  switch (shape.kind) {
    case "structure":
      return isObject(value) ? toStructure(shape.members, value, memberText) : value;
    case "list":
      return Array.isArray(value) ? value.map((item: unknown) => toRequest(shape.value, item)) : value;
    case "map":
      return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toRequest(shape.value, item)])) : value;
    case "text":
      return textOf(value);
    case "bytes":
      return value instanceof Uint8Array ? value : new TextEncoder().encode(textOf(value));
    case "stream":
      // The body of an object is written as JSON, even if it is a string: recorded for s3:putObject.
      return value instanceof Uint8Array ? value : new TextEncoder().encode(jsonText(value));
    case "number":
      return typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
    case "time":
      return timeOf(value);
    default:
      return value;
  }
}

function toStructure(members: ReadonlyMap<string, Schema>, value: object, memberText: MemberText | undefined): object {
  const names = new Map([...members.keys()].map((name) => [folded(name), name]));
  const out: Record<string, unknown> = {};
  for (const [given, item] of Object.entries(value)) {
    if (item === null || item === undefined) continue;
    const name = names.get(folded(given));
    if (name === undefined) throw new TaskError("States.Runtime", `The field ${JSON.stringify(given)} is not supported by Step Functions.`);
    const schema = members.get(name) ?? DOCUMENT;
    const { kind } = shapeOf(schema);
    const isText = ["text", "bytes", "stream"].includes(kind) && typeof item !== "string";
    const text = isText ? memberText?.(given, item) : undefined;
    // The text is JSON already.
    out[name] = text !== undefined && kind === "stream" ? new TextEncoder().encode(text) : toRequest(schema, text ?? item);
  }
  return out;
}

/** Returns JSON for a member that is a string in the API. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

function timeOf(value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  // Numbers are seconds, as in the protocols of most services.
  const at = new Date(typeof value === "number" ? value * 1000 : value);
  if (Number.isNaN(at.getTime())) throw new TaskError("States.Runtime", `${JSON.stringify(value)} is not a timestamp`);
  return at;
}

/** A response body that is read as a stream. */
interface Stream {
  transformToString(): Promise<string>;
}

/** Converts a response of the SDK to JSON. */
export async function toResponse(schema: Schema, value: unknown, style: Style): Promise<unknown> {
  if (value === undefined || value === null) return value;
  const shape = shapeOf(schema);
  switch (shape.kind) {
    case "structure":
      return isObject(value) ? fromStructure(shape.members, value, style) : value;
    case "list":
      return Array.isArray(value) ? Promise.all(value.map((item: unknown) => toResponse(shape.value, item, style))) : value;
    case "map": {
      if (!isObject(value)) return value;
      const entries = Object.entries(value).map(async ([key, item]) => [key, await toResponse(shape.value, item, style)] as const);
      return Object.fromEntries(await Promise.all(entries));
    }
    case "time":
      return value instanceof Date ? style.time(value) : value;
    case "bytes":
    case "stream":
      return bytesText(value);
    default:
      return plain(value);
  }
}

async function fromStructure(members: ReadonlyMap<string, Schema>, value: Record<string, unknown>, style: Style): Promise<object> {
  const out: Record<string, unknown> = {};
  for (const [name, schema] of members) {
    const item = await toResponse(schema, value[name], style);
    if (item !== undefined && item !== null) out[style.member(name)] = item;
  }
  return out;
}

async function bytesText(value: unknown): Promise<unknown> {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (isObject(value) && typeof value.transformToString === "function") return (value as unknown as Stream).transformToString();
  throw new TaskError("States.Runtime", "a response that is a stream of events is not supported");
}

/** Converts large integers, and JSON that the SDK has kept as text. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (isObject(value) && typeof value.string === "string" && "type" in value) return Number(value.string);
  return value;
}

/** The style of optimized integrations: `TableName`, `MD5OfMessageBody`; times are milliseconds. */
export const OPTIMIZED_STYLE: Style = {
  member: (name) => name.charAt(0).toUpperCase() + name.slice(1),
  time: (at) => at.getTime(),
};

/**
 * The style of SDK integrations, which follow the AWS SDK for Java: `DbInstances` for DBInstances; times are texts without trailing
 * zeros.
 */
export const SDK_STYLE: Style = {
  member: (name) => (name === "NULL" ? "Nul" : memberName(name)),
  time: (at) => at.toISOString().replace(/\.000Z$/, "Z"),
};
