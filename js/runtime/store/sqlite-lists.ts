// The SQL statements for lists: they select the rows of a filter, the latest first.

import type { ExecutionFilter } from "../../core/api/durable.d.ts";
import type { Value } from "./sqlite-database.ts";
import { type Condition as AttributeCondition, conditionsOf } from "./attributes.ts";
import { nameRanges, narrowsBy, type Most, type TextRange } from "./narrowing.ts";
import { bound, escaped } from "./texts.ts";

/** A part of a statement, and the values of its parameters. */
interface Sql {
  text: string;
  values: Value[];
}

/** Selects a row of `execution` with the ARNs of its machine and Map Run. */
export const ROW =
  "SELECT e.*, m.arn AS machine_arn, r.arn AS map_run_arn FROM execution AS e LEFT JOIN machine AS m ON m.id = e.machine LEFT JOIN map_run AS r ON r.id = e.map_run";

/** Selects the ids of at most `limit` executions before the id `before`, the latest first. */
export function page(filter: ExecutionFilter, { narrow, ...numbers }: Narrowed, before: number, limit: number): Sql {
  // With several statuses, the rows of each status are already in order, so the first rows of each are enough.
  const parts = statusesOf(filter).map((status) => {
    const id = narrow === undefined && driversOf(filter).length === 0 ? "e.id" : "t.execution";
    const { text, values } = selected(filter, { ...numbers, narrow }, status, [`${id} < ?`, before]);
    return { text: `SELECT * FROM (SELECT ${id} AS id ${text} ORDER BY ${id} DESC LIMIT ?)`, values: [...values, limit] };
  });
  return {
    text: `SELECT id FROM (${parts.map(({ text }) => text).join(" UNION ALL ")}) ORDER BY id DESC LIMIT ?`,
    values: [...parts.flatMap(({ values }) => values), limit],
  };
}

/** Counts the executions that a filter selects. */
export function counted(filter: ExecutionFilter, numbers: Narrowed): Sql {
  const parts = statusesOf(filter).map((status) => selected(filter, numbers, status));
  return {
    text: `SELECT ${parts.map(({ text }) => `(SELECT count(*) ${text})`).join(" + ")} AS count`,
    values: parts.flatMap(({ values }) => values),
  };
}

/** Counts the executions that a filter selects, by machine, status and interval of their start. */
export function countedBy(filter: ExecutionFilter, numbers: Narrowed, interval: number | undefined): Sql {
  const parts = statusesOf(filter).flatMap((status) =>
    namesOf(filter).map((names) => {
      const { text: all, values } = selected(filter, { ...numbers, names }, status);
      // This index, like that of names, has all columns that are counted, so that no row is read for them.
      const text = names === undefined ? all.replace(/ INDEXED BY \w+/, " INDEXED BY execution_machine_status") : all;
      const slot = interval === undefined ? "NULL" : "CAST(e.start_date / ? AS INTEGER)";
      const counted = `SELECT e.machine AS machine, e.status AS status, ${slot} AS slot, count(*) AS count ${text} GROUP BY 1, 2, 3`;
      return { text: counted, values: [...(interval === undefined ? [] : [interval]), ...values] };
    }),
  );
  return {
    text: `SELECT m.arn AS arn, c.status, c.slot, sum(c.count) AS count FROM (${parts.map(({ text }) => text).join(" UNION ALL ")}) AS c JOIN machine AS m ON m.id = c.machine GROUP BY 1, 2, 3`,
    values: parts.flatMap(({ values }) => values),
  };
}

/** Returns the ranges of names of a filter, which do not overlap, if only the index of names is needed; otherwise one undefined. */
function namesOf(filter: ExecutionFilter): (TextRange | undefined)[] {
  if (!narrowsBy(filter).includes("name") || driversOf(filter).length > 0) return [undefined];
  return nameRanges(filter.namePrefix!);
}

/** The numbers of the ARNs of a filter; undefined for an ARN that the filter does not name. */
export interface Numbers {
  machine: number | undefined;
  mapRun: number | undefined;
}

/** The numbers, and the executions to begin with, if they are few. */
export interface Narrowed extends Numbers {
  narrow?: Sql | undefined;
  /** The names, if their index is enough. */
  names?: TextRange | undefined;
}

/**
 * Returns the statement that selects the executions with the name or the time of start of a filter, if they are at most `most`. `count`
 * returns the result of a statement that counts.
 */
export function narrowed(filter: ExecutionFilter, most: Most, count: (sql: Sql) => number): Sql | undefined {
  let [best, fewest] = [undefined as Sql | undefined, Infinity];
  for (const by of narrowsBy(filter)) {
    const sql = by === "name" ? named(filter.namePrefix!) : started(filter);
    const limit = Math.min(fewest, most[by] + 1);
    const found = count({ text: `SELECT count(*) AS count FROM (${sql.text} LIMIT ?)`, values: [...sql.values, limit] });
    if (found < limit) [best, fewest] = [sql, found];
  }
  return best;
}

function named(prefix: string): Sql {
  const parts = nameRanges(prefix).map(({ from, before }): Sql => ({
    text: `SELECT id AS execution FROM execution INDEXED BY execution_name WHERE map_run IS NULL AND name >= ?${before === undefined ? "" : " AND name < ?"}`,
    values: before === undefined ? [from] : [from, before],
  }));
  return { text: parts.map(({ text }) => text).join(" UNION ALL "), values: parts.flatMap(({ values }) => values) };
}

function started({ startedFrom = -Infinity, startedBefore = Infinity }: ExecutionFilter): Sql {
  const text =
    "SELECT id AS execution FROM execution INDEXED BY execution_start WHERE map_run IS NULL AND start_date >= ? AND start_date < ?";
  return { text, values: [startedFrom, startedBefore] };
}

/** Returns each requested status once, or a single undefined for all statuses. */
function statusesOf({ status }: ExecutionFilter): (string | undefined)[] {
  if (status === undefined || typeof status === "string") return [status];
  // An empty list of statuses selects nothing. No execution has the status "".
  return status.length === 0 ? [""] : [...new Set(status)];
}

type Condition = [text: string, ...values: Value[]];

/** Returns the FROM and WHERE clauses for one status. */
function selected(filter: ExecutionFilter, numbers: Narrowed, status: string | undefined, ...more: Condition[]): Sql {
  const { namePrefix, startedFrom, startedBefore } = filter;
  const { names } = numbers;
  const narrow = names === undefined ? numbers.narrow : undefined;
  const all = driversOf(filter);
  const [driver, others] = narrow === undefined ? [all[0], all.slice(1)] : [undefined, all];
  const conditions: Condition[] = [...more];
  conditions.push(numbers.mapRun === undefined ? ["e.map_run IS NULL"] : ["e.map_run = ?", numbers.mapRun]);
  if (numbers.machine !== undefined) conditions.push(["e.machine = ?", numbers.machine]);
  if (status !== undefined) conditions.push(["e.status = ?", status]);
  if (startedFrom !== undefined) conditions.push(["e.start_date >= ?", startedFrom]);
  if (startedBefore !== undefined) conditions.push(["e.start_date < ?", startedBefore]);
  if (names !== undefined) conditions.push(inRange(names));
  else if (namePrefix !== undefined) conditions.push(begins(namePrefix));
  for (const { table, condition, isOne } of others) {
    const [text, ...values] = condition;
    // The rows with one value are found by the execution, too.
    const found = isOne
      ? `EXISTS (SELECT 1 FROM ${table} AS t WHERE ${text} AND t.execution = e.id)`
      : `e.id IN (SELECT t.execution FROM ${table} AS t WHERE ${text})`;
    conditions.push([found, ...values]);
  }
  if (narrow !== undefined) {
    const { text, values } = joined(`FROM (${narrow.text}) AS t CROSS JOIN execution AS e ON e.id = t.execution`, conditions);
    return { text, values: [...narrow.values, ...values] };
  }
  if (driver === undefined)
    return joined(`FROM execution AS e INDEXED BY ${names === undefined ? indexOf(numbers, status) : "execution_name"}`, conditions);
  return joined(`FROM ${driver.table} AS t CROSS JOIN execution AS e ON e.id = t.execution`, [driver.condition, ...conditions]);
}

/** A condition on the rows of another table, by which executions are found. */
interface Driver {
  table: "tag" | "attribute";
  condition: Condition;
  /** Whether the condition is for one value. Then the rows are in the order of the executions. */
  isOne: boolean;
}

/** Returns the conditions for tags and attributes. The first one is the one to begin with: such executions are usually few. */
function driversOf(filter: ExecutionFilter): Driver[] {
  const tags = Object.entries(filter.tags ?? {}).map(([key, value]): Driver => ({
    table: "tag",
    condition: ["t.key = ? AND t.value = ?", bound(key), bound(value)],
    isOne: true,
  }));
  const attributes = conditionsOf(filter).map((condition): Driver => ({
    table: "attribute",
    condition: attributeCondition(condition),
    isOne: "value" in condition,
  }));
  return [...attributes.filter(({ isOne }) => isOne), ...tags, ...attributes.filter(({ isOne }) => !isOne)];
}

/** Returns the kind and the value with which the table of attributes has a value. */
export function attributeColumns(value: string | number | boolean): [kind: number, value: string | number] {
  if (typeof value === "boolean") return [0, Number(value)];
  return typeof value === "number" ? [1, value] : [2, bound(value)];
}

function attributeCondition(condition: AttributeCondition): Condition {
  const name = bound(condition.name);
  if ("value" in condition) return ["t.name = ? AND t.kind = ? AND t.value = ?", name, ...attributeColumns(condition.value)];
  const { from, before, kind } = condition;
  const ends = [...(from === undefined ? [] : [[">=", from] as const]), ...(before === undefined ? [] : [["<", before] as const])].map(
    ([operator, end]) => ({ text: ` AND t.value ${operator} ?`, value: attributeColumns(end)[1] }),
  );
  const text = `t.name = ? AND t.kind = ?${ends.map((end) => end.text).join("")}`;
  return [text, name, kind === "number" ? 1 : 2, ...ends.map(({ value }) => value)];
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

function inRange({ from, before }: TextRange): Condition {
  return before === undefined ? ["e.name >= ?", from] : ["e.name >= ? AND e.name < ?", from, before];
}

/** Returns a condition for the beginning of a name, in its plain or its escaped form. */
function begins(prefix: string): Condition {
  const other = escaped(prefix).slice(0, -1);
  const forms = [bound(prefix), other];
  return ["(substr(e.name, 1, ?) = ? OR substr(e.name, 1, ?) = ?)", ...forms.flatMap((form): Value[] => [[...form].length, form])];
}
