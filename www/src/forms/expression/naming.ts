// Finds the expression for a value in the scope of a field.

import type { FieldData, FieldRoot } from "../../model/field.ts";
import { type Path, pathText, valueAt } from "../../model/stages.ts";
import type { DraggedValue } from "../../values/draggedValue.ts";
import { equal } from "../../values/diff.ts";

export interface Named {
  root: FieldRoot;
  path: Path;
}

const PLAIN = /^[\p{L}_][\p{L}\p{N}_]*$/u;
/** These keywords cannot be used as a name without quotes. */
const WORDS: ReadonlySet<string> = new Set(["and", "or", "in", "true", "false", "null"]);

/** Returns the expression for a value, in JSONPath or JSONata. */
export function wordsFor({ root, path }: Named, language: "JSONPath" | "JSONata"): string {
  if (language === "JSONPath") return pathText(path, root.name);
  let text = root.name;
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (PLAIN.test(step) && !WORDS.has(step)) text += `.${step}`;
    // A quoted name cannot contain a back tick.
    else text = step.includes("`") ? `$lookup(${text}, ${JSON.stringify(step)})` : `${text}.\`${step}\``;
  }
  return text;
}

/** The maximum number of values that are compared. */
const MOST = 20_000;

/** Returns the path of a dragged value in the data of a field's scope; undefined if it is not there. */
export function findIn(data: FieldData, { role, path, value }: DraggedValue): Named | undefined {
  const { roots } = data;
  const own = role === "result" || role === "errorOutput" ? `$states.${role}` : "$states.input";
  const ordered = [...roots].sort((a, b) => rank(a, own) - rank(b, own));
  const there = ordered.find((root) => same(valueAt(root.value, path), value));
  if (there) return { root: there, path };
  // If the value is under another path, one with the same name is preferred.
  const name = path.at(-1);
  let left = MOST;
  let other: Named | undefined;
  for (const root of ordered) {
    const queue: { path: Path; value: unknown }[] = [{ path: [], value: root.value }];
    for (let at = queue.shift(); at !== undefined && left > 0; at = queue.shift()) {
      left -= 1;
      if (same(at.value, value)) {
        if (at.path.at(-1) === name) return { root, path: at.path };
        other ??= { root, path: at.path };
      }
      if (typeof at.value === "object" && at.value !== null)
        for (const [key, inner] of Object.entries(at.value))
          queue.push({ path: [...at.path, Array.isArray(at.value) ? Number(key) : key], value: inner });
    }
  }
  // Small values occur in many places, so an equal value does not identify them.
  return telling(value) ? other : undefined;
}

const rank = ({ name }: FieldRoot, own: string): number =>
  name === own || name === "$" ? 0 : name.startsWith("$states.") ? 1 : name === "$$" ? 3 : 2;

const same = (a: unknown, b: unknown): boolean => b !== undefined && equal(a, b);

function telling(value: unknown): boolean {
  return typeof value === "string"
    ? value.length > 2
    : typeof value === "number"
      ? Math.abs(value) > 9
      : typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
