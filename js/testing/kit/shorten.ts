// Shortens JSON values as far as a check permits.

import { isObject } from "../../core/base/json.ts";

/** Strings up to this length, in characters, stay as they are: they are names and codes rather than payloads. */
const SHORT_TEXT = 20;

/** Returns whether a value can stand in the place of the original one. */
type Accepts = (value: unknown) => Promise<boolean>;

/**
 * Returns a value in which no member, item or long text can be left out without a change that `accepts` refuses. It is called
 * with one change at a time, so its result holds for the returned value, too.
 */
export async function shorten(value: unknown, accepts: Accepts): Promise<unknown> {
  if (Array.isArray(value)) return shortenList(value, accepts);
  if (isObject(value)) return shortenObject(value, accepts);
  if (typeof value === "string" && value.length > SHORT_TEXT) {
    const short = `${value.slice(0, SHORT_TEXT - 1)}…`;
    if (await accepts(short)) return short;
  }
  return value;
}

async function shortenObject(value: Record<string, unknown>, accepts: Accepts): Promise<Record<string, unknown>> {
  // Most payloads are not read at all.
  if (Object.keys(value).length > 0 && (await accepts({}))) return {};
  let shortest = value;
  for (const name of Object.keys(value)) {
    const { [name]: _, ...without } = shortest;
    if (await accepts(without)) shortest = without;
    else {
      const member = await shorten(shortest[name], (candidate) => accepts({ ...shortest, [name]: candidate }));
      shortest = { ...shortest, [name]: member };
    }
  }
  return shortest;
}

async function shortenList(list: readonly unknown[], accepts: Accepts): Promise<unknown[]> {
  let shortest = [...list];
  // Halves first: a long list of which one item counts takes few attempts.
  for (let size = Math.ceil(shortest.length / 2); size >= 1 && shortest.length > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = shortest.length - size; from >= 0; from -= size) {
      const without = shortest.toSpliced(from, size);
      if (await accepts(without)) shortest = without;
    }
  }
  for (const index of shortest.keys()) {
    const item = await shorten(shortest[index], (candidate) => accepts(shortest.with(index, candidate)));
    shortest = shortest.with(index, item);
  }
  return shortest;
}
