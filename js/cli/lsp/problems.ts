// The problems of a document, as the protocol has them.

import { language } from "../../definition/language.ts";
import { statesOf, type Found, type Reading } from "./document.ts";
import { DiagnosticSeverity, type Diagnostic, type TextDocument } from "./protocol.ts";
import type { Settings } from "./settings.ts";

/** All problems of a document. */
export function diagnosticsOf(document: TextDocument, reading: Reading, settings: Settings): Diagnostic[] {
  const { strict, maxProblems, queryLanguage } = settings;
  const found = [...reading.problems(settings), ...(queryLanguage === undefined ? [] : otherLanguage(reading, queryLanguage))];
  const shown = found.slice(0, maxProblems).map((one) => diagnosticOf(document, one, strict));
  if (found.length > shown.length)
    shown.push({
      range: rangeOf(document, { start: 0, end: 0 }),
      severity: DiagnosticSeverity.Information,
      source: "stepglass",
      code: "more-problems",
      message: `${found.length - shown.length} more problems are not shown (stepglass.maxProblems)`,
    });
  return shown;
}

/** States in another query language than the settings ask for. */
function otherLanguage(reading: Reading, wanted: string): Found[] {
  return reading.parts.flatMap((part) => {
    const states = statesOf(part.json);
    return language.outline(part.json).flatMap(({ pointer, name, start, end }) => {
      const own = states.get(pointer)?.language;
      const place = own === undefined || own === wanted ? undefined : part.place({ start, end });
      if (place === undefined) return [];
      return [{ code: "query-language", severity: "warning", message: `\`${name}\` is in ${own}, not in ${wanted}`, labels: [], ...place }];
    });
  });
}

function diagnosticOf(document: TextDocument, { code, severity, message, help, labels, ...place }: Found, strict: boolean): Diagnostic {
  const { uri } = document;
  const related = labels.map((label) => ({ location: { uri, range: rangeOf(document, label) }, message: label.message }));
  return {
    range: rangeOf(document, place),
    severity: severity === "error" || strict ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    source: "stepglass",
    code,
    message: help === undefined ? message : `${message}\n${help}`,
    ...(related.length > 0 && { relatedInformation: related }),
  };
}

/** A part of a document as the protocol has it: in UTF-16 units. */
export function rangeOf(document: TextDocument, { start, end }: { start: number; end: number }) {
  return { start: document.positionAt(start), end: document.positionAt(Math.max(start, end)) };
}
