// Offers to resume executions that had not ended when the page was closed.

import * as execution from "../store/execution.ts";
import * as opening from "../store/opening.ts";
import { notify } from "../store/notifications.ts";
import { HANDOVER, elsewhere, executions, resume, isOwn, previousRun, refresh, showExecutions } from "./executions.ts";
import { currentDraft } from "./persistence.ts";
import { type StoredExecution, claim, listStored, writeStored } from "./storedExecutions.ts";

/** Called after a load: offers the executions that were running when the page was closed. Returns whether there are any. */
export async function offer(): Promise<boolean> {
  const mine = previousRun();
  if (mine !== null) {
    // The previous page may still hold the lock for a moment.
    const free = await claim(mine, { wait: AbortSignal.timeout(HANDOVER), lost() {} }).catch(() => undefined);
    await free?.();
  }
  await refresh();
  const running = (executions.value ?? []).filter(
    (each) => each.status === "RUNNING" && !each.left && !elsewhere.value.has(each.id) && (!each.offered || isOfPage(each)),
  );
  const one = running.find(({ id }) => id === mine) ?? (running.length === 1 ? running[0] : undefined);
  if (running.length === 0 || execution.run.value !== null) return running.length > 0;
  const others = one ? running.length - 1 : running.length;
  const show = { label: "Show the executions", run: showExecutions };
  notify({
    kind: "reload",
    text: one
      ? `The run of “${one.machine}” was not over when the page was closed${one.waits[0] === undefined ? "" : `: ${one.waits[0]} waits for an answer`}.` +
        (others > 0 ? ` So ${others === 1 ? "was another one" : `were ${others} others`}.` : "")
      : `${others} runs were not over when the page was closed.`,
    actions: one ? [{ label: "Continue", run: () => void resume(one.id) }, show] : [show],
    // A user who has dismissed the notice does not want to see it with each load.
    dismissed: () => void mark(running, { left: true }),
  });
  void mark(running, { offered: true });
  return true;
}

/** Returns whether the machine of an execution is the one on the page. */
export function isOfPage({ draft, example }: StoredExecution): boolean {
  const here = currentDraft();
  return here === undefined ? example !== undefined && example === opening.opened.source.example : draft === here;
}

/** Changes the records of executions that no tab runs. */
async function mark(records: readonly StoredExecution[], change: Partial<StoredExecution>): Promise<void> {
  for (const { id } of records) {
    const record = (await listStored().catch(() => [])).find((one) => one.id === id);
    // It may have been resumed meanwhile.
    if (record && !isOwn(id)) await writeStored({ ...record, ...change }).catch(() => {});
  }
}
