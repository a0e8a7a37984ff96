// Chords: a key with what is held down beside it, as `Mod+Shift+Enter`. `Mod` is ⌘ on a Mac and Ctrl elsewhere.

import { MOD } from "../ui/format.ts";

const MAC = MOD === "⌘";

/// The characters that stand on these keys where layouts differ, so that a chord is found by its place as well.
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
  /// The chord begins so, without Shift.
  held: string;
  shift: boolean;
  /// The character that is typed, or the key's name.
  key: string;
  /// Whether `key` is a character, and whether that is a letter.
  typed: boolean;
  letter: boolean;
  /// What stands at this place of a keyboard from the United States.
  place: string | undefined;
}

function pressed(event: KeyboardEvent): Pressed {
  // What AltGr types is a character, not a chord.
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

/// All chords that a key press may stand for, the most likely first; none for a modifier by itself.
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

/// The chord to keep of a key that is pressed to be one; null while only modifiers are.
export function recorded(event: KeyboardEvent): string | null {
  const chords = chordsOf(event);
  const { held } = pressed(event);
  // With Alt, and with Ctrl and Shift, the character depends on the system; the place does not.
  return (held !== "" ? chords.at(-1) : chords[0]) ?? null;
}

const WHOLE = /^(Mod\+)?(Alt\+)?(Shift\+)?([^+].*|\+)$/s;

/// Whether the chord is a character that can be typed, with nothing held but Shift.
export function isSingle(chord: string): boolean {
  const [, mod, alt, , key] = WHOLE.exec(chord) ?? [];
  return !mod && !alt && key !== undefined && ([...key].length === 1 || key === "Space");
}

/// Whether the chord is a key by itself, or with Shift, that text fields and lists have a use for.
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

/// As people read it: `Ctrl Shift Enter`.
export function shown(chord: string): string {
  const [, mod, alt, shift, key = ""] = WHOLE.exec(chord) ?? [];
  return [mod && MOD, alt && "Alt", shift && "Shift", SHOWN[key] ?? key].filter(Boolean).join(" ");
}

/// As `aria-keyshortcuts` has it.
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

/// What to think of before a chord is taken, in a sentence; "" for nothing.
export function caution(chord: string): string {
  if (KEPT.has(chord) || /^Alt\+\d$/.test(chord))
    return `The browser or the system may use ${shown(chord)} itself, so that it never reaches the page.`;
  if (WRITING.has(chord)) return `${shown(chord)} is a clipboard key, and stays one in the editors.`;
  return "";
}
