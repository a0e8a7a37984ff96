// The problems of a definition's text, before and after its placeholders are filled in.

import * as module from "../../dist/glue.js";
import { call } from "../border/instance.ts";
import { Filled, inOrder, jsonHoles } from "./placeholders.ts";
import type { Diagnostic, Range, Substitutions } from "../api/index.d.ts";
import type { CompileSettings } from "../border/facts.ts";
import { looksLikeYaml } from "./yaml-like.ts";

// Marks in the list of places: an unknown place; a diagnostic that is not printed; the placeholders that follow are errors.
const NOWHERE = 0xffffffff;
const LEFT_OUT = 0xfffffffe;
const STRICT = 0xfffffffd;
const encoder = new TextEncoder();

/** A definition's text with values in place of its placeholders; undefined if there are none to fill in. */
export function filledIn(text: string, substitutions?: Substitutions): Filled | undefined {
  if (!text.includes("${") || looksLikeYaml(text)) return undefined;
  const filled = new Filled(text, jsonHoles(text), substitutions);
  return filled.differs ? filled : undefined;
}

/** All problems of a text as it was written. `severity` is that of a placeholder without a value. */
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

/** All problems of a text as it was written, as a compiler prints them. */
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
  const kept = filled.report(read);
  let next = 0;
  const placed = filled.dropped.map((dropped) => (dropped ? undefined : kept[next++]));
  return renderPlaced(text, { placed, open: filled.diagnostics(severity), json: filled.text, fileName, settings, color, isSorted: true });
}

/** What is printed about a definition that stands in a text as something else than its JSON. */
interface PlacedReport {
  /** The problems of the JSON, with their places in the text; undefined for those that are not printed. */
  placed: readonly (Diagnostic | undefined)[];
  /** The placeholders without a value. */
  open: readonly Diagnostic[];
  json: string;
  fileName: string;
  settings: CompileSettings;
  color: boolean;
  /** Whether they are printed in the order of their places. */
  isSorted: boolean;
}

/** The problems of a definition as a compiler prints them, with the places in the text as it was written. */
export function renderPlaced(text: string, { placed, open, json, fileName, settings, color, isSorted }: PlacedReport): string {
  // Counted from the place before: a long text has many.
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

/** The problems of a text, without any change to it. */
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
