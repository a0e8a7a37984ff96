// Completions in a Resource, and in the Parameters or Arguments of a Task, for a text that is being typed.

import type { Completion, Completions } from "../api/index.d.ts";
import type { IntegrationPattern } from "../api/integrations.d.ts";
import { misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import type { Catalogue } from "./catalogue.ts";
import { catalogue, integrationIn, ranked } from "./search.ts";
import { EMPTY } from "./task.ts";

/** An object or a list that is open at a position. */
interface Open {
  /** Where it begins. */
  start: number;
  /** The name of the member whose value it is. */
  name: string | undefined;
}

/** A text in quotes: a name or a value of the object around it. */
interface Quoted {
  start: number;
  end: number;
  /** The member whose value it is. Undefined for a name. */
  of: string | undefined;
}

/** Where integrations can be completed. */
type Place =
  | { kind: "resource"; start: number; end: number; typed: string }
  | { kind: "parameter"; start: number; end: number; resource: string; present: ReadonlySet<string>; bare: boolean };

const MOST = 60;

const WAITS: Readonly<Record<IntegrationPattern, string>> = {
  requestResponse: "",
  sync: ", waits for the job",
  "sync:2": ", waits for the job, its output as JSON",
  waitForTaskToken: ", waits for the token",
};

/** Returns completions at an offset of a definition in JSON: Resources, and the parameters of a Task. */
export async function completeIntegrations(text: string, offset?: number): Promise<Completions | undefined> {
  if (typeof text !== "string") throw misuse("INVALID_ARGUMENT", `completeIntegrations() takes a text, not ${shown(text)}`);
  const place = placeAt(text, offset ?? text.length);
  return place && proposals(await catalogue(true), place);
}

/** Returns the position if integrations can be completed at an offset. The text may end anywhere. */
function placeAt(text: string, offset: number): Place | undefined {
  const around = openAt(text, offset);
  const { open, quoted = around.fresh ? { start: offset, end: offset, of: undefined } : undefined } = around;
  if (quoted === undefined) return undefined;
  const { start, end } = quoted;
  const inState = (depth: number) => open.at(-depth)?.name !== undefined && open.at(-depth - 1)?.name === "States";
  if (quoted.of === "Resource" && inState(1)) return { kind: "resource", start, end, typed: text.slice(start, offset) };
  const template = open.at(-1);
  if (quoted.of !== undefined || !/^(Parameters|Arguments)$/.test(template?.name ?? "") || !inState(2)) return undefined;
  const resource = membersOf(text, open.at(-2)!.start).get("Resource");
  if (resource === undefined) return undefined;
  const present = new Set([...membersOf(text, template!.start).keys()].map((name) => name.replace(/\.\$$/, "")));
  return { kind: "parameter", start, end, resource, present, bare: around.quoted === undefined };
}

/** Returns the completions for a position. */
function proposals(catalogue: Catalogue, place: Place): Completions {
  const replace = { start: place.start, end: place.end };
  return { replace, items: place.kind === "resource" ? resources(catalogue, place.typed) : parameters(catalogue, place) };
}

function resources(catalogue: Catalogue, typed: string): Completion[] {
  // Before the service part of the ARN, there is nothing to search for.
  const words = /^arn(?!:[^:]*:states:[^:]*:[^:]*:)/.test(typed) ? "" : typed;
  return ranked(catalogue, words)
    .slice(0, MOST)
    .flatMap((entry) => catalogue.integration(entry, false))
    .flatMap(({ title, optimized, patterns }) =>
      patterns.map(({ pattern, resource }): Completion => ({
        label: resource,
        kind: "value",
        detail: `${title}${optimized ? "" : ", AWS SDK"}${WAITS[pattern]}`,
        insert: resource,
      })),
    );
}

function parameters(catalogue: Catalogue, { resource, present, bare }: Extract<Place, { kind: "parameter" }>): Completion[] {
  const found = integrationIn(catalogue, resource);
  return (found?.parameters ?? [])
    .filter(({ name }) => !present.has(name))
    .map(({ name, type, required }) => ({
      label: name,
      kind: "field",
      detail: required ? `${type}, required` : type,
      // If no name was begun, the completion is a whole member.
      insert: bare ? `${JSON.stringify(name)}: ${JSON.stringify(EMPTY[type]())}` : name,
    }));
}

/** Returns what is open at an offset, the text in quotes around it, and whether another member may begin there. */
function openAt(text: string, offset: number): { open: Open[]; quoted?: Quoted; fresh: boolean } {
  const open: Open[] = [];
  let name: string | undefined;
  let fresh = false;
  for (const { kind, start, end, value } of tokens(text, 0)) {
    if (kind === "text" && start < offset && offset <= (value.closed ? end - 1 : end))
      return { open, quoted: { start: start + 1, end: Math.max(start + 1, value.closed ? end - 1 : offset), of: name }, fresh };
    if (end > offset) break;
    fresh = kind === "open" || kind === "comma";
    if (kind === "text" && value.named) name = value.text;
    else if (kind === "open") {
      open.push({ start, name });
      name = undefined;
    } else {
      if (kind === "close") open.pop();
      name = undefined;
    }
  }
  return { open, fresh };
}

/** Returns the members of the object that begins at a position: strings unchanged, other values as empty strings. */
function membersOf(text: string, start: number): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  for (const { kind, value } of tokens(text, start)) {
    if (kind === "open") depth += 1;
    else if (kind === "close" && --depth === 0) break;
    if (depth !== 1 || kind !== "text") continue;
    if (value.named) members.set((name = value.text), "");
    else if (name !== undefined) members.set(name, value.text);
  }
  return members;
}

interface Token {
  kind: "open" | "close" | "text" | "comma";
  start: number;
  end: number;
  /** For a string: whether a colon follows, and whether its quotes are closed. */
  value: { text: string; named: boolean; closed: boolean };
}

const NONE = { text: "", named: false, closed: true };

/** Yields brackets, commas and texts in quotes from a position on. An unclosed text ends with its line. */
function* tokens(text: string, from: number): Generator<Token> {
  const pattern = /[{[]|[\]}]|,|"((?:[^"\\\n]|\\.)*)("?)(\s*:)?/g;
  pattern.lastIndex = from;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [whole, inside, quote, colon] = found;
    const start = found.index;
    if (inside === undefined) {
      const kind = whole === "," ? "comma" : whole === "{" || whole === "[" ? "open" : "close";
      yield { kind, start, end: start + 1, value: NONE };
    } else {
      const end = start + 1 + inside.length + (quote?.length ?? 0);
      yield { kind: "text", start, end, value: { text: inside, named: colon !== undefined, closed: quote !== "" } };
    }
  }
}
