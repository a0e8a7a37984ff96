// Lists every command with its keys, which can be changed.

import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Command, commands } from "../commands/commands.ts";
import { caution, isSingle, recorded, shown } from "../keys/chord.ts";
import { give, holders, isChanged, keysOf, resetAll, setKeys } from "../commands/keys.ts";
import * as prefs from "../prefs.ts";
import * as panes from "../store/panes.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { GROUPS } from "../commands/groups.ts";

const close = (): void => {
  panes.closeDialog();
};

export default function Keyboard() {
  const text = useSignal("");
  const listening = useSignal<string | null>(null);
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (command: Command): boolean => {
    const all = `${command.title} ${keysOf(command).map(shown).join(" ")}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const changed = Object.keys(prefs.keymap.value).length;
  return (
    <Dialog
      title="Keyboard"
      close={close}
      wide
      footer={
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={prefs.singleKeys.value}
              onChange={(event) => (prefs.singleKeys.value = event.currentTarget.checked)}
            />{" "}
            Use single-character keys
          </label>
          <span class="gap" />
          <button type="button" disabled={changed === 0} onClick={resetAll}>
            Reset all keys
          </button>
        </>
      }
    >
      <p class="quiet">Keys are saved in this browser. Single-character keys work only outside of text fields.</p>
      <input
        class="go-to"
        type="search"
        aria-label="Search commands or keys"
        placeholder="Search commands or keys"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {GROUPS.map(({ id, title }) => {
        const rows = commands.value.filter((command) => command.group === id && fits(command));
        return rows.length === 0 ? null : <Group key={id} id={id} title={title} rows={rows} listening={listening} />;
      })}
      {commands.value.every((command) => !fits(command)) && <p class="quiet pad">No command has this name or key.</p>}
    </Dialog>
  );
}

interface GroupProps {
  id: string;
  title: string;
  rows: readonly Command[];
  /** The id of the command whose new key is being recorded, or null. */
  listening: Signal<string | null>;
}

function Group({ id, title, rows, listening }: GroupProps) {
  return (
    <div class="key-group" role="group" aria-labelledby={`keys-${id}`}>
      <h3 id={`keys-${id}`}>{title}</h3>
      <ul>
        {rows.map((command) => (
          <Row
            key={command.id}
            command={command}
            listens={listening.value === command.id}
            listen={(on) => (listening.value = on ? command.id : null)}
          />
        ))}
      </ul>
    </div>
  );
}

function Row({ command, listens, listen }: { command: Command; listens: boolean; listen(on: boolean): void }) {
  const add = useRef<HTMLButtonElement>(null);
  const done = (): void => {
    listen(false);
    requestAnimationFrame(() => add.current?.focus());
  };
  const keys = keysOf(command);
  return (
    <li class="key-row">
      <span class="key-title" id={`key-of-${command.id}`}>
        {command.title}
      </span>
      <span class="key-list">
        {keys.map((key) => (
          <Chip
            key={key}
            chord={key}
            of={command}
            remove={() => {
              setKeys(
                command,
                keys.filter((other) => other !== key),
              );
              add.current?.focus();
            }}
          />
        ))}
        <button
          ref={add}
          type="button"
          class="plain small"
          aria-label={`Add a key for “${command.title}”`}
          title="Add a key"
          onClick={() => listen(true)}
        >
          <Icon name="plus" size={12} /> Key
        </button>
        {isChanged(command) && (
          <button
            type="button"
            class="link"
            aria-label={`Reset the keys of “${command.title}”`}
            onClick={() => {
              setKeys(command, command.keys ?? []);
              add.current?.focus();
            }}
          >
            Reset
          </button>
        )}
      </span>
      {listens && <Recorder command={command} done={done} />}
    </li>
  );
}

/** One key of a command. */
function Chip({ chord, of, remove }: { chord: string; of: Command; remove(): void }) {
  return (
    <span class={isSingle(chord) && !prefs.singleKeys.value ? "key-chip off" : "key-chip"}>
      <kbd>{shown(chord)}</kbd>
      <button
        type="button"
        class="plain square small"
        aria-label={`Remove ${shown(chord)} from “${of.title}”`}
        title="Remove this key"
        onClick={remove}
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  );
}

/** Records a chord, and shows which command already uses it. */
function Recorder({ command, done }: { command: Command; done(): void }) {
  const field = useRef<HTMLInputElement>(null);
  const chord = useSignal<string | null>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const others = chord.value === null ? [] : holders(chord.value, command);
  const warning = chord.value === null ? "" : caution(chord.value);
  const take = (): void => {
    if (chord.value !== null) give(chord.value, command);
    done();
  };
  return (
    <div class="key-recorder" role="group" aria-label={`A new key for “${command.title}”`}>
      <input
        ref={field}
        type="text"
        readOnly
        aria-label="Press the new key"
        aria-describedby={`key-says-${command.id}`}
        placeholder="Press the new key"
        value={chord.value === null ? "" : shown(chord.value)}
        onKeyDown={(event) => {
          const pressed = recorded(event);
          // Tab moves the focus and Escape closes, as everywhere.
          if (pressed === null || /^(Shift\+)?Tab$/.test(pressed)) return;
          event.preventDefault();
          event.stopPropagation();
          if (pressed === "Escape") done();
          else if (pressed === "Enter" && chord.value !== null) take();
          else chord.value = pressed;
        }}
      />
      <button type="button" class="primary" disabled={chord.value === null} onClick={take}>
        {others.length > 0 ? "Reassign it" : "Use it"}
      </button>
      <button type="button" onClick={done}>
        Cancel
      </button>
      <p id={`key-says-${command.id}`} role="status" class={others.length > 0 || warning ? "key-says warn" : "key-says"}>
        {others.length > 0
          ? `${shown(chord.value!)} is already the key of ${others.map(({ title }) => `“${title}”`).join(" and ")}. `
          : chord.value !== null && !warning
            ? "No other command has this key. "
            : ""}
        {warning}
      </p>
    </div>
  );
}
