// A PostgreSQL store that several processes share: each process owns some shards of the executions.
//
// Each process has a row in `member` with a lease, which it renews; the clock of the server measures it. A shard belongs to the
// process that its row names. A process that finds a shard whose owner has no valid lease takes the shard and increments its fence.
// Each write locks the rows of its shards against that and compares their fences, so a process that was paused while another one
// took its shards writes nothing.
//
// Processes notify each other of events with NOTIFY. Notifications that are lost with a connection are made up for by reading the
// tables when the connection is made again.

import type { ShareListener, Sharing } from "../../core/api/durable.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { StoreConflict } from "./errors.ts";
import type { Row, Session } from "./postgres-session.ts";
import { closed } from "./records.ts";
import { Reading } from "./reading.ts";
import { SHARDS, shardOf } from "./shards.ts";
import { textOf } from "./texts.ts";

/** The length of a message, in characters, that PostgreSQL certainly accepts. */
const MESSAGE = 7000;
/** The number of lease terms for which a process keeps a busy shard that it should give up. */
const PATIENCE = 2;

/** The messages that processes send each other. */
type Message =
  | { about: "members" }
  | { about: "all" }
  | { about: "due"; shard: number; id: string; wakeAt: number }
  | { about: "ask"; shard: number }
  | { about: "answer"; to: string; id: string }
  | { about: "ended"; ids: string[] }
  | { about: "document"; collection: string; key?: string };

/** Runs `work` on the session of a store. */
export type Use = <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>;

/** What a process checks: the members and their shards, answers to its requests, and requests to it. */
type Todo = "members" | "answers" | "requests";

/** A caller that waits for an answer. */
interface Asking {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

const reading = new Reading("PostgreSQL");
/** Length of the end of a member's id that follows the name of its process: a hyphen and a UUID. */
const UUID_SUFFIX = 37;

const NOBODY: ShareListener = {
  gained() {},
  lost() {},
  due() {},
  ended() {},
  changed() {},
  isBusy: () => false,
  asked: () => Promise.reject(new StoreConflict("no process is ready yet")),
};

export class Shares implements Sharing {
  readonly #use: Use;
  /** The length of the lease, in milliseconds. */
  readonly #lease: number;
  readonly #me: string;
  readonly #channel: string;
  readonly #guest: boolean;
  #listener = NOBODY;
  /** The shards that this process owns, with their fences. */
  #own = new Map<number, string>();
  /** For each busy shard that this process should give up: the time since when, by `performance.now()`, in milliseconds. */
  readonly #surplus = new Map<number, number>();
  #members = 1;
  readonly #asking = new Map<string, Asking>();
  /** The ids of the requests that are being answered. */
  readonly #answering = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ticking: Promise<void> | undefined;
  readonly #todo = new Set<Todo>();
  #closed = false;

  constructor(use: Use, me: string, { schema, lease, guest }: { schema: string; lease: number; guest: boolean }) {
    this.#use = use;
    this.#me = me;
    this.#lease = lease;
    this.#guest = guest;
    let name = 0n;
    for (const character of schema) name = (name * 1000003n + BigInt(character.codePointAt(0) ?? 0)) & 0xffffffffffffffffn;
    this.#channel = `stepglass_${name.toString(16)}`;
  }

  // ------------------------------------------------------------------------------------------ for who runs executions

  has(key: string): boolean {
    return this.#own.has(shardOf(key));
  }

  async ownerOf(key: string): Promise<string | undefined> {
    const [row] = await this.#use((session) =>
      session.query("SELECT owner FROM shard WHERE n = $1 AND owner IN (SELECT id FROM member WHERE expires > clock_timestamp())", [
        shardOf(key),
      ]),
    );
    // The id of a member is the name of its process, a hyphen and a UUID.
    return row === undefined ? undefined : textOf(row.owner).slice(0, -UUID_SUFFIX);
  }

  ownKey(): string | undefined {
    for (let i = 0; this.#own.size > 0; i += 1) if (this.has(`near-${i}`)) return `near-${i}`;
    return undefined;
  }

  async otherKeys(): Promise<string[]> {
    const rows = await this.#use((session) =>
      session.query(
        `SELECT min(n) AS n FROM shard WHERE owner <> $1 AND owner IN (SELECT id FROM member WHERE expires > clock_timestamp()) GROUP BY owner`,
        [this.#me],
      ),
    );
    const shards = new Set(rows.map(({ n }) => Number(n)));
    const keys: string[] = [];
    for (let i = 0; shards.size > 0; i += 1) if (shards.delete(shardOf(`near-${i}`))) keys.push(`near-${i}`);
    return keys;
  }

  listen(listener: ShareListener): void {
    this.#listener = listener;
    if (this.#own.size > 0) listener.gained();
    this.wake();
  }

  async ask(key: string, name: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#closed) throw closed();
    const shard = shardOf(key);
    const body = JSON.stringify({ key, name, args });
    let answer!: Promise<unknown>;
    await this.#use(async (session) => {
      const [row] = await session.query("INSERT INTO request (shard, asker, body) VALUES ($1, $2, $3) RETURNING id", [
        shard,
        this.#me,
        body,
      ]);
      const id = String(row?.id);
      answer = new Promise((resolve, reject) => this.#asking.set(id, { resolve, reject }));
      answer.catch(() => {});
      await this.#notify(session, [{ about: "ask", shard }]);
    });
    // This process may have taken the shard meanwhile.
    if (this.#own.has(shard)) this.wake("requests");
    return answer;
  }

  /** Checks at once what `todo` names, or everything if it names nothing. */
  wake(...todo: Todo[]): void {
    for (const one of todo.length === 0 ? (["members", "answers", "requests"] as const) : todo) this.#todo.add(one);
    void this.#tick();
  }

  // ------------------------------------------------------------------------------------------------ for the store

  /** Performs the first statements of a new session, also after a connection broke. */
  async begin(session: Session): Promise<void> {
    await session.query(`SET idle_in_transaction_session_timeout = ${Math.ceil(this.#lease)}`);
    session.onNotification((payload) => this.#onNotification(payload));
    await session.query(`LISTEN ${this.#channel}`);
    await this.#renew(session);
  }

  /** Takes shards, and starts to renew the lease. */
  async open(): Promise<void> {
    this.#closed = false;
    this.#schedule();
    this.wake();
    await this.#ticking;
  }

  /** Notifications were lost while there was no connection, so everything is checked. */
  reconnected(): void {
    this.#listener.gained();
    this.wake();
  }

  /** Gives up all shards, so that other processes can take them. */
  async close(session: Session): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { reject } of this.#asking.values()) reject(closed());
    this.#asking.clear();
    if (session.isEnded) return;
    await session
      .use(async () => {
        await session.query("UPDATE shard SET owner = NULL WHERE owner = $1", [this.#me]);
        await session.query("DELETE FROM request WHERE asker = $1 AND answer IS NOT NULL", [this.#me]);
        await session.query("DELETE FROM member WHERE id = $1", [this.#me]);
        await this.#notify(session, [{ about: "members" }]);
      })
      .catch(() => {});
    this.#own = new Map();
  }

  /** The shards that this process owns. */
  get own(): number[] {
    return [...this.#own.keys()];
  }

  /** Locks these shards for a transaction, and returns those that this process owns. */
  async fenced(session: Session, shards: readonly number[]): Promise<Set<number>> {
    const known = shards.filter((shard) => this.#own.has(shard));
    if (known.length === 0) return new Set();
    const rows = await session.query(
      `SELECT s.n FROM shard AS s JOIN unnest($1::integer[], $2::bigint[]) AS mine (n, fence) ON s.n = mine.n AND s.fence = mine.fence
       WHERE s.owner = $3 ORDER BY s.n FOR SHARE OF s`,
      [known, known.map((shard) => this.#own.get(shard)), this.#me],
    );
    const locked = new Set(rows.map(({ n }) => Number(n)));
    if (locked.size < known.length) this.wake();
    return locked;
  }

  /** Notifies the other processes, in the transaction of a write, of its changes. */
  async changed(session: Session, news: { ended: readonly string[]; due: readonly { shard: number; id: string; wakeAt: number }[] }) {
    if (this.#members < 2) return;
    const messages: Message[] = news.due.map((one) => ({ about: "due", ...one }));
    for (let ids: string[] = [], length = 0, i = 0; i < news.ended.length; i += 1) {
      ids.push(news.ended[i] as string);
      length += (news.ended[i] as string).length + 3;
      if (length < MESSAGE / 4 && i < news.ended.length - 1) continue;
      messages.push({ about: "ended", ids });
      [ids, length] = [[], 0];
    }
    await this.#notify(session, messages);
  }

  /** Notifies the other processes that a document was changed. */
  async documented(session: Session, collection: string, key: string): Promise<void> {
    if (this.#members > 1) await this.#notify(session, [{ about: "document", collection, ...(key.length < MESSAGE / 4 && { key }) }]);
  }

  // ------------------------------------------------------------------------------------------------------- inside

  async #notify(session: Session, messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const texts = messages.map((message) => JSON.stringify({ from: this.#me, ...message }));
    await session.query("SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message", [this.#channel, texts]);
  }

  #onNotification(payload: string): void {
    let message: Message & { from?: string };
    try {
      message = JSON.parse(payload);
    } catch {
      return;
    }
    if (this.#closed || message.from === this.#me) return;
    switch (message.about) {
      case "members":
        return this.wake("members");
      case "all":
        return this.#listener.gained();
      case "due":
        return this.#own.has(message.shard) ? this.#listener.due(message.id, message.wakeAt) : undefined;
      case "ask":
        return this.#own.has(message.shard) ? this.wake("requests") : undefined;
      case "answer":
        return message.to === this.#me ? this.wake("answers") : undefined;
      case "ended":
        return this.#listener.ended(message.ids);
      case "document":
        return this.#listener.changed(message.collection, message.key);
    }
  }

  #schedule(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.wake();
      this.#schedule();
    }, this.#lease / 3);
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** Runs one check at a time. A check that is requested during another one runs after it. */
  #tick(): Promise<void> {
    return (this.#ticking ??= (async () => {
      while (this.#todo.size > 0 && !this.#closed) {
        const todo = new Set(this.#todo);
        this.#todo.clear();
        // The next check makes a lost connection again.
        await this.#use((session) => this.#look(session, todo)).catch(() => {});
      }
      this.#ticking = undefined;
    })());
  }

  async #look(session: Session, todo: ReadonlySet<Todo>): Promise<void> {
    if (this.#closed) return;
    if (todo.has("members")) {
      await this.#renew(session);
      await this.#divide(session);
    }
    if (todo.has("answers")) await this.#answers(session);
    if (todo.has("requests") || todo.has("members")) await this.#requests(session);
  }

  async #renew(session: Session): Promise<void> {
    if (this.#guest) return;
    const lease = `${this.#lease} milliseconds`;
    const [row] = await session.query(
      `INSERT INTO member AS m (id, expires) VALUES ($1, clock_timestamp() + $2::interval)
       ON CONFLICT (id) DO UPDATE SET expires = excluded.expires RETURNING xmax = 0 AS entered`,
      [this.#me, lease],
    );
    if (row?.entered !== true) return;
    await session.query("DELETE FROM member WHERE expires < clock_timestamp() - interval '1 minute'");
    await session.query("DELETE FROM request WHERE answer IS NOT NULL AND made < clock_timestamp() - interval '10 minutes'");
    await this.#notify(session, [{ about: "members" }]);
  }

  /** Takes shards that have no owner, and gives up those above this process's share. */
  async #divide(session: Session): Promise<void> {
    const [count] = await session.query("SELECT count(*) AS live FROM member WHERE expires > clock_timestamp()");
    const live = Number(count?.live);
    const alone = this.#members === 1;
    this.#members = Math.max(1, live + (this.#guest ? 1 : 0));
    // No notifications were sent while this process thought that it was alone, so the others must check everything.
    if (alone && this.#members > 1) await this.#notify(session, [{ about: "all" }]);
    const rows = await session.query("SELECT n, fence FROM shard WHERE owner = $1", [this.#me]);
    const now = new Map(rows.map(({ n, fence }) => [Number(n), String(fence)]));
    const before = this.#own;
    this.#own = now;
    const lost = [...before].some(([shard, fence]) => now.get(shard) !== fence);
    const share = !this.#guest ? Math.ceil(SHARDS / this.#members) : live === 0 ? SHARDS : 0;
    const given = now.size > share ? await this.#give(session, now.size - share) : false;
    if (now.size <= share) this.#surplus.clear();
    const taken = now.size < share ? await this.#take(session, share - now.size) : false;
    // A shard that was lost and taken back belonged to another process in between, so it counts as lost.
    if (lost || given) this.#listener.lost((key) => before.get(shardOf(key)) === this.#own.get(shardOf(key)) && this.has(key));
    if (taken || [...now.keys()].some((shard) => !before.has(shard))) this.#listener.gained();
  }

  async #take(session: Session, most: number): Promise<boolean> {
    const rows = await session.query(
      `UPDATE shard SET owner = $1, fence = fence + 1 WHERE n IN (
         SELECT n FROM shard WHERE owner IS NULL OR owner NOT IN (SELECT id FROM member WHERE expires > clock_timestamp())
         ORDER BY n LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING n, fence`,
      [this.#me, most],
    );
    for (const { n, fence } of rows) this.#own.set(Number(n), String(fence));
    return rows.length > 0;
  }

  /** Gives up shards, idle ones first. A busy shard is given up when it has been surplus for PATIENCE lease terms. */
  async #give(session: Session, count: number): Promise<boolean> {
    const all = [...this.#own.keys()].reverse();
    const busy = new Set(all.filter((shard) => this.#listener.isBusy((key) => shardOf(key) === shard)));
    const now = performance.now();
    const chosen = all.filter((shard) => !busy.has(shard)).slice(0, count);
    for (const shard of all.filter((one) => busy.has(one)).slice(0, count - chosen.length)) {
      const since = this.#surplus.get(shard) ?? now;
      this.#surplus.set(shard, since);
      if (now - since > PATIENCE * this.#lease) chosen.push(shard);
    }
    if (chosen.length === 0) return false;
    await session.query("UPDATE shard SET owner = NULL WHERE owner = $1 AND n = ANY($2::integer[])", [this.#me, chosen]);
    for (const shard of chosen) {
      this.#own.delete(shard);
      this.#surplus.delete(shard);
    }
    await this.#notify(session, [{ about: "members" }]);
    return true;
  }

  /** Reads the answers of other processes to requests of this one. */
  async #answers(session: Session): Promise<void> {
    if (this.#asking.size === 0) return;
    const rows = await session.query("DELETE FROM request WHERE id = ANY($1::bigint[]) AND answer IS NOT NULL RETURNING id, answer", [
      [...this.#asking.keys()],
    ]);
    for (const row of rows) {
      const asking = this.#asking.get(String(row.id));
      this.#asking.delete(String(row.id));
      try {
        const { value, error } = reading.parse(row.answer, `answer to request ${row.id}`) as { value?: unknown; error?: object };
        if (error === undefined) asking?.resolve(value);
        else asking?.reject(thrownAgain(error));
      } catch (damaged) {
        asking?.reject(damaged);
      }
    }
  }

  /** Starts to answer the requests for shards of this process. */
  async #requests(session: Session): Promise<void> {
    if (this.#own.size === 0 || this.#listener === NOBODY) return;
    const rows = await session.query(
      "SELECT id, shard, asker, body FROM request WHERE answer IS NULL AND shard = ANY($1::integer[]) ORDER BY id",
      [this.own],
    );
    for (const row of rows) {
      if (this.#answering.has(String(row.id))) continue;
      this.#answering.add(String(row.id));
      void this.#answer(row).finally(() => this.#answering.delete(String(row.id)));
    }
  }

  async #answer(row: Row): Promise<void> {
    let answer: object;
    try {
      const { name, args } = reading.parse(row.body, `request ${row.id}`) as { name: string; args: unknown[] };
      answer = { value: await this.#listener.asked(name, args) };
    } catch (thrown) {
      // The row stays, so that the process that owns the shard now finds it.
      if (this.#closed || !this.#own.has(Number(row.shard)) || thrown instanceof StoreConflict) return;
      answer = { error: { ...(thrown as object), message: messageOf(thrown), name: (thrown as Error)?.name } };
    }
    await this.#use(async (session) => {
      await session.query("UPDATE request SET answer = $2 WHERE id = $1", [row.id, JSON.stringify(answer)]);
      await this.#notify(session, [{ about: "answer", to: textOf(row.asker), id: String(row.id) }]);
    }).catch(() => {});
    // This process asked before the shard became its own, so the answer is for itself.
    if (row.asker === this.#me) this.wake("answers");
  }
}

/** Recreates an error that another process has thrown. */
function thrownAgain(error: object): unknown {
  const { message, name, ...more } = error as { message?: unknown; name?: unknown };
  return Object.assign(new Error(String(message)), more, typeof name === "string" && name !== "Error" ? { name } : {});
}
