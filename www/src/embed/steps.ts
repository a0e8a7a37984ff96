// What can be undone: the texts before and after, whoever changed them.

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

  /// A change has been made to this text.
  push(before: string): void {
    this.past = [...this.past.slice(1 - MOST), before];
    this.future = [];
  }

  /// The text before the last step, or after the one that was taken back; undefined where there is none.
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

/// The one edit that makes a text another one.
export function difference(before: string, after: string): TextEdit[] {
  if (before === after) return [];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
  return [{ start, end: before.length - same, text: after.slice(start, after.length - same) }];
}
