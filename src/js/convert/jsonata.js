// A machine's states from JSONPath to JSONata, one by one.

import { condition } from "./choice.js";
import { CONTEXT, Converted, Unmechanical, computed, constant, path, template } from "./expressions.js";

const INPUT = "$states.input";
const RESULT = "$states.result";
const ERROR = "$states.errorOutput";

/**
 * `{definition, converted, left}`: the definition with every state in JSONata that can be, their names, and the others with
 * the reason. Where all can be, the machine itself says `QueryLanguage: "JSONata"`. With `only`, the states of this name alone,
 * and not what is inside of them.
 */
export function toJsonata(definition, only) {
  const work = { converted: [], left: [], only };
  const machine = scope(definition, "", definition.QueryLanguage ?? "JSONPath", work, 0);
  const { converted, left } = work;
  if (left.length > 0 || only !== undefined || definition.QueryLanguage === "JSONata") return { definition: machine, converted, left };
  return { definition: { ...head(definition), QueryLanguage: "JSONata", ...plain(machine, 0) }, converted, left };
}

/** What stands before StartAt. */
function head({ Comment }) {
  return Comment === undefined ? {} : { Comment };
}

/** Without the languages of single states. */
function plain(object, depth) {
  const { QueryLanguage, ...rest } = object;
  if (depth > 33 || typeof rest.States !== "object") return rest;
  const states = Object.entries(rest.States).map(([name, { QueryLanguage: _, ...state }]) => {
    if (Array.isArray(state.Branches)) state.Branches = state.Branches.map((branch) => plain(branch, depth + 1));
    if (state.ItemProcessor) state.ItemProcessor = plain(state.ItemProcessor, depth + 1);
    return [name, state];
  });
  return { ...rest, States: Object.fromEntries(states) };
}

function scope(object, pointer, language, work, depth) {
  if (depth > 32 || typeof object?.States !== "object" || object.States === null) return object;
  const states = Object.entries(object.States).map(([name, state]) => [name, convertState(name, state, `${pointer}/States/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, language, work, depth)]);
  return { ...object, States: Object.fromEntries(states) };
}

function convertState(name, state, pointer, language, work, depth) {
  const inner = { ...state };
  if (Array.isArray(state.Branches)) inner.Branches = state.Branches.map((branch, i) => scope(branch, `${pointer}/Branches/${i}`, language, work, depth + 1));
  for (const field of ["ItemProcessor", "Iterator"]) if (state[field]) inner[field] = scope(state[field], `${pointer}/${field}`, language, work, depth + 1);
  if ((state.QueryLanguage ?? language) === "JSONata" || (work.only !== undefined && work.only !== name)) return inner;
  const place = { field: "" };
  try {
    const converter = new StateConverter(inner, place);
    const fields = converter.convert();
    work.converted.push(name);
    return fields;
  } catch (error) {
    if (!(error instanceof Unmechanical)) throw error;
    work.left.push({ state: name, pointer: place.field === "" ? pointer : `${pointer}/${place.field}`, reason: error.message });
    return inner;
  }
}

/** Fields of a state that mean the same in both languages, in the order in which they are usually written. */
const SHARED = ["Comment", "Resource", "Credentials", "Error", "Cause", "Seconds", "Timestamp", "TimeoutSeconds", "HeartbeatSeconds", "Label", "MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage", "Branches"];
const COMPUTED = ["ErrorPath", "CausePath", "SecondsPath", "TimestampPath", "TimeoutSecondsPath", "HeartbeatSecondsPath", "MaxConcurrencyPath", "ToleratedFailureCountPath", "ToleratedFailurePercentagePath"];

class StateConverter {
  #state;
  /** Where we are, for the reason. */
  #place;
  /** JSONata for the effective input. */
  #input;

  constructor(state, place) {
    this.#state = state;
    this.#place = place;
  }

  #at(field, run) {
    this.#place.field = field;
    const value = run();
    this.#place.field = "";
    return value;
  }

  convert() {
    const state = this.#state;
    const { Type } = state;
    this.#input = this.#at("InputPath", () => (state.InputPath === null ? "{}" : state.InputPath === undefined ? INPUT : path(state.InputPath, INPUT)));
    const out = { Type };
    if (state.Comment !== undefined) out.Comment = state.Comment;
    out.QueryLanguage = "JSONata";
    for (const field of SHARED) if (state[field] !== undefined) out[field] = field === "Branches" || field === "Comment" ? state[field] : this.#at(field, () => this.#shared(field, state[field]));
    for (const field of COMPUTED) if (state[field] !== undefined) out[field.slice(0, -4)] = this.#at(field, () => this.#computed(field, state[field]));
    for (const field of ["Retry", "Catch"]) this.#at(field, () => handled(field, state[field]));
    const kinds = { Pass: this.#pass, Task: this.#task, Choice: this.#choice, Wait: this.#through, Succeed: this.#through, Fail: () => {}, Parallel: this.#parallel, Map: this.#map };
    if (!Object.hasOwn(kinds, Type ?? "")) throw new Unmechanical(`there is no Type ${Type}`);
    kinds[Type].call(this, out);
    if (state.Retry !== undefined) out.Retry = state.Retry;
    if (state.Catch !== undefined) out.Catch = this.#at("Catch", () => state.Catch.map((catcher) => this.#catcher(catcher)));
    for (const field of ["Next", "Default", "End"]) if (state[field] !== undefined) out[field] = state[field];
    return out;
  }

  #computed(field, value) {
    const found = computed(value, this.#state.Type === "Fail" ? INPUT : this.#input);
    // This one field takes numbers in texts, too.
    return field === "MaxConcurrencyPath" ? `{% $number(${found.expression()}) %}` : found.field();
  }

  #shared(field, value) {
    return field === "Credentials" ? template(value, this.#input).field() : constant(value);
  }

  #pass(out) {
    const { Result, Parameters } = this.#state;
    const result =
      Result !== undefined
        ? this.#at("Result", () => Converted.template(constant(Result)))
        : Parameters !== undefined
          ? this.#at("Parameters", () => template(Parameters, this.#input))
          : Converted.code(this.#input);
    this.#assign(out, () => result.expression());
    this.#output(out, result, INPUT);
  }

  #task(out) {
    this.#arguments(out);
    this.#results(out);
  }

  #parallel(out) {
    this.#arguments(out);
    this.#results(out);
  }

  #arguments(out) {
    const { Parameters } = this.#state;
    if (Parameters !== undefined) out.Arguments = this.#at("Parameters", () => template(Parameters, this.#input).field());
    else if (this.#input !== INPUT || this.#state.Type === "Task") out.Arguments = `{% ${this.#input} %}`;
  }

  /** What a Task, Parallel or Map makes of its result. */
  #results(out) {
    const { ResultSelector } = this.#state;
    this.#assign(out, () => RESULT);
    const result = ResultSelector === undefined ? Converted.code(RESULT) : this.#at("ResultSelector", () => template(ResultSelector, RESULT));
    this.#output(out, result, RESULT);
  }

  #assign(out, root) {
    const { Assign } = this.#state;
    if (Assign !== undefined) out.Assign = this.#at("Assign", () => template(Assign, root()).field());
  }

  /** ResultPath, then OutputPath; nothing where the outcome is what the state gives by itself. */
  #output(out, result, otherwise) {
    const { ResultPath, OutputPath } = this.#state;
    const merged = this.#at("ResultPath", () => resultPath(result, ResultPath));
    const output = this.#at("OutputPath", () => outputPath(merged, OutputPath));
    if (output.code !== otherwise) out.Output = output.field();
  }

  /** Wait and Succeed: InputPath, then OutputPath. */
  #through(out) {
    this.#assign(out, () => this.#input);
    const output = this.#at("OutputPath", () => outputPath(Converted.code(this.#input), this.#state.OutputPath));
    if (output.code !== INPUT) out.Output = output.field();
  }

  #choice(out) {
    const output = this.#at("OutputPath", () => outputPath(Converted.code(this.#input), this.#state.OutputPath));
    const own = output.code === INPUT ? {} : { Output: output.field() };
    out.Choices = this.#at("Choices", () =>
      this.#state.Choices.map((rule) => {
        const converted = rule.Comment === undefined ? {} : { Comment: rule.Comment };
        converted.Condition = `{% ${condition(rule, this.#input)} %}`;
        if (rule.Assign !== undefined) converted.Assign = template(rule.Assign, this.#input).field();
        return { ...converted, ...own, Next: rule.Next };
      }),
    );
    this.#assign(out, () => this.#input);
    Object.assign(out, own);
  }

  #map(out) {
    const { ItemsPath, ItemSelector, Parameters, ItemReader, ItemBatcher, ResultWriter, ItemProcessor, Iterator } = this.#state;
    if (ItemReader !== undefined) out.ItemReader = this.#at("ItemReader", () => this.#storage(ItemReader));
    if (ItemReader === undefined && (ItemsPath !== undefined || this.#input !== INPUT)) out.Items = this.#at("ItemsPath", () => `{% ${path(ItemsPath ?? "$", this.#input)} %}`);
    const selector = ItemSelector ?? Parameters;
    if (selector !== undefined) out.ItemSelector = this.#at(ItemSelector === undefined ? "Parameters" : "ItemSelector", () => template(selector, this.#input).field());
    if (ItemBatcher !== undefined) out.ItemBatcher = this.#at("ItemBatcher", () => this.#batcher(ItemBatcher));
    out.ItemProcessor = ItemProcessor ?? Iterator;
    if (ResultWriter !== undefined) out.ResultWriter = this.#at("ResultWriter", () => this.#storage(ResultWriter));
    this.#results(out);
  }

  /** ItemReader, ResultWriter. */
  #storage({ Parameters, ReaderConfig, ...rest }) {
    const out = { ...rest };
    if (ReaderConfig !== undefined) {
      const { MaxItemsPath, ...config } = ReaderConfig;
      out.ReaderConfig = { ...constant(config), ...(MaxItemsPath === undefined ? {} : { MaxItems: `{% ${path(MaxItemsPath, this.#input)} %}` }) };
    }
    if (Parameters !== undefined) out.Arguments = template(Parameters, this.#input).field();
    return out;
  }

  #batcher({ BatchInput, MaxItemsPerBatchPath, MaxInputBytesPerBatchPath, ...rest }) {
    const out = { ...rest };
    if (MaxItemsPerBatchPath !== undefined) out.MaxItemsPerBatch = `{% ${path(MaxItemsPerBatchPath, this.#input)} %}`;
    if (MaxInputBytesPerBatchPath !== undefined) out.MaxInputBytesPerBatch = `{% ${path(MaxInputBytesPerBatchPath, this.#input)} %}`;
    if (BatchInput !== undefined) out.BatchInput = template(BatchInput, this.#input).field();
    return out;
  }

  #catcher({ ErrorEquals, Next, ResultPath, Assign, ...rest }) {
    const out = { ...rest, ErrorEquals };
    if (Assign !== undefined) out.Assign = template(Assign, ERROR).field();
    const output = resultPath(Converted.code(ERROR), ResultPath);
    if (output.code !== ERROR) out.Output = output.field();
    return { ...out, Next };
  }
}

/** Errors of paths and templates, which have another name in JSONata. */
const OWN_ERRORS = ["States.ParameterPathFailure", "States.ResultPathMatchFailure", "States.ReferencePathConflict", "States.IntrinsicFailure", "States.Runtime"];

/** Refuses what handles an error that only JSONPath raises. */
function handled(field, rules) {
  const named = (Array.isArray(rules) ? rules : []).flatMap((rule) => rule?.ErrorEquals ?? []).find((name) => OWN_ERRORS.includes(name));
  if (named !== undefined) throw new Unmechanical(`its ${field} names ${named}, but expressions in JSONata fail with States.QueryEvaluationError`);
}

/** The raw input with a result at a place in it. */
function resultPath(result, at) {
  if (at === undefined || at === "$") return result;
  if (at === null) return Converted.code(INPUT);
  const steps = [];
  let rest = at.slice(1);
  while (rest !== "") {
    const step = /^(?:\.([\p{L}\p{N}_-]+)|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*"((?:[^"\\]|\\.)*)"\s*\])/u.exec(rest);
    if (step === null) throw new Unmechanical(`${at} is a position in a list`);
    steps.push(step[1] ?? (step[2] ?? step[3]).replace(/\\(.)/g, "$1"));
    rest = rest.slice(step[0].length);
  }
  return Converted.code(put(INPUT, steps, result.expression()));
}

function put(object, [step, ...rest], value) {
  const inner = rest.length === 0 ? value : put(path(`$['${step.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`, object), rest, value);
  return `$merge([${object}, {${JSON.stringify(step)}: ${inner}}])`;
}

function outputPath(value, at) {
  if (at === undefined || at === "$") return value;
  if (at === null) return Converted.template({});
  // The Context Object and variables do not need the value.
  return Converted.code(path(at, at.startsWith("$$") ? CONTEXT : /^\$[\p{L}_]/u.test(at) ? "" : value.expression()));
}
