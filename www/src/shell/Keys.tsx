// Handles the keys of the whole page, and keeps the focus for keyboard users.

import { useLayoutEffect } from "preact/hooks";
import { canStep } from "../debugger/session.ts";
import { goingTo } from "../editor/definitionEditor.ts";
import * as panes from "../store/panes.ts";
import { keepFocus } from "../ui/keepFocus.ts";
import { pageCommand } from "../commands/keys.ts";

const TELLING: ReadonlySet<string> = new Set(["help", "examples", "settings", "export", "share"]);

export function Keys() {
  useLayoutEffect(() => {
    // The listener runs before the focused element's, because a key of the page means the same everywhere.
    addEventListener("keydown", heard, true);
    const end = keepFocus();
    return () => {
      removeEventListener("keydown", heard, true);
      end();
    };
  }, []);
  return null;
}

function heard(event: KeyboardEvent): void {
  if (document.querySelector("dialog[open]")) {
    // The command palette replaces a dialog that only shows information, and the list of states, which is a choice like it.
    if ((TELLING.has(panes.dialog.peek()) || goingTo.peek()) && pageCommand(event)?.id === "palette") {
      event.preventDefault();
      event.stopPropagation();
      goingTo.value = false;
      panes.openDialog("palette");
    }
    return;
  }
  // F11 is the browser's full screen, unless there is something to step through.
  if (event.key === "F11" && !event.ctrlKey && !event.metaKey && !canStep()) return;
  const command = pageCommand(event);
  if (!command) return;
  event.preventDefault();
  event.stopPropagation();
  if (command.able?.() !== false) command.run?.();
}
