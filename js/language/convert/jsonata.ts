// Converts a machine's states from JSONPath to JSONata, one by one.

import { isObject, listOf, type JsonObject, type JsonValue } from "../../core/base/json.ts";
import { pointerTo } from "../../core/base/pointer.ts";
import { STATE_FIELDS, STATE_TYPES, pathField } from "../../core/definition/field-table.ts";
import { condition } from "./choice.ts";
import { computed, isPlaceholder, path, split, template } from "./expressions.ts";
import { innerNeverNull, inputsNeverNull } from "./nulls.ts";
import {
  CONFLICT,
  Code,
  Constant,
  Emitter,
  Put,
  Unmechanical,
  besides,
  constant,
  need,
  notNull,
  typeIs,
  type Need,
  type Part,
} from "./jsonata-code.ts";

const INPUT = "$states.input";
const RESULT = "$states.result";
const ERROR = "$states.errorOutput";

/** A state that stays in JSONPath, and the reason. */
export interface Left {
  state: string;
  /** The pointer of the field that cannot be converted, or of the state. */
  pointer: string;
  reason: string;
}

/** The result of a conversion. */
export interface Conversion {
  /** The definition, with every state in JSONata that can be converted. */
  definition: JsonObject;
  /** The names of the converted states. */
  converted: string[];
  left: Left[];
}

/** How converted expressions can fail: `fatal` if the original ends the execution, or `soft` with an error that handlers see. */
interface Failures {
  fatal: boolean;
  soft: boolean;
}

/** What is collected during the conversion. */
interface Work {
  converted: string[];
  left: Left[];
  /** The only state to convert. Undefined for all states. */
  only: string | undefined;
}

/** The position of a scope of states. */
interface Place {
  pointer: string;
  /** The query language of states that do not name one. */
  language: JsonValue;
  depth: number;
  /** Why states in this scope must not fail in another way than before: a handler around them is not converted. */
  around: string | undefined;
  /** Whether the input of this state, or of the first state of this scope, can never be null. */
  neverNull: boolean;
}

/**
 * Converts every state that can be converted. If all are converted, the machine itself gets `QueryLanguage: "JSONata"`. With
 * `only`, converts just the states with this name, and not the states inside of them.
 */
export function toJsonata(definition: JsonObject, only?: string): Conversion {
  const work: Work = { converted: [], left: [], only };
  const place: Place = { pointer: "", language: definition.QueryLanguage ?? "JSONPath", depth: 0, around: undefined, neverNull: false };
  const { object: machine } = convertStates(definition, place, work);
  const { converted, left } = work;
  if (left.length > 0 || only !== undefined || definition.QueryLanguage === "JSONata") return { definition: machine, converted, left };
  // The members before StartAt.
  const head: JsonObject = definition.Comment === undefined ? {} : { Comment: definition.Comment };
  return { definition: { ...head, QueryLanguage: "JSONata", ...withoutLanguages(machine, 0) }, converted, left };
}

/** Removes the query languages of single states. */
function withoutLanguages({ QueryLanguage: _, ...rest }: JsonObject, depth: number): JsonObject {
  if (depth > 33 || !isObject(rest.States)) return rest;
  const within = (scope: JsonValue) => (isObject(scope) ? withoutLanguages(scope, depth + 1) : scope);
  const states = Object.entries(rest.States).map(([name, original]): [string, JsonValue] => {
    if (!isObject(original)) return [name, original];
    const { QueryLanguage: own, ...state } = original;
    if (Array.isArray(state.Branches)) state.Branches = state.Branches.map(within);
    if (state.ItemProcessor) state.ItemProcessor = within(state.ItemProcessor);
    return [name, state];
  });
  return { ...rest, States: Object.fromEntries(states) };
}

/** Returns a machine, a branch or an item processor with its states converted. */
function convertStates(object: JsonObject, place: Place, work: Work): { object: JsonObject } & Failures {
  const found = { fatal: false, soft: false };
  if (place.depth > 32 || !isObject(object.States)) return { object, ...found };
  const never = inputsNeverNull(object, place.language, place.neverNull);
  const states = Object.entries(object.States).map(([name, state]): [string, JsonValue] => {
    const pointer = pointerTo(place.pointer, "States", name);
    if (!isObject(state)) {
      work.left.push({ state: name, pointer, reason: isPlaceholder(state) ? "it is a placeholder" : "it is not an object" });
      return [name, state];
    }
    const { fields, fatal, soft } = convertState(name, state, { ...place, pointer, neverNull: never.has(name) }, work);
    found.fatal ||= fatal;
    found.soft ||= soft;
    return [name, fields];
  });
  return { object: { ...object, States: Object.fromEntries(states) }, ...found };
}

function convertState(name: string, state: JsonObject, place: Place, work: Work): { fields: JsonObject } & Failures {
  const { pointer, around } = place;
  const stays = (state.QueryLanguage ?? place.language) === "JSONata" || (work.only !== undefined && work.only !== name);
  const own = stays ? undefined : converted(name, state, place, work);
  // Child executions of a Distributed Map fail by themselves.
  const processor = state.ItemProcessor ?? state.Iterator;
  const config = isObject(processor) ? processor.ProcessorConfig : undefined;
  const separate = isObject(config) && config.Mode === "DISTRIBUTED";
  const handler = own === undefined ? handling(name, state) : undefined;
  const inside = { fatal: false, soft: false };
  const inner = (object: JsonValue, at: string) => {
    if (!isObject(object)) return object;
    const within = {
      ...place,
      pointer: `${pointer}/${at}`,
      depth: place.depth + 1,
      around: separate ? undefined : (handler ?? around),
      neverNull: innerNeverNull(state, place.language, place.neverNull),
    };
    const found = convertStates(object, within, work);
    inside.fatal ||= found.fatal && !separate;
    inside.soft ||= found.soft && !separate;
    return found.object;
  };
  const scopes: JsonObject = {};
  if (Array.isArray(state.Branches)) scopes.Branches = state.Branches.map((branch, i) => inner(branch, `Branches/${i}`));
  if (state.ItemProcessor) scopes.ItemProcessor = inner(state.ItemProcessor, "ItemProcessor");
  if (state.Iterator) scopes.Iterator = inner(state.Iterator, "Iterator");
  if (own === undefined) return { fields: { ...state, ...scopes }, ...inside };
  work.converted.push(name);
  const { fields, converter } = own;
  if (scopes.Branches) fields.Branches = scopes.Branches;
  const items = scopes.ItemProcessor ?? scopes.Iterator;
  if (fields.ItemProcessor && items) fields.ItemProcessor = items;
  return { fields, ...converter.handle(fields, inside) };
}

/** Returns a state's own fields in JSONata. Undefined if they cannot be converted; the reason is reported. */
function converted(
  name: string,
  state: JsonObject,
  { pointer, around, neverNull }: Place,
  work: Work,
): { fields: JsonObject; converter: StateConverter } | undefined {
  const converter = new StateConverter(state, neverNull);
  try {
    const fields = converter.convert();
    if (converter.failsAnew && around !== undefined) throw new Unmechanical(around);
    return { fields, converter };
  } catch (error) {
    if (!(error instanceof Unmechanical)) throw error;
    work.left.push({ state: name, pointer: converter.field === "" ? pointer : `${pointer}/${converter.field}`, reason: error.message });
    return undefined;
  }
}

/** The fields that the converter reads by name. */
const OWN: ReadonlySet<string> = new Set([
  "Type",
  "QueryLanguage",
  "InputPath",
  "OutputPath",
  "Parameters",
  "Result",
  "ResultSelector",
  "ResultPath",
  "Assign",
  "Retry",
  "Catch",
  "Next",
  "End",
  "Choices",
  "Default",
  "ItemProcessor",
  "Iterator",
  "ItemsPath",
  "ItemSelector",
  "ItemReader",
  "ItemBatcher",
  "ResultWriter",
]);
/** The first fields of a converted state, in the order in which they are usually written. The others follow in the core's order. */
const FIRST = ["Comment", "Resource", "Credentials", "Label"];
/** Fields that mean the same in both languages. */
const SHARED = [
  ...FIRST,
  ...Object.keys(STATE_FIELDS).filter((name) => STATE_FIELDS[name]?.language === undefined && !OWN.has(name) && !FIRST.includes(name)),
];
/** Fields with the path of a value, which JSONata computes in the field without `Path`. */
const COMPUTED = SHARED.flatMap((name) => pathField(STATE_FIELDS, name) ?? []);
const KNOWN = new Set([...SHARED, ...COMPUTED, ...OWN]);

class StateConverter {
  #state: JsonObject;
  /** The field that is being converted, or that cannot be converted. */
  field = "";
  /** The effective input. */
  #input: Part = new Code(INPUT);
  /** The conditions of all of the state's fields, then those of its catchers, whose failures another handler gets. */
  #emitter = new Emitter();
  #late = new Emitter();

  constructor(state: JsonObject, neverNull: boolean) {
    this.#state = state;
    const isList = state.Type === "Parallel" || state.Type === "Map";
    for (const emitter of [this.#emitter, this.#late]) {
      if (neverNull) emitter.learn(notNull(INPUT));
      if (isList) emitter.learn(notNull(RESULT));
    }
  }

  #at<Value>(field: string, run: () => Value): Value {
    this.field = field;
    const value = run();
    this.field = "";
    return value;
  }

  #field(field: string, make: () => Part, emitter = this.#emitter): JsonValue {
    return this.#at(field, () => make().field(emitter));
  }

  convert(): JsonObject {
    const state = this.#state;
    const { Type } = state;
    if (Type === undefined || !STATE_TYPES.some((known) => known === Type)) throw new Unmechanical(`there is no Type ${Type}`);
    this.#input = this.#at("InputPath", () =>
      state.InputPath === null ? new Constant({}) : path(state.InputPath ?? "$", new Code(INPUT), "path"),
    );
    const unknown = Object.keys(state).find((field) => !KNOWN.has(field));
    if (unknown !== undefined)
      this.#at(unknown, () => {
        throw new Unmechanical("the conversion does not know this field");
      });
    const out: JsonObject = { Type };
    if (state.Comment !== undefined) out.Comment = state.Comment;
    out.QueryLanguage = "JSONata";
    // The items come first, because the conditions of the other fields are checked after them.
    const items = Type === "Map" ? this.#items() : undefined;
    for (const field of SHARED) {
      const value = state[field];
      if (value !== undefined) out[field] = field === "Branches" || field === "Comment" ? value : this.#shared(field, value);
    }
    for (const field of COMPUTED) {
      const value = state[field];
      if (value !== undefined) out[field.slice(0, -"Path".length)] = this.#computed(field, value);
    }
    for (const field of ["Retry", "Catch"]) this.#at(field, () => handled(field, state[field]));
    this.#own(out, items);
    this.#at("InputPath", () => this.#isAsked(Type));
    for (const field of ["Retry", "Next", "Default", "End"]) {
      const value = state[field];
      if (value !== undefined) out[field] = value;
    }
    return out;
  }

  /** Converts the fields of the state's type. */
  #own(out: JsonObject, items: JsonValue | undefined): void {
    switch (this.#state.Type) {
      case "Pass":
        return this.#pass(out);
      case "Task":
      case "Parallel":
        this.#arguments(out);
        return this.#results(out);
      case "Choice":
        return this.#choice(out);
      case "Wait":
      case "Succeed":
        return this.#through(out);
      case "Map":
        return this.#map(out, items);
    }
  }

  /** Checks that the InputPath is always evaluated. One that finds nothing fails the state, whether or not anything uses it. */
  #isAsked(type: JsonValue): void {
    if (type === "Fail" || (type === "Pass" && this.#state.Result !== undefined)) return;
    if (this.#input.expression().demands.some(({ text }) => !this.#emitter.knows(text)))
      throw new Unmechanical("it may find nothing, and nothing that is always computed uses it");
  }

  /** Whether the converted state can fail where the original ends the execution. */
  get failsAnew(): boolean {
    return this.#emitter.fatal || this.#late.fatal;
  }

  /**
   * Keeps handlers from errors that they did not get before: if an expression fails, JSONPath ends the execution, while JSONata
   * raises an error that States.ALL matches. `inside` says how the states inside can fail. Returns how the state can fail.
   */
  handle(fields: JsonObject, inside: Failures): Failures {
    const fatal = this.#emitter.fatal || inside.fatal;
    const soft = this.#emitter.soft || inside.soft;
    const late = { fatal: this.#late.fatal, soft: this.#late.soft };
    const retriers = listOf(fields.Retry);
    const retrier = retriers.findIndex(handlesAll);
    if (fatal && retrier >= 0)
      fields.Retry = [...retriers.slice(0, retrier), { ErrorEquals: [QUERY], MaxAttempts: 0 }, ...retriers.slice(retrier)];
    const catchers = listOf(fields.Catch);
    const at = catchers.findIndex(handlesAll);
    const catcher = catchers[at];
    if (!isObject(catcher)) return { fatal: fatal || late.fatal, soft: soft || late.soft };
    // An error in a catcher is not caught by the other catchers.
    const again = `$error(${ERROR}.Cause)`;
    const { Output, Next, Assign } = catcher;
    const own = typeof Output === "string" ? Output.replace(/^\{%\s*|\s*%\}$/g, "") : ERROR;
    const raised = soft ? `$contains(${ERROR}.Cause, /${CONFLICT}$/) ? (${own}) : ${again}` : again;
    const first: JsonObject = { ErrorEquals: [QUERY], Output: `{% ${raised} %}` };
    if (soft && Assign) first.Assign = Assign;
    if (Next !== undefined) first.Next = Next;
    if (fatal) fields.Catch = [...catchers.slice(0, at), first, ...catchers.slice(at)];
    return { fatal: fatal || late.fatal, soft: late.soft };
  }

  #computed(field: string, value: JsonValue): JsonValue {
    return this.#at(field, () => {
      const found =
        typeof value === "string" && value.startsWith("$")
          ? path(value, this.#state.Type === "Fail" ? new Code(INPUT) : this.#input).expression()
          : computed(value, new Code(INPUT)).expression();
      // Only JSONPath refuses a time of 0.
      if (/^(Timeout|Heartbeat)/.test(field)) return number(found, `${found.code} != 0`).field(this.#emitter);
      if (/^(MaxConcurrency|Tolerated)/.test(field)) return numeric(found, field === "ToleratedFailurePercentagePath").field(this.#emitter);
      const type = /^Seconds/.test(field) ? "number" : "string";
      // The engine checks the type.
      return new Code(found.code, { ...found, maybe: found.maybe ?? typeIs(found.code, type) }).field(this.#emitter);
    });
  }

  #shared(field: string, value: JsonValue): JsonValue {
    if (field !== "Credentials") return this.#at(field, () => constant(value));
    return this.#field(field, () => {
      if (!isObject(value) || (value.RoleArn === undefined && value["RoleArn.$"] === undefined))
        throw new Unmechanical("without a RoleArn they are refused in JSONata");
      return template(value, this.#input);
    });
  }

  #pass(out: JsonObject): void {
    const { Result, Parameters } = this.#state;
    const result =
      Result !== undefined
        ? this.#at("Result", () => new Constant(constant(Result)))
        : Parameters !== undefined
          ? this.#at("Parameters", () => template(Parameters, this.#input))
          : this.#input;
    this.#output(out, result, INPUT, result);
  }

  #arguments(out: JsonObject): void {
    const { Parameters } = this.#state;
    if (Parameters !== undefined) out.Arguments = this.#field("Parameters", () => template(Parameters, this.#input));
    else if (this.#state.InputPath !== undefined || this.#state.Type === "Task")
      out.Arguments = this.#field("InputPath", () => this.#input);
  }

  /** Converts what a Task, Parallel or Map does with its result, and what its catchers do with an error. The errors come first. */
  #results(out: JsonObject): void {
    const { ResultSelector, Catch } = this.#state;
    // The arguments have been computed before an error occurs. In a Map, the conditions of its items may be what failed.
    if (Catch !== undefined && this.#state.Type !== "Map") this.#late = this.#emitter.fork();
    if (Catch !== undefined) out.Catch = this.#at("Catch", () => objects(Catch).map((catcher) => this.#catcher(catcher)));
    const result =
      ResultSelector === undefined ? new Code(RESULT) : this.#at("ResultSelector", () => template(ResultSelector, new Code(RESULT)));
    this.#output(out, result, RESULT, new Code(RESULT));
  }

  #assign(out: JsonObject, input: Part): void {
    const { Assign } = this.#state;
    if (Assign !== undefined) out.Assign = this.#field("Assign", () => template(Assign, input));
  }

  /** Converts ResultPath, then OutputPath. Adds nothing if the result is what the state returns by default. */
  #output(out: JsonObject, result: Part, otherwise: string, assigned: Part): void {
    const { ResultPath, OutputPath } = this.#state;
    this.#assign(out, assigned);
    const merged = this.#at("ResultPath", () => resultPath(result, ResultPath));
    const output = this.#at("OutputPath", () => outputPath(merged, OutputPath));
    if (!isJust(output, otherwise) || output.needs.length > 0) out.Output = this.#field("OutputPath", () => output);
  }

  /** Converts Wait and Succeed: InputPath, then OutputPath. */
  #through(out: JsonObject): void {
    this.#assign(out, this.#input);
    const output = this.#at("OutputPath", () => outputPath(this.#input, this.#state.OutputPath));
    if (!isJust(output, INPUT)) out.Output = this.#field("OutputPath", () => output);
  }

  #choice(out: JsonObject): void {
    const { Choices, OutputPath, Assign } = this.#state;
    const output = this.#at("OutputPath", () => outputPath(this.#input, OutputPath));
    const own = (emitter: Emitter) => (isJust(output, INPUT) ? {} : { Output: this.#field("OutputPath", () => output, emitter) });
    let first: Emitter | undefined;
    out.Choices = this.#at("Choices", () =>
      objects(Choices).map((rule) => {
        const converted: JsonObject = rule.Comment === undefined ? {} : { Comment: rule.Comment };
        const { code, yes, no } = condition(rule, this.#input, this.#emitter);
        converted.Condition = `{% ${code} %}`;
        first ??= this.#emitter.fork();
        const taken = this.#emitter.fork();
        for (const text of yes) taken.learn(text);
        for (const text of no) this.#emitter.learn(text);
        if (rule.Assign !== undefined) converted.Assign = template(rule.Assign, this.#input).field(taken);
        Object.assign(converted, own(taken), rule.Next === undefined ? {} : { Next: rule.Next });
        this.#emitter.join(taken);
        return converted;
      }),
    );
    if (Assign !== undefined) out.Assign = this.#field("Assign", () => template(Assign, this.#input));
    Object.assign(out, own(this.#emitter));
    if (first === undefined) return;
    first.join(this.#emitter);
    this.#emitter = first;
  }

  #items(): JsonValue | undefined {
    const { ItemReader, ItemsPath, InputPath } = this.#state;
    if (ItemReader !== undefined || (ItemsPath === undefined && InputPath === undefined)) return undefined;
    return this.#at("ItemsPath", () =>
      listed(
        path(ItemsPath ?? "$", this.#input, ItemsPath === undefined || ItemsPath === "$" ? "path" : "reference").expression(),
        this.#input.expression(),
      ).field(this.#emitter),
    );
  }

  #map(out: JsonObject, items: JsonValue | undefined): void {
    const { ItemSelector, Parameters, ItemReader, ItemBatcher, ResultWriter, ItemProcessor, Iterator } = this.#state;
    if (ItemReader !== undefined) out.ItemReader = this.#at("ItemReader", () => this.#storage(object(ItemReader)));
    if (items !== undefined) out.Items = items;
    const selector = ItemSelector ?? Parameters;
    // If there are no items, the selector is never evaluated.
    const each = this.#emitter.fork();
    if (selector !== undefined)
      out.ItemSelector = this.#field(
        ItemSelector === undefined ? "Parameters" : "ItemSelector",
        () => template(selector, this.#input),
        each,
      );
    if (ItemBatcher !== undefined) out.ItemBatcher = this.#at("ItemBatcher", () => this.#batcher(object(ItemBatcher), each));
    this.#emitter.join(each);
    const processor = ItemProcessor ?? Iterator;
    if (processor !== undefined) out.ItemProcessor = processor;
    if (ResultWriter !== undefined) out.ResultWriter = this.#at("ResultWriter", () => this.#storage(object(ResultWriter)));
    this.#results(out);
  }

  /** Converts ItemReader and ResultWriter. */
  #storage({ Parameters, ReaderConfig, ...rest }: JsonObject): JsonObject {
    const out: JsonObject = { ...rest };
    if (ReaderConfig !== undefined) {
      const { MaxItemsPath, ...config } = object(ReaderConfig);
      out.ReaderConfig = {
        ...constant(config),
        ...(MaxItemsPath === undefined ? {} : { MaxItems: this.#number(MaxItemsPath, this.#emitter) }),
      };
    }
    if (Parameters !== undefined) out.Arguments = template(Parameters, this.#input).field(this.#emitter);
    return out;
  }

  #batcher({ BatchInput, MaxItemsPerBatchPath, MaxInputBytesPerBatchPath, ...rest }: JsonObject, emitter: Emitter): JsonObject {
    const out: JsonObject = { ...rest };
    if (MaxItemsPerBatchPath !== undefined) out.MaxItemsPerBatch = this.#number(MaxItemsPerBatchPath, emitter);
    if (MaxInputBytesPerBatchPath !== undefined) out.MaxInputBytesPerBatch = this.#number(MaxInputBytesPerBatchPath, emitter);
    if (BatchInput !== undefined) out.BatchInput = template(BatchInput, this.#input).field(emitter);
    return out;
  }

  #number(at: JsonValue, emitter: Emitter): JsonValue {
    return numeric(path(at, this.#input).expression()).field(emitter);
  }

  #catcher({ ErrorEquals, Next, ResultPath, Assign, ...rest }: JsonObject): JsonObject {
    const out: JsonObject = { ...rest };
    if (ErrorEquals !== undefined) out.ErrorEquals = ErrorEquals;
    const emitter = this.#late.fork();
    if (Assign !== undefined) out.Assign = template(Assign, new Code(ERROR)).field(emitter);
    const output = resultPath(new Code(ERROR), ResultPath);
    if (!isJust(output, ERROR)) out.Output = output.field(emitter);
    this.#late.join(emitter);
    if (Next !== undefined) out.Next = Next;
    return out;
  }
}

/** Returns whether a value is exactly this expression. */
function isJust(value: Part, code: string): value is Code {
  return value instanceof Code && value.code === code;
}

function object(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new Unmechanical("it is not an object");
  return value;
}

function objects(value: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(value) || !value.every((item) => isObject(item))) throw new Unmechanical("it is not a list of objects");
  return value;
}

/** Returns a number that must fulfil a condition. */
function number(found: Code, condition: string): Code {
  return new Code(found.code, { ...found, needs: [...found.needs, need(typeIs(found.code, "number")), need(condition)] });
}

/** Returns a number that may also be written as a string, as in a Map's limits. */
function numeric(found: Code, fraction = false): Code {
  const digits = fraction ? "/^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$/" : "/^[+-]?[0-9]+$/";
  const needs = [
    ...found.demands,
    need(`${typeIs(found.code, "number")} or ${typeIs(found.code, "string")} and $contains($trim(${found.code}), ${digits})`),
  ];
  return new Code(`$number(${found.code})`, { ...found, needs, maybe: undefined, fails: true });
}

/**
 * Returns the items of a Map. A value that is not a list fails the Map. If an ItemsPath finds nothing, JSONPath raises the error
 * that ResultPath raises, too.
 */
function listed(found: Code, input: Code): Code {
  const own = (text: string) => !input.demands.some((one) => one.text === text);
  const steps = found.demands.filter(({ text }) => own(text)).map(({ text }) => need(text, true));
  // What JSONPath raises of a null input ends the execution.
  const isThere = steps.length > 0 && found.code.startsWith(input.code) && input.type === undefined ? [need(notNull(input.code))] : [];
  return new Code(found.code, { needs: [...input.demands, ...isThere, ...steps], fails: true });
}

const QUERY = "States.QueryEvaluationError";

/** Returns the names in ErrorEquals of a retrier or catcher. */
function errorsOf(rule: JsonValue): JsonValue[] {
  return isObject(rule) ? listOf(rule.ErrorEquals) : [];
}

/** Returns whether a retrier or catcher handles every error of an expression in JSONata. */
function handlesAll(rule: JsonValue): boolean {
  return errorsOf(rule).some((name) => name === "States.ALL" || name === "States.TaskFailed" || name === QUERY);
}

/**
 * Returns why the states inside of a state that is not converted must not raise other errors. Undefined if it has no such handler.
 */
function handling(name: string, { Retry, Catch }: JsonObject): string | undefined {
  const takes = (rule: JsonValue) => handlesAll(rule) || errorsOf(rule).some((error) => OWN_ERRORS.has(error));
  const field = listOf(Catch).some(takes) ? "Catch" : listOf(Retry).some(takes) ? "Retry" : undefined;
  return field && `the ${field} of ${JSON.stringify(name)} around it, which stays as it is, would handle its failed expressions`;
}

/** Errors of paths and templates, which have another name in JSONata. */
const OWN_ERRORS = new Set<unknown>([
  "States.ParameterPathFailure",
  "States.ResultPathMatchFailure",
  "States.ReferencePathConflict",
  "States.IntrinsicFailure",
  "States.Runtime",
]);

/** Throws if a handler names an error that only JSONPath raises. */
function handled(field: string, rules: JsonValue | undefined): void {
  const named = listOf(rules)
    .flatMap(errorsOf)
    .find((name) => OWN_ERRORS.has(name));
  if (named !== undefined) throw new Unmechanical(`its ${field} names ${named}, but expressions in JSONata fail with ${QUERY}`);
}

/** Returns the raw input with a result at a path. */
function resultPath(result: Part, at: JsonValue | undefined): Part {
  if (at === undefined || at === "$") return result;
  if (at === null) return besides(new Code(INPUT), [result]);
  const { start, steps } = split(at);
  const [name, ...rest] = steps.filter((step) => typeof step === "string");
  if (rest.length + 1 < steps.length) throw new Unmechanical(`${at} is a position in a list`);
  if (start !== "$" || name === undefined) throw new Unmechanical(`${at} is not a place in the input`);
  return put(new Code(INPUT), name, rest, result, false);
}

/** Sets a member. An existing value on the path must be an object, and a missing one is created. */
function put(base: Code, name: string, [next, ...rest]: string[], value: Part, made: boolean): Put {
  const isThere = typeIs(base.code, "object");
  const needs: Need[] = [need(made ? `$not($exists(${base.code})) or ${isThere}` : isThere, true)];
  return new Put(base, name, next === undefined ? value : put(new Code(base.step(name).code), next, rest, value, true), needs);
}

function outputPath(value: Part, at: JsonValue | undefined): Part {
  if (at === undefined || at === "$") return value;
  if (at === null) return besides(new Constant({}), [value]);
  const { start, steps } = split(at);
  // The Context Object and variables do not depend on the value.
  if (start !== "$") return besides(path(at, value), [value]);
  return steps.reduce<Part>((inner, step) => inner.step(step), value);
}
