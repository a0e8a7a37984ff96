// Converts the problems of a document to diagnostics of the protocol.

import { language } from "../../core/definition/language.ts";
import { statesOf, type Found, type Reading } from "./document.ts";
import { DiagnosticSeverity, type Diagnostic, type TextDocument } from "./protocol.ts";
import type { Settings } from "./settings.ts";

/** Returns all problems of a document. */
export function diagnosticsOf(document: TextDocument, reading: Reading, settings: Settings): Diagnostic[] {
  const { strict, maxProblems, queryLanguage } = settings;
  const found = [...reading.problems(settings), ...(queryLanguage === undefined ? [] : otherLanguage(reading, queryLanguage))];
  const shown = found.slice(0, maxProblems).map((one) => diagnosticOf(document, one, strict));
  const hidden = found.length - shown.length;
  if (hidden > 0)
    shown.push({
      range: rangeOf(document, { start: 0, end: 0 }),
      severity: DiagnosticSeverity.Information,
      source: "stepglass",
      code: "more-problems",
      message: `${hidden} more ${hidden === 1 ? "problem is" : "problems are"} not shown (stepglass.maxProblems)`,
    });
  return shown;
}

/** Returns the states whose query language differs from the one in the settings. */
function otherLanguage(reading: Reading, wanted: string): Found[] {
  return reading.parts.flatMap((part) => {
    const states = statesOf(part.json);
    return language.outline(part.json).flatMap(({ pointer, name, start, end }) => {
      const own = states.get(pointer)?.language;
      const range = own === undefined || own === wanted ? undefined : part.documentRange({ start, end });
      if (range === undefined) return [];
      return [
        {
          code: "query-language",
          severity: "warning",
          message: `\`${name}\` is in ${own}, not in ${wanted}`,
          labels: [],
          ...range,
        },
      ];
    });
  });
}

function diagnosticOf(document: TextDocument, { code, severity, message, help, labels, ...range }: Found, strict: boolean): Diagnostic {
  const { uri } = document;
  const related = labels.map((label) => ({ location: { uri, range: rangeOf(document, label) }, message: label.message }));
  return {
    range: rangeOf(document, range),
    severity: severity === "error" || strict ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    source: "stepglass",
    code,
    message: help === undefined ? message : `${message}\n${help}`,
    ...(related.length > 0 && { relatedInformation: related }),
  };
}

/** Converts a range of a document to the protocol's form, in UTF-16 units. */
export function rangeOf(document: TextDocument, { start, end }: { start: number; end: number }) {
  return { start: document.positionAt(start), end: document.positionAt(Math.max(start, end)) };
}
