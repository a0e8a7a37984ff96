// What of the options concerns the compiler, and the text of a definition that it gets.

import type { Diagnostic, MachineOptions, ValidateOptions } from "../api/index.d.ts";
import { misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import type { CompileSettings } from "../border/facts.ts";
import { argumentText } from "../tasks/integration.ts";
import { unmarked } from "./placeholders.ts";

/** What of the options concerns the compiler. */
export function compileSettings({ type, jsonata }: ValidateOptions): CompileSettings {
  return { ...(type !== undefined && { type }), ...(jsonata !== undefined && { jsonata }) };
}

/** What of the options concerns the making of a machine. */
export function machineSettings({ substitutions, ...options }: ValidateOptions): MachineOptions {
  return { ...compileSettings(options), ...(substitutions !== undefined && { substitutions }) };
}

/** A definition's text: places in it mean something only where the caller has given it. */
export function definitionText(definition: unknown): string {
  if (typeof definition === "string") return unmarked(definition);
  if (typeof definition === "object" && definition !== null) return argumentText(definition, "the definition");
  throw misuse("INVALID_ARGUMENT", `a definition must be JSON text or an object, not ${shown(definition)}`);
}

/** A diagnostic of a definition that came as an object. */
export function withoutRange({ range: _, ...diagnostic }: Diagnostic): Diagnostic {
  const { labels, fix } = diagnostic;
  return { ...diagnostic, labels: labels.map(bare), ...(fix && { fix: bare(fix) }) };
}

function bare<T extends { range?: unknown }>({ range: _, ...rest }: T): Omit<T, "range"> {
  return rest;
}
