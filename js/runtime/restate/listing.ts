// Lists of executions, by Restate's admin API: it queries the state of virtual objects by SQL.

import type { ExecutionSummary } from "../../core/api/durable.d.ts";
import type { RestateFilter } from "../../core/api/restate.d.ts";
import { checkFilter } from "../durable/attributes.ts";
import { selects } from "../store/filter.ts";
import { storedJson } from "../store/stored-json.ts";
import { EXECUTION } from "./context.ts";
import type { Ingress } from "./ingress.ts";

// Default size of a list.
const LIMIT = 100;

/**
 * Lists executions, the latest first. Restate has no index of the values in a record and reads all of them, so this is for
 * operators and tests,
 * and not for every request of a program.
 */
export async function listed(
  ingress: Ingress,
  { machine, ...filter }: RestateFilter,
  { before = Infinity, limit = LIMIT }: { before?: number; limit?: number },
  withChildren = false,
): Promise<{ items: ExecutionSummary[]; before?: number }> {
  // Only the children of Map Runs have a slash in their ARNs.
  checkFilter(filter);
  const which = withChildren ? "" : ` AND service_key ${filter.mapRunArn === undefined ? "NOT LIKE" : "LIKE"} '%/%'`;
  const where = `service_name = '${EXECUTION}' AND key = 'record'${which}`;
  const rows = await ingress.query(`SELECT value_utf8 FROM state WHERE ${where}`);
  const all = rows
    .map(({ value_utf8: text }) => ({ version: 0, ...storedJson(String(text), "a record") }) as ExecutionSummary)
    .filter((summary) => machine === undefined || summary.machine === machine)
    .filter((summary) => {
      const wanted = withChildren ? { ...filter, mapRunArn: summary.mapRunArn } : filter;
      return summary.order < before && selects(wanted as typeof filter, summary as Parameters<typeof selects>[1]);
    })
    .sort((a, b) => b.order - a.order || (a.id < b.id ? -1 : 1));
  // Executions that began in the same millisecond are on one page.
  let end = Math.min(limit, all.length);
  while (end > 0 && end < all.length && all[end]?.order === all[end - 1]?.order) end += 1;
  const items = all.slice(0, end);
  const last = items.at(-1);
  return { items, ...(end < all.length && last !== undefined && { before: last.order }) };
}
