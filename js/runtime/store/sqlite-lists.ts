// The SQL statements for lists: they select the rows of a filter, the latest first.

import type { ExecutionFilter } from "../../core/api/durable.d.ts";
import type { Value } from "./sqlite-database.ts";
import { bound, escaped } from "./texts.ts";

/** A part of a statement, and the values of its parameters. */
export interface Sql {
  text: string;
  values: Value[];
}

/** Selects a row of `execution` with the ARNs of its machine and Map Run. */
export const ROW =
  "SELECT e.*, m.arn AS machine_arn, r.arn AS map_run_arn FROM execution AS e LEFT JOIN machine AS m ON m.id = e.machine LEFT JOIN map_run AS r ON r.id = e.map_run";

/** Selects the ids of at most `limit` executions before the id `before`, the latest first. */
export function page(filter: ExecutionFilter, numbers: Numbers, before: number, limit: number): Sql {
  // With several statuses, the rows of each status are already in order, so the first rows of each are enough.
  const parts = statusesOf(filter).map((status) => {
    const id = filter.tags === undefined || Object.keys(filter.tags).length === 0 ? "e.id" : "t.execution";
    const { text, values } = selected(filter, numbers, status, [`${id} < ?`, before]);
    return { text: `SELECT * FROM (SELECT ${id} AS id ${text} ORDER BY ${id} DESC LIMIT ?)`, values: [...values, limit] };
  });
  return {
    text: `SELECT id FROM (${parts.map(({ text }) => text).join(" UNION ALL ")}) ORDER BY id DESC LIMIT ?`,
    values: [...parts.flatMap(({ values }) => values), limit],
  };
}

/** Counts the executions that a filter selects. */
export function counted(filter: ExecutionFilter, numbers: Numbers): Sql {
  const parts = statusesOf(filter).map((status) => selected(filter, numbers, status));
  return {
    text: `SELECT ${parts.map(({ text }) => `(SELECT count(*) ${text})`).join(" + ")} AS count`,
    values: parts.flatMap(({ values }) => values),
  };
}

/** The numbers of the ARNs of a filter; undefined for an ARN that the filter does not name. */
export interface Numbers {
  machine: number | undefined;
  mapRun: number | undefined;
}

/** Returns each requested status once, or a single undefined for all statuses. */
function statusesOf({ status }: ExecutionFilter): (string | undefined)[] {
  if (status === undefined || typeof status === "string") return [status];
  // An empty list of statuses selects nothing. No execution has the status "".
  return status.length === 0 ? [""] : [...new Set(status)];
}

type Condition = [text: string, ...values: Value[]];

/** Returns the FROM and WHERE clauses for one status. */
function selected(filter: ExecutionFilter, numbers: Numbers, status: string | undefined, ...more: Condition[]): Sql {
  const { namePrefix, startedFrom, startedBefore } = filter;
  const [tag, ...tags] = Object.entries(filter.tags ?? {});
  const conditions: Condition[] = [...more];
  conditions.push(numbers.mapRun === undefined ? ["e.map_run IS NULL"] : ["e.map_run = ?", numbers.mapRun]);
  if (numbers.machine !== undefined) conditions.push(["e.machine = ?", numbers.machine]);
  if (status !== undefined) conditions.push(["e.status = ?", status]);
  if (startedFrom !== undefined) conditions.push(["e.start_date >= ?", startedFrom]);
  if (startedBefore !== undefined) conditions.push(["e.start_date < ?", startedBefore]);
  if (namePrefix !== undefined) conditions.push(begins(namePrefix));
  for (const [key, value] of tags)
    conditions.push(["EXISTS (SELECT 1 FROM tag WHERE key = ? AND value = ? AND execution = e.id)", bound(key), bound(value)]);
  if (tag === undefined) return joined(`FROM execution AS e INDEXED BY ${indexOf(numbers, status)}`, conditions);
  // The executions of a tag are also in order, and are usually few.
  const [key, value] = tag;
  return joined("FROM tag AS t CROSS JOIN execution AS e ON e.id = t.execution", [
    ["t.key = ?", bound(key)],
    ["t.value = ?", bound(value)],
    ...conditions,
  ]);
}

function joined(from: string, conditions: Condition[]): Sql {
  return {
    text: `${from} WHERE ${conditions.map(([text]) => text).join(" AND ")}`,
    values: conditions.flatMap(([, ...values]) => values),
  };
}

function indexOf({ machine }: Numbers, status: string | undefined): string {
  if (machine === undefined) return status === undefined ? "execution_all" : "execution_status";
  return status === undefined ? "execution_machine" : "execution_machine_status";
}

/** Returns a condition for the beginning of a name, in its plain or its escaped form. */
function begins(prefix: string): Condition {
  const other = escaped(prefix).slice(0, -1);
  const forms = [bound(prefix), other];
  return ["(substr(e.name, 1, ?) = ? OR substr(e.name, 1, ?) = ?)", ...forms.flatMap((form): Value[] => [[...form].length, form])];
}
