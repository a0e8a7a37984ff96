// Removes the message why a run did not start as soon as one of its texts changes.

import { effect, untracked } from "@preact/signals";
import { type RunState, mockProblems, run } from "../store/execution.ts";
import { clearRun } from "../store/runner.ts";
import * as workspace from "../store/workspace.ts";

export function heedRefusals(): void {
  let refused: { run: RunState; texts: readonly unknown[] } | undefined;
  effect(() => {
    const now = run.value;
    const { definition, format, input, tasks, machines, broughtMocks, config } = workspace;
    const texts = [definition, format, input, tasks, machines, broughtMocks, config, mockProblems].map(({ value }) => value);
    if (now?.refused === undefined || now.id !== 0) refused = undefined;
    else if (refused?.run !== now) refused = { run: now, texts };
    else if (texts.some((text, i) => text !== refused!.texts[i])) untracked(clearRun);
  });
}
