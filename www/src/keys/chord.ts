// Chords: a key with its modifiers, such as `Mod+Shift+Enter`. `Mod` is ⌘ on a Mac and Ctrl elsewhere.

import { MOD } from "../ui/format.ts";

const MAC = MOD === "⌘";

/** The characters of keys that differ between layouts, so that a chord can be found by the key's position as well. */
const PLACES: Record<string, string> = {
  BracketLeft: "[",
  BracketRight: "]",
  Quote: "'",
  Semicolon: ";",
  Backslash: "\\",
  Period: ".",
  Comma: ",",
  Slash: "/",
  Minus: "-",
  Equal: "=",
  Backquote: "`",
};

const MODIFIERS = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"]);

interface Pressed {
  /** The modifiers of the chord, without Shift. */
  held: string;
  shift: boolean;
  /** The typed character, or the key's name. */
  key: string;
  /** Whether `key` is a character, and whether it is a letter. */
  typed: boolean;
  letter: boolean;
  /** The character at this position of a US keyboard. */
  place: string | undefined;
}

function pressed(event: KeyboardEvent): Pressed {
  // AltGr produces a character and not a chord.
  const graph = event.getModifierState("AltGraph");
  const named = /^F\d/.test(event.key);
  const mod = !graph && (MAC ? event.metaKey || (named && event.ctrlKey) : event.ctrlKey || event.metaKey);
  const alt = !graph && event.altKey;
  const { key } = event;
  const typed = [...key].length === 1 && key !== " ";
  const letter = typed && /\p{L}/u.test(key);
  const place = PLACES[event.code] ?? /^(?:Key|Digit)(.)$/.exec(event.code)?.[1];
  return {
    held: `${mod ? "Mod+" : ""}${alt ? "Alt+" : ""}`,
    shift: event.shiftKey,
    key: key === " " ? "Space" : letter ? key.toUpperCase() : key,
    typed,
    letter,
    place,
  };
}

/** Returns all chords that a key press may stand for, the most likely first. A modifier alone stands for none. */
export function chordsOf(event: KeyboardEvent): string[] {
  if (MODIFIERS.has(event.key) || event.isComposing) return [];
  const { held, shift, key, typed, letter, place } = pressed(event);
  const shifted = `${held}${shift ? "Shift+" : ""}`;
  if (!typed) return [`${shifted}${key}`];
  const found = letter ? [`${shifted}${key}`] : [`${held}${key}`, `${shifted}${key}`];
  if (place !== undefined && !/^[A-Z]$/.test(key)) {
    if (shift && /\d/.test(place)) found.unshift(`${shifted}${place}`);
    else if (held !== "") found.push(`${shifted}${place}`);
  }
  return [...new Set(found)];
}

/** Returns the chord to store for a key press in the settings; null while only modifiers are pressed. */
export function recorded(event: KeyboardEvent): string | null {
  const chords = chordsOf(event);
  const { held } = pressed(event);
  // With Alt, and with Ctrl and Shift, the character depends on the system, while the position does not.
  return (held !== "" ? chords.at(-1) : chords[0]) ?? null;
}

const WHOLE = /^(Mod\+)?(Alt\+)?(Shift\+)?([^+].*|\+)$/s;

/** Returns whether the chord is a character that can be typed, with no modifier but Shift. */
export function isSingle(chord: string): boolean {
  const [, mod, alt, , key] = WHOLE.exec(chord) ?? [];
  return !mod && !alt && key !== undefined && ([...key].length === 1 || key === "Space");
}

/** Returns whether the chord is a single key, or one with Shift, that text fields and lists use. */
export const isPlain = (chord: string): boolean => !/^(Mod|Alt)\+|^(Shift\+)?F\d/.test(chord);

const SHOWN: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  PageUp: "PgUp",
  PageDown: "PgDn",
  ContextMenu: "Menu",
  "-": "−",
};

/** Returns the chord as it is displayed: `Ctrl Shift Enter`. */
export function shown(chord: string): string {
  const [, mod, alt, shift, key = ""] = WHOLE.exec(chord) ?? [];
  return [mod && MOD, alt && "Alt", shift && "Shift", SHOWN[key] ?? key].filter(Boolean).join(" ");
}

/** Returns the chord in the format of `aria-keyshortcuts`. */
export function spoken(chord: string): string {
  return chord.replace(/^Mod\+/, MAC ? "Meta+" : "Control+");
}

const KEPT = new Set([
  "F5",
  "Mod+R",
  "F6",
  "F12",
  "Mod+T",
  "Mod+W",
  "Mod+N",
  "Mod+Shift+N",
  "Mod+Shift+T",
  "Mod+Shift+W",
  "Mod+L",
  "Mod+Tab",
  "Alt+F4",
  "Shift+Escape",
  "Mod+Q",
  "Mod+Shift+R",
  "Mod+F5",
  "Mod+Shift+F5",
]);
const WRITING = new Set(["Mod+C", "Mod+V", "Mod+X"]);

/** Returns a warning about a chord that the user wants to assign, as a sentence; "" if there is none. */
export function caution(chord: string): string {
  if (KEPT.has(chord) || /^Alt\+\d$/.test(chord))
    return `The browser or the system may use ${shown(chord)} itself, so that it never reaches the page.`;
  if (WRITING.has(chord)) return `${shown(chord)} is a clipboard key, and stays one in the editors.`;
  return "";
}
