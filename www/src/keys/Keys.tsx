// Listens to the keys of the whole page.

import { useLayoutEffect } from "preact/hooks";
import { canStep } from "../debugger/session.ts";
import { pageCommand } from "./table.ts";

export function Keys() {
  useLayoutEffect(() => {
    // Before what has the focus: a key of the page means the same everywhere.
    addEventListener("keydown", heard, true);
    return () => removeEventListener("keydown", heard, true);
  }, []);
  return null;
}

function heard(event: KeyboardEvent): void {
  if (document.querySelector("dialog[open]")) return;
  // The browser's full screen, unless there is something to step through.
  if (event.key === "F11" && !event.ctrlKey && !event.metaKey && !canStep()) return;
  const command = pageCommand(event);
  if (!command) return;
  event.preventDefault();
  event.stopPropagation();
  if (command.able?.() !== false) command.run?.();
}
