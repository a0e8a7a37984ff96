// Compiles a definition in any form: text or object, with placeholders and a byte order mark.

import type { Diagnostic } from "../api/index.d.ts";
import { DefinitionError } from "../base/errors.ts";
import type { CompileSettings } from "../border/facts.ts";
import type { MachineHandle } from "../border/instance.ts";
import { filledIn, problemsOf, renderProblems } from "./diagnose.ts";
import { isMarked } from "./placeholders.ts";
import { compiledOrNot } from "./plain.ts";
import { definitionText, withoutRange } from "./settings.ts";

/** Compiles a definition. Throws DefinitionError with all diagnostics if there are errors. */
export function compile(definition: unknown, settings: CompileSettings, substitutions?: Record<string, unknown>): MachineHandle {
  const text = definitionText(definition);
  const filled = filledIn(text, substitutions);
  if ((filled?.missing.length ?? 0) === 0) {
    const given: string = filled?.text ?? text;
    const handle = compiledOrNot(isMarked(definition) ? given.slice(1) : given, settings);
    if (handle !== undefined) return handle;
  }
  const problems: Diagnostic[] = problemsOf(text, filled, settings, "error");
  if (typeof definition !== "string") throw new DefinitionError(problems.map(withoutRange), plain(problems));
  throw new DefinitionError(problems, renderProblems(text, filled, settings, "error", "definition", false));
}

/** Formats diagnostics of a definition that was not given as text, so that ranges in a text would mean nothing. */
function plain(diagnostics: Diagnostic[]): string {
  return diagnostics
    .map(
      ({ severity, code, message, pointer, help }) =>
        `${severity}[${code}]: ${message}\n  at ${pointer || "the top"}${help ? `\n  help: ${help}` : ""}\n`,
    )
    .join("");
}
