// The settings that the page stores in this browser: sizes, theme, switches, drafts.

import { effect, signal } from "@preact/signals";

const PREFIX = "stepglass.";

export function remember<T>(key: string, value: T): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // If the storage is full or forbidden, only the setting is lost.
  }
}

export function recall<T>(key: string, fallback: T, fits: (value: unknown) => value is T): T {
  try {
    const text = localStorage.getItem(PREFIX + key);
    if (text === null) return fallback;
    const value: unknown = JSON.parse(text);
    return fits(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

export function forgetAll(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // Without access to the storage, nothing was stored.
  }
}

const oneOf =
  <T extends string>(...values: T[]) =>
  (value: unknown): value is T =>
    values.includes(value as T);
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isKeymap = (value: unknown): value is Record<string, string[]> =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((keys) => Array.isArray(keys) && keys.every((key) => typeof key === "string"));
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

function kept<T>(key: string, fallback: T, fits: (value: unknown) => value is T) {
  const held = signal(recall(key, fallback, fits));
  let first = true;
  effect(() => {
    const value = held.value;
    if (first) first = false;
    else remember(key, value);
  });
  return held;
}

export type Theme = "system" | "light" | "dark" | "contrast";
export const theme = kept<Theme>("theme", "system", oneOf("system", "light", "dark", "contrast"));
/** The initial view of the page's centre. */
export const graphMode = kept<"graph" | "table">("view", "graph", oneOf("graph", "table"));
export const animate = kept("animate", true, isBoolean);
export const askMissing = kept("ask", true, isBoolean);
/**
 * Settings of the definition's editor: commands above each state, values while a run is paused, and scrolling to the paused
 * state.
 */
export const lenses = kept("lenses", true, isBoolean);
export const inlineValues = kept("values", true, isBoolean);
export const followPause = kept("follow", true, isBoolean);
export const singleKeys = kept("keys", true, isBoolean);
/** The keys that the user has changed, by the command's id. */
export const keymap = kept<Readonly<Record<string, readonly string[]>>>("keymap", {}, isKeymap);
export const leftWidth = kept("left", 30, isNumber);
export const rightWidth = kept("right", 26, isNumber);
export const dockHeight = kept("dock", 248, isNumber);
export const problemsOpen = kept("problems", true, isBoolean);
export const welcomed = kept("welcomed", false, isBoolean);

/** The size of text relative to 16 px, from the browser's setting. The styles follow it. */
export const textSize = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
document.documentElement.style.setProperty("--text-size", String(textSize));

const media = (query: string) => {
  const list = matchMedia(query);
  const held = signal(list.matches);
  list.addEventListener("change", () => (held.value = list.matches));
  return held;
};

export const reducedMotion = media("(prefers-reduced-motion: reduce)");
export const systemDark = media("(prefers-color-scheme: dark)");
const moreContrast = media("(prefers-contrast: more)");
// The limits are in units of the text size, as in the styles. In a window of little height, for example a magnified one, only one
// pane fits at a time.
const HIGH = "(min-height: 32.5em)";
const wide = media(`(min-width: 62.5em) and ${HIGH}`);
const medium = media(`(min-width: 40em) and ${HIGH}`);
export const layoutSize = (): "wide" | "medium" | "narrow" => (wide.value ? "wide" : medium.value ? "medium" : "narrow");
export const motion = (): boolean => animate.value && !reducedMotion.value;

effect(() => {
  const dark = theme.value === "dark" || (theme.value === "system" && systemDark.value);
  const contrast = theme.value === "contrast" || (theme.value === "system" && moreContrast.value);
  document.documentElement.dataset["theme"] = contrast ? "contrast" : dark ? "dark" : "light";
});
