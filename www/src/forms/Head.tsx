// The name and the type of a state. Changing them is a gesture that also edits other parts of the definition.

import { perform } from "../editing/host.ts";
import { TypeTile } from "../ui/Icon.tsx";
import { keys } from "./controls.tsx";
import { useForm } from "./context.ts";
import { FORMS, type StateType } from "./fields.ts";
import { Row, idOf } from "./Row.tsx";
import { useTyped } from "./useTyped.ts";
import { shownText } from "./values.ts";

const TYPES = Object.keys(FORMS) as StateType[];

export function Head() {
  const { formed, type } = useForm();
  const { pointer, name } = formed;
  const id = idOf(`${pointer}/`);
  const typed = useTyped(
    name,
    shownText,
    (text) => (text.trim() === "" ? { problem: "A state needs a name." } : { value: text }),
    async (to) => {
      await perform({ kind: "rename", state: pointer, to: String(to) });
      return undefined;
    },
  );
  const known = TYPES.includes(type as StateType);
  return (
    <div class="form-head">
      <Row at={pointer} name="Name" control={id} problem={typed.problem} deep={false}>
        <input
          id={id}
          class="form-title"
          value={typed.text}
          autocomplete="off"
          maxLength={80}
          aria-describedby={`${idOf(pointer)}-problems`}
          // The name is written only when the field is left, because all references to it change.
          onInput={(event) => typed.hold(event.currentTarget.value)}
          onBlur={typed.settle}
          onKeyDown={(event) => keys(event, typed)}
        />
      </Row>
      <Row at={`${pointer}/Type`} name="Type" control={`${id}-type`}>
        <div class="form-line form-type">
          {known && <TypeTile type={type as StateType} />}
          <select
            id={`${id}-type`}
            value={type}
            onChange={(event) => {
              const select = event.currentTarget;
              const { left, bottom } = select.getBoundingClientRect();
              const chosen = select.value as StateType;
              select.value = type;
              void perform({ kind: "retype", state: pointer, type: chosen }, { careful: true, at: { x: left, y: bottom } });
            }}
          >
            {!known && <option value={type}>{type === "" ? "Choose a type" : type}</option>}
            {TYPES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </div>
      </Row>
    </div>
  );
}
