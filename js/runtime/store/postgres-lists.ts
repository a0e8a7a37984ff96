// The SQL conditions for lists of the PostgreSQL store: they select the rows of a filter.

import type { ExecutionFilter } from "../../core/api/durable.d.ts";
import { type Condition as AttributeCondition, conditionsOf } from "./attributes.ts";
import { type Session, StoredText } from "./postgres-session.ts";
import { type Most, nameRanges, narrowsBy } from "./narrowing.ts";
import { bound, escaped } from "./texts.ts";

/** A condition with a `?` for each of its values. */
type Condition = [text: string, ...values: unknown[]];

/** Returns a WHERE clause, and the values of its parameters. */
export function selected(filter: ExecutionFilter, more: Condition[] = []): { text: string; values: unknown[] } {
  const { machineArn, mapRunArn, status, namePrefix, tags, startedFrom, startedBefore } = filter;
  const conditions: Condition[] = [...more, mapRunArn === undefined ? ["map_run IS NULL"] : ["map_run = ?", mapRunArn]];
  if (machineArn !== undefined) conditions.push(["machine = ?", machineArn]);
  if (typeof status === "string") conditions.push(["status = ?", status]);
  else if (status !== undefined) conditions.push(["status = ANY(?)", [...status]]);
  if (startedFrom !== undefined) conditions.push(["start_date >= ?", startedFrom]);
  if (startedBefore !== undefined) conditions.push(["start_date < ?", startedBefore]);
  if (namePrefix !== undefined) conditions.push(["(starts_with(name, ?) OR starts_with(name, ?))", ...formsOf(namePrefix)]);
  if (tags !== undefined)
    conditions.push([
      "tags @> ARRAY(SELECT md5(tag) FROM unnest(?::text[]) AS tag)",
      Object.entries(tags).map((tag) => JSON.stringify(tag)),
    ]);
  for (const condition of conditionsOf(filter)) conditions.push(attributeCondition(condition));
  const values: unknown[] = [];
  const text = conditions.map(([part, ...given]) => part.replaceAll("?", () => `$${values.push(given.shift())}`)).join(" AND ");
  return { text: `WHERE ${text}`, values };
}

/** Returns the result of a statement that counts. */
export async function countOf(session: Session, text: string, values: unknown[]): Promise<number> {
  const [row] = await session.query(text, values);
  return Number(row?.count);
}

/** Returns the condition for the executions with the name or the time of start of a filter, if they are at most `most`. */
export function fewOf(session: Session, filter: ExecutionFilter, most: Most): ReturnType<typeof narrowed> {
  return narrowed(filter, most, (text, values) => countOf(session, text, values));
}

/** The number of characters of a name that its index has. */
const NAME = 100;

/**
 * Returns the condition that an execution is one of those with the name or the time of start of a filter, if they are at most `most`.
 * `count` returns the result of a statement that counts.
 */
async function narrowed(
  filter: ExecutionFilter,
  most: Most,
  count: (text: string, values: unknown[]) => Promise<number>,
): Promise<Condition[]> {
  let [best, fewest] = [undefined as Condition | undefined, Infinity];
  for (const by of narrowsBy(filter)) {
    const [where, ...values] = by === "name" ? named(filter.namePrefix!) : started(filter);
    const ids = `SELECT id FROM execution WHERE map_run IS NULL AND ${where}`;
    const limit = Math.min(fewest, most[by] + 1);
    const found = await count(numbered(`SELECT count(*) AS count FROM (${ids} LIMIT ${limit}) AS few`), values);
    // The server performs the inner statement once, and does not choose the order of the executions instead.
    if (found < limit) [best, fewest] = [[`id = ANY(ARRAY(${ids}))`, ...values], found];
  }
  return best === undefined ? [] : [best];
}

function named(prefix: string): Condition {
  const ranges = nameRanges(prefix).map(({ from, before }): Condition => {
    const [least, most] = [[...from].slice(0, NAME).join(""), before === undefined ? undefined : [...before].slice(0, NAME).join("")];
    // A prefix that is longer than what the index has only selects the names with the same beginning.
    const isLong = [...from].length > NAME;
    const column = `left(name, ${NAME}) COLLATE "C"`;
    if (isLong) return [`${column} = ?`, new StoredText(least)];
    return most === undefined
      ? [`${column} >= ?`, new StoredText(least)]
      : [`(${column} >= ? AND ${column} < ?)`, new StoredText(least), new StoredText(most)];
  });
  return [`(${ranges.map(([text]) => text).join(" OR ")})`, ...ranges.flatMap(([, ...values]) => values)];
}

function started({ startedFrom = -Infinity, startedBefore = Infinity }: ExecutionFilter): Condition {
  return ["start_date >= ? AND start_date < ?", startedFrom, startedBefore];
}

/** Numbers the parameters of a statement. */
function numbered(text: string): string {
  let number = 0;
  return text.replaceAll("?", () => `$${(number += 1)}`);
}

function attributeCondition(condition: AttributeCondition): Condition {
  const [text, ...values] = attributeRows(condition);
  return [`id IN (SELECT execution FROM attribute WHERE attribute.name = ? AND ${text})`, condition.name, ...values];
}

function attributeRows(condition: AttributeCondition): Condition {
  if ("value" in condition) {
    const { value } = condition;
    if (typeof value === "string") return ["kind = 2 AND text = ?", value];
    return typeof value === "number" ? ["kind = 1 AND number = ?", value] : ["kind = 0 AND number = ?", Number(value)];
  }
  const { from, before, kind } = condition;
  const [column, which] = kind === "number" ? ["number", "kind = 1"] : ["text", "kind = 2"];
  const text = `${which}${from === undefined ? "" : ` AND ${column} >= ?`}${before === undefined ? "" : ` AND ${column} < ?`}`;
  return [text, ...[from, before].filter((end) => end !== undefined)];
}

/** Returns the beginning of a name in both forms. The escaped form has no quote at its end. */
function formsOf(prefix: string): StoredText[] {
  return [new StoredText(bound(prefix)), new StoredText(escaped(prefix).slice(0, -1))];
}
