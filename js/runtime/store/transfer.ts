// Moves executions from one store to another, as lines of JSON.
//
// The lines depend on the executions alone and not on the store, so an execution that was moved back gives the same bytes.

import type {
  Batch,
  ExecutionFilter,
  ExecutionRecord,
  ExportOptions,
  ExportReport,
  ImportOptions,
  ImportReport,
  Store,
  StoredExecution,
} from "../../core/api/durable.d.ts";
import { isObject } from "../../core/base/json.ts";
import { checkOptions } from "../../core/base/options.ts";
import { StoreConflict, StoreError } from "./errors.ts";
import { storedJson } from "./stored-json.ts";

/** The number in the first line. A reader knows this form and all before it. */
const FORM = 1;
/** The documents that belong to all executions, or to no execution, by their collections. */
const COLLECTIONS = ["machine", "activity", "runs", "schedule", "versions"];
const PAGE = 100;
/** How many executions, and how many characters of them, are written at once. */
const MOST = 100;
const CHARACTERS = 4_000_000;

/** Why an execution that was moved is suspended in the store that it has left. */
const MOVED = "it was moved to another store; resume() continues it here, too, so only resume it if the export was lost";
const ARRIVING = "its import was interrupted: import it again";

/** The members of a record that a store sets itself. */
const OF_STORE: ReadonlySet<string> = new Set(["order", "version"]);

interface Line {
  stepglass?: "executions";
  form?: number;
  definition?: string;
  text?: string;
  document?: [collection: string, key: string, value: unknown];
  execution?: ExecutionRecord;
  /** Whether the store that it comes from does not run it any more. */
  moved?: boolean;
  /** The number of facts since the beginning; `journal` has those since the snapshot. */
  facts?: number;
  journal?: string;
  snapshot?: string;
  events?: unknown[];
  wakeAt?: number | null;
  end?: ExportReport;
}

/** Yields the executions of a filter as lines, the first of which began first. */
export async function* exportExecutions(store: Store, options: ExportOptions = {}): AsyncGenerator<string, ExportReport> {
  checkOptions(options, ["filter", "move", "stored"], "exportExecutions()");
  const { filter = {}, move = false, stored = async () => {} } = options;
  const exported = new Exported(store, move);
  yield lineOf({ stepglass: "executions", form: FORM });
  if (options.filter === undefined) yield* exported.documents();
  for await (const id of earliestFirst(store, filter)) yield* exported.execution(id);
  yield lineOf({ end: exported.report });
  // Only now may the executions stop here: everything that the reader needs is written.
  await stored();
  await exported.release(options.filter === undefined);
  return exported.report;
}

class Exported {
  readonly report: ExportReport = { executions: 0, running: 0 };
  readonly #store: Store;
  readonly #moves: boolean;
  readonly #definitions = new Set<string>();
  readonly #moved: { id: string; version: number }[] = [];

  constructor(store: Store, moves: boolean) {
    this.#store = store;
    this.#moves = moves;
  }

  async *documents(): AsyncGenerator<string> {
    for (const collection of COLLECTIONS)
      for await (const [key, value] of this.#store.all(collection)) {
        for (const hash of hashesOf(value)) yield* this.#definition(hash);
        yield lineOf({ document: [collection, key, value] });
      }
  }

  async *#definition(hash: string): AsyncGenerator<string> {
    if (this.#definitions.has(hash)) return;
    this.#definitions.add(hash);
    const text = await this.#store.getDefinition(hash);
    if (text !== undefined) yield lineOf({ definition: hash, text });
  }

  /** Yields an execution, its Map Runs and their children. */
  async *execution(id: string): AsyncGenerator<string> {
    const stored = await this.#store.load(id);
    if (stored === undefined) return;
    const { record, facts, journal, snapshot, wakeAt } = stored;
    if (record.definition !== undefined) yield* this.#definition(record.definition);
    const isRunning = record.status === "RUNNING";
    this.report.executions += 1;
    if (isRunning) this.report.running += 1;
    if (isRunning && this.#moves) this.#moved.push({ id, version: record.version! });
    const { events = [] } = (await this.#store.history(id)) ?? {};
    yield lineOf({
      execution: sorted(record) as ExecutionRecord,
      ...(isRunning && { moved: this.#moves }),
      ...{ facts, journal: joined(journal), ...(snapshot !== undefined && { snapshot }), events, wakeAt },
    });
    for await (const child of earliestFirst(this.#store, { mapRunArn: id })) yield* this.execution(child);
  }

  /** Suspends the running executions that were exported, and with `all` removes the schedules: they run in the other store from now on. */
  async release(all: boolean): Promise<void> {
    for (let from = 0; from < this.#moved.length; from += MOST) {
      const batches = this.#moved.slice(from, from + MOST).map(({ id, version }): Batch => ({
        ...{ id, version, wakeAt: null },
        change: { suspended: { reason: MOVED, at: Date.now(), moved: true } },
      }));
      const failed = (await this.#store.write(batches)).find(({ ok }) => !ok);
      if (failed !== undefined && !failed.ok)
        throw new StoreConflict(`an execution went on while it was exported, so the export must not be used: ${failed.error.message}`);
    }
    if (!this.#moves || !all) return;
    const names: string[] = [];
    for await (const [name] of this.#store.all("schedule")) names.push(name);
    for (const name of names) await this.#store.remove("schedule", name);
  }
}

/** Writes executions of lines to a store. Executions that it has already stay as they are, so an import can be repeated. */
export async function importExecutions(store: Store, lines: AsyncIterable<string>, options: ImportOptions = {}): Promise<ImportReport> {
  checkOptions(options, ["copies"], "importExecutions()");
  const imported = new Imported(store, options.copies ?? false);
  let number = 0;
  let ended = false;
  for await (const text of lines) {
    number += 1;
    if (text.trim() === "") continue;
    const line = storedJson(text, `line ${number}`) as Line;
    if (number === 1) checkFirst(line);
    ended = line.end !== undefined;
    await imported.take(line);
    // An export that moves ends its executions where they come from when it is asked for the next line.
    if (ended) await imported.flush();
  }
  await imported.flush();
  if (!ended)
    throw new StoreError("STORE_DAMAGED", `the export has no end after line ${number}: it is incomplete; what it has was imported`);
  return imported.report;
}

function checkFirst({ stepglass, form = Infinity }: Line): void {
  if (stepglass !== "executions") throw new StoreError("STORE_DAMAGED", "line 1 is not the beginning of an export of executions");
  if (form > FORM) throw new StoreError("STORE_NEWER", `the export has form ${form}, and this Stepglass knows ${FORM}; update Stepglass`);
}

class Imported {
  readonly report: ImportReport = { imported: 0, skipped: 0, refused: [] };
  readonly #store: Store;
  readonly #copies: boolean;
  #waiting: Line[] = [];
  #characters = 0;

  constructor(store: Store, copies: boolean) {
    this.#store = store;
    this.#copies = copies;
  }

  async take(line: Line): Promise<void> {
    const { definition, text = "", document, execution } = line;
    if (definition !== undefined) {
      // Whatever refers to a definition is written after it.
      if ((await this.#store.getDefinition(definition)) === undefined) await this.#store.putDefinition(definition, text);
    } else if (document !== undefined) {
      const [collection, key, value] = document;
      if ((await this.#store.document(collection, key)) === undefined) await this.#store.put(collection, key, value);
    } else if (execution !== undefined && (await this.#accepts(line, execution))) {
      this.#waiting.push(line);
      this.#characters +=
        (line.journal?.length ?? 0) + (line.snapshot?.length ?? 0) + execution.input.length + 300 * (line.events?.length ?? 0);
      if (this.#waiting.length >= MOST || this.#characters >= CHARACTERS) await this.flush();
    }
  }

  /** Returns whether an execution is to be written. One that must run only here, and cannot, is refused. */
  async #accepts({ moved }: Line, execution: ExecutionRecord): Promise<boolean> {
    const { id } = execution;
    const known = await this.#store.get(id);
    const mark = known?.suspended as { reason?: string; moved?: boolean } | undefined;
    if (known !== undefined && mark?.moved !== true && mark?.reason !== ARRIVING) {
      const isSame =
        known.startDate === execution.startDate && known.definition === execution.definition && known.input === execution.input;
      if (isSame || known.migratedDate !== execution.migratedDate) this.report.skipped += 1;
      else this.report.refused.push({ arn: id, reason: "the store has another execution with this ARN" });
      return false;
    }
    if (execution.status === "RUNNING" && moved !== true && !this.#copies) {
      this.report.refused.push({ arn: id, reason: "it may still run where it was exported: export it with move, or import copies" });
      return false;
    }
    // It comes back, or an earlier import of it was interrupted.
    if (known !== undefined) await this.#store.prune({ ids: [id] });
    return true;
  }

  /** Writes what has been collected. */
  async flush(): Promise<void> {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    if (lines.length === 0) return;
    await this.#write(lines.map(firstBatch));
    // A snapshot replaces the facts of its batch, so later facts need another one. Until then the execution is suspended.
    await this.#write(lines.filter(hasTail).map(secondBatch));
    this.report.imported += lines.length;
  }

  async #write(batches: readonly Batch[]): Promise<void> {
    if (batches.length === 0) return;
    const failed = (await this.#store.write(batches)).find(({ ok }) => !ok);
    if (failed !== undefined && !failed.ok) throw failed.error;
  }
}

/** Whether there are facts after a snapshot. */
function hasTail({ snapshot, journal = "[]" }: Line): boolean {
  return snapshot !== undefined && journal !== "[]";
}

function firstBatch(line: Line): Batch {
  const { execution, facts = 0, journal = "[]", snapshot, events = [], wakeAt = null } = line;
  const isSplit = hasTail(line);
  const count = countOf(journal);
  const replaced = Array.from({ length: facts - count }, () => 0);
  return {
    id: execution!.id,
    version: 0,
    create: { ...execution!, ...(isSplit && { suspended: { reason: ARRIVING, at: Date.now() } }) },
    ...(snapshot === undefined
      ? count > 0 && { facts: { text: journal, count } }
      : { snapshot, ...(replaced.length > 0 && { facts: { text: JSON.stringify(replaced), count: replaced.length } }) }),
    ...(events.length > 0 && { events: { text: JSON.stringify(events), count: events.length } }),
    wakeAt: isSplit ? null : wakeAt,
  };
}

function secondBatch({ execution, journal = "[]", wakeAt = null }: Line): Batch {
  return {
    ...{ id: execution!.id, version: 1, facts: { text: journal, count: countOf(journal) }, wakeAt },
    change: { suspended: execution!.suspended },
  };
}

function countOf(journal: string): number {
  return (storedJson(journal, "a journal of the export") as unknown[]).length;
}

/** Joins JSON arrays without writing their items anew. */
function joined(journal: StoredExecution["journal"]): string {
  const parts = journal.map((text) => text.trim().slice(1, -1)).filter((text) => text !== "");
  return `[${parts.join(",")}]`;
}

/** Returns a record whose members are in one order, without those that a store sets. */
function sorted(record: object): object {
  const members = Object.entries(record).filter(([name]) => !OF_STORE.has(name));
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Yields the ids of the executions that a filter selects, the earliest first. Lists are in the other order, so all are read before. */
async function* earliestFirst(store: Store, filter: ExecutionFilter): AsyncGenerator<string> {
  const ids: string[] = [];
  for (let before: number | undefined; ;) {
    const page = await store.list(filter, { limit: PAGE, ...(before !== undefined && { before }) });
    ids.push(...page.items.map(({ id }) => id));
    before = page.before;
    if (before === undefined) break;
  }
  yield* ids.reverse();
}

/** Returns the hashes of definitions that a document names. */
function hashesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(hashesOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => (name === "hash" && typeof one === "string" ? [one] : hashesOf(one)));
}

function lineOf(line: Line): string {
  return JSON.stringify(line);
}
