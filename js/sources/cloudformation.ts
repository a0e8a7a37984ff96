// State machines of CloudFormation's templates, SAM's, and those that the CDK synthesizes.

import { isObject } from "../base/json.ts";
import { pointerTo } from "../base/pointer.ts";
import {
  inText,
  members,
  orProblem,
  type Known,
  type Machine,
  type NestedTemplate,
  type Place,
  type Surroundings,
  type Values,
} from "./machine.ts";
import { isStateMachine, typeOfMachine } from "./pseudo.ts";
import { Resolver, substituted, substitutedText } from "./resolver.ts";
import { Traced, bare, textOf } from "./traced.ts";

/** Whether a parsed document is a template of CloudFormation. */
export function isCloudFormation(value: unknown): value is Values {
  return isObject(value) && isObject(value.Resources);
}

/** The state machines of a template by their logical ids. */
export function machinesOfTemplate(template: Values, { defined = {}, files = {} }: Known, pseudo: Values = {}): Map<string, Machine> {
  const resolver = new Resolver(template, defined, pseudo);
  const machines = new Map<string, Machine>();
  for (const [id, held] of Object.entries(members(template.Resources))) {
    const { Type, Properties, Metadata } = members(held);
    if (!isStateMachine(Type)) continue;
    const properties = members(Properties);
    const resource = pointerTo("", "Resources", id);
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
  }
  return machines;
}

/** Values of placeholders; those that only a deployment knows have none. */
function substitutionsOf(given: unknown, resolver: Resolver): Values {
  return Object.fromEntries(
    Object.entries(members(given)).flatMap(([name, held]) => {
      const value = resolver.resolve(held);
      return value === undefined || (value instanceof Traced && value.isReference && value.isOpen) ? [] : [[name, bare(value)]];
    }),
  );
}

/** The name that the CDK's author gave a construct, and its path. */
function aliasesOf(id: string, metadata: unknown): string[] {
  const path = members(metadata)["aws:cdk:path"];
  // Without paths a logical id is the construct's name, and a hash.
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
  files: Surroundings;
}

/** Where the resource of a state machine has its definition. */
function definitionOf(properties: Values, metadata: unknown, { resolver, substitutions, place, files }: Reader): Place {
  const { Definition, DefinitionString, DefinitionUri, DefinitionS3Location } = properties;
  const inTemplate = (value: unknown, pointer: string): Place => ({
    in: "template",
    pointer,
    value: substituted(resolver.resolve(value, pointer) ?? null, substitutions),
  });
  if (Definition !== undefined) return inTemplate(Definition, `${place}/Definition`);
  if (DefinitionString !== undefined) {
    const pointer = `${place}/DefinitionString`;
    const [[name, argument] = [], ...others] = Object.entries(members(DefinitionString));
    if (name === "Fn::ToJsonString" && others.length === 0 && isObject(argument)) return inTemplate(argument, pointerTo(pointer, name));
    // Written out where a text belongs.
    if (name === "StartAt" || others.length > 0) return inTemplate(DefinitionString, pointer);
    return inText(substitutedText(textOf(resolver.resolve(DefinitionString, pointer)), substitutions), pointer);
  }
  const location = DefinitionUri ?? DefinitionS3Location;
  if (location === undefined) return { in: "nothing", problem: "it has no definition" };
  if (typeof location === "string" && !location.startsWith("s3://")) return { in: "file", path: location };
  const path = assetOf(bare(resolver.resolve(location)), metadata, files);
  if (path !== undefined) return { in: "file", path };
  return { in: "nothing", problem: "its definition is an object in S3, which stepglass does not read: pass the definition's file instead" };
}

/** The file of an asset, which the template has in a bucket. */
function assetOf(location: unknown, metadata: unknown, { exists, siblings, value }: Surroundings): string | undefined {
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

/** The templates in files that a template deploys as stacks of their own. */
export function nestedTemplates(template: Values, { defined = {}, files = {} }: Known, pseudo: Values = {}): NestedTemplate[] {
  const resolver = new Resolver(template, defined, pseudo);
  return Object.entries(members(template.Resources)).flatMap(([name, held]) => {
    const { Type, Properties, Metadata } = members(held);
    if (Type !== "AWS::CloudFormation::Stack" && Type !== "AWS::Serverless::Application") return [];
    const { TemplateURL, Location, Parameters } = members(Properties);
    const location = TemplateURL ?? Location;
    const isFile = typeof location === "string" && !/^(https?|s3):/.test(location);
    const path = isFile ? location : assetOf(textOf(resolver.resolve(location) ?? null).text, Metadata, files);
    return path === undefined ? [] : [{ name, path, parameters: members(bare(resolver.resolve(members(Parameters)))) }];
  });
}

/** What a template exports, by name. */
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
