// The states of a definition and their fields, by the lines where they are written.

import type { DebugProgram } from "../api/dap.d.ts";
import type { Range } from "../api/index.d.ts";
import { isObject } from "../base/json.ts";
import { pointerTo } from "../base/pointer.ts";

/** States in states go no deeper. */
const DEPTH = 32;
/** Fields whose items are places of their own: rules, retriers and catchers. */
const LISTS = new Set(["Choices", "Retry", "Catch"]);

/** A state, a field of it, or a rule, retrier or catcher. */
export interface Place {
  state: string;
  /** The field; absent for the state as a whole. */
  field?: string;
  /** The number of the rule, retrier or catcher, from 0. */
  index?: number;
  pointer: string;
  range: Range;
}

/** A state, as the definition has it. */
export interface StatePlace extends Place {
  type: string;
  language: "JSONata" | "JSONPath";
  fields: Record<string, unknown>;
}

export class Places {
  readonly program: DebugProgram;
  /** All states by their names, which are unique in a machine. */
  readonly states = new Map<string, StatePlace>();
  readonly startAt: string | undefined;
  readonly language: "JSONata" | "JSONPath";
  #all: Place[] | undefined;
  #whole: Range;

  constructor(program: DebugProgram) {
    this.program = program;
    const definition: unknown = JSON.parse(program.definition);
    this.startAt = isObject(definition) && typeof definition.StartAt === "string" ? definition.StartAt : undefined;
    this.language = languageOf(definition, "JSONPath");
    this.#whole = program.range("");
    this.#scope(definition, "", "JSONPath", 0);
  }

  #scope(scope: unknown, pointer: string, around: Places["language"], depth: number): void {
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

  /** All places, those of a state after the state. */
  get all(): Place[] {
    return (this.#all ??= [...this.states.values()].flatMap((state) => [state, ...this.#fieldsOf(state)]));
  }

  #fieldsOf({ state, pointer, fields }: StatePlace): Place[] {
    return Object.entries(fields).flatMap(([field, value]) => {
      const at = pointerTo(pointer, field);
      const own: Place = { state, field, pointer: at, range: this.program.range(at) };
      if (!LISTS.has(field) || !Array.isArray(value)) return [own];
      const items = value.map((_, index): Place => {
        const item = pointerTo(at, String(index));
        return { state, field, index, pointer: item, range: this.program.range(item) };
      });
      return [own, ...items];
    });
  }

  /** The place of a field of a state, of an item of it, or else of the state. */
  of(state: string, field?: string, index?: number): Place | undefined {
    const whole = this.states.get(state);
    if (whole === undefined || field === undefined || !(field in whole.fields)) return whole;
    const own = this.#fieldsOf(whole).filter((one) => one.field === field);
    return own.find((one) => one.index === index) ?? own[0];
  }

  /** Whether a line is one of the definition. */
  has(line: number): boolean {
    return this.#whole.start.line <= line && line <= this.#whole.end.line;
  }

  /**
   * What stands at a line: the state that begins there, or the innermost state, field or item around it; with a column the innermost
   * there. Lines of the machine itself, such as StartAt, belong to its first state.
   */
  at(line: number, column?: number): Place | undefined {
    const around = this.all.filter(({ range: { start, end } }) => start.line <= line && line <= end.line);
    if (column !== undefined) {
      const inside = around.filter(({ range: { start, end } }) => isBefore(start, { line, column }) && isBefore({ line, column }, end));
      if (inside.length > 0) return inside.at(-1);
    }
    const first = around.find(({ field, range }) => field === undefined && range.start.line === line);
    if (first !== undefined) return first;
    const innermost = around.reduce<Place | undefined>((best, one) => (best === undefined || isInside(one, best) ? one : best), undefined);
    if (innermost !== undefined) return innermost;
    return this.has(line) && this.startAt !== undefined ? this.states.get(this.startAt) : undefined;
  }
}

function languageOf(scope: unknown, around: Places["language"]): Places["language"] {
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

/** Whether a place begins later than another one, or where it begins and ends earlier. */
function isInside({ range: { start, end } }: Place, { range }: Place): boolean {
  return start.offset > range.start.offset || (start.offset === range.start.offset && end.offset <= range.end.offset);
}
