// What this browser remembers of the page, and forgetting it.

import { forgetOffline } from "../offline.ts";
import * as prefs from "../prefs.ts";
import * as store from "../store.ts";
import { Dialog } from "../ui/Dialog.tsx";

const close = (): void => {
  store.dialog.value = "";
};

export default function Settings() {
  return (
    <Dialog title="Settings" close={close}>
      <div class="settings">
        <label>
          <span>Theme</span>
          <select value={prefs.theme.value} onChange={(event) => (prefs.theme.value = event.currentTarget.value as prefs.Theme)}>
            <option value="system">As the system</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
            <option value="contrast">High contrast</option>
          </select>
        </label>
        <label>
          <span>The machine as</span>
          <select value={prefs.graphMode.value} onChange={(event) => (prefs.graphMode.value = event.currentTarget.value as "graph" | "table")}>
            <option value="graph">Graph</option>
            <option value="table">Table</option>
          </select>
        </label>
        <Check label="Animate runs" help="Off, everything is shown at once. The system's wish for less motion always counts." held={prefs.animate} />
        <Check label="Commands above each state" help="Run to here, Rerun from here, Mock, in the definition. Not on small screens." held={prefs.lenses} />
        <Check label="Values in the definition" help="While a run is paused: what the paths and expressions of its state are." held={prefs.inlineValues} />
        <Check label="Follow the pause" help="The definition is scrolled to where a run is paused." held={prefs.followPause} />
        <Check label="Ask me for tasks without a handler" help="Off, they fail, as the package does." held={prefs.askMissing} />
        <Check label="Keys of one character" help="As ? for the help, and [ ] for a Map's iterations." held={prefs.singleKeys} />
      </div>
      <p>
        <button type="button" onClick={() => (store.dialog.value = "keys")}>
          Change keys…
        </button>
      </p>
      <p>
        <button
          type="button"
          class="danger"
          onClick={() => {
            prefs.forgetAll();
            store.forgetDrafts();
            void forgetOffline();
            store.showToast("Drafts, settings and the page's files kept in this browser are forgotten.");
          }}
        >
          Clear everything kept in this browser
        </button>
      </p>
    </Dialog>
  );
}

function Check({ label, help, held }: { label: string; help: string; held: { value: boolean } }) {
  return (
    <label class="check">
      <input type="checkbox" checked={held.value} onChange={(event) => (held.value = event.currentTarget.checked)} />
      <span>
        {label}
        <span class="quiet">{help}</span>
      </span>
    </label>
  );
}
