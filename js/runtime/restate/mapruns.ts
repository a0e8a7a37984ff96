// Distributed Maps: the Map Run is in the engine of its execution, and its children are executions of their own, grouped into
// shards.
//
// A child sends nothing to the Map Run until it ends. A redrive gives the Map Run another number. Ends with an earlier number, and
// ends of
// children that the Map Run does not wait for, have no effect.

import type { ExecutionRecord } from "../../core/api/durable.d.ts";
import { isObject } from "../../core/base/json.ts";
import { Archive } from "../../core/border/archive.ts";
import { HistoryEngine } from "../../core/border/history-engine.ts";
import { handleOf } from "../../core/execution/machine.ts";
import { engineSettings } from "../../core/execution/settings.ts";
import { SHARD, type ObjectContext } from "./context.ts";
import type { ChildOf, ChildSeed, ShardStart } from "./events.ts";
import type { Notes } from "./persistence.ts";
import type { Program } from "./registered-machines.ts";

/** Commands of the engine: start a child (without a snapshot: redrive it), or stop all children. */
export type RunCommand =
  | { type: "StartChild"; mapRun: string; redrive: number; index: number; recorded: boolean; snapshot?: string }
  | { type: "StopChildren"; mapRun: string; redrive: number };

type Run = NonNullable<Notes["runs"]>[number];

/** Creates the engine of an execution, new or from a snapshot. The host runs the children of its Map Runs. */
export function engineOf({ machine, options }: Program, stored?: { text: string; events: number }): HistoryEngine {
  const settings = { ...engineSettings(options, machine.type), childrenApart: true };
  return new HistoryEngine(handleOf(machine), settings, stored?.text, new Archive(stored?.events));
}

/** The Map Runs of an execution, in one slice. */
export class MapRuns {
  readonly #ctx: ObjectContext;
  readonly #notes: Notes;
  readonly #size: number;
  readonly #isBatched: (mapRun: string) => boolean;
  #commands: RunCommand[] = [];
  /** The number of children that this slice has started, less those whose ends it has handled. */
  more = 0;

  constructor(ctx: ObjectContext, notes: Notes, size: number, isBatched: (mapRun: string) => boolean) {
    this.#ctx = ctx;
    this.#notes = notes;
    this.#size = size;
    this.#isBatched = isBatched;
  }

  perform(command: RunCommand): void {
    this.#commands.push(command);
  }

  /** Sends the collected commands to the shards, in order. */
  send({ id: parent, machine, definition }: ExecutionRecord): void {
    const about = { parent, machine: String(machine), definition: definition ?? "" };
    const commands = this.#commands;
    this.#commands = [];
    let starts = new Map<string, ShardStart>();
    const begin = () => {
      for (const [key, start] of starts) this.#ctx.send({ service: SHARD, handler: "start", key }, start);
      starts = new Map();
    };
    for (const command of commands) {
      const { mapRun, redrive } = command;
      if (command.type === "StopChildren") {
        begin();
        const run = this.#run(mapRun);
        const shards = run[1];
        this.#count(run, -run[2]);
        for (let i = 0; i < shards; i += 1) this.#ctx.send({ service: SHARD, handler: "stop", key: `${mapRun}/${i}` }, redrive);
        continue;
      }
      const { index, snapshot: engine, recorded } = command;
      const number = Math.floor(index / this.#size);
      const run = this.#run(mapRun);
      run[1] = Math.max(run[1], number + 1);
      this.#count(run, 1);
      const key = `${mapRun}/${number}`;
      const start = starts.get(key) ?? { ...about, mapRun, redrive, children: [] };
      start.children.push({ index, recorded, ...(engine !== undefined && this.#child(mapRun, engine)) });
      starts.set(key, start);
    }
    begin();
  }

  #child(mapRun: string, engine: string): { arn: string; engine: string; items?: number } {
    const { info, items } = seedOfChild(engine);
    return { arn: info.arn, engine, ...(this.#isBatched(mapRun) && { items }) };
  }

  /** Counts children that have ended. */
  childrenEnded(mapRun: string, count: number): void {
    const run = this.#run(mapRun);
    this.#count(run, -Math.min(count, run[2]));
  }

  #count(run: Run, more: number): void {
    run[2] += more;
    this.more += more;
  }

  #run(mapRun: string): Run {
    const known = this.#notes.runs?.find(([arn]) => arn === mapRun);
    if (known !== undefined) return known;
    const run: Run = [mapRun, 0, 0];
    this.#notes.runs = [...(this.#notes.runs ?? []), run];
    return run;
  }
}

/** Makes all shards of an execution's Map Runs forget their children. */
export function forgetChildren(ctx: ObjectContext, runs: NonNullable<Notes["runs"]>): void {
  for (const [mapRun, shards] of runs)
    for (let i = 0; i < shards; i += 1) ctx.send({ service: SHARD, handler: "forget", key: `${mapRun}/${i}` }, null);
}

/** Reads the data of a new child from its snapshot. */
export function seedOfChild(engine: string): ChildSeed {
  const { options, executions } = JSON.parse(engine);
  const { name, arn, stateMachineArn, stateMachineName, input } = executions[0];
  const items = isObject(input) && Array.isArray(input.Items) ? input.Items.length : 1;
  return { items, type: options.express ? "EXPRESS" : "STANDARD", info: { name, arn, stateMachineName, stateMachineArn } };
}

/** Returns the end of a child, as the JSON text that its Map Run gets. */
export function endOfChild(record: ExecutionRecord): string {
  const { index, redrive, recorded, items } = record.child as ChildOf;
  const { status, output, error, cause, name, input, startDate, redriveCount } = record;
  const about = { index, redrive, status, items, error, cause, ...(recorded && { name, startDate, redriveCount }) };
  // Payloads are inserted as JSON texts, which preserves the digits of their numbers.
  const payloads = `${output === undefined ? "" : `,"output":${output}`}${recorded ? `,"input":${input}` : ""}`;
  return `${JSON.stringify(about).slice(0, -1)}${payloads}}`;
}

/** Notifies the shard of a child of its end. */
export function notifyShard(ctx: ObjectContext, record: ExecutionRecord): void {
  const { shard, index, redrive } = record.child as ChildOf;
  ctx.send({ service: SHARD, handler: "ended", key: shard }, { index, redrive, end: endOfChild(record) });
}
