// The state machines in templates of CloudFormation, SAM, the CDK, Serverless and Terraform, read as the command line reads them.
// Values that a deployment fills in stay as `${Name}` in the text, with a proposed value if the template has one.

import type { Machine } from "stepglass/sources/template-machine";
import { machinesOf } from "stepglass/sources/find-machines";
import { machinesOfConfiguration } from "stepglass/sources/terraform";
import { encoded } from "stepglass/sources/mapped-text";
import { namesIn } from "../model/placeholders.ts";

interface TemplateMachine {
  /** The logical name of the resource. */
  name: string;
  type: "STANDARD" | "EXPRESS";
  /** The definition's JSON text, with its placeholders. */
  definition: string;
  placeholders: Placeholder[];
}

export interface Placeholder {
  /** The text between `${` and `}`. */
  name: string;
  /** The value, as far as the template has it. */
  value: string;
}

export interface Template {
  machines: TemplateMachine[];
  /** Machines whose definition is in a file of its own, which must be opened instead, or is missing. */
  elsewhere: { name: string; file?: string; problem?: string }[];
}

/** Returns the state machines of a parsed document; undefined if it is not a template with any. */
export function readTemplate(value: unknown): Template | undefined {
  const machines = machinesOf(value);
  return machines === undefined || machines.size === 0 ? undefined : templateOf(machines);
}

/** Returns the state machines of a text in Terraform's language. */
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

/** Returns every `${Name}` of a definition once, with its value if it is known. */
export function placeholdersOf(definition: string, values: ReadonlyMap<string, string> = new Map()): Placeholder[] {
  return namesIn(definition).map((name) => ({ name, value: values.get(name) ?? "" }));
}

function pretty(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    // Placeholders may be in the place of numbers, which is not JSON. The text stays as it is.
    return text;
  }
}
