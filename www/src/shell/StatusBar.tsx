import { Countdown } from "../panes/Dock.tsx";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import * as workspace from "../store/workspace.ts";
import { position, stopWords } from "../debugger/model.ts";
import { Icon } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";

/// On a phone only what cannot be left out.
export function StatusBar({ narrow = false }: { narrow?: boolean }) {
  const run = execution.run.value;
  const engine = interpreter.engine.value;
  const [text, tone, icon] =
    engine === "broken"
      ? (["The interpreter is not loaded", "bad", "error"] as const)
      : engine === "loading"
        ? (["Loading the interpreter…", "", "clock"] as const)
        : !run && analysis.errorCount.value > 0
          ? ([`${count(analysis.errorCount.value, "error")} in the definition`, "bad", "error"] as const)
          : !run
            ? (["Ready", "", "check"] as const)
            : run.refused
              ? (["Not started", "bad", "error"] as const)
              : run.phase === "paused"
                ? ([
                    `Paused ${stopWords.value}${position.value?.stop.reason === "breakpoint" ? " (breakpoint)" : ""}`,
                    "warn",
                    "pause",
                  ] as const)
                : run.phase !== "ended" || (playback.live.value && playback.cursor.value < execution.eventCount.value)
                  ? execution.waiting.value.length > 0
                    ? ([
                        `Waiting for your answer: ${execution.waiting.value
                          .map((task) => task.state)
                          .slice(0, 3)
                          .join(", ")}`,
                        "accent",
                        "hand",
                      ] as const)
                    : (["Running", "accent", "play"] as const)
                  : run.result?.status === "SUCCEEDED"
                    ? (["Succeeded", "good", "check"] as const)
                    : ([
                        `${run.result?.status === "ABORTED" ? "Stopped" : run.result?.status === "TIMED_OUT" ? "Timed out" : "Failed"}${run.result?.error && run.result.status === "FAILED" ? `: ${run.result.error}` : ""}`,
                        "bad",
                        "cross",
                      ] as const);
  const found = analysis.latest.value;
  return (
    <footer class="status-bar">
      <span class={`status-text ${tone}`} title={text}>
        <Icon name={icon} size={13} /> <span>{text}</span>
      </span>
      {run?.phase === "running" && <Countdown />}
      {run && run.clock !== "real" && !narrow && (
        <span class="tag" title="The run has a clock of its own, which can skip waits">
          virtual time
        </span>
      )}
      <span class="gap" />
      {narrow ? (
        found && found.diagnostics.length > 0 && <span>{count(found.diagnostics.length, "problem")}</span>
      ) : (
        <>
          {analysis.graph.value && <span>{count(analysis.graph.value.stateCount, "state")}</span>}
          {found && <span>{found.diagnostics.length === 0 ? "no problems" : count(found.diagnostics.length, "problem")}</span>}
          <span>{workspace.format.value.toUpperCase()}</span>
          {found && <span title="Time to parse, check and lay out the definition">checked in {found.took.toFixed(1)} ms</span>}
          {interpreter.engineVersion.value && <span>v{interpreter.engineVersion.value}</span>}
        </>
      )}
    </footer>
  );
}
