// The keys of the console.

import { deselect, refresh, toggle, toggleAll } from "./state.ts";

/** The keys, and what they do. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["/", "Search by name"],
  ["j, ↓", "Next execution"],
  ["k, ↑", "Previous execution"],
  ["Enter", "Open the execution"],
  ["x", "Select the execution"],
  ["a", "Select all of the list"],
  ["Esc", "Deselect"],
  ["r", "Refresh"],
  ["?", "Show the keys"],
];

const links = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>("a.open")];

function move(by: 1 | -1): void {
  const all = links();
  const at = all.indexOf(document.activeElement as HTMLAnchorElement);
  const to = at < 0 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1);
  all[to]?.focus();
}

/** Returns the ARN of the execution whose link has the focus. */
function focused(): string | undefined {
  const link = document.activeElement;
  if (!(link instanceof HTMLAnchorElement) || !link.classList.contains("open")) return undefined;
  return decodeURIComponent(link.pathname.slice(link.pathname.lastIndexOf("/") + 1));
}

/** Handles the keys. `onHelp` shows them. */
export function listenToKeys(onHelp: () => void): void {
  document.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || document.querySelector("dialog[open]") !== null) return;
    const isField = target instanceof HTMLElement && target.matches("input:not([type=checkbox]), select, textarea");
    if (isField) {
      if (key === "Escape") (target as HTMLElement).blur();
      return;
    }
    const arn = focused();
    const action = {
      "/": () => document.getElementById("search")?.focus(),
      j: () => move(1),
      ArrowDown: () => move(1),
      k: () => move(-1),
      ArrowUp: () => move(-1),
      x: () => arn !== undefined && toggle(arn),
      a: toggleAll,
      Escape: deselect,
      r: () => void refresh(),
      "?": onHelp,
    }[key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}
