// State machines within templates of CloudFormation, SAM, the CDK, Serverless and Terraform, read as the command reads them.
//
// What a deployment fills in stays as `${Name}` in the text, with a value proposed where the template has one.

import type { Machine } from "stepglass/sources/machine";
import { machinesOf } from "stepglass/sources/machines";
import { machinesOfConfiguration } from "stepglass/sources/terraform";
import { encoded } from "stepglass/sources/traced";
import { namesIn } from "../model/placeholders.ts";

interface TemplateMachine {
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
  /// Machines whose definition is in a file of its own, which is to be brought instead, or nowhere.
  elsewhere: { name: string; file?: string; problem?: string }[];
}

/// The state machines of a parsed document; undefined if it is no template with any.
export function readTemplate(value: unknown): Template | undefined {
  const machines = machinesOf(value);
  return machines === undefined || machines.size === 0 ? undefined : templateOf(machines);
}

/// The state machines of a text in Terraform's language.
export function readConfiguration(text: string): Template | undefined {
  const { machines } = machinesOfConfiguration(text, {});
  return machines.size === 0 ? undefined : templateOf(machines);
}

function templateOf(machines: ReadonlyMap<string, Machine>): Template {
  const found: Template = { machines: [], elsewhere: [] };
  for (const [name, { type, substitutions, definition: place }] of machines) {
    if (place.in === "file") found.elsewhere.push({ name, file: place.path });
    else if (place.in === "nothing") found.elsewhere.push({ name, problem: place.problem });
    else {
      const { text, values } = (place.in === "string" ? place.text : encoded(place.value)).withPlaceholders();
      for (const [key, given] of Object.entries(substitutions)) if (!values.has(key)) values.set(key, String(given));
      const definition = pretty(text);
      found.machines.push({
        name,
        type: type === "EXPRESS" ? "EXPRESS" : "STANDARD",
        definition,
        placeholders: placeholdersOf(definition, values),
      });
    }
  }
  return found;
}

/// Every `${Name}` of a definition, each once, with what is known of its value.
export function placeholdersOf(definition: string, values: ReadonlyMap<string, string> = new Map()): Placeholder[] {
  return namesIn(definition).map((name) => ({ name, value: values.get(name) ?? "" }));
}

function pretty(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    // Placeholders may stand where JSON has numbers; the text stays as it is.
    return text;
  }
}
