// Evaluates Terraform's expressions, as far as the files of a module allow it. Resources have the names and ARNs that they would
// have in us-east-1 of 123456789012. Other values that only a deployment knows become placeholders.

import { CALCULATIONS, FUNCTIONS, entriesOf, isTrue } from "./functions.ts";
import { HclError, parseTemplate, type Block, type Body, type Expression } from "./hcl.ts";
import { Unread, given, members, type Known, type FileAccess, type Values } from "./template-machine.ts";
import { ACCOUNT, REGION } from "./pseudo.ts";
import { substitutedText } from "./resolver.ts";
import { Members, MappedText, bare, textOf, type Origin, type Resolved } from "./mapped-text.ts";

/** A block, with its pointer in a JSON document. */
export interface Resource extends Block {
  pointer?: string | undefined;
  /** The file that contains it. Undefined for the file that was read. */
  file?: string | undefined;
}

/** An expression with its module and file. */
interface ResolvedExpression {
  module: Module;
  expression: Expression;
  file: string | undefined;
}

/** A call of a module, which sets its variables. */
interface Call {
  module: Module;
  body: Body;
  file: string | undefined;
}

/** A file whose text is a definition, with values of its placeholders. */
interface DefinitionFile {
  path: string;
  substitutions: Values;
  /** The text that the template renders, if that is more than values of placeholders. Its source positions are in the file. */
  text?: MappedText;
}

/** Variables of a part of an expression, or of a template. In a template, no others are in scope. */
interface Scope {
  names: ReadonlyMap<string, Resolved>;
  isTemplate: boolean;
}

/** Maximum depth of locals that refer to locals, and of modules. */
const DEPTH = 60;
/** Maximum number of values, because nested loops multiply. */
const BUDGET = 500_000;
/** Matches a template file that contains more than names: directives, escapes, functions. */
const IS_RENDERED = /%\{|\$\$\{|\$\{(?!\s*[\w-]+\s*\})/;
/** Functions that do not change the definition in a file's text. */
const PASSING = ["jsonencode", "yamldecode", "jsondecode", "tostring", "trimspace", "chomp"];

/** Returns the last part of an ARN for the name of a resource, by its type. */
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
  #around: Resource[] = [];
  #values = new Map<string, Expression>();
  #defined: Values;
  #files: FileAccess;
  #depth = 0;
  /** The values that are being evaluated, because a value may refer to itself. */
  #open = new Set<string>();
  #known = new Map<string, Resolved>();
  #scopes: Scope[] = [];
  #budget = BUDGET;
  /** The file whose expressions are being evaluated. Undefined for the file that was read. */
  #file: string | undefined;
  readonly folder: string;
  #caller: Call | undefined;

  /** `folder` is the folder of the module, relative to the file that was read. */
  constructor({ defined = {}, files = {} }: Known, folder = ".", call?: Call) {
    this.#defined = defined;
    this.#files = files;
    this.folder = folder;
    this.#caller = call;
  }

  add(body: Body, file?: string): void {
    this.resources.push(...body.blocks.map((block) => ({ ...block, pointer: block.origin.pointer, file })));
    this.addAround(body, file);
  }

  /** Adds blocks to which a machine may refer. */
  addAround({ blocks }: Body, file?: string): void {
    this.#around.push(...blocks.map((block) => ({ ...block, file })));
  }

  /** Adds values of variables, as in terraform.tfvars. */
  addValues({ attributes }: Body): void {
    for (const [name, value] of attributes) this.#values.set(name, value);
  }

  /** Returns the text of an expression, if it is known. */
  textOf(expression: Expression | undefined): string | undefined {
    try {
      const value = expression === undefined ? undefined : this.evaluate(expression);
      return value instanceof MappedText && !value.isOpen ? value.text : undefined;
    } catch (error) {
      if (error instanceof Unread) return undefined;
      throw error;
    }
  }

  /** Returns the file whose text is the definition. */
  fileOf(expression: Expression): DefinitionFile | undefined {
    return this.#deeper(() => this.#fileOf(expression));
  }

  /** Returns values of the placeholders in the file of a definition. */
  substitutionsOf(expression: Expression | undefined): Values {
    try {
      return (expression && this.fileOf(expression)?.substitutions) ?? {};
    } catch {
      // The error is reported for the definition.
      return {};
    }
  }

  #fileOf(expression: Expression): DefinitionFile | undefined {
    const target = this.#dereference(expression);
    if (target !== undefined) return target.module.fileOf(target.expression);
    if (expression.kind === "path") return this.#fileOfData(expression);
    if (expression.kind !== "call") return undefined;
    const [first, second, third] = expression.args;
    if (first === undefined) return undefined;
    if (expression.name === "file" || expression.name === "templatefile") {
      const path = this.textOf(first);
      if (path === undefined) return undefined;
      return expression.name === "file" ? { path, substitutions: {} } : this.#templated(path, second);
    }
    if (PASSING.includes(expression.name)) {
      const file = this.fileOf(first);
      if (file?.text !== undefined && expression.name === "yamldecode")
        throw new Unread(`what yamldecode makes of the template ${file.path}`);
      return file;
    }
    if (expression.name !== "replace" && expression.name !== "templatestring") return undefined;
    const file = this.fileOf(first);
    if (file === undefined || second === undefined) return file;
    if (expression.name === "templatestring") return this.#templated(file.path, second, file.text?.text);
    const text = file.text ?? this.#textIn(file);
    if (text === undefined) return file;
    const changed = third && FUNCTIONS.replace?.([text, this.evaluate(second), this.evaluate(third)], expression.origin);
    if (!(changed instanceof MappedText)) throw new Unread(`replace(…) in ${file.path}`);
    return { path: file.path, substitutions: {}, text: changed };
  }

  /** Returns the file of `data.template_file.orders.rendered` or `data.local_file.orders.content`. */
  #fileOfData({ name, steps }: Expression & { kind: "path" }): DefinitionFile | undefined {
    const [type, label, attribute] = name === "data" ? steps : [name, ...steps];
    if (typeof label !== "string") return undefined;
    const blocks = this.#block(name === "data" ? "data" : "resource", [String(type), label]);
    if (type === "local_file" && (attribute === "content" || attribute === "content_base64")) {
      const path = this.textOf(firstOf(blocks, ({ body }) => body.attributes.get("filename")));
      return path === undefined ? undefined : { path, substitutions: {} };
    }
    if (type !== "template_file" || attribute !== "rendered") return undefined;
    const template = firstOf(blocks, ({ body }) => body.attributes.get("template"));
    const file = template && this.fileOf(template);
    const values = firstOf(blocks, ({ body }) => body.attributes.get("vars"));
    return file && this.#templated(file.path, values, file.text?.text);
  }

  /** Returns a file with values of its placeholders, or with the text that it renders as a template. */
  #templated(path: string, values: Expression | undefined, written = this.#files.text?.(path)): DefinitionFile {
    if (written !== undefined && IS_RENDERED.test(written))
      return { path, substitutions: {}, text: this.#rendered(written, values, `the template ${path}`) };
    return { path, substitutions: values === undefined ? {} : this.#variables(values) };
  }

  /** Returns the text of a file with values of its placeholders, and with source positions in the file. */
  #textIn({ path, substitutions }: DefinitionFile): MappedText | undefined {
    const text = this.#files.text?.(path);
    if (text === undefined) return undefined;
    return substitutedText(MappedText.of(text, { from: 0, to: text.length }), substitutions);
  }

  /** Renders a template. */
  #rendered(text: string, values: Expression | undefined, what: string): MappedText {
    const content = values === undefined ? [] : (entriesOf(this.evaluate(values)) ?? []);
    const names = new Map(content.map(([name, value]) => [textOf(name).text, value]));
    try {
      const template = parseTemplate(text, undefined);
      return textOf(this.#within({ names, isTemplate: true }, () => this.evaluate(template)));
    } catch (error) {
      if (!(error instanceof HclError)) throw error;
      const line = text.slice(0, error.offset).split("\n").length;
      throw new Unread(`${what}, where in line ${line} ${error.message}`);
    }
  }

  /** Returns the values of the placeholders of a template's file. */
  #variables(expression: Expression): Values {
    const value = this.evaluate(expression);
    if (!(value instanceof Members)) return members(bare(value));
    return Object.fromEntries(
      value.entries.flatMap(([name, one]) => (one instanceof MappedText && one.isReference && one.isOpen ? [] : [[name.text, bare(one)]])),
    );
  }

  /** Follows references: to a local, to a variable that the module's call sets, or a string that is one interpolation. */
  #dereference(expression: Expression): ResolvedExpression | undefined {
    const [one, ...others] = expression.kind === "template" ? expression.parts : [];
    if (one !== undefined && one.kind !== "text" && others.length === 0) return { module: this, expression: one, file: this.#file };
    if (expression.kind !== "path" || this.#scopes.length > 0) return undefined;
    const [key, ...more] = expression.steps;
    if (typeof key !== "string" || more.length > 0 || Object.hasOwn(this.#defined, `${expression.name}.${key}`)) return undefined;
    const given = expression.name === "var" ? this.#caller?.body.attributes.get(key) : undefined;
    if (this.#caller !== undefined && given !== undefined) return { ...this.#caller, expression: given };
    if (expression.name !== "local") return undefined;
    const block = this.#localBlock(key);
    const content = block?.body.attributes.get(key);
    return content && { module: this, expression: content, file: block?.file };
  }

  /** Returns the text of a definition, with the file that contains it. Throws Unread for a part that cannot be read. */
  written(expression: Expression, file: string | undefined): { value: Resolved; file: string | undefined; origin: Origin } {
    return this.#deeper(() => {
      const target = this.#dereference(expression);
      if (target !== undefined) return target.module.written(target.expression, expression.kind === "template" ? file : target.file);
      this.#file = file;
      return { value: this.evaluate(expression), file, origin: expression.origin };
    });
  }

  #localBlock(name: string): Resource | undefined {
    return this.#block("locals", []).find(({ body }) => body.attributes.has(name));
  }

  #block(type: string, labels: string[]): Resource[] {
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
    if ((this.#budget -= 1) < 0) throw new RangeError("its values expand without end");
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
        // The condition may be known at deployment only.
        return this.evaluate(when === false || when === "false" ? expression.otherwise : expression.then);
      }
      case "operation":
        return this.#operation(expression);
      case "for":
        return this.#for(expression);
      case "loop":
        return this.#loop(expression);
      case "unread":
        throw new Unread(expression.what);
    }
  }

  #within<Result>(scope: Scope, act: () => Result): Result {
    this.#scopes.push(scope);
    try {
      return act();
    } finally {
      this.#scopes.pop();
    }
  }

  /** Calls `act` for each item, with the variables of a loop in scope. Undefined if only a deployment knows the items. */
  #each<Result>(names: readonly string[], of: Resolved, act: () => Result): Result[] | undefined {
    return entriesOf(of)?.map(([key, value]) => {
      const [first = "", second] = names;
      const content: [string, Resolved][] = second === undefined ? [[first, value]] : [[first, key], [second, value]]; // prettier-ignore
      return this.#within({ names: new Map(content), isTemplate: false }, act);
    });
  }

  #for(expression: Expression & { kind: "for" }): Resolved {
    const { names, of, key, value, when, isGrouped } = expression;
    const content = this.evaluate(of);
    const items = this.#each(names, content, () => {
      if (when !== undefined && !isTrue(bare(this.evaluate(when)))) return undefined;
      return [key && textOf(this.evaluate(key)), this.evaluate(value)] as const;
    })?.filter((item) => item !== undefined);
    if (items === undefined)
      return this.#unknown(expression, content instanceof MappedText ? content.text.replace(/^\$\{(.*)\}$/, "$1") : "for");
    if (key === undefined) return items.map(([, item]) => item);
    const entries = new Map<string, readonly [MappedText, Resolved]>();
    for (const [name = new MappedText(""), item] of items) {
      const before = entries.get(name.text)?.[1];
      entries.set(name.text, [name, isGrouped ? [...(Array.isArray(before) ? before : []), item] : item]);
    }
    return new Members([...entries.values()], expression.origin);
  }

  #loop({ names, of, body }: Expression & { kind: "loop" }): MappedText {
    const content = this.evaluate(of);
    const texts = this.#each(names, content, () => textOf(this.evaluate(body)));
    if (texts === undefined)
      throw new Unread(`%{ for … in ${content instanceof MappedText ? content.text.replace(/^\$\{(.*)\}$/, "$1") : "…"} }`);
    return MappedText.join(texts);
  }

  /** Returns a placeholder for a value that only a deployment knows, or the value that was given for it. */
  #unknown({ origin }: Expression, name: string): MappedText {
    const plain = name.replaceAll(/[{}"'\n]/g, "").trim();
    return MappedText.reference(plain, Object.hasOwn(this.#defined, plain) ? given(this.#defined[plain]) : undefined, origin);
  }

  #template({ parts, origin }: Expression & { kind: "template" }): Resolved {
    const [one, ...others] = parts;
    if (one === undefined) return MappedText.of("", { ...origin, from: origin.from + 1, to: origin.from + 1 });
    if (others.length === 0 && one.kind !== "text") return this.evaluate(one);
    return MappedText.join(
      parts.map((part) => {
        if (part.kind === "text") return MappedText.of(part.text, part.origin);
        // The text between directives has its own source positions.
        if (part.kind === "loop" || (part.kind === "conditional" && part.isDirective)) return textOf(this.evaluate(part));
        const value = textOf(this.evaluate(part));
        return new MappedText(value.text, [{ start: 0, end: value.text.length, origin: part.origin }], value.references);
      }),
    );
  }

  #path(expression: Expression & { kind: "path" }): Resolved {
    const steps = expression.steps.map((step) => (typeof step === "string" ? step : (bare(this.evaluate(step)) as string | number)));
    const name = [expression.name, ...steps.map((step) => (typeof step === "string" ? step : `[${step}]`))].join(".").replaceAll(".[", "[");
    const whole = this.#unknown(expression, name);
    if (!whole.isOpen) return whole;
    const scoped = this.#scoped(expression.name);
    if (scoped === null) return whole;
    const known = steps.map((step) =>
      typeof step === "number" ? ({ kind: "literal", value: step, origin: expression.origin } as const) : step,
    );
    const value = scoped === undefined ? this.#valueOf({ ...expression, steps: known }, name) : this.#step(scoped, expression.steps);
    if (value === undefined) return whole;
    // A local of the same file has its own source positions.
    const isHere = scoped === undefined && expression.name === "local" && this.#localBlock(steps[0] as string)?.file === this.#file;
    if (isHere && (value instanceof MappedText || typeof value === "object")) return value;
    return typeof value === "object" && (!(value instanceof MappedText) || value.isOpen)
      ? placedAt(value, expression.origin)
      : MappedText.reference(name, bare(value), expression.origin);
  }

  /** Returns the value of a variable of a loop or template. Null for one that is not in scope of a template. */
  #scoped(name: string): Resolved | undefined | null {
    for (const { names, isTemplate } of [...this.#scopes].reverse()) {
      const value = names.get(name);
      if (value !== undefined) return value;
      if (isTemplate) return null;
    }
    return undefined;
  }

  #valueOf(expression: Expression & { kind: "path" }, name: string): Resolved | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#open.has(name)) return undefined;
    this.#open.add(name);
    // The variables in scope here are not in scope of the referenced expression.
    const scopes = this.#scopes;
    this.#scopes = [];
    try {
      const value = this.#found(expression);
      if (value !== undefined) this.#known.set(name, value);
      return value;
    } finally {
      this.#scopes = scopes;
      this.#open.delete(name);
    }
  }

  #found({ name, steps }: Expression & { kind: "path" }): Resolved | undefined {
    const [first, ...rest] = steps;
    if (typeof first !== "string") return undefined;
    switch (name) {
      case "var": {
        const argument = this.#caller?.body.attributes.get(first);
        if (this.#caller !== undefined && argument !== undefined) return this.#step(this.#caller.module.evaluate(argument), rest);
        const given = this.#values.get(first) ?? firstOf(this.#block("variable", [first]), ({ body }) => body.attributes.get("default"));
        return given && this.#step(this.evaluate(given), rest);
      }
      case "local": {
        const content = firstOf(this.#block("locals", []), ({ body }) => body.attributes.get(first));
        return content && this.#step(this.evaluate(content), rest);
      }
      case "path":
        return first === "module" ? this.folder : ".";
      case "terraform":
        return first === "workspace" ? "default" : undefined;
      case "data":
        return this.#data(first, rest);
      default:
        return name.startsWith("aws_") ? this.#resource(name, first, rest) : undefined;
    }
  }

  /** Returns a member of a value. */
  #step(value: Resolved, steps: readonly (string | Expression)[]): Resolved | undefined {
    let content: Resolved | undefined = value;
    for (const step of steps) {
      const key = typeof step === "string" ? step : String(bare(this.evaluate(step)));
      if (content instanceof Members) content = content.get(key);
      else if (Array.isArray(content)) content = content[Number(key)];
      else if (typeof content === "object" && content !== null && !(content instanceof MappedText))
        content = Object.hasOwn(content, key) ? content[key] : undefined;
      else return undefined;
    }
    return content;
  }

  #data(type: string, [label, attribute]: readonly (string | Expression)[]): Resolved | undefined {
    if (type === "aws_region") return attribute === "name" || attribute === "region" || attribute === "id" ? REGION : undefined;
    if (type === "aws_caller_identity") return attribute === "account_id" || attribute === "id" ? ACCOUNT : undefined;
    if (type === "template_file" && typeof label === "string" && attribute === "rendered") return this.#templateData(label);
    if (type === "aws_partition") return attribute === "partition" ? "aws" : attribute === "dns_suffix" ? "amazonaws.com" : undefined;
    if (type.startsWith("aws_") && typeof label === "string" && typeof attribute === "string")
      return this.#attribute(type, label, attribute, "data");
    return undefined;
  }

  /** Renders a template that is written in the configuration. */
  #templateData(label: string): MappedText | undefined {
    const blocks = this.#block("data", ["template_file", label]);
    const template = firstOf(blocks, ({ body }) => body.attributes.get("template"));
    const text = this.textOf(template);
    if (text === undefined) return undefined;
    const values = firstOf(blocks, ({ body }) => body.attributes.get("vars"));
    return this.#rendered(text, values, `the template of data.template_file.${label}`);
  }

  #resource(type: string, label: string, steps: readonly (string | Expression)[]): Resolved | undefined {
    // If there are several instances, the first one stands for all: `aws_lambda_function.charge[0].arn`.
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
    const content = firstOf(this.#block(block, [type, label]), ({ body }) => body.attributes.get(attribute));
    return content && this.evaluate(content);
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
      if (name === "templatestring") {
        const text = this.textOf(first);
        return text === undefined ? undefined : this.#rendered(text, args[1], "a text for templatestring");
      }
      if (name === "jsondecode") return this.#decoded(first);
      return own?.(
        args.map((arg) => this.evaluate(arg)),
        origin,
      );
    };
    return value() ?? this.#unknown(expression, name);
  }

  #read({ name, args, origin }: Expression & { kind: "call" }): MappedText | undefined {
    const path = args[0] && this.textOf(args[0]);
    const text = path === undefined ? undefined : this.#files.text?.(path);
    if (text === undefined) return undefined;
    if (name === "file") return MappedText.of(text, origin);
    // The source positions of the template are in another file than those around it.
    const { text: filled, references } = this.#rendered(text, args[1], `the template ${path}`);
    return new MappedText(filled, [{ start: 0, end: filled.length, origin }], references);
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
    if ([left, right].some((one) => one instanceof MappedText && one.isOpen)) return this.#unknown(expression, operator);
    const [a, b] = [bare(left), bare(right)];
    const value = CALCULATIONS[operator]?.(a as number, b as number);
    return value === undefined || Number.isNaN(value) ? this.#unknown(expression, operator) : value;
  }
}

/** Gives a value of another position the position where it is used. */
function placedAt(value: Resolved, origin: Origin): Resolved {
  if (value instanceof MappedText)
    return new MappedText(value.text, [{ start: 0, end: value.text.length, origin }], value.references, value.whole);
  if (value instanceof Members)
    return new Members(
      value.entries.map(([name, item]) => [placedAt(name, origin) as MappedText, placedAt(item, origin)] as const),
      origin,
    );
  if (Array.isArray(value)) return value.map((item) => placedAt(item, origin));
  if (typeof value === "string") return MappedText.of(value, origin);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, placedAt(item, origin)]));
}

/** Returns a number or a boolean with its source position. */
function literal({ value, origin }: Expression & { kind: "literal" }): MappedText {
  const text = JSON.stringify(value);
  return new MappedText(text, [{ start: 0, end: text.length, origin }], [], value);
}

function firstOf<Item, Result>(items: readonly Item[], act: (item: Item) => Result | undefined): Result | undefined {
  for (const item of items) {
    const result = act(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
