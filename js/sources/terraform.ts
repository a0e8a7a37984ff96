// State machines of Terraform: the JSON of plans and states, and configurations in either syntax.

import { isObject } from "../base/json.ts";
import { pointerTo } from "../base/pointer.ts";
import { parseFile, parseTemplate, type Body, type Expression, type HclFault } from "./hcl.ts";
import { members, orProblem, type Known, type Machine, type Place, type Values } from "./machine.ts";
import { Module, type Resource } from "./module.ts";
import { Traced, bare } from "./traced.ts";

const MACHINE = "aws_sfn_state_machine";
/** Modules in one another. */
const DEPTH = 50;

/** Whether a parsed document is what `terraform show -json` prints, or a configuration in JSON. */
export function isTerraform(value: unknown): value is Values {
  return isPlan(value) || isConfiguration(value);
}

function isPlan(value: unknown): boolean {
  if (!isObject(value) || typeof value.format_version !== "string") return false;
  return isObject(value.planned_values) || isObject(value.values);
}

function isConfiguration(value: unknown): boolean {
  if (!isObject(value)) return false;
  const has = (held: unknown): boolean => (Array.isArray(held) ? held.some(has) : isObject(held) && Object.hasOwn(held, MACHINE));
  return has(value.resource) || each(value.module).some((modules) => Object.values(modules).some(isOurs));
}

function isOurs(held: unknown): boolean {
  return each(held).some(({ source, definition }) => /step-functions/.test(String(source)) && definition !== undefined);
}

/** Blocks of a kind: in JSON one object, or a list of them. */
function each(held: unknown): Values[] {
  return (Array.isArray(held) ? held : [held]).filter((one) => isObject(one));
}

/** The state machines of a plan, a state or a configuration in JSON, by their addresses. */
export function machinesOfTerraform(value: Values, known: Known): Map<string, Machine> {
  if (isPlan(value)) return ofPlan(value);
  const module = new Module(known);
  module.add(bodyOf(value));
  addSiblings(module, known);
  return machinesOfModule(module, known);
}

/** The state machines of a configuration in Terraform's own language, and what is wrong around them. */
export function machinesOfConfiguration(text: string, known: Known): { machines: Map<string, Machine>; faults: HclFault[] } {
  const module = new Module(known);
  const body = parseFile(text);
  module.add(body);
  addSiblings(module, known);
  return { machines: machinesOfModule(module, known), faults: body.faults };
}

/** Whether a block that cannot be read is one of those that have machines. */
export function isMachineBlock(line: string): boolean {
  return line.includes(MACHINE);
}

// --------------------------------------------------------------------------------------------------------- plans

function ofPlan(plan: Values): Map<string, Machine> {
  const machines = new Map<string, Machine>();
  const [member, held] = isObject(plan.planned_values) ? ["planned_values", plan.planned_values] : ["values", members(plan.values)];
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
  walk(held.root_module, `/${member}/root_module`, 0);
  return machines;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function planned(definition: unknown, pointer: string, address: string, plan: Values): Place {
  if (typeof definition === "string")
    return { in: "string", text: Traced.of(definition, { pointer, from: 0, to: definition.length }), pointer };
  const references = referencesOf(address, plan);
  const why = references.length > 0 ? `, because it refers to ${references.join(", ")}` : "";
  return {
    in: "nothing",
    problem: `Terraform knows its definition only after apply${why}: pass the .tf file instead, or the output of terraform show -json after apply`,
  };
}

/** What the configuration in a plan says that a definition is made of. */
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
  // Each comes with what it is a part of.
  return names.filter((name) => !names.some((other) => other !== name && other.startsWith(`${name}.`)));
}

// ------------------------------------------------------------------------------------------------ configurations

/** The machines of a configuration are those of the file that was read; what they refer to may be in the files beside it. */
function addSiblings(module: Module, { files = {} }: Known): void {
  for (const name of files.siblings?.() ?? []) {
    if (!/\.tf(\.json)?$|(^|\.)(terraform|auto)\.tfvars(\.json)?$/.test(name)) continue;
    const text = files.text?.(name);
    if (text === undefined) continue;
    try {
      const body = name.endsWith(".json") ? bodyOf(members(JSON.parse(text))) : parseFile(text);
      if (name.includes(".tfvars")) module.addValues(body);
      else module.addAround(body);
    } catch {
      // What is wrong in another file is none of ours.
    }
  }
}

function machinesOfModule(module: Module, { defined = {} }: Known): Map<string, Machine> {
  const machines = new Map<string, Machine>();
  const put = (id: string, { labels, body, pointer }: Resource) => {
    const label = labels.at(-1) ?? id;
    const name = module.textOf(body.attributes.get("name"));
    const type = module.textOf(body.attributes.get("type"));
    machines.set(id, {
      name: name ?? label,
      aliases: [label, ...(name === undefined ? [] : [name])],
      type,
      substitutions: { ...module.substitutionsOf(body.attributes.get("definition")), ...defined },
      resource: pointer ?? "",
      definition: place(module, body.attributes.get("definition")),
    });
  };
  for (const one of module.resources) if (one.type === "resource" && one.labels[0] === MACHINE) put(`${MACHINE}.${one.labels[1]}`, one);
  for (const one of module.resources) {
    const source = one.type === "module" ? module.textOf(one.body.attributes.get("source")) : undefined;
    if (source !== undefined && /step-functions/.test(source) && one.body.attributes.has("definition")) put(`module.${one.labels[0]}`, one);
  }
  return machines;
}

function place(module: Module, definition: Expression | undefined): Place {
  if (definition === undefined) return { in: "nothing", problem: "it has no definition" };
  return orProblem(() => placeOf(module, definition));
}

function placeOf(module: Module, definition: Expression): Place {
  const file = module.fileOf(definition);
  if (file !== undefined) return { in: "file", path: file.path };
  const value = module.evaluate(definition);
  if (!(value instanceof Traced) || (value.isReference && value.isOpen)) {
    const what = value instanceof Traced ? `the value of ${value.text.slice(2, -1)}` : "no text";
    return {
      in: "nothing",
      problem: `its definition is ${what}, which stepglass cannot work out: pass the output of terraform show -json of a plan, or the definition's file`,
    };
  }
  const unread = module.unreadIn(definition);
  if (unread !== undefined)
    return {
      in: "nothing",
      problem: `its definition has ${unread}, which stepglass does not work out: pass the output of terraform show -json of a plan`,
    };
  return { in: "string", text: value, pointer: definition.origin.pointer ?? "" };
}

/** A configuration in JSON as a body: objects where Terraform's language has blocks. */
function bodyOf(value: Values): Body {
  const body: Body = { attributes: new Map(), blocks: [] };
  for (const [type, held] of Object.entries(value)) {
    const labels = { resource: 2, data: 2, variable: 1, module: 1, locals: 0 }[type];
    if (labels === undefined) body.attributes.set(type, expressionOf(held, pointerTo("", type)));
    else
      blocks(held, pointerTo("", type), [], labels, ({ names, inner, pointer }) => {
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

function blocks(held: unknown, pointer: string, names: string[], labels: number, put: (block: Labelled) => void): void {
  if (Array.isArray(held)) {
    for (const [i, one] of held.entries()) if (!Array.isArray(one)) blocks(one, pointerTo(pointer, i), names, labels, put);
  } else if (isObject(held)) {
    if (labels === 0) put({ names, inner: held, pointer });
    else for (const [name, one] of Object.entries(held)) blocks(one, pointerTo(pointer, name), [...names, name], labels - 1, put);
  }
}

/** A value of the JSON syntax: its texts are templates. */
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
