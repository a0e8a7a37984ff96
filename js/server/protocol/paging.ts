// Pages of lists. A token contains the identity of the list and the cursor of the next page.

import type { JsonValue } from "../../core/api/index.d.ts";
import { invalidToken } from "./errors.ts";

/** A cursor is the key of a page's last item. */
export type Cursor = string | number;

/** A page of a list, with the token for the next page if there is one. */
export interface Page<Item> {
  items: Item[];
  nextToken?: string;
}

/** The request for a page of a list. */
interface PageRequest<Item> {
  /** JSON that identifies the list. */
  list: JsonValue;
  key: (item: Item) => Cursor;
  descending?: boolean;
  maxResults: number | undefined;
  nextToken: string | undefined;
}

/** The default size of a page. */
export const PAGE = 100;

/** Returns the token of the page that begins after `cursor`. `list` is JSON that identifies the list. */
export function pageToken(list: JsonValue, cursor: Cursor): string {
  return Buffer.from(JSON.stringify([list, cursor])).toString("base64url");
}

/** Returns the cursor of a token of this list; undefined for the first page. Throws InvalidToken. */
export function cursorOf(list: JsonValue, token: string | undefined): Cursor | undefined {
  if (token === undefined) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(token, "base64url").toString());
  } catch {
    throw invalidToken();
  }
  if (!Array.isArray(read) || read.length !== 2 || JSON.stringify(read[0]) !== JSON.stringify(list)) throw invalidToken();
  const [, cursor] = read;
  if (!isCursor(cursor)) throw invalidToken();
  return cursor;
}

function isCursor(value: unknown): value is Cursor {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Returns a page of an array that is sorted by `key`. No item appears twice, even if the array changes between two pages. */
export function pageOf<Item>(sorted: Item[], { list, key, maxResults, nextToken, descending = false }: PageRequest<Item>): Page<Item> {
  const cursor = cursorOf(list, nextToken);
  const rest = cursor === undefined ? sorted : sorted.filter((item) => isAfter(key(item), cursor, descending));
  const items = rest.slice(0, maxResults || PAGE);
  const last = items.at(-1);
  return { items, ...(last !== undefined && rest.length > items.length && { nextToken: pageToken(list, key(last)) }) };
}

function isAfter(key: Cursor, cursor: Cursor, descending: boolean): boolean {
  if (typeof key !== typeof cursor) throw invalidToken();
  return descending ? key < cursor : key > cursor;
}
