// The command palette, with all commands and all states by name.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import * as panes from "../store/panes.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { keymap } from "../keys/keymap.ts";
import { type Command, findCommands } from "../commands/commands.ts";

const close = (): void => {
  if (panes.dialog.value === "palette") panes.closeDialog();
};

export function Palette() {
  const text = useSignal("");
  const at = useSignal(0);
  const list = useRef<HTMLUListElement>(null);
  const found = findCommands(text.value);
  const chosen = Math.min(at.value, found.length - 1);
  const run = (command: Command | undefined): void => {
    if (!command) return;
    close();
    // The command runs after the dialog was removed and has restored the focus, and before any other key.
    queueMicrotask(() => command.run?.());
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") at.value = (chosen + 1) % Math.max(1, found.length);
    else if (event.key === "ArrowUp") at.value = (chosen + found.length - 1) % Math.max(1, found.length);
    else if (event.key === "Enter") run(found[chosen]);
    else return;
    event.preventDefault();
    requestAnimationFrame(() => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }));
  };
  return (
    <Dialog title="Commands" close={close}>
      <div class="palette">
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[chosen] ? `palette-${chosen}` : undefined}
          aria-label="Command or state"
          placeholder="Command or state"
          autofocus
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={keys}
        />
        <ul id="palette-list" role="listbox" aria-label="Commands" ref={list}>
          {found.map((command, i) => (
            <Option
              key={command.id}
              command={command}
              id={`palette-${i}`}
              chosen={i === chosen}
              run={() => run(command)}
              choose={() => (at.value = i)}
            />
          ))}
        </ul>
        {found.length === 0 && <p class="quiet pad">No command or state matches.</p>}
      </div>
    </Dialog>
  );
}

interface OptionProps {
  command: Command;
  id: string;
  chosen: boolean;
  run(): void;
  choose(): void;
}

function Option({ command, id, chosen, run, choose }: OptionProps) {
  return (
    <li id={id} role="option" aria-selected={chosen} onClick={run} onMouseMove={choose}>
      <span>{command.title}</span>
      {keymap.value
        ?.shown(command.id)
        .slice(0, 1)
        .map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
    </li>
  );
}
