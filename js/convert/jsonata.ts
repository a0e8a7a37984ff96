// @ts-nocheck: has no types yet.
// A machine's states from JSONPath to JSONata, one by one.

import { pointerTo } from "../base/pointer.ts";
import { condition } from "./choice.ts";
import { computed, constant, path, split, template } from "./expressions.ts";
import { CONFLICT, Code, Constant, Emitter, Put, Unmechanical, besides, need, typeIs } from "./parts.ts";

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
  const { object: machine } = scope(definition, "", definition.QueryLanguage ?? "JSONPath", work, 0);
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

/** `{object, fatal, soft}`: with its states converted, and how what was converted in it can fail. */
function scope(object, pointer, language, work, depth, around) {
  const found = { object, fatal: false, soft: false };
  if (depth > 32 || typeof object?.States !== "object" || object.States === null) return found;
  const states = Object.entries(object.States).map(([name, state]) => {
    const { fields, fatal, soft } = convertState(name, state, pointerTo(pointer, "States", name), language, work, depth, around);
    found.fatal ||= fatal;
    found.soft ||= soft;
    return [name, fields];
  });
  return { ...found, object: { ...object, States: Object.fromEntries(states) } };
}

/** `around` is the reason for which states in here must not fail in another way: a handler that stays as it is. */
function convertState(name, state, pointer, language, work, depth, around) {
  const stays = (state.QueryLanguage ?? language) === "JSONata" || (work.only !== undefined && work.only !== name);
  const place = { field: "" };
  let converter;
  let fields;
  let reason;
  try {
    if (!stays) {
      converter = new StateConverter(state, place);
      fields = converter.convert();
      if (converter.failsAnew && around !== undefined) throw new Unmechanical(around);
    }
  } catch (error) {
    if (!(error instanceof Unmechanical)) throw error;
    reason = error.message;
    converter = undefined;
  }
  if (reason !== undefined) work.left.push({ state: name, pointer: place.field === "" ? pointer : `${pointer}/${place.field}`, reason });
  // Executions of their own fail by themselves.
  const separate = (state.ItemProcessor ?? state.Iterator)?.ProcessorConfig?.Mode === "DISTRIBUTED";
  const handler = converter === undefined ? handling(name, state) : undefined;
  const inside = { fatal: false, soft: false };
  const inner = (object, at) => {
    const found = scope(object, `${pointer}/${at}`, language, work, depth + 1, separate ? undefined : (handler ?? around));
    inside.fatal ||= found.fatal;
    inside.soft ||= found.soft;
    return found.object;
  };
  const branches = Array.isArray(state.Branches) ? { Branches: state.Branches.map((branch, i) => inner(branch, `Branches/${i}`)) } : {};
  const processors = Object.fromEntries(["ItemProcessor", "Iterator"].filter((field) => state[field]).map((field) => [field, inner(state[field], field)]));
  if (separate) Object.assign(inside, { fatal: false, soft: false });
  if (converter === undefined) {
    return { fields: { ...state, ...branches, ...processors }, ...inside };
  }
  work.converted.push(name);
  if (branches.Branches) fields.Branches = branches.Branches;
  if (fields.ItemProcessor) fields.ItemProcessor = processors.ItemProcessor ?? processors.Iterator;
  return { fields, ...converter.handle(fields, inside) };
}

/** Fields of a state that mean the same in both languages, in the order in which they are usually written. */
const SHARED = ["Comment", "Resource", "Credentials", "Error", "Cause", "Seconds", "Timestamp", "TimeoutSeconds", "HeartbeatSeconds", "Label", "MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage", "Branches"];
const COMPUTED = ["ErrorPath", "CausePath", "SecondsPath", "TimestampPath", "TimeoutSecondsPath", "HeartbeatSecondsPath", "MaxConcurrencyPath", "ToleratedFailureCountPath", "ToleratedFailurePercentagePath"];

class StateConverter {
  #state;
  /** Where we are, for the reason. */
  #place;
  /** The effective input. */
  #input;
  /** What all of the state's fields ask; then what its catchers ask, whose failures are another handler's. */
  #emitter = new Emitter();
  #late = new Emitter();

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

  #field(field, make, emitter = this.#emitter) {
    return this.#at(field, () => make().field(emitter));
  }

  convert() {
    const state = this.#state;
    const { Type } = state;
    this.#input = this.#at("InputPath", () => (state.InputPath === null ? new Constant({}) : path(state.InputPath ?? "$", new Code(INPUT))));
    const out = { Type };
    if (state.Comment !== undefined) out.Comment = state.Comment;
    out.QueryLanguage = "JSONata";
    const kinds = { Pass: this.#pass, Task: this.#task, Choice: this.#choice, Wait: this.#through, Succeed: this.#through, Fail: () => {}, Parallel: this.#parallel, Map: this.#map };
    if (!Object.hasOwn(kinds, Type ?? "")) throw new Unmechanical(`there is no Type ${Type}`);
    // The items come first: what fails the others is asked later.
    const items = Type === "Map" ? this.#items() : undefined;
    for (const field of SHARED) if (state[field] !== undefined) out[field] = field === "Branches" || field === "Comment" ? state[field] : this.#shared(field, state[field]);
    for (const field of COMPUTED) if (state[field] !== undefined) out[field.slice(0, -4)] = this.#computed(field, state[field]);
    for (const field of ["Retry", "Catch"]) this.#at(field, () => handled(field, state[field]));
    kinds[Type].call(this, out, items);
    this.#at("InputPath", () => this.#isAsked(Type));
    if (state.Retry !== undefined) out.Retry = state.Retry;
    for (const field of ["Next", "Default", "End"]) if (state[field] !== undefined) out[field] = state[field];
    return out;
  }

  /** An InputPath that finds nothing fails the state, whether or not anything uses it. */
  #isAsked(type) {
    if (type === "Fail" || (type === "Pass" && this.#state.Result !== undefined)) return;
    if (this.#input.expression().demands.some(({ text }) => !this.#emitter.knows(text))) throw new Unmechanical("it may find nothing, and nothing that is always computed uses it");
  }

  /** Whether what was converted can fail where the original ends the execution. */
  get failsAnew() {
    return this.#emitter.fatal || this.#late.fatal;
  }

  /**
   * Keeps handlers from what they did not see: when an expression fails, JSONPath ends the execution, and JSONata raises an
   * error that States.ALL takes. `inside` says how the states in it can fail. Returns how the state can fail.
   */
  handle(fields, inside) {
    const fatal = this.#emitter.fatal || inside.fatal;
    const soft = this.#emitter.soft || inside.soft;
    const late = { fatal: this.#late.fatal, soft: this.#late.soft };
    if (fatal && fields.Retry?.some(handlesAll)) {
      const at = fields.Retry.findIndex(handlesAll);
      fields.Retry = [...fields.Retry.slice(0, at), { ErrorEquals: [QUERY], MaxAttempts: 0 }, ...fields.Retry.slice(at)];
    }
    if (fields.Catch?.some(handlesAll)) {
      const at = fields.Catch.findIndex(handlesAll);
      // A catcher that fails is not caught by its neighbours.
      const again = `$error(${ERROR}.Cause)`;
      const { Output, Next } = fields.Catch[at];
      const own = typeof Output === "string" ? Output.replace(/^\{%\s*|\s*%\}$/g, "") : ERROR;
      const raised = soft ? `$contains(${ERROR}.Cause, /${CONFLICT}$/) ? (${own}) : ${again}` : again;
      if (fatal) fields.Catch = [...fields.Catch.slice(0, at), { ErrorEquals: [QUERY], Output: `{% ${raised} %}`, ...(soft && fields.Catch[at].Assign ? { Assign: fields.Catch[at].Assign } : {}), Next }, ...fields.Catch.slice(at)];
      return { fatal: fatal || late.fatal, soft: late.soft };
    }
    return { fatal: fatal || late.fatal, soft: soft || late.soft };
  }

  #computed(field, value) {
    return this.#at(field, () => {
      const found = value.startsWith?.("$") ? path(value, this.#state.Type === "Fail" ? new Code(INPUT) : this.#input).expression() : computed(value, new Code(INPUT)).expression();
      // A time of 0 is refused in JSONPath only.
      if (/^(Timeout|Heartbeat)/.test(field)) return number(found, `${found.code} != 0`).field(this.#emitter);
      if (/^(MaxConcurrency|Tolerated)/.test(field)) return numeric(found, field === "ToleratedFailurePercentagePath").field(this.#emitter);
      const type = /^Seconds/.test(field) ? "number" : "string";
      // The engine asks for the type.
      return new Code(found.code, { ...found, maybe: found.maybe ?? typeIs(found.code, type) }).field(this.#emitter);
    });
  }

  #shared(field, value) {
    if (field === "Credentials" && value?.RoleArn === undefined && value?.["RoleArn.$"] === undefined) this.#at(field, () => {
      throw new Unmechanical("without a RoleArn they are refused in JSONata");
    });
    return field === "Credentials" ? this.#field(field, () => template(value, this.#input)) : this.#at(field, () => constant(value));
  }

  #pass(out) {
    const { Result, Parameters } = this.#state;
    const result =
      Result !== undefined
        ? this.#at("Result", () => new Constant(constant(Result)))
        : Parameters !== undefined
          ? this.#at("Parameters", () => template(Parameters, this.#input))
          : this.#input;
    this.#output(out, result, INPUT, result);
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
    if (Parameters !== undefined) out.Arguments = this.#field("Parameters", () => template(Parameters, this.#input));
    else if (this.#state.InputPath !== undefined || this.#state.Type === "Task") out.Arguments = this.#field("InputPath", () => this.#input);
  }

  /** What a Task, Parallel or Map makes of its result; and what its catchers make of an error, which come before that. */
  #results(out) {
    const { ResultSelector, Catch } = this.#state;
    // Arguments have been computed; what a Map asks of its items may be what failed.
    if (Catch !== undefined && this.#state.Type !== "Map") this.#late = this.#emitter.fork();
    if (Catch !== undefined) out.Catch = this.#at("Catch", () => Catch.map((catcher) => this.#catcher(catcher)));
    const result = ResultSelector === undefined ? new Code(RESULT) : this.#at("ResultSelector", () => template(ResultSelector, new Code(RESULT)));
    this.#output(out, result, RESULT, new Code(RESULT));
  }

  #assign(out, input) {
    const { Assign } = this.#state;
    if (Assign !== undefined) out.Assign = this.#field("Assign", () => template(Assign, input));
  }

  /** ResultPath, then OutputPath; nothing where the outcome is what the state gives by itself. */
  #output(out, result, otherwise, assigned) {
    const { ResultPath, OutputPath } = this.#state;
    this.#assign(out, assigned);
    const merged = this.#at("ResultPath", () => resultPath(result, ResultPath));
    const output = this.#at("OutputPath", () => outputPath(merged, OutputPath));
    if (output.code !== otherwise || output.needs.length > 0) out.Output = this.#field("OutputPath", () => output);
  }

  /** Wait and Succeed: InputPath, then OutputPath. */
  #through(out) {
    this.#assign(out, this.#input);
    const output = this.#at("OutputPath", () => outputPath(this.#input, this.#state.OutputPath));
    if (output.code !== INPUT) out.Output = this.#field("OutputPath", () => output);
  }

  #choice(out) {
    const { Choices, OutputPath, Assign } = this.#state;
    const output = this.#at("OutputPath", () => outputPath(this.#input, OutputPath));
    const own = (emitter) => (output.code === INPUT ? {} : { Output: this.#field("OutputPath", () => output, emitter) });
    let first;
    out.Choices = this.#at("Choices", () =>
      Choices.map((rule) => {
        const converted = rule.Comment === undefined ? {} : { Comment: rule.Comment };
        const { code, yes, no } = condition(rule, this.#input, this.#emitter);
        converted.Condition = `{% ${code} %}`;
        first ??= this.#emitter.fork();
        const taken = this.#emitter.fork();
        for (const text of yes) taken.learn(text);
        for (const text of no) this.#emitter.learn(text);
        if (rule.Assign !== undefined) converted.Assign = template(rule.Assign, this.#input).field(taken);
        Object.assign(converted, own(taken), { Next: rule.Next });
        this.#emitter.join(taken);
        return converted;
      }),
    );
    if (Assign !== undefined) out.Assign = this.#field("Assign", () => template(Assign, this.#input));
    Object.assign(out, own(this.#emitter));
    first.join(this.#emitter);
    this.#emitter = first;
  }

  #items() {
    const { ItemReader, ItemsPath, InputPath } = this.#state;
    if (ItemReader !== undefined || (ItemsPath === undefined && InputPath === undefined)) return undefined;
    return this.#at("ItemsPath", () => listed(path(ItemsPath ?? "$", this.#input).expression(), this.#input.expression()).field(this.#emitter));
  }

  #map(out, items) {
    const { ItemSelector, Parameters, ItemReader, ItemBatcher, ResultWriter, ItemProcessor, Iterator } = this.#state;
    if (ItemReader !== undefined) out.ItemReader = this.#at("ItemReader", () => this.#storage(ItemReader));
    if (items !== undefined) out.Items = items;
    const selector = ItemSelector ?? Parameters;
    // Where there are no items nothing is selected.
    const each = this.#emitter.fork();
    if (selector !== undefined) out.ItemSelector = this.#field(ItemSelector === undefined ? "Parameters" : "ItemSelector", () => template(selector, this.#input), each);
    if (ItemBatcher !== undefined) out.ItemBatcher = this.#at("ItemBatcher", () => this.#batcher(ItemBatcher, each));
    this.#emitter.join(each);
    out.ItemProcessor = ItemProcessor ?? Iterator;
    if (ResultWriter !== undefined) out.ResultWriter = this.#at("ResultWriter", () => this.#storage(ResultWriter));
    this.#results(out);
  }

  /** ItemReader, ResultWriter. */
  #storage({ Parameters, ReaderConfig, ...rest }) {
    const out = { ...rest };
    if (ReaderConfig !== undefined) {
      const { MaxItemsPath, ...config } = ReaderConfig;
      out.ReaderConfig = { ...constant(config), ...(MaxItemsPath === undefined ? {} : { MaxItems: this.#number(MaxItemsPath, this.#emitter) }) };
    }
    if (Parameters !== undefined) out.Arguments = template(Parameters, this.#input).field(this.#emitter);
    return out;
  }

  #batcher({ BatchInput, MaxItemsPerBatchPath, MaxInputBytesPerBatchPath, ...rest }, emitter) {
    const out = { ...rest };
    if (MaxItemsPerBatchPath !== undefined) out.MaxItemsPerBatch = this.#number(MaxItemsPerBatchPath, emitter);
    if (MaxInputBytesPerBatchPath !== undefined) out.MaxInputBytesPerBatch = this.#number(MaxInputBytesPerBatchPath, emitter);
    if (BatchInput !== undefined) out.BatchInput = template(BatchInput, this.#input).field(emitter);
    return out;
  }

  #number(at, emitter) {
    return numeric(path(at, this.#input).expression()).field(emitter);
  }

  #catcher({ ErrorEquals, Next, ResultPath, Assign, ...rest }) {
    const out = { ...rest, ErrorEquals };
    const emitter = this.#late.fork();
    if (Assign !== undefined) out.Assign = template(Assign, new Code(ERROR)).field(emitter);
    const output = resultPath(new Code(ERROR), ResultPath);
    if (output.code !== ERROR) out.Output = output.field(emitter);
    this.#late.join(emitter);
    return { ...out, Next };
  }
}

/** A number that has to hold up to something. */
function number(found, condition) {
  return new Code(found.code, { ...found, needs: [...found.needs, need(typeIs(found.code, "number")), need(condition)] });
}

/** A Map's limits may also be written as texts. */
function numeric(found, fraction = false) {
  const digits = fraction ? "/^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$/" : "/^[+-]?[0-9]+$/";
  const needs = [...found.demands, need(`${typeIs(found.code, "number")} or ${typeIs(found.code, "string")} and $contains($trim(${found.code}), ${digits})`)];
  return new Code(`$number(${found.code})`, { ...found, needs, maybe: undefined, fails: true });
}

/** Items of a Map: what is no list fails it, and where an ItemsPath finds nothing JSONPath raises what ResultPath raises, too. */
function listed(found, input) {
  const own = (text) => !input.demands.some((one) => one.text === text);
  const steps = found.demands.filter(({ text }) => own(text)).map(({ text }) => need(text, true));
  return new Code(found.code, { needs: [...input.demands, ...steps], fails: true });
}

const QUERY = "States.QueryEvaluationError";

/** Whether a retrier or catcher takes any error of an expression in JSONata. */
function handlesAll({ ErrorEquals }) {
  return Array.isArray(ErrorEquals) && ErrorEquals.some((name) => name === "States.ALL" || name === "States.TaskFailed" || name === QUERY);
}

/** Why what fails inside of a state that stays as it is must not raise another error. */
function handling(name, { Retry, Catch }) {
  const takes = (rule) => handlesAll(rule ?? {}) || rule?.ErrorEquals?.some((error) => OWN_ERRORS.includes(error));
  const field = [["Catch", Catch], ["Retry", Retry]].find(([, rules]) => Array.isArray(rules) && rules.some(takes))?.[0];
  return field && `the ${field} of ${JSON.stringify(name)} around it, which stays as it is, would handle its failed expressions`;
}

/** Errors of paths and templates, which have another name in JSONata. */
const OWN_ERRORS = ["States.ParameterPathFailure", "States.ResultPathMatchFailure", "States.ReferencePathConflict", "States.IntrinsicFailure", "States.Runtime"];

/** Refuses what handles an error that only JSONPath raises. */
function handled(field, rules) {
  const named = (Array.isArray(rules) ? rules : []).flatMap((rule) => rule?.ErrorEquals ?? []).find((name) => OWN_ERRORS.includes(name));
  if (named !== undefined) throw new Unmechanical(`its ${field} names ${named}, but expressions in JSONata fail with ${QUERY}`);
}

/** The raw input with a result at a place in it. */
function resultPath(result, at) {
  if (at === undefined || at === "$") return result;
  if (at === null) return besides(new Code(INPUT), [result]);
  const { steps } = split(at);
  if (steps.some((step) => typeof step === "number")) throw new Unmechanical(`${at} is a position in a list`);
  return put(new Code(INPUT), steps, result, false);
}

/** What is there has to be an object; on the way, objects that are not there are made. */
function put(base, [step, ...rest], value, made) {
  const object = typeIs(base.code, "object");
  const needs = [need(made ? `$not($exists(${base.code})) or ${object}` : object, true)];
  return new Put(base, step, rest.length === 0 ? value : put(new Code(base.step(step).code), rest, value, true), needs);
}

function outputPath(value, at) {
  if (at === undefined || at === "$") return value;
  if (at === null) return besides(new Constant({}), [value]);
  const { start, steps } = split(at);
  // The Context Object and variables do not need the value.
  if (start !== "$") return besides(path(at, value), [value]);
  return steps.reduce((inner, step) => inner.step(step), value);
}
