// A write to PostgreSQL: it applies batches to the rows that they concern, and performs the statements that store the result.

import type { Batch, BatchResult, Texts } from "../../core/api/durable.d.ts";
import type { Attributes } from "./attributes.ts";
import { PAYLOADS, type Stored, aboutOf, changed, endedAt, piecesOf, refused } from "./records.ts";
import type { Row, Session } from "./postgres-session.ts";
import type { Shares } from "./postgres-shares.ts";
import { StoreConflict } from "./errors.ts";
import { storedJson } from "./stored-json.ts";
import { keyOf, shardOf } from "./shards.ts";
import { textOf } from "./texts.ts";

/** The counts and sizes of an execution. */
interface Figures {
  facts: number;
  events: number;
  /** The number of facts that the last snapshot has replaced. */
  base: number;
  /** 1 if there is a snapshot. */
  snapshots: number;
  /** The length of the snapshot and of the facts since, in characters. */
  held: number;
  /** The length of all texts, in characters. */
  bytes: number;
}

/** An execution with the changes of this write. */
interface Entry extends Figures {
  record: Stored;
  wakeAt: number | null;
  isNew: boolean;
  touched: boolean;
  /** Whether this write changes members of the record. Most steps only add facts. */
  changes: boolean;
  /** The attributes that the database has of a stored execution. */
  storedAttributes: Attributes | undefined;
  /** Whether the stored facts and the stored snapshot must be removed. */
  clears: boolean;
  snapshot: string | undefined;
  newFacts: (Texts & { seq: number })[];
  newEvents: (Texts & { first: number })[];
}

export class PostgresWrite {
  readonly #session: Session;
  readonly #shares: Shares | undefined;
  readonly #entries = new Map<string, Entry>();
  /** The numbers for new executions. */
  #orders: number[] = [];
  /** The shards that this process owns, of those that the write concerns. */
  #lockedShards = new Set<number>();

  constructor(session: Session, shares: Shares | undefined) {
    this.#session = session;
    this.#shares = shares;
  }

  /** Reads the stored executions of these batches. */
  async read(batches: readonly Batch[]): Promise<void> {
    const session = this.#session;
    const created = batches.filter(({ create }) => create !== undefined).length;
    if (created > 0) {
      const numbers = await session.prepared("SELECT nextval('execution_order') AS number FROM generate_series(1, $1)", [created]);
      this.#orders = numbers.map(({ number }) => Number(number));
    }
    // Another process that writes one of these executions at the same time waits for this write.
    const lock = this.#shares === undefined ? "" : " ORDER BY id FOR UPDATE";
    const rows = await session.query(`SELECT * FROM execution WHERE arn = ANY($1)${lock}`, [[...new Set(batches.map(({ id }) => id))]]);
    for (const row of rows) this.#entries.set(textOf(row.arn), entryOf(row));
    if (this.#shares === undefined) return;
    const shards = new Set([...this.#entries.values()].map(({ record }) => shardOf(keyOf(record))));
    for (const { create } of batches) if (create !== undefined) shards.add(shardOf(keyOf(create)));
    this.#lockedShards = await this.#shares.fenced(session, [...shards]);
  }

  /** Returns an error if this process may not change an execution. It may create an execution that another process will run. */
  #foreign(known: Entry | undefined): StoreConflict | undefined {
    if (this.#shares === undefined || known === undefined || known.isNew || this.#lockedShards.has(shardOf(keyOf(known.record))))
      return undefined;
    return new StoreConflict(`another process has ${known.record.id}`);
  }

  /** Returns whether an execution with this id exists. */
  knows(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Adds a batch, which changes nothing if it is refused. */
  add(batch: Batch): BatchResult {
    const known = this.#entries.get(batch.id);
    const error = refused(batch, known?.record.version) ?? this.#foreign(known);
    if (error !== undefined) return { ok: false, error };
    let record: Stored;
    let pieces: Texts[];
    try {
      // Everything that can fail comes before the first change.
      record = changed(known?.record, batch, known?.record.order ?? this.#orders[0] ?? 0);
      pieces = batch.events === undefined || batch.events.count === 0 ? [] : piecesOf(batch.events);
    } catch (thrown) {
      return { ok: false, error: thrown as Error };
    }
    const entry = known ?? newEntry(record);
    if (known === undefined) {
      this.#entries.set(batch.id, entry);
      this.#orders.shift();
    }
    entry.bytes += known === undefined ? payloadSize(record) : payloadSize(record) - payloadSize(entry.record);
    entry.record = record;
    entry.touched = true;
    entry.changes ||= batch.change !== undefined;
    if (batch.wakeAt !== undefined) entry.wakeAt = batch.wakeAt;
    append(entry, batch, pieces);
    return { ok: true, version: record.version, order: record.order };
  }

  /** Writes the result of the batches. Returns the ids of new executions that another process has created at the same moment. */
  async perform(): Promise<ReadonlySet<string>> {
    const all = [...this.#entries.values()].filter((entry) => entry.touched);
    const session = this.#session;
    const late = await this.#insert(all.filter(({ isNew }) => isNew));
    const touched = all.filter(({ isNew, record }) => !isNew || !late.has(record.id));
    if (touched.length === 0) return late;
    const stored = touched.filter(({ isNew }) => !isNew);
    await this.#update(stored.filter(({ changes }) => changes));
    await this.#advance(stored.filter(({ changes }) => !changes));
    const cleared = touched.filter(({ clears, isNew }) => clears && !isNew).map(orderOf);
    if (cleared.length > 0) {
      await session.prepared("DELETE FROM fact WHERE execution = ANY($1::bigint[])", [cleared]);
      await session.prepared("DELETE FROM snapshot WHERE execution = ANY($1::bigint[])", [cleared]);
    }
    const snapshots = touched.filter(({ snapshot }) => snapshot !== undefined);
    if (snapshots.length > 0)
      await session.prepared("INSERT INTO snapshot SELECT * FROM unnest($1::bigint[], $2::text[])", [
        snapshots.map(orderOf),
        snapshots.map(({ snapshot }) => snapshot),
      ]);
    await this.#texts(
      "fact",
      touched.flatMap((entry) => entry.newFacts.map((one) => [orderOf(entry), one.seq, one.count, one.text])),
    );
    await this.#texts(
      "history",
      touched.flatMap((entry) => entry.newEvents.map((one) => [orderOf(entry), one.first, one.count, one.text])),
    );
    await this.#attributes(touched.filter(({ record, storedAttributes }) => !isSame(record.attributes, storedAttributes)));
    await this.#notify(touched);
    return late;
  }

  /**
   * Notifies the processes that share the store of the executions that this write has ended, and of those that it has created for
   * them.
   */
  async #notify(touched: readonly Entry[]): Promise<void> {
    if (this.#shares === undefined) return;
    const ended = touched.filter(({ record }) => record.status !== "RUNNING").map(({ record }) => record.id);
    const due = touched.flatMap(({ isNew, record, wakeAt }) => {
      const shard = shardOf(keyOf(record));
      return isNew && wakeAt !== null && !this.#lockedShards.has(shard) ? [{ shard, id: record.id, wakeAt }] : [];
    });
    await this.#shares.changed(this.#session, { ended, due });
  }

  async #attributes(entries: readonly Entry[]): Promise<void> {
    const stored = entries.filter(({ storedAttributes }) => storedAttributes !== undefined).map(orderOf);
    if (stored.length > 0) await this.#session.prepared("DELETE FROM attribute WHERE execution = ANY($1::bigint[])", [stored]);
    const rows = entries.flatMap((entry) =>
      Object.entries(entry.record.attributes ?? {}).map(([name, value]) =>
        typeof value === "string"
          ? [orderOf(entry), name, 2, null, value]
          : [orderOf(entry), name, typeof value === "number" ? 1 : 0, Number(value), null],
      ),
    );
    if (rows.length === 0) return;
    await this.#session.prepared(
      `INSERT INTO attribute (execution, name, kind, number, text)
       SELECT * FROM unnest(${types(["bigint", "text", "integer", "double precision", "text"])})`,
      columns(rows),
    );
  }

  async #texts(table: "fact" | "history", rows: unknown[][]): Promise<void> {
    if (rows.length === 0) return;
    await this.#session.prepared(
      `INSERT INTO ${table} SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[])`,
      [0, 1, 2, 3].map((column) => rows.map((row) => row[column])),
    );
  }

  async #insert(entries: readonly Entry[]): Promise<ReadonlySet<string>> {
    if (entries.length === 0) return new Set();
    // The rows are sorted, so that two processes that create the same executions do not wait for each other.
    const sorted = [...entries].sort((a, b) => (a.record.id < b.record.id ? -1 : 1));
    const rows = sorted.map((entry) => [
      ...[orderOf(entry), entry.record.id, shardOf(keyOf(entry.record))],
      ...[...listed(entry), ...figures(entry), ...texts(entry)],
    ]);
    const written = await this.#session.prepared(
      `INSERT INTO execution (id, arn, machine, map_run, name, status, tags, version, start_date, ended_at, wake_at, facts, events, base, snapshots,
        held, bytes, about, input, output, cause, shard)
       SELECT id, arn, machine, map_run, name, status, ARRAY(SELECT md5(tag) FROM jsonb_array_elements_text(tags::jsonb) AS tag), version,
        start_date, ended_at, wake_at, facts, events, base, snapshots, held, bytes, about, input, output, cause, shard
       FROM unnest(${types(["bigint", "text", "integer", ...LISTED, ...FIGURES, ...TEXTS])})
       AS t (id, arn, shard, machine, map_run, name, status, tags, start_date, ended_at, version, wake_at, facts, events, base, snapshots, held, bytes, about, input, output, cause)
       ON CONFLICT (arn) DO NOTHING RETURNING arn`,
      columns(rows),
    );
    const made = new Set(written.map(({ arn }) => textOf(arn)));
    return new Set(entries.map(({ record }) => record.id).filter((id) => !made.has(id)));
  }

  /** Updates executions whose records are unchanged: their payloads and the rest of their records are not sent again. */
  async #advance(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.#session.prepared(
      `UPDATE execution AS e SET version = t.version, wake_at = t.wake_at, facts = t.facts, events = t.events, base = t.base,
        snapshots = t.snapshots, held = t.held, bytes = t.bytes
       FROM unnest(${types(["bigint", ...FIGURES])}) AS t (id, version, wake_at, facts, events, base, snapshots, held, bytes)
       WHERE e.id = t.id`,
      columns(entries.map((entry) => [orderOf(entry), ...figures(entry)])),
    );
  }

  async #update(entries: readonly Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const rows = entries.map((entry) => [orderOf(entry), ...listed(entry), ...figures(entry), ...texts(entry)]);
    await this.#session.prepared(
      `UPDATE execution AS e SET name = t.name, status = t.status, tags = ARRAY(SELECT md5(tag) FROM jsonb_array_elements_text(t.tags::jsonb) AS tag),
        version = t.version, start_date = t.start_date, ended_at = t.ended_at, wake_at = t.wake_at, facts = t.facts, events = t.events,
        base = t.base, snapshots = t.snapshots, held = t.held, bytes = t.bytes, about = t.about, input = t.input, output = t.output, cause = t.cause
       FROM unnest(${types(["bigint", ...LISTED, ...FIGURES, ...TEXTS])})
       AS t (id, machine, map_run, name, status, tags, start_date, ended_at, version, wake_at, facts, events, base, snapshots, held, bytes, about, input, output, cause)
       WHERE e.id = t.id`,
      columns(rows),
    );
  }
}

// The types of the columns that are written, in their order.
const LISTED = ["text", "text", "text", "text", "text", "double precision", "double precision"];
const FIGURES = ["integer", "double precision", "integer", "integer", "integer", "integer", "double precision", "double precision"];
const TEXTS = ["text", "text", "text", "text"];

function listed({ record }: Entry): unknown[] {
  const { machineArn, mapRunArn = null, name, status, startDate, tags = {} } = record;
  const all = Object.entries(tags).map((tag) => JSON.stringify(tag));
  return [machineArn, mapRunArn, name, status, JSON.stringify(all), startDate, endedAt(record)];
}

function figures({ record, wakeAt, facts, events, base, snapshots, held, bytes }: Entry): unknown[] {
  return [record.version, wakeAt, facts, events, base, snapshots, held, bytes];
}

function texts({ record }: Entry): unknown[] {
  return [aboutOf(record), ...PAYLOADS.map((name) => (typeof record[name] === "string" ? record[name] : null))];
}

/** Returns a list of parameters that are arrays of these types. */
function types(names: readonly string[]): string {
  return names.map((name, i) => `$${i + 1}::${name}[]`).join(", ");
}

/** Returns the columns of the rows. */
function columns(rows: readonly unknown[][]): unknown[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}

const orderOf = ({ record }: Entry): number => record.order;

function payloadSize(record: Stored): number {
  return PAYLOADS.reduce((size, name) => size + (typeof record[name] === "string" ? record[name].length : 0), 0);
}

/** Appends facts and events, and replaces facts by a snapshot. */
function append(entry: Entry, { facts, snapshot }: Batch, pieces: readonly Texts[]): void {
  if (facts !== undefined && facts.count > 0) {
    // A snapshot in the same batch replaces these facts at once, so they are not written.
    if (snapshot === undefined) entry.newFacts.push({ ...facts, seq: entry.facts });
    entry.facts += facts.count;
    entry.held += facts.text.length;
    entry.bytes += facts.text.length;
  }
  if (snapshot !== undefined) {
    entry.clears = true;
    entry.newFacts = [];
    entry.snapshot = snapshot ?? undefined;
    entry.base = entry.facts;
    entry.snapshots = snapshot === null ? 0 : 1;
    entry.bytes += (snapshot?.length ?? 0) - entry.held;
    entry.held = snapshot?.length ?? 0;
  }
  for (const piece of pieces) {
    entry.newEvents.push({ ...piece, first: entry.events });
    entry.events += piece.count;
    entry.bytes += piece.text.length;
  }
}

function isSame(a: Attributes | undefined, b: Attributes | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

const NOTHING = { touched: false, changes: false, clears: false, snapshot: undefined, storedAttributes: undefined };

function newEntry(record: Stored): Entry {
  const figures: Figures = { facts: 0, events: 0, base: 0, snapshots: 0, held: 0, bytes: 0 };
  return { ...NOTHING, ...figures, record, wakeAt: null, isNew: true, newFacts: [], newEvents: [] };
}

function entryOf(row: Row): Entry {
  const record = { ...storedJson(textOf(row.about), `the record of ${textOf(row.arn)}`), ...columnsOf(row) } as Stored;
  for (const name of PAYLOADS) if (typeof row[name] === "string") record[name] = textOf(row[name]);
  return {
    ...NOTHING,
    record,
    storedAttributes: record.attributes,
    facts: Number(row.facts),
    events: Number(row.events),
    base: Number(row.base),
    snapshots: Number(row.snapshots),
    held: Number(row.held),
    bytes: Number(row.bytes),
    wakeAt: row.wake_at as number | null,
    isNew: false,
    newFacts: [],
    newEvents: [],
  };
}

/** Returns the members of a record that have a column. */
export function columnsOf(row: Row): Partial<Stored> {
  return {
    id: textOf(row.arn),
    name: textOf(row.name),
    machineArn: textOf(row.machine),
    ...(typeof row.map_run === "string" && { mapRunArn: textOf(row.map_run) }),
    status: textOf(row.status) as Stored["status"],
    startDate: Number(row.start_date),
    order: Number(row.id),
    version: Number(row.version),
  };
}
