// The keys of the text editors, as a table like that of the page's commands. What every text field has stays as it is:
// the arrows by themselves, Enter, Backspace, and the clipboard.

import { MOD } from "../ui/format.ts";

const MAC = MOD === "⌘";

/// Id, title, keys; and those of a Mac where they are others. `Ctrl` is the key of that name on a Mac.
const TABLE: [string, string, string[], string[]?][] = [
  ["undo", "Undo", ["Mod+Z"]],
  ["redo", "Redo", ["Mod+Y", "Mod+Shift+Z"], ["Mod+Shift+Z"]],
  ["undoSelection", "Select what was selected before", ["Mod+U"]],
  ["redoSelection", "Select what was selected after", ["Alt+U"], ["Mod+Shift+U"]],
  ["complete", "Complete", ["Mod+Space"], ["Ctrl+Space", "Alt+I"]],
  ["find", "Find and replace", ["Mod+F"]],
  ["findNext", "Next place that was found", ["F3", "Mod+G"]],
  ["findPrevious", "Place before that was found", ["Shift+F3", "Mod+Shift+G"]],
  ["goToLine", "Go to a line", ["Mod+Alt+G"]],
  ["problemList", "Problems as a list in the editor", ["Mod+Shift+M"]],
  ["selectAll", "Select all", ["Mod+A"]],
  ["selectLine", "Select the line", ["Alt+L"], ["Ctrl+L"]],
  ["selectParent", "Select what is around", ["Mod+I"]],
  ["selectNext", "Select the next place of the same text also", ["Mod+D"]],
  ["selectMatches", "Select all places of the same text", ["Mod+Shift+L"]],
  ["cursorAbove", "Another cursor above", ["Mod+Alt+ArrowUp"]],
  ["cursorBelow", "Another cursor below", ["Mod+Alt+ArrowDown"]],
  ["lineUp", "Move the line up", ["Alt+ArrowUp"]],
  ["lineDown", "Move the line down", ["Alt+ArrowDown"]],
  ["copyUp", "Copy the line above", ["Alt+Shift+ArrowUp"]],
  ["copyDown", "Copy the line below", ["Alt+Shift+ArrowDown"]],
  ["deleteLine", "Delete the line", ["Mod+Shift+K"]],
  ["deleteWord", "Delete the word after", ["Mod+Delete"], ["Alt+Delete"]],
  ["deleteWordBack", "Delete the word before", ["Mod+Backspace"], ["Alt+Backspace"]],
  ["indent", "Indent", ["Mod+]"]],
  ["outdent", "Indent less", ["Mod+["]],
  ["indentAnew", "Indent as the text is built", ["Mod+Alt+\\"]],
  ["comment", "Comment the lines out or in", ["Mod+/"]],
  ["blockComment", "Comment the selection out or in", ["Alt+Shift+A"], ["Ctrl+Shift+A"]],
  ["wordLeft", "By a word to the left; with Shift, select", ["Mod+ArrowLeft"], ["Alt+ArrowLeft"]],
  ["wordRight", "By a word to the right; with Shift, select", ["Mod+ArrowRight"], ["Alt+ArrowRight"]],
  ["partLeft", "By a part of the syntax to the left; with Shift, select", ["Alt+ArrowLeft"], ["Ctrl+ArrowLeft"]],
  ["partRight", "By a part of the syntax to the right; with Shift, select", ["Alt+ArrowRight"], ["Ctrl+ArrowRight"]],
  ["toStart", "To the beginning; with Shift, select", ["Mod+Home"]],
  ["toEnd", "To the end; with Shift, select", ["Mod+End"]],
  ["toBracket", "To the other bracket; with Shift, select", ["Mod+Shift+\\"]],
  ["foldText", "Fold the text", ["Mod+Shift+["], ["Mod+Alt+["]],
  ["unfoldText", "Unfold the text", ["Mod+Shift+]"], ["Mod+Alt+]"]],
  ["foldAll", "Fold all", ["Mod+Alt+["], ["Ctrl+Alt+["]],
  ["unfoldAll", "Unfold all", ["Mod+Alt+]"], ["Ctrl+Alt+]"]],
  ["tabIndents", "Let Tab indent, or leave the editor as before", ["Mod+M"], ["Alt+Shift+M"]],
];

export interface TextCommand {
  id: string;
  title: string;
  keys: readonly string[];
}

export const textCommands: readonly TextCommand[] = TABLE.map(([id, title, keys, mac]) => ({ id: `text.${id}`, title, keys: (MAC && mac) || keys }));
