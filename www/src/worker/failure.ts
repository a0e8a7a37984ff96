// What went wrong in a state: the field and the part of its expression, the data that it saw, and who takes the error.

import type { DebugSession } from "stepglass/debug";
import { pointerSteps } from "stepglass/pointer";
import { parsed } from "../model/details.ts";
import type { FailureInfo, Operand, VariableScope } from "../model/protocol.ts";
import { type Path, inner, isExpression, valueAt } from "../model/stages.ts";
import { Looking, type Scene, assignedBy } from "./sources.ts";
import { type Read, readsOfJsonata, readsOfPath } from "./reads.ts";
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
  const failing = locatedAt(scene.fields, facts?.pointer);
  if (!failing) return info;
  const { path, text } = failing;
  info.field = path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
  info.expression = inner(text);
  if (facts?.pointer !== undefined) info.pointer = facts.pointer;
  const saw = sawOf(scene, at, path);
  const span = isExpression(text) ? wrongInJsonata(info.expression, facts?.offset, saw) : wrongInPath(info.expression, path, saw[0]?.value);
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

type Span = { from: number; to: number; why?: string };

/** Returns the part of a path, or of an argument of an intrinsic function, that finds nothing. */
function wrongInPath(text: string, field: Path, value: unknown): Span | undefined {
  const { reads, plain } = readsOfPath(text);
  for (const read of reads) {
    const found = field.at(-1) === "ResultPath" ? conflictIn(text, read, value) : missingIn(text, read, value);
    if (found) return found;
  }
  return plain ? { from: 0, to: text.length } : undefined;
}

/** Returns the first steps of a path that find nothing. */
function missingIn(text: string, read: Read, value: unknown): Required<Span> | undefined {
  if (read.of !== "data") return undefined;
  const first = read.start + 1;
  let known = first;
  let held = value;
  for (const { kind, end } of read.parts) {
    // It is one step with the next part.
    if (kind === "descend") continue;
    const found = select(text.slice(first, end), value);
    if (!found) return undefined;
    if (found.places.length === 0) {
      const why = `${text.slice(read.start, known)} is ${kindOf(held)}: it has no ${text.slice(known, end).replace(/^\./, "")}.`;
      return { from: known, to: read.parts.at(-1)!.end, why };
    }
    known = end;
    held = valueAt(value, found.places[0]!);
  }
  return undefined;
}

/** Returns the step of a ResultPath that the value on its way cannot have. */
function conflictIn(text: string, { start, steps, parts }: Read, value: unknown): Required<Span> | undefined {
  let from = start + 1;
  let held = value;
  for (const [i, step] of steps.entries()) {
    const to = parts[i]!.end;
    // A missing value becomes an object.
    const fits = typeof step === "number" ? Array.isArray(held) && step < held.length : held === undefined || isObject(held);
    if (!fits)
      return {
        from,
        to,
        why: `${text.slice(start, from)} is ${kindOf(held)}, which cannot have ${text.slice(from, to).replace(/^\./, "")}.`,
      };
    held = valueAt(held, [step]);
    from = to;
  }
  return undefined;
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value !== "object") return `the ${typeof value} ${JSON.stringify(value).slice(0, 60)}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? "an empty object" : `an object with ${keys.slice(0, 8).join(", ")}${keys.length > 8 ? " …" : ""}`;
}

/** Returns the part of a JSONata expression that has thrown, or that has no value. */
function wrongInJsonata(text: string, offset: number | undefined, saw: readonly Saw[]): Span {
  if (offset !== undefined) {
    // An error of a call is at its parenthesis: the name before it is shown.
    const name = text[offset] === "(" ? /[\w$.`]*$/.exec(text.slice(0, offset))![0] : "";
    if (name !== "") return { from: offset - name.length, to: offset };
    const from = Math.min(offset, Math.max(0, text.length - 1));
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
  return { from: 0, to: text.length };
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
      const missing = read && missingIn(text, read, values.input);
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
