// The commands of the graph editor's kernel as commands of the page.

import type { Command } from "../commands/commands.ts";
import { COMMANDS, type EditorCommand } from "../graph-editor/kernel/commands.ts";
import type { EditorState } from "../graph-editor/kernel/state.ts";

interface Page {
  /** Returns whether the definition on the graph is the page's own. */
  own(): boolean;
  state(): EditorState;
  run(command: EditorCommand): void;
}

/** Returns all commands of the kernel. The browser sends events for the keys of the clipboard, so those have no `run`. */
export const bound = ({ own, state, run }: Page): Command[] =>
  COMMANDS.map((command) => {
    const { id, title, keys, clipboard, able } = command;
    return {
      id,
      title,
      group: "Edit",
      ...(keys && { keys, place: "graph" as const }),
      ...(!clipboard && { able: () => own() && able?.(state()) !== false, run: () => run(command) }),
    };
  });
