// The answers of a run's tasks, call by call. Tests and mock files are made from them.

import { type Call, callsOf } from "stepglass/calls";
import type { Answered } from "../model/protocol.ts";

export { type Call, callsOf };

/** The services that wrap results. */
const WRAPPED = /^arn:[^:]*:states:::(?:lambda|states|http):/;

/** Returns the calls of a run that was made on this page. */
export function callsAnswered(answered: readonly Answered[]): Map<string, Call[]> {
  const byState = new Map<string, Call[]>();
  for (const { state, resource, after = 0, output, error, cause, submitted, never } of answered) {
    const call: Call = {
      state,
      after,
      ...(never
        ? { never }
        : error === undefined
          ? { response: output }
          : { error: error ?? "States.TaskFailed", ...(cause !== undefined && { cause }) }),
      ...(submitted !== undefined && { submitted }),
      ...(WRAPPED.test(resource) && { wrapped: true }),
    };
    const list = byState.get(state);
    if (list) list.push(call);
    else byState.set(state, [call]);
  }
  return byState;
}
