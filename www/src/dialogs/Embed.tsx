// The machine as an element for another page: its HTML, to copy.

import { useComputed, useSignal } from "@preact/signals";
import { type Embedded, snippetOf } from "../exchange/embed.ts";
import { showToast } from "../store/notifications.ts";
import type { Workspace } from "../model/share.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { lazy } from "../ui/lazy.tsx";
import { count } from "../ui/format.ts";
import { Part } from "./Part.tsx";

export function Embed() {
  const options = useSignal({ input: true, mocks: true, editable: false, runs: true });
  const script = useSignal("node_modules/stepglass/dist/debugger.js");
  const now = useComputed(() => workspace.current()).value;
  const { mocks = {}, machines = [] } = now;
  const code = now.tasks.trim() !== "" || workspace.hasCode(mocks);
  const embedded = embeddedOf(now, options.value);
  const html = snippetOf({ ...embedded, script: script.value });
  const check = (name: keyof typeof options.value, label: string, there = true) => (
    <Part label={label} there={there} chosen={options.value[name]} choose={(on) => (options.value = { ...options.value, [name]: on })} />
  );
  const { runs } = options.value;
  const number = Object.keys(mocks).length;
  return (
    <>
      <p>
        The element <code>&lt;stepglass-debugger&gt;</code> of the package stepglass shows this machine on any page. It needs no server.
      </p>
      <fieldset class="checks">
        <legend>What its visitors can do</legend>
        {check("runs", "Run it and step through it")}
        {check("editable", "Change it")}
      </fieldset>
      <fieldset class="checks">
        <legend>What is in it</legend>
        {check("input", "Input", runs && now.input.trim() !== "")}
        {check("mocks", number > 0 ? `Mocks (${number})` : "Mocks", runs && number > 0)}
      </fieldset>
      {runs && (code || machines.length > 0) && (
        <p class="quiet">
          {code ? "Task handlers in JavaScript do not go along: the page does these tasks, or asks its visitors. " : ""}
          {machines.length > 0 ? "The machines that tasks start do not go along either." : ""}
        </p>
      )}
      <label class="stack">
        <span>Address of debugger.js on the page</span>
        <input value={script.value} spellcheck={false} onInput={(event) => (script.value = event.currentTarget.value)} />
      </label>
      <label class="stack">
        <span>HTML</span>
        <textarea readOnly rows={10} spellcheck={false} value={html} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <Copy html={html} />
      <Shown embedded={embedded} />
    </>
  );
}

interface Wanted {
  input: boolean;
  mocks: boolean;
  editable: boolean;
  runs: boolean;
}

function embeddedOf(now: Workspace, { input, mocks, editable, runs }: Wanted): Omit<Embedded, "script"> {
  const { definition, format } = now;
  return { definition, format, input: input ? now.input : "", mocks: mocks ? (now.mocks ?? {}) : {}, editable, runs };
}

const Preview = lazy(() => import("./Preview.tsx").then((module) => module.Preview));

/** The element itself, shown on request because it loads an interpreter of its own. */
function Shown({ embedded }: { embedded: Omit<Embedded, "script"> }) {
  const shown = useSignal(false);
  return (
    <>
      <p>
        <button type="button" aria-expanded={shown.value} onClick={() => (shown.value = !shown.value)}>
          {shown.value ? "Hide the preview" : "Show a preview"}
        </button>
      </p>
      {shown.value && <Preview embedded={embedded} />}
    </>
  );
}

function Copy({ html }: { html: string }) {
  return (
    <p>
      <button
        type="button"
        class="primary"
        onClick={() =>
          void navigator.clipboard.writeText(html).then(
            () => showToast(`HTML copied, ${count(html.length, "character")}.`),
            () => showToast("The browser did not allow copying: copy the HTML from its field."),
          )
        }
      >
        <Icon name="copy" /> Copy the HTML
      </button>
    </p>
  );
}
