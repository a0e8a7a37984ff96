// What operators do with many executions: move them to another definition, check, stop and redrive them.

import type { Definition, ExecutionStatus, StateMachine as PublicMachine } from "../api/index.d.ts";
import type {
  AffectedExecution,
  ExecutionFilter as StoreFilter,
  ExecutionRecord,
  ExecutionSummary,
  MigrationReport,
  RedriveReport,
  VerificationReport,
} from "../api/durable.d.ts";
import { messageOf, misuse } from "../base/errors.ts";
import { later } from "../driver/scheduler.ts";
import type { Host } from "./host.ts";
import { settle } from "./live.ts";
import { Change, problemsOf } from "./migration.ts";
import type { Programs } from "./programs.ts";
import { divergence } from "./replay.ts";

// So many executions are worked on at once: their writes are one.
const PAGE = 100;

type Target = Definition | PublicMachine | undefined;

export class Operations {
  readonly #host: Host;
  readonly #programs: Programs;

  constructor(host: Host, programs: Programs) {
    this.#host = host;
    this.#programs = programs;
  }

  /** Has an execution continue with another definition. Throws NOT_MIGRATABLE. False if it has that definition. */
  async migrate(id: string, definition?: Target): Promise<boolean> {
    const record = await this.#host.record(id);
    if (record === undefined) throw misuse("UNKNOWN_EXECUTION", `there is no execution ${id}`, RangeError);
    const { suspended } = record as { suspended?: { reason: string } };
    if (suspended !== undefined) throw misuse("EXECUTION_SUSPENDED", `${id} is suspended: ${suspended.reason}`, Error);
    const change = await this.#change(record, definition);
    if (change.isNone && record.status === "RUNNING") return false;
    const ended = () => misuse("NOT_MIGRATABLE", `${id} does not run any more: only what runs can continue with another definition`, Error);
    const moved = await this.#host.move(id, (live) => {
      if (live.hasLeft || live.journal.isEnding) throw ended();
      const engine = change.migrate(id, live.engine.leanSnapshot().text);
      return { engine, change: { definition: change.digest, migratedDate: this.#host.clock.now() } };
    });
    if (!moved) throw ended();
    return true;
  }

  async migrateAll(filter: StoreFilter, definition?: Target): Promise<MigrationReport> {
    const report: MigrationReport = { migrated: [], refused: [] };
    await this.#each({ ...filter, status: "RUNNING" }, async ({ id, name }) => {
      try {
        if (await this.migrate(id, definition)) report.migrated.push(id);
      } catch (thrown) {
        report.refused.push({ arn: id, name, reason: messageOf(thrown), problems: problemsOf(thrown) ?? [] });
      }
    });
    return report;
  }

  /** Which executions could not continue with another definition, and why. */
  async affected(filter: StoreFilter, definition?: Target): Promise<AffectedExecution[]> {
    const affected: AffectedExecution[] = [];
    const changes = new Map<unknown, Change>();
    await this.#each({ ...filter, status: "RUNNING" }, async ({ id, name, definition: hash }) => {
      try {
        const record = await this.#host.record(id);
        if (record?.status !== "RUNNING") return;
        const change = changes.get(hash) ?? (await this.#change(record, definition));
        changes.set(hash, change);
        if (change.isNone) return;
        const problems = change.problems(await this.#snapshot(id));
        if (problems.length > 0) affected.push({ arn: id, name, reason: problems.map(({ message }) => message).join("; "), problems });
      } catch (thrown) {
        affected.push({ arn: id, name, reason: messageOf(thrown), problems: [] });
      }
    });
    return affected;
  }

  /** Makes executions again from what is stored of them, without doing anything, and says what differs. */
  async verify(filter: StoreFilter): Promise<VerificationReport> {
    const report: VerificationReport = { executions: 0, differing: [] };
    await this.#each(filter, async (summary) => {
      report.executions += 1;
      const { id: arn, name, status } = summary;
      try {
        const reason = await this.#difference(summary);
        if (reason !== undefined) report.differing.push({ arn, name, status, reason });
      } catch (thrown) {
        const diverged = divergence(thrown);
        report.differing.push({ arn, name, status, reason: messageOf(thrown), ...(diverged !== undefined && { diverged }) });
      }
    });
    return report;
  }

  async stopAll(filter: StoreFilter, error?: string, cause?: string): Promise<number> {
    let stopped = 0;
    await this.#each({ ...filter, status: "RUNNING" }, async ({ id }) => {
      const live = await this.#host.take(id);
      if (live === undefined) await this.#host.abortSuspended(id, error, cause);
      else {
        live.post("stop", error, cause);
        await settle(live);
      }
      stopped += 1;
    });
    return stopped;
  }

  async redriveAll(filter: StoreFilter): Promise<RedriveReport> {
    const report: RedriveReport = { redriven: [], refused: [] };
    const asked = filter.status === undefined ? undefined : new Set<ExecutionStatus>([filter.status].flat());
    const status = (["FAILED", "TIMED_OUT", "ABORTED"] as const).filter((one) => asked?.has(one) ?? true);
    if (status.length === 0) return report;
    await this.#each({ ...filter, status }, async ({ id, name }) => {
      try {
        await this.#host.redrive(id);
        report.redriven.push(id);
      } catch (thrown) {
        report.refused.push({ arn: id, name, reason: messageOf(thrown) });
      }
    });
    return report;
  }

  async #change(record: ExecutionRecord, definition: Target): Promise<Change> {
    const { machine } = await this.#programs.of(record);
    return new Change(machine, await this.#programs.target(record, definition));
  }

  /** The text of an engine's snapshot: of one in memory, or of one that is made again apart from it. */
  async #snapshot(id: string): Promise<string> {
    const live = this.#host.find(id);
    if (live !== undefined) return live.engine.leanSnapshot().text;
    const { engine } = await this.#host.examine(id);
    try {
      return engine.leanSnapshot().text;
    } finally {
      engine.discard();
    }
  }

  /** What of an execution contradicts the rest. Throws where it cannot be made again. */
  async #difference({ id, status, suspended }: ExecutionSummary): Promise<string | undefined> {
    const stored = await this.#host.store.load(id);
    if (stored === undefined) return undefined;
    const { record } = stored;
    const { total = 0, events = [] } = (await this.#host.store.history(id, { limit: 1, reverse: true })) ?? {};
    if (total < stored.events) return `its history has ${total} of ${stored.events} events`;
    if (record.status === "RUNNING" || stored.snapshot !== undefined) {
      const { engine, facts } = await this.#host.remake(stored);
      const made = engine.events;
      engine.discard();
      const last = facts.at(-1)?.led;
      if (made < stored.events) return `it is made again with ${made} events, and ${stored.events} are stored`;
      if (record.status === "RUNNING" && typeof last === "string" && last.includes(" Finish ")) return "its facts lead to an end";
    }
    if (record.status === "RUNNING" || record.status !== status || suspended !== undefined) return undefined;
    const type: unknown = events.at(-1)?.type;
    return type === ENDS[record.status] ? undefined : `it is ${record.status}, and its last event is ${String(type ?? "missing")}`;
  }

  /** Does something with all executions that a filter selects, the latest first, some at once. */
  async #each(filter: StoreFilter, work: (summary: ExecutionSummary) => Promise<void>): Promise<void> {
    let before: number | undefined;
    do {
      const page: { items: ExecutionSummary[]; before?: number } = await this.#host.store.list(filter, {
        limit: PAGE,
        ...(before !== undefined && { before }),
      });
      await Promise.all(page.items.map(work));
      before = page.before;
      await new Promise<void>((resolve) => later(resolve));
    } while (before !== undefined);
  }
}

const ENDS: Readonly<Record<Exclude<ExecutionStatus, "RUNNING">, string>> = {
  SUCCEEDED: "ExecutionSucceeded",
  FAILED: "ExecutionFailed",
  TIMED_OUT: "ExecutionTimedOut",
  ABORTED: "ExecutionAborted",
};
