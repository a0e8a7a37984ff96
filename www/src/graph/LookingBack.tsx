// Which event of the run is on the screen, where that is not the last.

import { canStep, fork } from "../debugger/session.ts";
import { keyHint } from "../keys/keymap.ts";
import * as store from "../store.ts";

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
