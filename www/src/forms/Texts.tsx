// A list of names, as of errors: each can be taken away, and one is typed behind them.

import { useSignal } from "@preact/signals";
import { Icon } from "../ui/Icon.tsx";
import { errorNames } from "./errorNames.ts";
import type { Given } from "./controls.tsx";
import { useForm } from "./context.ts";
import { afterwards } from "./Items.tsx";
import { Row, idOf } from "./Row.tsx";
import { put } from "./write.ts";
import { isPlaceholder } from "./values.ts";
import { JsonRow } from "./controls.tsx";

export function TextsRow(given: Given) {
  const { at, name, value } = given;
  const { type, formed } = useForm();
  const typed = useSignal("");
  const id = idOf(at);
  if (value !== undefined && (!Array.isArray(value) || value.some((one) => typeof one !== "string")) && !isPlaceholder(value))
    return <JsonRow {...given} />;
  const names = Array.isArray(value) ? (value as string[]) : [];
  const add = (): void => {
    const next = typed.value
      .split(/[\s,]+/)
      .map((one) => one.trim())
      .filter((one) => one !== "" && !names.includes(one));
    typed.value = "";
    if (next.length > 0) void put(at, [...names, ...next], value);
  };
  const known = errorNames(type, formed.fields["Resource"]).value;
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
              void put(at, rest, value);
              afterwards(() => field.focus());
            }}
          >
            <span>{one}</span>
            <Icon name="close" size={10} />
          </button>
        ))}
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
              void put(at, names.slice(0, -1), value);
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
      </div>
    </Row>
  );
}
