// The status bar at the bottom: the status of the run, the definition and the interpreter.

import { outcomeTone, resultWords } from "../model/log.ts";
import { Countdown } from "../panes/Dock.tsx";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import * as workspace from "../store/workspace.ts";
import { position, stopWords } from "../debugger/model.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { TONE_ICON } from "../ui/tone.ts";

type Said = readonly [text: string, tone: "" | "good" | "bad" | "warn" | "accent", icon: IconName];

/** Returns the first text of the bar: the status of the interpreter, the definition, or the run. */
function status(): Said {
  const run = execution.run.value;
  const engine = interpreter.engine.value;
  if (engine === "broken") return ["The interpreter is not loaded", "bad", "error"];
  if (engine === "loading") return ["Loading the interpreter…", "", "clock"];
  // The problems are counted at the end of the bar.
  if (!run) return analysis.errorCount.value > 0 ? ["Not ready", "", "pause"] : ["Ready", "", "check"];
  if (run.refused) return ["Not started", "bad", "error"];
  if (run.phase === "paused")
    return [`Paused ${stopWords.value}${position.value?.stop.reason === "breakpoint" ? " (breakpoint)" : ""}`, "warn", "pause"];
  if (run.phase !== "ended") {
    const waiting = execution.waiting.value.slice(0, 3).map(({ state }) => state);
    return waiting.length > 0 ? [`Waiting for your answer: ${waiting.join(", ")}`, "accent", "hand"] : ["Running", "accent", "play"];
  }
  // A history may have been recorded before its execution ended.
  const result = run.result ?? { status: "RUNNING" };
  const tone = outcomeTone(result.status);
  return [resultWords(result), tone, result.status === "RUNNING" ? "clock" : TONE_ICON[tone]];
}

/** The number of the problems, which are listed below the definition. */
function ProblemCount() {
  const all = analysis.problems.value.length;
  const errors = analysis.errorCount.value;
  if (all === 0) return null;
  const show = (): void => {
    prefs.problemsOpen.value = true;
    panes.showLeft("definition");
  };
  return (
    <button type="button" class={`link ${errors > 0 ? "is-bad" : "is-warn"}`} title="Show the problems" onClick={show}>
      {errors > 0 ? count(errors, "error") : count(all, "warning")}
    </button>
  );
}

/** A phone shows only what is essential. */
export function StatusBar({ narrow = false }: { narrow?: boolean }) {
  const run = execution.run.value;
  const [text, tone, icon] = status();
  const found = analysis.latest.value;
  return (
    <footer class="status-bar">
      <span class={`status-text ${tone}${run?.phase === "paused" && !narrow ? " pause-where" : ""}`} title={text}>
        <Icon name={icon} size={13} /> <span>{text}</span>
      </span>
      {run?.phase === "running" && <Countdown />}
      {run && run.clock !== "real" && !narrow && (
        <span class="tag" title="The run has a clock of its own, which can skip waits">
          virtual time
        </span>
      )}
      <span class="gap" />
      <ProblemCount />
      {!narrow && (
        <>
          {analysis.graph.value && <span>{count(analysis.graph.value.stateCount, "state")}</span>}
          <span>{workspace.format.value.toUpperCase()}</span>
          {found && <span title="Time to parse, check and lay out the definition">checked in {found.took.toFixed(1)} ms</span>}
          {interpreter.engineVersion.value && <span>v{interpreter.engineVersion.value}</span>}
        </>
      )}
    </footer>
  );
}
