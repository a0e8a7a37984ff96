// Evaluates CloudFormation's functions, as far as that is possible without an account: with the names and ARNs of us-east-1 of
// 123456789012. Values that only a deployment knows become placeholders.

import { isObject } from "../../core/base/json.ts";
import { domainOf, partitionOf } from "../../core/base/partition.ts";
import { pointerTo } from "../../core/base/pointer.ts";
import { Unread, given, members, type Values } from "./template-machine.ts";
import { ACCOUNT, PSEUDO_PARAMETERS, REGION } from "./pseudo.ts";
import { MappedText, bare, textOf, type Resolved } from "./mapped-text.ts";

/** Maximum length of a name. It ends names that refer to each other. */
const LONGEST_NAME = 2048;
/** Maximum nesting depth. CloudFormation accepts no template that is deeper. */
const DEPTH = 200;
/** Maximum number of members of loops. CloudFormation allows fewer. */
const MOST_MEMBERS = 50_000;
const LOOP = "Fn::ForEach::";

const NAMES = ["FunctionName", "StateMachineName", "Name", "QueueName", "TopicName", "TableName", "BucketName"];

export class Resolver {
  #resources: Values;
  #parameters: Values;
  #mappings: Values;
  #pseudo: Values;
  /** Values by --define. */
  #defined: Values;
  /** Names of resources, and the ones that are being computed: a name may refer to another. */
  #names = new Map<string, string>();
  #depth = 0;
  /** Values of the variables of the surrounding loops. */
  #loops = new Map<string, string>();
  #unrolled = 0;

  constructor(template: Values, defined: Values = {}, pseudo: Values = {}) {
    this.#resources = members(template.Resources);
    this.#parameters = members(template.Parameters);
    this.#mappings = members(template.Mappings);
    const region = String(pseudo["AWS::Region"] ?? REGION);
    const partition = { "AWS::Partition": partitionOf(region), "AWS::URLSuffix": domainOf(region) };
    this.#pseudo = { ...PSEUDO_PARAMETERS, ...partition, ...pseudo };
    this.#defined = defined;
  }

  /** Returns a value with its functions evaluated. `pointer` is its position. Undefined for AWS::NoValue. */
  resolve(value: unknown, pointer = ""): Resolved | undefined {
    if (this.#depth > DEPTH) throw new RangeError("its values are nested too deeply");
    this.#depth += 1;
    try {
      return this.#resolved(value, pointer);
    } finally {
      this.#depth -= 1;
    }
  }

  #resolved(value: unknown, pointer: string): Resolved | undefined {
    if (typeof value === "string") return this.#looped(MappedText.of(value, { pointer, from: 0, to: value.length }));
    if (Array.isArray(value))
      return value.flatMap((item, i) => {
        const resolved = this.resolve(item, pointerTo(pointer, i));
        return resolved === undefined ? [] : [resolved];
      });
    if (!isObject(value)) return value as null | boolean | number | undefined;
    const [[name, argument] = ["", undefined], ...others] = Object.entries(value);
    if (others.length === 0) {
      const call = this.#call(name, argument, pointerTo(pointer, name));
      if (call !== undefined) return placed(call.value, pointer);
    }
    const resolved: [string, Resolved][] = [];
    this.eachMember(value, pointer, (key, item, at) => {
      const one = this.resolve(item, at);
      if (one !== undefined) resolved.push([key, one]);
    });
    return Object.fromEntries(resolved);
  }

  /**
   * Calls `act` with each member of an object, and with those of an Fn::ForEach once for each of its values. If only a deployment
   * knows the values, `unread` is called with the message; without `unread`, it is thrown.
   */
  eachMember(
    value: object,
    pointer: string,
    act: (key: string, content: unknown, pointer: string) => void,
    unread: (key: string, content: unknown, message: string) => void = (_, __, message) => {
      throw new Unread(message);
    },
  ): void {
    for (const [key, content] of Object.entries(value)) {
      const at = pointerTo(pointer, key);
      if ((this.#unrolled += this.#loops.size > 0 ? 1 : 0) > MOST_MEMBERS) throw new RangeError("its loops expand without end");
      if (!key.startsWith(LOOP)) {
        act(this.#looped(new MappedText(key)).text, content, at);
        continue;
      }
      const [name, list, body] = Array.isArray(content) ? (content as unknown[]) : [];
      const values = this.#valuesOf(list, pointerTo(at, 1));
      if (typeof name !== "string" || !isObject(body)) unread(key, content, `${key}, which is no list of a name, values and an object`);
      else if (typeof values === "string")
        unread(key, content, `${key}, a loop over ${values}, which only a deployment knows: pass --define ${values}=A,B`);
      else {
        const before = this.#loops.get(name);
        for (const one of values) {
          this.#loops.set(name, one);
          this.eachMember(body, pointerTo(at, 2), act, unread);
        }
        if (before === undefined) this.#loops.delete(name);
        else this.#loops.set(name, before);
      }
    }
  }

  /** Returns the values of a loop. If only a deployment knows them, returns a description. */
  #valuesOf(list: unknown, pointer: string): string[] | string {
    const content = this.resolve(list, pointer);
    const items = (Array.isArray(content) ? content : [content ?? ""]).map((item) => textOf(item));
    const open = items.find((item) => item.isOpen || item.text === "" || (!Array.isArray(list) && item.text === shortOf(list)));
    if (open !== undefined) return shortOf(list) || open.references[0]?.name || "its values";
    return items.flatMap(({ text }) => (Array.isArray(content) ? [text] : text.split(",").map((one) => one.trim())));
  }

  /** Replaces the variables of loops in a text: `${Name}`, and `&{Name}` with only letters and digits. */
  #looped(text: MappedText): MappedText {
    if (this.#loops.size === 0) return text;
    return text.replaced(/([$&])\{(\w+)\}/g, ([, mark, name = ""]) => {
      const value = this.#loops.get(name);
      return mark === "&" ? value?.replaceAll(/[^A-Za-z0-9]/g, "") : value;
    });
  }

  /** Evaluates a function of CloudFormation. Undefined for an unknown name. */
  #call(name: string, argument: unknown, pointer: string): { value: Resolved | undefined } | undefined {
    const args: unknown[] = Array.isArray(argument) ? argument : [];
    const arg = (i: number) => this.resolve(args[i], pointerTo(pointer, i));
    const text = (i: number) => textOf(arg(i)).text;
    switch (name) {
      case "Ref":
        return typeof argument === "string" ? { value: this.#reference(argument) } : undefined;
      case "Fn::GetAtt": {
        const [id = "", attribute] = typeof argument === "string" ? argument.split(/\.(.*)/s) : [text(0), text(1)];
        return { value: attribute ? this.#attribute(id, attribute) : this.#open(id || name) };
      }
      case "Fn::Sub":
        return { value: this.#sub(argument, pointer) };
      case "Fn::Join": {
        const items = arg(1);
        const parts = Array.isArray(items) ? items.map((part) => textOf(part)) : [textOf(items)];
        return { value: MappedText.join(parts, text(0)) };
      }
      case "Fn::Split":
        return { value: splitAt(textOf(arg(1)), text(0)) };
      case "Fn::Select": {
        const items = arg(1);
        const found = Array.isArray(items) ? items[Number(text(0))] : undefined;
        return { value: found ?? this.#open([shortOf(args[1]) || name, Number(text(0))].join(".")) };
      }
      case "Fn::FindInMap":
        return {
          value: this.#found(
            args.slice(0, 3).map((_, i) => text(i)),
            members(args[3]),
          ),
        };
      case "Fn::ImportValue":
        return { value: this.#open(textOf(this.resolve(argument, pointer)).text) };
      case "Fn::If":
        // The result of the condition is known at deployment only.
        return { value: arg(1) };
      case "Fn::ToJsonString":
        return { value: textOf(this.resolve(argument, pointer)) };
      default:
        // The results of other functions, such as macros, are known at deployment only.
        return /^Fn::[A-Z]\w*$/.test(name) && name !== "Fn::ForEach" ? { value: this.#open(name.slice(4)) } : undefined;
    }
  }

  /** Returns a placeholder for a value that only a deployment knows. */
  #open(name: string): MappedText {
    return MappedText.reference(name.replaceAll(/[{}"'\n]/g, ""), this.#given(name));
  }

  #given(name: string): unknown {
    return Object.hasOwn(this.#defined, name) ? given(this.#defined[name]) : undefined;
  }

  #found([map = "", first = "", second = ""]: string[], { DefaultValue }: Values): Resolved | undefined {
    const maps = members(members(this.#mappings[map])[first]);
    if (Object.hasOwn(maps, second)) return plain(maps[second]);
    return DefaultValue === undefined ? this.#open(`${map}.${first}.${second}`) : this.resolve(DefaultValue);
  }

  #sub(argument: unknown, pointer: string): MappedText {
    const [template, own] = Array.isArray(argument) ? [argument[0], members(argument[1])] : [argument, {}];
    const at = Array.isArray(argument) ? pointerTo(pointer, 0) : pointer;
    return textOf(this.resolve(template, at)).replaced(/\$\{(!?)([^}]+)\}/g, ([, literal, inner = ""], origin) => {
      if (literal) return `\${${inner}}`;
      const name = inner.trim();
      const value = Object.hasOwn(own, name) ? bare(this.resolve(own[name])) : this.#named(name);
      return MappedText.reference(name, value, origin);
    });
  }

  /** Returns the value of a name in Fn::Sub. Undefined if only a deployment knows it. */
  #named(name: string): unknown {
    const [id = name, attribute] = name.split(/\.(.*)/s);
    const value = attribute === undefined ? this.#reference(id) : this.#attribute(id, attribute);
    return value instanceof MappedText && value.isOpen ? undefined : (bare(value) ?? "");
  }

  #reference(id: string): Resolved | undefined {
    const looped = this.#loops.get(id);
    if (looped !== undefined) return MappedText.reference(id, looped);
    if (isObject(this.#parameters[id])) return this.#parameter(id, this.#parameters[id]);
    if (Object.hasOwn(this.#defined, id)) return MappedText.reference(id, given(this.#defined[id]));
    if (Object.hasOwn(this.#pseudo, id)) return known(id, this.#pseudo[id]);
    return MappedText.reference(id, this.#referenceTo(id));
  }

  #parameter(id: string, { Type, Default }: Values): MappedText {
    const isNumber = Type === "Number";
    const value = Object.hasOwn(this.#defined, id) ? this.#defined[id] : Default;
    if (value !== undefined) return MappedText.reference(id, isNumber && value !== "" ? Number(value) : value);
    // A parameter that is a number has no name as its default value.
    return MappedText.reference(id, /Number/.test(String(Type)) ? undefined : id);
  }

  #referenceTo(id: string): string {
    const name = this.#nameOf(id);
    switch (this.#typeOf(id)) {
      case "AWS::StepFunctions::StateMachine":
      case "AWS::Serverless::StateMachine":
        return this.#arn("states", `stateMachine:${name}`);
      case "AWS::StepFunctions::Activity":
        return this.#arn("states", `activity:${name}`);
      case "AWS::SNS::Topic":
        return this.#arn("sns", name);
      case "AWS::SQS::Queue":
        return `https://sqs.${this.#region}.${domainOf(this.#region)}/${this.#account}/${name}`;
      default:
        return name;
    }
  }

  #attribute(id: string, attribute: string): MappedText {
    const name = `${id}.${attribute}`;
    const value = Object.hasOwn(this.#defined, name) ? given(this.#defined[name]) : this.#attributeOf(id, attribute);
    return MappedText.reference(name, value);
  }

  #attributeOf(id: string, attribute: string): string | undefined {
    const type = this.#typeOf(id);
    if (attribute === "Name" || (attribute.endsWith("Name") && /^AWS::/.test(type))) return this.#nameOf(id);
    if (!/Arn$/.test(attribute)) return undefined;
    const name = this.#nameOf(id);
    if (/^AWS::(Lambda|Serverless)::Function$/.test(type)) return this.#arn("lambda", `function:${name}`);
    if (/::StateMachine$/.test(type)) return this.#arn("states", `stateMachine:${name}`);
    if (type === "AWS::StepFunctions::Activity") return this.#arn("states", `activity:${name}`);
    if (/^AWS::(DynamoDB::Table|Serverless::SimpleTable)$/.test(type)) return this.#arn("dynamodb", `table/${name}`);
    if (type === "AWS::S3::Bucket") return `arn:${this.#partition}:s3:::${name}`;
    if (type === "AWS::IAM::Role") return `arn:${this.#partition}:iam::${this.#account}:role/${name}`;
    // If the template does not contain the resource, it is most often a function.
    if (type === "") return this.#arn("lambda", `function:${name}`);
    if (!type.startsWith("AWS::")) return undefined;
    return this.#arn((type.split("::")[1] ?? "service").toLowerCase(), name);
  }

  #typeOf(id: string): string {
    const { Type } = members(this.#resources[id]);
    return typeof Type === "string" ? Type : "";
  }

  /** Returns the physical name of a resource: the one it requests, the id that the CDK's author gave it, or its logical id. */
  #nameOf(id: string): string {
    const made = this.#names.get(id);
    if (made !== undefined) return made;
    this.#names.set(id, id);
    const name = this.#madeName(id);
    this.#names.set(id, name);
    return name;
  }

  #madeName(id: string): string {
    const resource = members(this.#resources[id]);
    const properties = members(resource.Properties);
    const wanted = NAMES.map((key) => properties[key]).find((name) => name !== undefined);
    const name = wanted === undefined ? undefined : bare(this.resolve(wanted));
    if (typeof name === "string" && name !== id && name.length <= LONGEST_NAME && !name.includes("${")) return name;
    const path = members(resource.Metadata)["aws:cdk:path"];
    if (typeof path === "string" && /Function$|StateMachine$/.test(this.#typeOf(id)))
      return (
        path
          .split("/")
          .filter((part) => part !== "Resource")
          .at(-1) ?? id
      );
    return id;
  }

  get #region(): string {
    return String(this.#pseudo["AWS::Region"] ?? REGION);
  }

  get #partition(): string {
    return String(this.#pseudo["AWS::Partition"]);
  }

  get #account(): string {
    return String(this.#pseudo["AWS::AccountId"] ?? ACCOUNT);
  }

  #arn(service: string, resource: string): string {
    return `arn:${this.#partition}:${service}:${this.#region}:${this.#account}:${resource}`;
  }
}

/** Sets the source position of a function's result, unless it has one. */
function placed(value: Resolved | undefined, pointer: string): Resolved | undefined {
  if (!(value instanceof MappedText) || value.spans.length > 0) return value;
  return new MappedText(
    value.text,
    [{ start: 0, end: value.text.length, origin: { pointer, from: 0, to: 0 } }],
    value.references,
    value.whole,
  );
}

/** Returns the value of a pseudo parameter. AWS::NoValue is undefined. */
function known(id: string, value: unknown): Resolved | undefined {
  return value === undefined ? undefined : typeof value === "object" ? plain(value) : MappedText.reference(id, value);
}

/** Returns a JSON value unchanged. */
function plain(value: unknown): Resolved {
  return (value ?? null) as Resolved;
}

/** Describes the target of a Ref or an Fn::GetAtt. */
function shortOf(value: unknown): string {
  const [[, argument] = []] = Object.entries(members(value));
  return Array.isArray(argument)
    ? argument.filter((part) => typeof part === "string").join(".")
    : typeof argument === "string"
      ? argument
      : "";
}

function splitAt(text: MappedText, separator: string): MappedText[] {
  if (separator === "") return [text];
  const parts: MappedText[] = [];
  let at = 0;
  for (let next = text.text.indexOf(separator); next >= 0; next = text.text.indexOf(separator, at)) {
    parts.push(text.slice(at, next));
    at = next + separator.length;
  }
  return [...parts, text.slice(at)];
}

/** Replaces `${Name}` in every string of a value, like DefinitionSubstitutions. */
export function substituted(value: Resolved, substitutions: Values): Resolved {
  if (value instanceof MappedText) return value.whole === undefined ? substitutedText(value, substitutions) : value;
  if (Array.isArray(value)) return value.map((item) => substituted(item, substitutions));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value as { [name: string]: Resolved }).map(([key, item]) => [key, substituted(item, substitutions)]),
  );
}

export function substitutedText(text: MappedText, substitutions: Values): MappedText {
  return text.replaced(/\$\{([\w.:-]+)\}/g, ([, name = ""], origin) =>
    Object.hasOwn(substitutions, name) ? MappedText.reference(name, substitutions[name], origin) : undefined,
  );
}
