// The settings that this browser stores, and a button that deletes them.

import { removeOffline } from "../offline.ts";
import * as prefs from "../prefs.ts";
import { forgetProjects } from "../projects/storedProjects.ts";
import * as panes from "../store/panes.ts";
import { showToast } from "../store/notifications.ts";
import { forgetDrafts } from "../exchange/persistence.ts";
import { Dialog } from "../ui/Dialog.tsx";

const close = (): void => {
  panes.closeDialog();
};

/** Deletes everything that the page has stored. */
function forget(): void {
  prefs.forgetAll();
  forgetDrafts();
  void removeOffline();
  void import("../exchange/executions.ts").then(({ forgetExecutions }) => forgetExecutions());
  void forgetProjects().catch(() => {});
  showToast("Drafts, projects, executions, settings and the page's files were removed from this browser.");
}

export default function Settings() {
  return (
    <Dialog title="Settings" close={close}>
      <div class="settings">
        <label>
          <span>Theme</span>
          <select value={prefs.theme.value} onChange={(event) => (prefs.theme.value = event.currentTarget.value as prefs.Theme)}>
            <option value="system">Same as the system</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
            <option value="contrast">High contrast</option>
          </select>
        </label>
        <label>
          <span>Show the state machine as</span>
          <select
            value={prefs.graphMode.value}
            onChange={(event) => (prefs.graphMode.value = event.currentTarget.value as "graph" | "table")}
          >
            <option value="graph">Graph</option>
            <option value="table">Table</option>
          </select>
        </label>
        <Check
          label="Animate runs"
          help="When off, everything appears at once. The system's setting for reduced motion always applies."
          held={prefs.animate}
        />
        <Check
          label="Commands above each state"
          help="Run to here, Rerun from here, Mock, in the definition. Not on small screens."
          held={prefs.lenses}
        />
        <Check
          label="Values in the definition"
          help="Shows the values of a state's paths and expressions while a run is paused in it."
          held={prefs.inlineValues}
        />
        <Check label="Scroll to the paused state" help="Scrolls the definition to where the run is paused." held={prefs.followPause} />
        <Check
          label="Ask me for tasks without a handler"
          help="When off, such tasks fail, as they do in the package."
          held={prefs.askMissing}
        />
        <Check label="Single-character keys" help="For example ? for the help, and [ ] for Map iterations." held={prefs.singleKeys} />
      </div>
      <p>
        <button type="button" onClick={() => panes.openDialog("keys")}>
          Change keys…
        </button>
      </p>
      <p>
        <button type="button" class="danger" onClick={forget}>
          Clear everything saved in this browser
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
