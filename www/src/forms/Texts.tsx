// A list of names, for example of errors. Each can be removed, and a field at the end adds one.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Icon } from "../ui/Icon.tsx";
import { errorNames } from "./errorNames.ts";
import type { Given } from "./controls.tsx";
import { useForm } from "./context.ts";
import { afterwards } from "./Items.tsx";
import { Row, idOf } from "./Row.tsx";
import { change, reportRefusal } from "./write.ts";
import { isPlaceholder, same } from "./values.ts";
import { JsonRow } from "./Json.tsx";

export function TextsRow(given: Given) {
  const { at, name, value } = given;
  const id = idOf(at);
  if (value !== undefined && (!Array.isArray(value) || value.some((one) => typeof one !== "string")) && !isPlaceholder(value))
    return <JsonRow {...given} />;
  const names = Array.isArray(value) ? (value as string[]) : [];
  const write = useLatest(at, value, names);
  return (
    <Row at={at} name={name} control={id}>
      <div class="form-texts">
        {names.map((one, i) => (
          <button
            key={`${i} ${one}`}
            type="button"
            class="form-chip"
            aria-label={`Remove ${one}`}
            title={`Remove ${one}`}
            onClick={(event) => {
              const field = event.currentTarget.parentElement!.querySelector("input")!;
              write((all) => {
                const at = all[i] === one ? i : all.indexOf(one);
                return all.filter((_, n) => n !== at);
              });
              afterwards(() => field.focus());
            }}
          >
            <span>{one}</span>
            <Icon name="close" size={10} />
          </button>
        ))}
        <Another id={id} names={names} write={write} />
      </div>
    </Row>
  );
}

type Write = (next: (names: readonly string[]) => readonly string[]) => void;

/**
 * Returns a function that edits the last written list. Quick edits must build on each other, and not on the list that is
 * displayed by then.
 */
function useLatest(at: string, value: unknown, shown: readonly string[]): Write {
  const latest = useRef({ seen: value, names: shown, own: new Set<string>() }).current;
  if (!same(latest.seen, value)) {
    latest.seen = value;
    // The new value may be an earlier edit of this control. Otherwise it was changed elsewhere.
    if (!latest.own.has(JSON.stringify(value))) latest.names = shown;
    if (same(value, latest.names) || latest.names === shown) latest.own.clear();
  }
  return (next) => {
    const names = [...next(latest.names)];
    if (same(names, latest.names)) return;
    latest.names = names;
    latest.own.add(JSON.stringify(names));
    void reportRefusal(change({ kind: "set", at, value: names })).then((made) => {
      if (!made) latest.names = Array.isArray(latest.seen) ? (latest.seen as string[]) : [];
    });
  };
}

interface AnotherProps {
  id: string;
  names: readonly string[];
  write: Write;
}

/** The field for another name. */
function Another({ id, names, write }: AnotherProps) {
  const { type, formed } = useForm();
  const typed = useSignal("");
  const add = (): void => {
    const next = typed.value
      .split(/[\s,]+/)
      .map((one) => one.trim())
      .filter((one) => one !== "");
    typed.value = "";
    if (next.length > 0) write((all) => [...all, ...next.filter((one) => !all.includes(one))]);
  };
  const known = errorNames(type, formed.fields["Resource"]).value;
  return (
    <>
      <input
        id={id}
        value={typed.value}
        placeholder={names.length === 0 ? "States.ALL" : "another"}
        list={`${id}-list`}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={`${id}-problems`}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          // A name that was selected from the list is complete.
          if (!("inputType" in event) || event.inputType === "insertReplacementText") add();
        }}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === ",") {
            event.preventDefault();
            add();
          } else if (event.key === "Backspace" && typed.value === "" && names.length > 0) {
            event.preventDefault();
            write((all) => all.slice(0, -1));
          }
        }}
      />
      <datalist id={`${id}-list`}>
        {known
          .filter((one) => !names.includes(one))
          .map((one) => (
            <option key={one} value={one} />
          ))}
      </datalist>
    </>
  );
}
