// The actions for an edited definition; on a phone also the position at which the run is paused.

import * as execution from "../store/execution.ts";
import { PausedWhere } from "./Toolbar.tsx";
import * as model from "./model.ts";
import * as session from "./session.ts";

export function PauseLine({ narrow = false }: { narrow?: boolean }) {
  const at = model.position.value;
  const run = execution.run.value;
  if (!run || !at || (run.phase !== "paused" && run.phase !== "ended")) return null;
  const report = session.edit.value;
  const changed = execution.changedSince.value && !execution.detached.value && run.recorded === undefined;
  const other = report !== null && !report.same;
  if (!changed && !other && !(narrow && run.phase === "paused")) return null;
  return (
    <section class="pause-line" aria-label="Paused run">
      {narrow && <PausedWhere />}
      {other && (
        <span>
          The edited definition takes a different path: event {report.event} is {report.now} <span class="quiet">(was {report.was})</span>.{" "}
          <button type="button" class="link strong" onClick={session.continueEdited}>
            Continue from here
          </button>{" "}
          <button type="button" class="link" onClick={session.backToOld}>
            Back to the old definition
          </button>
        </span>
      )}
      {changed && (
        <span>
          The definition was edited.{" "}
          <button type="button" class="link strong" onClick={() => void session.applyDefinition()}>
            Apply and stay here
          </button>
        </span>
      )}
    </section>
  );
}
