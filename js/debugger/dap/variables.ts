// Scopes and variables of a frame. They are read when the editor opens them, and are invalid once the run moves.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { DebugSession, StackFrame } from "../../core/api/debug.d.ts";
import { codeOf, messageOf } from "../../core/base/errors.ts";
import { Refused } from "./launch.ts";
import type { SourceLocations } from "./source-locations.ts";
import { LazyList, type Path, brief, counts, hasMembers, membersOf, stepText, typeOf, withValue } from "./values.ts";

/** Where a value comes from, so that it can be changed: the input, a variable or the result of a frame's state. */
interface Origin {
  target: "input" | "variable" | "result";
  /** The name of the variable. */
  name?: string;
  /** The path from there to the value. */
  path: Path;
  /** The whole input, variable or result. */
  whole: unknown;
}

/** A value with members to which the editor has a reference. */
interface Container {
  frame: StackFrame;
  load: () => unknown;
  origin?: Origin | undefined;
  /** Whether its members are the variables of the frame. */
  isVariables?: boolean;
  /** The JSONata expression that returns it. */
  expression?: string | undefined;
  /** The JSONPath for a data breakpoint. */
  data?: string | undefined;
}

/** A member of a container. */
interface Member extends Container {
  name: string;
  value: unknown;
}

const PLAIN_STAGES = new Set(["error", "retry", "catch", "choice"]);

export class Variables {
  #session: DebugSession;
  #containers = new Map<number, Container>();
  #last = 0;

  constructor(session: DebugSession) {
    this.#session = session;
  }

  /** Invalidates all references after the run has moved. */
  invalidate(): void {
    this.#containers.clear();
  }

  #add(container: Container): number {
    this.#last += 1;
    this.#containers.set(this.#last, container);
    return this.#last;
  }

  /** Returns a reference to the value of an expression; 0 for a value without members. */
  referTo(value: unknown, frame: StackFrame, expression?: string): number {
    return hasMembers(value) ? this.#add({ frame, load: () => value, ...(expression !== undefined && { expression }) }) : 0;
  }

  scopes(frame: StackFrame, locations: SourceLocations | undefined): DebugProtocol.Scope[] {
    const session = this.#session;
    const { visit } = frame;
    const { input, stages, attempts, items } = session.stages(visit);
    const last = (name: string): unknown => stages.findLast(({ stage }) => stage === name)?.value;
    const scopes: DebugProtocol.Scope[] = [];
    const add = (name: string, container: Omit<Container, "frame">, about: Partial<DebugProtocol.Scope> = {}): void => {
      scopes.push({ name, variablesReference: this.#add({ frame, ...container }), expensive: false, ...about });
    };
    const origin: Origin = { target: "input", path: [], whole: input };
    add("Input", { load: () => members(input), origin, expression: "$states.input", data: "$" });
    const shown = stages.filter(({ stage }) => !PLAIN_STAGES.has(stage));
    if (shown.length > 0) {
      const load = (): object =>
        Object.fromEntries(shown.map(({ stage, value }) => [stage, this.#stage(visit, stage, value, items[stage])]));
      add("Stages", { load });
    }
    if (last("output") !== undefined) add("Output", { load: () => members(last("output")), data: "$" });
    const variables = (): object => Object.fromEntries(Object.entries(session.scopes(visit)).map(([name, { value }]) => [name, value]));
    add("Variables", { load: variables, isVariables: true }, { presentationHint: "locals" });
    add("Context", { load: () => session.values(visit).context, expression: "$states.context" });
    if (frame.type === "Task") add("Task", { load: () => this.#task(frame, locations, { last, attempts }) });
    if (last("error") !== undefined) add("Error", { load: () => last("error"), expression: "$error" });
    return scopes;
  }

  /** Returns the value of a stage. A stage of a Map has one value for each item, which become a list. */
  #stage(visit: number, stage: string, value: unknown, items = 0): unknown {
    if (items < 2) return value;
    return new LazyList(items, (item) => {
      const found = this.#session.stages(visit, undefined, { item }).stages;
      return found.find((one) => one.stage === stage && one.index === item)?.value;
    });
  }

  #task(frame: StackFrame, locations: SourceLocations | undefined, seen: { last: (name: string) => unknown; attempts: number }): object {
    const { last, attempts } = seen;
    const given = last("afterParameters") ?? last("afterArguments");
    const waiting = this.#session.waiting().find(({ state, execution }) => state === frame.state && execution === undefined);
    return {
      resource: locations?.states.get(frame.state)?.fields.Resource,
      ...(given !== undefined && { arguments: given }),
      attempt: attempts,
      ...(waiting && { waiting: waiting.kind, ...(waiting.token !== undefined && { token: waiting.token }) }),
      ...(last("result") !== undefined && { result: last("result") }),
    };
  }

  /** Returns the frame that a reference belongs to. */
  frameOf(reference: number): StackFrame | undefined {
    return this.#containers.get(reference)?.frame;
  }

  list({ variablesReference, filter, start, count }: DebugProtocol.VariablesArguments): DebugProtocol.Variable[] {
    const container = this.#found(variablesReference);
    const value = container.load();
    const isList = value instanceof LazyList || Array.isArray(value);
    if ((filter === "indexed" && !isList) || (filter === "named" && isList)) return [];
    const { members: page, more } = membersOf(value, { start, count });
    const listed = page.map(([name, member]) => this.#variable(memberOf(container, name, member)));
    if (more > 0) listed.push({ name: "…", value: `${more} more`, variablesReference: 0, presentationHint: { kind: "virtual" } });
    return listed;
  }

  #variable(member: Member): DebugProtocol.Variable {
    const { name, value, expression, origin } = member;
    return {
      name,
      value: brief(value),
      type: typeOf(value),
      variablesReference: hasMembers(value) ? this.#add(member) : 0,
      ...counts(value),
      ...(expression !== undefined && { evaluateName: `{% ${expression} %}` }),
      ...(origin === undefined && { presentationHint: { attributes: ["readOnly"] } }),
    };
  }

  /** Returns what a data breakpoint on a member watches: `$name`, or a path in the data. */
  dataPath(reference: number, name: string): string | undefined {
    const container = this.#found(reference);
    if (container.isVariables) return `$${name}`;
    const isIndex = Array.isArray(container.load());
    return container.data && container.data + stepText(isIndex ? Number(name) : name, "jsonpath");
  }

  /** Returns the change of a member as `DebugSession.setValue` takes it. It makes a fork of the run. */
  change(reference: number, name: string, value: unknown): { frame: StackFrame; change: Parameters<DebugSession["setValue"]>[0] } {
    const container = this.#found(reference);
    const content = container.load();
    const key = Array.isArray(content) ? Number(name) : name;
    const { origin, frame } = memberOf(container, key, undefined);
    if (origin === undefined) throw new Refused(`${name} cannot be changed: the input, variables and the result of a task can`);
    return { frame, change: changeOf(origin, frame, value) };
  }

  #found(reference: number): Container {
    const found = this.#containers.get(reference);
    if (found === undefined) throw new Refused("the run has moved on: open the variable again");
    return found;
  }
}

/** Returns a value with members. A value without members becomes its own only member. */
function members(value: unknown): unknown {
  return typeof value === "object" && value !== null ? value : { value };
}

function memberOf(container: Container, name: string | number, value: unknown): Member {
  const { frame, isVariables, expression, origin, data } = container;
  const member = { frame, name: String(name), value, load: () => value };
  if (isVariables) {
    const own: Origin = { target: "variable", name: String(name), path: [], whole: value };
    return { ...member, origin: own, expression: `$${name}` };
  }
  // In the scope of a Task, only the result can be changed.
  const isResult = frame.type === "Task" && name === "result" && origin === undefined && expression === undefined && data === undefined;
  const below: Origin | undefined = isResult
    ? { target: "result", path: [], whole: value }
    : origin && { ...origin, path: [...origin.path, ...(isScalar(origin) ? [] : [name])] };
  return {
    ...member,
    ...(below && { origin: below }),
    ...(expression !== undefined && { expression: expression + stepText(name, "jsonata") }),
    ...(data !== undefined && { data: data + stepText(name, "jsonpath") }),
  };
}

/** Returns whether the whole value has no members, so that its only member stands for it. */
function isScalar({ whole, path }: Origin): boolean {
  return path.length === 0 && (typeof whole !== "object" || whole === null);
}

function changeOf(origin: Origin, { visit }: StackFrame, value: unknown): Parameters<DebugSession["setValue"]>[0] {
  const { target, name, path, whole } = origin;
  return { target, value: withValue(whole, path, value), visit, ...(name !== undefined && { name }) };
}

/** Parses a text that the user has typed: JSON, or else an expression that is evaluated. */
export function valueOfText(text: string, evaluate: (expression: string) => unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return evaluate(text);
  }
}

/** Converts the error of a change to a message for the user. */
export function refusedChange(error: unknown): unknown {
  return codeOf(error) === "NOT_SETTABLE" ? new Refused(messageOf(error)) : error;
}
