// Runs executions whose state is in a store.

import { partitionOf } from "../../core/base/partition.ts";
import type { Definition, StateMachine } from "../../core/api/index.d.ts";
import type {
  AffectedExecution,
  AnswerOptions,
  DurableExecution as PublicExecution,
  DurableStartOptions,
  ExecutionOwner,
  ExecutionFilter,
  ExecutionRecord,
  ExecutionSummary,
  LogEntry,
  MachineCount,
  MachineDescription,
  MigrationReport,
  QueueDescription,
  RedriveReport,
  Runtime as PublicRuntime,
  RuntimeFilter,
  RuntimeMetrics,
  RuntimeOptions,
  ScheduleDescription,
  ScheduleOptions,
  VerificationReport,
  Worker,
  WorkerOptions,
} from "../../core/api/durable.d.ts";
import { asyncDispose } from "../../core/base/dispose.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { randomUuid } from "../../core/base/random.ts";
import { shown } from "../../core/base/shown.ts";
import { steadyClockOf } from "../../core/driver/steady-clock.ts";
import { checkStart } from "../../core/execution/machine.ts";
import { mayHaveRuns } from "../../core/execution/mapruns.ts";
import { LIMITS } from "../../core/execution/settings.ts";
import { MemoryStore } from "../store/memory.ts";
import { argumentText } from "../../core/tasks/integration.ts";
import type { Completion } from "../../core/tasks/call.ts";
import { bareName } from "../../core/tasks/resource.ts";
import { executionOfToken } from "../../core/tasks/token.ts";
import { Admission } from "./admission.ts";
import { checkFilter, startAttributes } from "./attributes.ts";
import { endedTask } from "./ended-tasks.ts";
import { DurableError, DurableExecution, described } from "./execution.ts";
import type { WriteFailure } from "./committer.ts";
import type { ChildStart, Runs } from "./children.ts";
import { Host, type Started } from "./host.ts";
import { Interceptors } from "./interceptors.ts";
import { settle } from "./live.ts";
import { MapRunRecorder, recordingMapRuns } from "./map-runs.ts";
import { openMetrics } from "./metrics.ts";
import { NamedRuns, arnOfRun, checkPolicy, decide } from "./named-runs.ts";
import { OPERATED, type OperatedRuntime } from "./operated.ts";
import { Operations } from "./operations.ts";
import { type Program, Programs, STEP_BUDGET, withBudgetOf } from "./programs.ts";
import { OptionedHandlers, optionsOf } from "./task-options.ts";
import { Queues } from "./queues.ts";
import { Retention } from "./retention.ts";
import { SCHEDULES, Schedules } from "./schedules.ts";
import { RuntimeTasks } from "./tasks.ts";
import { Telemetry } from "./telemetry.ts";
import { Versions } from "./versions.ts";

const OPTIONS = [
  ...["store", "machines", "tasks", "retention", "childRecords", "owner", "resident", "region", "account", "clock"],
  ...["onEnd", "onSuspended", "onStoreError", "onLog", "taskOptions", "missingHandler", "telemetry", "interceptors"],
  ...["queues", "defaultQueue", "requireQueue", "startLimits", "versions", "deprecated", ...LIMITS],
];
const START_OPTIONS = ["name", "input", "tags", "attributes", "priority", "seed", "onConflict", "timeoutSeconds", "waitFor"];
const UUID_END = /-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RESIDENT = 1000;

export class Runtime implements PublicRuntime {
  readonly #options: RuntimeOptions;
  readonly #host: Host;
  readonly #programs: Programs;
  readonly #tasks: RuntimeTasks;
  readonly #operations: Operations;
  readonly #schedules: Schedules;
  readonly #queues: Queues;
  readonly #runs: NamedRuns;
  readonly #admission: Admission;
  readonly #versions: Versions;
  readonly #interceptors: Interceptors;
  readonly #telemetry: Telemetry | undefined;
  readonly #arns: string;
  readonly #retention: Retention;
  #opened: Promise<this> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: RuntimeOptions) {
    checkOptions(options, OPTIONS, "new Runtime()");
    this.#options = options;
    const { store = new MemoryStore(), region = "us-east-1", account = "123456789012", resident = RESIDENT, clock = "real" } = options;
    this.#arns = `arn:${partitionOf(region)}:states:${region}:${account}`;
    this.#telemetry = options.telemetry && new Telemetry(options.telemetry);
    this.#interceptors = new Interceptors(options.interceptors);
    this.#tasks = new RuntimeTasks(this.#taskRuns(), this.#interceptors);
    this.#runs = new NamedRuns(store);
    this.#host = new Host({
      ...this.#tasks.hooks,
      kind: "runtime",
      store,
      resident,
      clock: steadyClockOf(clock),
      program: (record) => this.#program(record),
      remoteMethods: () => ({
        ...this.#tasks.remoteMethods,
        ...this.#operations.remoteMethods,
        answer: (token: string, ...completion: Completion) => this.#answered(token, ...completion),
        schedule: (name: string, given: ScheduleOptions) => this.#schedules.put(name, given),
        unschedule: (name: string) => this.#schedules.remove(name),
      }),
      onShared: () => this.#shared(),
      onChanged: (collection) => this.#runs.changed(collection),
      onEndedElsewhere: (ids) => {
        this.#tasks.children.endedElsewhere(ids);
        for (const id of ids) this.#schedules.ended(id);
      },
      onEnd: (record) => this.#ended(record),
      onSuspended: (record, why) => this.#suspended(record, why),
      onWriteFailure: (failure) => this.#failed(failure),
    });
    this.#admission = new Admission(options.startLimits, store, this.#host.clock, (name) => this.#machineArn(name));
    this.#retention = new Retention(options.retention, this.#host, {
      machineArn: (name) => this.#machineArn(name),
      failed: (error, retriesIn) => this.#failed({ error, failures: 1, retriesIn }),
    });
    this.#queues = new Queues(this.#host.clock, options.queues, options.tasks);
    const handlers = new OptionedHandlers(options, {
      source: this.#tasks,
      host: this.#host,
      queues: this.#queues,
      telemetry: this.#telemetry,
      interceptors: this.#interceptors,
    });
    this.#programs = new Programs(store, options, (name) => this.#machineArn(name), handlers);
    this.#versions = new Versions(options, this.#programs);
    this.#operations = new Operations(this.#host, this.#programs);
    this.#schedules = new Schedules({
      store,
      clock: this.#host.clock,
      start: (machine, more) => this.#scheduled(machine, more),
      isMine: () => this.#host.has({ id: SCHEDULES }),
      record: (arn) => this.#host.record(arn),
      failed: (error) => this.#failed({ error, failures: 1, retriesIn: 0 }),
    });
  }

  /** Opens the store, and continues the executions that were running. */
  open(): Promise<this> {
    return (this.#opened ??= this.#open());
  }

  async #open(): Promise<this> {
    const begun = performance.now();
    // The UUID makes two runtimes with the same name two owners, because a store has one owner at a time.
    await this.#host.open(`${this.#options.owner ?? "stepglass"}-${randomUuid()}`);
    void this.#host.restored.then(() => this.#queues.release());
    await this.#versions.open(this.#host.store).catch(async (thrown: unknown) => {
      await this.#host.close();
      throw thrown;
    });
    await this.#sweep();
    await this.#runs.open();
    await this.#schedules.open();
    this.#retention.begin();
    this.#host.metrics.recoverySeconds = (performance.now() - begun) / 1000;
    this.#log("info", "runtime.opened", { seconds: this.#host.metrics.recoverySeconds, resident: this.resident });
    return this;
  }

  /**
   * Called when this process owns other executions than before. The process that owned them may have stopped before it ended the
   * children of an execution that has ended, so this process ends them.
   */
  #shared(): void {
    void this.#schedules.share();
    void this.#sweep();
  }

  #sweep(): Promise<void> {
    return this.#tasks.children.sweep().catch((error: unknown) => this.#failed({ error, failures: 1, retriesIn: 0 }));
  }

  /** Starts an execution. Resolves when its record is in the store. */
  start<Output = any>(machine: string, options: DurableStartOptions = {}): Promise<PublicExecution<Output>> {
    return this.#interceptors.start({ machine, options }, (start) => this.#start(start.machine, start.options));
  }

  async #start(machine: string, options: DurableStartOptions): Promise<PublicExecution> {
    checkOptions(options, START_OPTIONS, "runtime.start()");
    const { name = randomUuid(), tags, seed, priority = 0, onConflict, timeoutSeconds, waitFor = [] } = options;
    if (!Array.isArray(waitFor)) throw misuse("INVALID_OPTION", `waitFor must be a list of promises, not ${shown(waitFor)}`);
    if (timeoutSeconds !== undefined && !(Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 99_999_999))
      throw misuse("INVALID_OPTION", `timeoutSeconds must be a whole number from 1 to 99,999,999, not ${shown(timeoutSeconds)}`);
    checkPolicy(onConflict);
    if (!Number.isFinite(priority)) throw misuse("INVALID_OPTION", `priority must be a number, not ${shown(priority)}`);
    const attributes = startAttributes(options.attributes);
    this.#programs.registered(machine);
    this.#versions.check(machine);
    const [input] = await Promise.all([options.input, ...waitFor]);
    const text = input === undefined ? "{}" : argumentText(input, "the input", this.#options.strict);
    checkStart(name, text, this.#options);
    const more = { ...(tags !== undefined && { tags }), ...attributes, ...(priority !== 0 && { priority }) };
    const start = { machine, name, input: text, run: randomUuid(), seed, timeoutSeconds, ...more };
    const record = await this.#admission.admit(start, () => this.#beginNamed(start, onConflict));
    return this.#handle(record);
  }

  /** Starts an execution, or does what `onConflict` says if its name is taken. */
  async #beginNamed(start: RuntimeStart, onConflict: DurableStartOptions["onConflict"]) {
    const first = this.#arn(start.machine, start.name);
    let last = await this.#runs.last(first);
    for (;;) {
      const { next = 1 } = last ?? {};
      let record = last?.record;
      if (record === undefined) {
        if (next > 1) await this.#runs.announce(first, next);
        const started = await this.#begin({ ...start, ...(next > 1 && { runId: next }) });
        if (started.outcome === "created") return started.record;
        ({ record } = started);
      }
      const decision = decide(record, start.input, onConflict);
      if (decision === "use") return record;
      if (decision === "stop") {
        await this.#host.at(record.id, "stop", [record.id, "Stepglass.Replaced", "another execution with this name was started"]);
        await this.#host.ended(record.id);
      }
      // Another process may have started an execution with this name in the meantime.
      last = (await this.#runs.last(first)) ?? { record, next: 2 };
      if (last.record?.id === record.id) last = { record: undefined, next: last.next };
    }
  }

  async #begin({ machine, name, input, run, seed, continues, timeoutSeconds, ...more }: RuntimeStart): Promise<Started> {
    const registered = timeoutSeconds === undefined ? this.#programs.registered(machine) : this.#programs.limited(machine, timeoutSeconds);
    const { definition: text } = registered.machine;
    const version = this.#versions.of(machine);
    const record: ExecutionRecord = {
      ...this.#names(machine, name, registered, run, more.runId),
      definition: await this.#programs.store(registered.machine),
      type: registered.machine.type,
      ...(mayHaveRuns(text) && { childRecords: this.#options.childRecords ?? "all" }),
      stepBudget: this.#options.stepBudget ?? STEP_BUDGET,
      status: "RUNNING",
      startDate: this.#host.clock.now(),
      input,
      ...(version !== undefined && { machineVersion: version }),
      ...more,
    };
    if (this.#telemetry !== undefined) Object.assign(record, this.#telemetry.started(machine, record.id, record.startDate));
    const program = recordingMapRuns(withBudgetOf(record, registered), MapRunRecorder.of(this.#host, record, text));
    const info = { name, arn: record.id, stateMachineName: machine, stateMachineArn: record.machineArn };
    const started = await this.#host.start({ record, program, info, seed, continues });
    if (started.outcome === "created") this.#admission.begun(record);
    if (started.outcome === "created") this.#log("info", "execution.started", { arn: record.id, machine, name });
    return started;
  }

  /** Returns the parts of the runtime that the built-in tasks use. */
  #taskRuns(): Runs {
    const host = () => this.#host;
    return {
      get host() {
        return host();
      },
      payloadLimit: this.#options.payloadLimit,
      isStrict: this.#options.strict,
      machine: (arn) => {
        const name = [arn, bareName(arn, ":stateMachine:")].find((known) => this.#programs.names.includes(known));
        return name === undefined ? undefined : { name, machine: this.#programs.registered(name).machine };
      },
      begin: (start) => this.#begin(start),
      arnOf: ({ machine, name, run }) => this.#names(machine, name, this.#programs.registered(machine), run).id,
      answer: (token, ...completion) => this.#answer(token, ...completion),
      options: (state, resource) => optionsOf(this.#options.taskOptions, state, resource),
      cancel: (arn, cause) => this.#tasks.cancellation.cancel(arn, cause),
    };
  }

  /** Starts an execution. Resolves to its output. */
  async run<Output = any>(machine: string, options?: DurableStartOptions): Promise<Output> {
    const execution = await this.start<Output>(machine, options);
    const outcome = await (execution as DurableExecution<Output>).settled();
    if (outcome.status === "SUCCEEDED") return outcome.output;
    throw new DurableError(execution.arn, outcome);
  }

  /** Returns a handle of an execution, found by its ARN, or by the names of its machine and itself. */
  async get<Output = any>(machineOrArn: string, name?: string): Promise<PublicExecution<Output> | undefined> {
    const first = name === undefined ? machineOrArn : this.#arn(machineOrArn, name);
    const last = name === undefined ? undefined : await this.#runs.last(first);
    const record = last === undefined ? await this.#host.record(first) : last.record;
    return record && this.#handle(record);
  }

  signal(arn: string, name: string, payload?: unknown, options: { id?: string } = {}): Promise<void> {
    return this.#tasks.sendSignal(arn, name, payload, options);
  }

  async list(
    filter: RuntimeFilter = {},
    page?: { before?: number; limit?: number },
  ): Promise<{ items: ExecutionSummary[]; before?: number }> {
    const found = await this.#host.store.list(this.#filter(filter), page);
    const { mapRunArn } = filter;
    if (found.items.length > 0 || mapRunArn === undefined || (await this.#host.record(mapRunArn)) !== undefined) return found;
    const why = `there is no record of Map Run ${shown(mapRunArn)}: the ARN is wrong, retention has removed the record, or the execution was started by a version that recorded no Map Runs`;
    throw misuse("UNKNOWN_MAP_RUN", why, RangeError);
  }

  machines(): MachineDescription[] {
    return this.#versions.list((name) => this.#machineArn(name));
  }

  count(filter: RuntimeFilter = {}): Promise<number> {
    return this.#host.store.count(this.#filter(filter));
  }

  counts(filter: RuntimeFilter = {}, options: { interval?: number | string } = {}): Promise<MachineCount[]> {
    return this.#operations.counts(this.#filter(filter), options);
  }

  async succeed(token: string, output?: unknown, options?: AnswerOptions): Promise<boolean> {
    return this.#counted(token, options, await this.#answer(token, "succeed", argumentText(output, "the output", this.#options.strict)));
  }

  async fail(token: string, failure: { error?: string; cause?: string } = {}, options?: AnswerOptions): Promise<boolean> {
    return this.#counted(token, options, await this.#answer(token, "fail", failure.error, failure.cause));
  }

  async heartbeat(token: string, details?: unknown, options?: AnswerOptions): Promise<boolean> {
    return this.#counted(token, options, await this.#answer(token, "heartbeat", details));
  }

  /** Returns whether an answer counts. With `ifEnded: "throw"`, throws how the task has ended. */
  async #counted(token: string, options: AnswerOptions = {}, counts: boolean): Promise<boolean> {
    checkOptions(options, ["ifEnded"], "the answer to a task");
    if (counts || options.ifEnded !== "throw") return counts;
    throw await endedTask(this.#host, token);
  }

  async ownerOf(arnOrToken: string): Promise<ExecutionOwner> {
    const { owner, isHere } = await this.#host.ownerOf(executionOfToken(arnOrToken) ?? arnOrToken);
    // Without the option, all owners have the same name and only the UUID distinguishes them, so it is not removed.
    const name = this.#options.owner === undefined ? owner : owner?.replace(UUID_END, "");
    return { ...(name !== undefined && { owner: name }), isHere };
  }

  /** Removes ended executions according to `retention`. Resolves to their ARNs. */
  prune(): Promise<string[]> {
    return this.#retention.prune();
  }

  /** Continues running executions with another definition. */
  migrate(filter: RuntimeFilter, definition?: Definition | StateMachine): Promise<MigrationReport> {
    return this.#operations.migrateAll(this.#filter(filter), definition);
  }

  /** Returns the running executions that could not continue with another definition. */
  async affected(machine: string, definition?: Definition | StateMachine): Promise<AffectedExecution[]> {
    return this.#operations.affected(this.#filter({ machine }), definition);
  }

  /** Rebuilds executions from the store, and returns how they differ from their records. */
  verify(filter: RuntimeFilter = {}): Promise<VerificationReport> {
    return this.#operations.verify(this.#filter(filter));
  }

  stopAll(filter: RuntimeFilter, error?: string, cause?: string): Promise<number> {
    return this.#operations.stopAll(this.#filter(filter), error, cause);
  }

  redriveAll(filter: RuntimeFilter): Promise<RedriveReport> {
    return this.#operations.redriveAll(this.#filter(filter));
  }

  /** Creates or changes a schedule that starts executions of a machine. */
  schedule(name: string, options: ScheduleOptions): Promise<ScheduleDescription> {
    return this.#host.at(SCHEDULES, "schedule", [name, options]);
  }

  async schedules(): Promise<ScheduleDescription[]> {
    return this.#schedules.list();
  }

  unschedule(name: string): Promise<boolean> {
    return this.#host.at(SCHEDULES, "unschedule", [name]);
  }

  /** Starts the execution of a schedule. Returns the existing one if it was started before a crash. */
  async #scheduled(machine: string, options: DurableStartOptions & { name: string }): Promise<string> {
    const known = await this.#host.record(this.#arn(machine, options.name));
    return known?.id ?? (await this.start(machine, options)).arn;
  }

  /** Adds a worker that takes tasks of a queue in this process. */
  worker(options: WorkerOptions): Worker {
    return this.#queues.worker(options);
  }

  /** Returns the queues, with the number of tasks that wait in each. */
  queues(): QueueDescription[] {
    return this.#queues.list();
  }

  /** Returns what the runtime has counted since it was opened, and the numbers of executions in the store. */
  metrics(): Promise<RuntimeMetrics> {
    return this.#host.metrics.read(this.#host.store, this.resident, this.queues());
  }

  /** Returns the metrics as OpenMetrics text. */
  async metricsText(): Promise<string> {
    return openMetrics(await this.metrics());
  }

  get resident(): number {
    return this.#host.resident;
  }

  /** Returns what a console needs beside the public methods. */
  [OPERATED](): OperatedRuntime {
    return {
      host: this.#host,
      signals: this.#tasks.signals,
      cancellation: this.#tasks.cancellation,
      sendSignal: (arn, name, payload, id) => this.#tasks.sendSignal(arn, name, JSON.parse(payload), { ...(id !== undefined && { id }) }),
      migrate: (arn) => this.#operations.migrate(arn),
      machines: () => this.#programs.names.map((name) => ({ arn: this.#machineArn(name), name })),
    };
  }

  /** Closes the runtime. Its executions do not end: the next runtime that opens the store continues them. */
  close({ grace = 0 }: { grace?: number } = {}): Promise<void> {
    return (this.#closed ??= this.#end(grace));
  }

  async #end(grace: number): Promise<void> {
    await this.#schedules.close();
    this.#retention.close();
    await this.#host.close(grace);
    this.#queues.close();
    this.#log("info", "runtime.closed", {});
  }

  async [asyncDispose](): Promise<void> {
    await this.close();
  }

  #answer(token: string, ...completion: Completion): Promise<boolean> {
    return this.#host.at(executionOfToken(token) ?? "", "answer", [token, ...completion]);
  }

  async #answered(token: string, ...completion: Completion): Promise<boolean> {
    const arn = executionOfToken(token);
    const { live, call } = arn === undefined ? {} : await this.#host.callOf(arn, token);
    if (live === undefined || call === undefined) {
      const record = arn === undefined ? undefined : await this.#host.record(arn);
      if (record?.status === "RUNNING" && record.suspended !== undefined)
        throw misuse("EXECUTION_SUSPENDED", `${record.id} is suspended, so its tasks cannot be answered now`, Error);
      if (record !== undefined) return false;
      throw misuse("UNKNOWN_TOKEN", `no execution has issued the token ${shown(token)}`, RangeError);
    }
    const counts = live.driver.complete(call, ...completion);
    // The end of the task may not be in the store yet, and a caller may ask how it has ended.
    if (!counts) await settle(live);
    // A heartbeat is written together with the next fact. If it is lost in a crash, nothing is lost that a caller could have seen.
    if (counts && completion[0] !== "heartbeat") await settle(live);
    return counts;
  }

  async #program(record: ExecutionRecord): Promise<Program> {
    const program = withBudgetOf(record, await this.#programs.of(record));
    return recordingMapRuns(program, await MapRunRecorder.load(this.#host, record, program.machine.definition));
  }

  #ended(record: ExecutionRecord): void {
    this.#tasks.children.ended(record);
    notify("onEnd", () => this.#options.onEnd?.(described(record)));
    notify("telemetry", () => this.#telemetry?.ended(record));
    const { id: arn, name, machine, status, error, cause } = record;
    this.#log(status === "SUCCEEDED" ? "info" : "warn", "execution.ended", { arn, name, machine, status, error, cause });
    this.#schedules.ended(record.id);
    this.#retention.ended();
    this.#admission.ended(record);
  }

  #suspended(record: ExecutionRecord, reason: string): void {
    const { onSuspended, onLog } = this.#options;
    notify("onSuspended", () => onSuspended?.(described(record), reason));
    // Without an observer, nobody could see why the execution does not continue.
    if (onSuspended === undefined && onLog === undefined) console.warn(`stepglass: ${record.id} is suspended: ${reason}`);
    this.#log("error", "execution.suspended", { arn: record.id, name: record.name, machine: record.machine, reason });
  }

  #log(level: LogEntry["level"], event: LogEntry["event"], details: Record<string, unknown>): void {
    const { onLog } = this.#options;
    if (onLog === undefined) return;
    const known = Object.entries(details).filter(([, value]) => value !== undefined);
    notify("onLog", () => onLog({ time: new Date(this.#host.clock.now()).toISOString(), level, event, ...Object.fromEntries(known) }));
  }

  #failed(failure: WriteFailure): void {
    const { error, ...more } = failure;
    this.#log("error", "store.failed", { error: messageOf(error), ...more });
    notify("onStoreError", () => this.#options.onStoreError?.(failure));
  }

  #handle<Output>(record: ExecutionRecord): PublicExecution<Output> {
    return new DurableExecution<Output>(this.#host, record, this.#tasks, this.#operations);
  }

  #names(machine: string, name: string, program: Program, run: string, runId = 1): NamesOf {
    const machineArn = this.#machineArn(machine);
    const express = program.machine.type === "EXPRESS";
    const id = express ? `${this.#arns}:express:${machine}:${name}:${run}` : arnOfRun(this.#arn(machine, name), runId);
    return { id, name, machineArn, machine };
  }

  #arn(machine: string, name: string): string {
    return `${this.#arns}:execution:${machine}:${name}`;
  }

  #machineArn(machine: string): string {
    return `${this.#arns}:stateMachine:${machine}`;
  }

  #filter({ machine, ...filter }: RuntimeFilter): ExecutionFilter {
    checkFilter(filter);
    return { ...filter, ...(machine !== undefined && { machineArn: this.#machineArn(machine) }) };
  }
}

/** A start by a caller of the runtime. */
type RuntimeStart = ChildStart & { seed?: number | bigint | undefined; timeoutSeconds?: number | undefined };

/** The members of a record that name it. */
type NamesOf = Pick<ExecutionRecord, "id" | "name" | "machineArn" | "machine">;

/** Calls an observer. If it throws, the error is printed and nothing else changes. */
function notify(name: string, call: () => void): void {
  try {
    call();
  } catch (thrown) {
    console.error(`stepglass: ${name} has thrown`, thrown);
  }
}
