// Which event of the run is on the screen, where that is not the last; and the way back to where the run is.

import { canStep, fork } from "../debugger/session.ts";
import { keyHint } from "../keys/keymap.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";
import { follow } from "./viewport.ts";

export function LookingBack() {
  if (store.run.value === null || store.live.value || store.cursor.value === store.eventCount.value) return null;
  return (
    <p class="banner info">
      <span>
        Viewing event <b>{store.cursor.value}</b> of {store.eventCount.value}
      </span>
      {canStep() && (
        <button type="button" class="link" onClick={() => fork()}>
          Fork here
        </button>
      )}
      <button type="button" class="link" onClick={store.returnToLive}>
        Return to live<span class="label">{keyHint("live")}</span>
      </button>
    </p>
  );
}

/// The view does not go along with what is played, because somebody has moved it: it may again.
export function Follow() {
  const played = store.live.value && (store.busy.value || store.cursor.value < store.eventCount.value);
  if (follow.value || !played) return null;
  return (
    <button type="button" class="small follow" title="Keep the state that runs in sight" onClick={() => (follow.value = true)}>
      <Icon name="target" size={14} /> Follow
    </button>
  );
}
