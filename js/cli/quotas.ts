// Reads the options --quotas and --quota of `stepglass serve`.

import type { Quotas } from "../core/api/server.d.ts";
import { Unusable } from "../language/files/problem.ts";

const COUNTS = new Map<string, "openExecutions" | "registered">([
  ["openExecutions", "openExecutions"],
  ["registered", "registered"],
]);

/** Returns the requested quotas: those of AWS, with replacements as `NAME=BUCKET/REFILL` or `NAME=COUNT`. */
export function quotasOf(all: boolean | undefined, changes: string[] | undefined): true | Quotas | undefined {
  if (changes === undefined) return all === true ? true : undefined;
  const quotas: Quotas = {};
  const rates: NonNullable<Quotas["rates"]> = {};
  for (const change of changes) {
    const [, name = "", first = "", second] = /^([\w.]+)=(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/.exec(change) ?? [];
    const count = COUNTS.get(name);
    if (count !== undefined && second === undefined) quotas[count] = Number(first);
    else if (count === undefined && second !== undefined) rates[name] = { bucket: Number(first), refill: Number(second) };
    else {
      throw new Unusable(
        `--quota must be OPERATION=BUCKET/REFILL, for example StartExecution=10/5, or openExecutions=100, not ${JSON.stringify(change)}`,
        { usage: true },
      );
    }
  }
  return { ...quotas, rates };
}
