// The service that calls tasks outside of slices: long ones, which send their answers when they have them, and several together.

import type { InvokeCommand } from "../../core/api/index.d.ts";
import type { Fact } from "../../core/border/facts.ts";
import { INVALID_TOKEN, TASK_TIMED_OUT, unknownExecution } from "../../core/execution/nested.ts";
import { Call } from "../../core/driver/calls.ts";
import { Task } from "../../core/driver/task.ts";
import type { MissingHandler } from "../../core/tasks/resource.ts";
import { parseResource } from "../../core/tasks/resource.ts";
import { type AttemptOptions, attemptIn } from "./attempt.ts";
import { EXECUTION, type Durable, type ServiceContext } from "./context.ts";
import type {
  Answer,
  AskRequest,
  AttemptRequest,
  ChildrenRequest,
  EventAnswer,
  ExecutionEvent,
  ShardAnswer,
  ShardRequest,
} from "./events.ts";
import { callChildren } from "./shard.ts";
import type { SliceHost } from "./slice-host.ts";

/** Maximum number of heartbeats that are reported per HeartbeatSeconds of a task. */
const BEATS = 4;

export class TaskService {
  readonly #host: SliceHost;
  readonly #handlers: () => AttemptOptions["handlers"];

  constructor(host: SliceHost, handlers: () => AttemptOptions["handlers"]) {
    this.#host = host;
    this.#handlers = handlers;
  }

  /** Calls a task, and sends its answer to the execution. */
  async attempt(ctx: ServiceContext, { command, info, fence, beats }: AttemptRequest): Promise<void> {
    const controller = new AbortController();
    const heart = new Heart(command);
    const done = ctx.run(`${command.state} ${command.task}`, () =>
      attemptIn(ctx.ended, command, {
        handlers: this.#handlers(),
        info,
        now: () => this.#host.now(),
        signal: controller.signal,
        beats: new Map(beats),
        onBeat: (details) => heart.beat(details),
      }).finally(() => heart.stop()),
    );
    const tell = (event: ExecutionEvent) => ctx.send({ service: EXECUTION, handler: "tell", key: info.arn as string }, event);
    try {
      const answer = await this.#answer(ctx, done, heart, (details) =>
        tell({ type: "beat", task: command.task, fence, ...(details !== null && { details }) }),
      );
      if (answer.facts.length > 0) tell({ type: "answer", task: command.task, fence, answer });
    } catch (thrown) {
      // The task was cancelled.
      controller.abort();
      throw thrown;
    }
  }

  /** Waits for the answer of a task, and reports its heartbeats in the meantime. */
  async #answer(ctx: ServiceContext, done: Durable<Answer>, heart: Heart, tell: (details: string | null) => unknown): Promise<Answer> {
    const answer = done.map((value, failure) => ({ value, failure, beat: undefined }));
    for (;;) {
      const beat = ctx.run("heartbeat", () => heart.next()).map((value) => ({ value: undefined, failure: undefined, beat: value }));
      const won = await ctx.race<Won>([answer, beat]);
      if (won.failure !== undefined) throw won.failure;
      if (won.value !== undefined) return won.value;
      if (won.beat === false) return done;
      tell(won.beat ?? null);
    }
  }

  /** Calls several tasks at once. */
  async shard(ctx: ServiceContext, { commands, info }: ShardRequest): Promise<ShardAnswer> {
    const answers: ShardAnswer = [];
    const open = new Map(
      commands.map((command, i) => {
        const options = { handlers: this.#handlers(), info, now: () => this.#host.now(), signal: ctx.ended };
        const run = ctx.run(`${command.state} ${command.task}`, () => attemptIn(ctx.ended, command, options));
        return [i, run.map((answer, failure) => ({ i, task: command.task, answer, failure }))] as const;
      }),
    );
    while (open.size > 0) {
      const { i, task, answer, failure } = await ctx.race([...open.values()]);
      if (failure !== undefined) throw failure;
      open.delete(i);
      if (answer !== undefined) answers.push({ task, ...answer });
    }
    return answers;
  }

  /** Starts the children of a shard. */
  children(ctx: ServiceContext, request: ChildrenRequest): Promise<void> {
    return callChildren(ctx, request);
  }

  /** Sends a message to another execution, and answers the task that requested it. */
  async ask(ctx: ServiceContext, { asker, fence, command, target, event, kind }: AskRequest): Promise<void> {
    const answer = await ctx.call<EventAnswer>({ service: EXECUTION, handler: "tell", key: target }, event);
    const at = await ctx.run("now", () => this.#host.now());
    const facts = [replyOf(command, target, kind, answer, at)];
    ctx.send({ service: EXECUTION, handler: "tell", key: asker }, { type: "answer", task: command.task, fence, answer: { at, facts } });
  }
}

/** Returns the answer of a task that has sent a message to another execution. */
function replyOf(command: InvokeCommand, target: string, kind: string, { known, counts, refused }: EventAnswer, at: number): Fact {
  const { task } = command;
  const fail = ({ error, cause }: MissingHandler): Fact => ["fail", task, error, cause];
  if (kind === "stop") {
    const text = command.resource.includes(":aws-sdk:") ? new Date(at).toISOString() : at;
    const call = new Call(command, parseResource(command.resource), new Task(command, { execution: {} } as never));
    return known ? ["succeed", task, JSON.stringify({ StopDate: text })] : fail(unknownExecution(call, target));
  }
  if (kind === "token") return !known ? fail(INVALID_TOKEN) : counts ? ["succeed", task, "{}"] : fail(TASK_TIMED_OUT);
  if (!known) return fail({ error: kind, cause: `there is no execution ${target}` });
  if (refused !== undefined) return fail({ error: kind, cause: refused[1] });
  return ["succeed", task, "{}"];
}

/** The first result: an answer, or a heartbeat. */
interface Won {
  value?: Answer | undefined;
  failure?: Error | undefined;
  beat?: string | null | false | undefined;
}

/** The heartbeats of a task. They are reported at a limited rate. */
class Heart {
  /** Minimum time between two reports, in milliseconds. */
  readonly #interval: number;
  #lastBeat = -Infinity;
  #beat: { details: string | null } | undefined;
  #stopped = false;
  #wake = () => {};

  constructor({ heartbeat = 60 }: InvokeCommand) {
    this.#interval = (heartbeat * 1000) / BEATS;
  }

  beat(details: string | undefined): void {
    this.#beat = { details: details ?? this.#beat?.details ?? null };
    this.#wake();
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  /** Resolves to the details of the next heartbeat to report, or null if it has none; to false when the task has ended. */
  async next(): Promise<string | null | false> {
    for (;;) {
      if (this.#stopped) return false;
      const wait = this.#beat === undefined ? undefined : this.#lastBeat + this.#interval - performance.now();
      if (this.#beat !== undefined && wait !== undefined && wait <= 0) {
        const { details } = this.#beat;
        this.#beat = undefined;
        this.#lastBeat = performance.now();
        return details;
      }
      await new Promise<void>((resolve) => {
        const timer = wait === undefined ? undefined : setTimeout(resolve, wait);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
