// The strip over a recorded execution: whether the definition reproduces it, and a button that debugs it.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { fill, namesIn } from "../model/placeholders.ts";
import type { ReplayReport } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as recordings from "../store/recordings.ts";
import { showAlarm } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { count, iterationPath, unticked } from "../ui/format.ts";
import { latestOnly } from "../ui/latestOnly.ts";

export function RecordedStrip() {
  const run = execution.run.value;
  if (run?.recorded !== undefined && workspace.sketched.value !== null) return <Sketched name={run.recorded} />;
  if (run?.recorded !== undefined && run.phase === "ended" && run.id > 0) return <Replay key={run.id} name={run.recorded} />;
  const answers = workspace.recordedAnswers.value;
  if (answers === null) return null;
  return (
    <div class="strip recorded" role="region" aria-label="Recorded execution">
      <Icon name="replay" />
      <span>
        Tasks answer as they did in the execution <b>{answers.title}</b>: {count(answers.tasks.length, "recorded call")}.
      </span>
      <button type="button" onClick={() => workspace.edit({ recordedAnswers: null })}>
        Use handlers and mocks again
      </button>
    </div>
  );
}

/** Shown if the history came without a definition, so that there is nothing to compare it with. */
function Sketched({ name }: { name: string }) {
  const again = (): void => {
    const recorded = workspace.sketched.value!;
    workspace.edit({ sketched: null });
    void recordings.showRecorded(recorded).catch((error: Error) => showAlarm(error.message));
  };
  return (
    <div class="strip recorded" role="region" aria-label="Recorded execution">
      <Icon name="replay" />
      <p class="recorded-words">
        Recorded execution <b>{name}</b>, nothing was run here. Its definition is not in the file: the graph shows the states that the
        history tells of. Import or paste the definition to compare it and to debug with the recorded answers.
      </p>
      {execution.changedSince.value ? (
        <button type="button" class="primary" onClick={again}>
          Show it on this definition
        </button>
      ) : (
        <button type="button" onClick={() => panes.openDialog("import")}>
          Open the definition…
        </button>
      )}
    </div>
  );
}

/** Returns the result of a replay on this definition, or why there is none. */
function useReplay(): { found: ReplayReport | null; problem: string } {
  const report = useSignal<ReplayReport | null>(null);
  const problem = useSignal("");
  useEffect(
    () =>
      latestOnly(
        recordings.replayRecorded(),
        (found) => (report.value = found),
        ({ message }) => (problem.value = message),
      ),
    [],
  );
  return { found: report.value, problem: problem.value };
}

function outcomeOf(found: ReplayReport | null, problem: string): string {
  if (problem !== "") return `It cannot be replayed: ${problem}`;
  if (!found) return "Replaying…";
  if (found.matches)
    return `Replayed with its recorded answers, this definition matches: ${count(found.compared, "event")} compared${found.unreproducible > 0 ? `, ${count(found.unreproducible, "value")} that differ in every run` : ""}.`;
  const [first] = found.divergences;
  return first
    ? `Replayed with its recorded answers, it diverges${first.state ? ` in ${first.state}` : ""}${first.iterations?.length ? ` ${iterationPath(first.iterations)}` : ""}: ${unticked(first.message)}`
    : "";
}

/** The gaps of the recording. */
function Gaps({ missing }: { missing: ReplayReport["missing"] }) {
  return (
    <details>
      <summary>{count(missing.length, "gap")} of the recording</summary>
      <ul>
        {missing.slice(0, 20).map(({ event, message }, i) => (
          <li key={i}>
            {event === undefined ? "" : `Event ${event}: `}
            {message}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Replay({ name }: { name: string }) {
  const { found, problem } = useReplay();
  const [first, ...others] = found?.divergences ?? [];
  // Only placeholders that are still in the text are listed.
  const open = namesIn(workspace.definition.value).filter((name) => found?.filled[name] !== undefined);
  const tone = first ? "warn" : "";
  return (
    <div class={`strip recorded ${tone}`} role="region" aria-label="Recorded execution">
      <Icon name={first ? "warning" : "replay"} />
      <div class="recorded-words" role="status">
        <p>
          Recorded execution <b>{name}</b>. Nothing was run here. {outcomeOf(found, problem)}
        </p>
        {first?.reason && <p class="quiet">{unticked(first.reason)}</p>}
        {others.length > 0 && <p class="quiet">{count(others.length, "more divergence")} in other branches and iterations.</p>}
        {open.length > 0 && (
          <p class="quiet">
            {open.length === 1 ? "A placeholder has" : `${open.length} placeholders have`} the value of the history: {open.join(", ")}.
          </p>
        )}
        {found && found.missing.length > 0 && <Gaps missing={found.missing} />}
      </div>
      {first?.event !== undefined && (
        <button
          type="button"
          onClick={() => {
            panes.chooseDock("events");
            playback.selectEvent(first.event!, first.state ?? null, "page");
          }}
        >
          Show event {first.event}
        </button>
      )}
      {open.length > 0 && (
        <button
          type="button"
          onClick={() =>
            workspace.edit({ definition: fill(workspace.definition.value, new Map(open.map((name) => [name, found!.filled[name]!]))) })
          }
        >
          Fill {open.length === 1 ? "it" : "them"} in
        </button>
      )}
      {found && (
        <button type="button" class="primary" onClick={() => void recordings.debugRecorded(name, found)}>
          <Icon name="play" /> Debug with its answers
        </button>
      )}
    </div>
  );
}
