// Help, examples, sharing, settings, and the question before code from a link runs.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as prefs from "../prefs.ts";
import type { Workspace } from "../share.ts";
import * as store from "../store.ts";
import { Dialog } from "./Dialog.tsx";
import { Icon } from "./Icon.tsx";
import { MOD, count } from "./format.ts";

const close = (): void => {
  store.dialog.value = "";
};

export function Dialogs() {
  switch (store.dialog.value) {
    case "help":
      return <Help />;
    case "examples":
      return <Examples />;
    case "share":
      return <Share />;
    case "trust":
      return <Trust />;
    case "settings":
      return <Settings />;
    default:
      return null;
  }
}

const KEYS: [string, [string, string[]][]][] = [
  ["Run", [
    ["Run", [`${MOD} Enter`, "F8"]],
    ["Let time pass to the next timer", ["F8"]],
    ["Stop", ["Ctrl F2"]],
    ["One event back, on", ["Alt [", "Alt ]"]],
  ]],
  ["Anywhere", [
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
    ["By first letter", ["A … Z"]],
    ["Pan", ["Shift ↑ ↓ ← →"]],
    ["Zoom", [`${MOD} +`, `${MOD} −`]],
    ["Fit, 100 %", ["Shift 1", "Shift 0"]],
  ]],
  ["Editor", [
    ["Complete", ["Ctrl Space"]],
    ["Quick fix: open the problem, then its button", ["Ctrl Shift M"]],
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

interface Example extends Workspace {
  lesson: string;
  features: string[];
}

function Examples() {
  const examples = useSignal<Example[] | null>(null);
  const failed = useSignal("");
  useEffect(() => {
    import("../examples/index.ts").then(
      (module) => (examples.value = module.examples),
      (error: Error) => (failed.value = error.message),
    );
  }, []);
  const open = (workspace: Workspace): void => {
    close();
    store.open(workspace, true);
    store.say(`Opened ${workspace.title}`);
  };
  return (
    <Dialog title="Examples" close={close} wide>
      {failed.value && <p class="is-bad">The examples could not be loaded: {failed.value}</p>}
      <ul class="gallery">
        {examples.value?.map((example) => (
          <li key={example.title}>
            <button type="button" aria-current={example.title === store.title.value ? "true" : undefined} onClick={() => open(example)}>
              <span class="gallery-title">{example.title}</span>
              <span class="gallery-lesson">{example.lesson}</span>
              <span class="gallery-tags">
                {example.features.map((feature) => (
                  <span key={feature} class="tag">
                    {feature}
                  </span>
                ))}
              </span>
            </button>
          </li>
        ))}
        <li>
          <button type="button" onClick={() => open({ title: "Untitled", format: "json", definition: "", input: "{}", tasks: "", clock: "skip", seed: 1 })}>
            <span class="gallery-title">
              <Icon name="plus" size={14} /> Empty
            </span>
            <span class="gallery-lesson">Begin with nothing. Paste a definition, or write one with the editor's help.</span>
          </button>
        </li>
      </ul>
      {store.recent.value.length > 0 && (
        <>
          <h3>Recent drafts in this browser</h3>
          <ul class="recent">
            {store.recent.value.map((draft, i) => (
              <li key={i}>
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    close();
                    store.open(draft, false);
                  }}
                >
                  {draft.title}
                </button>
                <span class="quiet">{count(draft.definition.length, "character")}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

function Share() {
  const withInput = useSignal(true);
  const withTasks = useSignal(true);
  const link = useSignal("");
  useEffect(() => {
    void store.shareLink({ input: withInput.value, tasks: withTasks.value }).then((made) => (link.value = made));
  }, [withInput.value, withTasks.value, store.title.value]);
  const { length } = link.value;
  return (
    <Dialog
      title="Share"
      close={close}
      footer={
        <button
          type="button"
          class="primary"
          disabled={link.value === ""}
          onClick={() =>
            void navigator.clipboard.writeText(link.value).then(
              () => {
                close();
                store.showToast("Link copied.");
              },
              () => store.showToast("The browser did not allow copying: copy the link from its field."),
            )
          }
        >
          <Icon name="copy" /> Copy the link
        </button>
      }
    >
      <p>The link holds all of it in the part after the hash, which browsers send to no server. Who opens it sees your texts; nothing runs by itself.</p>
      <label class="stack title-field">
        <span>Title</span>
        <input value={store.title.value} maxLength={200} onInput={(event) => (store.title.value = event.currentTarget.value || "Untitled")} />
      </label>
      <p class="checks">
        <label>
          <input type="checkbox" checked disabled /> Definition
        </label>
        <label>
          <input type="checkbox" checked={withInput.value} onChange={(event) => (withInput.value = event.currentTarget.checked)} /> Input
        </label>
        <label>
          <input type="checkbox" checked={withTasks.value} onChange={(event) => (withTasks.value = event.currentTarget.checked)} /> Tasks
        </label>
      </p>
      <label class="stack">
        <span>Link</span>
        <textarea readOnly rows={4} value={link.value} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <p class="quiet">
        {count(length, "character")}.{length > 8000 ? " That is very long: a file is the safer way." : length > 2000 ? " Some chats cut links of this length." : ""}
      </p>
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
            store.showToast("Drafts and settings of this browser are forgotten.");
          }}
        >
          Forget everything kept in this browser
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
