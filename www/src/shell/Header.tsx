// The header: the open machine, the run's controls, and the ways to share it.

import { keyHint } from "../keys/keymap.ts";
import * as prefs from "../prefs.ts";
import * as opening from "../store/opening.ts";
import * as panes from "../store/panes.ts";
import { say } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";

export function Header() {
  const themes = { system: "auto", light: "sun", dark: "moon", contrast: "contrast" } as const;
  const next = { system: "light", light: "dark", dark: "contrast", contrast: "system" } as const;
  const theme = prefs.theme.value;
  return (
    <header class="bar">
      <Brand />
      <button type="button" class="document" onClick={() => panes.openDialog("examples")} title="Examples and recent drafts">
        <span>{workspace.title.value}</span>
        <Icon name="chevron" size={14} />
      </button>
      <div class="bar-end">
        <New />
        <button
          type="button"
          class="plain"
          aria-label="Import"
          onClick={() => panes.openDialog("import")}
          title="Open a definition, a template, a history or a session"
        >
          <Icon name="upload" /> <span class="label">Import</span>
        </button>
        <button
          type="button"
          class="plain"
          aria-label="Export"
          onClick={() => panes.openDialog("export")}
          title="Save pictures, texts, the run, a test"
        >
          <Icon name="download" /> <span class="label">Export</span>
        </button>
        <button type="button" class="plain" aria-label="Share" onClick={() => panes.openDialog("share")} title="Make a link">
          <Icon name="share" /> <span class="label">Share</span>
        </button>
        <button
          type="button"
          class="plain square theme-button"
          aria-label={`Theme: ${theme}. Change to ${next[theme]}`}
          title={`Theme: ${theme}`}
          onClick={() => (prefs.theme.value = next[theme])}
        >
          <Icon name={themes[theme]} />
        </button>
        <button type="button" class="plain square" aria-label="Settings" title="Settings" onClick={() => panes.openDialog("settings")}>
          <Icon name="gear" />
        </button>
        <button
          type="button"
          class="plain square"
          aria-label="Help and keyboard shortcuts"
          title={`Help${keyHint("help")}`}
          onClick={() => panes.openDialog("help")}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}

/** The current machine stays among the drafts. In a project, the new one is a tab next to it. */
function New() {
  const create = (): void => {
    opening.open(opening.EMPTY, true);
    say("A new machine");
  };
  return (
    <button type="button" class="plain" aria-label="New machine" onClick={create} title="Start with an empty machine">
      <Icon name="plus" /> <span class="label">New</span>
    </button>
  );
}

function Brand() {
  return (
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
  );
}
