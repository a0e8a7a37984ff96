// The console of executions: the page at /debugger/ of a server, of a Runtime, or of a store.

import { signal } from "@preact/signals";
import { render } from "preact";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import dialogs from "../styles/dialogs.css?raw";
import tokens from "../styles/tokens.css?raw";
import type { Action } from "./api.ts";
import { BulkBar, BulkDialog } from "./Bulk.tsx";
import { Chart } from "./Chart.tsx";
import own from "./console.css?raw";
import { Filters, Side, Statuses } from "./Filters.tsx";
import { KEYS, listenToKeys } from "./keys.ts";
import { List } from "./List.tsx";
import { about, begin, message, problem } from "./state.ts";

const KINDS = { server: "server", runtime: "Runtime", store: "read-only" } as const;

/** The action whose dialog is open, and whether the help is. */
const open = signal<Action | undefined>(undefined);
const isHelpOpen = signal(false);

function Console() {
  const { kind, user } = about.value ?? {};
  return (
    <>
      <header class="top">
        <h1>Executions</h1>
        {kind !== undefined && <span class="kind">{KINDS[kind]}</span>}
        {user !== undefined && <span class="kind">{user}</span>}
        <button type="button" class="plain square" aria-label="Keys" title="Keys (?)" onClick={() => (isHelpOpen.value = true)}>
          <Icon name="help" />
        </button>
      </header>
      <div class="body">
        <Side />
        <main>
          <Filters />
          <Statuses />
          <Chart />
          {problem.value !== "" && (
            <p class="problem" role="alert">
              {problem.value}
            </p>
          )}
          <p class="message" role="status">
            {message.value}
          </p>
          <BulkBar onAction={(action) => (open.value = action)} />
          <List />
        </main>
      </div>
      {open.value !== undefined && <BulkDialog action={open.value} close={() => (open.value = undefined)} />}
      {isHelpOpen.value && (
        <Dialog title="Keys" close={() => (isHelpOpen.value = false)}>
          <dl class="key-list">
            {KEYS.map(([keys, what]) => (
              <div key={keys}>
                <dt>{what}</dt>
                <dd>
                  {keys.split(", ").map((one) => (
                    <kbd key={one}>{one}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  );
}

// The policy of the page forbids style elements, but not constructed style sheets.
const sheet = new CSSStyleSheet();
sheet.replaceSync(`${tokens}\n${dialogs}\n${own}`);
document.adoptedStyleSheets = [sheet];
const dark = matchMedia("(prefers-color-scheme: dark)");
const setTheme = (): void => void (document.documentElement.dataset.theme = dark.matches ? "dark" : "light");
dark.addEventListener("change", setTheme);
setTheme();
const root = document.createElement("div");
root.id = "console";
document.body.replaceChildren(root);
render(<Console />, root);
listenToKeys(() => (isHelpOpen.value = true));
void begin();
