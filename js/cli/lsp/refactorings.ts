// Refactorings: the gestures of the graph editor that change a state or several, as code actions.

import type { Gesture, PossibleGesture, TextRange } from "../../core/api/index.d.ts";
import { language } from "../../core/definition/language.ts";
import { isJson } from "../../core/history/recorded.ts";
import type { Opened } from "./names.ts";
import { rangeOf } from "./problems.ts";
import { CodeActionKind, type CodeAction } from "./protocol.ts";

/** A refactoring that may be possible. */
interface Refactoring {
  title: string;
  kind: CodeActionKind;
  gesture: Gesture;
}

/** What an action needs to find its edits later. */
interface Unresolved {
  uri: string;
  version: number;
  offset: number;
  gesture: Gesture;
}

/**
 * Returns the refactorings of the states in a range: those whose names are in it, or else the innermost state around it. They
 * have no edits yet, which can need a copy of the whole text; {@link resolved} adds them.
 */
export function refactoringsIn({ document, reading }: Opened, { start, end }: TextRange): CodeAction[] {
  const part = reading.partAt(start);
  const [from, to] = [part?.jsonOffset(start), part?.jsonOffset(end)];
  if (part === undefined || from === undefined || to === undefined || !isJson(part.json)) return [];
  const all = language.outline(part.json);
  const innermost = all.findLast((one) => one.from <= from && to <= one.to);
  const named = all.filter((one) => one.start >= from && one.end <= to);
  const depth = Math.min(...named.map((one) => one.depth));
  const several = named.filter((one) => one.depth === depth);
  const states = several.length > 1 ? several : innermost ? [innermost] : several;
  const [first] = states;
  if (first === undefined) return [];
  const pointers = states.map(({ pointer }) => pointer);
  const title = states.length === 1 ? `\`${first.name}\`` : `${states.length} states`;
  const possible = language
    .gestures(part.json, pointers.length === 1 ? first.pointer : pointers)
    .filter(({ refused }) => refused === undefined);
  return refactorings(title, pointers, possible).map(({ title: text, kind, gesture }) => {
    const data: Unresolved = { uri: document.uri, version: document.version, offset: start, gesture };
    return { title: text, kind, data };
  });
}

/** Adds the edits to a refactoring. Undefined if it is not possible, or if the document has changed since. */
export function resolved({ document, reading }: Opened, action: CodeAction): CodeAction | undefined {
  const { version, offset, gesture } = action.data as Unresolved;
  const part = document.version === version ? reading.partAt(offset) : undefined;
  const made = part && language.edit(part.json, gesture, { problems: false });
  const written = made === undefined || "refused" in made ? undefined : part?.edits(made.edits);
  if (written === undefined || written.length === 0) return undefined;
  const edits = written.map((edit) => ({ range: rangeOf(document, edit), newText: edit.text }));
  return { title: action.title, ...(action.kind && { kind: action.kind }), edit: { changes: { [document.uri]: edits } } };
}

/** Returns the document of an action without edits. */
export function documentOf({ data }: CodeAction): string {
  return (data as Unresolved).uri;
}

function refactorings(title: string, states: string[], possible: readonly PossibleGesture[]): Refactoring[] {
  const found: Refactoring[] = [];
  const [state = ""] = states;
  for (const { kind, as, types = [] } of possible) {
    if (kind === "wrap")
      for (const type of types)
        if (type === "Parallel" || type === "Map")
          found.push({ title: `Put ${title} into a ${type}`, kind: CodeActionKind.RefactorRewrite, gesture: { kind, states, type } });
    if (kind === "unwrap")
      found.push({ title: `Replace ${title} with the states inside it`, kind: CodeActionKind.RefactorInline, gesture: { kind, state } });
    if (kind === "append" && as === "catch") {
      const gesture: Gesture = { kind, from: state, as, state: { type: "Fail", name: "Failed" } };
      found.push({ title: `Catch the errors of ${title}`, kind: CodeActionKind.RefactorRewrite, gesture });
      found.push({
        title: `Retry ${title}`,
        kind: CodeActionKind.RefactorRewrite,
        gesture: { kind: "set", at: `${state}/Retry/0`, value: RETRIER },
      });
    }
  }
  return found;
}

/** The retrier that "Retry" adds, with the defaults of the language written out. */
const RETRIER = { ErrorEquals: ["States.ALL"], IntervalSeconds: 1, MaxAttempts: 3, BackoffRate: 2 };
