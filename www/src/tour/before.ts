// What was on the page before the tour. The tour works on machines of its own, and leaves neither them nor their runs behind.

import { forgetRuns, onScreen, view } from "../exchange/executions.ts";
import { readDraft } from "../exchange/drafts.ts";
import { openDraft, saveNow } from "../exchange/persistence.ts";
import type { Workspace } from "../model/share.ts";
import * as prefs from "../prefs.ts";
import * as execution from "../store/execution.ts";
import * as opening from "../store/opening.ts";
import * as runner from "../store/runner.ts";
import * as workspace from "../store/workspace.ts";

interface Before {
  draft: string | undefined;
  source: opening.Source;
  whole: Workspace;
  trusted: boolean;
  graphMode: typeof prefs.graphMode.value;
  run: string | null;
}

let before: Before | undefined;
/** The machine of the tour that is on the page. */
let own: Workspace | undefined;

/** Remembers what is on the page, unless that is the tour's. */
export function remember(): void {
  if (before) return;
  const draft = saveNow();
  before = {
    draft,
    source: opening.opened.source,
    whole: workspace.current(),
    trusted: workspace.tasksTrusted.peek() && workspace.mocksTrusted.peek(),
    graphMode: prefs.graphMode.peek(),
    run: onScreen.peek(),
  };
}

/** Opens a machine of the tour, and removes the runs of the one before. */
export async function openOwn(machine: Workspace, example: string): Promise<void> {
  if (isOwn()) await removeRuns();
  prefs.graphMode.value = "graph";
  opening.open(machine, true, { example });
  own = opening.opened.as;
}

/** Returns whether the page still has the tour's machine as it was opened. What the user has opened or written meanwhile stays. */
const isOwn = (): boolean => own !== undefined && opening.opened.as === own && !opening.isTouched();

async function removeRuns(): Promise<void> {
  if (execution.busy.peek()) runner.stop();
  await forgetRuns();
}

/** Brings back what was on the page, with its run. */
export async function restore(): Promise<void> {
  const then = before;
  before = undefined;
  if (!then || !isOwn()) return;
  await removeRuns();
  own = undefined;
  prefs.graphMode.value = then.graphMode;
  const draft = readDraft(then.draft);
  if (draft) openDraft(draft);
  else {
    const { examples } = await import("../examples/index.ts");
    const example = examples.find(({ id }) => id === then.source.example);
    opening.open(example ?? then.whole, example ? true : then.trusted, then.source);
  }
  if (then.run !== null) await view(then.run);
}
