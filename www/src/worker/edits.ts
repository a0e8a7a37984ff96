// Edits of a definition's text that preserve the formatting of the rest.

import { pointerSteps } from "stepglass/pointer";
import type { Edit } from "../model/protocol.ts";
import { type Node, read } from "../model/jsonRanges.ts";
import type { Path } from "../model/stages.ts";
import { type Source, findStates } from "./definition.ts";
import { editsOf } from "./language.ts";

interface Change {
  start: number;
  end: number;
  text: string;
}

/** Returns the edits that write a value at a path of a state. */
export function put(
  source: Source,
  { state, path, value }: { state: string; path: Path; value: unknown },
): { edits: Edit[] } | { refused: string } {
  const found = stateOf(source.json, state);
  if (!found) return { refused: `The definition has no state ${state}.` };
  return settled(source, changeAt(source.json, found.value, path, value));
}

/** Returns the edits that add a catcher for an error to a state, and a target state for it. */
export function addCatch(source: Source, { state, error }: { state: string; error: string }): { edits: Edit[] } | { refused: string } {
  const { json } = source;
  const found = stateOf(json, state);
  if (!found) return { refused: `The definition has no state ${state}.` };
  const names = new Set(findStates(json).map(({ name }) => name));
  let next = "Handle error";
  for (let n = 2; names.has(next); n++) next = `Handle error ${n}`;
  const catcher = { ErrorEquals: [error], Next: next };
  const there = found.value.members?.find(({ key }) => key === "Catch")?.value;
  const caught = there?.items ? insertItem(json, there, catcher) : changeAt(json, found.value, ["Catch"], [catcher]);
  const added = insertMember(json, found.scope, next, { Type: "Pass", End: true });
  // The edits are in the order of the text, because both are applied from its beginning.
  return settled(source, caught && added && [...caught, ...added].sort((a, b) => a.start - b.start));
}

function settled(source: Source, changes: Change[] | undefined): { edits: Edit[] } | { refused: string } {
  const edits = changes && editsOf(source, changes);
  return edits && edits.length > 0 ? { edits } : { refused: "The text cannot be changed automatically at this place." };
}

function stateOf(json: string, state: string): { value: Node; scope: Node } | undefined {
  const pointer = findStates(json).find(({ name }) => name === state)?.pointer;
  if (pointer === undefined) return undefined;
  let node: Node | undefined = read(json);
  let scope: Node | undefined;
  for (const key of pointerSteps(pointer)) {
    scope = node;
    node = node?.items?.[Number(key)] ?? node?.members?.findLast((member) => member.key === key)?.value;
  }
  return node && scope ? { value: node, scope } : undefined;
}

function changeAt(json: string, root: Node, path: Path, value: unknown): Change[] | undefined {
  let node = root;
  for (const [i, step] of path.entries()) {
    const next = typeof step === "number" ? node.items?.[step] : node.members?.findLast(({ key }) => key === step)?.value;
    if (next) {
      node = next;
      continue;
    }
    if (typeof step !== "string" || i < path.length - 1 || !node.members) return undefined;
    return insertMember(json, node, step, value);
  }
  return [{ start: node.start, end: node.end, text: written(value, indentAt(json, node.start)) }];
}

function insertMember(json: string, object: Node, key: string, value: unknown): Change[] | undefined {
  if (!object.members) return undefined;
  const last = object.members.at(-1);
  const text = (indent: string | undefined): string => `${JSON.stringify(key)}: ${written(value, indent)}`;
  if (!last) return [{ start: object.start + 1, end: object.end - 1, text: ` ${text(undefined)} ` }];
  return [{ start: last.value.end, end: last.value.end, text: beside(json, object, last.start, text) }];
}

function insertItem(json: string, list: Node, value: unknown): Change[] {
  const last = list.items!.at(-1);
  const text = (indent: string | undefined): string => written(value, indent);
  if (!last) return [{ start: list.start + 1, end: list.end - 1, text: text(undefined) }];
  return [{ start: last.end, end: last.end, text: beside(json, list, last.start, text) }];
}

/** Returns a new part after its sibling, on a line of its own if the sibling has one. */
function beside(json: string, around: Node, sibling: number, text: (indent: string | undefined) => string): string {
  const indent = indentAt(json, sibling);
  const lines = json.slice(around.start, sibling).includes("\n") && json.slice(0, sibling).endsWith(indent);
  return lines ? `,\n${indent}${text(indent)}` : `, ${text(undefined)}`;
}

/** Returns the indentation of the line that contains an offset. */
function indentAt(json: string, offset: number): string {
  return /^[ \t]*/.exec(json.slice(json.lastIndexOf("\n", offset - 1) + 1))![0];
}

const SHORT = 90;

/** Returns JSON text, on one line if it is short. */
function written(value: unknown, indent: string | undefined): string {
  const line = spaced(value);
  if (indent === undefined || typeof value !== "object" || line.length <= SHORT) return line;
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
