// Hints about the next possible action. Each is shown once, until the user has dismissed it.

import { signal } from "@preact/signals";
import { keyHint } from "../keys/keymap.ts";
import { recall, remember } from "../prefs.ts";
import { touched } from "./touch.ts";

type HintName = "added" | "joined" | "several" | "fill";

const key = (id: string): string => (touched.peek() ? "" : keyHint(id));

const WORDS: Record<HintName, () => string> = {
  added: () =>
    touched.peek()
      ? "Press + on a line to put a state there, or + at a state to go on. Hold a state for all that can be done with it."
      : `Point at a line, and press + to put a state there${key("insertState")}. Drag from the + at a state to connect it${key("connectState")}. Double click a state to rename it${key("renameState")}.`,
  joined: () => `Undo takes back changes of the graph and of the text alike${key("undoGraph")}.`,
  several: () => `Several states can be put into a Parallel or Map${key("wrapStates")}, copied or deleted together.`,
  fill: () => `Tab goes to the next placeholder, Esc ends.`,
};

const ORDER: readonly HintName[] = ["added", "joined"];
const isList = (value: unknown): value is HintName[] => Array.isArray(value);
let done: HintName[] = recall<HintName[]>("hints", [], isList);

export const hint = signal<{ name: HintName; text: string } | null>(null);

/** Shows a hint that the user has not seen yet. After a gesture, it is the next one of a fixed order. */
export function showHint(name: HintName): void {
  const next = name === "added" ? ORDER.find((one) => !done.includes(one)) : done.includes(name) ? undefined : name;
  if (next === undefined || hint.peek()?.name === next) return;
  hint.value = { name: next, text: WORDS[next]() };
  done = [...done, next];
  remember("hints", done);
}

export function dismissHint(): void {
  hint.value = null;
}

/** No hint is shown again in this browser. */
export function noMoreHints(): void {
  done = Object.keys(WORDS) as HintName[];
  remember("hints", done);
  hint.value = null;
}
