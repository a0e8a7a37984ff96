// Reads state machines from templates of CloudFormation and SAM, and from those that the CDK synthesizes.

import { isObject } from "../../core/base/json.ts";
import { pointerTo } from "../../core/base/pointer.ts";
import {
  inText,
  members,
  orProblem,
  type Known,
  type Machine,
  type Skipped,
  type NestedTemplate,
  type DefinitionLocation,
  type FileAccess,
  type Values,
} from "./template-machine.ts";
import { isStateMachine, typeOfMachine } from "./pseudo.ts";
import { Resolver, substituted, substitutedText } from "./resolver.ts";
import { MappedText, bare, textOf } from "./mapped-text.ts";

/** Returns whether a parsed document is a template of CloudFormation. */
export function isCloudFormation(value: unknown): value is Values {
  return isObject(value) && isObject(value.Resources);
}

/** Returns the state machines of a template by their logical ids. `at` is the JSON Pointer of the template in its file. */
export function machinesOfTemplate(
  template: Values,
  { defined = {}, files = {}, skipped = [] }: Known,
  pseudo: Values = {},
  at = "",
): Map<string, Machine> {
  const resolver = new Resolver(template, defined, pseudo);
  const machines = new Map<string, Machine>();
  const put = (id: string, content: unknown, resource: string) => {
    const { Type, Properties, Metadata } = members(content);
    skipped.push(...skippedAt(id, content, resource));
    if (!isStateMachine(Type)) return;
    const properties = members(Properties);
    const substitutions = { ...substitutionsOf(properties.DefinitionSubstitutions, resolver), ...defined };
    const reader: Reader = { resolver, substitutions, place: `${resource}/Properties`, files };
    machines.set(id, {
      name: id,
      aliases: aliasesOf(id, Metadata),
      type: bare(resolver.resolve(typeOfMachine(properties))),
      substitutions,
      resource,
      definition: orProblem(() => definitionOf(properties, Metadata, reader)),
    });
  };
  const unread = (id: string, content: unknown, message: string) => {
    const resource = pointerTo(at, "Resources", id);
    const problem = `it is made by ${message}`;
    if (hasMachine(content))
      machines.set(id, { name: id, type: undefined, substitutions: {}, resource, definition: { in: "nothing", problem } });
    else skipped.push({ pointer: resource, message: `resources are not read: they are made by ${message}` });
  };
  resolver.eachMember(members(template.Resources), pointerTo(at, "Resources"), put, unread);
  return machines;
}

/** Returns whether the resources of a loop include a state machine or a stack. */
function hasMachine(content: unknown, depth = 0): boolean {
  if (typeof content !== "object" || content === null || depth > 50) return false;
  const { Type } = content as Values;
  return isStateMachine(Type) || isStack(Type) || Object.values(content).some((inner) => hasMachine(inner, depth + 1));
}

function isStack(type: unknown): boolean {
  return type === "AWS::CloudFormation::Stack" || type === "AWS::CloudFormation::StackSet" || type === "AWS::Serverless::Application";
}

/** Returns the parts for resources that are not written in the template. */
function skippedAt(id: string, content: unknown, pointer: string): Skipped[] {
  const { Type, Name, Parameters } = members(content);
  if (typeof Type === "string" && Type.endsWith("::MODULE")) return [{ pointer, message: `${id} is not read: it is the module ${Type}` }];
  if (id !== "Fn::Transform") return [];
  const { Location } = members(Parameters);
  const where = typeof Location === "string" ? ` of ${Location}` : "";
  return [{ pointer, message: `resources are not read: they are what the macro ${String(Name)} makes${where}` }];
}

/** Returns the values of placeholders. A placeholder that only a deployment knows has none. */
function substitutionsOf(given: unknown, resolver: Resolver): Values {
  return Object.fromEntries(
    Object.entries(members(given)).flatMap(([name, content]) => {
      const value = resolver.resolve(content);
      return value === undefined || (value instanceof MappedText && value.isReference && value.isOpen) ? [] : [[name, bare(value)]];
    }),
  );
}

/** Returns the id that the CDK's author gave a construct, and its path. */
function aliasesOf(id: string, metadata: unknown): string[] {
  const path = members(metadata)["aws:cdk:path"];
  // Without a path, the logical id consists of the construct's id and a hash.
  const [, plain] = /^(.+?)[0-9A-F]{8}$/.exec(id) ?? [];
  if (typeof path !== "string") return plain === undefined ? [] : [plain];
  const construct = path.replace(/\/Resource$/, "");
  return [construct, construct.split("/").at(-1) ?? construct];
}

interface Reader {
  resolver: Resolver;
  substitutions: Values;
  /** The pointer of the properties. */
  place: string;
  files: FileAccess;
}

/** Returns where the resource of a state machine has its definition. */
function definitionOf(properties: Values, metadata: unknown, { resolver, substitutions, place, files }: Reader): DefinitionLocation {
  const { Definition, DefinitionString, DefinitionUri, DefinitionS3Location } = properties;
  const inTemplate = (given: unknown, pointer: string): DefinitionLocation => {
    const value = substituted(resolver.resolve(given, pointer) ?? null, substitutions);
    return value instanceof MappedText && value.isReference ? inText(value, pointer) : { in: "template", pointer, value };
  };
  if (Definition !== undefined) return inTemplate(Definition, `${place}/Definition`);
  if (DefinitionString !== undefined) {
    const pointer = `${place}/DefinitionString`;
    const [[name, argument] = [], ...others] = Object.entries(members(DefinitionString));
    if (name === "Fn::ToJsonString" && others.length === 0 && isObject(argument)) return inTemplate(argument, pointerTo(pointer, name));
    // The definition is an object, although the property requires a string.
    if (name === "StartAt" || others.length > 0) return inTemplate(DefinitionString, pointer);
    return inText(substitutedText(textOf(resolver.resolve(DefinitionString, pointer)), substitutions), pointer);
  }
  const location = DefinitionUri ?? DefinitionS3Location;
  if (location === undefined) return { in: "nothing", problem: "it has no definition" };
  const resolved = bare(resolver.resolve(location));
  if (typeof location === "string" && !location.startsWith("s3://")) return { in: "file", path: String(resolved) };
  const path = assetOf(resolved, metadata, files);
  if (path !== undefined) return { in: "file", path };
  return { in: "nothing", problem: "its definition is an object in S3, which stepglass does not read: pass the definition's file instead" };
}

/** Returns the file of an asset. The template refers to it as an object in a bucket. */
function assetOf(location: unknown, metadata: unknown, { exists, siblings, value }: FileAccess): string | undefined {
  const { "aws:asset:path": named } = members(metadata);
  if (typeof named === "string" && exists?.(named)) return named;
  const { Key } = members(location);
  const key = typeof location === "string" ? location : Key;
  const last = typeof key === "string" ? key.split("/").at(-1) : undefined;
  if (last === undefined || last === "") return undefined;
  if (exists?.(`asset.${last}`)) return `asset.${last}`;
  const hash = last.split(".")[0] ?? "";
  if (hash.length < 16) return undefined;
  const names = siblings?.() ?? [];
  for (const name of names.filter((one) => one.endsWith(".assets.json"))) {
    const { source } = members(members(members(value?.(name)).files)[hash]);
    const { path } = members(source);
    if (typeof path === "string" && exists?.(path)) return path;
  }
  return names.find((name) => name.includes(hash) && !name.endsWith(".template.json"));
}

/** Returns the templates in files that a template deploys as nested stacks. */
export function nestedTemplates(
  template: Values,
  { defined = {}, files = {}, skipped = [] }: Known,
  pseudo: Values = {},
): NestedTemplate[] {
  const resolver = new Resolver(template, defined, pseudo);
  const nested: NestedTemplate[] = [];
  const put = (name: string, content: unknown, pointer: string) => {
    const { Type, Properties, Metadata } = members(content);
    if (!isStack(Type)) return;
    const { TemplateURL, Location, Parameters } = members(Properties);
    const location = TemplateURL ?? Location;
    const isFile = typeof location === "string" && !/^(https?|s3):/.test(location);
    const resolved = textOf(resolver.resolve(location) ?? null).text;
    const path = isFile ? resolved : assetOf(resolved, Metadata, files);
    if (path !== undefined) nested.push({ name, path, pointer, parameters: members(bare(resolver.resolve(members(Parameters)))) });
    else
      skipped.push({ pointer, message: `${name} is not read: its template is no file here${resolved === "null" ? "" : ` (${resolved})`}` });
  };
  // A loop over unknown values is reported together with the machines.
  resolver.eachMember(members(template.Resources), "/Resources", put, () => {});
  return nested;
}

/** Returns the exports of a template, by name. */
export function exportsOf(template: Values, known: Known, pseudo: Values = {}): Values {
  const resolver = new Resolver(template, known.defined, pseudo);
  return Object.fromEntries(
    Object.values(members(template.Outputs)).flatMap((output) => {
      const { Export, Value } = members(output);
      const name = bare(resolver.resolve(members(Export).Name));
      const value = resolver.resolve(Value);
      return typeof name === "string" && value !== undefined ? [[name, textOf(value).text]] : [];
    }),
  );
}
