// Short texts of the states' last outputs, for the graph. If a state passes its input on, only the changes are shown.

import { type Path, valueAt } from "../model/stages.ts";
import { equal } from "../model/equal.ts";
import type { Run } from "./run.ts";
import { visitOf } from "./lastRun.ts";
import type { Shown } from "./recordedExecution.ts";

/** Longer outputs are not shown. */
const MOST_CHARACTERS = 300_000;
/** The maximum length, because cards have no room for more. */
const MOST_SHOWN = 80;

/** Returns null for a state that was not left yet. `pins` has the path to the part that is shown for a state. */
export function outputsOf(
  run: Run | Shown | undefined,
  states: readonly string[],
  pins: Readonly<Record<string, Path>>,
): (string | null)[] {
  return states.map((state) => {
    const { input, output: text } = visitOf(run, state) ?? {};
    if (text === undefined) return null;
    if (text.length > MOST_CHARACTERS) return text.startsWith("[") ? "[…]" : "{…}";
    const pin = Object.hasOwn(pins, state) ? pins[state]! : [];
    const value = valueAt(JSON.parse(text), pin);
    const name = pin.at(-1);
    const whole = pin.length === 0 && input !== undefined && input.length <= MOST_CHARACTERS;
    const said = value === undefined ? "nothing" : whole ? changed(JSON.parse(input), value) : brief(value, 0);
    return (name === undefined ? said : `${name}: ${said}`).slice(0, MOST_SHOWN);
  });
}

/** Returns what an output has and its input did not have. */
function changed(before: unknown, after: unknown): string {
  if (equal(before, after)) return "unchanged";
  if (!isObject(before) || !isObject(after)) return brief(after, 0);
  const entries = Object.entries(after);
  const other = entries.filter(([name, value]) => !Object.hasOwn(before, name) || !equal(before[name], value));
  if (other.length === 0 || other.length === entries.length) return brief(after, 0);
  return brief(Object.fromEntries(other), 0).replace(/^\{/, "{…, ");
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns JSON without the quotes of names, truncated to the visible length. */
function brief(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const list = Array.isArray(value);
  const [open, close] = list ? "[]" : "{}";
  const entries = Object.entries(value);
  if (entries.length === 0) return `${open}${close}`;
  if (depth > 1) return `${open}…${close}`;
  let text = "";
  for (const [name, inner] of entries) {
    text += `${text === "" ? "" : ", "}${list ? "" : `${name}: `}${brief(inner, depth + 1)}`;
    if (text.length > MOST_SHOWN) break;
  }
  return `${open}${text}${close}`;
}
