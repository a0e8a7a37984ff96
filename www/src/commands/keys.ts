// The current keys of the commands: the defaults, and the user's changes.

import { type Command, commands } from "./commands.ts";
import * as prefs from "../prefs.ts";
import { type Keymap, type Place, keymap } from "../keys/keymap.ts";
import { chordsOf, isPlain, isSingle, shown, spoken } from "../keys/chord.ts";

export const keysOf = (command: Command): readonly string[] => prefs.keymap.value[command.id] ?? command.keys ?? [];

export const isChanged = (command: Command): boolean => prefs.keymap.value[command.id] !== undefined;

const placeOf = (command: Command): Place => command.place ?? "page";

/**
 * Returns whether two commands cannot have the same key. The page's keys apply in every part of it, and those of text editors
 * also in the definition.
 */
const meet = (a: Command, b: Command): boolean =>
  a !== b && (placeOf(a) === placeOf(b) || placeOf(a) === "page" || placeOf(b) === "page" || (writes(a) && writes(b)));
const writes = (command: Command): boolean => command.place === "editor" || command.place === "text";

/**
 * Returns the commands that already use a chord where this command would use it. Two commands of the table may share a chord; the
 * available one gets it.
 */
export function holders(chord: string, command: Command): Command[] {
  return commands.value.filter(
    (other) => meet(other, command) && keysOf(other).includes(chord) && !(command.keys?.includes(chord) && other.keys?.includes(chord)),
  );
}

export function setKeys(command: Command, keys: readonly string[]): void {
  const { [command.id]: _, ...others } = prefs.keymap.value;
  const same = JSON.stringify(keys) === JSON.stringify(command.keys ?? []);
  prefs.keymap.value = same ? others : { ...others, [command.id]: keys };
}

/** Assigns a chord to a command, and removes it from the commands that conflict. */
export function give(chord: string, command: Command): void {
  for (const other of holders(chord, command))
    setKeys(
      other,
      keysOf(other).filter((key) => key !== chord),
    );
  setKeys(command, [...keysOf(command).filter((key) => key !== chord), chord]);
}

export function resetAll(): void {
  prefs.keymap.value = {};
  prefs.singleKeys.value = true;
}

/** Returns the command of a key in a place. If several have the key, the first available one is returned. */
function find(event: KeyboardEvent, place: Place): Command | undefined {
  for (const chord of chordsOf(event)) {
    if (isSingle(chord) && !prefs.singleKeys.value) continue;
    const there = commands.value.filter((command) => placeOf(command) === place && keysOf(command).includes(chord));
    const command = there.find(({ able }) => able?.() !== false) ?? there[0];
    if (command) return command;
  }
  return undefined;
}

/** Returns the page's command for a key press, if there is one. The focused element handles keys that type or move. */
export function pageCommand(event: KeyboardEvent): Command | undefined {
  const command = find(event, "page");
  if (!command || !chordsOf(event).some((chord) => isPlain(chord) && keysOf(command).includes(chord))) return command;
  return typing(event) || command.able?.() === false ? undefined : command;
}

function typing(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(range|checkbox|radio|button)$/.test(target.type))
  );
}

const usable = (command: Command): readonly string[] => keysOf(command).filter((chord) => prefs.singleKeys.value || !isSingle(chord));
const byId = (id: string): Command | undefined => commands.value.find((command) => command.id === id);

const held: Keymap = {
  find,
  shown(id) {
    const command = byId(id);
    return command ? usable(command).map(shown) : [];
  },
  spoken(id) {
    const command = byId(id);
    return command && usable(command).length > 0 ? usable(command).map(spoken).join(" ") : undefined;
  },
};

keymap.value = held;
