// What the responses of all operations share.

/** A time in milliseconds as the API returns it. */
export function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** A response without members. */
export type Empty = Record<string, never>;

/** A response with one page of a list. */
export interface Paged {
  nextToken?: string;
}
