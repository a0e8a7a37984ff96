// Which event of the run is on the screen, where that is not the last; and the way back to where the run is.

import { canStep, fork } from "../debugger/session.ts";
import { keyHint } from "../keys/keymap.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import { Icon } from "../ui/Icon.tsx";
import { follow } from "./viewport.ts";

export function LookingBack() {
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

/// The view does not go along with what is played, because somebody has moved it: it may again.
export function Follow() {
  const played = playback.live.value && (execution.busy.value || playback.cursor.value < execution.eventCount.value);
  if (follow.value || !played) return null;
  return (
    <button type="button" class="small follow" title="Keep the state that runs in sight" onClick={() => (follow.value = true)}>
      <Icon name="target" size={14} /> Follow
    </button>
  );
}
