// Shows the machine and the status of its run in the title of the browser's tab.

import { effect } from "@preact/signals";
import { pausedState } from "../debugger/model.ts";
import { outcomeWord } from "../model/log.ts";
import { errorCount } from "../store/analysis.ts";
import { run, waiting } from "../store/execution.ts";
import { title } from "../store/workspace.ts";

function status(): string {
  const state = run.value;
  if (state?.phase === "paused") return `paused${pausedState.value === null ? "" : ` in ${pausedState.value}`}`;
  if (state?.phase === "running") return waiting.value.length > 0 ? "waits for your answer" : "running";
  if (state?.refused) return "not started";
  if (state?.result) return outcomeWord(state.result.status).toLowerCase();
  const count = errorCount.value;
  return count > 0 ? `${count} problem${count === 1 ? "" : "s"}` : "";
}

effect(() => {
  const words = status();
  document.title = `${title.value}${words ? ` · ${words}` : ""} · Stepglass`;
});
