// Describes the error because of which an execution failed: the field where it arose, and why no retrier and no catcher handled it.

import type { ErrorFacts, HistoryEvent, ReplayHistoryOptions, TraceStage } from "../../core/api/index.d.ts";
import { whyNotCaught, whyNotRetried } from "../../core/history/verdicts.ts";
import { Outline, type OutlinedState } from "../../core/definition/outline.ts";
import { replayHistory } from "../../core/execution/recorded.ts";

/** The definition that has failed, and where its fields are in its file. */
interface Definition {
  definition: string;
  /** Returns the position of the value at a JSON Pointer as `FILE:LINE:COLUMN`. Undefined if the definition is not in a file. */
  place: (pointer: string) => string | undefined;
}

/** An `error` stage, which has the interpreter's facts. */
type ErrorStage = TraceStage & { failure: ErrorFacts };

/**
 * Returns lines about the error that ended a failed execution, the innermost state first. They are empty if the messages say it all:
 * no field is at fault, and there are no retriers and catchers.
 *
 * The interpreter records its decisions only if it traces the whole data flow. So this function runs the history again, which no
 * execution that succeeds pays for.
 */
export function unhandledError({ definition, place }: Definition, history: HistoryEvent[], options: ReplayHistoryOptions = {}): string[] {
  const { trace = [] } = replayHistory(definition, history, { ...options, trace: true });
  const { named } = new Outline(JSON.parse(definition));
  const isUnhandled = (stage: TraceStage): stage is ErrorStage => stage.stage === "error" && stage.failure !== undefined;
  const handled = trace.findLastIndex((stage) => !isUnhandled(stage));
  return trace
    .slice(handled + 1)
    .filter(isUnhandled)
    .flatMap((stage) => {
      const state = named.get(stage.state);
      return state === undefined ? [] : linesOf(stage, state, place);
    });
}

function linesOf({ failure, value }: ErrorStage, { name, pointer, fields }: OutlinedState, place: Definition["place"]): string[] {
  if (failure.pointer === undefined && failure.retriers.length + failure.catchers.length === 0) return [];
  const field = pointer + (failure.pointer ?? "");
  const position = place(field);
  const names = (list: unknown, index: number) => {
    const { ErrorEquals = [] } = (Array.isArray(list) ? (list[index] as { ErrorEquals?: unknown[] }) : undefined) ?? {};
    return `[${ErrorEquals.join(", ")}]`;
  };
  return [
    `at ${field}${position === undefined ? "" : ` (${position})`}${failure.expression === undefined ? "" : `: ${failure.expression}`}`,
    ...failure.retriers.map((one, i) => `${name}/Retry/${i} ${names(fields.Retry, i)}: ${whyNotRetried(one, value.Error)}`),
    ...failure.catchers.map((one, i) => `${name}/Catch/${i} ${names(fields.Catch, i)}: ${whyNotCaught(one, value.Error)}`),
  ];
}
