// Types and conversions that the responses of all operations share.

/** Converts a time in milliseconds to the seconds of the API. */
export function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}

/** A response without members. */
export type Empty = Record<string, never>;

/** A response with one page of a list. */
export interface Paged {
  nextToken?: string;
}
