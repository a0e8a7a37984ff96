// Definitions whose text is plain JSON, with nothing to fill in and no marks: what the module makes of them and says of them.

import * as module from "../../dist/glue.js";
import type { Diagnostic, Gesture, Graph, LayoutOptions, PossibleGesture, RefusedEdit, SvgOptions, WrittenEdit } from "../api/index.d.ts";
import { DefinitionError, misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import type { CompileSettings } from "../border/facts.ts";
import { MachineHandle, call } from "../border/instance.ts";

/** All problems of a definition. */
export function problemsOf(text: string, settings: CompileSettings): Diagnostic[] {
  return call(module.validate, text, settings) as Diagnostic[];
}

/** All problems of a definition as a compiler prints them, with excerpts. */
function problemsPrinted(text: string, settings: CompileSettings, fileName: string, color: boolean): string {
  return call(module.renderDiagnostics, text, fileName, settings, color);
}

/** A compiled definition; undefined for one with errors. */
export function compiledOrNot(text: string, settings: CompileSettings): MachineHandle | undefined {
  try {
    return new MachineHandle(text, settings);
  } catch (thrown) {
    if ((thrown as { code?: unknown } | undefined)?.code === "DEFINITION") return undefined;
    throw thrown;
  }
}

/** A compiled definition. Throws DefinitionError for one with errors. */
export function compiled(text: string, settings: CompileSettings): MachineHandle {
  const handle = compiledOrNot(text, settings);
  if (handle === undefined) throw new DefinitionError(problemsOf(text, settings), problemsPrinted(text, settings, "definition", false));
  return handle;
}

/** The graph of a definition with places and sizes; also of one with errors, as long as it is JSON. */
export function layoutOf(text: string, options: LayoutOptions): Graph {
  return JSON.parse(drawn(module.layout, text, layoutSettings(options)));
}

/** The graph of a definition as an SVG document. */
export function svgOf(
  text: string,
  { direction, collapsed, foldLarge, expanded, aspect, breaks, widths, status, taken, notes, ...rest }: SvgOptions,
): string {
  const style = defined({ ...rest, status: asObject(status), taken: asObject(taken), notes: asObject(notes) });
  return drawn(module.renderSvg, text, layoutSettings({ direction, collapsed, foldLarge, expanded, aspect, breaks, widths }), style);
}

/** What a gesture makes of a text, for writers of any syntax. */
export function writtenOf(text: string, gesture: Gesture): WrittenEdit | RefusedEdit {
  return JSON.parse(call(module.edit, text, JSON.stringify(gesture), {}, true));
}

/** The gestures at a place. */
export function possibleOf(text: string, places: readonly string[]): PossibleGesture[] {
  return JSON.parse(call(module.gestures, text, JSON.stringify(places)));
}

/** The graph of a definition as text of a Mermaid `stateDiagram-v2`. */
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

/** An object or a Map, as an object. The names of states are anybody's, and `__proto__` becomes a member here. */
function asObject(given: unknown): unknown {
  return given instanceof Map ? Object.fromEntries(given) : given;
}

function defined(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
