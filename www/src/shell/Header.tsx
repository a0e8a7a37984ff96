// The header: the open machine, the run's controls, and the ways to share it.

import { Toolbar } from "../debugger/Toolbar.tsx";
import { menu } from "../graph/menuOpen.ts";
import { keyHint, keymap } from "../keys/keymap.ts";
import * as panes from "../store/panes.ts";
import * as workspace from "../store/workspace.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";

/** `wide`: the run's controls are between the machine and the ways to share it, and not in a row of their own. */
export function Header({ wide }: { wide: boolean }) {
  return (
    <header class="bar">
      <Brand />
      <FileMenu />
      <button type="button" class="document" onClick={() => panes.openDialog("examples")} title="Examples and recent drafts">
        <span>{workspace.title.value}</span>
      </button>
      {wide && <Controls />}
      <div class="bar-end">
        <AllCommands />
        <Tool icon="download" label="Export" title="Save pictures, texts, the run, a test" dialog="export" />
        <Tool icon="share" label="Share" title="Make a link" dialog="share" />
        <Tool icon="gear" label="Settings" title="Settings" dialog="settings" />
        <Tool icon="help" label="Help and keyboard shortcuts" title={`Help${keyHint("help")}`} dialog="help" />
      </div>
    </header>
  );
}

export function Controls() {
  return (
    <section class="controls" aria-label="Run and debug">
      <Toolbar />
    </section>
  );
}

function AllCommands() {
  return (
    <button
      type="button"
      class="plain square"
      aria-label="Commands"
      onClick={() => panes.openDialog("palette")}
      title={`All commands${keyHint("palette")}`}
      aria-keyshortcuts={keymap.value?.spoken("palette")}
    >
      <Icon name="search" />
    </button>
  );
}

function Tool({
  icon,
  label,
  title,
  dialog,
}: {
  icon: IconName;
  label: string;
  title: string;
  dialog: "export" | "share" | "settings" | "help";
}) {
  return (
    <button type="button" class="plain square" aria-label={label} title={title} onClick={() => panes.openDialog(dialog)}>
      <Icon name={icon} />
    </button>
  );
}

function FileMenu() {
  const open = menu.value?.node === undefined && menu.value?.title === "File";
  return (
    <button
      type="button"
      class="plain"
      aria-haspopup="menu"
      aria-expanded={open}
      title="New, open, paste, examples"
      onClick={({ currentTarget }) => void import("./fileMenu.ts").then(({ toggleFileMenu }) => toggleFileMenu(currentTarget))}
    >
      File <Icon name="chevron" size={14} />
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
