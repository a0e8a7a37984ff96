// Where a value came from: backwards through the stages of a state, and on through the states before it, as far as paths
// and templates tell.

import type { DebugSession } from "stepglass/debug";
import type { Origin } from "../model/protocol.ts";
import { fieldsOf, member } from "./flow.ts";

type Path = (string | number)[];

interface At {
  visit: number;
  attempt: number | undefined;
  /// The place among the stages; -1 for the state's input.
  stage: number;
  path: Path;
}

const MOST = 40;

export function originOf(session: DebugSession, definition: string, visit: number, attempt: number, stage: number, path: Path): Origin[] {
  const found: Origin[] = [];
  const visits = [...session.visitsInOrder()];
  let at: At | undefined = { visit, attempt, stage, path };
  for (let n = 0; at !== undefined && n < MOST; n++) at = step(session, definition, visits, at, found);
  return found;
}

type Visits = ReturnType<DebugSession["visitsInOrder"]> extends IterableIterator<infer V> ? V[] : never;

/// Tells of one step backwards; what it leads to, or undefined at the source.
function step(session: DebugSession, definition: string, visits: Visits, at: At, found: Origin[]): At | undefined {
  const visit = visits[at.visit];
  if (!visit) return undefined;
  const { state } = visit;
  const { stages } = session.stages(at.visit, at.attempt, { all: true });
  const { fields, language } = fieldsOf(definition, state);
  const tell = (text: string, approximate = false): void => void found.push({ text, event: visit.enter, state, ...(approximate ? { approximate } : {}) });
  if (at.stage < 0) return beforeState(session, visits, at, found);
  const { stage } = stages[at.stage]!;
  const shown = place(at.path);
  const earlier = (...names: string[]): number => {
    for (let i = at.stage - 1; i >= 0; i--) if (names.includes(stages[i]!.stage)) return i;
    return -1;
  };
  const from = (to: number, path: Path): At => ({ ...at, stage: to, path });
  switch (stage) {
    case "afterInputPath": {
      const inner = pathOf(fields["InputPath"] ?? "$");
      if (inner === null) return void tell(`${shown} ← InputPath of ${state} is null`);
      if (inner.length > 0) tell(`${shown} ← InputPath ${String(fields["InputPath"])} of ${state}`);
      return from(-1, [...inner, ...at.path]);
    }
    case "afterParameters":
    case "afterArguments":
    case "afterResultSelector": {
      const field = stage === "afterResultSelector" ? "ResultSelector" : stage === "afterArguments" ? "Arguments" : "Parameters";
      const base = stage === "afterResultSelector" ? earlier("result") : earlier("afterInputPath");
      if (fields[field] === undefined) return from(base, at.path);
      return throughTemplate(fields[field], at.path, `${field} of ${state}`, shown, language, tell, (path) => from(base, path), (path) => from(language === "JSONata" ? -1 : base, path));
    }
    case "result": {
      if (visit.type === "Pass" && fields["Result"] === undefined) return from(Math.max(earlier("afterParameters", "afterInputPath"), -1), at.path);
      if (visit.type === "Pass") return void tell(`${shown} ← Result, written in ${state}`);
      if (visit.type === "Map" || visit.type === "Parallel") {
        const slot = at.path[0];
        const inside = visits.findLast((other) => other.exit > 0 && typeof slot === "number" && other.around === at.visit && other.slot === slot);
        tell(`${shown} ← ${visit.type === "Map" ? "iteration" : "branch"} ${typeof slot === "number" ? slot : ""} of ${state}`);
        return inside ? { visit: inside.id, attempt: undefined, stage: session.stages(inside.id, undefined, { all: true }).stages.length - 1, path: at.path.slice(1) } : undefined;
      }
      return void tell(`${shown} ← the task's result in ${state}`);
    }
    case "afterResultPath": {
      const target = pathOf(fields["ResultPath"] === undefined ? "$" : fields["ResultPath"]);
      const result = earlier("afterResultSelector", "result", "afterParameters");
      if (target === null) return from(-1, at.path);
      if (starts(at.path, target)) {
        if (target.length > 0) tell(`${shown} ← ResultPath ${String(fields["ResultPath"])} of ${state}`);
        return from(result, at.path.slice(target.length));
      }
      return from(-1, at.path);
    }
    case "output": {
      if (language === "JSONata" && fields["Output"] !== undefined) {
        return throughTemplate(fields["Output"], at.path, `Output of ${state}`, shown, language, tell, (path) => from(earlier("result"), path), (path) => from(-1, path));
      }
      const before = earlier("afterResultPath", "afterResultSelector", "result", "afterItemsPath", "afterInputPath");
      const inner = pathOf(fields["OutputPath"] ?? "$");
      if (inner === null) return void tell(`${shown} ← OutputPath of ${state} is null`);
      if (inner.length > 0) tell(`${shown} ← OutputPath ${String(fields["OutputPath"])} of ${state}`);
      return from(before, [...inner, ...at.path]);
    }
    case "assignedVariables": {
      return throughTemplate(fields["Assign"], at.path, `Assign of ${state}`, shown, language, tell, (path) => from(earlier("result", "afterInputPath"), path), (path) => from(-1, path));
    }
    case "error":
      return void tell(`${shown} ← the error of ${state}`);
    default:
      return from(at.stage - 1, at.path);
  }
}

/// From a state's input to what the state before it has put out.
function beforeState(session: DebugSession, visits: Visits, at: At, found: Origin[]): At | undefined {
  const visit = visits[at.visit]!;
  const history = session.history(visit.enter - 1);
  const previous = history[0]?.previousEventId ?? 0;
  const before = visits.find(({ exit }) => exit > 0 && exit === previous);
  const shown = place(at.path);
  if (before) {
    found.push({ text: `${shown} ← output of ${before.state}`, event: before.exit, state: before.state });
    return { visit: before.id, attempt: undefined, stage: session.stages(before.id, undefined, { all: true }).stages.length - 1, path: at.path };
  }
  const around = visits.findLast((other) => other.enter < visit.enter && (other.type === "Map" || other.type === "Parallel") && (other.end === 0 || other.end > visit.enter));
  if (!around || previous <= 1) {
    found.push({ text: `${shown} ← the execution's input`, event: 1 });
    return undefined;
  }
  const { stages } = session.stages(around.id, undefined, { all: true });
  const last = stages.findLastIndex(({ stage }) => ["afterItemSelector", "afterItemsPath", "afterParameters", "afterArguments", "afterInputPath"].includes(stage));
  const [top] = session.visits(visit.state).filter(({ id }) => id === visit.id);
  const index = top?.iterations.at(-1);
  found.push({ text: `${shown} ← ${around.type === "Map" ? `item ${index ?? ""} of ${around.state}` : `input of ${around.state}`}`, event: around.enter, state: around.state });
  return { visit: around.id, attempt: undefined, stage: last, path: around.type === "Map" && index !== undefined ? [index, ...at.path] : at.path };
}

/// Through a payload template or a JSONata field to what a leaf reads.
function throughTemplate(
  template: unknown, path: Path, field: string, shown: string, language: "JSONPath" | "JSONata",
  tell: (text: string, approximate?: boolean) => void, onBase: (path: Path) => At, onInput: (path: Path) => At,
): At | undefined {
  let at = template;
  for (let i = 0; i < path.length; i++) {
    const computed = language === "JSONPath" && typeof path[i] === "string" ? member(at, `${String(path[i])}.$`) : undefined;
    if (typeof computed === "string") return source(computed, path.slice(i + 1));
    if (typeof at === "string" && language === "JSONata") return source(at, path.slice(i));
    at = member(at, path[i]!);
  }
  if (typeof at === "string" && language === "JSONata" && at.startsWith("{%")) return source(at, []);
  tell(at === undefined ? `${shown} ← ${field}` : `${shown} ← written in ${field}`);
  return undefined;

  function source(expression: string, rest: Path): At | undefined {
    const inner = expression.replace(/^\{%\s*|\s*%\}$/g, "");
    tell(`${shown} ← ${inner} in ${field}`);
    if (language === "JSONata") {
      const read = /^\$states\.(input|result)((?:\.[A-Za-z_]\w*|\[\d+\])*)$/.exec(inner);
      if (read) return (read[1] === "input" ? onInput : onBase)([...(pathOf(`$${read[2]}`) ?? []), ...rest]);
      return dependsOn(inner.match(/\$states\.(?:input|result)[\w.[\]]*/g) ?? []);
    }
    if (inner.startsWith("$$") || /^\$[A-Za-z_]/.test(inner)) return undefined;
    const whole = inner.startsWith("$") ? pathOf(inner) : undefined;
    if (whole) return onBase([...whole, ...rest]);
    return dependsOn(inner.match(/\$[.[][\w.[\]'$]*/g) ?? []);
  }

  /// Only of one thing it can be told where that came from.
  function dependsOn(reads: string[]): At | undefined {
    if (reads.length !== 1) {
      if (reads.length > 0) tell(`depends on ${reads.slice(0, 6).join(", ")}`, true);
      return undefined;
    }
    tell(`depends on ${reads[0]!}`, true);
    const path = pathOf(reads[0]!.replace(/^\$states\.(input|result)/, "$"));
    return path ? (reads[0]!.startsWith("$states.input") ? onInput : onBase)(path) : undefined;
  }
}

/// The steps of a plain path; null for `null`, undefined for one that selects in other ways.
function pathOf(path: unknown): Path | null {
  if (path === null) return null;
  if (typeof path !== "string") return [];
  const steps: Path = [];
  for (const [, name, quoted, index] of path.slice(1).matchAll(/\.([A-Za-z_][\w-]*)|\['([^']*)'\]|\[(\d+)\]/g)) steps.push(name ?? quoted ?? Number(index));
  return steps;
}

function starts(path: Path, prefix: Path): boolean {
  return prefix.every((step, i) => path[i] === step);
}

function place(path: Path): string {
  return `$${path.map((step) => (typeof step === "number" ? `[${step}]` : /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `['${step}']`)).join("")}`;
}
