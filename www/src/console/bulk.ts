// Actions on many executions: which of them an action concerns, and performing it piece by piece.

import { type Action, type BulkReport, type Execution, type ExecutionPage, api } from "./api.ts";
import { type Status, type View, requestOf } from "./query.ts";

/** The executions that the user has chosen: some, or all that a view selects. */
export type Target = { executions: readonly Execution[] } | { view: View };

/** The texts of an action: on its button, and after it. */
export const ACTION_TEXTS: Record<Action, { label: string; done: string; about: string }> = {
  stop: { label: "Stop", done: "stopped", about: "A stopped execution ends as ABORTED. It can be redriven." },
  cancel: {
    label: "Cancel",
    done: "cancelled",
    about: "What the executions wait for fails with Stepglass.Cancelled, which a Catch can take to clean up.",
  },
  redrive: { label: "Redrive", done: "redriven", about: "A redriven execution continues from the state that failed." },
  signal: { label: "Signal", done: "signalled", about: "Each execution gets the signal. One that does not wait for it keeps it." },
  migrate: {
    label: "Migrate",
    done: "migrated",
    about: "The executions continue with the definition that is registered for their machine now. Those that cannot are left unchanged.",
  },
  resume: { label: "Try again", done: "resumed", about: "Suspended executions try to continue." },
};

/** Returns whether an action concerns an execution. */
export function concerns(action: Action, { status, suspended, redrivable }: Execution): boolean {
  if (action === "redrive") return redrivable;
  if (action === "resume") return suspended !== undefined;
  return status === "RUNNING" && (action === "stop" || suspended === undefined);
}

/** Returns the statuses of the executions that an action concerns. */
export function statusesOf(action: Action): readonly Status[] {
  return action === "redrive" ? ["FAILED", "TIMED_OUT", "ABORTED"] : ["RUNNING"];
}

/** Returns a view that selects only executions with these statuses; undefined if it selects none. */
export function narrowed(view: View, statuses: readonly Status[]): View | undefined {
  const left = view.statuses.length === 0 ? statuses : view.statuses.filter((status) => statuses.includes(status));
  return left.length === 0 ? undefined : { ...view, statuses: left };
}

/** The number of executions in a request. */
const PIECE = 50;

/** What `perform` needs of a server. */
type Server = Pick<typeof api, "list" | "bulk">;

/** Performs an action piece by piece, and yields the sum of the reports after each piece. */
export async function* perform(action: Action, target: Target, more: object, server: Server = api): AsyncGenerator<BulkReport, void> {
  const sum: BulkReport = { done: [], refused: [] };
  for await (const executions of "view" in target ? pagesOf(action, target.view, server) : piecesOf(target.executions)) {
    const arns = executions.filter((one) => concerns(action, one)).map(({ executionArn }) => executionArn);
    if (arns.length === 0) continue;
    const { done, refused } = await server.bulk(action, arns, more);
    sum.done.push(...done);
    sum.refused.push(...refused);
    yield { done: [...sum.done], refused: [...sum.refused] };
  }
}

function* piecesOf(executions: readonly Execution[]): Generator<readonly Execution[]> {
  for (let at = 0; at < executions.length; at += PIECE) yield executions.slice(at, at + PIECE);
}

/** Yields the executions of a view that exist now. Those that start later are newer than the first page, so no page has them. */
async function* pagesOf(action: Action, view: View, server: Server): AsyncGenerator<readonly Execution[]> {
  const asked = narrowed(view, statusesOf(action));
  if (asked === undefined) return;
  const parameters = requestOf(asked, Date.now());
  parameters.set("limit", String(PIECE));
  for (;;) {
    const { executions, before }: ExecutionPage = await server.list(parameters);
    yield executions;
    if (before === undefined) return;
    parameters.set("before", String(before));
  }
}
