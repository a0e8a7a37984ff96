// Values in the analysis: where they come from, and what is read of them.

import { type JsonValue, isObject } from "../../core/base/json.ts";

/** A step of a path: a member's name, or an index. */
export type Step = string | number;

/** The types that the use of a value requires. */
type UsedType = "string" | "number" | "boolean";

/** The probable type of a value if JSONata would accept others, too. */
type Likely = "number" | "list" | "numbers";

/** A member that is read: on every path through the machine, or only on some. */
interface Member {
  shape: Shape;
  required: boolean;
}

/** What is read of the machine's input or of a task's result. It grows during the analysis. */
export class Shape {
  readonly types = new Set<UsedType>();
  /** The members that are read. */
  readonly members = new Map<string, Member>();
  /** What is read of its elements, if it is used as a list. */
  element: Shape | undefined;
  /** A value with which a Choice leads on. If there are several, the one with the highest rank. */
  example: { value: JsonValue; rank: number } | undefined;
  likely: Likely | undefined;

  member(name: string, required: boolean): Shape {
    let found = this.members.get(name);
    if (found === undefined) this.members.set(name, (found = { shape: new Shape(), required }));
    if (required) found.required = true;
    return found.shape;
  }

  elements(): Shape {
    return (this.element ??= new Shape());
  }

  /** Whether anything is read of it. */
  get known(): boolean {
    return this.types.size > 0 || this.members.size > 0 || this.element !== undefined;
  }
}

/** An object. `rest` is the value whose members are below its own. */
interface ObjectValue {
  readonly kind: "object";
  readonly members: ReadonlyMap<string, Value>;
  readonly rest?: Value | undefined;
}

/** What is known of a value: its TypeScript type, the part of the input or of a result that it is, or its construction. */
export type Value =
  | { readonly kind: "unknown" }
  | { readonly kind: "type"; readonly text: string }
  | { readonly kind: "reference"; readonly shape: Shape }
  | ObjectValue
  | { readonly kind: "array"; readonly element: Value }
  | { readonly kind: "tuple"; readonly items: readonly Value[] }
  | { readonly kind: "either"; readonly of: readonly Value[] };

export const UNKNOWN: Value = { kind: "unknown" };
export const type = (text: string): Value => ({ kind: "type", text });
export const reference = (shape: Shape): Value => ({ kind: "reference", shape });
export const object = (members: ReadonlyMap<string, Value>, rest?: Value): ObjectValue => ({ kind: "object", members, rest });
export const array = (element: Value): Value => ({ kind: "array", element });
export const tuple = (items: readonly Value[]): Value => ({ kind: "tuple", items });

/** Returns a list of values, from one of them as far as it is known. */
export function listOf(items: readonly Value[]): Value {
  return array(items.length === 0 ? UNKNOWN : items.reduce(join));
}

/** Returns the value of a literal. */
export function literal(value: JsonValue): Value {
  if (Array.isArray(value)) return listOf(value.map(literal));
  if (isObject(value)) return object(new Map(Object.entries(value).map(([key, item]) => [key, literal(item)])));
  return type(value === null ? "null" : typeof value);
}

/** Follows a path, and notes that it is read. */
export function read(value: Value, steps: readonly Step[], required = true): Value {
  return steps.reduce((at: Value, step) => (typeof step === "string" ? member(at, step, required) : item(at, step)), value);
}

function member(value: Value, name: string, required: boolean): Value {
  switch (value.kind) {
    case "reference":
      return reference(value.shape.member(name, required));
    case "object":
      return value.members.get(name) ?? (value.rest === undefined ? UNKNOWN : member(value.rest, name, required));
    case "either":
      return value.of.map((one) => member(one, name, required)).reduce(join);
    default:
      return UNKNOWN;
  }
}

function item(value: Value, index: number): Value {
  switch (value.kind) {
    case "tuple":
      return value.items[index] ?? UNKNOWN;
    case "either":
      return value.of.map((one) => item(one, index)).reduce(join);
    default:
      return elementOf(value);
  }
}

/** Returns any element of a list, and notes that it is read. */
export function elementOf(value: Value): Value {
  switch (value.kind) {
    case "reference":
      return reference(value.shape.elements());
    case "array":
      return value.element;
    case "either":
      return value.of.map(elementOf).reduce(join);
    default:
      return UNKNOWN;
  }
}

/** Notes that a value is used as one of a type: `list` for lists. */
export function use(value: Value, wanted: UsedType | "list"): void {
  if (value.kind === "either") for (const item of value.of) use(item, wanted);
  if (value.kind !== "reference") return;
  if (wanted === "list") value.shape.elements();
  else value.shape.types.add(wanted);
}

/** Notes the probable type of a value. */
export function suggest(value: Value, likely: Likely): void {
  if (value.kind === "either") for (const item of value.of) suggest(item, likely);
  if (value.kind === "reference") value.shape.likely = likely;
}

/** Notes an example with which a Choice leads on. */
export function hint(value: Value, example: JsonValue, rank: number): void {
  if (value.kind === "either") for (const item of value.of) hint(item, example, rank);
  if (value.kind !== "reference" || (value.shape.example?.rank ?? -1) >= rank) return;
  value.shape.example = { value: example, rank };
}

/** Returns the value that is one of two values. */
export function join(a: Value, b: Value): Value {
  if (a.kind === "unknown" || b.kind === "unknown") return UNKNOWN;
  const all = new Map([...(a.kind === "either" ? a.of : [a]), ...(b.kind === "either" ? b.of : [b])].map((value) => [key(value), value]));
  if (all.size === 1) return a;
  return all.size > 6 ? UNKNOWN : { kind: "either", of: [...all.values()] };
}

const ids = new WeakMap<Shape, number>();
let last = 0;

/** Returns a key that is equal for equal values. */
export function key(value: Value, depth = 0): string {
  if (depth > 12) return "…";
  switch (value.kind) {
    case "reference":
      if (!ids.has(value.shape)) ids.set(value.shape, ++last);
      return `#${ids.get(value.shape)}`;
    case "object":
      return `{${[...value.members].map(([name, item]) => `${JSON.stringify(name)}:${key(item, depth + 1)}`).join()}|${value.rest ? key(value.rest, depth + 1) : ""}}`;
    case "array":
      return `[${key(value.element, depth + 1)}]`;
    case "tuple":
      return `(${value.items.map((item) => key(item, depth + 1)).join()})`;
    case "either":
      return `<${value.of.map((item) => key(item, depth + 1)).join("|")}>`;
    case "type":
      return value.text;
    default:
      return "?";
  }
}

/** A member of an object in TypeScript. */
type MemberText = readonly [name: string, required: boolean, text: string];

/** Returns a shape as TypeScript. It contains only what is read; the value may have more. */
export function shapeText(shape: Shape, indent = "", depth = 0): string {
  if (!shape.known || depth > 12) return "unknown";
  if (shape.members.size > 0) return objectText(shapeMembers(shape, indent, depth), true, indent);
  if (shape.element !== undefined) return listText(shapeText(shape.element, indent, depth + 1));
  return [...shape.types].sort().join(" | ");
}

/** Returns a value as TypeScript. */
export function valueText(value: Value, indent = "", depth = 0): string {
  if (depth > 12) return "unknown";
  switch (value.kind) {
    case "type":
      return value.text;
    case "reference":
      return shapeText(value.shape, indent, depth);
    case "array":
      return listText(valueText(value.element, indent, depth + 1));
    case "tuple":
      return `[${value.items.map((item) => valueText(item, indent, depth + 1)).join(", ")}]`;
    case "object": {
      const under = value.rest === undefined ? [] : inherited(value.rest, new Set(value.members.keys()), indent, depth);
      return objectText([...under, ...valueMembers(value, indent, depth)], value.rest !== undefined, indent);
    }
    case "either": {
      const texts = [...new Set(value.of.map((item) => valueText(item, indent, depth + 1)))];
      return texts.includes("unknown") ? "unknown" : texts.join(" | ");
    }
    default:
      return "unknown";
  }
}

function shapeMembers(shape: Shape, indent: string, depth: number): MemberText[] {
  return [...shape.members].map(([name, { shape: inner, required }]) => [name, required, shapeText(inner, `${indent}  `, depth + 1)]);
}

function valueMembers({ members }: ObjectValue, indent: string, depth: number): MemberText[] {
  return [...members].map(([name, value]) => [name, true, valueText(value, `${indent}  `, depth + 1)]);
}

/** Returns the members of a value below others. A member above hides one of the same name. */
function inherited(value: Value, hidden: ReadonlySet<string>, indent: string, depth: number): MemberText[] {
  const isSeen = ([name]: MemberText) => !hidden.has(name);
  if (value.kind === "reference") return shapeMembers(value.shape, indent, depth).filter(isSeen);
  if (value.kind !== "object") return [];
  const under = value.rest === undefined ? [] : inherited(value.rest, new Set([...hidden, ...value.members.keys()]), indent, depth);
  return [...under, ...valueMembers(value, indent, depth).filter(isSeen)];
}

function objectText(members: readonly MemberText[], open: boolean, indent: string): string {
  const lines = members.map(
    ([name, required, text]) =>
      `${indent}  ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${required ? "" : "?"}: ${text};`,
  );
  // An open object can have other members, which nobody reads.
  if (open) lines.push(`${indent}  [name: string]: unknown;`);
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}

function listText(element: string): string {
  return /[|\n]/.test(element) ? `Array<${element}>` : `${element}[]`;
}
