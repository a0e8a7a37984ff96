// The problems of a definition's text, before and after its placeholders are filled in.

import * as module from "../../../dist/glue.js";
import { call } from "../border/instance.ts";
import { Filled, inOrder, jsonPlaceholders } from "./placeholders.ts";
import type { Diagnostic, Range, Substitutions } from "../api/index.d.ts";
import type { CompileSettings } from "../border/facts.ts";
import { looksLikeYaml } from "./yaml-like.ts";

// Special values in the list of positions: an unknown position; a diagnostic that is not printed; the start of the placeholders
// that are errors.
const NOWHERE = 0xffffffff;
const LEFT_OUT = 0xfffffffe;
const STRICT = 0xfffffffd;
const encoder = new TextEncoder();

/** Returns a definition's text with values in place of its placeholders. Undefined if there are none to fill in. */
export function filledIn(text: string, substitutions?: Substitutions): Filled | undefined {
  if (!text.includes("${") || looksLikeYaml(text)) return undefined;
  const filled = new Filled(text, jsonPlaceholders(text), substitutions);
  return filled.differs ? filled : undefined;
}

/** Returns all problems of a text in its original form. `severity` is that of a placeholder without a value. */
export function problemsOf(
  text: string,
  filled: Filled | undefined,
  settings: CompileSettings,
  severity: Diagnostic["severity"],
): Diagnostic[] {
  const check = (one: string) => explained(one, validated(one, settings));
  if (filled === undefined) return check(text);
  const found = filled.settle(check);
  const open = filled.diagnostics(severity);
  // AWS gets the text with its placeholders.
  const [first] = open;
  if (first !== undefined) first.aws = validated(text, settings).find(({ code }) => code === "invalid-json")?.aws ?? [];
  return inOrder([...found, ...open]);
}

/** Returns all problems of a text in its original form, as a compiler prints them. */
export function renderProblems(
  text: string,
  filled: Filled | undefined,
  settings: CompileSettings,
  severity: Diagnostic["severity"],
  fileName: string,
  color: boolean,
): string {
  if (filled === undefined) {
    const rendered = call(module.renderDiagnostics, text, fileName, settings, color);
    return looksLikeYaml(text) ? `${rendered.trimEnd()}\n  = help: ${YAML_HELP}\n\n` : rendered;
  }
  let read: Diagnostic[] = [];
  filled.settle((one) => (read = validated(one, settings)));
  const reported = filled.report(read);
  let next = 0;
  const placed = filled.dropped.map((dropped) => (dropped ? undefined : reported[next++]));
  return renderPlaced(text, { placed, open: filled.diagnostics(severity), json: filled.text, fileName, settings, color, isSorted: true });
}

/** The input for printing the problems of a definition that its source does not contain as JSON. */
interface PlacedReport {
  /** The problems of the JSON, with their positions in the source. Undefined for problems that are not printed. */
  placed: readonly (Diagnostic | undefined)[];
  /** The placeholders without a value. */
  open: readonly Diagnostic[];
  json: string;
  fileName: string;
  settings: CompileSettings;
  color: boolean;
  /** Whether the problems are printed in the order of their positions. */
  isSorted: boolean;
}

/** Returns the problems of a definition as a compiler prints them, at their positions in the source. */
export function renderPlaced(text: string, { placed, open, json, fileName, settings, color, isSorted }: PlacedReport): string {
  // Each position is counted from the one before, because a long text has many.
  let [last, count] = [0, 0];
  const bytes = (offset: number) => {
    const between = encoder.encode(text.slice(Math.min(last, offset), Math.max(last, offset))).length;
    count += offset < last ? -between : between;
    last = offset;
    return count;
  };
  const place = (range?: Range) => (range === undefined ? [NOWHERE, 0] : [bytes(range.start.offset), bytes(range.end.offset)]);
  const found = validated(json, settings);
  const places = found.flatMap(({ labels }, i) => {
    const one = placed[i];
    return [...(one === undefined ? [LEFT_OUT, 0] : place(one.range)), ...labels.flatMap((_, k) => place(one?.labels[k]?.range))];
  });
  const [first] = open;
  if (first?.severity === "error") places.push(STRICT, 0);
  for (const { range } of open) places.push(...place(range));
  return call(
    module.renderDiagnosticsIn,
    text,
    new Uint32Array(places),
    first?.help ?? (isSorted ? "" : undefined),
    json,
    fileName,
    settings,
    color,
  );
}

/** Returns the problems of a text in its present form. */
function validated(text: string, settings: CompileSettings): Diagnostic[] {
  return call(module.validate, text, settings);
}

/** Adds advice if a text is not JSON but looks like YAML. */
function explained(text: string, diagnostics: Diagnostic[]): Diagnostic[] {
  const [first] = diagnostics;
  if (first?.code !== "invalid-json" || !looksLikeYaml(text)) return diagnostics;
  return [{ ...first, help: YAML_HELP }, ...diagnostics.slice(1)];
}

export const YAML_HELP = "this looks like YAML: `parseYaml(text)` of stepglass/node turns it into a definition";
