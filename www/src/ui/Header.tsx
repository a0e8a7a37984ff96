// The bar on top: what is open, how it runs, where it goes.

import { useRef } from "preact/hooks";
import * as prefs from "../prefs.ts";
import * as store from "../store.ts";
import { RunControls } from "./App.tsx";
import { Icon } from "./Icon.tsx";
import { save } from "./save.ts";

export function Header() {
  const narrow = prefs.layoutSize() === "narrow";
  const file = useRef<HTMLInputElement>(null);
  const themes = { system: "auto", light: "sun", dark: "moon" } as const;
  const next = { system: "light", light: "dark", dark: "system" } as const;
  const theme = prefs.theme.value;
  return (
    <header class="bar">
      <h1 class="brand">
        <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
          <path class="brand-a" d="M12 2L21 7V17L12 22L3 17V7Z" />
          <path class="brand-b" d="M12 7V12M12 12L7.5 15M12 12L16.5 15" />
          <circle class="brand-c" cx="12" cy="6.5" r="1.9" />
          <circle class="brand-c" cx="7" cy="15.5" r="1.9" />
          <circle class="brand-c" cx="17" cy="15.5" r="1.9" />
        </svg>
        <span>Stepglass</span>
      </h1>
      <button type="button" class="document" onClick={() => (store.dialog.value = "examples")} title="Examples and recent drafts">
        <span>{store.title.value}</span>
        <Icon name="chevron" size={14} />
      </button>
      {!narrow && <RunControls />}
      <div class="bar-end">
        <button type="button" class="plain" onClick={() => file.current!.click()} title="Open a definition from a file">
          <Icon name="upload" /> <span class="label">Open</span>
        </button>
        <button type="button" class="plain" onClick={download} title="Save the definition as a file">
          <Icon name="download" /> <span class="label">Save</span>
        </button>
        <button type="button" class="plain" onClick={() => (store.dialog.value = "share")} title="Make a link">
          <Icon name="share" /> <span class="label">Share</span>
        </button>
        <button type="button" class="plain square" aria-label={`Theme: ${theme}. Change to ${next[theme]}`} title={`Theme: ${theme}`} onClick={() => (prefs.theme.value = next[theme])}>
          <Icon name={themes[theme]} />
        </button>
        <button type="button" class="plain square" aria-label="Settings" title="Settings" onClick={() => (store.dialog.value = "settings")}>
          <Icon name="gear" />
        </button>
        <button type="button" class="plain square" aria-label="Help and keyboard shortcuts" title="Help (?)" onClick={() => (store.dialog.value = "help")}>
          <Icon name="help" />
        </button>
        <input
          ref={file}
          type="file"
          hidden
          accept=".json,.yaml,.yml,.asl"
          aria-label="Definition file"
          onChange={(event) => {
            const [chosen] = event.currentTarget.files ?? [];
            event.currentTarget.value = "";
            if (chosen) void openFile(chosen);
          }}
        />
      </div>
    </header>
  );
}

const LARGEST = 4 * 1024 * 1024;

export async function openFile(file: File): Promise<void> {
  if (file.size > LARGEST) return store.shout(`${file.name} is larger than 4 MB, and a definition may have 1 MB.`);
  const text = await file.text();
  const yaml = /\.ya?ml$/i.test(file.name);
  store.open({ ...store.workspace(), title: file.name.replace(/(\.asl)?\.(json|ya?ml|asl)$/i, ""), format: yaml ? "yaml" : "json", definition: text, input: "{}", tasks: "" }, true);
  store.showToast(`Opened ${file.name}.`);
}

function download(): void {
  for (const flush of store.flushers) flush();
  save(`${store.title.value}.asl.${store.format.value}`, store.definition.value, store.format.value === "json" ? "application/json" : "application/yaml");
}
