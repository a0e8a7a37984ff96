// Reads the definition of a tool call: from a file, or from the call itself.

import type { MachineType } from "../../core/api/index.d.ts";
import { Invalid, Unusable } from "../../language/files/problem.ts";
import { Source, split, usable, type UsableSource } from "../../language/files/source.ts";
import { checkInside } from "./folder.ts";
import { any, oneOf, record, string, union } from "./protocol.ts";

/** The name of a definition without a file. */
const INLINE = "definition";

/** The arguments that select a definition. */
export interface Given {
  file?: string | undefined;
  definition?: string | Record<string, unknown> | undefined;
  machine?: string | undefined;
  type?: MachineType | undefined;
  substitutions?: Record<string, unknown> | undefined;
}

/** The arguments of all tools that take a definition. */
export const definitionArguments = {
  file: string()
    .optional()
    .describe(
      "Path of a definition in JSON or YAML, of a template of CloudFormation, SAM, Terraform or Serverless, or of cdk.out, in the server's folder. template.yaml#LogicalId, cdk.out#Orders and main.tf#orders are one machine of a template.",
    ),
  definition: union([string(), record(string(), any())])
    .optional()
    .describe("The definition itself instead of file: an object, or its text in JSON or YAML. A template's text works too."),
  machine: string().optional().describe("The logical id of the machine in a template."),
  type: oneOf(["STANDARD", "EXPRESS"]).optional().describe("The machine's type. Default: the template's, or STANDARD."),
  substitutions: record(string(), any()).optional().describe("Values of placeholders ${Name} in the definition, by name."),
};

/** Returns the selected definitions: every one of a template, unless one is named. */
export function sourcesOf(given: Given): Source[] {
  const { text, spec } = namedBy(given);
  const options = optionsOf(given, text);
  return Source.specs(spec, text).map((one) => new Source(one, options));
}

/** Returns the one selected definition. */
export function sourceOf(given: Given): Source {
  const { text, spec } = namedBy(given);
  return new Source(spec, optionsOf(given, text));
}

/** Returns the one selected definition, without errors. Throws Invalid or Unusable. */
export function usableSource(given: Given): UsableSource {
  const source = sourceOf(given);
  source.checkFilled((names) => `give ${names.join(", ")} in substitutions`);
  return usable(source, typed(given));
}

/** Returns the options for the problems of a definition. */
export function typed({ type }: Given): { type?: MachineType } {
  return type === undefined ? {} : { type };
}

/** Returns the message for an error in the arguments or files of a call. Undefined for other errors. */
export function messageFor(error: unknown): string | undefined {
  if (error instanceof Invalid) return `${error.message}\n\n${error.rendered(false).trimEnd()}`;
  return error instanceof Unusable ? error.message : undefined;
}

function optionsOf({ substitutions }: Given, text: string | undefined): { substitutions?: Record<string, unknown>; text?: string } {
  return { ...(substitutions && { substitutions }), ...(text !== undefined && { text }) };
}

function namedBy({ file, definition, machine }: Given): { spec: string; text?: string } {
  if ((file === undefined) === (definition === undefined)) throw new Unusable("give either file or definition");
  const named = (name: string) => (machine === undefined ? name : `${name}#${machine}`);
  if (file !== undefined) {
    checkInside(process.cwd(), split(file)[0]);
    return { spec: named(file) };
  }
  return { spec: named(INLINE), text: typeof definition === "string" ? definition : JSON.stringify(definition, null, 2) };
}
