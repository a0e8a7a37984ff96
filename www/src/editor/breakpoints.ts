// The margin for breakpoints, and the mark of the state where a run is paused.

import { type EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter } from "@codemirror/view";
import { syntaxTree } from "@codemirror/language";
import type { BreakpointMark } from "../debugger/model.ts";
import { stateRanges } from "./ranges.ts";

interface Marks {
  marks: Map<string, BreakpointMark>;
  paused: string | null;
}

export const setBreakpointMarks = StateEffect.define<Marks>();

class Mark extends GutterMarker {
  constructor(readonly kind: BreakpointMark["kind"] | "none", readonly title: string) {
    super();
  }
  override eq(other: Mark): boolean {
    return other.kind === this.kind && other.title === this.title;
  }
  override toDOM(): Node {
    const element = document.createElement("span");
    element.className = `sg-break sg-break-${this.kind}`;
    element.title = this.title;
    return element;
  }
}

interface Held extends Marks {
  gutter: RangeSet<Mark>;
  lines: DecorationSet;
}

const pausedLine = Decoration.line({ class: "sg-paused" });

/// Breakpoints stand at the line with the state's name.
export const breakpoints = StateField.define<Held>({
  create: () => ({ marks: new Map(), paused: null, gutter: RangeSet.empty, lines: Decoration.none }),
  update(held, transaction) {
    let { marks, paused } = held;
    for (const effect of transaction.effects) if (effect.is(setBreakpointMarks)) ({ marks, paused } = effect.value);
    if (marks === held.marks && paused === held.paused && !transaction.docChanged && syntaxTree(transaction.startState) === syntaxTree(transaction.state)) return held;
    return { marks, paused, ...drawn(transaction.state, marks, paused) };
  },
  provide: (field) => EditorView.decorations.from(field, ({ lines }) => lines),
});

function drawn(state: EditorState, marks: Marks["marks"], paused: string | null): { gutter: RangeSet<Mark>; lines: DecorationSet } {
  const found = [];
  const lines = [];
  const seen = new Set<number>();
  for (const { name, nameFrom } of stateRanges(state)) {
    const { from } = state.doc.lineAt(nameFrom);
    if (name === paused) lines.push(pausedLine.range(from));
    // Of two states on a line the one that is marked shows.
    const mark = marks.get(name);
    if (seen.has(from) && !mark) continue;
    seen.add(from);
    found.push(new Mark(mark?.kind ?? "none", mark?.title ?? `Breakpoint before ${name}`).range(from));
  }
  return { gutter: RangeSet.of(found, true), lines: Decoration.set(lines, true) };
}

export function breakpointGutter(toggle: (state: string) => void) {
  return gutter({
    class: "sg-breaks",
    markers: (view) => view.state.field(breakpoints).gutter,
    initialSpacer: () => new Mark("none", ""),
    domEventHandlers: {
      mousedown(view, line, event) {
        const at = view.state.doc.lineAt(line.from);
        const inLine = stateRanges(view.state).filter(({ nameFrom }) => nameFrom >= at.from && nameFrom <= at.to);
        // Anywhere else in a state's text: the innermost state there.
        const within = stateRanges(view.state).filter(({ from, to }) => from <= at.to && at.from <= to).sort((a, b) => b.from - a.from);
        const found = inLine[0] ?? within[0];
        if (!found) return false;
        event.preventDefault();
        toggle(found.name);
        return true;
      },
    },
  });
}
