// Answers an editor's queries about JSON or YAML. The language service works on JSON, and positions are mapped to the text and
// back.

import {
  type CodeAction,
  type MachineType,
  type TextEdit,
  type TextRange,
  type ValidateOptions,
  complete as ask,
  language,
  validate,
} from "stepglass";
import { looksLikeYaml } from "stepglass/yaml-like";
import type {
  AtPlace,
  Completions,
  Diagnostic,
  Edit,
  Fix,
  HoverInfo,
  Methods,
  NamePlaces,
  Place,
  Proposal,
  Reads,
  StatePlace,
} from "../model/protocol.ts";
import { type Source, readSource } from "./definition.ts";

/** The maximum number of problems that get their fixes at once. The fixes of the others are computed on request. */
const MOST_FIXED = 60;

type Maker<M extends keyof Methods> = (params: Methods[M]["params"]) => Promise<Methods[M]["value"]>;

interface Asked {
  source: Source;
  /** The offset in the JSON text. */
  offset: number;
}

async function placeOf({ text, format, offset }: AtPlace): Promise<Asked | null> {
  const source = await readSource(text, format);
  const at = source.yaml ? source.yaml.offset(offset) : offset;
  return at === undefined ? null : { source, offset: at };
}

/** Returns the range in the text of a range of its JSON. */
export function back(source: Source, { start, end }: Pick<TextRange, "start" | "end">): { from: number; to: number } {
  if (!source.yaml) return { from: start, to: end };
  const place = source.yaml.locate(start, end);
  return { from: place?.range.start.offset ?? 0, to: place?.range.end.offset ?? 0 };
}

const toEdit = ({ start, end, text }: TextEdit): Edit => ({ from: start, to: end, text });

export function editsOf(source: Source, edits: readonly { start: number; end: number; text: string }[]): Edit[] | undefined {
  return (source.yaml ? source.yaml.edits(edits) : edits)?.map(toEdit);
}

function fixesOf(source: Source, actions: readonly CodeAction[]): Fix[] {
  return actions.flatMap(({ title, edits }) => {
    const mapped = editsOf(source, edits);
    return mapped && mapped.length > 0 ? [{ title, edits: mapped }] : [];
  });
}

/** The data of the last run. */
export interface LastRun {
  /** Returns the value of a path of a state, and the number of the run; undefined if it is not known. */
  value(reads: Omit<Reads, "language"> & { language?: Reads["language"] }): { value: unknown; run?: number } | undefined;
  /** Returns the input and output of a state's last visit, as JSON. */
  visit(state: string): { input?: string; output?: string; visits: number } | undefined;
}

/** Longer values are truncated in a hover. */
const MOST_SHOWN = 160;
const MOST_MEMBERS = 200;

const short = (json: string): string => (json.length > MOST_SHOWN ? `${json.slice(0, MOST_SHOWN)}…` : json);

export const hover = async (params: AtPlace, last: LastRun): Promise<HoverInfo | null> => {
  const asked = await placeOf(params);
  const found = asked && language.hover(asked.source.json, asked.offset);
  if (!found) return null;
  const { start, end, ...words } = found;
  const seen: NonNullable<HoverInfo["seen"]> = [];
  const { kind, state, path, field = "" } = words;
  if (state !== undefined && path !== undefined) {
    const known = last.value({ state, path, field });
    if (known) seen.push({ label: "Last value", value: short(JSON.stringify(known.value)) });
  } else if (state !== undefined && kind === "state") {
    const { input, output, visits = 0 } = last.visit(state) ?? {};
    if (visits > 1) seen.push({ label: "Times run", value: String(visits) });
    if (input !== undefined) seen.push({ label: "Last input", value: short(input) });
    if (output !== undefined) seen.push({ label: "Last output", value: short(output) });
  }
  return { ...words, ...back(asked.source, { start, end }), ...(seen.length > 0 && { seen }) } satisfies HoverInfo;
};

export const complete = async (params: AtPlace, last: LastRun): Promise<Completions> => {
  const { text, format, offset } = params;
  const none = { replace: { start: offset, end: offset }, items: [] };
  // The API models of AWS's services are in tables, which are loaded when completions at a position need them. For YAML there are
  // several possible readings of a position.
  const asked: { json: string; at: number; found?: Completions }[] = [];
  const answer = (json: string, at: number): Completions => {
    const known = asked.find((place) => place.found && place.json === json && place.at === at);
    if (known?.found) return known.found;
    const found = ask(json, at) as Completions;
    if (found.items.length === 0 && !found.reads) asked.push({ json, at });
    return found.reads ? { ...found, items: [...members(found.reads, last), ...found.items] } : found;
  };
  const proposed =
    format === "json"
      ? answer
      : await import("stepglass/yaml-source")
          .then(() => import("stepglass/yaml-proposals"))
          .then(
            ({ yamlProposals }) =>
              (given: string, at: number) =>
                yamlProposals(given, at, answer) ?? none,
          );
  const found = proposed(text, offset);
  if (found.items.length > 0 || asked.length === 0) return found;
  const { completeIntegrations } = await import("stepglass/integrations");
  for (const place of asked) {
    const more = await completeIntegrations(place.json, place.at);
    if (more === undefined) continue;
    place.found = more;
    return proposed(text, offset);
  }
  return found;
};

/** Returns proposals for the members of a path's value. */
function members(reads: Reads, last: LastRun): Proposal[] {
  const known = last.value(reads);
  if (!known) return [];
  // For a list, JSONata selects the members of its items.
  const value =
    reads.language === "jsonata" && Array.isArray(known.value)
      ? known.value.find((item) => typeof item === "object" && item !== null)
      : known.value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const detail = known.run === undefined ? "in the recording" : `seen in run ${known.run}`;
  const simple = reads.language === "jsonata" ? /^[\p{L}_][\p{L}\p{N}_]*$/u : /^[\p{L}_][\p{L}\p{N}_-]*$/u;
  const quoted = (name: string): string => (simple.test(name) ? name : `\`${name}\``);
  return Object.keys(value)
    .filter((name) => simple.test(name) || (reads.language === "jsonata" && !/[`"\\\n]/.test(name)))
    .slice(0, MOST_MEMBERS)
    .map((name) => ({ label: name, kind: "seen", detail, insert: quoted(name) }));
}

/** Returns the ranges of the states; undefined if the text cannot be read. */
export function places(source: Source): StatePlace[] | undefined {
  if (source.yaml && source.problems.some(({ severity }) => severity === "error")) return undefined;
  return language.outline(source.json).map(({ name, pointer, start, end, from, to }) => {
    const at = back(source, { start: start - 1, end: end + 1 });
    const whole = source.yaml ? { from: at.from, to: back(source, { start: to - 1, end: to }).to } : { from, to };
    return { name, pointer, ...whole, to: Math.max(whole.to, at.to), nameFrom: at.from, nameTo: at.to };
  });
}

const MOST_VALUES = 60;

export const values = async ({ text, format, state }: Methods["values"]["params"], last: LastRun): Promise<Methods["values"]["value"]> => {
  const source = await readSource(text, format);
  return language
    .expressions(source.json, state)
    .slice(0, MOST_VALUES)
    .flatMap(({ start, end, field, source: path, language: dialect }) => {
      const known = last.value({ state, field, path, language: dialect });
      return known ? [{ at: back(source, { start, end }).to, text: brief(JSON.stringify(known.value)) }] : [];
    });
};

const brief = (json: string): string => (json.length > 60 ? `${json.slice(0, 60)}…` : json);

export const convert: Maker<"convert"> = async ({ text, format, state }) => {
  const source = await readSource(text, format);
  const { converted, left, edits } = (await import("stepglass/jsonata-edits")).toJsonataEdits(
    source.json,
    language.outline(source.json),
    state,
  );
  const mapped = editsOf(source, edits);
  return mapped
    ? { converted, left, edits: mapped }
    : {
        converted: [],
        left: [...left, ...converted.map((name) => ({ state: name, reason: "it is written through an alias" }))],
        edits: [],
      };
};

export const references: Maker<"references"> = async (params) => {
  const asked = await placeOf(params);
  const found = asked && language.references(asked.source.json, asked.offset);
  if (!found) return null;
  const { start, end, kind, name } = found;
  const places = found.places.map((place) => ({ ...back(asked.source, place), definition: place.definition }));
  return { kind, name, places, ...back(asked.source, { start, end }) } satisfies NamePlaces;
};

export const rename: Maker<"rename"> = async (params) => {
  const asked = await placeOf(params);
  if (!asked) return { refused: "there is no state or variable name here" };
  try {
    const edits = editsOf(asked.source, language.rename(asked.source.json, asked.offset, params.to));
    return edits ? { edits } : { refused: "the name is written through an alias" };
  } catch (error) {
    return { refused: (error as Error).message };
  }
};

export const actions: Maker<"actions"> = async ({ text, format, offset, end }) => {
  const source = await readSource(text, format);
  const part = source.yaml ? source.yaml.part(offset, end) : { start: offset, end };
  const fixes = part ? fixesOf(source, language.codeActions(source.json, part.start, part.end, kind)) : [];
  return offset === end ? [...fixes, ...(await toJsonata(source, offset))] : fixes;
};

/** Returns the fix that converts the innermost state at a position to JSONata, or the reason why it stays in JSONPath. */
async function toJsonata(source: Source, offset: number): Promise<Fix[]> {
  const state = places(source)?.findLast(({ from, to }) => from <= offset && offset <= to)?.name;
  if (state === undefined) return [];
  try {
    const { converted, left, edits } = (await import("stepglass/jsonata-edits")).toJsonataEdits(
      source.json,
      language.outline(source.json),
      state,
    );
    const mapped = editsOf(source, edits);
    if (converted.length > 0 && mapped) return [{ title: `convert \`${state}\` to JSONata`, edits: mapped, last: true }];
    return left.map(({ reason }) => ({ title: `\`${state}\` stays in JSONPath: ${reason}`, edits: [], last: true }));
  } catch {
    // A text that is not JSON yet is not converted.
    return [];
  }
}

export const format: Maker<"format"> = async (params) => {
  const source = await readSource(params.text, params.format);
  return (source.yaml ? source.yaml.format() : language.format(params.text)).map(toEdit);
};

/** The options of validation, as the page has last sent them. */
let kind: ValidateOptions = {};

/** Returns the problems of a text for machines of a type. */
export function diagnose(source: Source, type: MachineType): Diagnostic[] {
  kind = { type };
  const found = validate(source.json, kind) as unknown as Diagnostic[];
  const isYaml = source.yaml === undefined && looksLikeYaml(source.json);
  for (const one of found) if (isYaml && one.code === "invalid-json") one.help = "the page reads YAML too: choose it below the text";
  for (const one of found) if (one.code === "placeholder") one.help = "put a value in its place to run the machine";
  return settle(source, found);
}

/** Maps problems of the JSON text to their positions in the original text, and adds their fixes. */
function settle(source: Source, diagnostics: Diagnostic[]): Diagnostic[] {
  const most = Math.min(MOST_FIXED, source.yaml?.mostEdits ?? MOST_FIXED);
  const fixed = diagnostics.slice(0, most);
  const from = Math.min(...fixed.map(({ range }) => range?.start.offset ?? Infinity));
  const to = Math.max(...fixed.map(({ range }) => range?.end.offset ?? -1));
  const found = from <= to ? language.codeActions(source.json, from, to, kind) : [];
  diagnostics.forEach((diagnostic, i) => {
    const { range, code } = diagnostic;
    if (i < most && range) {
      const own = found.filter(
        ({ problem }) => problem?.code === code && problem.start === range.start.offset && problem.end === range.end.offset,
      );
      const fixes = fixesOf(source, own);
      if (fixes.length > 0) diagnostic.fixes = fixes;
    }
    delete diagnostic.fix;
  });
  const { yaml } = source;
  if (!yaml) return diagnostics;
  for (const diagnostic of diagnostics) {
    const place = diagnostic.range && yaml.locate(diagnostic.range.start.offset, diagnostic.range.end.offset);
    const labels: NonNullable<Diagnostic["labels"]> = [];
    for (const label of diagnostic.labels ?? []) {
      const at = label.range && yaml.locate(label.range.start.offset, label.range.end.offset);
      labels.push(withRange({ pointer: label.pointer, message: label.message }, at?.range));
    }
    if (place?.anchor) labels.push({ pointer: diagnostic.pointer, range: place.anchor, message: "the alias is defined here" });
    diagnostic.labels = labels;
    if (place) diagnostic.range = place.range;
    else delete diagnostic.range;
  }
  return diagnostics;
}

function withRange<T extends object>(
  label: T,
  range: { start: Place; end: Place } | undefined,
): T & { range?: { start: Place; end: Place } } {
  return range ? { ...label, range } : label;
}
