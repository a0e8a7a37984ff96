// The handle of an execution on Restate.

import type {
  Definition,
  ErrorCode,
  ExecutionResult,
  Frame,
  HistoryEvent,
  MapRunChange,
  RunningProblem,
  StateMachine as PublicMachine,
} from "../../core/api/index.d.ts";
import type { ExecutionDescription, ExecutionQuery, ExecutionRecord } from "../../core/api/durable.d.ts";
import type { RestateExecution } from "../../core/api/restate.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { shown } from "../../core/base/shown.ts";
import { described } from "../durable/execution.ts";
import { checkedLimits } from "../../core/execution/execution.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import { argumentText } from "../../core/tasks/integration.ts";
import { storedJson } from "../store/stored-json.ts";
import { EXECUTION } from "./context.ts";
import type { EventAnswer, ExecutionEvent, Standing, StartAnswer, StartRequest } from "./events.ts";
import type { Ingress } from "./ingress.ts";
import type { Inside } from "./object.ts";
import type { RunStanding } from "./runs.ts";
import { resumed } from "./suspension.ts";

// Delay before a client requests a result again, in milliseconds. It doubles from the first value to the second.
const FIRST_DELAY = 50;
const LONGEST_DELAY = 5000;
// How often a client polls an execution that was started and does not exist yet: its worker may be busy.
const TRIES = 20;

/** The names of an execution, and whether values that JSON would change are refused. */
export interface HandleOptions {
  arn: string;
  name: string;
  machine: string;
  strict?: boolean;
}

export class Handle<Output = any> implements RestateExecution<Output> {
  readonly arn: string;
  readonly name: string;
  readonly machine: string;
  readonly #ingress: Ingress;
  readonly #strict: boolean;
  /** The invocation that starts the execution, or the request for it, if this client has started the execution. */
  readonly #start: string | StartRequest | undefined;
  #result: Promise<ExecutionResult<Output>> | undefined;

  constructor(ingress: Ingress, { arn, name, machine, strict = false }: HandleOptions, start?: string | StartRequest) {
    this.#strict = strict;
    this.arn = arn;
    this.name = name;
    this.machine = machine;
    this.#ingress = ingress;
    this.#start = start;
  }

  /** The result of the execution. */
  get result(): Promise<ExecutionResult<Output>> {
    return (this.#result ??= this.outcome());
  }

  async outcome({ follow = false }: { follow?: boolean } = {}): Promise<ExecutionResult<Output>> {
    const outcome = await this.#outcome();
    if (!follow || outcome.status !== "SUCCEEDED") return outcome;
    const { continuedTo: arn } = await this.record();
    if (typeof arn !== "string") return outcome;
    const { name, machine } = await new Handle(this.#ingress, { arn, name: "", machine: "" }).record();
    return new Handle<Output>(this.#ingress, { arn, name, machine: String(machine) }).outcome({ follow });
  }

  async #outcome(): Promise<ExecutionResult<Output>> {
    for (let delay = FIRST_DELAY; ; delay = Math.min(delay * 2, LONGEST_DELAY)) {
      try {
        return await this.#ended();
      } catch (thrown) {
        // A request cannot last as long as an execution, and Restate may be unreachable for a time.
        const { code } = thrown as { code?: unknown };
        if (code !== "RESTATE_UNREACHABLE" && code !== "RESTATE_FAILED") throw thrown;
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
  }

  async #ended(): Promise<ExecutionResult<Output>> {
    if (this.#start !== undefined) {
      const { outcome, ...first } =
        typeof this.#start === "string"
          ? await this.#ingress.attach<StartAnswer>(this.#start)
          : await this.#ingress.call<StartAnswer>(this.#target("start"), this.#start, "start");
      if (outcome === "created" && first.status === "SUCCEEDED") return outcomeOf(first);
    }
    const record = await this.record();
    if (record.status !== "RUNNING") return outcomeOf(record);
    // All clients that wait for the result share one invocation, until the execution is redriven.
    const once = `end ${Number(record.redriveCount ?? 0)}`;
    const standing = await this.#ingress.call<Standing | null>(this.#target("result"), undefined, once);
    return outcomeOf(standing ?? this.#gone());
  }

  async describe(): Promise<ExecutionDescription> {
    return described(await this.record());
  }

  history(page: { from?: number; limit?: number; reverse?: boolean } = {}): Promise<HistoryEvent[]> {
    const { from, limit, reverse } = page;
    const finite = {
      ...(from !== undefined && { from }),
      ...(limit !== undefined && limit !== Infinity && { limit }),
      ...(reverse && { reverse }),
    };
    return this.#ingress.call<HistoryEvent[]>(this.#target("history"), finite);
  }

  async frames(): Promise<Frame[]> {
    return (await this.query()).frames;
  }

  async query(): Promise<ExecutionQuery> {
    const inside = await this.#known<Inside>("inside");
    const { state, ...more } = inside;
    return { ...more, ...(state !== undefined && { state: storedJson(state, `the state of ${this.arn}`) }) };
  }

  async signal(name: string, payload?: unknown, options: { id?: string } = {}): Promise<void> {
    checkOptions(options, ["id"], "signal()");
    if (typeof name !== "string" || name === "")
      throw misuse("INVALID_ARGUMENT", `the name of a signal must be a non-empty string, not ${shown(name)}`);
    const { id } = options;
    await this.#notify({
      type: "signal",
      name,
      payload: argumentText(payload, "the payload", this.#strict),
      ...(id !== undefined && { id }),
    });
  }

  async cancel(details?: unknown): Promise<void> {
    const text = details === undefined || typeof details === "string" ? details : argumentText(details, "the details", this.#strict);
    await this.#notify({ type: "cancel", ...(text !== undefined && { details: text }) });
  }

  async stop(error?: string, cause?: string): Promise<void> {
    const about = { ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
    this.#check(await this.#ingress.call<EventAnswer>(this.#target("stop"), about));
  }

  /** Changes the limits of a Map Run: UpdateMapRun. Has no effect on a run that has ended. */
  async updateMapRun(mapRunArn: string, change: MapRunChange = {}): Promise<void> {
    await this.#notify({ type: "updateMapRun", mapRun: mapRunArn, change: checkedLimits(mapRunArn, change) });
  }

  /** Returns the Map Runs of the execution. Only the client uses it. */
  mapRuns(): Promise<RunStanding[]> {
    return this.#known<RunStanding[]>("mapRuns");
  }

  /**
   * Returns the problems with another definition: none if the execution has that definition already, or has ended. Only the client
   * uses it.
   */
  async problems(definition: Definition | PublicMachine | undefined): Promise<RunningProblem[]> {
    const text = definition === undefined ? null : textOf(definition);
    return (await this.#ingress.call<RunningProblem[] | null>(this.#target("problems"), text)) ?? [];
  }

  async redrive(): Promise<void> {
    this.#result = undefined;
    await this.#notify({ type: "redrive" });
  }

  async #notify(event: ExecutionEvent): Promise<void> {
    this.#check(await this.#ingress.call<EventAnswer>(this.#target("tell"), event));
  }

  /** Continues with another definition from the next slice on. */
  async migrate(definition?: Definition | PublicMachine): Promise<void> {
    await this.tryMigrate(definition);
  }

  /** Does the same and returns whether the execution had another definition before. Only the client uses it. */
  async tryMigrate(definition?: Definition | PublicMachine): Promise<boolean> {
    const text = definition === undefined ? undefined : textOf(definition);
    const event: ExecutionEvent = { type: "migrate", ...(text !== undefined && { definition: text }) };
    const answer = await this.#ingress.call<EventAnswer>(this.#target("tell"), event);
    this.#check(answer);
    return answer.counts;
  }

  /** Makes Restate retry a failed slice, and waits for its outcome. */
  async resume(): Promise<void> {
    await resumed(this.#ingress, this.arn);
  }

  #check({ known, refused, problems }: EventAnswer): void {
    if (!known) this.#gone();
    if (refused === undefined) return;
    throw Object.assign(misuse(refused[0] as ErrorCode, refused[1], Error), problems && { problems });
  }

  /** Returns the whole record. Only the client uses it. */
  record(): Promise<ExecutionRecord> {
    return this.#known<ExecutionRecord>("describe");
  }

  /** Calls a handler of the execution. If this client has just started the execution, it may not exist yet. */
  async #known<T>(handler: string): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#ingress.call<T | null>(this.#target(handler));
      if (answer !== null) return answer;
      if (this.#start === undefined || tries > TRIES) this.#gone();
      await new Promise((resolve) => setTimeout(resolve, tries * FIRST_DELAY));
    }
  }

  #target(handler: string): { service: string; handler: string; key: string } {
    return { service: EXECUTION, handler, key: this.arn };
  }

  #gone(): never {
    throw misuse("UNKNOWN_EXECUTION", `there is no execution ${this.arn}: retention may have removed it`);
  }
}

function outcomeOf<Output>({ status, output, error, cause }: Standing): ExecutionResult<Output> {
  if (status === "SUCCEEDED") return { status, output: storedJson(output ?? "null", "the output") };
  const failed = { status, ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
  return failed as ExecutionResult<Output>;
}

/** Returns the text of a definition. Throws if it does not compile. */
function textOf(definition: Definition | PublicMachine): string {
  return definition instanceof StateMachine ? definition.definition : new StateMachine(definition as Definition).definition;
}
