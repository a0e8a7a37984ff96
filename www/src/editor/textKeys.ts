// Runs the text commands of the table of keys, and converts their keys to CodeMirror's notation.

import { startCompletion } from "@codemirror/autocomplete";
import {
  addCursorAbove,
  addCursorBelow,
  copyLineDown,
  copyLineUp,
  cursorDocEnd,
  cursorDocStart,
  cursorGroupLeft,
  cursorGroupRight,
  cursorMatchingBracket,
  cursorSyntaxLeft,
  cursorSyntaxRight,
  deleteGroupBackward,
  deleteGroupForward,
  deleteLine,
  indentLess,
  indentMore,
  indentSelection,
  moveLineDown,
  moveLineUp,
  redo,
  redoSelection,
  selectAll,
  selectDocEnd,
  selectDocStart,
  selectGroupLeft,
  selectGroupRight,
  selectLine,
  selectMatchingBracket,
  selectParentSyntax,
  selectSyntaxLeft,
  selectSyntaxRight,
  standardKeymap,
  toggleBlockComment,
  toggleComment,
  toggleTabFocusMode,
  undo,
  undoSelection,
} from "@codemirror/commands";
import { foldAll, foldCode, unfoldAll, unfoldCode } from "@codemirror/language";
import { openLintPanel } from "@codemirror/lint";
import { findNext, findPrevious, gotoLine, openSearchPanel, selectNextOccurrence, selectSelectionMatches } from "@codemirror/search";
import type { Command, KeyBinding } from "@codemirror/view";
import { textCommands } from "../keys/text.ts";

/** Each command, and the one for the same key with Shift, if that selects. */
const RUN: Record<string, readonly [run: Command, shift?: Command]> = {
  undo: [undo],
  redo: [redo],
  undoSelection: [undoSelection],
  redoSelection: [redoSelection],
  complete: [startCompletion],
  find: [openSearchPanel],
  findNext: [findNext],
  findPrevious: [findPrevious],
  goToLine: [gotoLine],
  problemList: [openLintPanel],
  selectAll: [selectAll],
  selectLine: [selectLine],
  selectParent: [selectParentSyntax],
  selectNext: [selectNextOccurrence],
  selectMatches: [selectSelectionMatches],
  cursorAbove: [addCursorAbove],
  cursorBelow: [addCursorBelow],
  lineUp: [moveLineUp],
  lineDown: [moveLineDown],
  copyUp: [copyLineUp],
  copyDown: [copyLineDown],
  deleteLine: [deleteLine],
  deleteWord: [deleteGroupForward],
  deleteWordBack: [deleteGroupBackward],
  indent: [indentMore],
  outdent: [indentLess],
  indentAnew: [indentSelection],
  comment: [toggleComment],
  blockComment: [toggleBlockComment],
  wordLeft: [cursorGroupLeft, selectGroupLeft],
  wordRight: [cursorGroupRight, selectGroupRight],
  partLeft: [cursorSyntaxLeft, selectSyntaxLeft],
  partRight: [cursorSyntaxRight, selectSyntaxRight],
  toStart: [cursorDocStart, selectDocStart],
  toEnd: [cursorDocEnd, selectDocEnd],
  toBracket: [cursorMatchingBracket, selectMatchingBracket],
  foldText: [foldCode],
  unfoldText: [unfoldCode],
  foldAll: [foldAll],
  unfoldAll: [unfoldAll],
  tabIndents: [toggleTabFocusMode],
};

const IN_SEARCH = new Set(["find", "findNext", "findPrevious"]);

export const runOfText = (id: string): Command | undefined => RUN[id.replace(/^text\./, "")]?.[0];

/** The keys that every text field has: keys without a modifier, and those that only a Mac has. */
export const plainKeys: readonly KeyBinding[] = standardKeymap.filter(({ key }) => key === undefined || !/-./.test(key));

/** The keys that the user has changed, by command. */
export type Changed = Readonly<Record<string, readonly string[]>>;

/** The chords that a browser handles in any text by itself, even without a binding. */
const NATIVE = /\+(Z|Y|A|Backspace|Delete|ArrowLeft|ArrowRight|Home|End)$/;

/** Returns the current key bindings. Keys that were removed from a command have no effect. */
export function textKeys(changed: Changed): KeyBinding[] {
  const bound = textCommands.flatMap(({ id, keys }) => {
    const name = id.slice("text.".length);
    const [run, shift] = RUN[name]!;
    return (changed[id] ?? keys).map((chord): KeyBinding => ({
      key: forEditor(chord),
      run,
      ...(shift && { shift }),
      preventDefault: true,
      ...(IN_SEARCH.has(name) && { scope: "editor search-panel" }),
    }));
  });
  const gone = textCommands.flatMap(({ id, keys }) => keys.filter((chord) => NATIVE.test(chord) && changed[id]?.includes(chord) === false));
  return [...bound, ...gone.map((chord): KeyBinding => ({ key: forEditor(chord), run: () => true }))];
}

/** Converts `Mod+Shift+K` to `Mod-Shift-k`. */
function forEditor(chord: string): string {
  const held = /^((?:Mod|Ctrl|Alt|Shift)\+)*/.exec(chord)![0];
  const key = chord.slice(held.length);
  return held.replaceAll("+", "-") + (/^[A-Z]$/.test(key) ? key.toLowerCase() : key);
}
