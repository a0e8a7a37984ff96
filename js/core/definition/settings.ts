// Extracts the options that concern the compiler, and converts a definition to text.

import type { Diagnostic, MachineOptions, ValidateOptions } from "../api/index.d.ts";
import { misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import type { CompileSettings } from "../border/facts.ts";
import { argumentText } from "../tasks/integration.ts";
import { unmarked } from "./placeholders.ts";

/** Returns the options that concern the compiler. */
export function compileSettings({ type, jsonata }: ValidateOptions): CompileSettings {
  return { ...(type !== undefined && { type }), ...(jsonata !== undefined && { jsonata }) };
}

/** Returns the options that concern the creation of a machine. */
export function machineSettings({ substitutions, ...options }: ValidateOptions): MachineOptions {
  return { ...compileSettings(options), ...(substitutions !== undefined && { substitutions }) };
}

/** Returns a definition's text. Positions in it are meaningful only if the caller has given the text. */
export function definitionText(definition: unknown): string {
  if (typeof definition === "string") return unmarked(definition);
  if (typeof definition === "object" && definition !== null) return argumentText(definition, "the definition");
  throw misuse("INVALID_ARGUMENT", `a definition must be JSON text or an object, not ${shown(definition)}`);
}

/** Removes the range of a diagnostic, for a definition that was given as an object. */
export function withoutRange({ range: _, ...diagnostic }: Diagnostic): Diagnostic {
  const { labels, fix } = diagnostic;
  return { ...diagnostic, labels: labels.map(bare), ...(fix && { fix: bare(fix) }) };
}

function bare<T extends { range?: unknown }>({ range: _, ...rest }: T): Omit<T, "range"> {
  return rest;
}
