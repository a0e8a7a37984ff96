// A list of names, as of errors: each can be taken away, and one is typed behind them.

import { useSignal } from "@preact/signals";
import { Icon } from "../ui/Icon.tsx";
import { errorNames } from "./errorNames.ts";
import type { Given } from "./controls.tsx";
import { useForm } from "./context.ts";
import { afterwards } from "./Items.tsx";
import { Row, idOf } from "./Row.tsx";
import { put, told } from "./write.ts";
import { isPlaceholder } from "./values.ts";
import { JsonRow } from "./Json.tsx";

export function TextsRow(given: Given) {
  const { at, name, value } = given;
  const id = idOf(at);
  if (value !== undefined && (!Array.isArray(value) || value.some((one) => typeof one !== "string")) && !isPlaceholder(value))
    return <JsonRow {...given} />;
  const names = Array.isArray(value) ? (value as string[]) : [];
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
              const rest = names.filter((_, n) => n !== i);
              void told(put(at, rest, value));
              afterwards(() => field.focus());
            }}
          >
            <span>{one}</span>
            <Icon name="close" size={10} />
          </button>
        ))}
        <Another id={id} names={names} write={(next) => void told(put(at, next, value))} />
      </div>
    </Row>
  );
}

/// Where one more name is typed.
function Another({ id, names, write }: { id: string; names: readonly string[]; write(names: readonly string[]): void }) {
  const { type, formed } = useForm();
  const typed = useSignal("");
  const add = (): void => {
    const next = typed.value
      .split(/[\s,]+/)
      .map((one) => one.trim())
      .filter((one) => one !== "" && !names.includes(one));
    typed.value = "";
    if (next.length > 0) write([...names, ...next]);
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
          // A name that was chosen from the list is whole.
          if (!("inputType" in event) || event.inputType === "insertReplacementText") add();
        }}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === ",") {
            event.preventDefault();
            add();
          } else if (event.key === "Backspace" && typed.value === "" && names.length > 0) {
            event.preventDefault();
            write(names.slice(0, -1));
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
