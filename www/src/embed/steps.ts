// The undo history: the texts before and after each change, whatever made it.

import type { TextEdit } from "stepglass";

const MOST = 200;

export class Steps {
  private past: string[] = [];
  private future: string[] = [];

  get undoable(): boolean {
    return this.past.length > 0;
  }

  get redoable(): boolean {
    return this.future.length > 0;
  }

  /** Records that this text was changed. */
  push(before: string): void {
    this.past = [...this.past.slice(1 - MOST), before];
    this.future = [];
  }

  /** Returns the text to undo to, or with `again` the text to redo; undefined if there is none. */
  take(now: string, again: boolean): string | undefined {
    const [from, to] = again ? [this.future, this.past] : [this.past, this.future];
    const text = from.pop();
    if (text !== undefined) to.push(now);
    return text;
  }

  clear(): void {
    this.past = [];
    this.future = [];
  }
}

/** Returns the single edit between two texts. */
export function difference(before: string, after: string): TextEdit[] {
  if (before === after) return [];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  return [{ start, end: before.length - same, text: after.slice(start, after.length - same) }];
}
