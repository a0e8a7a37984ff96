// Shows which event of the run is selected if it is not the last one, with a button that returns to the present.

import { canStep, fork } from "../debugger/session.ts";
import { keyHint } from "../keys/keymap.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import { Icon } from "../ui/Icon.tsx";
import { follow } from "./viewport.ts";

export function PastEvent() {
  if (execution.run.value === null || playback.live.value || playback.cursor.value === execution.eventCount.value) return null;
  return (
    <p class="banner info">
      <span>
        Viewing event <b>{playback.cursor.value}</b> of {execution.eventCount.value}
      </span>
      {canStep() && (
        <button type="button" class="link" onClick={() => fork()}>
          Fork here
        </button>
      )}
      <button type="button" class="link" onClick={playback.returnToLive}>
        Return to live<span class="label">{keyHint("live")}</span>
      </button>
    </p>
  );
}

/** A button that lets the view follow the replay again after the user has moved it. */
export function Follow() {
  const played = playback.live.value && (execution.busy.value || playback.cursor.value < execution.eventCount.value);
  if (follow.value || !played) return null;
  return (
    <button type="button" class="small follow" title="Keep the state that runs in sight" onClick={() => (follow.value = true)}>
      <Icon name="target" size={14} /> Follow
    </button>
  );
}
