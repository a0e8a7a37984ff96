// Schedules on Restate. Each is a virtual object that calls itself at its next due time. Its key is the schedule's name.

import type { ExecutionRecord, ScheduleDescription, ScheduleOptions } from "../../core/api/durable.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { uuidOf } from "../durable/names.ts";
import { type Document, checked, chosenUntil, described, executionOf, listedAs, nextOf, withRules } from "../durable/schedules.ts";
import { storedJson } from "../store/stored-json.ts";
import { EXECUTION, SCHEDULE, type ObjectContext } from "./context.ts";
import type { StartRequest } from "./events.ts";
import type { Ingress } from "./ingress.ts";
import { Refused } from "./refused.ts";
import type { SliceHost } from "./slice-host.ts";

/** The state of a schedule's object. `ring` is the number of the delayed call that is valid. */
type StoredSchedule = Document & { ring: number };

/** The worker's values for one call, which Restate records. */
interface Now {
  at: number;
  /** The type of the machine; absent if the worker does not have it. */
  type?: string;
}

export class ScheduleObject {
  readonly #host: SliceHost;

  constructor(host: SliceHost) {
    this.#host = host;
  }

  /** Creates or changes the schedule. */
  async put(ctx: ObjectContext, options: ScheduleOptions): Promise<ScheduleDescription> {
    const known = await ctx.get<StoredSchedule>("schedule");
    const { at } = await this.#now(ctx, options.machine);
    let document: Document;
    try {
      document = withRules(ctx.key, checked(ctx.key, options), known ?? undefined, at);
    } catch (thrown) {
      const { code } = thrown as { code?: string };
      if (code === undefined) throw thrown;
      throw new Refused(code, messageOf(thrown));
    }
    return shownAs(ctx.key, this.#store(ctx, { ...document, ring: known?.ring ?? 0 }, at));
  }

  /** Removes the schedule. Its executions continue. Returns whether the schedule existed. */
  async remove(ctx: ObjectContext): Promise<boolean> {
    const known = await ctx.get<StoredSchedule>("schedule");
    if (known !== null) ctx.clearAll();
    return known !== null;
  }

  /** Handles a due time. A delayed call from before the last change has no effect. */
  async ring(ctx: ObjectContext, { ring }: { ring: number }): Promise<void> {
    const known = await ctx.get<StoredSchedule>("schedule");
    if (known === null || known.ring !== ring) return;
    const now = await this.#now(ctx, known.machine);
    let document = known;
    if (known.next !== null && known.next <= now.at) {
      for (const at of chosenUntil(known, known.next, now.at)) document = await this.#begin(ctx, document, at, now);
      document = { ...document, next: nextOf(known, now.at) };
    }
    this.#store(ctx, document, now.at);
  }

  /** Handles the end of an execution: a start may be waiting for it. */
  async ended(ctx: ObjectContext, { arn }: { arn: string }): Promise<void> {
    const known = await ctx.get<StoredSchedule>("schedule");
    if (known?.buffered === undefined || known.last?.arn !== arn) return;
    const now = await this.#now(ctx, known.machine);
    ctx.set("schedule", this.#start(ctx, known, known.buffered, now));
  }

  #now(ctx: ObjectContext, machine: string): Promise<Now> {
    return ctx.run("now", () => {
      const type = this.#host.machines.registered(machine)?.machine.type;
      return { at: this.#host.now(), ...(type !== undefined && { type }) };
    });
  }

  /** Stores the schedule, and schedules the call for its next due time. */
  #store(ctx: ObjectContext, document: StoredSchedule, now: number): StoredSchedule {
    const updated = { ...document, ring: document.ring + 1 };
    ctx.set("schedule", updated);
    const { next, ring } = updated;
    if (next !== null) ctx.send({ service: SCHEDULE, handler: "ring", key: ctx.key }, { ring }, Math.max(0, next - now));
    return updated;
  }

  /** Starts the execution for one due time, or skips it, as `overlap` says. */
  async #begin(ctx: ObjectContext, document: StoredSchedule, at: number, now: Now): Promise<StoredSchedule> {
    const { overlap = "skip", last } = document;
    if (overlap !== "allow" && last !== undefined && last.at !== at) {
      const record = await ctx.call<ExecutionRecord | null>({ service: EXECUTION, handler: "describe", key: last.arn }, null);
      if (record?.status === "RUNNING") {
        if (overlap !== "buffer") return document;
        if (document.buffered === undefined)
          ctx.send({ service: EXECUTION, handler: "event", key: last.arn }, { type: "follow", watcher: { schedule: ctx.key } });
        return { ...document, buffered: at };
      }
    }
    return this.#start(ctx, document, at, now);
  }

  #start(ctx: ObjectContext, { buffered, problem, ...document }: StoredSchedule, at: number, { type }: Now): StoredSchedule {
    const { machine } = document;
    if (type === undefined) return { ...document, problem: `the worker has no machine ${JSON.stringify(machine)}` };
    const { name, input } = executionOf(ctx.key, document, at);
    const arn = this.#host.machines.names.execution(machine, name, type === "EXPRESS" ? uuidOf(`${ctx.key}/${name}`) : undefined);
    const request: StartRequest = { machine, name, input: JSON.stringify(input), ...listedAs(document) };
    ctx.send({ service: EXECUTION, handler: "start", key: arn }, request);
    return { ...document, last: { arn, at } };
  }
}

/** Returns all schedules, by the SQL of the admin API. */
export async function scheduled(ingress: Ingress): Promise<ScheduleDescription[]> {
  const rows = await ingress.query(`SELECT service_key, value_utf8 FROM state WHERE service_name = '${SCHEDULE}' ORDER BY service_key`);
  return rows.map(({ service_key: name, value_utf8: text }) =>
    shownAs(String(name), storedJson(String(text), `the schedule ${String(name)}`)),
  );
}

function shownAs(name: string, { ring, ...document }: StoredSchedule): ScheduleDescription {
  return described(name, document);
}
