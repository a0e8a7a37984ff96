// State machines inside of other files: CloudFormation, SAM and CDK templates, serverless.yml.

import { existsSync, readdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isObject } from "../base/json.ts";
import { pointerTo } from "../base/pointer.ts";
import { ACCOUNT, PSEUDO_PARAMETERS, REGION, isStateMachine, typeOfMachine } from "./cloudformation.ts";

/** Where a template has a definition: in itself, in a string, in a file, or in nothing that can be read. */
export type Place =
  | { in: "template"; pointer: string; value: unknown }
  | { in: "string"; text: string }
  | { in: "file"; path: string; member?: string | undefined }
  | { in: "nothing"; problem: string };

/** A state machine of a template. */
export interface Machine {
  name: string;
  /** STANDARD or EXPRESS, where the template has it. */
  type: unknown;
  /** Values of the placeholders in its definition. */
  substitutions: Record<string, unknown>;
  /** The JSON Pointer of the machine's resource. */
  resource: string;
  definition: Place;
}

type Values = Record<string, unknown>;

/** The state machines of a parsed template by their logical ids; undefined if it is none. `defined` are values of placeholders. */
export function machinesOf(template: unknown, file: string, defined: Values = {}): Map<string, Machine> | undefined {
  if (!isObject(template) || template.States !== undefined) return undefined;
  if (typeof template.Resources === "object" && template.Resources !== null) return ofCloudFormation(template, file, defined);
  const { stepFunctions } = template;
  const serverless = isObject(stepFunctions) ? stepFunctions.stateMachines : undefined;
  if (typeof serverless === "object" && serverless !== null) return ofServerless(template, serverless, file, defined);
  return undefined;
}

/** The members of an object; none of anything else. */
function members(value: unknown): Values {
  return isObject(value) ? value : {};
}

function ofCloudFormation(template: Values, file: string, defined: Values): Map<string, Machine> {
  const resolver = new Resolver(template, defined);
  const machines = new Map<string, Machine>();
  for (const [id, held] of Object.entries(template.Resources ?? {})) {
    const resource = members(held);
    if (!isStateMachine(resource.Type)) continue;
    const properties = members(resource.Properties);
    const substitutions = { ...members(resolver.resolve(properties.DefinitionSubstitutions ?? {})), ...defined };
    const place = pointerTo("", "Resources", id);
    const definition = definitionOf(properties, resource.Metadata, { resolver, substitutions, place, file });
    machines.set(id, { name: id, type: typeOfMachine(properties), substitutions, resource: place, definition });
  }
  return machines;
}

/** Where the resource of a state machine has its definition. */
function definitionOf(
  properties: Values,
  metadata: unknown,
  { resolver, substitutions, place, file }: { resolver: Resolver; substitutions: Values; place: string; file: string },
): Place {
  const { Definition, DefinitionString, DefinitionUri, DefinitionS3Location } = properties;
  if (Definition !== undefined)
    return { in: "template", pointer: `${place}/Properties/Definition`, value: substituted(resolver.resolve(Definition), substitutions) };
  if (DefinitionString !== undefined) {
    const text = resolver.resolve(DefinitionString);
    return { in: "string", text: substitutedText(typeof text === "string" ? text : JSON.stringify(text), substitutions) };
  }
  if (typeof DefinitionUri === "string" && !DefinitionUri.startsWith("s3://")) return { in: "file", path: beside(file, DefinitionUri) };
  const path = asset(resolver.resolve(DefinitionS3Location ?? DefinitionUri ?? {}), metadata, file);
  if (path !== undefined) return { in: "file", path };
  return { in: "nothing", problem: "its definition is an object in S3, which stepglass does not read: pass the definition's file instead" };
}

function beside(file: string, path: string): string {
  return isAbsolute(path) ? path : join(dirname(file), path);
}

/** Where the CDK has put a definition that the template has in a bucket. */
function asset(location: unknown, metadata: unknown, file: string): string | undefined {
  const named = members(metadata)["aws:asset:path"];
  const key = typeof location === "string" ? location.split("/").at(-1) : members(location).Key;
  const names = [named, key && `asset.${String(key).split("/").at(-1)}`].filter((name) => typeof name === "string");
  const found = names.map((name) => join(dirname(file), name)).find((path) => existsSync(path));
  if (found !== undefined || typeof key !== "string") return found;
  const hash = key.split("/").at(-1)?.split(".")[0] ?? "";
  if (hash.length < 16 || !existsSync(dirname(file))) return undefined;
  const near = readdirSync(dirname(file)).find((name) => name.includes(hash) && !name.endsWith(".template.json"));
  return near && join(dirname(file), near);
}

function ofServerless(template: Values, stateMachines: object, file: string, defined: Values): Map<string, Machine> {
  // A function goes by its key, and by the logical id that the framework gives it.
  const lambda = (name: string) => ({ Type: "AWS::Lambda::Function", Properties: { FunctionName: name } });
  const functions = Object.keys(members(template.functions)).flatMap((name) => {
    const id = `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("-", "Dash").replaceAll("_", "Underscore")}LambdaFunction`;
    return [
      [name, lambda(name)],
      [id, lambda(name)],
    ];
  });
  const resolver = new Resolver({ Resources: { ...Object.fromEntries(functions), ...members(members(template.resources).Resources) } });
  const machines = new Map<string, Machine>();
  for (const [id, held] of Object.entries(stateMachines)) {
    const machine = members(held);
    const resource = pointerTo("", "stepFunctions", "stateMachines", id);
    const name = typeof machine.name === "string" && !machine.name.includes("${") ? machine.name : id;
    machines.set(id, {
      name,
      type: machine.type,
      substitutions: {},
      resource,
      definition: serverlessDefinition(machine.definition, resource, file, resolver, defined),
    });
  }
  return machines;
}

function serverlessDefinition(definition: unknown, resource: string, file: string, resolver: Resolver, defined: Values): Place {
  const [, path, member] = typeof definition === "string" ? (/^\$\{file\(([^)]+)\)(?::([^}]*))?\}$/.exec(definition.trim()) ?? []) : [];
  if (path !== undefined) return { in: "file", path: beside(file, path.trim()), member };
  if (typeof definition === "object" && definition !== null)
    return { in: "template", pointer: `${resource}/definition`, value: substituted(resolver.resolve(definition), defined) };
  return { in: "nothing", problem: "it has no definition" };
}

/** `${Name}` in every text of a value, as DefinitionSubstitutions say. */
function substituted(value: unknown, substitutions: Values): unknown {
  if (typeof value === "string") return substitutedText(value, substitutions);
  if (Array.isArray(value)) return value.map((item) => substituted(item, substitutions));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substituted(item, substitutions)]));
  return value;
}

function substitutedText(text: string, substitutions: Values): string {
  return text.replace(/\$\{([A-Za-z0-9_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(substitutions, name) ? String(substitutions[name]) : whole,
  );
}

/** CloudFormation's functions as far as they need no account: names and ARNs as they would be in us-east-1 of 123456789012. */
class Resolver {
  #resources: Values;
  #parameters: Values;
  #mappings: Values;
  /** Values of parameters, by --define. */
  #defined: Values;

  constructor(template: Values, defined: Values = {}) {
    this.#resources = members(template.Resources);
    this.#parameters = members(template.Parameters);
    this.#mappings = members(template.Mappings);
    this.#defined = defined;
  }

  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item)).filter((item) => item !== undefined);
    if (!isObject(value)) return value;
    const [[name, argument] = ["", undefined], ...others] = Object.entries(value);
    if (others.length === 0) {
      const call = this.#call(name, argument);
      if (call !== undefined) return call.value;
    }
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, item]) => [key, this.resolve(item)])
        .filter(([, item]) => item !== undefined),
    );
  }

  /** What a function of CloudFormation gives; undefined for a name that is none. */
  #call(name: string, argument: unknown): { value: unknown } | undefined {
    const args: unknown[] = Array.isArray(argument) ? argument : [];
    switch (name) {
      case "Ref":
        return typeof argument === "string" ? { value: this.#reference(argument) } : undefined;
      case "Fn::GetAtt": {
        const [id, attribute] = typeof argument === "string" ? argument.split(/\.(.*)/s) : args;
        return { value: this.#attribute(String(id), String(this.resolve(attribute))) };
      }
      case "Fn::Sub":
        return {
          value: typeof argument === "string" ? this.#sub(argument, {}) : this.#sub(String(args[0]), members(this.resolve(args[1]))),
        };
      case "Fn::Join": {
        const [separator, parts] = args;
        const items = this.resolve(parts);
        return {
          value: Array.isArray(items)
            ? items.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(String(separator))
            : "",
        };
      }
      case "Fn::Split": {
        const [separator, text] = args;
        return { value: String(this.resolve(text)).split(String(separator)) };
      }
      case "Fn::Select": {
        const [index, items] = args;
        const resolved = this.resolve(items);
        return { value: Array.isArray(resolved) ? resolved[Number(this.resolve(index))] : undefined };
      }
      case "Fn::FindInMap": {
        const [map, first, second] = args.map((arg) => String(this.resolve(arg)));
        const found = members(members(this.#mappings[String(map)])[String(first)])[String(second)];
        return { value: this.resolve(found) ?? `${map}.${first}.${second}` };
      }
      case "Fn::ImportValue":
        return { value: String(this.resolve(argument)) };
      case "Fn::If":
        // Which way a condition goes is known at deployment only.
        return { value: this.resolve(args[1]) };
      case "Fn::ToJsonString":
        return { value: JSON.stringify(this.resolve(argument)) };
      default:
        return undefined;
    }
  }

  #sub(text: string, own: Values): string {
    return text.replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, inner: string) =>
      literal ? `\${${inner}}` : this.#named(inner.trim(), own),
    );
  }

  #named(name: string, own: Values): string {
    if (Object.hasOwn(own, name)) return String(own[name]);
    // Its name would be no number.
    const { Type, Default } = members(this.#parameters[name]);
    if (/Number/.test(String(Type)) && Default === undefined && !Object.hasOwn(this.#defined, name)) return `\${${name}}`;
    const [id = name, attribute] = name.split(/\.(.*)/s);
    return String(attribute === undefined ? this.#reference(id) : this.#attribute(id, attribute));
  }

  #reference(id: string): unknown {
    if (Object.hasOwn(PSEUDO_PARAMETERS, id)) return PSEUDO_PARAMETERS[id];
    if (isObject(this.#parameters[id])) {
      const { Type, Default } = this.#parameters[id];
      if (Object.hasOwn(this.#defined, id)) return Type === "Number" ? Number(this.#defined[id]) : this.#defined[id];
      return Default ?? id;
    }
    const name = this.#nameOf(id);
    switch (this.#typeOf(id)) {
      case "AWS::StepFunctions::StateMachine":
      case "AWS::Serverless::StateMachine":
        return arn("states", `stateMachine:${name}`);
      case "AWS::StepFunctions::Activity":
        return arn("states", `activity:${name}`);
      case "AWS::SNS::Topic":
        return arn("sns", name);
      case "AWS::SQS::Queue":
        return `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`;
      default:
        return name;
    }
  }

  #typeOf(id: string): string {
    const { Type } = members(this.#resources[id]);
    return typeof Type === "string" ? Type : "";
  }

  #attribute(id: string, attribute: string): string {
    const type = this.#typeOf(id);
    const name = this.#nameOf(id);
    if (attribute === "Name" || attribute.endsWith("Name")) return name;
    if (!/Arn$/.test(attribute)) return `${name}.${attribute}`;
    if (/^AWS::(Lambda|Serverless)::Function$/.test(type)) return arn("lambda", `function:${name}`);
    if (/::StateMachine$/.test(type)) return arn("states", `stateMachine:${name}`);
    if (type === "AWS::StepFunctions::Activity") return arn("states", `activity:${name}`);
    if (/^AWS::(DynamoDB::Table|Serverless::SimpleTable)$/.test(type)) return arn("dynamodb", `table/${name}`);
    if (type === "AWS::S3::Bucket") return `arn:aws:s3:::${name}`;
    if (type === "AWS::IAM::Role") return `arn:aws:iam::${ACCOUNT}:role/${name}`;
    // Functions of other stacks and of code that the template does not show.
    if (type === "" && /Lambda|Function/i.test(id)) return arn("lambda", `function:${name}`);
    return arn((type.split("::")[1] ?? "service").toLowerCase(), name);
  }

  /** The physical name that a resource asks for, the name that the CDK's author gave it, or its logical id. */
  #nameOf(id: string): string {
    const resource = members(this.#resources[id]);
    const properties = members(resource.Properties);
    const wanted = ["FunctionName", "StateMachineName", "Name", "QueueName", "TopicName", "TableName", "BucketName"]
      .map((key) => properties[key])
      .find((name) => name !== undefined);
    const name = wanted === undefined ? undefined : this.resolve(wanted);
    if (typeof name === "string" && name !== id && !name.includes("${")) return name;
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
}

function arn(service: string, resource: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}
