// Visits a state in the analysis: what it reads of its input, and what it passes on.

import type { ExpressionPart } from "../../core/api/index.d.ts";
import { type JsonObject, type JsonValue, isObject } from "../../core/base/json.ts";
import type { Catcher, ChoiceRule, QueryLanguage, Scope, StateFields } from "../../core/definition/fields.ts";
import { STATE_FIELDS, pathField } from "../../core/definition/field-table.ts";
import { jsonataIn, pathStart } from "../../core/definition/expression-parts.ts";
import { syntaxOf } from "../../core/definition/expression-syntax.ts";
import { type Resource, parseResource } from "../../core/tasks/resource.ts";
import { callValue } from "./intrinsics.ts";
import { type Place, comparisons, expressionValue } from "./jsonata.ts";
import { type Step, type Value, UNKNOWN, array, elementOf, hint, join, listOf, literal, object, read, tuple, type, use } from "./shape.ts";
import { type Ranks, avoidingValue, leadingValue, ranks } from "./transitions.ts";

const STRING = type("string");
const NUMBER = type("number");
const EMPTY = object(new Map());
const ERROR_OUTPUT = object(
  new Map([
    ["Error", STRING],
    ["Cause", STRING],
  ]),
);

/** The target of a task: its Resource, and the `FunctionName` of its parameters. */
export type TaskResource = Resource & { arn: string; function: unknown };

/** The surroundings of a state. */
export interface StateContext {
  /** The states of the same scope. */
  states: Scope["States"];
  language: QueryLanguage;
  /** The machine's own language, which states inside of a Parallel or Map have by default. */
  machine: QueryLanguage;
  /** Whether every execution visits the state. */
  certain: boolean;
  /** The item of the surrounding Map. */
  item: Value;
}

/** What a state uses of its machine. */
export interface MachineFlow {
  /** The machine's input. */
  readonly whole: Value;
  /** Returns the outputs at the ends of the states inside of a Parallel or Map. */
  scope(scope: Scope | undefined, input: Value, around: StateContext, depth: number): Value;
  variable(name: string): Value;
  assign(name: string, value: Value): void;
  /** Returns the result of a task, which collects what is read of it. */
  task(name: string, resource: TaskResource, input: Value): Value;
}

/** A next state, and its input. */
type Transition = readonly [next: string, value: Value];

/** The outcome of a state: its output, its transitions, and whether it ends the scope. */
interface Outcome {
  output: Value;
  ways: Transition[];
  ended: boolean;
}

/** The variables of a JSONata expression in addition to the state's input. */
interface States {
  result?: Value;
  errorOutput?: Value;
}

/** Fields of both languages that contain a number or a text, and the fields of JSONPath with the path of such a value. */
const SCALARS = Object.entries(STATE_FIELDS).flatMap(([name, { type }]) => {
  const path = pathField(STATE_FIELDS, name);
  return path === undefined
    ? []
    : [{ name, path, wanted: type === "integer" || type === "number" ? ("number" as const) : ("string" as const) }];
});

/** Visits a state. Its fields may be any JSON. */
export function visit(flow: MachineFlow, name: string, state: StateFields, input: Value, env: StateContext, depth: number): Outcome {
  return new Visit(flow, name, state, input, env, depth).run();
}

class Visit {
  #flow: MachineFlow;
  #name: string;
  #state: StateFields;
  #env: StateContext;
  #depth: number;
  #isJsonata: boolean;
  /** The raw input of the state. */
  #raw: Value;
  /** The input after InputPath. */
  #effective: Value;

  constructor(flow: MachineFlow, name: string, state: StateFields, input: Value, env: StateContext, depth: number) {
    this.#flow = flow;
    this.#name = name;
    this.#state = state;
    this.#env = env;
    this.#depth = depth;
    this.#isJsonata = env.language === "JSONata";
    this.#raw = input;
    this.#effective = input;
    if (!this.#isJsonata) this.#effective = this.#pathOrEmpty(state.InputPath, input);
  }

  run(): Outcome {
    const state = this.#state;
    this.#scalars();
    if (state.Type === "Choice") return this.#choice();
    if (state.Type === "Fail") return { output: UNKNOWN, ways: [], ended: false };
    const output = this.#output();
    const ways = objectsIn<Catcher>(state.Catch).flatMap((catcher) => transitionTo(catcher.Next, this.#caught(catcher)));
    ways.push(...transitionTo(state.Next, output));
    return { output, ways, ended: state.End === true || state.Type === "Succeed" };
  }

  #output(): Value {
    switch (this.#state.Type) {
      case "Pass":
        return this.#pass();
      case "Task":
        return this.#task();
      case "Parallel":
        return this.#parallel();
      case "Map":
        return this.#map();
      default:
        return this.#through();
    }
  }

  /** Notes the types of the fields that contain numbers or texts. */
  #scalars(): void {
    const fields = this.#state as unknown as JsonObject;
    for (const { name, path, wanted } of SCALARS) {
      const text = fields[path];
      if (typeof text === "string" && text.startsWith("$")) use(this.#path(text, this.#effective), wanted);
      const code = this.#isJsonata ? jsonataIn(fields[name]) : undefined;
      if (code !== undefined) use(this.#expression(code, {}), wanted);
    }
  }

  #pass(): Value {
    const { Result, Parameters, Output } = this.#state;
    if (this.#isJsonata) {
      this.#assign(this.#raw, {});
      return Output === undefined ? this.#raw : this.#value(Output, {});
    }
    const result = Result === undefined ? this.#given(Parameters) : literal(Result);
    this.#assign(result, {});
    return this.#out(result);
  }

  #through(): Value {
    const { OutputPath, Output } = this.#state;
    this.#assign(this.#effective, {});
    if (this.#isJsonata) return Output === undefined ? this.#raw : this.#value(Output, {});
    return this.#pathOrEmpty(OutputPath, this.#effective);
  }

  #task(): Value {
    const { Resource, Parameters, Arguments } = this.#state;
    const arn = String(Resource);
    const parameters = Parameters ?? Arguments;
    const called = isObject(parameters) ? parameters.FunctionName : undefined;
    return this.#result(this.#flow.task(this.#name, { ...parseResource(arn), arn, function: called }, this.#arguments()));
  }

  #parallel(): Value {
    const input = this.#arguments();
    const { Branches } = this.#state;
    return this.#result(tuple((Array.isArray(Branches) ? Branches : []).map((branch) => this.#inner(branch, input))));
  }

  /** Returns the arguments of a Task or a Parallel. */
  #arguments(): Value {
    const { Parameters, Arguments } = this.#state;
    if (!this.#isJsonata) return this.#given(Parameters);
    return Arguments === undefined ? this.#raw : this.#value(Arguments, {});
  }

  /** Returns the result of Parameters. */
  #given(parameters: JsonValue | undefined): Value {
    return parameters === undefined ? this.#effective : this.#template(parameters, this.#effective);
  }

  #map(): Value {
    const { ItemBatcher, ItemProcessor, Iterator, ResultWriter } = this.#state;
    const item = elementOf(this.#items());
    // The states inside, and the selector, can refer to the item by the Context Object.
    this.#env = { ...this.#env, item };
    const output = this.#inner(ItemProcessor ?? Iterator, ItemBatcher === undefined ? this.#selected(item) : UNKNOWN);
    return this.#result(ResultWriter === undefined ? array(output) : UNKNOWN);
  }

  /** Returns the input of an iteration. */
  #selected(item: Value): Value {
    const { ItemSelector, Parameters } = this.#state;
    const selector = ItemSelector ?? Parameters;
    if (selector === undefined) return item;
    return this.#isJsonata ? this.#value(selector, {}) : this.#template(selector, this.#effective);
  }

  #items(): Value {
    const { ItemsPath, Items, ItemReader } = this.#state;
    if (ItemReader !== undefined) return UNKNOWN;
    const items = !this.#isJsonata
      ? this.#path(ItemsPath ?? "$", this.#effective)
      : Items === undefined
        ? this.#raw
        : this.#value(Items, {});
    use(items, "list");
    return items;
  }

  /** Returns the output of the states inside. They use the machine's own language. */
  #inner(scope: Scope | undefined, input: Value): Value {
    return this.#flow.scope(scope, input, { ...this.#env, language: this.#env.machine }, this.#depth + 1);
  }

  #choice(): Outcome {
    const { Choices, Default, Output } = this.#state;
    const rank = ranks(this.#env.states, this.#name, Default);
    this.#assign(this.#effective, {});
    const ways = objectsIn<ChoiceRule>(Choices).flatMap((rule, i) => {
      const ranked = rank(rule.Next);
      return transitionTo(rule.Next, this.#isJsonata ? this.#condition(rule, ranked) : this.#ruled(rule, i === 0, ranked));
    });
    if (typeof Default === "string") ways.push([Default, Output === undefined ? this.#through() : this.#value(Output, {})]);
    return { output: UNKNOWN, ways, ended: false };
  }

  /** Returns what a rule in JSONata passes on. */
  #condition({ Condition, Assign, Output }: ChoiceRule, rank: Ranks): Value {
    const code = jsonataIn(Condition);
    if (code !== undefined) {
      this.#expression(code, {});
      for (const [place, operator, value] of comparisons(code)) this.#lead(this.#jsonataPlace(place, false, {}), operator, value, rank);
    }
    this.#assign(this.#raw, {}, Assign);
    return Output === undefined ? this.#raw : this.#value(Output, {});
  }

  /** Returns what a rule in JSONPath passes on. */
  #ruled(rule: ChoiceRule, isFirst: boolean, rank: Ranks): Value {
    this.#rule(rule, isFirst, rank);
    this.#assign(this.#effective, {}, rule.Assign);
    return this.#through();
  }

  /** Notes an example with which the Choice leads on: one that takes this rule, or one that avoids a rule that does not lead on. */
  #lead(value: Value, operator: string, compared: JsonValue, [rank, other]: Ranks): void {
    const found = rank >= other ? leadingValue(operator, compared) : avoidingValue(operator, compared);
    if (found !== undefined) hint(value, found, Math.max(rank, other));
  }

  #rule(rule: ChoiceRule, isFirst: boolean, rank: Ranks, depth = 0): void {
    if (depth > 32) return;
    for (const inner of [...objectsIn<ChoiceRule>(rule.And), ...objectsIn<ChoiceRule>(rule.Or)]) this.#rule(inner, false, rank, depth + 1);
    if (isObject(rule.Not)) this.#rule(rule.Not, false, [rank[1], rank[0]], depth + 1);
    if (typeof rule.Variable !== "string") return;
    // A test for presence means that the value may be absent.
    const isTested = Object.hasOwn(rule, "IsPresent");
    const value = this.#path(rule.Variable, this.#effective, isFirst && this.#env.certain && !isTested);
    for (const [operator, compared] of Object.entries(rule as JsonObject)) this.#comparison(value, operator, compared, rank);
  }

  #comparison(value: Value, operator: string, compared: JsonValue, rank: Ranks): void {
    const family = /^(String|Numeric|Boolean|Timestamp)(Equals|Less|Greater|Matches)/.exec(operator)?.[1];
    if (family === undefined) return;
    const wanted = family === "Numeric" ? "number" : family === "Boolean" ? "boolean" : "string";
    use(value, wanted);
    if (operator.endsWith("Path")) use(this.#path(compared, this.#effective, false), wanted);
    else this.#lead(value, operator, compared, rank);
  }

  #caught({ ResultPath, Assign, Output }: Catcher): Value {
    this.#assign(ERROR_OUTPUT, { errorOutput: ERROR_OUTPUT }, Assign);
    if (this.#isJsonata) return Output === undefined ? ERROR_OUTPUT : this.#value(Output, { errorOutput: ERROR_OUTPUT });
    return this.#written(ResultPath, ERROR_OUTPUT);
  }

  /** Applies ResultSelector, ResultPath and OutputPath, or Output. */
  #result(result: Value): Value {
    const { ResultSelector, Output } = this.#state;
    this.#assign(result, { result });
    if (this.#isJsonata) return Output === undefined ? result : this.#value(Output, { result });
    return this.#out(ResultSelector === undefined ? result : this.#template(ResultSelector, result));
  }

  #out(result: Value): Value {
    const { ResultPath, OutputPath } = this.#state;
    return this.#pathOrEmpty(OutputPath, this.#written(ResultPath, result));
  }

  /** Returns the raw input with a value at a ResultPath. */
  #written(path: string | null | undefined, value: Value): Value {
    if (path === undefined || path === "$") return value;
    if (path === null) return this.#raw;
    const steps = placeOf(path)?.steps;
    if (steps === undefined || !steps.every(isName)) return UNKNOWN;
    return this.#raw.kind === "either"
      ? this.#raw.of.map((raw) => withMember(raw, steps, value)).reduce(join)
      : withMember(this.#raw, steps, value);
  }

  #assign(root: Value, more: States, fields = this.#state.Assign): void {
    if (!isObject(fields)) return;
    if (this.#isJsonata) {
      for (const [name, value] of Object.entries(fields)) this.#flow.assign(name, this.#value(value, more));
      return;
    }
    for (const [name, value] of this.#members(fields, root)) this.#flow.assign(name, value);
  }

  #template(value: JsonValue, root: Value): Value {
    if (Array.isArray(value)) return listOf(value.map((item) => this.#template(item, root)));
    return isObject(value) ? object(this.#members(value, root)) : literal(value);
  }

  #members(template: JsonObject, root: Value): Map<string, Value> {
    return new Map(
      Object.entries(template).map(([name, item]) =>
        name.endsWith(".$") ? [name.slice(0, -2), this.#computed(item, root)] : [name, this.#template(item, root)],
      ),
    );
  }

  /** Returns the value of a path, or of a call of an intrinsic function. */
  #computed(text: JsonValue, root: Value): Value {
    if (typeof text !== "string") return UNKNOWN;
    return text.startsWith("$") ? this.#path(text, root) : callValue(text, (path) => this.#at(placeIn(path), root));
  }

  #pathOrEmpty(path: string | null | undefined, root: Value): Value {
    return path === null ? EMPTY : this.#path(path ?? "$", root);
  }

  #path(text: JsonValue, root: Value, required = this.#env.certain): Value {
    return this.#at(placeOf(text), root, required);
  }

  #at(place: { start: string; steps: Step[] } | undefined, root: Value, required = this.#env.certain): Value {
    if (place === undefined) return UNKNOWN;
    const { start, steps } = place;
    if (start === "$") return read(root, steps, required);
    if (start === "$$") return this.#context(steps);
    return read(this.#flow.variable(start.slice(1)), steps, required);
  }

  #context(steps: readonly Step[]): Value {
    const path = steps.map((step) => (typeof step === "string" ? step : "[]")).join(".");
    if (path === "Execution.Input" || path.startsWith("Execution.Input.")) return read(this.#flow.whole, steps.slice(2), this.#env.certain);
    if (path === "Map.Item.Value" || path.startsWith("Map.Item.Value.")) return read(this.#env.item, steps.slice(3), this.#env.certain);
    if (/^(Map\.Item\.Index|State\.RetryCount|Execution\.RedriveCount)$/.test(path)) return NUMBER;
    if (
      /^(Execution\.(Id|Name|RoleArn|StartTime|RedriveTime)|State\.(Name|EnteredTime)|StateMachine\.(Id|Name)|Task\.Token|Map\.Item\.(Key|Source))$/.test(
        path,
      )
    )
      return STRING;
    return UNKNOWN;
  }

  /** Returns the value of a field in JSONata: JSON that contains expressions. */
  #value(value: JsonValue, more: States): Value {
    const code = jsonataIn(value);
    if (code !== undefined) return this.#expression(code, more);
    if (Array.isArray(value)) return listOf(value.map((item) => this.#value(item, more)));
    if (isObject(value)) return object(new Map(Object.entries(value).map(([name, item]) => [name, this.#value(item, more)])));
    return literal(value);
  }

  #expression(code: string, more: States): Value {
    return expressionValue(code, (place, required) => this.#jsonataPlace(place, required, more), this.#env.certain);
  }

  #jsonataPlace({ variable, steps }: Place, required: boolean, { result = UNKNOWN, errorOutput = UNKNOWN }: States): Value {
    if (variable !== "states") return read(this.#flow.variable(variable), steps, required);
    const [root, ...within] = steps;
    switch (root) {
      case "context":
        return this.#context(within);
      case "input":
        return read(this.#raw, within, required);
      case "result":
        return read(result, within, required);
      case "errorOutput":
        return read(errorOutput, within, required);
      default:
        return UNKNOWN;
    }
  }
}

/** Returns the elements of a list that are objects. In a valid definition, all are. */
function objectsIn<Element extends object>(list: readonly Element[] | undefined): Element[] {
  return Array.isArray(list) ? list.filter((element: Element) => isObject(element)) : [];
}

function isName(step: Step): step is string {
  return typeof step === "string";
}

/** Returns the transition to a state. Empty if the state's name is missing. */
function transitionTo(next: string | undefined, value: Value): Transition[] {
  return typeof next === "string" ? [[next, value]] : [];
}

/** Returns the start and the steps of a path to exactly one value. Undefined for any other. */
function placeOf(path: unknown): { start: string; steps: Step[] } | undefined {
  const part = typeof path === "string" && path.startsWith("$") ? syntaxOf(path, "jsonpath") : undefined;
  return part === undefined || "message" in part ? undefined : placeIn(part);
}

function placeIn(part: ExpressionPart): { start: string; steps: Step[] } | undefined {
  const found = pathStart(part);
  return found?.rest.length === 0 ? found : undefined;
}

/** Returns a value with another one as a member, at a path of names. */
function withMember(base: Value, [name, ...rest]: readonly string[], value: Value): Value {
  if (name === undefined) return value;
  const known = base.kind === "object" ? base.members.get(name) : undefined;
  const inner = withMember(known ?? UNKNOWN, rest, value);
  // A member that is assigned again, as in a loop, does not nest. Otherwise the value would grow with every round.
  if (base.kind === "object" && known !== undefined) return object(new Map([...base.members, [name, inner]]), base.rest);
  return object(new Map([[name, inner]]), base);
}
