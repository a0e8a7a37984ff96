// @ts-nocheck: has no types yet.
// Follows values through a machine: what its states read of the input, what its tasks get, what is read of their results.

import { parseResource } from "../tasks/resource.ts";
import { against, leadingOn, ranks } from "./ways.ts";
import { Shape, UNKNOWN, array, hint, join, key, literal, object, read, reference, suggest, tuple, type, use } from "./shape.ts";

/** Times that a state is looked at before what comes into it counts as unknown. */
const ROUNDS = 8;
const STRING = type("string");
const NUMBER = type("number");

/** `{input, output, tasks}`: the Shape of the input, the output's value, and `{state, resource, input, result}` of each Task. */
export function follow(definition) {
  const machine = new Flow(definition);
  // Variables are known in the second round.
  for (let round = 0; round < 2; round++) machine.round();
  return machine;
}

class Flow {
  input = new Shape();
  output = UNKNOWN;
  tasks = new Map();
  #definition;
  #variables = new Map();

  constructor(definition) {
    this.#definition = definition;
  }

  round() {
    const language = this.#definition.QueryLanguage ?? "JSONPath";
    this.output = this.#scope(this.#definition, reference(this.input), { language, machine: language, certain: true, item: UNKNOWN }, 0);
  }

  /** What comes out at the ends of a `States` object. */
  #scope(scope, input, around, depth) {
    if (depth > 32 || typeof scope?.States !== "object" || scope.States === null) return UNKNOWN;
    const certain = around.certain ? certainStates(scope) : new Set();
    const inputs = new Map([[scope.StartAt, input]]);
    const rounds = new Map();
    const open = [scope.StartAt];
    const ends = [];
    const enter = (name, value) => {
      const before = inputs.get(name);
      const now = before === undefined ? value : join(before, value);
      if (before !== undefined && key(before) === key(now)) return;
      inputs.set(name, (rounds.get(name) ?? 0) >= ROUNDS ? UNKNOWN : now);
      open.push(name);
    };
    while (open.length > 0) {
      const name = open.pop();
      const state = scope.States[name];
      if (typeof state !== "object" || state === null) continue;
      const round = (rounds.get(name) ?? 0) + 1;
      rounds.set(name, round);
      if (round > ROUNDS + 1) continue;
      const env = { ...around, states: scope.States, certain: certain.has(name), language: state.QueryLanguage ?? around.machine };
      const visit = new Visit(this, name, state, inputs.get(name), env, depth);
      const { output, ways, ended } = visit.run();
      if (ended) ends.push([name, output]);
      for (const [to, value] of ways) enter(to, value);
    }
    // A state that was looked at again has its last output.
    const last = [...new Map(ends).values()];
    return last.length === 0 ? UNKNOWN : last.reduce(join);
  }

  inner(scope, input, env, depth) {
    return this.#scope(scope, input, env, depth + 1);
  }

  variable(name) {
    return this.#variables.get(name) ?? UNKNOWN;
  }

  assign(name, value) {
    const before = this.#variables.get(name);
    this.#variables.set(name, before === undefined ? value : join(before, value));
  }

  task(name, resource, input) {
    let task = this.tasks.get(name);
    if (task === undefined) this.tasks.set(name, (task = { state: name, resource, input, result: new Shape() }));
    task.input = input;
    return task;
  }

  get whole() {
    return reference(this.input);
  }
}

/** The states that every execution comes through. */
function certainStates({ StartAt, States }) {
  const found = new Set();
  let name = StartAt;
  while (typeof States[name] === "object" && States[name] !== null && !found.has(name)) {
    found.add(name);
    const { Type, Next, Catch } = States[name];
    if (Type === "Choice" || Catch !== undefined) break;
    name = Next;
  }
  return found;
}

/** One look at one state. */
class Visit {
  constructor(flow, name, state, input, env, depth) {
    Object.assign(this, { flow, name, state, raw: input, env, depth, jsonata: env.language === "JSONata" });
  }

  run() {
    const { state } = this;
    this.effective = this.jsonata ? this.raw : state.InputPath === null ? object(new Map()) : this.path(state.InputPath ?? "$", this.raw);
    this.times();
    const ways = [];
    let output;
    switch (state.Type) {
      case "Choice":
        return this.choice();
      case "Fail":
        return { output: UNKNOWN, ways, ended: false };
      case "Pass":
        output = this.pass();
        break;
      case "Task":
        output = this.task();
        break;
      case "Parallel":
        output = this.parallel();
        break;
      case "Map":
        output = this.map();
        break;
      default:
        output = this.through();
    }
    for (const catcher of Array.isArray(state.Catch) ? state.Catch : []) ways.push([catcher.Next, this.caught(catcher)]);
    if (typeof state.Next === "string") ways.push([state.Next, output]);
    return { output, ways, ended: state.End === true || state.Type === "Succeed" };
  }

  /** Fields that hold numbers or instants by a path. */
  times() {
    for (const [field, wanted] of [["SecondsPath", "number"], ["TimeoutSecondsPath", "number"], ["HeartbeatSecondsPath", "number"], ["MaxConcurrencyPath", "number"], ["TimestampPath", "string"], ["ToleratedFailureCountPath", "number"], ["ToleratedFailurePercentagePath", "number"], ["ErrorPath", "string"], ["CausePath", "string"]]) {
      const text = this.state[field];
      if (typeof text === "string" && text.startsWith("$")) use(this.path(text, this.effective), wanted);
    }
    if (!this.jsonata) return;
    for (const [field, wanted] of [["Seconds", "number"], ["TimeoutSeconds", "number"], ["HeartbeatSeconds", "number"], ["MaxConcurrency", "number"], ["Timestamp", "string"], ["Error", "string"], ["Cause", "string"]]) {
      if (isExpression(this.state[field])) use(this.expression(this.state[field], {}), wanted);
    }
  }

  pass() {
    const { Result, Parameters, Output } = this.state;
    if (this.jsonata) {
      this.assign(this.raw, {});
      return Output === undefined ? this.raw : this.value(Output, {});
    }
    const result = Result !== undefined ? literal(Result) : Parameters !== undefined ? this.template(Parameters, this.effective) : this.effective;
    this.assign(result, {});
    return this.out(result);
  }

  through() {
    const { OutputPath, Output } = this.state;
    this.assign(this.effective, {});
    if (this.jsonata) return Output === undefined ? this.raw : this.value(Output, {});
    return OutputPath === null ? object(new Map()) : this.path(OutputPath ?? "$", this.effective);
  }

  task() {
    const { Resource: arn, Parameters, Arguments } = this.state;
    const input = this.jsonata ? (Arguments === undefined ? this.raw : this.value(Arguments, {})) : Parameters === undefined ? this.effective : this.template(Parameters, this.effective);
    const task = this.flow.task(this.name, { arn: String(arn), ...parseResource(String(arn)), function: (Parameters ?? Arguments)?.FunctionName }, input);
    return this.result(reference(task.result));
  }

  parallel() {
    const { Branches, Parameters, Arguments } = this.state;
    const input = this.jsonata ? (Arguments === undefined ? this.raw : this.value(Arguments, {})) : Parameters === undefined ? this.effective : this.template(Parameters, this.effective);
    return this.result(tuple((Array.isArray(Branches) ? Branches : []).map((branch) => this.flow.inner(branch, input, this.inherited(), this.depth))));
  }

  map() {
    const { ItemsPath, Items, ItemSelector, Parameters, ItemReader, ItemBatcher } = this.state;
    let items = UNKNOWN;
    if (ItemReader === undefined) {
      items = this.jsonata ? (Items === undefined ? this.raw : this.value(Items, {})) : this.path(ItemsPath ?? "$", this.effective);
      use(items, "list");
    }
    const item = read(items, [{ many: true }]);
    const selector = ItemSelector ?? Parameters;
    this.env = { ...this.env, item };
    const each = ItemBatcher !== undefined ? UNKNOWN : selector === undefined ? item : this.jsonata ? this.value(selector, {}) : this.template(selector, this.effective);
    const output = this.flow.inner(this.state.ItemProcessor ?? this.state.Iterator, each, this.inherited(), this.depth);
    return this.result(this.state.ResultWriter === undefined ? array(output) : UNKNOWN);
  }

  /** What states inside of this one have from it; the machine's own language is theirs. */
  inherited() {
    return { ...this.env, language: this.env.machine };
  }

  choice() {
    const { Choices, Default, Output } = this.state;
    const ways = [];
    const output = () => this.through();
    const rank = ranks(this.env.states, this.name, Default);
    this.assign(this.effective, {});
    (Array.isArray(Choices) ? Choices : []).forEach((rule, i) => {
      if (this.jsonata) {
        if (isExpression(rule.Condition)) {
          this.expression(rule.Condition, {});
          for (const [path, operator, value] of comparisons(rule.Condition)) this.lead(this.jsonataPath(path, false, {}), operator, value, rank(rule.Next));
        }
        this.assign(this.raw, {}, rule.Assign);
        ways.push([rule.Next, rule.Output === undefined ? this.raw : this.value(rule.Output, {})]);
      } else {
        this.rule(rule, i === 0, rank(rule.Next));
        this.assign(this.effective, {}, rule.Assign);
        ways.push([rule.Next, output()]);
      }
    });
    if (typeof Default === "string") ways.push([Default, Output === undefined ? output() : this.value(Output, {})]);
    return { output: UNKNOWN, ways, ended: false };
  }

  /** A value leads on that takes the way out, or does not take the way that leads nowhere. */
  lead(value, operator, compared, [rank, other]) {
    const found = rank >= other ? leadingOn(operator, compared) : against(operator, compared);
    if (found !== undefined) hint(value, found, Math.max(rank, other));
  }

  rule(rule, first, rank, depth = 0) {
    if (typeof rule !== "object" || rule === null || depth > 32) return;
    for (const inner of [...(rule.And ?? []), ...(rule.Or ?? [])]) this.rule(inner, false, rank, depth + 1);
    if (rule.Not) this.rule(rule.Not, false, [rank[1], rank[0]], depth + 1);
    if (typeof rule.Variable !== "string") return;
    // A test for presence says that it may be absent.
    const tested = Object.hasOwn(rule, "IsPresent");
    const value = this.path(rule.Variable, this.effective, first && this.env.certain && !tested);
    for (const operator of Object.keys(rule)) {
      const family = /^(String|Numeric|Boolean|Timestamp)(Equals|Less|Greater|Matches)/.exec(operator)?.[1];
      if (family === undefined) continue;
      const wanted = { Numeric: "number", Boolean: "boolean" }[family] ?? "string";
      use(value, wanted);
      if (!operator.endsWith("Path")) this.lead(value, operator, rule[operator], rank);
      if (operator.endsWith("Path")) use(this.path(rule[operator], this.effective, false), wanted);
    }
  }

  caught({ ResultPath, Assign, Output }) {
    const error = object(new Map([["Error", STRING], ["Cause", STRING]]));
    this.assign(error, { errorOutput: error }, Assign);
    if (this.jsonata) return Output === undefined ? error : this.value(Output, { errorOutput: error });
    return this.at(ResultPath, error);
  }

  /** ResultSelector, ResultPath, OutputPath; or Output. */
  result(result) {
    const { ResultSelector, Output } = this.state;
    this.assign(result, { result });
    if (this.jsonata) return Output === undefined ? result : this.value(Output, { result });
    return this.out(ResultSelector === undefined ? result : this.template(ResultSelector, result));
  }

  out(result) {
    const { ResultPath, OutputPath } = this.state;
    const merged = this.at(ResultPath, result);
    return OutputPath === null ? object(new Map()) : this.path(OutputPath ?? "$", merged);
  }

  /** The raw input with a value at a ResultPath. */
  at(path, value) {
    if (path === undefined || path === "$") return value;
    if (path === null) return this.raw;
    const { steps } = parse(path) ?? {};
    if (steps === undefined || steps.some((step) => step.name === undefined)) return UNKNOWN;
    const put = (base, [step, ...rest]) => {
      const inner = () => (rest.length === 0 ? value : put(base.kind === "object" && base.members.has(step.name) ? base.members.get(step.name) : UNKNOWN, rest));
      // Written again, as in a loop, it is the same object: otherwise it would grow with every round.
      if (base.kind === "object" && base.members.has(step.name)) return object(new Map([...base.members, [step.name, inner()]]), base.rest);
      return object(new Map([[step.name, inner()]]), base);
    };
    return this.raw.kind === "either" ? this.raw.of.map((raw) => put(raw, steps)).reduce(join) : put(this.raw, steps);
  }

  assign(root, more, fields = this.state.Assign) {
    if (typeof fields !== "object" || fields === null) return;
    if (this.jsonata) {
      for (const [name, value] of Object.entries(fields)) this.flow.assign(name, this.value(value, more));
      return;
    }
    const { members } = this.template(fields, root);
    for (const [name, value] of members) this.flow.assign(name, value);
  }

  template(value, root) {
    if (Array.isArray(value)) return value.length === 0 ? array(UNKNOWN) : array(value.map((item) => this.template(item, root)).reduce(join));
    if (typeof value === "object" && value !== null) {
      return object(new Map(Object.entries(value).map(([name, item]) => (name.endsWith(".$") ? [name.slice(0, -2), this.computed(item, root)] : [name, this.template(item, root)]))));
    }
    return literal(value);
  }

  /** A path, or an intrinsic call. */
  computed(text, root) {
    if (typeof text !== "string") return UNKNOWN;
    if (text.startsWith("$")) return this.path(text, root);
    const name = /^\s*States\.(\w+)/.exec(text)?.[1];
    // What the arguments are used as.
    const wanted = { StringToJson: "string", ArrayLength: "list", ArrayPartition: "list", ArrayContains: "list", ArrayUnique: "list", Base64Encode: "string", Base64Decode: "string", StringSplit: "string" }[name];
    const paths = [...text.replace(/'(?:[^'\\]|\\.)*'(?![\]])/g, "''").matchAll(/\$[^\s,()]*/g)].map(([path]) => this.path(path, root));
    if (name === "MathAdd") for (const path of paths) use(path, "number");
    else if (wanted !== undefined && paths.length > 0) use(paths[0], wanted);
    return { Format: STRING, JsonToString: STRING, Base64Encode: STRING, Base64Decode: STRING, Hash: STRING, UUID: STRING, MathAdd: NUMBER, MathRandom: NUMBER, ArrayLength: NUMBER, ArrayContains: type("boolean"), StringSplit: array(STRING), ArrayRange: array(NUMBER) }[name] ?? UNKNOWN;
  }

  path(text, root, required = this.env.certain) {
    const parsed = typeof text === "string" ? parse(text) : undefined;
    if (parsed === undefined) return UNKNOWN;
    if (parsed.root === "$") return read(root, parsed.steps, required);
    if (parsed.root === "$$") return this.context(parsed.steps);
    return read(this.flow.variable(parsed.root.slice(1)), parsed.steps, required);
  }

  context(steps) {
    const names = steps.map((step) => step.name ?? "[]");
    const path = names.join(".");
    if (path === "Execution.Input" || path.startsWith("Execution.Input.")) return read(this.flow.whole, steps.slice(2), this.env.certain);
    if (path === "Map.Item.Value" || path.startsWith("Map.Item.Value.")) return read(this.env.item, steps.slice(3), this.env.certain);
    if (/^(Map\.Item\.Index|State\.RetryCount|Execution\.RedriveCount)$/.test(path)) return NUMBER;
    if (/^(Execution\.(Id|Name|RoleArn|StartTime|RedriveTime)|State\.(Name|EnteredTime)|StateMachine\.(Id|Name)|Task\.Token|Map\.Item\.(Key|Source))$/.test(path)) return STRING;
    return UNKNOWN;
  }

  /** A field in JSONata: JSON with expressions in it. */
  value(value, more) {
    if (isExpression(value)) return this.expression(value, more);
    if (Array.isArray(value)) return value.length === 0 ? array(UNKNOWN) : array(value.map((item) => this.value(item, more)).reduce(join));
    if (typeof value === "object" && value !== null) return object(new Map(Object.entries(value).map(([name, item]) => [name, this.value(item, more)])));
    return literal(value);
  }

  jsonataPath(path, required, { result = UNKNOWN, errorOutput = UNKNOWN }) {
    const roots = { input: this.raw, result, errorOutput };
    const [, root, rest] = /^\$states\.(input|result|errorOutput|context)([^]*)$/.exec(path) ?? [];
    if (root === "context") return this.context(jsonataSteps(rest));
    if (root !== undefined) return read(roots[root], jsonataSteps(rest), required);
    const [, name, steps] = /^\$(\w+)([^]*)$/.exec(path);
    return read(this.flow.variable(name), jsonataSteps(steps), required);
  }

  expression(text, more) {
    const code = text.trim().slice(2, -2).trim();
    const at = (path, required) => this.jsonataPath(path, required, more);
    const step = STEP;
    if (new RegExp(`^\\$[A-Za-z_]\\w*${step}*$`).test(code)) return at(code, this.env.certain);
    const built = new Built(code, (path) => at(path, this.env.certain)).value();
    if (built !== undefined) return built;
    // Of anything larger only what it touches is known; JSONata does not mind where that is absent.
    const bare = code.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
    for (const [path] of bare.matchAll(new RegExp(`\\$(?:states\\.(?:input|result|errorOutput|context)|[A-Za-z_]\\w*(?!\\s*[\\w(]|\\s*:=))${step}*`, "g"))) {
      // The last name of a path that is called is a function.
      if (!path.startsWith("$states") && /^\$\w+$/.test(path)) continue;
      at(path, false);
    }
    // What is summed is a list of numbers, what is counted or gone through is a list, what is calculated with is a number.
    for (const [, name, path] of bare.matchAll(new RegExp(`\\$(sum|max|min|average|count|map|filter|reduce|sort|append|reverse|distinct|zip)\\(\\s*(${PLACE})\\s*[,)]`, "g"))) {
      suggest(at(path, false), /^(sum|max|min|average)$/.test(name) ? "numbers" : "list");
    }
    for (const [, before, after] of bare.matchAll(new RegExp(`(${PLACE})\\s*[-+*/%](?!\\])|[-+*/%]\\s*(${PLACE})(?!\\s*\\()`, "g"))) suggest(at(before ?? after, false), "number");
    // What is compared with a number is one.
    for (const [, path] of bare.matchAll(new RegExp(`(\\$states\\.(?:input|result)${step}+|\\$[A-Za-z_]\\w*${step}*)\\s*(?:<=|>=|<|>)\\s*-?\\d`, "g"))) use(at(path, false), "number");
    if (/^\$(string|uuid|join|uppercase|lowercase|trim|substring\w*|replace|hash|now|fromMillis|base64\w+)\s*\([^()]*\)$/.test(bare)) return STRING;
    if (/^\$(count|sum|max|min|average|length|number|floor|ceil|round|abs|millis|toMillis)\s*\([^()]*\)$/.test(bare)) return NUMBER;
    if (/^\$(exists|not|boolean|contains)\s*\([^()]*\)$/.test(bare) || /^[^?:]*\s(=|!=|<|>|<=|>=|in)\s[^?:]*$/.test(bare)) return type("boolean");
    if (/^[^?:{}[\]]*\s&\s[^?:{}[\]]*$/.test(bare)) return STRING;
    return UNKNOWN;
  }
}

/** Expressions that only put things together: paths, literals, objects, `$merge([…])`. */
class Built {
  #text;
  #path;
  #at = 0;

  constructor(text, path) {
    this.#text = text;
    this.#path = path;
  }

  /** The value; undefined for any other expression. Nothing is noted as read then. */
  value() {
    const later = this.#part(0);
    this.#match(/\s*/y);
    return later === undefined || this.#at < this.#text.length ? undefined : later();
  }

  #match(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #part(depth) {
    if (depth > 32) return undefined;
    this.#match(/\s*/y);
    const word = this.#match(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?\d+(?:\.\d+)?)|(true|false|null)\b/y);
    if (word) return () => type(word[1] ? "string" : word[2] ? "number" : word[3] === "null" ? "null" : "boolean");
    const merged = this.#match(/\$merge\(\s*\[/y);
    if (merged) {
      const parts = this.#list(/\s*\]\s*\)/y, () => this.#part(depth + 1));
      return parts && (() => parts.map((part) => part()).reduce((base, over) => (over.kind === "object" ? object(over.members, base) : UNKNOWN)));
    }
    if (this.#match(/\{/y)) {
      const members = this.#list(/\s*\}/y, () => {
        const name = this.#match(/\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*:/y);
        const value = name && this.#part(depth + 1);
        return value && (() => [name[1] ?? name[2], value()]);
      });
      return members && (() => object(new Map(members.map((member) => member()))));
    }
    const path = this.#match(/\$(?!states\.context)[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|`[^`]+`)|\[-?\d+\])*(?!\s*[\w(.[])/y);
    return path ? () => this.#path(path[0]) : undefined;
  }

  #list(end, item) {
    const items = [];
    if (this.#match(end)) return items;
    for (;;) {
      const one = item();
      if (one === undefined) return undefined;
      items.push(one);
      if (this.#match(end)) return items;
      if (!this.#match(/\s*,/y)) return undefined;
    }
  }
}

/** A step of a path in JSONata, and a whole path of what is known. */
const STEP = "(?:\\.(?:[A-Za-z_]\\w*|`[^`]+`)|\\[-?\\d+\\])";
const PLACE = `\\$states\\.(?:input|result)${STEP}+|\\$[A-Za-z_]\\w*${STEP}*(?!\\s*[\\w(])`;

/** `[path, operator, value]` of the comparisons with literals that a condition is made of; a path alone is true. */
function comparisons(condition) {
  const code = condition.trim().slice(2, -2).trim();
  if (new RegExp(`^(?:${PLACE})$`).test(code)) return [[code, "=", true]];
  const found = [...code.matchAll(new RegExp(`(${PLACE})\\s*(!=|<=|>=|=|<|>)\\s*("(?:[^"\\\\]|\\\\.)*"|'[^'\\\\]*'|-?\\d+(?:\\.\\d+)?|true|false)`, "g"))];
  return found.map(([, path, operator, text]) => [path, operator, text.startsWith("'") ? text.slice(1, -1) : JSON.parse(text)]);
}

function isExpression(value) {
  return typeof value === "string" && /^\s*\{%[^]*%\}\s*$/.test(value);
}

function jsonataSteps(text) {
  return [...text.matchAll(/\.(?:([A-Za-z_]\w*)|`([^`]+)`)|\[(-?\d+)\]/g)].map(([, plain, quoted, index]) => (index === undefined ? { name: plain ?? quoted } : { index: Number(index) }));
}

/** `{root, steps}` of a path; undefined where it selects something else than one place. */
function parse(text) {
  const [root] = /^(\$\$|\$[\p{L}_][\p{L}\p{N}_]*|\$)/u.exec(text) ?? [];
  if (root === undefined) return undefined;
  const steps = [];
  let rest = text.slice(root.length);
  while (rest !== "") {
    const step = /^(?:\.([\p{L}\p{N}_-]+)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[(-?\d+)\])/u.exec(rest);
    if (step === null) return undefined;
    steps.push(step[4] === undefined ? { name: step[1] ?? step[2] ?? step[3] } : { index: Number(step[4]) });
    rest = rest.slice(step[0].length);
  }
  return { root, steps };
}
