// The problems of a definition's text, before and after its placeholders are filled in.

import * as module from "../../dist/glue.js";
import { call } from "./instance.js";
import { Filled, inOrder, jsonHoles, renderPlaceholder, renderedParts } from "./placeholders.js";

const NOWHERE = 0xffffffff;
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
  const found = filled.settle((one) => call(module.validate, one, settings));
  const dropped = filled.dropped;
  const all = call(module.validate, filled.text, settings);
  const bytes = (offset) => encoder.encode(text.slice(0, offset)).length;
  const places = all.flatMap(({ range, labels }) => [range, ...labels.map((label) => label.range)].flatMap((one) => (one === undefined ? [NOWHERE, NOWHERE] : [bytes(filled.back(one.start.offset)), bytes(filled.back(one.end.offset, true))])));
  const parts = renderedParts(call(module.renderDiagnosticsIn, text, new Uint32Array(places), filled.text, fileName, settings, color)).filter((_, i) => !dropped[i]);
  const open = filled.diagnostics(severity);
  const texts = new Map([...found.map((one, i) => [one, parts[i]]), ...open.map((one) => [one, renderPlaceholder(one, text, fileName, color)])]);
  return inOrder([...found, ...open]).map((one) => texts.get(one)).join("");
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
