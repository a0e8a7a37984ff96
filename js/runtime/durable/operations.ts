// Operations on many executions: migrate, verify, stop and redrive them.

import type { Definition, ExecutionStatus, StateMachine as PublicMachine } from "../../core/api/index.d.ts";
import type {
  AffectedExecution,
  ExecutionFilter as StoreFilter,
  ExecutionRecord,
  MachineCount,
  MigrationReport,
  RedriveReport,
  VerificationReport,
} from "../../core/api/durable.d.ts";
import { milliseconds } from "../../core/base/duration.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { shown } from "../../core/base/shown.ts";
import { bareName } from "../../core/tasks/resource.ts";
import { countsOf } from "../store/counts.ts";
import type { RemoteMethods, Host } from "./host.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import { Change, problemsOf } from "./migration.ts";
import type { Programs } from "./programs.ts";
import { each, verify } from "./verification.ts";

type Target = Definition | PublicMachine | undefined;

/** Returns the text of a definition or of a state machine's definition. */
function textOf(definition: Definition | PublicMachine): string {
  if (typeof definition === "string") return definition;
  return definition instanceof StateMachine ? definition.definition : JSON.stringify(definition);
}

export class Operations {
  readonly #host: Host;
  readonly #programs: Programs;

  constructor(host: Host, programs: Programs) {
    this.#host = host;
    this.#programs = programs;
  }

  /** Continues an execution with another definition. Returns false if it already has that definition. Throws NOT_MIGRATABLE. */
  migrate(id: string, definition?: Target): Promise<boolean> {
    // A shared store may pass the call to another process, which needs the text.
    const sent = this.#host.store.sharing === undefined || definition === undefined ? definition : textOf(definition);
    return this.#host.at(id, "migrate", [id, sent]);
  }

  /** The methods that run in the process that owns an execution. */
  get remoteMethods(): RemoteMethods {
    return { migrate: (id: string, definition?: Target) => this.#migrate(id, definition) };
  }

  async #migrate(id: string, definition?: Target): Promise<boolean> {
    const record = await this.#host.record(id);
    if (record === undefined) throw misuse("UNKNOWN_EXECUTION", `there is no execution ${id}`, RangeError);
    const { suspended } = record as { suspended?: { reason: string } };
    if (suspended !== undefined) throw misuse("EXECUTION_SUSPENDED", `${id} is suspended: ${suspended.reason}`, Error);
    const change = await this.#change(record, definition);
    if (change.isNone && record.status === "RUNNING") return false;
    const ended = () => misuse("NOT_MIGRATABLE", `${id} is not running any more: only running executions can be migrated`, Error);
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
    await each(this.#host.store, { ...filter, status: "RUNNING" }, async ({ id, name }) => {
      try {
        if (await this.migrate(id, definition)) report.migrated.push(id);
      } catch (thrown) {
        report.refused.push({ arn: id, name, reason: messageOf(thrown), problems: problemsOf(thrown) ?? [] });
      }
    });
    return report;
  }

  /** Returns the executions that could not continue with another definition, and why. */
  async affected(filter: StoreFilter, definition?: Target): Promise<AffectedExecution[]> {
    const affected: AffectedExecution[] = [];
    const changes = new Map<unknown, Change>();
    await each(this.#host.store, { ...filter, status: "RUNNING" }, async ({ id, name, definition: hash }) => {
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

  /** Rebuilds executions from their stored facts without running any tasks, and returns how they differ from their records. */
  verify(filter: StoreFilter): Promise<VerificationReport> {
    return verify(this.#host, filter);
  }

  /** Counts executions by machine, status and interval of their start. */
  async counts(filter: StoreFilter, { interval }: { interval?: number | string }): Promise<MachineCount[]> {
    const every = typeof interval === "string" ? milliseconds(interval) : interval;
    if (interval !== undefined && !(every !== undefined && every > 0 && Number.isFinite(every)))
      throw misuse("INVALID_ARGUMENT", `interval must be a time above 0 such as "1 hour", not ${shown(interval)}`);
    const counts = await countsOf(this.#host.store, filter, every === undefined ? {} : { interval: every });
    return counts.map(({ machineArn, ...count }) => ({ machine: bareName(machineArn, ":stateMachine:"), ...count }));
  }

  async stopAll(filter: StoreFilter, error?: string, cause?: string): Promise<number> {
    let stopped = 0;
    await each(this.#host.store, { ...filter, status: "RUNNING" }, async ({ id }) => {
      await this.#host.at(id, "stop", [id, error, cause]);
      stopped += 1;
    });
    return stopped;
  }

  async redriveAll(filter: StoreFilter): Promise<RedriveReport> {
    const report: RedriveReport = { redriven: [], refused: [] };
    const asked = filter.status === undefined ? undefined : new Set<ExecutionStatus>([filter.status].flat());
    const status = (["FAILED", "TIMED_OUT", "ABORTED"] as const).filter((one) => asked?.has(one) ?? true);
    if (status.length === 0) return report;
    await each(this.#host.store, { ...filter, status }, async ({ id, name }) => {
      try {
        await this.#host.at(id, "redrive", [id]);
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

  /** Returns the text of an engine's snapshot. An execution that is not in memory is rebuilt for it. */
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
}
