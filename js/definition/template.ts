// @ts-nocheck: has no types yet.
// State machines inside of other files: CloudFormation, SAM and CDK templates, serverless.yml.

import { existsSync, readdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { YAMLMap, YAMLSeq } from "yaml";
import { pointerTo } from "../base/pointer.ts";

const REGION = "us-east-1";
const ACCOUNT = "123456789012";

const PSEUDO = {
  "AWS::AccountId": ACCOUNT,
  "AWS::NoValue": undefined,
  "AWS::NotificationARNs": [],
  "AWS::Partition": "aws",
  "AWS::Region": REGION,
  "AWS::StackId": `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/stack/1`,
  "AWS::StackName": "stack",
  "AWS::URLSuffix": "amazonaws.com",
};

const TAGS = ["Ref", "Condition", "And", "Base64", "Cidr", "Equals", "FindInMap", "GetAtt", "GetAZs", "If", "ImportValue", "Join", "Not", "Or", "Select", "Split", "Sub", "ToJsonString", "Transform"];

/** The short forms of CloudFormation's functions, as YAML tags that stand for the long forms. */
export const intrinsicTags = TAGS.flatMap((name) => {
  const key = name === "Ref" || name === "Condition" ? name : `Fn::${name}`;
  const long = (Base) =>
    class extends Base {
      toJSON(_, context) {
        return { [key]: super.toJSON(_, context) };
      }
    };
  return [
    { tag: `!${name}`, resolve: (text) => ({ [key]: name === "GetAtt" ? text.split(/\.(.*)/s).slice(0, 2) : text }) },
    { tag: `!${name}`, collection: "seq", nodeClass: long(YAMLSeq) },
    { tag: `!${name}`, collection: "map", nodeClass: long(YAMLMap) },
  ];
});

/**
 * The state machines of a parsed template by name, or undefined if it is none. Each is
 * `{name, type, pointer, value}`, `{…, path, substitutions}` or `{…, text}`: inline, in a file of its own, as a string.
 */
export function machinesOf(template, file, defined = {}) {
  if (typeof template !== "object" || template === null || template.States !== undefined) return undefined;
  if (typeof template.Resources === "object" && template.Resources !== null) return ofCloudFormation(template, file, defined);
  const serverless = template.stepFunctions?.stateMachines;
  if (typeof serverless === "object" && serverless !== null) return ofServerless(template, serverless, file, defined);
  return undefined;
}

function ofCloudFormation(template, file, defined) {
  const resolver = new Resolver(template, defined);
  const machines = new Map();
  for (const [id, resource] of Object.entries(template.Resources)) {
    const type = resource?.Type;
    if (type !== "AWS::StepFunctions::StateMachine" && type !== "AWS::Serverless::StateMachine") continue;
    const properties = resource.Properties ?? {};
    const substitutions = { ...resolver.resolve(properties.DefinitionSubstitutions ?? {}), ...defined };
    const place = pointerTo("/Resources", id);
    const machine = { name: id, type: properties.StateMachineType ?? properties.Type, substitutions, resource: place };
    const { Definition, DefinitionString, DefinitionUri, DefinitionS3Location } = properties;
    if (Definition !== undefined) {
      Object.assign(machine, { pointer: `${place}/Properties/Definition`, value: substituted(resolver.resolve(Definition), substitutions) });
    } else if (DefinitionString !== undefined) {
      const text = resolver.resolve(DefinitionString);
      machine.text = substituted(typeof text === "string" ? text : JSON.stringify(text), substitutions);
    } else if (typeof DefinitionUri === "string" && !DefinitionUri.startsWith("s3://")) {
      machine.path = beside(file, DefinitionUri);
    } else {
      machine.path = asset(resolver.resolve(DefinitionS3Location ?? DefinitionUri ?? {}), resource.Metadata, file);
      if (machine.path === undefined) machine.problem = "its definition is an object in S3, which stepglass does not read: pass the definition's file instead";
    }
    machines.set(id, machine);
  }
  return machines;
}

function beside(file, path) {
  return isAbsolute(path) ? path : join(dirname(file), path);
}

/** Where the CDK has put a definition that the template has in a bucket. */
function asset(location, metadata, file) {
  const named = metadata?.["aws:asset:path"];
  const key = typeof location === "string" ? location.split("/").at(-1) : location?.Key;
  const names = [named, key && `asset.${String(key).split("/").at(-1)}`].filter((name) => typeof name === "string");
  const found = names.map((name) => join(dirname(file), name)).find((path) => existsSync(path));
  if (found !== undefined || typeof key !== "string") return found;
  const hash = key.split("/").at(-1).split(".")[0];
  const near = hash.length < 16 || !existsSync(dirname(file)) ? undefined : readdirSync(dirname(file) || ".").find((name) => name.includes(hash) && !name.endsWith(".template.json"));
  return near && join(dirname(file), near);
}

function ofServerless({ functions = {}, resources = {} }, stateMachines, file, defined) {
  // A function goes by its key, and by the logical id that the framework gives it.
  const lambda = (name) => ({ Type: "AWS::Lambda::Function", Properties: { FunctionName: name } });
  const ids = Object.keys(functions ?? {}).flatMap((name) => [[name, lambda(name)], [`${name[0].toUpperCase()}${name.slice(1).replaceAll("-", "Dash").replaceAll("_", "Underscore")}LambdaFunction`, lambda(name)]]);
  const resolver = new Resolver({ Resources: { ...Object.fromEntries(ids), ...resources?.Resources } });
  const machines = new Map();
  for (const [id, machine] of Object.entries(stateMachines)) {
    const place = pointerTo("/stepFunctions/stateMachines", id);
    const found = { name: typeof machine?.name === "string" && !machine.name.includes("${") ? machine.name : id, type: machine?.type, substitutions: {}, resource: place };
    const { definition } = machine ?? {};
    const imported = typeof definition === "string" ? /^\$\{file\(([^)]+)\)(?::([^}]*))?\}$/.exec(definition.trim()) : undefined;
    if (imported) Object.assign(found, { path: beside(file, imported[1].trim()), member: imported[2] });
    else if (typeof definition === "object" && definition !== null) {
      Object.assign(found, { pointer: `${place}/definition`, value: substituted(resolver.resolve(definition), defined) });
    } else found.problem = "it has no definition";
    machines.set(id, found);
  }
  return machines;
}

/** `${Name}` in every text of a value, as DefinitionSubstitutions say. */
export function substituted(value, substitutions) {
  if (typeof value === "string") return value.replace(/\$\{([A-Za-z0-9_]+)\}/g, (whole, name) => (Object.hasOwn(substitutions, name) ? String(substitutions[name]) : whole));
  if (Array.isArray(value)) return value.map((item) => substituted(item, substitutions));
  if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substituted(item, substitutions)]));
  return value;
}

/** CloudFormation's functions as far as they need no account: names and ARNs as they would be in us-east-1 of 123456789012. */
class Resolver {
  #template;
  /** Values of parameters, by --define. */
  #defined;

  constructor(template, defined = {}) {
    this.#template = template;
    this.#defined = defined;
  }

  resolve(value) {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item)).filter((item) => item !== undefined);
    if (typeof value !== "object" || value === null) return value;
    const [[name, argument] = []] = Object.entries(value);
    if (name !== undefined && Object.keys(value).length === 1) {
      const call = this.#call(name, argument);
      if (call !== undefined) return call.value;
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.resolve(item)]).filter(([, item]) => item !== undefined));
  }

  #call(name, argument) {
    const list = () => (Array.isArray(argument) ? argument : []);
    switch (name) {
      case "Ref":
        return typeof argument === "string" ? { value: this.#reference(argument) } : undefined;
      case "Fn::GetAtt": {
        const [id, attribute] = typeof argument === "string" ? argument.split(/\.(.*)/s) : list();
        return { value: this.#attribute(String(id), String(this.resolve(attribute))) };
      }
      case "Fn::Sub": {
        const [text, variables = {}] = typeof argument === "string" ? [argument] : list();
        const own = this.resolve(variables);
        return { value: String(text).replace(/\$\{(!?)([^}]+)\}/g, (whole, literal, inner) => (literal ? `\${${inner}}` : this.#named(inner.trim(), own))) };
      }
      case "Fn::Join": {
        const [separator, parts] = list();
        const items = this.resolve(parts);
        return { value: Array.isArray(items) ? items.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(separator) : "" };
      }
      case "Fn::Split": {
        const [separator, text] = list();
        return { value: String(this.resolve(text)).split(separator) };
      }
      case "Fn::Select": {
        const [index, items] = list();
        return { value: this.resolve(items)?.[Number(this.resolve(index))] };
      }
      case "Fn::FindInMap": {
        const [map, first, second] = this.resolve(list());
        return { value: this.resolve(this.#template.Mappings?.[map]?.[first]?.[second]) ?? `${map}.${first}.${second}` };
      }
      case "Fn::ImportValue":
        return { value: String(this.resolve(argument)) };
      case "Fn::If":
        // Which way a condition goes is known at deployment only.
        return { value: this.resolve(list()[1]) };
      case "Fn::ToJsonString":
        return { value: JSON.stringify(this.resolve(argument)) };
      default:
        return undefined;
    }
  }

  #named(name, own) {
    if (Object.hasOwn(own, name)) return String(own[name]);
    // Its name would be no number.
    const parameter = this.#template.Parameters?.[name];
    if (/Number/.test(parameter?.Type) && parameter.Default === undefined && !Object.hasOwn(this.#defined, name)) return `\${${name}}`;
    const [id, attribute] = name.split(/\.(.*)/s);
    return String(attribute === undefined ? this.#reference(id) : this.#attribute(id, attribute));
  }

  #reference(id) {
    if (Object.hasOwn(PSEUDO, id)) return PSEUDO[id];
    const parameter = this.#template.Parameters?.[id];
    if (parameter !== undefined && Object.hasOwn(this.#defined, id)) return parameter.Type === "Number" ? Number(this.#defined[id]) : this.#defined[id];
    if (parameter !== undefined) return parameter.Default ?? id;
    const name = this.#nameOf(id);
    switch (this.#template.Resources?.[id]?.Type) {
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

  #attribute(id, attribute) {
    const type = this.#template.Resources?.[id]?.Type ?? "";
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
  #nameOf(id) {
    const { Properties = {}, Metadata = {}, Type = "" } = this.#template.Resources?.[id] ?? {};
    const wanted = ["FunctionName", "StateMachineName", "Name", "QueueName", "TopicName", "TableName", "BucketName"].map((key) => Properties[key]).find((name) => name !== undefined);
    const name = wanted === undefined ? undefined : this.resolve(wanted);
    if (typeof name === "string" && name !== id && !name.includes("${")) return name;
    const path = Metadata["aws:cdk:path"];
    if (typeof path === "string" && /Function$|StateMachine$/.test(Type)) return path.split("/").filter((part) => part !== "Resource").at(-1) ?? id;
    return id;
  }
}

function arn(service, resource) {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}
