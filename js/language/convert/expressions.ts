// Converts JSONPath, calls of intrinsic functions and payload templates to JSONata.

import { isObject, type JsonValue } from "../../core/base/json.ts";
import { type PathStart, pathStart } from "../../core/definition/expression-parts.ts";
import { syntaxOf } from "../../core/definition/expression-syntax.ts";
import type { ExpressionPart } from "../../core/api/index.d.ts";
import { Literal, convertCall } from "./intrinsics.ts";
import { CONTEXT, Code, Constant, Items, Members, Unmechanical, constant, need, notNull, type Need, type Part } from "./jsonata-code.ts";

/** Converts a path: `$.a['b'][0]` in the input. `$$…` and `$variable…` have roots of their own. */
export function path(text: unknown, input: Part, reader: Reader = "reference"): Part {
  const { start, steps } = split(text, reader);
  if (start === "$" && steps.length === 0 && reader !== "path") return whole(input);
  return steps.reduce<Part>((at, step) => at.step(step), origin(start, input));
}

/** Where a path is used, as in docs/jsonpath.md: InputPath and OutputPath, templates, intrinsic functions, or any other field. */
type Reader = "path" | "template" | "argument" | "reference";

/** Returns a whole value as `$`. If it is null, only InputPath and OutputPath can read it. */
function whole(value: Part): Part {
  if (value instanceof Constant && value.value === null) throw new Unmechanical("no path can read a null input");
  if (!(value instanceof Code) || (value.type !== undefined && value.type !== "null")) return value;
  const { code, needs, maybe, fails, type } = value;
  return new Code(code, { needs: [...needs, need(notNull(code))], maybe, fails, type });
}

/** Kinds of steps that can select several values. */
const SEVERAL: ReadonlySet<string> = new Set(["wildcard", "descend", "filter", "slice", "names", "indexes"]);

/** Parses a path to exactly one value. */
export function split(text: unknown, reader: Reader = "reference"): PathStart {
  if (typeof text !== "string") throw new Unmechanical("it is not a string");
  const part = syntaxOf(text, "jsonpath");
  const found = "message" in part ? undefined : pathStart(part);
  if (found === undefined || "message" in part) throw new Unmechanical(`${text} is not a path`);
  if (part.parts?.some(({ kind, start, end }) => kind === "name" && text.slice(start, end).includes("\\")))
    throw new Unmechanical(`a name in ${text} contains a backslash`);
  const [next] = found.rest;
  if (next !== undefined && SEVERAL.has(next.kind))
    throw new Unmechanical(
      `${text} can select several values: JSONPath returns them as a list, but JSONata flattens the list and unwraps a single value`,
    );
  if (next !== undefined) throw new Unmechanical(`${text} is a kind of path that cannot be converted`);
  if (Array.isArray(part.value) && part.value.includes(reader))
    throw new Unmechanical(`AWS finds nothing at ${text} here, whatever the value is: docs/jsonpath.md has the forms of each field`);
  return found;
}

function origin(start: string, input: Part): Part {
  if (start === "$") return input;
  if (start === "$$") return new Code(CONTEXT, { type: "object" });
  return new Code(start, { maybe: `$exists(${start})` });
}

/** Converts a path in a template. After the end of a list it gives null, and elsewhere it fails if it finds nothing. */
function selected(text: string, input: Part): Part {
  const { start, steps } = split(text, "template");
  if (start === "$" && steps.length === 0) return whole(input);
  const first = origin(start, input);
  let at = first;
  // The conditions that the lists on the path are long enough.
  const ends: string[] = [];
  const needs: Need[] = [];
  const unless = (condition: string) => need([...ends.map((end) => `$not(${end})`), condition].join(" or "));
  for (const step of steps) {
    const before = at instanceof Code ? at.needs.length : 0;
    at = at.step(step);
    if (!(at instanceof Code)) continue;
    for (const one of at.needs.slice(before)) needs.push(ends.length === 0 ? one : unless(one.text));
    if (typeof step === "number" && at.maybe !== undefined) ends.push(at.maybe);
  }
  if (!(at instanceof Code) || at.maybe === undefined || ends.length === 0) return at;
  if (typeof steps.at(-1) !== "number") needs.push(unless(at.maybe));
  return new Code(`${at.maybe} ? ${at.code} : null`, { needs: [...(first instanceof Code ? first.needs : []), ...needs] });
}

/** Converts a payload template. Members whose names end with `.$` are computed. */
export function template(value: JsonValue, input: Part): Part {
  if (Array.isArray(value)) return listOf(value.map((item) => template(item, input)));
  if (isPlaceholder(value)) throw new Unmechanical("a placeholder in it can become a template of its own");
  if (!isObject(value)) return new Constant(constant(value));
  const entries = Object.entries(value).map(([key, item]): [string, Part] =>
    key.endsWith(".$") ? [key.slice(0, -2), computed(item, input)] : [key, template(item, input)],
  );
  const constants = entries.flatMap(([key, item]): [string, JsonValue][] => (item instanceof Constant ? [[key, item.value]] : []));
  return constants.length === entries.length ? new Constant(Object.fromEntries(constants)) : new Members(entries);
}

function listOf(items: Part[]): Part {
  const constants = items.filter((item) => item instanceof Constant);
  return constants.length === items.length ? new Constant(constants.map(({ value }) => value)) : new Items(items);
}

/** The start of the words with which the command replaces placeholders that stand for any value. */
export const PLACEHOLDER = "__placeholder_";

export const isPlaceholder = (value: JsonValue): boolean => typeof value === "string" && value.startsWith(PLACEHOLDER);

/** Converts a path or an intrinsic call. */
export function computed(text: JsonValue, input: Part): Part {
  if (typeof text !== "string") throw new Unmechanical("the value of a field that ends in .$ is not a string");
  if (text.startsWith("$")) return selected(text, input);
  const found = syntaxOf(text, "jsonpath");
  if ("message" in found) throw new Unmechanical(`${text} is not a call of an intrinsic function: ${found.message}`);
  return converted(found, text, input);
}

function converted(part: ExpressionPart, text: string, input: Part): Part {
  switch (part.kind) {
    case "path":
      return path(text.slice(part.start, part.end), input, "argument").expression();
    case "call":
      return convertCall(
        String(part.value),
        (part.parts ?? []).map((one) => converted(one, text, input)),
      );
    default:
      return new Literal(part.value as JsonValue);
  }
}
