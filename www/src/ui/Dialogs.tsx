// Help, examples, sharing, settings, and the question before code from a link runs.

import { Palette } from "../debugger/Palette.tsx";
import { Lazy } from "../dialogs/Lazy.tsx";
import { forgetOffline } from "../offline.ts";
import * as prefs from "../prefs.ts";
import * as store from "../store.ts";
import { Dialog } from "./Dialog.tsx";
import { Icon } from "./Icon.tsx";
import { MOD } from "./format.ts";

const gallery = () => import("../dialogs/Gallery.tsx");
const share = () => import("../dialogs/Share.tsx");
const bring = () => import("../dialogs/Import.tsx");
const take = () => import("../dialogs/Export.tsx");

const close = (): void => {
  store.dialog.value = "";
};

export function Dialogs() {
  switch (store.dialog.value) {
    case "help":
      return <Help />;
    case "examples":
      return <Lazy load={gallery} />;
    case "share":
      return <Lazy load={share} />;
    case "import":
      return <Lazy load={bring} />;
    case "export":
      return <Lazy load={take} />;
    case "trust":
      return <Trust />;
    case "palette":
      return <Palette />;
    case "settings":
      return <Settings />;
    default:
      return null;
  }
}

const KEYS: [string, [string, string[]][]][] = [
  ["Run", [
    ["Run", [`${MOD} Enter`]],
    ["Continue, pause", ["F8", `${MOD} \\`]],
    ["Run to the end, past breakpoints", ["Shift F8"]],
    ["Let time pass to the next timer", [`${MOD} Alt .`]],
    ["Restart", [`${MOD} Shift Enter`]],
    ["Stop", [`${MOD} F2`]],
  ]],
  ["Debug", [
    ["Step over", ["F10", `${MOD} '`]],
    ["Step into", ["F11", `${MOD} ;`]],
    ["Step out", ["Shift F11", `${MOD} Shift ;`]],
    ["One stage of the data flow", [`${MOD} F11`, `${MOD} Shift '`]],
    ["Back, on", ["Alt [", "Alt ]"]],
    ["Back to the breakpoint before", ["Alt Shift ["]],
    ["Run to the selected state", [`${MOD} F10`]],
    ["Breakpoint, edit it", ["F9", "Shift F9"]],
    ["Breakpoints on or off", [`${MOD} F8`]],
    ["Map iteration before, after", ["[", "]"]],
  ]],
  ["Anywhere", [
    ["All commands", [`${MOD} K`, "F1"]],
    ["Next pane, pane before", ["Ctrl F6", "Ctrl Shift F6"]],
    ["Next problem, problem before", ["F4", "Shift F4"]],
    ["Copy a link", [`${MOD} S`]],
    ["This list", ["?"]],
  ]],
  ["Graph", [
    ["Along the transitions, to neighbours", ["↑", "↓", "←", "→"]],
    ["Into a Parallel or Map; to the definition", ["Enter"]],
    ["Out of it", ["Esc"]],
    ["Fold, unfold", ["−", "+"]],
    ["By first letter, by search", ["A … Z", "/"]],
    ["Menu of the state", ["Shift F10"]],
    ["Pan", ["Space ↑ ↓ ← →", "Shift ↑ ↓ ← →"]],
    ["Zoom", [`${MOD} +`, `${MOD} −`]],
    ["Fit, 100 %", ["Shift 1", "Shift 0"]],
  ]],
  ["Editor", [
    ["Complete", ["Ctrl Space"]],
    ["Quick fix", [`${MOD} .`]],
    ["Where a name is given, all its places", ["F12", "Shift F12"]],
    ["Rename a state or variable everywhere", ["F2"]],
    ["Go to a state", [`${MOD} Shift O`]],
    ["Lay the text out", ["Shift Alt F"]],
    ["Indent, less", [`${MOD} ]`, `${MOD} [`]],
    ["Find", [`${MOD} F`]],
    ["Undo, redo", [`${MOD} Z`, `${MOD} Y`]],
  ]],
  ["Events", [
    ["Choose", ["↑", "↓", "PgUp", "PgDn", "Home", "End"]],
    ["Back to the end of the run", ["Esc"]],
  ]],
];

function Help() {
  return (
    <Dialog title="Help" close={close} wide>
      <p>
        Write a state machine in Amazon States Language, give it an input, and run it here. Everything happens in this tab: nothing is sent anywhere.
        Tasks are answered by your JavaScript, or by you.
      </p>
      <div class="keys">
        {KEYS.map(([title, rows]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([what, keys]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Trust() {
  return (
    <Dialog
      title="Run this link's code?"
      close={close}
      footer={
        <>
          <button
            type="button"
            onClick={() => {
              close();
              store.leftTab.value = "tasks";
              store.narrowTab.value = "code";
            }}
          >
            Look at it first
          </button>
          <button
            type="button"
            class="primary"
            onClick={() => {
              store.tasksTrusted.value = true;
              close();
              void store.start();
            }}
          >
            <Icon name="play" /> Run it
          </button>
        </>
      }
    >
      <p>The task handlers came with a link and are somebody else's JavaScript.</p>
      <p class="quiet">They run in a sandbox: no network, no storage, no access to this page, and they are stopped when they do not yield.</p>
    </Dialog>
  );
}

function Settings() {
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
        <Check label="Ask me for tasks without a handler" help="Off, they fail, as the package does." held={prefs.askMissing} />
        <Check label="Keys of one character" help="The ? that opens the help." held={prefs.singleKeys} />
      </div>
      <p>
        <button
          type="button"
          class="danger"
          onClick={() => {
            prefs.forgetAll();
            store.recent.value = [];
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
