// Executions that use the name of an earlier one: the option `onConflict` of a start.

import type { DurableStartOptions, ExecutionRecord, Store } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";

// The collection of documents that have the number of the last execution with a name, by the ARN of the first one.
const RUNS = "runs";

const POLICIES = ["fail", "use", "terminate", "newRun"] as const;

type Policy = NonNullable<DurableStartOptions["onConflict"]>;

/** The last execution with a name. */
interface LastRun {
  /** Absent if retention has removed it. */
  record: ExecutionRecord | undefined;
  /** The number of the next execution with this name. */
  next: number;
}

/** Checks the option. */
export function checkPolicy(policy: unknown): void {
  if (policy !== undefined && !POLICIES.includes(policy as Policy))
    throw misuse("INVALID_OPTION", `onConflict must be one of ${POLICIES.join(", ")}, not ${shown(policy)}`);
}

/** Returns the ARN of an execution: the name of an execution cannot contain the character before the number. */
export function arnOfRun(first: string, runId: number): string {
  return runId === 1 ? first : `${first}~${runId}`;
}

/** The names that more than one execution has had. */
export class NamedRuns {
  readonly #store: Store;
  /** Whether a name was used again. Until then, starts read no documents. */
  #any = false;

  constructor(store: Store) {
    this.#store = store;
  }

  async open(): Promise<void> {
    for await (const _ of this.#store.all(RUNS)) {
      this.#any = true;
      break;
    }
  }

  /** Another process has changed a document. */
  changed(collection: string): void {
    if (collection === RUNS) this.#any = true;
  }

  /** Returns the last execution with a name, by the ARN of the first one; undefined if there was at most one. */
  async last(first: string): Promise<LastRun | undefined> {
    if (!this.#any) return undefined;
    const known = (await this.#store.document(RUNS, first)) as { runId: number } | undefined;
    if (known === undefined) return undefined;
    const { runId } = known;
    const record = await this.#store.get(arnOfRun(first, runId));
    if (record !== undefined) return { record, next: runId + 1 };
    // A process may have died before it created the execution with this number.
    const before = await this.#store.get(arnOfRun(first, runId - 1));
    return before === undefined ? { record: undefined, next: runId + 1 } : { record: before, next: runId };
  }

  /** Stores the number of an execution that is about to be created. */
  async announce(first: string, runId: number): Promise<void> {
    this.#any = true;
    await this.#store.put(RUNS, first, { runId });
  }
}

/** What to do with a start whose name is taken: use the execution, stop it first, or start another one. */
export function decide(record: ExecutionRecord, input: string, policy: Policy | undefined): "use" | "stop" | "start" {
  const isRunning = record.status === "RUNNING";
  if (policy === "use") return "use";
  if (policy === "terminate") return isRunning ? "stop" : "start";
  if (policy === "newRun" && !isRunning) return "start";
  // AWS answers a repeated start with the execution that runs.
  if (policy !== "fail" && isRunning && record.input === input) return "use";
  const { name, machine, id } = record;
  throw misuse("EXECUTION_EXISTS", `an execution ${shown(name)} of ${String(machine)} exists already: Execution Already Exists: '${id}'`);
}
