// The values of Terraform's expressions, as far as the files of a module tell them. Resources have the names and ARNs that they would
// have in us-east-1 of 123456789012; what else only a deployment knows becomes a placeholder.

import type { Block, Body, Expression } from "./hcl.ts";
import { given, members, type Known, type Surroundings, type Values } from "./machine.ts";
import { ACCOUNT, REGION } from "./pseudo.ts";
import { Members, Traced, bare, encoded, textOf, type Origin, type Resolved } from "./traced.ts";

/** A block, with the place of it in a document of JSON. */
export interface Resource extends Block {
  pointer?: string | undefined;
}

/** A file that a definition is the text of, with values for its placeholders. */
interface DefinitionFile {
  path: string;
  substitutions: Values;
}

/** Locals of locals, and modules of text in text. */
const DEPTH = 60;

/** Which part of an ARN the name of a resource is. */
const ARNS: Record<string, (name: string) => string> = {
  aws_lambda_function: (name) => `lambda:${REGION}:${ACCOUNT}:function:${name}`,
  aws_sfn_state_machine: (name) => `states:${REGION}:${ACCOUNT}:stateMachine:${name}`,
  aws_sfn_activity: (name) => `states:${REGION}:${ACCOUNT}:activity:${name}`,
  aws_sqs_queue: (name) => `sqs:${REGION}:${ACCOUNT}:${name}`,
  aws_sns_topic: (name) => `sns:${REGION}:${ACCOUNT}:${name}`,
  aws_dynamodb_table: (name) => `dynamodb:${REGION}:${ACCOUNT}:table/${name}`,
  aws_s3_bucket: (name) => `s3:::${name}`,
  aws_iam_role: (name) => `iam::${ACCOUNT}:role/${name}`,
  aws_ecs_cluster: (name) => `ecs:${REGION}:${ACCOUNT}:cluster/${name}`,
  aws_batch_job_queue: (name) => `batch:${REGION}:${ACCOUNT}:job-queue/${name}`,
  aws_batch_job_definition: (name) => `batch:${REGION}:${ACCOUNT}:job-definition/${name}:1`,
  aws_cloudwatch_event_bus: (name) => `events:${REGION}:${ACCOUNT}:event-bus/${name}`,
};

const NAMES = ["function_name", "name", "bucket", "family"];

export class Module {
  /** The blocks of the file that was read. */
  readonly resources: Resource[] = [];
  #around: Block[] = [];
  #values = new Map<string, Expression>();
  #defined: Values;
  #files: Surroundings;
  #depth = 0;
  /** Values that are being worked out: one may be made of itself. */
  #open = new Set<string>();
  #known = new Map<string, Resolved>();

  constructor({ defined = {}, files = {} }: Known) {
    this.#defined = defined;
    this.#files = files;
  }

  add({ blocks }: Body): void {
    this.resources.push(...blocks.map((block) => ({ ...block, pointer: block.origin.pointer })));
    this.addAround({ blocks, attributes: new Map() });
  }

  /** What a machine may refer to. */
  addAround({ blocks }: Body): void {
    this.#around.push(...blocks);
  }

  /** Values of variables: terraform.tfvars. */
  addValues({ attributes }: Body): void {
    for (const [name, value] of attributes) this.#values.set(name, value);
  }

  /** An expression's text, where it is known. */
  textOf(expression: Expression | undefined): string | undefined {
    const value = expression === undefined ? undefined : this.evaluate(expression);
    return value instanceof Traced && !value.isOpen ? value.text : undefined;
  }

  /** The file that a definition is the text of. */
  fileOf(expression: Expression): DefinitionFile | undefined {
    return this.#deeper(() => this.#fileOf(expression));
  }

  /** Values for the placeholders in the file of a definition. */
  substitutionsOf(expression: Expression | undefined): Values {
    try {
      return (expression && this.fileOf(expression)?.substitutions) ?? {};
    } catch {
      // The definition tells why.
      return {};
    }
  }

  #fileOf(expression: Expression): DefinitionFile | undefined {
    const [one, ...others] = expression.kind === "template" ? expression.parts : [];
    if (one !== undefined && one.kind !== "text" && others.length === 0) return this.fileOf(one);
    if (expression.kind === "path") {
      const meant = this.#meant(expression);
      return meant && this.fileOf(meant);
    }
    if (expression.kind !== "call") return undefined;
    const [first, second] = expression.args;
    if (first === undefined) return undefined;
    if (["jsonencode", "yamldecode", "jsondecode", "tostring", "trimspace", "chomp"].includes(expression.name)) return this.fileOf(first);
    if (expression.name !== "file" && expression.name !== "templatefile") return undefined;
    const path = this.textOf(first);
    if (path === undefined) return undefined;
    return { path, substitutions: second === undefined ? {} : this.#variables(second) };
  }

  /** Values for the placeholders of a template's file. */
  #variables(expression: Expression): Values {
    const value = this.evaluate(expression);
    if (!(value instanceof Members)) return members(bare(value));
    return Object.fromEntries(
      value.entries.flatMap(([name, one]) => (one instanceof Traced && one.isReference && one.isOpen ? [] : [[name.text, bare(one)]])),
    );
  }

  /** What a definition has that is not read. */
  unreadIn(expression: Expression): string | undefined {
    return this.#deeper(() => {
      switch (expression.kind) {
        case "unread":
          return expression.what;
        case "template":
          return firstOf(expression.parts, (part) => (part.kind === "text" ? undefined : part.kind === "unread" ? part.what : undefined));
        case "path": {
          const meant = this.#meant(expression);
          return meant && this.unreadIn(meant);
        }
        default:
          return undefined;
      }
    });
  }

  /** The expression that a local stands for. */
  #meant({ name, steps }: Expression & { kind: "path" }): Expression | undefined {
    const [key, ...more] = steps;
    if (name !== "local" || typeof key !== "string" || more.length > 0 || Object.hasOwn(this.#defined, `local.${key}`)) return undefined;
    return this.#block("locals", [])
      .map(({ body }) => body.attributes.get(key))
      .find((one) => one !== undefined);
  }

  #block(type: string, labels: string[]): Block[] {
    return this.#around.filter((block) => block.type === type && labels.every((label, i) => block.labels[i] === label));
  }

  #deeper<Result>(act: () => Result): Result {
    if (this.#depth > DEPTH * 4) throw new RangeError("its values are nested too deeply");
    this.#depth += 1;
    try {
      return act();
    } finally {
      this.#depth -= 1;
    }
  }

  // ----------------------------------------------------------------------------------------------- evaluation

  evaluate(expression: Expression): Resolved {
    return this.#deeper(() => this.#evaluated(expression));
  }

  #evaluated(expression: Expression): Resolved {
    switch (expression.kind) {
      case "literal":
        return expression.value === null ? null : literal(expression);
      case "template":
        return this.#template(expression);
      case "object":
        return new Members(
          expression.members.map(({ key, value }) => [textOf(this.evaluate(key)), this.evaluate(value)] as const),
          expression.origin.to > expression.origin.from ? expression.origin : undefined,
        );
      case "tuple":
        return expression.items.map((item) => this.evaluate(item));
      case "path":
        return this.#path(expression);
      case "member":
        return this.#step(this.evaluate(expression.of), expression.steps) ?? this.#unknown(expression, "value");
      case "call":
        return this.#call(expression);
      case "conditional": {
        const when = bare(this.evaluate(expression.when));
        // Which way it goes may be known at deployment only.
        return this.evaluate(when === false || when === "false" ? expression.otherwise : expression.then);
      }
      case "operation":
        return this.#operation(expression);
      case "unread":
        return this.#unknown(expression, expression.what);
    }
  }

  /** A value that only a deployment knows, or one that was given for it. */
  #unknown({ origin }: Expression, name: string): Traced {
    const plain = name.replaceAll(/[{}"'\n]/g, "").trim();
    return Traced.reference(plain, Object.hasOwn(this.#defined, plain) ? given(this.#defined[plain]) : undefined, origin);
  }

  #template({ parts, origin }: Expression & { kind: "template" }): Resolved {
    const [one, ...others] = parts;
    if (one === undefined) return Traced.of("", { ...origin, from: origin.from + 1, to: origin.from + 1 });
    if (others.length === 0 && one.kind !== "text") return this.evaluate(one);
    return Traced.join(
      parts.map((part) => {
        if (part.kind === "text") return Traced.of(part.text, part.origin);
        const value = textOf(this.evaluate(part));
        return new Traced(value.text, [{ start: 0, end: value.text.length, origin: part.origin }], value.references);
      }),
    );
  }

  #path(expression: Expression & { kind: "path" }): Resolved {
    const steps = expression.steps.map((step) => (typeof step === "string" ? step : (bare(this.evaluate(step)) as string | number)));
    const name = [expression.name, ...steps.map((step) => (typeof step === "string" ? step : `[${step}]`))].join(".").replaceAll(".[", "[");
    const whole = this.#unknown(expression, name);
    if (!whole.isOpen) return whole;
    const value = this.#valueOf(expression, name);
    if (value === undefined) return whole;
    // A local has places of its own.
    if (value instanceof Traced)
      return value.isOpen || expression.name === "local" ? value : Traced.reference(name, bare(value), expression.origin);
    return typeof value === "object" ? value : Traced.reference(name, value, expression.origin);
  }

  #valueOf(expression: Expression & { kind: "path" }, name: string): Resolved | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#open.has(name)) return undefined;
    this.#open.add(name);
    try {
      const value = this.#found(expression);
      if (value !== undefined) this.#known.set(name, value);
      return value;
    } finally {
      this.#open.delete(name);
    }
  }

  #found({ name, steps }: Expression & { kind: "path" }): Resolved | undefined {
    const [first, ...rest] = steps;
    if (typeof first !== "string") return undefined;
    switch (name) {
      case "var": {
        const given = this.#values.get(first) ?? firstOf(this.#block("variable", [first]), ({ body }) => body.attributes.get("default"));
        return given && this.#step(this.evaluate(given), rest);
      }
      case "local": {
        const held = firstOf(this.#block("locals", []), ({ body }) => body.attributes.get(first));
        return held && this.#step(this.evaluate(held), rest);
      }
      case "path":
        return ".";
      case "terraform":
        return first === "workspace" ? "default" : undefined;
      case "data":
        return this.#data(first, rest);
      default:
        return name.startsWith("aws_") ? this.#resource(name, first, rest) : undefined;
    }
  }

  /** A member of a value. */
  #step(value: Resolved, steps: readonly (string | Expression)[]): Resolved | undefined {
    let held: Resolved | undefined = value;
    for (const step of steps) {
      const key = typeof step === "string" ? step : String(bare(this.evaluate(step)));
      if (held instanceof Members) held = held.get(key);
      else if (Array.isArray(held)) held = held[Number(key)];
      else if (typeof held === "object" && held !== null && !(held instanceof Traced))
        held = Object.hasOwn(held, key) ? held[key] : undefined;
      else return undefined;
    }
    return held;
  }

  #data(type: string, [label, attribute]: readonly (string | Expression)[]): Resolved | undefined {
    if (type === "aws_region") return attribute === "name" || attribute === "region" || attribute === "id" ? REGION : undefined;
    if (type === "aws_caller_identity") return attribute === "account_id" || attribute === "id" ? ACCOUNT : undefined;
    if (type === "aws_partition") return attribute === "partition" ? "aws" : attribute === "dns_suffix" ? "amazonaws.com" : undefined;
    if (type.startsWith("aws_") && typeof label === "string" && typeof attribute === "string")
      return this.#attribute(type, label, attribute, "data");
    return undefined;
  }

  #resource(type: string, label: string, steps: readonly (string | Expression)[]): Resolved | undefined {
    // Of several the first one stands for all: `aws_lambda_function.charge[0].arn`.
    const attribute = steps.filter((step) => typeof step === "string" && step !== "*").at(-1);
    return typeof attribute === "string" ? this.#attribute(type, label, attribute, "resource") : undefined;
  }

  #attribute(type: string, label: string, attribute: string, block: string): Resolved | undefined {
    const name = this.#nameOf(type, label, block);
    const arn = `arn:aws:${(ARNS[type] ?? ((one: string) => `${type.split("_")[1]}:${REGION}:${ACCOUNT}:${one}`))(name)}`;
    if (attribute === "arn" || attribute === "qualified_arn") return arn;
    if (/^(sqs_queue|aws_sqs_queue)$/.test(type) && (attribute === "url" || attribute === "id"))
      return `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`;
    if (attribute === "id") return /^aws_(sns_topic|sfn_state_machine|sfn_activity)$/.test(type) ? arn : name;
    if (NAMES.includes(attribute)) return name;
    const held = firstOf(this.#block(block, [type, label]), ({ body }) => body.attributes.get(attribute));
    return held && this.evaluate(held);
  }

  #nameOf(type: string, label: string, block: string): string {
    const wanted = firstOf(this.#block(block, [type, label]), ({ body }) => firstOf(NAMES, (one) => body.attributes.get(one)));
    const id = `${block}.${type}.${label}`;
    if (wanted === undefined || this.#open.has(id)) return label;
    this.#open.add(id);
    try {
      const name = this.textOf(wanted);
      return name === undefined || name.length > 2048 ? label : name;
    } finally {
      this.#open.delete(id);
    }
  }

  // ------------------------------------------------------------------------------------ functions, operations

  #call(expression: Expression & { kind: "call" }): Resolved {
    const { name, args, origin } = expression;
    const [first] = args;
    const own = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    const value = (): Resolved | undefined => {
      if (first === undefined) return undefined;
      if (name === "try" || name === "coalesce") return this.evaluate(first);
      if (name === "file" || name === "templatefile") return this.#read(expression);
      if (name === "jsondecode") return this.#decoded(first);
      return own?.(
        args.map((arg) => this.evaluate(arg)),
        origin,
      );
    };
    return value() ?? this.#unknown(expression, name);
  }

  #read({ args, origin }: Expression & { kind: "call" }): Traced | undefined {
    const path = args[0] && this.textOf(args[0]);
    const text = path === undefined ? undefined : this.#files.text?.(path);
    if (text === undefined) return undefined;
    const values = args[1] === undefined ? {} : this.#variables(args[1]);
    const filled = text.replaceAll(/\$\{\s*([\w.]+)\s*\}/g, (hole, name: string) =>
      Object.hasOwn(values, name) ? textOf(values[name] as Resolved).text : hole,
    );
    return Traced.of(filled, origin);
  }

  #decoded(first: Expression): Resolved | undefined {
    const text = this.textOf(first);
    try {
      return text === undefined ? undefined : (JSON.parse(text) as Resolved);
    } catch {
      return undefined;
    }
  }

  #operation(expression: Expression & { kind: "operation" }): Resolved {
    const { operator, args } = expression;
    const [left, right] = args.map((arg) => this.evaluate(arg));
    if ([left, right].some((one) => one instanceof Traced && one.isOpen)) return this.#unknown(expression, operator);
    const [a, b] = [bare(left), bare(right)];
    const value = CALCULATIONS[operator]?.(a as number, b as number);
    return value === undefined || Number.isNaN(value) ? this.#unknown(expression, operator) : value;
  }
}

const CALCULATIONS: Record<string, (a: number, b: number) => number | boolean> = {
  "+": (a, b) => Number(a) + Number(b),
  "-": (a, b) => (b === undefined ? -Number(a) : Number(a) - Number(b)),
  "*": (a, b) => Number(a) * Number(b),
  "/": (a, b) => Number(a) / Number(b),
  "%": (a, b) => Number(a) % Number(b),
  "==": (a, b) => a === b || String(a) === String(b),
  "!=": (a, b) => String(a) !== String(b),
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "&&": (a, b) => isTrue(a) && isTrue(b),
  "||": (a, b) => isTrue(a) || isTrue(b),
  "!": (a) => !isTrue(a),
};

function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}

/** Functions of Terraform by their names; what they cannot work out is undefined. */
const FUNCTIONS: Record<string, (args: Resolved[], origin: Origin) => Resolved | undefined> = {
  jsonencode: ([value]) => encoded(value ?? null),
  tostring: ([value]) => textOf(value),
  trimspace: ([value]) => textOf(value),
  chomp: ([value]) => textOf(value),
  tonumber: ([value]) => {
    const number = Number(bare(value));
    return Number.isNaN(number) ? value : number;
  },
  lower: ([value], origin) => changed(value, origin, (text) => text.toLowerCase()),
  upper: ([value], origin) => changed(value, origin, (text) => text.toUpperCase()),
  join: ([separator, ...lists]) => Traced.join(lists.flat().map(textOf), textOf(separator).text),
  format: (args) => formatted(args.map(textOf)),
  concat: (lists) => lists.flat(),
  merge: (maps) => {
    const all = maps.filter((one) => one instanceof Members);
    const entries = all.flatMap((one) => one.entries);
    return all.length === maps.length ? new Members(entries, all[0]?.origin) : undefined;
  },
  ...Object.fromEntries(["tolist", "toset", "tomap", "sensitive", "nonsensitive"].map((name) => [name, ([value]: Resolved[]) => value])),
};

function changed(value: Resolved | undefined, origin: Origin, change: (text: string) => string): Traced | undefined {
  const text = textOf(value);
  return text.isOpen ? undefined : Traced.of(change(text.text), origin);
}

/** A number or a boolean with its place. */
function literal({ value, origin }: Expression & { kind: "literal" }): Traced {
  const text = JSON.stringify(value);
  return new Traced(text, [{ start: 0, end: text.length, origin }], [], value);
}

/** `format("%s-%s", …)`, with the verbs that texts need. */
function formatted([pattern, ...args]: Traced[]): Traced {
  let i = 0;
  return (pattern ?? new Traced("")).replaced(/%(?:%|[svdq])/g, ([verb]) => (verb === "%%" ? "%" : (args[i++] ?? new Traced(""))));
}

function firstOf<Item, Result>(items: readonly Item[], act: (item: Item) => Result | undefined): Result | undefined {
  for (const item of items) {
    const result = act(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
