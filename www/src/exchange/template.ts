// State machines within CloudFormation, SAM and synthesized CDK templates.
//
// What a deployment fills in stays as `${Name}` in the text, with a value proposed where the template has one.

import { ACCOUNT, PSEUDO_PARAMETERS, REGION, isStateMachine, typeOfMachine } from "stepglass/cloudformation";

export interface TemplateMachine {
  /// The resource's logical name.
  name: string;
  type: "STANDARD" | "EXPRESS";
  /// The definition's JSON text, its placeholders unfilled.
  definition: string;
  placeholders: Placeholder[];
}

export interface Placeholder {
  /// What stands between `${` and `}`.
  name: string;
  /// What it becomes, as far as the template tells.
  value: string;
}

export interface Template {
  machines: TemplateMachine[];
  /// Machines whose definition is in a file of its own: what to bring instead.
  elsewhere: { name: string; file: string }[];
}

const DEPTH = 60;

/// Whether a parsed document is a template with state machines.
export function isTemplate(value: unknown): boolean {
  return Object.values(object(object(value)["Resources"])).some((resource) => isStateMachine(object(resource)["Type"]));
}

export function readTemplate(value: unknown): Template {
  const template = object(value);
  const parameters = object(template["Parameters"]);
  const found: Template = { machines: [], elsewhere: [] };
  for (const [name, resource] of Object.entries(object(template["Resources"]))) {
    if (!isStateMachine(object(resource)["Type"])) continue;
    const properties = object(object(resource)["Properties"]);
    const type = typeOfMachine(properties);
    const text = properties["DefinitionString"] ?? properties["Definition"];
    if (text === undefined) {
      const at = properties["DefinitionUri"] ?? properties["DefinitionS3Location"];
      found.elsewhere.push({ name, file: typeof at === "string" ? at : String(object(at)["Key"] ?? "another file") });
      continue;
    }
    const values: Values = new Map();
    // SAM's and CloudFormation's own substitutions come before what the parameters say.
    for (const [key, given] of Object.entries(object(properties["DefinitionSubstitutions"]))) values.set(key, textOf(given, values, 0));
    const definition = pretty(
      typeof text === "string" ? text : isFunction(text) ? textOf(text, values, 0) : JSON.stringify(plain(text, values, 0)),
    );
    found.machines.push({
      name,
      type: type === "EXPRESS" ? "EXPRESS" : "STANDARD",
      definition,
      placeholders: placeholdersOf(definition, values, parameters),
    });
  }
  return found;
}

/// Every `${Name}` of a definition, each once, with what is known of its value.
export function placeholdersOf(
  definition: string,
  values: ReadonlyMap<string, string> = new Map(),
  parameters: Record<string, unknown> = {},
): Placeholder[] {
  const names = new Set([...definition.matchAll(/\$\{([A-Za-z][\w.:-]*)\}/g)].map((match) => match[1]!));
  return [...names].sort().map((name) => ({ name, value: valueOf(name, values, parameters, 0) }));
}

/// Puts values in place of placeholders; those without one stay.
export function fill(definition: string, values: ReadonlyMap<string, string>): string {
  return definition.replace(/\$\{([A-Za-z][\w.:-]*)\}/g, (whole, name: string) => {
    const value = values.get(name);
    return value === undefined || value === "" ? whole : JSON.stringify(value).slice(1, -1);
  });
}

type Values = Map<string, string>;

function valueOf(name: string, values: ReadonlyMap<string, string>, parameters: Record<string, unknown>, depth: number): string {
  const given = values.get(name);
  if (given !== undefined && depth < 8)
    return given.replace(/\$\{([A-Za-z][\w.:-]*)\}/g, (whole, inner: string) =>
      inner === name ? whole : valueOf(inner, values, parameters, depth + 1) || whole,
    );
  if (Object.hasOwn(PSEUDO_PARAMETERS, name)) return String(PSEUDO_PARAMETERS[name] ?? "");
  const preset = Object.hasOwn(parameters, name) ? object(parameters[name])["Default"] : undefined;
  if (typeof preset === "string" || typeof preset === "number") return String(preset);
  // An ARN of a function is what most of these are.
  const [logical, attribute] = name.split(".");
  if (attribute === "Arn") return `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${logical}`;
  return "";
}

function isFunction(value: unknown): boolean {
  const keys = Object.keys(object(value));
  return keys.length === 1 && (keys[0] === "Ref" || keys[0]!.startsWith("Fn::"));
}

/// A value with CloudFormation's functions in it, as text.
function textOf(value: unknown, values: Values, depth: number): string {
  if (depth > DEPTH) return "";
  if (typeof value === "string") return value;
  if (!isFunction(value))
    return typeof value === "object" && value !== null ? JSON.stringify(plain(value, values, depth + 1)) : String(value ?? "");
  const [[name, argument]] = Object.entries(object(value)) as [[string, unknown]];
  switch (name) {
    case "Ref":
      return `\${${String(argument)}}`;
    case "Fn::GetAtt":
      return `\${${Array.isArray(argument) ? argument.join(".") : String(argument)}}`;
    case "Fn::Sub": {
      const [text, given] = Array.isArray(argument) ? (argument as [unknown, unknown]) : [argument, {}];
      for (const [key, held] of Object.entries(object(given))) values.set(key, textOf(held, values, depth + 1));
      // `${!Name}` is how a template writes `${Name}` for good.
      return String(text ?? "").replaceAll("${!", "${");
    }
    case "Fn::Join": {
      const [between, parts] = Array.isArray(argument) ? (argument as [unknown, unknown]) : ["", []];
      return (Array.isArray(parts) ? parts : []).map((part) => textOf(part, values, depth + 1)).join(String(between ?? ""));
    }
    case "Fn::Base64":
      return textOf(argument, values, depth + 1);
    case "Fn::If":
      return Array.isArray(argument) ? textOf(argument[1], values, depth + 1) : "";
    default: {
      const inner = Array.isArray(argument)
        ? argument.map((part) => textOf(part, values, depth + 1)).join(".")
        : textOf(argument, values, depth + 1);
      return `\${${name.slice(4)}.${inner.replace(/[^\w.:-]/g, "-")}}`;
    }
  }
}

/// A definition written as an object, its functions turned into placeholders.
function plain(value: unknown, values: Values, depth: number): unknown {
  if (depth > DEPTH) return null;
  if (isFunction(value)) return textOf(value, values, depth);
  if (Array.isArray(value)) return value.map((item) => plain(item, values, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plain(held, values, depth + 1)]));
}

function pretty(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    // Placeholders may stand where JSON has numbers; the text stays as it is.
    return text;
  }
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
