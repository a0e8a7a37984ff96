// `urn:stepglass:continueAsNew` on Restate: an execution ends, and another one with a history of its own continues its work.
//
// The next execution begins before this one ends, so that there always is one. If this one is stopped in between, it stops the next
// one.

import { shown } from "../../core/base/shown.ts";
import { nextOf, optionsOf, problemOf } from "../durable/continuation.ts";
import { uuidOf } from "../durable/names.ts";
import { invalid, membersOf, refuse } from "../durable/requests.ts";
import { inputText } from "../../core/execution/nested.ts";
import type { TaskCall } from "../../core/tasks/call.ts";
import { jsonText } from "../../core/tasks/integration.ts";
import { EXECUTION } from "./context.ts";
import type { ExecutionEvent, StartRequest } from "./events.ts";
import type { RegisteredMachines } from "./machines.ts";
import type { SliceDriver } from "./builtin-tasks.ts";

/** The Resource of tasks that continue as a new execution. */
export const CONTINUE = "urn:stepglass:continueAsNew";

/** Starts the execution that continues this one. */
export function continueAsNew(machines: RegisteredMachines, limit: number | undefined, call: TaskCall, slice: SliceDriver): void {
  const { Machine: given } = membersOf(call);
  const { task, state } = call.command;
  const wanted = given ?? slice.record.machine;
  const machine = typeof wanted === "string" ? machines.nameOf(wanted) : undefined;
  if (machine === undefined) return refuse(slice, call, invalid("Machine", "the name or the ARN of a machine", given));
  const input = inputText(call, (value) => slice.inputOf?.(task, "Input") ?? jsonText(value));
  const own = optionsOf(call);
  if ("failure" in own) return refuse(slice, call, own.failure);
  const about = nextOf(slice.record);
  const name = `${about.base}.${about.run}`;
  const problem = problemOf({ definition: slice.definition, frames: slice.frames, state }, name, input, limit);
  if (problem !== undefined) return refuse(slice, call, problem);
  const { tags = slice.record.tags } = own;
  const request: StartRequest = { machine, name, input, ...(tags !== undefined && { tags }), continued: { ...about, task } };
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
    refuse(slice, call, { error: "Stepglass.ContinueFailed", cause: `the name ${shown(name)} of the next execution is taken: ${arn}` });
  }
}
