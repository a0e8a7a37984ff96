// Converts states from JSONPath to JSONata as edits of the text, for the command `stepglass convert --jsonata` and editors.

import type { OutlineState, TextEdit } from "../../core/api/index.d.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { pointerSteps } from "../../core/base/pointer.ts";
import { jsonPlaceholders } from "../../core/definition/placeholders.ts";
import { toJsonata } from "./jsonata.ts";
import { withFillers } from "./placeholders.ts";

/** Maximum length of a line for values that stay on one line. */
const LINE = 100;

/**
 * Returns the edits of a JSON text, the names of the converted states, and why others stay, for one state or for all. `states` is
 * the text's outline, which the caller has from the module.
 */
export function toJsonataEdits(
  json: string,
  states: readonly OutlineState[],
  only?: string,
): { edits: TextEdit[]; converted: string[]; left: { state: string; reason: string }[] } {
  const { filled, restore } = withFillers(json, jsonPlaceholders(json));
  const definition = JSON.parse(filled) as JsonObject;
  const { definition: result, converted, left } = toJsonata(definition, only);
  const edits: TextEdit[] = [];
  if (converted.length === 0) return { edits, converted, left };
  const machine = member(result, "QueryLanguage");
  if (machine !== member(definition, "QueryLanguage")) {
    const first = /^\s*\{(\s*)/.exec(json);
    const at = first![0].length;
    // If the field already had another value, there would be two.
    if (member(definition, "QueryLanguage") === undefined)
      edits.push({ start: at, end: at, text: `"QueryLanguage": ${JSON.stringify(machine)},${first![1] || " "}` });
    else return { edits: [{ start: 0, end: json.length, text: restore(`${JSON.stringify(result, null, 2)}\n`) }], converted, left };
  }
  let done = 0;
  for (const { pointer, start, end, from, to } of states) {
    // The edit is inside of one that replaces its surroundings.
    if (from < done) continue;
    const [before, after] = [valueAt(definition, pointer), valueAt(result, pointer)];
    if (JSON.stringify(own(before)) === JSON.stringify(own(after))) continue;
    done = to;
    const colon = json.indexOf(":", end);
    const valueFrom = colon + 1 + /^\s*/.exec(json.slice(colon + 1, to))![0].length;
    const lineStart = json.lastIndexOf("\n", start) + 1;
    const indent = /^[ \t]*/.exec(json.slice(lineStart, start))![0];
    const line = restore(oneLine(after));
    const short = !json.slice(valueFrom, to).includes("\n") && line.length <= LINE;
    edits.push({ start: valueFrom, end: to, text: short ? line : restore(JSON.stringify(after, null, 2)).replaceAll("\n", `\n${indent}`) });
  }
  return { edits, converted, left };
}

/** Returns a state without the states inside of it, which are converted separately. */
function own(state: unknown): unknown {
  if (typeof state !== "object" || state === null) return state;
  const { Branches: _, ItemProcessor: __, Iterator, ...fields } = state as Record<string, unknown>;
  return { ...fields, old: Iterator !== undefined };
}

function valueAt(document: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce(
    (at, key) => member(at, key) ?? (key === "Iterator" ? member(at, "ItemProcessor") : undefined),
    document,
  );
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}
