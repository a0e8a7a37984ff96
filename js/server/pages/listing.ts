// The lists and the counts of a console.

import type { AttributeFilter, ExecutionCount, ExecutionFilter } from "../../core/api/durable.d.ts";
import type { ExecutionStatus } from "../../core/api/index.d.ts";
import { countsOf } from "../../runtime/store/counts.ts";
import { redriveOf } from "../executions/descriptions.ts";
import { ApiError } from "../protocol/errors.ts";
import type { Quotas } from "../protocol/quotas.ts";
import type { StoredExecution, StoredSummary } from "../storage/records.ts";
import type { ExecutionCounts, ExecutionList, ExecutionSummary, StatusCounts } from "./documents.ts";
import type { ConsoleSource } from "./source.ts";

const DEFAULT_LIMIT = 50;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The largest number of intervals of the counts over time, and the lengths that they can have. */
const MOST_INTERVALS = 60;
const WIDTHS = [1000, 5000, 15_000, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY];
/** The longest time, in hours, whose counts are shown. */
const MOST_HOURS = 24 * 366;
/** How long counts are used again, in milliseconds. Pages that are open at the same time count once. */
const FRESH = 1000;

/** Returns the filter in the parameters of an address. Throws ApiError. */
function filterOf(parameters: URLSearchParams): ExecutionFilter {
  const statuses = parameters.getAll("status").filter((status) => status !== "") as ExecutionStatus[];
  const machineArn = parameters.get("stateMachineArn") ?? "";
  const namePrefix = parameters.get("name") ?? "";
  const startedFrom = timeOf(parameters, "from");
  const startedBefore = timeOf(parameters, "until");
  const attributes = attributesOf(parameters.getAll("attribute"));
  return {
    ...(statuses.length > 0 && { status: statuses }),
    ...(machineArn !== "" && { machineArn }),
    ...(namePrefix !== "" && { namePrefix }),
    ...(startedFrom !== undefined && { startedFrom }),
    ...(startedBefore !== undefined && { startedBefore }),
    ...(attributes !== undefined && { attributes }),
  };
}

function timeOf(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name) ?? "";
  if (text === "") return undefined;
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isFinite(time)) throw invalidParameter(`${name} must be a time in ISO 8601 or in milliseconds since 1970`);
  return time;
}

/**
 * Returns the attributes in parameters: `name=value`, `name>=value` or `name<value`. A value that is a number, `true` or `false` is
 * one, unless it is in quotes.
 */
function attributesOf(texts: readonly string[]): ExecutionFilter["attributes"] {
  const found = new Map<string, AttributeFilter>();
  for (const text of texts) {
    if (text === "") continue;
    const [, name, operator, value = ""] = /^([^=<>]+)(=|>=|<)(.*)$/s.exec(text) ?? [];
    if (name === undefined) throw invalidParameter("attribute must have the form name=value, name>=value or name<value");
    const typed = typedValue(value);
    if (operator === "=") found.set(name, typed);
    else if (typeof typed === "boolean") throw invalidParameter(`${name}: only numbers and texts are compared by size`);
    else found.set(name, { ...(found.get(name) as object | undefined), [operator === "<" ? "before" : "from"]: typed } as AttributeFilter);
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}

function typedValue(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  return /^".*"$/s.test(text) ? text.slice(1, -1) : text;
}

function invalidParameter(message: string): ApiError {
  return new ApiError("ValidationException", message);
}

/** Decides which machines a reader may see, by their ARNs. */
type MayRead = (machineArn: string) => boolean;

/** Returns a page of the list. It is filled also if the reader may not see many executions. */
export async function listOf(source: ConsoleSource, parameters: URLSearchParams, page: boolean, mayRead: MayRead): Promise<ExecutionList> {
  const limit = Math.min(Math.max(Number(parameters.get("limit")) || DEFAULT_LIMIT, 1), 1000);
  const filter = filterOf(parameters);
  let before = Number(parameters.get("before")) || undefined;
  const executions: ExecutionSummary[] = [];
  do {
    const found = await source.store.list(filter, { limit: limit - executions.length, ...(before !== undefined && { before }) });
    const readable = (found.items as unknown as StoredSummary[]).filter(({ machineArn }) => mayRead(machineArn));
    executions.push(...readable.map((about) => summaryOf(about, page, source.quotas)));
    before = found.before;
  } while (before !== undefined && executions.length < limit);
  return { executions, ...(before !== undefined && { before }) };
}

/** Returns an item of the list; `page` says whether the playground is there to open it. */
function summaryOf(about: StoredSummary, page: boolean, quotas: Quotas | undefined): ExecutionSummary {
  const { id, name, machineArn, machine, type, status, startDate, stopDate, suspended, attributes } = about;
  // A summary has all fields of a record except the payloads, and redriveOf reads no payload.
  const { redriveStatus } = redriveOf(about as unknown as StoredExecution, quotas);
  return {
    executionArn: id,
    name,
    stateMachineArn: machineArn,
    stateMachineName: machine ?? machineArn.slice(machineArn.lastIndexOf(":") + 1),
    type,
    status,
    startDate: iso(startDate),
    ...(stopDate !== undefined && { stopDate: iso(stopDate) }),
    ...(suspended !== undefined && { suspended: suspended.reason }),
    ...(attributes !== undefined && { attributes }),
    redrivable: redriveStatus === "REDRIVABLE",
    import: addressOf(id),
    debugger: page ? `/debugger/page/#import=${encodeURIComponent(addressOf(id))}` : `/debugger/executions/${encodeURIComponent(id)}`,
  };
}

/** The counts of a store, with the intervals in which they are. */
interface Read {
  from: number;
  width: number;
  /** The number of intervals. */
  length: number;
  counts: readonly ExecutionCount[];
}

/** Counts the executions that a filter selects, and remembers the result for a moment. */
export class Counting {
  readonly #source: ConsoleSource;
  readonly #known = new Map<string, { at: number; read: Promise<Read> }>();

  constructor(source: ConsoleSource) {
    this.#source = source;
  }

  /**
   * Counts by machine, by status and by time, in the last `hours` hours (default: 24) or between `from` and `until`. With `within`, only
   * executions of these hours count.
   */
  async read(parameters: URLSearchParams, mayRead: MayRead): Promise<ExecutionCounts> {
    const now = Date.now();
    for (const [key, { at }] of this.#known) if (at + FRESH < now) this.#known.delete(key);
    const key = parameters.toString();
    const known = this.#known.get(key);
    if (known !== undefined) return this.#sum(await known.read, mayRead);
    const read = this.#count(parameters, now);
    read.catch(() => this.#known.delete(key));
    this.#known.set(key, { at: now, read });
    return this.#sum(await read, mayRead);
  }

  async #count(parameters: URLSearchParams, now: number): Promise<Read> {
    // The counts of all statuses are shown beside the filter, whichever of them it selects.
    const { status: _, ...filter } = filterOf(parameters);
    const hours = Math.min(Math.max(Number(parameters.get("hours")) || 24, 1), MOST_HOURS);
    const until = filter.startedBefore ?? now;
    const begin = filter.startedFrom ?? until - hours * HOUR;
    const width = widthOf(until - begin);
    const from = Math.floor(begin / width) * width;
    const within = parameters.get("within") === "1" ? { startedFrom: from, ...filter } : filter;
    const counts = await countsOf(this.#source.store, within, { interval: width });
    return { from, width, length: Math.max(Math.ceil((until - from) / width), 1), counts };
  }

  #sum({ from, width, length, counts }: Read, mayRead: MayRead): ExecutionCounts {
    const names = new Map(this.#source.machines().map(({ arn, name }) => [arn, name]));
    const intervals = Array.from({ length }, (): StatusCounts => ({}));
    const all: StatusCounts = {};
    const machines = new Map<string, StatusCounts>([...names.keys()].filter(mayRead).map((arn) => [arn, {}]));
    for (const { machineArn, status, from: at = 0, count } of counts) {
      if (!mayRead(machineArn)) continue;
      add(all, status, count);
      const ofMachine = machines.get(machineArn) ?? {};
      machines.set(machineArn, ofMachine);
      add(ofMachine, status, count);
      const interval = intervals[Math.round((at - from) / width)];
      if (interval !== undefined) add(interval, status, count);
    }
    const nameOf = (arn: string): string => names.get(arn) ?? arn.slice(arn.lastIndexOf(":") + 1);
    const byName = [...machines].map(([stateMachineArn, statuses]) => ({ stateMachineArn, name: nameOf(stateMachineArn), statuses }));
    byName.sort((a, b) => (a.name < b.name || (a.name === b.name && a.stateMachineArn < b.stateMachineArn) ? -1 : 1));
    return { statuses: all, machines: byName, from: iso(from), width, intervals };
  }
}

/** Returns the length of the intervals into which a time is divided: the shortest with at most MOST_INTERVALS of them. */
function widthOf(time: number): number {
  const found = WIDTHS.find((width) => time / width <= MOST_INTERVALS);
  return found ?? Math.ceil(time / MOST_INTERVALS / DAY) * DAY;
}

function add(counts: StatusCounts, status: ExecutionStatus, count: number): void {
  counts[status] = (counts[status] ?? 0) + count;
}

/** Returns the address of an execution's data. */
export function addressOf(arn: string): string {
  return `/debugger/api/executions/${encodeURIComponent(arn)}`;
}

/** Formats a time as ISO 8601. */
export function iso(time: number): string {
  return new Date(time).toISOString();
}
