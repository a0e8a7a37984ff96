// Which index a list of an SQL store begins with. Lists are in the order of the executions, and their first page is usually found at
// once by going through that order. If only few executions have a name or a time of start, that would read all others, too.

import type { ExecutionFilter } from "../../core/api/durable.d.ts";
import { bound, escaped } from "./texts.ts";

/** The largest numbers of executions, found by their names or by their times of start, from which a list or a count is made. */
export interface Most {
  name: number;
  start: number;
}

/** The largest number of executions that a list sorts. With more, the order of the executions leads to the first page sooner. */
const FEW = 10_000;
/** The same for executions that have started since a time: they are usually the first ones of the list. */
const LATEST = 1000;

/** The numbers for counts, which have no order. */
export const MANY: Most = { name: 20_000, start: 20_000 };

/** Returns the numbers for a list. */
export function mostOfList({ startedBefore }: ExecutionFilter): Most {
  return { name: FEW, start: startedBefore === undefined ? LATEST : FEW };
}

/** A range of texts. Without `before` it has no end. */
export interface TextRange {
  from: string;
  before: string | undefined;
}

/** Returns the ranges of the stored forms of the names with a prefix: plain, and escaped. */
export function nameRanges(prefix: string): TextRange[] {
  // The escaped form has no quote at its end. A prefix that cannot be stored has only that form.
  const forms = [...(bound(prefix) === prefix ? [prefix] : []), escaped(prefix).slice(0, -1)];
  return forms.map((from) => ({ from, before: successor(from) }));
}

/** Returns the first text, by the order of code points, that is after all texts with a prefix; undefined if there is none. */
function successor(prefix: string): string | undefined {
  const points = [...prefix];
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const code = last.codePointAt(0)!;
    if (code === 0x10_ff_ff) continue;
    // The code points of surrogates are no characters.
    return `${points.join("")}${String.fromCodePoint(code === 0xd7_ff ? 0xe0_00 : code + 1)}`;
  }
  return undefined;
}

/** Returns what a filter says for which there may be an index: a name, a time of start. Children of a Map Run have neither. */
export function narrowsBy({ mapRunArn, namePrefix, startedFrom, startedBefore }: ExecutionFilter): ("name" | "start")[] {
  if (mapRunArn !== undefined) return [];
  const hasTime = startedFrom !== undefined || startedBefore !== undefined;
  return [...(namePrefix === undefined || namePrefix === "" ? [] : ["name" as const]), ...(hasTime ? ["start" as const] : [])];
}
