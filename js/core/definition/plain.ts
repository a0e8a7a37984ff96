// Calls of the module for definitions whose text is plain JSON: without placeholders and without a byte order mark.

import * as module from "../../../dist/glue.js";
import type { Diagnostic, Gesture, Graph, LayoutOptions, PossibleGesture, RefusedEdit, SvgOptions, WrittenEdit } from "../api/index.d.ts";
import { DefinitionError, misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import type { CompileSettings } from "../border/facts.ts";
import { MachineHandle, call } from "../border/instance.ts";

/** Returns all problems of a definition. */
export function problemsOf(text: string, settings: CompileSettings): Diagnostic[] {
  return call(module.validate, text, settings) as Diagnostic[];
}

/** Returns all problems of a definition with excerpts, as a compiler prints them. */
function problemsPrinted(text: string, settings: CompileSettings, fileName: string, color: boolean): string {
  return call(module.renderDiagnostics, text, fileName, settings, color);
}

/** Compiles a definition. Returns undefined if it has errors. */
export function compiledOrNot(text: string, settings: CompileSettings): MachineHandle | undefined {
  try {
    return new MachineHandle(text, settings);
  } catch (thrown) {
    if ((thrown as { code?: unknown } | undefined)?.code === "DEFINITION") return undefined;
    throw thrown;
  }
}

/** Compiles a definition. Throws DefinitionError if it has errors. */
export function compiled(text: string, settings: CompileSettings): MachineHandle {
  const handle = compiledOrNot(text, settings);
  if (handle === undefined) throw new DefinitionError(problemsOf(text, settings), problemsPrinted(text, settings, "definition", false));
  return handle;
}

/** Returns the graph of a definition with positions and sizes. The definition may have errors, as long as it is JSON. */
export function layoutOf(text: string, options: LayoutOptions): Graph {
  return JSON.parse(drawn(module.layout, text, layoutSettings(options)));
}

/** Returns the graph of a definition as an SVG document. */
export function svgOf(
  text: string,
  { direction, collapsed, foldLarge, expanded, aspect, breaks, widths, status, taken, notes, ...rest }: SvgOptions,
): string {
  const style = defined({ ...rest, status: asObject(status), taken: asObject(taken), notes: asObject(notes) });
  return drawn(module.renderSvg, text, layoutSettings({ direction, collapsed, foldLarge, expanded, aspect, breaks, widths }), style);
}

/** Returns the result of a gesture on a text, from which an edit in any syntax can be made. */
export function writtenOf(text: string, gesture: Gesture): WrittenEdit | RefusedEdit {
  return JSON.parse(call(module.edit, text, JSON.stringify(gesture), {}, true));
}

/** Returns the possible gestures for places of a definition. */
export function possibleOf(text: string, places: readonly string[]): PossibleGesture[] {
  return JSON.parse(call(module.gestures, text, JSON.stringify(places)));
}

/** Returns the graph of a definition as the text of a Mermaid `stateDiagram-v2`. */
export function mermaidOf(text: string, options: LayoutOptions): string {
  return drawn(module.renderMermaid, text, layoutSettings(options));
}

function drawn<Given extends unknown[]>(draw: (text: string, ...given: Given) => string, text: string, ...given: Given): string {
  try {
    return call(draw, text, ...given);
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code === "NOT_JSON")
      (thrown as Error).message = `the definition is not JSON: ${(thrown as Error).message}`;
    throw thrown;
  }
}

function layoutSettings({ collapsed, expanded, ...rest }: LayoutOptions): Record<string, unknown> {
  return defined({ ...rest, collapsed: listed("collapsed", collapsed), expanded: listed("expanded", expanded) });
}

function listed(name: string, given: Iterable<string> | undefined): string[] | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string" || typeof given?.[Symbol.iterator] !== "function")
    throw misuse("INVALID_OPTION", `${name} must be a list of strings, not ${shown(given)}`);
  return [...given];
}

/** Converts a Map to an object. State names are arbitrary, and `__proto__` becomes a member here. */
function asObject(given: unknown): unknown {
  return given instanceof Map ? Object.fromEntries(given) : given;
}

function defined(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
