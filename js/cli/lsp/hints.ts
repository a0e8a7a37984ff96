// Inlay hints: where a state leads, and the values of placeholders.

import type { OutlineState, TextRange } from "../../core/api/index.d.ts";
import { language } from "../../core/definition/language.ts";
import { shown } from "../../core/base/shown.ts";
import { statesOf } from "./document.ts";
import type { Opened } from "./names.ts";
import type { Part } from "./part.ts";
import { InlayHintKind, type InlayHint } from "./protocol.ts";
import type { Settings } from "./settings.ts";

/** The number of states up to which a hint names the targets of a state. */
const MOST_TARGETS = 4;
/** Types that end a machine. */
const LAST: Record<string, string> = { Succeed: "succeeds", Fail: "fails" };

/** Returns the hints in a range of a document, in the order of the text. */
export function hintsIn(opened: Opened, within: TextRange, { substitutions = {} }: Settings): InlayHint[] {
  const { document, reading } = opened;
  const found = reading.parts.flatMap((part) => [
    ...leadingHints(opened, part),
    ...placeholderHints(reading.text.slice(part.range.start, part.range.end), part.range.start, substitutions),
  ]);
  const inside = found.filter(({ at }) => within.start <= at && at <= within.end).sort((a, b) => a.at - b.at);
  return inside.map(({ at, label, tooltip }) => ({
    position: document.positionAt(at),
    label,
    tooltip,
    kind: InlayHintKind.Type,
    paddingLeft: true,
  }));
}

interface Hint {
  at: number;
  label: string;
  tooltip: string;
}

/** Returns a hint behind the name of each state whose transitions are on other lines. */
function leadingHints({ document, reading }: Opened, part: Part): Hint[] {
  const types = statesOf(part.json);
  const states = language.outline(part.json);
  const siblings = new Map<string, Set<string>>();
  for (const { pointer, name } of states) siblings.set(scopeOf(pointer), (siblings.get(scopeOf(pointer)) ?? new Set()).add(name));
  const targets = new Map<string, Set<string>>();
  // Both lists are in the order of the text, so one pass over them finds the innermost state around each name.
  const open: OutlineState[] = [];
  let next = 0;
  for (const { kind, definition, start, name } of language.symbols(part.json)) {
    if (kind !== "state" || definition) continue;
    for (let state = states[next]; state !== undefined && state.from <= start; state = states[++next]) open.push(state);
    for (let last = open.at(-1); last !== undefined && last.to < start; last = open.at(-1)) open.pop();
    const around = open.at(-1);
    // The `StartAt` of a branch names a state inside, to which the state around it does not lead.
    if (around === undefined || !siblings.get(scopeOf(around.pointer))?.has(name)) continue;
    targets.set(around.pointer, (targets.get(around.pointer) ?? new Set()).add(name));
  }
  return states.flatMap(({ pointer, name, start, end, from, to }) => {
    const [key, whole] = [part.documentRange({ start, end }), part.documentRange({ start: from, end: to })];
    if (key === undefined || whole === undefined || document.positionAt(key.start).line === document.positionAt(whole.end).line) return [];
    const next = [...(targets.get(pointer) ?? [])];
    const last = LAST[types.get(pointer)?.type ?? ""];
    const more = next.length > MOST_TARGETS ? `, ${next.length - MOST_TARGETS} more` : "";
    const label = next.length > 0 ? `→ ${next.slice(0, MOST_TARGETS).join(", ")}${more}` : last;
    if (label === undefined) return [];
    const line = document.positionAt(key.end).line;
    const lineEnd = line + 1 < document.lineCount ? document.offsetAt({ line: line + 1, character: 0 }) : reading.text.length;
    const at = key.start + reading.text.slice(key.start, lineEnd).trimEnd().length;
    return [{ at, label, tooltip: next.length > 0 ? `\`${name}\` leads to ${next.join(", ")}.` : `\`${name}\` ${label}.` }];
  });
}

/** Returns the pointer of the `States` object that contains a state. */
function scopeOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"));
}

/** Returns a hint behind each placeholder whose value is in the settings. */
function placeholderHints(text: string, offset: number, values: Readonly<Record<string, unknown>>): Hint[] {
  return [...text.matchAll(/\$\{([\w.:-]+)\}/g)].flatMap(({ 0: whole, 1: name = "", index }) => {
    if (!Object.hasOwn(values, name)) return [];
    const label = `= ${shown(values[name])}`;
    return [{ at: offset + index + whole.length, label, tooltip: `From the setting stepglass.substitutions.` }];
  });
}
