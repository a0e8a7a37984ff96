// Transactions of users on connections of their own, in the same database as the store.

import type { Task, TaskHandler } from "../../core/api/index.d.ts";
import type { PostgresClient, PostgresTransaction } from "../../core/api/postgres.d.ts";
import { StoreError } from "./errors.ts";
import { answerText, executionOf, withoutExecution } from "./answers.ts";
import { storedJson } from "./stored-json.ts";
import { bound, textOf } from "./texts.ts";

/** The number of connections for transactions. Further transactions wait. */
const MOST = 4;

type Handler = (input: any, task: Task, transaction: PostgresTransaction) => unknown;

/** Connections for the transactions of handlers. */
export class Transactions {
  readonly #client: () => PostgresClient | Promise<PostgresClient>;
  /** The name of the schema, in quotes. */
  readonly #schema: string;
  readonly #idle: PostgresClient[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  #isOpen = false;

  constructor({ client, schema }: { client: () => PostgresClient | Promise<PostgresClient>; schema: string }) {
    this.#client = client;
    this.#schema = schema;
  }

  open(): void {
    this.#isOpen = true;
  }

  /** Ends the connections. A transaction that is under way ends with its handler. */
  async close(): Promise<void> {
    this.#isOpen = false;
    for (const go of this.#waiting.splice(0)) go();
    await Promise.all(this.#idle.splice(0).map((client) => client.end().catch(() => {})));
  }

  /** Returns a handler that is called in a transaction, and whose answer commits with it. */
  handler(handler: Handler): TaskHandler {
    return (input: unknown, task: Task) => this.#with((client) => this.#perform(client, handler, input, task));
  }

  async #with<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result> {
    while (this.#isOpen && this.#busy >= MOST) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (!this.#isOpen) throw new StoreError("STORE_CLOSED", "the store is not open");
    this.#busy += 1;
    try {
      const client = this.#idle.pop() ?? (await this.#connect());
      try {
        const result = await work(client);
        if (this.#isOpen) this.#idle.push(client);
        else await client.end().catch(() => {});
        return result;
      } catch (error) {
        // The connection may be the reason, so it is not used again.
        await client.end().catch(() => {});
        throw error;
      }
    } finally {
      this.#busy -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #connect(): Promise<PostgresClient> {
    const client = await this.#client();
    // Without a listener the error of a connection that breaks would end the process. The next query fails then.
    client.on?.("error", () => {});
    await client.connect();
    return client;
  }

  async #perform(client: PostgresClient, handler: Handler, input: unknown, task: Task): Promise<unknown> {
    const known = await this.#answer(client, task);
    if (known !== undefined) return known.answer;
    await client.query("BEGIN");
    const answer = await handler(input, task, client);
    if (task.signal.aborted) throw task.signal.reason;
    const { rows } = await client.query({
      text: `INSERT INTO ${this.#schema}.answer (key, execution, body) SELECT $1, id, $3 FROM ${this.#schema}.execution WHERE arn = $2 ON CONFLICT (key) DO NOTHING RETURNING key`,
      values: [bound(task.idempotencyKey), bound(executionOf(task)), bound(answerText(answer))],
    });
    if (rows.length === 1) {
      await client.query("COMMIT");
      return answer;
    }
    // Another call of the same task, in a process that has lost the execution, has committed first.
    await client.query("ROLLBACK");
    const first = await this.#answer(client, task);
    if (first === undefined) throw withoutExecution(task);
    return first.answer;
  }

  async #answer(client: PostgresClient, { idempotencyKey: key }: Task): Promise<{ answer: unknown } | undefined> {
    const { rows } = await client.query({ text: `SELECT body FROM ${this.#schema}.answer WHERE key = $1`, values: [bound(key)] });
    return rows.length === 0 ? undefined : { answer: storedJson(textOf(rows[0].body), `the answer of ${key}`) };
  }
}
