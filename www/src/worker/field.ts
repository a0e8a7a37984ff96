// What an expression field sees on the data of its state's last visit, and what a text in it gives there.
//
// The fields before it are taken from the definition as it is written now: only the state's input, what its work gave and its
// error come from the run.

import { type Evaluated, type Values, ask } from "stepglass/debug";
import { exampleInput, exampleResults } from "stepglass/example";
import { pointerSteps } from "stepglass/pointer";
import type { FieldAnswer, FieldData, FieldPlace, FieldQuestion, FieldRoot, FieldValue, Sample } from "../model/field.ts";
import { isText } from "../model/field.ts";
import type { Completions } from "../model/protocol.ts";
import { isExpression, valueAt } from "../model/stages.ts";
import { readSource, valueOf } from "./definition.ts";
import { type LastRun, complete } from "./language.ts";
import { Run } from "./run.ts";
import { visitOf } from "./lastRun.ts";
import type { Shown } from "./recordedExecution.ts";
import { Looking } from "./sources.ts";

/// What is known of a state's last visit.
interface Known {
  input: unknown;
  context: unknown;
  variables: Record<string, unknown>;
  now: number;
  result?: { value: unknown };
  error?: { value: unknown };
  items?: unknown;
  from: FieldData["from"];
  run?: number;
}

type Held = Run | Shown | undefined;

export async function answer(question: FieldQuestion, held: Held, last: LastRun): Promise<FieldAnswer> {
  const { json } = await readSource(question.text, question.format);
  if (question.ask === "proposals") return proposals(json, question, question.written, question.caret, last);
  const definition = definitionOf(json);
  if (question.ask === "example") return exampleOf(definition, question.state);
  const seen = scopeOf(definition, question, held, question.sample, question.input);
  if (question.ask === "data") {
    const { roots, from, run, lacks } = seen;
    return { roots, from, ...(run !== undefined && { run }), ...(lacks && { lacks }) };
  }
  return given(seen, question, question.written);
}

let read: { json: string; definition: Record<string, unknown> } | undefined;

function definitionOf(json: string): Record<string, unknown> {
  if (read?.json !== json) read = { json, definition: valueOf(json) as Record<string, unknown> };
  return read.definition;
}

const stateAt = (definition: unknown, pointer: string): Record<string, unknown> =>
  (valueAt(definition, pointerSteps(pointer)) as Record<string, unknown> | undefined) ?? {};

/// So many visits, and so many attempts of each, are looked through for one that has what a field reads.
const MOST_VISITS = 20;
const MOST_ATTEMPTS = 5;

type Wanted = "result" | "error" | undefined;

/// The last visit at or before where one looks that has what is wanted, or else the last one.
function lastOf(held: Held, state: string, wanted: Wanted): Known | undefined {
  if (!held) return undefined;
  if (!(held instanceof Run)) {
    const input = visitOf(held, state)?.input;
    return input === undefined ? undefined : { input: JSON.parse(input), context: {}, variables: {}, now: 0, from: "recording" };
  }
  const { session } = held;
  const all = session.visits(state);
  const before = all.filter(({ enter }) => enter <= session.event);
  let first: Known | undefined;
  for (const visit of (before.length > 0 ? before : all).slice(-MOST_VISITS).reverse()) {
    const { context, now } = session.values(visit.id) as { context: object; now: number };
    const variables = Object.fromEntries(
      [...new Looking(session, held.definition(), visit.id).variables(visit.id)].map(([name, { value }]) => [name, value]),
    );
    for (
      let attempt = visit.attempts - 1;
      attempt >= Math.max(0, visit.attempts - MOST_ATTEMPTS) || attempt === visit.attempts - 1;
      attempt--
    ) {
      const { input, stages } = session.stages(visit.id, Math.max(0, attempt), { all: true });
      const of = (...names: string[]): { value: unknown } | undefined => stages.findLast(({ stage }) => names.includes(stage));
      const result = of("result");
      const error = of("error");
      const items = of("afterItems", "afterItemsPath");
      const known: Known = { input, context, variables, now, from: "run", run: session.run };
      if (result) known.result = { value: result.value };
      if (error) known.error = { value: error.value };
      if (items) known.items = items.value;
      if (!wanted || known[wanted]) return known;
      first ??= known;
    }
  }
  return first;
}

/// What a field's expressions are evaluated with.
interface SeenBy {
  roots: FieldRoot[];
  values: Values;
  /// For ResultPath: what it writes, and what it writes into.
  placing?: { into: unknown; value: unknown };
  from: FieldData["from"];
  run?: number;
  lacks?: FieldData["lacks"];
}

const WORKERS: ReadonlySet<unknown> = new Set(["Task", "Parallel", "Map"]);

/// Which of the values that come of the state's work a field reads.
function wantedBy(path: readonly string[], type: unknown, jsonata: boolean): Wanted {
  const [field] = path;
  if (field === "Catch") return "error";
  if (!WORKERS.has(type)) return undefined;
  const after = jsonata ? ["Assign", "Output"] : ["Assign", "ResultSelector", "ResultPath", "OutputPath"];
  return after.includes(field!) ? "result" : undefined;
}

const held: { key: string; run: Held; known: Known | undefined } = { key: "", run: undefined, known: undefined };

/// The same, kept while somebody writes.
function kept(run: Held, state: string, wanted: Wanted): Known | undefined {
  const at =
    run instanceof Run
      ? `${run.session.run} ${run.session.event} ${run.session.position} ${run.session.execution}`
      : run?.history.events.length;
  const key = JSON.stringify([at, state, wanted]);
  if (held.run !== run || held.key !== key || run === undefined) Object.assign(held, { key, run, known: lastOf(run, state, wanted) });
  return held.known;
}

function scopeOf(definition: Record<string, unknown>, place: FieldPlace, run: Held, sample?: Sample, input?: string): SeenBy {
  const fields = stateAt(definition, place.state);
  const path = pointerSteps(place.pointer).slice(pointerSteps(place.state).length);
  const jsonata = place.language === "JSONata";
  const wanted = wantedBy(path, fields["Type"], jsonata);
  const steps = pointerSteps(place.state);
  const name = steps.at(-1) ?? "";
  let known: Known | undefined;
  if (sample !== undefined) {
    const { input: given, result } = sample;
    known = {
      input: given,
      context: {},
      variables: {},
      now: 0,
      from: "example",
      ...(result !== undefined && { result: { value: result } }),
    };
  } else {
    known = kept(run, name, wanted);
    // The first state gets what the next run is given.
    if (!known && input !== undefined && steps.length === 2 && definition["StartAt"] === name) {
      const given = parsed(input);
      if (given) known = { input: given.value, context: {}, variables: {}, now: 0, from: "input" };
    }
  }
  if (!known) return { roots: [], values: {}, from: "run", lacks: "not visited" };
  const origin = { from: known.from, ...(known.run !== undefined && { run: known.run }) };
  return jsonata
    ? { ...inJsonata(known, path, wanted, place.item), ...origin }
    : { ...inJsonPath(known, fields, path, wanted, place.item), ...origin };
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text.trim() === "" ? "{}" : text) as unknown };
  } catch {
    return undefined;
  }
}

const variablesOf = (known: Known): FieldRoot[] =>
  Object.entries(known.variables).map(([name, value]) => ({ name: `$${name}`, label: "Variable", value }));

function contextFor(known: Known, path: readonly string[], items: unknown, item = 0): unknown {
  if (path[0] !== "ItemSelector" || !Array.isArray(items) || items.length <= item) return known.context;
  return { ...(known.context as object), Map: { Item: { Index: item, Value: items[item] as unknown } } };
}

function inJsonata(known: Known, path: readonly string[], wanted: Wanted, item: number | undefined): Omit<SeenBy, "from"> {
  const context = contextFor(known, path, known.items, item);
  const states: Record<string, unknown> = { input: known.input, context };
  const roots: FieldRoot[] = [];
  const member = wanted === "error" ? "errorOutput" : "result";
  const extra = wanted && known[wanted];
  if (extra) {
    states[member] = extra.value;
    roots.push({ name: `$states.${member}`, label: wanted === "error" ? "Error output" : "Result", value: extra.value });
  }
  roots.push({ name: "$states.input", label: "State input", value: known.input }, ...variablesOf(known));
  roots.push({ name: "$states.context", label: "Context Object", value: context });
  const lacks = wanted && !extra ? { lacks: wanted === "error" ? ("no error" as const) : ("no result" as const) } : {};
  return { roots, values: { input: null, context, variables: { ...known.variables, states }, now: known.now }, ...lacks };
}

function inJsonPath(
  known: Known,
  fields: Record<string, unknown>,
  path: readonly string[],
  wanted: Wanted,
  item: number | undefined,
): Omit<SeenBy, "from"> {
  const [field] = path;
  const { variables, now } = known;
  const asked = (dialect: "jsonpath" | "template", text: string, input: unknown): { value: unknown } | undefined => {
    const { value, message } = ask(dialect, text, { input, context: known.context, variables, now });
    return message === undefined ? { value: value as unknown } : undefined;
  };
  const at = (text: unknown, input: unknown): unknown =>
    text === null ? {} : typeof text === "string" ? (asked("jsonpath", text, input)?.value ?? input) : input;
  const made = (template: unknown, input: unknown): unknown =>
    template === undefined ? input : (asked("template", JSON.stringify(template), input)?.value ?? input);
  const effective = at(fields["InputPath"], known.input);
  const items = known.items ?? at(fields["ItemsPath"], effective);
  const context = contextFor(known, path, items, item);
  let lacks: FieldData["lacks"];
  let placing: SeenBy["placing"];
  let label = fields["InputPath"] === undefined ? "State input" : "Effective input";
  let data = effective;
  if (field === "InputPath") [data, label] = [known.input, "State input"];
  else if (wanted === "error") {
    if (!known.error) lacks = "no error";
    [data, label] = [known.error?.value, "Error output"];
    placing = { into: known.input, value: data };
  } else if (WORKERS.has(fields["Type"]) || fields["Type"] === "Pass") {
    const pass = fields["Type"] === "Pass";
    const result = pass
      ? { value: Object.hasOwn(fields, "Result") ? fields["Result"] : made(fields["Parameters"], effective) }
      : known.result;
    if (wanted === "result" && !result) lacks = "no result";
    const selected = pass ? result?.value : made(fields["ResultSelector"], result?.value);
    if (field === "ResultSelector" || field === "Assign") [data, label] = [result?.value, "Result"];
    else if (field === "ResultPath") {
      [data, label] = [known.input, "State input"];
      placing = { into: known.input, value: selected };
    } else if (field === "OutputPath") {
      const to = fields["ResultPath"];
      [data, label] = [
        typeof to === "string" ? placed(known.input, to, selected).value : to === null ? known.input : selected,
        "After ResultPath",
      ];
    }
  }
  const roots = [
    ...(lacks ? [] : [{ name: "$", label, value: data }]),
    ...variablesOf(known),
    { name: "$$", label: "Context Object", value: context },
  ];
  return { roots, values: { input: data, context, variables, now }, ...(placing && { placing }), ...(lacks && { lacks }) };
}

/// A value written into another one at a reference path.
function placed(into: unknown, path: string, value: unknown): Evaluated {
  if (path.trim() === "$") return { value };
  const steps = [...path.trim().matchAll(STEP)];
  if (!path.trim().startsWith("$") || steps.reduce((sum, [whole]) => sum + whole.length, 1) !== path.trim().length)
    return { message: "A reference path names one place: $, then names or indices." };
  const root: unknown = structuredClone(into ?? {});
  let at = root as Record<string | number, unknown>;
  for (const [i, [, name, index, quoted, other]] of steps.entries()) {
    const step = index === undefined ? (name ?? (quoted ?? other ?? "").replaceAll(/\\(.)/g, "$1")) : Number(index);
    if (typeof at !== "object" || at === null) return { message: "The value at this path is not an object, so it has no members." };
    if (i === steps.length - 1) at[step] = value;
    else at = (at[step] ??= steps[i + 1]![2] === undefined ? {} : []) as Record<string | number, unknown>;
  }
  return { value: root };
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/g;

function given(seen: SeenBy, { form, language, pointer }: FieldPlace, written: string): FieldValue {
  const { values, from, run, lacks } = seen;
  const origin = { from, ...(run !== undefined && { run }) };
  const text = written.trim();
  const reads = (name: string): boolean => text.includes(name);
  // What does not read the part that is not there is evaluated all the same.
  if (lacks && (seen.roots.length === 0 || language === "JSONPath" || reads("$states.result") || reads("$states.errorOutput")))
    return { ...origin, lacks };
  const own = (): Evaluated & { path?: (string | number)[]; literal?: true } => {
    if (form === "template" && isText(form, text)) return ask("jsonata", text, values);
    if (form === "template") return language === "JSONata" ? jsonataTemplate(text, values) : ask("template", text, values);
    if (form === "jsonata" || form === "condition") return ask("jsonata", text, values);
    if (form === "text-or-jsonata" || form === "number-or-jsonata")
      return language === "JSONata" && isExpression(text) ? ask("jsonata", text, values) : { value: written, literal: true };
    const field = pointerSteps(pointer).at(-1);
    if (field === "ResultPath" && seen.placing)
      return text === "null" ? { value: seen.placing.into as never } : placed(seen.placing.into, text, seen.placing.value);
    return text === "null" ? { value: {} } : ask("jsonpath", text, values);
  };
  return { ...own(), ...origin };
}

/// So many expressions of a template are evaluated.
const MOST_LEAVES = 500;

/// A template whose texts in `{% %}` are expressions.
function jsonataTemplate(text: string, values: Values): Evaluated & { path?: (string | number)[] } {
  let template: unknown;
  try {
    template = JSON.parse(text);
  } catch {
    return { message: "This is not JSON yet." };
  }
  let left = MOST_LEAVES;
  let wrong: (Evaluated & { path: (string | number)[] }) | undefined;
  const made = (value: unknown, path: (string | number)[]): unknown => {
    if (wrong || path.length > 100) return undefined;
    if (typeof value === "string" && isExpression(value)) {
      if (left-- <= 0) return value;
      const found = ask("jsonata", value, values);
      if (found.message !== undefined) wrong = { ...found, path };
      else if (found.nothing) wrong = { message: "This expression gives no value.", path };
      return found.value as unknown;
    }
    if (Array.isArray(value)) return value.map((item, i) => made(item, [...path, i]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, made(inner, [...path, name])]));
  };
  const value = made(template, []);
  return wrong ?? { value: value as never };
}

/// An input that the state could be given, and what its task could give back.
function exampleOf(definition: Record<string, unknown>, pointer: string): Sample {
  const fields = stateAt(definition, pointer);
  const name = pointerSteps(pointer).at(-1) ?? "State";
  const { Next: _, Catch: __, Choices, ...own } = fields;
  const alone = {
    ...(definition["QueryLanguage"] !== undefined && { QueryLanguage: definition["QueryLanguage"] }),
    StartAt: name,
    States: {
      [name]: { ...own, ...(Choices === undefined ? { End: true } : { Choices: ended(Choices) }) },
      ...(Choices !== undefined && { "\u0000": { Type: "Succeed" } }),
    },
  };
  const input: unknown = exampleInput(alone as never);
  const result: unknown = exampleResults(definition as never)[name];
  return { input, ...(result !== undefined && { result }) };
}

/// Rules whose ways lead out of the machine.
function ended(choices: unknown): unknown {
  return Array.isArray(choices) ? choices.map((rule: object) => ({ ...rule, Next: "\u0000" })) : choices;
}

const HERE = "\u0001here\u0001";

/// What may be written at a place of a field's text.
async function proposals(json: string, place: FieldPlace, written: string, caret: number, last: LastRun): Promise<Completions> {
  const definition = structuredClone(definitionOf(json));
  const steps = pointerSteps(place.pointer);
  let at = definition as Record<string | number, unknown>;
  for (const [i, step] of steps.entries()) {
    if (i === steps.length - 1) at[step] = HERE;
    else at = (at[step] ??= /^\d+$/.test(steps[i + 1]!) ? [] : {}) as Record<string | number, unknown>;
  }
  const whole = JSON.stringify(definition);
  const mark = JSON.stringify(HERE);
  const start = whole.indexOf(mark);
  const raw = !isText(place.form, written);
  const bare = place.form === "jsonata" || place.form === "condition";
  // In a string each character may be written in several.
  const writtenAs = (text: string): string => (raw ? text : JSON.stringify(text).slice(1, -1));
  const before = raw ? "" : bare ? '"{% ' : '"';
  const after = raw ? "" : bare ? ' %}"' : '"';
  const text = whole.slice(0, start) + before + writtenAs(written) + after + whole.slice(start + mark.length);
  const from = start + before.length;
  const found = await complete({ text, format: "json", offset: from + writtenAs(written.slice(0, caret)).length }, last);
  const back = (offset: number): number => {
    if (raw) return Math.max(0, Math.min(written.length, offset - from));
    let n = 0;
    while (n < written.length && from + writtenAs(written.slice(0, n)).length < offset) n++;
    return n;
  };
  return { ...found, replace: { start: back(found.replace.start), end: back(found.replace.end) } };
}
