// @ts-nocheck: has no types yet.
// The problems of a definition's text, before and after its placeholders are filled in.

import * as module from "../../dist/glue.js";
import { call } from "../border/instance.ts";
import { Filled, inOrder, jsonHoles } from "./placeholders.ts";

// Marks among places: nothing is known of this one; this diagnostic is not printed; placeholders from here on are errors.
const NOWHERE = 0xffffffff;
const LEFT_OUT = 0xfffffffe;
const STRICT = 0xfffffffd;
const encoder = new TextEncoder();

/** A definition's text with values in place of its placeholders; undefined where it has none to fill in. */
export function filledIn(text, substitutions) {
  if (!text.includes("${") || looksLikeYaml(text)) return undefined;
  const filled = new Filled(text, jsonHoles(text), substitutions);
  return filled.differs ? filled : undefined;
}

/** All problems of a text as it was written. `severity` is that of a placeholder without a value. */
export function problemsOf(text, filled, settings, severity) {
  const check = (one) => explained(one, call(module.validate, one, settings));
  if (filled === undefined) return check(text);
  const found = filled.settle(check);
  const open = filled.diagnostics(severity);
  // AWS sees what was written.
  if (open.length > 0) open[0].aws = call(module.validate, text, settings).find(({ code }) => code === "invalid-json")?.aws ?? [];
  return inOrder([...found, ...open]);
}

/** The same as a compiler prints them. */
export function renderProblems(text, filled, settings, severity, fileName, color) {
  if (filled === undefined) {
    const rendered = call(module.renderDiagnostics, text, fileName, settings, color);
    return looksLikeYaml(text) ? `${rendered.trimEnd()}\n  = help: ${YAML_HELP}\n\n` : rendered;
  }
  let read;
  filled.settle((one) => (read = call(module.validate, one, settings)));
  return renderFilled(text, filled, read, filled.diagnostics(severity), filled.text, fileName, settings, color);
}

/**
 * What `json` has, made of a filled-in text, as a compiler prints it, with the places in the text as it was written. `read` is
 * what was found in the filled-in text, `open` are the placeholders without a value.
 */
export function renderFilled(text, filled, read, open, json, fileName, settings, color) {
  const bytes = (offset) => encoder.encode(text.slice(0, offset)).length;
  const place = (range) => (range === undefined ? [NOWHERE, 0] : [bytes(range.start.offset), bytes(range.end.offset)]);
  const back = (range) => place(range && filled.range(range.start.offset, range.end.offset));
  const places = read.flatMap(({ range, labels }, i) => [...(filled.dropped[i] ? [LEFT_OUT, 0] : back(range)), ...labels.flatMap((label) => back(label.range))]);
  const [{ help = "", severity } = {}] = open;
  if (severity === "error") places.push(STRICT, 0);
  for (const { range } of open) places.push(...place(range));
  return call(module.renderDiagnosticsIn, text, new Uint32Array(places), help, json, fileName, settings, color);
}

/** Says how a text is read that is no JSON but looks like YAML. */
function explained(text, diagnostics) {
  const [first] = diagnostics;
  if (first?.code !== "invalid-json" || !looksLikeYaml(text)) return diagnostics;
  return [{ ...first, help: YAML_HELP }, ...diagnostics.slice(1)];
}

export const YAML_HELP = "this looks like YAML: `parseYaml(text)` of stepglass/node makes the definition of it";

export function looksLikeYaml(text) {
  return !/^\s*[[{"]/.test(text) && /^(\s*(---|%YAML|#)|\s*["']?[A-Za-z]\w*["']?\s*:(\s|$))/m.test(text.slice(0, 10_000));
}
