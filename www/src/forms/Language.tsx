// The query language of the machine or of a state. Switching to JSONata offers to convert the existing fields.

import { convertToJsonata } from "../editor/definitionEditor.ts";
import { pick } from "../editing/picking.ts";
import { useForm } from "./context.ts";
import { type Given, WordsRow } from "./controls.tsx";
import { put, reportRefusal } from "./write.ts";
import { idOf } from "./Row.tsx";

export function LanguageRow({ at, name, value }: Given) {
  const { formed } = useForm();
  const machine = formed.pointer === "";
  const choose = async (next: string | undefined): Promise<void> => {
    const spoken = next ?? (machine ? "JSONPath" : formed.machineLanguage);
    if (spoken !== "JSONata" || formed.language === "JSONata") return void (await reportRefusal(put(at, next, value)));
    const { left, bottom } = document.getElementById(idOf(at))!.getBoundingClientRect();
    const what = machine ? "all states" : formed.name;
    const chosen = await pick({
      title: `From JSONPath to JSONata: ${what}`,
      placeholder: "",
      groups: [
        {
          title: "",
          options: [
            { id: "convert", title: `Convert ${what}`, detail: "Paths, templates and rules become expressions" },
            { id: "set", title: "Only set the field", detail: "What is written stays as it is" },
          ],
        },
      ],
      at: { x: left, y: bottom },
    });
    if (chosen?.id === "convert") return convertToJsonata(machine ? undefined : formed.name);
    if (chosen?.id === "set") await reportRefusal(put(at, next, value));
    // The control is reset to the value in the text.
    else (document.getElementById(idOf(at)) as HTMLSelectElement).value = value === undefined ? "" : String(value);
  };
  return (
    <>
      <WordsRow
        at={at}
        name={name}
        value={value}
        words={["JSONPath", "JSONata"]}
        absent={machine ? "JSONPath (the default)" : `${formed.machineLanguage} (from the machine)`}
        write={(next) => void choose(next)}
      />
      {machine && formed.language === "JSONPath" && Object.keys(formed.scopes).length > 0 && (
        <p class="form-hint">
          <button type="button" class="link" onClick={() => void convertToJsonata()}>
            Convert all states to JSONata
          </button>
        </p>
      )}
    </>
  );
}
