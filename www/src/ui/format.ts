// Formats times and counts.

/** Returns the time since a run began: `00:03:20.250`, with days if there are any. */
export function elapsed(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const days = Math.floor(whole / 86_400_000);
  const part = (unit: number, size: number): string => String(Math.floor(whole / unit) % size).padStart(2, "0");
  const clock = `${part(3_600_000, 24)}:${part(60_000, 60)}:${part(1000, 60)}`;
  const milli = whole % 1000;
  return `${days > 0 ? `${count(days, "day")} ` : ""}${clock}${milli ? `.${String(milli).padStart(3, "0")}` : ""}`;
}

/** Returns the two largest units of a duration: `2 d 3 h`, `4.5 s`, `20 ms`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const units: [string, number][] = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1000],
  ];
  const at = units.findIndex(([, size]) => ms >= size);
  const [name, size] = units[at]!;
  const [small, smallSize] = units[at + 1] ?? ["", 0];
  const rest = smallSize ? Math.floor((ms % size) / smallSize) : 0;
  return `${Math.floor(ms / size)} ${name}${rest ? ` ${rest} ${small}` : ""}`;
}

/**
 * Returns a count with separators: `25,000`. Small counts skip the formatter, which is slow: a graph formats many in one frame.
 */
export function grouped(n: number): string {
  return n < 1000 ? String(n) : n.toLocaleString("en");
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** Returns a size: `812 B`, `1.2 KiB`, `256 KiB`. */
export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  const [size, unit] = n < 1024 * 1024 ? [n / 1024, "KiB"] : [n / 1024 / 1024, "MiB"];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

export function iterationPath(iterations: number[]): string {
  return iterations.map((index) => `#${index}`).join(" › ");
}

/** Returns the interpreter's message, which is part of a sentence, as a sentence of its own. */
export function sentence(text: string): string {
  const whole = text.replace(/^or /, "");
  return /^\p{Ll}/u.test(whole) ? whole[0]!.toUpperCase() + whole.slice(1) : whole;
}

/** Returns a message for plain text, with quotes in place of back ticks. */
export function unticked(text: string): string {
  return text.replaceAll(/`([^`]*)`/g, '"$1"');
}

/** The name of the modifier key: `⌘` on a Mac. */
export const MOD = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform) ? "⌘" : "Ctrl";
