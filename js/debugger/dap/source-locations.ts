// Maps lines of a definition's text to its states and their fields.

import type { DebugProgram } from "../../core/api/dap.d.ts";
import type { Range } from "../../core/api/index.d.ts";
import { isObject } from "../../core/base/json.ts";
import { pointerSteps, pointerTo } from "../../core/base/pointer.ts";

/** Maximum nesting depth of states. */
const DEPTH = 32;
/** Fields whose items have locations of their own: rules, retriers and catchers. */
const LISTS = new Set(["Choices", "Retry", "Catch"]);

/** The location of a state, a field of it, or a rule, retrier or catcher. */
export interface SourceLocation {
  state: string;
  /** The field. Undefined for the state as a whole. */
  field?: string;
  /** The index of the rule, retrier or catcher. */
  index?: number;
  pointer: string;
  range: Range;
}

/** The location of a state, with its fields. */
interface StateLocation extends SourceLocation {
  type: string;
  language: "JSONata" | "JSONPath";
  fields: Record<string, unknown>;
}

export class SourceLocations {
  readonly program: DebugProgram;
  /** All states by name. State names are unique in a machine. */
  readonly states = new Map<string, StateLocation>();
  readonly startAt: string | undefined;
  readonly language: "JSONata" | "JSONPath";
  #all: SourceLocation[] | undefined;
  #whole: Range;

  constructor(program: DebugProgram) {
    this.program = program;
    const definition: unknown = JSON.parse(program.definition);
    this.startAt = isObject(definition) && typeof definition.StartAt === "string" ? definition.StartAt : undefined;
    this.language = languageOf(definition, "JSONPath");
    this.#whole = program.range("");
    this.#scope(definition, "", "JSONPath", 0);
  }

  #scope(scope: unknown, pointer: string, around: SourceLocations["language"], depth: number): void {
    if (!isObject(scope) || !isObject(scope.States) || depth > DEPTH) return;
    const own = languageOf(scope, around);
    for (const [state, fields] of Object.entries(scope.States)) {
      if (!isObject(fields)) continue;
      const at = pointerTo(pointer, "States", state);
      const language = languageOf(fields, own);
      this.states.set(state, { state, pointer: at, range: this.program.range(at), type: String(fields.Type), language, fields });
      if (Array.isArray(fields.Branches))
        fields.Branches.forEach((branch, i) => this.#scope(branch, pointerTo(at, "Branches", String(i)), language, depth + 1));
      for (const key of ["ItemProcessor", "Iterator"]) this.#scope(fields[key], pointerTo(at, key), language, depth + 1);
    }
  }

  /** All locations. Those of a state's fields follow the state. */
  get all(): SourceLocation[] {
    return (this.#all ??= [...this.states.values()].flatMap((state) => [state, ...this.#fieldsOf(state)]));
  }

  #fieldsOf({ state, pointer, fields }: StateLocation): SourceLocation[] {
    return Object.entries(fields).flatMap(([field, value]) => {
      const at = pointerTo(pointer, field);
      const own: SourceLocation = { state, field, pointer: at, range: this.program.range(at) };
      if (!LISTS.has(field) || !Array.isArray(value)) return [own];
      const items = value.map((_, index): SourceLocation => {
        const item = pointerTo(at, String(index));
        return { state, field, index, pointer: item, range: this.program.range(item) };
      });
      return [own, ...items];
    });
  }

  /** Returns the location of an item of a field, or of the field, or else of the state. */
  of(state: string, field?: string, index?: number): SourceLocation | undefined {
    const whole = this.states.get(state);
    if (whole === undefined || field === undefined || !(field in whole.fields)) return whole;
    const own = this.#fieldsOf(whole).filter((one) => one.field === field);
    return own.find((one) => one.index === index) ?? own[0];
  }

  /** Returns the location of a value in a state by its pointer from the state. Without a pointer, returns the state's. */
  within(state: string, pointer: string | undefined): SourceLocation | undefined {
    const whole = this.states.get(state);
    if (whole === undefined || pointer === undefined) return whole;
    const field = pointerSteps(pointer)[0];
    const at = whole.pointer + pointer;
    return { state, ...(field !== undefined && { field }), pointer: at, range: this.program.range(at) };
  }

  /** Returns whether a line is part of the definition. */
  has(line: number): boolean {
    return this.#whole.start.line <= line && line <= this.#whole.end.line;
  }

  /**
   * Returns the location at a line: the state that begins there, or the innermost state, field or item around it. With a column,
   * returns the innermost location there. Lines of the machine itself, such as StartAt, belong to its first state.
   */
  at(line: number, column?: number): SourceLocation | undefined {
    const around = this.all.filter(({ range: { start, end } }) => start.line <= line && line <= end.line);
    if (column !== undefined) {
      const inside = around.filter(({ range: { start, end } }) => isBefore(start, { line, column }) && isBefore({ line, column }, end));
      if (inside.length > 0) return inside.at(-1);
    }
    const first = around.find(({ field, range }) => field === undefined && range.start.line === line);
    if (first !== undefined) return first;
    const innermost = around.reduce<SourceLocation | undefined>(
      (best, one) => (best === undefined || isInside(one, best) ? one : best),
      undefined,
    );
    if (innermost !== undefined) return innermost;
    return this.has(line) && this.startAt !== undefined ? this.states.get(this.startAt) : undefined;
  }
}

function languageOf(scope: unknown, around: SourceLocations["language"]): SourceLocations["language"] {
  const own = isObject(scope) ? scope.QueryLanguage : undefined;
  return own === "JSONata" || own === "JSONPath" ? own : around;
}

interface Position {
  line: number;
  column: number;
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.column <= b.column);
}

/** Returns whether a location begins after another one, or begins with it and ends earlier. */
function isInside({ range: { start, end } }: SourceLocation, { range }: SourceLocation): boolean {
  return start.offset > range.start.offset || (start.offset === range.start.offset && end.offset <= range.end.offset);
}
