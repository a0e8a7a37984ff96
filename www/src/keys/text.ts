// The keys of the text editors, as a table like that of the page's commands. The keys that every text field has are not included:
// the arrows alone, Enter, Backspace, and the clipboard.

import { MOD } from "../ui/format.ts";

const MAC = MOD === "⌘";

/** The id, the title, and the keys; also those of a Mac if they differ. `Ctrl` is the key of that name on a Mac. */
const TABLE: [string, string, string[], string[]?][] = [
  ["undo", "Undo", ["Mod+Z"]],
  ["redo", "Redo", ["Mod+Y", "Mod+Shift+Z"], ["Mod+Shift+Z"]],
  ["undoSelection", "Undo the selection", ["Mod+U"]],
  ["redoSelection", "Redo the selection", ["Alt+U"], ["Mod+Shift+U"]],
  ["complete", "Show completions", ["Mod+Space"], ["Ctrl+Space", "Alt+I"]],
  ["find", "Find and replace", ["Mod+F"]],
  ["findNext", "Next match", ["F3", "Mod+G"]],
  ["findPrevious", "Previous match", ["Shift+F3", "Mod+Shift+G"]],
  ["goToLine", "Go to a line", ["Mod+Alt+G"]],
  ["problemList", "List the problems in the editor", ["Mod+Shift+M"]],
  ["selectAll", "Select all", ["Mod+A"]],
  ["selectLine", "Select the line", ["Alt+L"], ["Ctrl+L"]],
  ["selectParent", "Expand the selection", ["Mod+I"]],
  ["selectNext", "Add the next occurrence to the selection", ["Mod+D"]],
  ["selectMatches", "Select all occurrences", ["Mod+Shift+L"]],
  ["cursorAbove", "Add a cursor above", ["Mod+Alt+ArrowUp"]],
  ["cursorBelow", "Add a cursor below", ["Mod+Alt+ArrowDown"]],
  ["lineUp", "Move the line up", ["Alt+ArrowUp"]],
  ["lineDown", "Move the line down", ["Alt+ArrowDown"]],
  ["copyUp", "Copy the line above", ["Alt+Shift+ArrowUp"]],
  ["copyDown", "Copy the line below", ["Alt+Shift+ArrowDown"]],
  ["deleteLine", "Delete the line", ["Mod+Shift+K"]],
  ["deleteWord", "Delete the next word", ["Mod+Delete"], ["Alt+Delete"]],
  ["deleteWordBack", "Delete the previous word", ["Mod+Backspace"], ["Alt+Backspace"]],
  ["indent", "Indent", ["Mod+]"]],
  ["outdent", "Indent less", ["Mod+["]],
  ["indentAnew", "Indent automatically", ["Mod+Alt+\\"]],
  ["comment", "Toggle line comments", ["Mod+/"]],
  ["blockComment", "Toggle a block comment", ["Alt+Shift+A"], ["Ctrl+Shift+A"]],
  ["wordLeft", "Move left by a word; with Shift, select", ["Mod+ArrowLeft"], ["Alt+ArrowLeft"]],
  ["wordRight", "Move right by a word; with Shift, select", ["Mod+ArrowRight"], ["Alt+ArrowRight"]],
  ["partLeft", "Move left by a syntax node; with Shift, select", ["Alt+ArrowLeft"], ["Ctrl+ArrowLeft"]],
  ["partRight", "Move right by a syntax node; with Shift, select", ["Alt+ArrowRight"], ["Ctrl+ArrowRight"]],
  ["toStart", "Move to the beginning; with Shift, select", ["Mod+Home"]],
  ["toEnd", "Move to the end; with Shift, select", ["Mod+End"]],
  ["toBracket", "Move to the matching bracket; with Shift, select", ["Mod+Shift+\\"]],
  ["foldText", "Fold the text", ["Mod+Shift+["], ["Mod+Alt+["]],
  ["unfoldText", "Unfold the text", ["Mod+Shift+]"], ["Mod+Alt+]"]],
  ["foldAll", "Fold all", ["Mod+Alt+["], ["Ctrl+Alt+["]],
  ["unfoldAll", "Unfold all", ["Mod+Alt+]"], ["Ctrl+Alt+]"]],
  ["tabIndents", "Switch whether Tab indents or leaves the editor", ["Mod+M"], ["Alt+Shift+M"]],
];

interface TextCommand {
  id: string;
  title: string;
  keys: readonly string[];
}

export const textCommands: readonly TextCommand[] = TABLE.map(([id, title, keys, mac]) => ({
  id: `text.${id}`,
  title,
  keys: (MAC && mac) || keys,
}));
