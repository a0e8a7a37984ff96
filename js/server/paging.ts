// @ts-nocheck: has no types yet.
// Pages of lists: a token says where the next one begins, and of which list.

import { invalidToken } from "./errors.ts";

/** How many results a page has where none is asked for. */
export const PAGE = 100;

/** The token for the page at `cursor` of a list; `list` is any JSON that tells lists apart. */
export function pageToken(list, cursor) {
  return Buffer.from(JSON.stringify([list, cursor])).toString("base64url");
}

/** The cursor of a token of this list; undefined for the first page. Throws InvalidToken. */
export function cursorOf(list, token) {
  if (token === undefined) return undefined;
  let read;
  try {
    read = JSON.parse(Buffer.from(token, "base64url").toString());
  } catch {
    throw invalidToken();
  }
  if (!Array.isArray(read) || read.length !== 2 || JSON.stringify(read[0]) !== JSON.stringify(list)) throw invalidToken();
  const [, cursor] = read;
  if (!(typeof cursor === "string" || Number.isSafeInteger(cursor))) throw invalidToken();
  return cursor;
}

/**
 * A page of an array that is sorted by `key`: `{items, nextToken}`. What was added or taken away between two pages does not
 * make an item appear twice.
 */
export function pageOf(sorted, { list, key, maxResults, nextToken, descending = false }) {
  const cursor = cursorOf(list, nextToken);
  if (cursor !== undefined && sorted.length > 0 && typeof cursor !== typeof key(sorted[0])) throw invalidToken();
  const after = (item) => (descending ? key(item) < cursor : key(item) > cursor);
  const rest = cursor === undefined ? sorted : sorted.filter(after);
  const items = rest.slice(0, maxResults || PAGE);
  return { items, ...(rest.length > items.length && { nextToken: pageToken(list, key(items.at(-1))) }) };
}
