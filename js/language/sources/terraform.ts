// Reads state machines from Terraform: the JSON of plans and states, and configurations in either syntax.

import { isObject } from "../../core/base/json.ts";
import { pointerTo } from "../../core/base/pointer.ts";
import { parseFile, parseTemplate, type Body, type Expression, type HclFault } from "./hcl.ts";
import { Unread, members, orProblem, type Known, type Machine, type DefinitionLocation, type Values } from "./template-machine.ts";
import { Module, type Resource } from "./module.ts";
import { MappedText, bare } from "./mapped-text.ts";

const MACHINE = "aws_sfn_state_machine";
/** Maximum nesting depth of modules. */
const DEPTH = 50;

/** Returns whether a parsed document is the output of `terraform show -json`, or a configuration in JSON. */
export function isTerraform(value: unknown): value is Values {
  return isPlan(value) || isConfiguration(value);
}

function isPlan(value: unknown): boolean {
  if (!isObject(value) || typeof value.format_version !== "string") return false;
  return isObject(value.planned_values) || isObject(value.values);
}

function isConfiguration(value: unknown): boolean {
  if (!isObject(value)) return false;
  const has = (content: unknown): boolean =>
    Array.isArray(content) ? content.some(has) : isObject(content) && Object.hasOwn(content, MACHINE);
  return (
    has(value.resource) ||
    each(value.module).some((modules) =>
      Object.values(modules).some((content) => each(content).some(({ source }) => typeof source === "string")),
    )
  );
}

/** Returns the blocks of a kind. In JSON they are one object, or a list of objects. */
function each(content: unknown): Values[] {
  return (Array.isArray(content) ? content : [content]).filter((one) => isObject(one));
}

/** Returns the state machines of a plan, a state or a configuration in JSON, by their addresses. */
export function machinesOfTerraform(value: Values, known: Known): Map<string, Machine> {
  if (isPlan(value)) return ofPlan(value);
  const module = new Module(known);
  module.add(bodyOf(value));
  addSiblings(module, known);
  return machinesOfModule(module, known);
}

/** The state machines of a configuration in Terraform's own language. */
interface Configuration {
  machines: Map<string, Machine>;
  /** The faults outside of the machines. */
  faults: HclFault[];
  /** Other files that were read: those of modules, and templates. */
  files: Set<string>;
}

/** Reads the state machines of a configuration in Terraform's own language, and the faults outside of them. */
export function machinesOfConfiguration(text: string, known: Known): Configuration {
  const module = new Module(known);
  const body = parseFile(text);
  module.add(body);
  addSiblings(module, known);
  const files = new Set<string>();
  return { machines: machinesOfModule(module, known, files), faults: body.faults, files };
}

/** Returns whether a block that cannot be parsed is of a kind that contains machines. */
export function isMachineBlock(line: string): boolean {
  return line.includes(MACHINE);
}

// --------------------------------------------------------------------------------------------------------- plans

function ofPlan(plan: Values): Map<string, Machine> {
  const machines = new Map<string, Machine>();
  const [member, content] = isObject(plan.planned_values) ? ["planned_values", plan.planned_values] : ["values", members(plan.values)];
  const walk = (module: unknown, pointer: string, depth: number) => {
    const { resources, child_modules } = members(module);
    for (const [i, one] of list(resources).entries()) {
      const { type, address, name, mode, values } = members(one);
      if (type !== MACHINE || mode === "data" || typeof address !== "string") continue;
      const resource = pointerTo(pointer, "resources", i);
      const { definition, name: given, type: kind } = members(values);
      machines.set(address, {
        name: typeof given === "string" ? given : String(name),
        aliases: [String(name), ...(typeof given === "string" ? [given] : [])],
        type: kind,
        substitutions: {},
        resource,
        definition: planned(definition, pointerTo(resource, "values", "definition"), address, plan),
      });
    }
    if (depth < DEPTH)
      for (const [i, child] of list(child_modules).entries()) walk(child, pointerTo(pointer, "child_modules", i), depth + 1);
  };
  walk(content.root_module, `/${member}/root_module`, 0);
  return machines;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function planned(definition: unknown, pointer: string, address: string, plan: Values): DefinitionLocation {
  if (typeof definition === "string")
    return { in: "string", text: MappedText.of(definition, { pointer, from: 0, to: definition.length }), pointer };
  const references = referencesOf(address, plan);
  const why = references.length > 0 ? `, because it refers to ${references.join(", ")}` : "";
  return {
    in: "nothing",
    problem: `Terraform knows its definition only after apply${why}: pass the .tf file instead, or the output of terraform show -json after apply`,
  };
}

/** Returns the references of a definition, according to the configuration in a plan. */
function referencesOf(address: string, plan: Values): string[] {
  const plain = address.replaceAll(/\[[^\]]*\]/g, "");
  let module = members(members(plan.configuration).root_module);
  for (const [, name = ""] of plain.matchAll(/(?:^|\.)module\.([^.]+)/g))
    module = members(members(members(module.module_calls)[name]).module);
  const own = plain.replace(/^(?:module\.[^.]+\.)*/, "");
  const resource = list(module.resources)
    .map((one) => members(one))
    .find((one) => one.address === own);
  const { references } = members(members(resource?.expressions).definition);
  const names = list(references).filter((one): one is string => typeof one === "string");
  // Each reference is listed together with its prefixes.
  return names.filter((name) => !names.some((other) => other !== name && other.startsWith(`${name}.`)));
}

// ------------------------------------------------------------------------------------------------ configurations

/**
 * Adds the files beside the configuration. Its machines are only those of the file that was read, but they may refer to other
 * files.
 */
function addSiblings(module: Module, known: Known): void {
  for (const name of known.files?.siblings?.() ?? []) {
    if (!/\.tf(\.json)?$|(^|\.)(terraform|auto)\.tfvars(\.json)?$/.test(name)) continue;
    const body = configurationIn(name, known);
    if (body === undefined) continue;
    if (name.includes(".tfvars")) module.addValues(body);
    else module.addAround(body, name);
  }
}

function machinesOfModule(module: Module, known: Known, files = new Set<string>(), prefix = "", depth = 0): Map<string, Machine> {
  const { defined = {} } = known;
  const machines = new Map<string, Machine>();
  const put = (id: string, { labels, body, pointer, file }: Resource, definition = body.attributes.get("definition")) => {
    const label = labels.at(-1) ?? id;
    const name = module.textOf(body.attributes.get("name"));
    const at = place(module, definition, file);
    if (at.in === "string" && at.file !== undefined) files.add(at.file);
    machines.set(prefix + id, {
      name: name ?? label,
      aliases: [label, ...(name === undefined ? [] : [name])],
      type: module.textOf(body.attributes.get("type")),
      substitutions: { ...module.substitutionsOf(definition), ...defined },
      resource: pointer ?? "",
      definition: at,
    });
  };
  for (const one of module.resources) {
    if (one.type !== "resource" || one.labels[0] !== MACHINE) continue;
    if (one.file !== undefined) files.add(one.file);
    put(`${MACHINE}.${one.labels[1]}`, one);
  }
  for (const one of module.resources) {
    if (one.type !== "module") continue;
    const id = `module.${one.labels[0]}`;
    const inner = depth < MODULES ? calledBy(module, one, known) : undefined;
    if (inner === undefined) {
      const definition = definitionFor(module, one, known);
      if (definition !== undefined) put(id, one, definition);
    } else for (const [name, content] of machinesOfModule(inner, known, files, `${prefix}${id}.`, depth + 1)) machines.set(name, content);
  }
  return machines;
}

/** Maximum depth of modules that call modules. */
const MODULES = 8;
/** Words in the source of a module that creates state machines. */
const MAKES_MACHINES = /step[-_]?functions?|state[-_]?machines?|sfn/i;

/** Returns the module that a block calls, if its files are in a folder that can be read. */
function calledBy(module: Module, { body, file }: Resource, known: Known): Module | undefined {
  const source = module.textOf(body.attributes.get("source"));
  if (source === undefined || !/^\.{1,2}\//.test(source)) return undefined;
  const folder = module.folder === "." ? source : `${module.folder}/${source}`;
  const names = (known.files?.siblings?.(folder) ?? []).filter((name) => /\.tf(\.json)?$/.test(name));
  if (names.length === 0) return undefined;
  const inner = new Module(known, folder.replace(/\/$/, ""), { module, body, file });
  for (const name of names) {
    const path = `${inner.folder}/${name}`;
    const read = configurationIn(path, known);
    if (read !== undefined) inner.add(read, path);
  }
  return inner;
}

/** Reads a file of a configuration. Undefined if it cannot be read. */
function configurationIn(name: string, { files = {} }: Known): Body | undefined {
  const text = files.text?.(name);
  try {
    return text === undefined ? undefined : name.endsWith(".json") ? bodyOf(members(JSON.parse(text))) : parseFile(text);
  } catch {
    // Errors in other files are not reported here.
    return undefined;
  }
}

/**
 * Returns the definition that is passed to a module whose files are elsewhere. If the module's source mentions state machines and
 * no argument is a definition, the definition cannot be read.
 */
function definitionFor(module: Module, { body, file }: Resource, { files = {} }: Known): Expression | undefined {
  for (const [name, value] of body.attributes) {
    if (!/definition/i.test(name)) continue;
    const at = place(module, value, file);
    const text = at.in === "string" ? at.text.text : at.in === "file" ? files.text?.(at.path) : undefined;
    if (name === "definition" || (text !== undefined && /StartAt/.test(text) && /States/.test(text))) {
      const source = String(module.textOf(body.attributes.get("source")));
      if (text !== undefined || MAKES_MACHINES.test(source)) return value;
    }
  }
  const source = module.textOf(body.attributes.get("source"));
  if (source === undefined || !MAKES_MACHINES.test(source)) return undefined;
  return { kind: "unread", what: `a state machine of the module ${source}`, origin: { pointer: undefined, from: 0, to: 0 } };
}

function place(module: Module, definition: Expression | undefined, file: string | undefined): DefinitionLocation {
  if (definition === undefined) return { in: "nothing", problem: "it has no definition" };
  return orProblem(() => {
    try {
      return placeOf(module, definition, file);
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
      const what = definition.kind === "unread" ? "it is" : "its definition has";
      const problem = `${what} ${error.message}, which stepglass does not work out: pass the output of terraform show -json of a plan`;
      return { in: "nothing", problem };
    }
  });
}

function placeOf(module: Module, definition: Expression, at: string | undefined): DefinitionLocation {
  const file = module.fileOf(definition);
  if (file?.text !== undefined) return { in: "string", text: file.text, pointer: "", file: file.path };
  if (file !== undefined) return { in: "file", path: file.path };
  const { value, file: own, origin } = module.written(definition, at);
  if (!(value instanceof MappedText) || (value.isReference && value.isOpen)) {
    const what = value instanceof MappedText ? `the value of ${value.text.slice(2, -1)}` : "no text";
    return {
      in: "nothing",
      problem: `its definition is ${what}, which stepglass cannot work out: pass the output of terraform show -json of a plan, or the definition's file`,
    };
  }
  return { in: "string", text: value, pointer: origin.pointer ?? "", ...(own !== undefined && { file: own }) };
}

/** Converts a configuration in JSON to a body: objects become blocks. */
function bodyOf(value: Values): Body {
  const body: Body = { attributes: new Map(), blocks: [] };
  for (const [type, content] of Object.entries(value)) {
    const labels = { resource: 2, data: 2, variable: 1, module: 1, locals: 0 }[type];
    if (labels === undefined) body.attributes.set(type, expressionOf(content, pointerTo("", type)));
    else
      blocks(content, pointerTo("", type), [], labels, ({ names, inner, pointer }) => {
        const attributes = new Map(Object.entries(inner).map(([name, one]) => [name, expressionOf(one, pointerTo(pointer, name))]));
        body.blocks.push({ type, labels: names, body: { attributes, blocks: [] }, origin: { pointer, from: 0, to: 0 } });
      });
  }
  return body;
}

interface Labelled {
  names: string[];
  inner: Values;
  pointer: string;
}

function blocks(content: unknown, pointer: string, names: string[], labels: number, put: (block: Labelled) => void): void {
  if (Array.isArray(content)) {
    for (const [i, one] of content.entries()) if (!Array.isArray(one)) blocks(one, pointerTo(pointer, i), names, labels, put);
  } else if (isObject(content)) {
    if (labels === 0) put({ names, inner: content, pointer });
    else for (const [name, one] of Object.entries(content)) blocks(one, pointerTo(pointer, name), [...names, name], labels - 1, put);
  }
}

/** Converts a value of the JSON syntax. Its strings are templates. */
function expressionOf(value: unknown, pointer: string): Expression {
  const origin = { pointer, from: 0, to: 0 };
  if (typeof value === "string") {
    try {
      return parseTemplate(value, pointer);
    } catch {
      return { kind: "unread", what: "an expression with a mistake", origin };
    }
  }
  if (Array.isArray(value)) return { kind: "tuple", items: value.map((item, i) => expressionOf(item, pointerTo(pointer, i))), origin };
  if (isObject(value))
    return {
      kind: "object",
      members: Object.entries(value).map(([key, item]) => ({
        key: { kind: "template", parts: [{ kind: "text", text: key, origin }], origin },
        value: expressionOf(item, pointerTo(pointer, key)),
      })),
      origin,
    };
  return { kind: "literal", value: bare(value as never) as null | boolean | number, origin };
}
