// Reads state machines from a serverless.yml of the Serverless Framework, with the plugin serverless-step-functions.

import { isObject } from "../../core/base/json.ts";
import { pointerTo } from "../../core/base/pointer.ts";
import {
  given,
  inText,
  members,
  orProblem,
  type Known,
  type Machine,
  type DefinitionLocation,
  type FileAccess,
  type Values,
} from "./template-machine.ts";
import { machinesOfTemplate } from "./cloudformation.ts";
import { ACCOUNT, REGION, isStateMachine } from "./pseudo.ts";
import { Resolver, substituted } from "./resolver.ts";
import { MappedText, bare, textOf, type Resolved } from "./mapped-text.ts";

/** Maximum depth of variables that refer to variables, and of files that refer to files. */
const DEPTH = 12;

/** Matches a file that is a whole value: `${file(machines/orders.yml):orders.definition}`. */
const FILE = /^\$\{\s*file\(([^)]+)\)\s*(?::\s*([^},]*?))?\s*\}$/;
const VARIABLE = /\$\{((?:self|opt|env|sls|param|aws|file|cf|ssm|s3|strToBool)\b[^${}]*)\}/g;

/** Advice for values that only the framework can compute. */
const PRINTED = "pass the output of serverless print or serverless package";

/** Returns whether a parsed document is a serverless.yml with machines. */
export function isServerless(value: unknown): value is Values {
  if (!isObject(value)) return false;
  const { stepFunctions, resources, provider } = value;
  if ((isObject(stepFunctions) && stepFunctions.stateMachines !== undefined) || isVariable(stepFunctions)) return true;
  return provider !== undefined && templatesIn(resources).some(({ content }) => Object.values(members(content.Resources)).some(isMachine));
}

function isVariable(value: unknown): value is string {
  return typeof value === "string" && value.trim().startsWith("${");
}

function isMachine(resource: unknown): boolean {
  return isStateMachine(members(resource).Type);
}

/** Returns the CloudFormation templates in `resources`, with their JSON Pointers. */
function templatesIn(resources: unknown): { content: Values; pointer: string }[] {
  if (!Array.isArray(resources)) return [{ content: members(resources), pointer: "/resources" }];
  return resources.map((content, i) => ({ content: members(content), pointer: pointerTo("", "resources", i) }));
}

function fileOf(value: unknown): { path: string; member: string | undefined } | undefined {
  const [, path, member] = typeof value === "string" ? (FILE.exec(value.trim()) ?? []) : [];
  return path === undefined ? undefined : { path: path.trim().replace(/^\.\//, ""), member: member || undefined };
}

/** Returns the state machines of a serverless.yml by their keys. */
export function machinesOfServerless(template: Values, { defined = {}, files = {} }: Known): Map<string, Machine> {
  const variables = new Variables(template, defined, files);
  const resolver = new Resolver(resourcesOf(template, variables), defined);
  const resolve = (value: unknown, pointer = "") =>
    substituted(variables.filled(resolver.resolve(variables.files(value), pointer) ?? null), defined);
  const machines = new Map<string, Machine>();
  for (const { content, pointer } of templatesIn(template.resources)) {
    const known = { defined, files };
    for (const [id, machine] of machinesOfTemplate(content, known, {}, pointer)) machines.set(id, machine);
  }
  const found = template.stepFunctions === undefined ? [] : machineSettings(template, variables);
  for (const { id, content, place, file, member, lost } of found) {
    if (lost !== undefined || !isObject(content)) {
      const problem = `it is ${lost ?? "no object"}`;
      machines.set(id, { name: id, type: undefined, substitutions: {}, resource: place, definition: { in: "nothing", problem } });
      continue;
    }
    const machine = members(content);
    const name = typeof machine.name === "string" ? textOf(resolve(machine.name)).text : id;
    machines.set(id, {
      name: name.includes("${") ? id : name,
      aliases: [machine.id, name].filter((one): one is string => typeof one === "string"),
      type: machine.type,
      substitutions: {},
      resource: place,
      definition: orProblem(() =>
        file === undefined
          ? definitionOf(machine.definition, pointerTo(place, "definition"), resolve)
          : inFile(machine.definition, file, [member, "definition"].filter(Boolean).join("."), resolve),
      ),
    });
  }
  return machines;
}

interface Setting {
  id: string;
  content: unknown;
  place: string;
  /** The file that contains it, and the path in the file. */
  file?: string;
  member?: string;
  /** What it refers to, if that cannot be read. */
  lost?: string;
}

/** Returns the settings of the machines, including those in files of their own. */
function machineSettings(template: Values, variables: Variables): Setting[] {
  const whole = variables.member({ content: template.stepFunctions, place: "/stepFunctions" });
  const all = variables.member({ ...whole, content: members(whole.content).stateMachines, ...below(whole, "stateMachines") });
  // The value is a list of files, each with machines.
  const maps = Array.isArray(all.content)
    ? all.content.map((content, i) => variables.member({ ...all, content, ...below(all, String(i)) }))
    : [all];
  return maps.flatMap((map, i): Setting[] => {
    const { lost = whole.lost } = map;
    if (lost !== undefined) return [{ ...map, id: ["stateMachines", ...(maps.length > 1 ? [i] : [])].join("."), lost }];
    return Object.entries(members(map.content)).map(([id, content]) => ({
      id,
      ...variables.member({ ...map, content, ...below(map, id) }),
    }));
  });
}

type At = Omit<Setting, "id">;

function below({ place, file, member }: At, name: string): Pick<At, "place" | "member"> {
  if (file === undefined) return { place: pointerTo(place, name) };
  return { place, member: member === undefined ? name : `${member}.${name}` };
}

function definitionOf(definition: unknown, pointer: string, resolve: (value: unknown, pointer?: string) => Resolved): DefinitionLocation {
  const file = fileOf(definition);
  if (file !== undefined) {
    if (isProgram(file.path))
      return {
        in: "nothing",
        problem: `its definition is the output of the program ${file.path}, which stepglass does not run: ${PRINTED}`,
      };
    return { in: "file", ...file, resolve };
  }
  if (typeof definition === "string" && !definition.trim().startsWith("${")) return inText(textOf(resolve(definition, pointer)), pointer);
  const value = resolve(definition, pointer);
  if (typeof value === "object" && value !== null && !(value instanceof MappedText)) return { in: "template", pointer, value };
  if (typeof definition === "string")
    return { in: "nothing", problem: `its definition is the value of ${definition.trim()}, which only a deployment knows: ${PRINTED}` };
  return { in: "nothing", problem: "it has no definition" };
}

function isProgram(path: string): boolean {
  return /\.[cm]?[jt]s$/i.test(path);
}

/** Returns the location of a definition in a file with settings of machines. */
function inFile(definition: unknown, path: string, member: string, resolve: (value: unknown) => Resolved): DefinitionLocation {
  if (fileOf(definition) !== undefined) return definitionOf(definition, "", resolve);
  return definition === undefined ? { in: "nothing", problem: `it has no definition in ${path}` } : { in: "file", path, member, resolve };
}

/**
 * Returns the resources to which CloudFormation's functions can refer. A function has two names: its key, and the logical id that
 * the framework gives it.
 */
function resourcesOf(template: Values, variables: Variables): Values {
  const lambda = (key: string, name: unknown) => {
    const text = typeof name === "string" ? textOf(variables.filled(MappedText.of(name))).text : key;
    return { Type: "AWS::Lambda::Function", Properties: { FunctionName: text.includes("${") ? key : text } };
  };
  const functions = Object.entries(members(variables.files(template.functions))).flatMap(([key, content]) => {
    const id = `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll("-", "Dash").replaceAll("_", "Underscore")}LambdaFunction`;
    const one = lambda(key, members(content).name);
    return [
      [key, one],
      [id, one],
    ];
  });
  const lists = Array.isArray(template.resources) ? template.resources : [template.resources];
  const resources = lists.map((one) => members(members(variables.files(one)).Resources));
  return { Resources: { ...Object.fromEntries(functions), ...Object.assign({}, ...resources) } };
}

/** Resolves the framework's variables, as far as files and defaults contain their values. */
class Variables {
  #template: Values;
  #defined: Values;
  #files: FileAccess;
  #stage: unknown;
  /** Maximum number of variables, because variables that refer to each other multiply. */
  #budget = 50_000;

  constructor(template: Values, defined: Values, files: FileAccess) {
    this.#template = template;
    this.#defined = defined;
    this.#files = files;
    this.#stage = "dev";
    const { stage } = members(template.provider);
    const filled = typeof stage === "string" ? textOf(this.filled(MappedText.of(stage))).text : "dev";
    if (!filled.includes("${")) this.#stage = filled;
  }

  /** Resolves a setting that refers to a file. */
  member(at: At): At {
    const file = fileOf(at.content);
    if (file === undefined) {
      if (!isVariable(at.content)) return at;
      const value = bare(this.filled(MappedText.of(at.content)));
      return isObject(value) || Array.isArray(value)
        ? { ...at, content: value }
        : { ...at, lost: `the value of ${at.content.trim()}, which only a deployment knows: ${PRINTED}` };
    }
    const content = memberOf(this.#files.value?.(file.path), file.member);
    const what = isProgram(file.path)
      ? `the output of the program ${file.path}, which stepglass does not run: ${PRINTED}`
      : `in the file ${file.path}, which ${this.#files.exists?.(file.path) === false ? "is not there" : `has no ${file.member ?? "value"} that can be read`}`;
    return {
      content,
      place: at.place,
      file: file.path,
      ...(file.member !== undefined && { member: file.member }),
      ...(content === undefined && { lost: what }),
    };
  }

  /** Replaces references to files that are whole values. */
  files(value: unknown, depth = 0): unknown {
    if (Array.isArray(value)) return value.map((item) => this.files(item, depth));
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.files(item, depth)]));
    const file = depth < DEPTH ? fileOf(value) : undefined;
    if (file === undefined) return value;
    const found = memberOf(this.#files.value?.(file.path), file.member);
    return found === undefined ? value : this.files(found, depth + 1);
  }

  /** Replaces the variables in a value. */
  filled(value: Resolved, depth = 0): Resolved {
    if (value instanceof MappedText) return this.#text(value, depth);
    if (Array.isArray(value)) return value.map((item) => this.filled(item, depth));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value as { [name: string]: Resolved }).map(([key, item]) => [key, this.filled(item, depth)]));
  }

  #text(text: MappedText, depth: number): Resolved {
    if (depth > DEPTH || !text.text.includes("${")) return text;
    // A variable that is the whole value need not be a string.
    const [whole] = [...text.text.matchAll(VARIABLE)];
    if (whole !== undefined && whole[0] === text.text.trim()) {
      const value = this.#value(whole[1] ?? "", depth);
      if (value === undefined)
        return text.isReference ? text : MappedText.reference(whole[1] ?? "", undefined, text.origin(0, text.text.length));
      if (typeof value === "object" && value !== null) return value as Resolved;
      return MappedText.reference(whole[1] ?? "", value, text.origin(0, text.text.length));
    }
    const next = text.replaced(VARIABLE, ([, inner = ""], origin) => {
      const value = this.#value(inner, depth);
      return value === undefined ? undefined : MappedText.reference(inner, value, origin);
    });
    return next === text ? text : this.#text(next, depth + 1);
  }

  /** Returns the value of a variable: that of the first alternative that has one. */
  #value(inner: string, depth: number): unknown {
    const name = inner.trim();
    if ((this.#budget -= 1) < 0) return undefined;
    if (Object.hasOwn(this.#defined, name)) return given(this.#defined[name]);
    for (const one of inner.split(/,(?![^()]*\))/)) {
      const value = this.#alternative(one.trim(), depth);
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  }

  #alternative(text: string, depth: number): unknown {
    const [, quote, literal] = /^(["'])(.*)\1$/s.exec(text) ?? [];
    if (quote !== undefined) return literal;
    if (/^(-?\d+(\.\d+)?|true|false|null)$/.test(text)) return JSON.parse(text);
    if (Object.hasOwn(this.#defined, text)) return given(this.#defined[text]);
    const [, kind, path = ""] = /^(\w+):(.*)$/s.exec(text) ?? [];
    if (text === "sls:stage" || text === "opt:stage") return text === "opt:stage" ? undefined : this.#stage;
    if (kind === "aws") return path === "region" ? REGION : path === "accountId" ? ACCOUNT : undefined;
    if (kind === "self") return this.#own(path, depth);
    if (kind === "param") return this.#own(`params.default.${path}`, depth) ?? this.#own(`params.${String(this.#stage)}.${path}`, depth);
    const file = fileOf(`\${${text}}`);
    return file && this.#plain(memberOf(this.#files.value?.(file.path), file.member), depth);
  }

  #own(path: string, depth: number): unknown {
    if (path === "provider.stage") return this.#stage;
    if (path === "provider.region" && members(this.#template.provider).region === undefined) return REGION;
    return this.#plain(memberOf(this.#template, path), depth);
  }

  #plain(value: unknown, depth: number): unknown {
    const found = this.files(value, depth + 1);
    return typeof found === "string" ? bare(this.filled(MappedText.of(found), depth + 1)) : found;
  }
}

function memberOf(value: unknown, path: string | undefined): unknown {
  if (path === undefined || path === "") return value;
  return path
    .split(".")
    .reduce<unknown>(
      (content, key) =>
        Array.isArray(content) ? content[Number(key)] : isObject(content) && Object.hasOwn(content, key) ? content[key] : undefined,
      value,
    );
}
