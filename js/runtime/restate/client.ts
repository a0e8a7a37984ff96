// A client of the executions on Restate.

import type {
  AffectedExecution,
  ExecutionRecord,
  ExecutionSummary,
  MigrationReport,
  RedriveReport,
  ScheduleDescription,
  ScheduleOptions,
} from "../../core/api/durable.d.ts";
import type { Definition, StateMachine } from "../../core/api/index.d.ts";
import type {
  RestateClient as PublicClient,
  RestateActivityTask as ActivityTask,
  RestateClientOptions,
  RestateExecution,
  RestateFilter,
  RestateStart,
} from "../../core/api/restate.d.ts";
import { messageOf, misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { randomKey, randomUuid, seedOf } from "../../core/base/random.ts";
import { shown } from "../../core/base/shown.ts";
import { beatText } from "../../core/driver/calls.ts";
import { startAttributes } from "../durable/attributes.ts";
import { DurableError } from "../durable/execution.ts";
import { problemsOf } from "../durable/migration.ts";
import { checked } from "../durable/schedules.ts";
import { startProblem } from "../../core/execution/start.ts";
import type { Completion } from "../../core/tasks/call.ts";
import { argumentText } from "../../core/tasks/integration.ts";
import { parseResource } from "../../core/tasks/resource.ts";
import { executionOfToken } from "../../core/tasks/token.ts";
import { storedJson } from "../store/stored-json.ts";
import type { Poll, TakenTask } from "./activities.ts";
import { ACTIVITY, DEFINITION, EXECUTION, MACHINES, MAP_RUN, SCHEDULE } from "./context.ts";
import type { EventAnswer, ExecutionEvent, StartRequest } from "./events.ts";
import { Handle, type HandleOptions } from "./handle.ts";
import { Ingress } from "./ingress.ts";
import { listed } from "./listing.ts";
import { Names } from "./registered-machines.ts";
import type { RunStanding } from "./runs.ts";
import { scheduled } from "./schedules.ts";

const OPTIONS = ["admin", "region", "account", "strict"];
// How often the client polls an execution that was started and does not exist yet, and by how much the delay grows each time, in
// milliseconds.
const TRIES = 20;
const DELAY = 20;
// How long a worker of an activity waits for a task, in seconds, and how often the request is sent again after a lost connection.
const POLL = 60;
const POLLS = 5;
const START_OPTIONS = ["name", "input", "tags", "attributes", "seed"];

export class RestateClient implements PublicClient {
  readonly #ingress: Ingress;
  readonly #names: Names;
  readonly #strict: boolean;
  #machines: Promise<Map<string, string>> | undefined;

  constructor(ingress: string, options: RestateClientOptions = {}) {
    checkOptions(options, OPTIONS, "new RestateClient()");
    this.#ingress = new Ingress(ingress, options.admin);
    this.#names = new Names(options);
    this.#strict = options.strict ?? false;
  }

  /** Starts an execution. Resolves when Restate has stored the start. */
  async start<Output = any>(machine: string, options: RestateStart = {}): Promise<RestateExecution<Output>> {
    checkOptions(options, START_OPTIONS, "client.start()");
    const { arn, request } = await this.#request(machine, options);
    const { name, input } = request;
    const sent = await this.#ingress.send({ service: EXECUTION, handler: "start", key: arn }, request, "start");
    const execution = this.#handle<Output>({ arn, name, machine }, sent.invocationId);
    if (sent.status !== "PreviouslyAccepted") return execution;
    const record = await execution.record();
    if (record.status !== "RUNNING" || record.input !== input)
      throw Object.assign(
        misuse("EXECUTION_EXISTS", `an execution ${shown(name)} of ${machine} exists already: Execution Already Exists: '${arn}'`),
        { executionArn: arn },
      );
    return execution;
  }

  /** Starts an execution and resolves to its output. */
  async run<Output = any>(machine: string, options?: RestateStart): Promise<Output> {
    const execution =
      options?.name === undefined ? await this.#begin<Output>(machine, options) : await this.start<Output>(machine, options);
    const outcome = await execution.result;
    if (outcome.status === "SUCCEEDED") return outcome.output;
    throw new DurableError(execution.arn, outcome);
  }

  /** Starts an execution with a name that is not in use. One request returns the end of its first slice. */
  async #begin<Output>(machine: string, options: RestateStart = {}): Promise<Handle<Output>> {
    checkOptions(options, START_OPTIONS, "client.run()");
    const { arn, request } = await this.#request(machine, options);
    return this.#handle<Output>({ arn, name: request.name, machine }, request);
  }

  async #request(
    machine: string,
    { name = randomUuid(), input, tags, attributes, seed }: RestateStart,
  ): Promise<{ arn: string; request: StartRequest }> {
    const text = input === undefined ? "{}" : argumentText(input, "the input", this.#strict);
    const problem = startProblem(name, text);
    if (problem !== undefined) throw misuse(...problem, RangeError);
    const request: StartRequest = {
      ...{ machine, name, input: text },
      ...(tags !== undefined && { tags }),
      ...startAttributes(attributes),
      seed: `${seedOf(seed)}`,
      // Without a seed the token key is random, so task tokens cannot be derived from the visible data of the execution.
      ...(seed === undefined && { tokenKey: randomKey() }),
    };
    return { arn: await this.#arnOf(machine, name), request };
  }

  #handle<Output>(about: Pick<HandleOptions, "arn" | "name" | "machine">, start?: string | StartRequest): Handle<Output> {
    return new Handle<Output>(this.#ingress, { ...about, strict: this.#strict }, start);
  }

  /** Returns a handle of an execution, by its ARN or by its machine and name. */
  async get<Output = any>(machineOrArn: string, name?: string): Promise<RestateExecution<Output> | undefined> {
    const arn = name === undefined ? machineOrArn : this.#names.execution(machineOrArn, name);
    const record = await this.record(arn);
    if (record === undefined) return undefined;
    return this.#handle<Output>({ arn, name: record.name, machine: String(record.machine) });
  }

  async signal(arn: string, name: string, payload?: unknown, options: { id?: string } = {}): Promise<void> {
    checkOptions(options, ["id"], "signal()");
    await this.#handle({ arn, name: "", machine: "" }).signal(name, payload, options);
  }

  /** Lists executions, the latest first, by the SQL of the admin API. */
  async list(
    filter: RestateFilter = {},
    page: { before?: number; limit?: number } = {},
  ): Promise<{ items: ExecutionSummary[]; before?: number }> {
    return listed(this.#ingress, filter, page);
  }

  async count(filter: RestateFilter = {}): Promise<number> {
    return (await listed(this.#ingress, filter, { limit: Infinity })).items.length;
  }

  /** Moves running executions to another definition. */
  async migrate(filter: RestateFilter, definition?: Definition | StateMachine): Promise<MigrationReport> {
    const report: MigrationReport = { migrated: [], refused: [] };
    for (const execution of await this.#all({ ...filter, status: "RUNNING" })) {
      const { arn, name } = execution;
      try {
        if (await execution.tryMigrate(definition)) report.migrated.push(arn);
      } catch (thrown) {
        report.refused.push({ arn, name, reason: messageOf(thrown), problems: problemsOf(thrown) ?? [] });
      }
    }
    return report;
  }

  /** Lists the running executions of a machine, and the children of their Map Runs, that could not continue with a definition. */
  async affected(machine: string, definition?: Definition | StateMachine): Promise<AffectedExecution[]> {
    const affected: AffectedExecution[] = [];
    for (const execution of await this.#all({ machine, status: "RUNNING" }, true)) {
      const { arn, name } = execution;
      try {
        const problems = await execution.problems(definition);
        if (problems.length > 0) affected.push({ arn, name, reason: problems.map(({ message }) => message).join("; "), problems });
      } catch (thrown) {
        affected.push({ arn, name, reason: messageOf(thrown), problems: [] });
      }
    }
    return affected;
  }

  /** Stops all running executions that a filter selects. */
  async stopAll(filter: RestateFilter, error?: string, cause?: string): Promise<number> {
    const running = await this.#all({ ...filter, status: "RUNNING" });
    for (const execution of running) await execution.stop(error, cause);
    return running.length;
  }

  /** Redrives all executions that a filter selects and that have not succeeded. */
  async redriveAll(filter: RestateFilter): Promise<RedriveReport> {
    const report: RedriveReport = { redriven: [], refused: [] };
    const status = endedOf(filter);
    for (const execution of status.length === 0 ? [] : await this.#all({ ...filter, status })) {
      const { arn, name } = execution;
      try {
        await execution.redrive();
        report.redriven.push(arn);
      } catch (thrown) {
        report.refused.push({ arn, name, reason: messageOf(thrown) });
      }
    }
    return report;
  }

  /** Returns handles of all executions that a filter selects; with `withChildren` also those of Map Runs. */
  async #all(filter: RestateFilter, withChildren = false): Promise<Handle[]> {
    const { items } = await listed(this.#ingress, filter, { limit: Infinity }, withChildren);
    return items.map(({ id: arn, name, machine }) => this.#handle({ arn, name, machine: String(machine) }));
  }

  /** Creates or changes a schedule. */
  async schedule(name: string, options: ScheduleOptions): Promise<ScheduleDescription> {
    checked(name, options);
    return this.#ingress.call<ScheduleDescription>({ service: SCHEDULE, handler: "put", key: name }, options);
  }

  schedules(): Promise<ScheduleDescription[]> {
    return scheduled(this.#ingress);
  }

  unschedule(name: string): Promise<boolean> {
    return this.#ingress.call<boolean>({ service: SCHEDULE, handler: "remove", key: name });
  }

  /** Waits for a task of an activity, as GetActivityTask does. */
  async getActivityTask(activityArn: string, options: { workerName?: string; seconds?: number } = {}): Promise<ActivityTask | undefined> {
    checkOptions(options, ["workerName", "seconds"], "client.getActivityTask()");
    const taken = await this.takeTask(activityArn, options);
    return taken && { taskToken: taken.taskToken, input: storedJson(taken.input, "the input of an activity's task") };
  }

  /** Does the same for the server, with the text of the input. */
  async takeTask(
    activityArn: string,
    { workerName, seconds = POLL }: { workerName?: string | undefined; seconds?: number },
  ): Promise<TakenTask | undefined> {
    if (parseResource(activityArn).kind !== "activity")
      throw misuse("INVALID_ARGUMENT", `the ARN of an activity contains ":activity:", but ${shown(activityArn)} does not`, RangeError);
    if (!(seconds > 0 && seconds < Infinity))
      throw misuse("INVALID_OPTION", `seconds must be a number above 0, not ${shown(seconds)}`, RangeError);
    const poll: Poll = { milliseconds: Math.ceil(seconds * 1000), ...(workerName !== undefined && { worker: workerName }) };
    // The idempotency key makes a repeated request after a lost connection return the same task.
    const target = { service: ACTIVITY, handler: "poll", key: activityArn };
    const key = randomUuid();
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#ingress.call<TakenTask | null>(target, poll, key)) ?? undefined;
      } catch (thrown) {
        if ((thrown as { code?: unknown }).code !== "RESTATE_UNREACHABLE" || tries >= POLLS) throw thrown;
        await new Promise((resolve) => setTimeout(resolve, tries * DELAY));
      }
    }
  }

  succeed(token: string, output?: unknown): Promise<boolean> {
    return this.answer(token, ["succeed", argumentText(output, "the output", this.#strict)]);
  }

  fail(token: string, failure: { error?: string; cause?: string } = {}): Promise<boolean> {
    return this.answer(token, ["fail", failure.error, failure.cause]);
  }

  heartbeat(token: string, details?: unknown): Promise<boolean> {
    if (details !== undefined) beatText(details);
    return this.answer(token, ["heartbeat", details]);
  }

  /** Returns the names of the machines that workers have registered. */
  async machines(): Promise<string[]> {
    return [...(await this.#again()).keys()];
  }

  /** Returns the definition and the type of a machine of the workers. Only the server uses it. */
  async machine(name: string): Promise<{ type: string; definition: string } | undefined> {
    const type = (await this.#registered()).get(name) ?? (await this.#again()).get(name);
    if (type === undefined) return undefined;
    const definition = await this.#ingress.call<string | null>({ service: MACHINES, handler: "describe" }, name);
    return definition === null ? undefined : { type, definition };
  }

  /** Returns the whole record of an execution. Waits for an execution that was started and does not exist yet. */
  async record(arn: string): Promise<ExecutionRecord | undefined> {
    const target = { service: EXECUTION, key: arn };
    for (let tries = 1; ; tries += 1) {
      const record = await this.#ingress.call<ExecutionRecord | null>({ ...target, handler: "describe" });
      if (record !== null) return record;
      if (tries > TRIES || !(await this.#ingress.isUnderWay({ ...target, handler: "start" }, "start"))) return undefined;
      await new Promise((resolve) => setTimeout(resolve, tries * DELAY));
    }
  }

  /** Returns the Map Runs of an execution; undefined if there is no such execution. Only the server uses it. */
  async mapRuns(arn: string): Promise<RunStanding[] | undefined> {
    return (await this.#ingress.call<RunStanding[] | null>({ service: EXECUTION, handler: "mapRuns", key: arn })) ?? undefined;
  }

  /** Returns a Map Run by its ARN. Only the server uses it. */
  async mapRun(mapRunArn: string): Promise<RunStanding | undefined> {
    const arn = await this.#ingress.call<string | null>({ service: MAP_RUN, handler: "execution", key: mapRunArn });
    return arn === null ? undefined : (await this.mapRuns(arn))?.find(({ record }) => record.id === mapRunArn);
  }

  /** Returns the definition with a hash. Only the server uses it. */
  async definition(hash: string): Promise<string | undefined> {
    return (await this.#ingress.call<string | null>({ service: DEFINITION, handler: "get", key: hash })) ?? undefined;
  }

  /** Completes the task of a token. Returns false if the task has already ended. */
  async answer(token: string, completion: Completion): Promise<boolean> {
    const arn = executionOfToken(token);
    const event: ExecutionEvent = { type: "token", token, completion };
    const answer =
      arn === undefined ? undefined : await this.#ingress.call<EventAnswer>({ service: EXECUTION, handler: "tell", key: arn }, event);
    if (!answer?.known) throw misuse("UNKNOWN_TOKEN", `no execution has issued the token ${shown(token)}`, RangeError);
    return answer.counts;
  }

  /** Returns the ARN for a new execution. */
  async #arnOf(machine: string, name: string): Promise<string> {
    if (typeof machine !== "string") throw misuse("INVALID_OPTION", `the machine must be given by its name, not as ${shown(machine)}`);
    const known = await this.#registered();
    // A worker may have registered the machine in the meantime.
    const machines = known.has(machine) ? known : await this.#again();
    const type = machines.get(machine);
    if (type === undefined) {
      const names = [...machines.keys()].map((other) => JSON.stringify(other)).join(", ") || "none";
      throw misuse("UNKNOWN_MACHINE", `there is no machine ${shown(machine)}; the machines are: ${names}`, RangeError);
    }
    return this.#names.execution(machine, name, type === "EXPRESS" ? randomUuid() : undefined);
  }

  #again(): Promise<Map<string, string>> {
    this.#machines = undefined;
    return this.#registered();
  }

  #registered(): Promise<Map<string, string>> {
    if (this.#machines === undefined) {
      const asked = this.#ingress
        .call<{ name: string; type: string }[]>({ service: MACHINES, handler: "list" })
        .then((all) => new Map(all.map(({ name, type }) => [name, type])));
      this.#machines = asked;
      asked.catch(() => (this.#machines = undefined));
    }
    return this.#machines;
  }
}

/** Returns the statuses of a filter with which executions can be redriven. */
function endedOf({ status }: RestateFilter): ("FAILED" | "TIMED_OUT" | "ABORTED")[] {
  const asked = status === undefined ? undefined : [status].flat();
  return (["FAILED", "TIMED_OUT", "ABORTED"] as const).filter((one) => asked?.includes(one) ?? true);
}
