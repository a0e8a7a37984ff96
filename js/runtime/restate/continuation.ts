// `urn:stepglass:continueAsNew` on Restate: an execution ends, and another one with a history of its own continues its work.
//
// The next execution begins before this one ends, so that there always is one. If this one is stopped in between, it stops the next
// one.

import { nameTaken, nextExecution } from "../durable/continuation.ts";
import { uuidOf } from "../durable/names.ts";
import { refuse } from "../durable/requests.ts";
import { listedAs } from "../durable/schedules.ts";
import type { TaskCall } from "../../core/tasks/call.ts";
import { EXECUTION } from "./context.ts";
import type { ExecutionEvent, StartRequest } from "./events.ts";
import type { RegisteredMachines } from "./registered-machines.ts";
import type { SliceDriver } from "./slice-host.ts";

/** The Resource of tasks that continue as a new execution. */
export const CONTINUE = "urn:stepglass:continueAsNew";

/** Starts the execution that continues this one. */
export function continueAsNew(machines: RegisteredMachines, limit: number | undefined, call: TaskCall, slice: SliceDriver): void {
  const next = nextExecution(call, {
    record: slice.record,
    definition: slice.definition,
    frames: slice.frames,
    payloadLimit: limit,
    inputOf: (task) => slice.inputOf?.(task, "Input"),
    machine: (named = String(slice.record.machine)) => machines.nameOf(named),
  });
  if ("failure" in next) return refuse(slice, call, next.failure);
  const { task } = call.command;
  const { machine, name, input, continued, tags = slice.record.tags } = next;
  const request: StartRequest = {
    machine,
    name,
    input,
    ...listedAs({ tags, attributes: slice.record.attributes }),
    continued: { ...continued, task },
  };
  const isExpress = machines.registered(machine)?.machine.type === "EXPRESS";
  const arn = machines.names.execution(machine, name, isExpress ? uuidOf(`${slice.record.id}/${task}`) : undefined);
  slice.notes.children.push([task, arn]);
  slice.ctx.send({ service: EXECUTION, handler: "start", key: arn }, request);
}

/** Applies that the next execution has begun, or that an execution with its name exists already. */
export function hasContinued(call: TaskCall, slice: SliceDriver, { arn, answer }: ExecutionEvent & { type: "started" }): void {
  if (answer.outcome === "created") {
    slice.record = { ...slice.record, continuedTo: arn };
    slice.complete(call, "succeed", JSON.stringify({ ExecutionArn: arn, StartDate: answer.startDate }));
  } else {
    const name = arn.slice(arn.lastIndexOf(":") + 1);
    refuse(slice, call, nameTaken(name, arn));
  }
}
