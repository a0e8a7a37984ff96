// What went wrong in a state: the field and the part of its expression, the data that it saw, and who takes the error.

import type { DebugSession } from "stepglass/debug";
import { pointerSteps } from "stepglass/pointer";
import type { FailureInfo, Operand, VariableScope } from "../model/protocol.ts";
import { type Path, inner, isExpression, valueAt } from "../model/stages.ts";
import { Looking, type Scene, assignedBy, parsed } from "./sources.ts";
import { readsOfJsonata, readsOfPath } from "./reads.ts";
import { select, selectMapped } from "./select.ts";

export function failureOf(session: DebugSession, definition: string, visit: number, attempt: number): FailureInfo | null {
  const looking = new Looking(session, definition, visit);
  const scene = looking.scene(visit, attempt);
  const at = scene?.stages.findIndex(({ stage }) => stage === "error") ?? -1;
  if (!scene || at < 0) return null;
  const { failure: facts } = scene.stages[at]!;
  const info: FailureInfo = { saw: [], ...takenBy(looking, scene, at) };
  // Only errors of the state itself are about its fields.
  const said = facts?.message;
  if (said === undefined) return info;
  info.said = said;
  const failing = locatedAt(scene.fields, facts?.pointer) ?? fieldOf(scene, at, said);
  if (!failing) return info;
  const { path, text } = failing;
  info.field = path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
  info.expression = inner(text);
  const saw = sawOf(scene, at, path);
  const span = isExpression(text)
    ? wrongInJsonata(looking, scene, at, info.expression, saw)
    : wrongInPath(info.expression, said, saw[0]?.value);
  if (span) Object.assign(info, span);
  // Of a JSONata expression only what it names.
  const named = isExpression(text) ? readsOfJsonata(text).reads.map(({ of }) => of as string) : undefined;
  info.saw = saw.filter(({ role }) => named === undefined || named.includes(role)).map(({ label, value }) => ({ label, value }));
  return info;
}

interface Saw {
  role: string;
  label: string;
  value: unknown;
}

/// What a field sees that fails at a place among the stages.
function sawOf(scene: Scene, at: number, path: Path): Saw[] {
  const find = (name: string): unknown => scene.stages.slice(0, at).findLast(({ stage }) => stage === name)?.value;
  const input: Saw = { role: "input", label: "State input", value: scene.input };
  const result: Saw = { role: "result", label: "Result", value: find("result") };
  const [field] = path;
  if (scene.language === "JSONata") return find("result") === undefined ? [input] : [result, input];
  const effective: Saw = { role: "data", label: "Input after InputPath", value: find("afterInputPath") ?? scene.input };
  switch (field) {
    case "InputPath":
      return [input];
    case "ResultPath":
      return [input, result];
    case "ResultSelector":
    case "OutputPath":
      return result.value === undefined ? [effective] : [result, input];
    case "Assign":
      return [result.value === undefined ? effective : result];
    default:
      return [effective];
  }
}

const NO_EXPRESSIONS: ReadonlySet<string> = new Set([
  "Type",
  "Comment",
  "Next",
  "Default",
  "Resource",
  "QueryLanguage",
  "Branches",
  "ItemProcessor",
  "Iterator",
  "ErrorEquals",
  "Error",
  "StringMatches",
]);
const EARLY: ReadonlySet<string> = new Set(["InputPath", "Parameters", "Arguments", "Items", "ItemsPath"]);
const LATE: ReadonlySet<string> = new Set(["ResultSelector", "ResultPath", "OutputPath"]);

/// The field of a state that a JSON Pointer names, if it is a text.
function locatedAt(fields: Record<string, unknown>, pointer: string | undefined): { path: Path; text: string } | undefined {
  if (pointer === undefined) return undefined;
  const path: (string | number)[] = [];
  let text: unknown = fields;
  for (const step of pointerSteps(pointer)) {
    path.push(Array.isArray(text) ? Number(step) : step);
    text = valueAt(fields, path);
  }
  return typeof text === "string" ? { path, text } : undefined;
}

/// The field that the words for an error of a JSONPath state are about.
function fieldOf(scene: Scene, at: number, said: string): { path: Path; text: string } | undefined {
  const { fields, stages } = scene;
  const done = stages.slice(0, at).some(({ stage }) => stage === "result");
  const found: { path: Path; text: string; score: number }[] = [];
  const walk = (value: unknown, path: Path, depth: number): void => {
    if (depth > 40 || (typeof path.at(-1) === "string" && NO_EXPRESSIONS.has(path.at(-1) as string))) return;
    if (typeof value === "string" && (value.startsWith("$") || value.startsWith("States.") || isExpression(value))) {
      const text = inner(value);
      const field = String(path[0]);
      if (!said.includes(text) || (done ? EARLY : LATE).has(field)) return;
      const key = path.at(-1);
      const quoted = said.includes(`'${text}'`) || said.includes(`"${text}"`);
      found.push({
        path,
        text: value,
        score: text.length + (quoted ? 1000 : 0) + (typeof key === "string" && said.includes(`'${key}'`) ? 500 : 0),
      });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, part] of Object.entries(value)) walk(part, [...path, Array.isArray(value) ? Number(key) : key], depth + 1);
    }
  };
  walk(fields, [], 0);
  const [best] = found.sort((a, b) => b.score - a.score);
  if (best && best.score >= 3) return best;
  if (!said.startsWith("Unable to apply step")) return undefined;
  const path: Path = scene.type === "Map" && !stages.some(({ stage }) => stage.startsWith("afterItems")) ? ["ItemsPath"] : ["ResultPath"];
  const text = valueAt(fields, path);
  return typeof text === "string" ? { path, text } : undefined;
}

type Span = { from: number; to: number; why?: string };

/// The part of a path, or of an intrinsic function's argument, that finds nothing.
function wrongInPath(text: string, said: string, value: unknown): Span | undefined {
  const step = /^Unable to apply step "([^"]*)"/.exec(said)?.[1];
  if (step !== undefined) {
    const from = text.lastIndexOf(step);
    return from < 0
      ? undefined
      : {
          from: Math.max(0, text[from - 1] === "." ? from - 1 : from),
          to: from + step.length,
          why: `No object here can have the member ${step}.`,
        };
  }
  const argument = /argument for the field '([^']*)'/.exec(said)?.[1] ?? (text.startsWith("$") ? text : undefined);
  if (argument === undefined) return undefined;
  const offset = text.indexOf(argument);
  const missing = missingIn(argument, value);
  if (offset < 0) return undefined;
  if (!missing) return { from: offset, to: offset + argument.length };
  return { from: offset + missing.from, to: offset + argument.length, why: missing.why };
}

/// The first step of a path that finds nothing.
function missingIn(path: string, value: unknown): { from: number; why: string } | undefined {
  const [read] = readsOfPath(path).reads;
  if (read?.of !== "data") return undefined;
  let known = 1;
  let held = value;
  for (const { kind, end } of read.parts) {
    // It stands in one place with the step behind it.
    if (kind === "descend") continue;
    const found = select(path.slice(1, end), value);
    if (!found) return undefined;
    if (found.places.length === 0)
      return { from: known, why: `${path.slice(0, known)} is ${kindOf(held)}: it has no ${path.slice(known, end).replace(/^\./, "")}.` };
    known = end;
    held = valueAt(value, found.places[0]!);
  }
  return undefined;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value !== "object") return `the ${typeof value} ${JSON.stringify(value).slice(0, 60)}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? "an empty object" : `an object with ${keys.slice(0, 8).join(", ")}${keys.length > 8 ? " …" : ""}`;
}

/// The part of a JSONata expression that throws or gives nothing.
function wrongInJsonata(looking: Looking, scene: Scene, at: number, text: string, saw: readonly Saw[]): Span | undefined {
  const like: Scene = { ...scene, stages: [...scene.stages.slice(0, at), { stage: "output", value: undefined, place: -1 }] };
  const answer = looking.session.evaluate(text, { language: "jsonata", values: looking.values(like, at) });
  if (answer.message !== undefined && answer.offset !== undefined) {
    const from = Math.min(answer.offset, Math.max(0, text.length - 1));
    return { from, to: from + Math.max(1, /^[\w$.'`]*/.exec(text.slice(from))![0].length) };
  }
  for (const { of, path, start, parts } of readsOfJsonata(text).reads) {
    const source = saw.find(({ role }) => role === of);
    if (!source) continue;
    const first = (parts.at(-1)?.end ?? 0) - path.length;
    let known = first;
    let held = source.value;
    for (const { end } of parts) {
      const found = selectMapped(text.slice(first, end), source.value);
      if (!found) break;
      if (found.places.length === 0) {
        const step = text.slice(known, end).trim().replace(/^\./, "");
        return { from: known, to: parts.at(-1)!.end, why: `${text.slice(start, known)} is ${kindOf(held)}: it has no ${step}.` };
      }
      known = end;
      held = valueAt(source.value, found.places[0]!);
    }
  }
  return answer.nothing || answer.value !== undefined ? { from: 0, to: text.length } : undefined;
}

/// The state around that has taken an error which its own state has not.
function takenBy(looking: Looking, scene: Scene, at: number): Pick<FailureInfo, "outer"> {
  const raised = JSON.stringify(scene.stages[at]!.value);
  const took = (stages: Scene["stages"], from: number): Scene["stages"][number] | undefined =>
    stages.slice(from).find(({ stage }) => stage === "retry" || stage === "catch");
  if (took(scene.stages, at)) return {};
  for (let visit = looking.visit(scene.visit); visit && visit.around >= 0; visit = looking.visit(visit.around)) {
    const { attempts } = looking.session.stages(visit.around, undefined, { all: true });
    for (let attempt = 0; attempt < Math.min(attempts, 50); attempt++) {
      const outer = looking.scene(visit.around, attempt);
      const error = outer?.stages.findIndex(({ stage, value }) => stage === "error" && JSON.stringify(value) === raised) ?? -1;
      const found = error < 0 ? undefined : took(outer!.stages, error);
      if (found?.stage === "catch") return { outer: { state: outer!.state, ...(found.value as { catcher: number; next: string }) } };
      if (found?.stage === "retry") return { outer: { state: outer!.state, retrier: (found.value as { retrier: number }).retrier } };
    }
  }
  return {};
}

/// The values of what rules of a Choice look at: paths, or of a condition in JSONata all that it reads.
export function operandsOf(
  session: DebugSession,
  definition: string,
  visit: number,
  attempt: number,
  stage: number,
  texts: readonly string[],
): Operand[][] {
  const looking = new Looking(session, definition, visit);
  const scene = looking.scene(visit, attempt);
  if (!scene) return texts.map(() => []);
  const values = looking.values(scene, stage);
  return texts.slice(0, 200).map((text): Operand[] => {
    if (!isExpression(text)) {
      const [read] = readsOfPath(text).reads;
      const answer = session.evaluate(text, { language: "jsonpath", values });
      if (answer.message === undefined) return [{ text, value: answer.value }];
      const missing = read?.of === "data" ? missingIn(text, values.input) : undefined;
      return [{ text, missing: missing?.why ?? answer.message }];
    }
    const seen = new Set<string>();
    return readsOfJsonata(text).reads.flatMap(({ of, name, path }): Operand[] => {
      const chain = of === "variable" ? `$${name}${path}` : `$states.${of}${path}`;
      if (seen.has(chain) || seen.size >= 12) return [];
      seen.add(chain);
      const answer = session.evaluate(chain, { language: "jsonata", values });
      return [
        answer.message === undefined && !answer.nothing
          ? { text: chain, value: answer.value }
          : { text: chain, missing: answer.message ?? "there is no value" },
      ];
    });
  });
}

/// The variables in reach of a visit by their scopes, the innermost first, with who assigned them and what they were before.
export function scopesOf(session: DebugSession, definition: string, visit: number): VariableScope[] {
  const looking = new Looking(session, definition, visit);
  const here = looking.visit(visit);
  if (!here) return [];
  const scopes = new Map<number, VariableScope>();
  const known = new Set<string>();
  const put = (thread: number, name: string, of: string, one: Omit<VariableScope["variables"][number], "hidden" | "name">): void => {
    let scope = scopes.get(thread);
    if (!scope) scopes.set(thread, (scope = { name: of, outer: thread !== here.thread, variables: [] }));
    const there = scope.variables.find((other) => other.name === name);
    if (there) {
      there.was ??= { value: one.value, state: one.state };
      return;
    }
    scope.variables.push({ name, ...one, hidden: known.has(name) });
    known.add(name);
  };
  for (const [name, { value, state, event, visit: by }] of Object.entries(session.scopes(visit))) {
    if (by === visit) put(here.thread, name, here.threadName, { value, state, event, fresh: true });
  }
  const entered = looking.events[here.enter - 1]?.previousEventId ?? 0;
  for (let id = entered; id > 0; id = looking.events[id - 1]?.previousEventId ?? 0) {
    const by = looking.leftBy(id);
    if (!by) continue;
    for (const [name, text] of Object.entries(assignedBy(looking.events[id - 1]!)))
      put(by.thread, name, by.threadName, { value: parsed(text), state: by.state, event: looking.shown(id), fresh: id === entered });
    id = by.enter;
  }
  return [...scopes.values()].map((scope) => ({ ...scope, variables: scope.variables.sort((a, b) => (a.name < b.name ? -1 : 1)) }));
}
