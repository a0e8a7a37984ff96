// The form of the selected state, or of the machine.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { holdPress } from "../ui/heldPress.ts";
import { FormContext, useForm } from "./context.ts";
import { pointer, shown, unreadable } from "./current.ts";
import { type Doc, docOf } from "./docs.ts";
import { explained } from "./explained.ts";
import { MACHINE, fieldsOf, groupsOf, unknownNames } from "./fields.ts";
import { FirstItems } from "./Nested.tsx";
import { FieldList, Others } from "./Fields.tsx";

export function Form() {
  const formed = shown.value;
  const broken = unreadable.value;
  if (analysis.inside.value)
    return (
      <p class="quiet form-note">
        This is a machine that a task has started. Go back to {workspace.title.value} to edit that; machines that tasks start are changed
        under Mocks.
      </p>
    );
  const why = broken && (
    <div class="form-broken" role="status">
      <Icon name="warning" size={15} />
      <span>
        {formed ? "The form shows what could be read last. " : ""}The text cannot be read here: {broken.unreadable}{" "}
        {broken.at && (
          <button type="button" class="link" onClick={() => selection.revealRange(broken.at![0], broken.at![1])}>
            Go to the place
          </button>
        )}
      </span>
    </div>
  );
  if (!formed || formed.pointer !== pointer.value) return why;
  const type = formed.pointer === "" ? "" : String(formed.fields["Type"] ?? "");
  return (
    <FormContext.Provider value={{ formed, type }}>
      {why}
      <fieldset class="form-fields" disabled={broken !== null} key={formed.pointer} onPointerDown={holdPress}>
        <Groups />
      </fieldset>
      <Explained />
    </FormContext.Provider>
  );
}

function Groups() {
  const { formed, type } = useForm();
  const machine = formed.pointer === "";
  const groups = machine
    ? MACHINE.map((group) => ({ ...group, fields: fieldsOf(group.fields, formed.language) }))
    : groupsOf(type, formed.language);
  const others = unknownNames(formed.fields, groups, machine ? ["States"] : []);
  return (
    <>
      {groups.map(({ title, fields }) => (
        <section key={title} class="form-group" aria-label={title}>
          <h3>{title}</h3>
          <FieldList fields={fields} of={formed.fields} at={formed.pointer} />
          {title === "Items" && <FirstItems of={formed.fields} />}
        </section>
      ))}
      {others.length > 0 && (
        <section class="form-group" aria-label="Other fields">
          <h3>Other fields</h3>
          <Others names={others} of={formed.fields} at={formed.pointer} />
        </section>
      )}
    </>
  );
}

/** The documentation of the focused field. */
function Explained() {
  const { formed, type } = useForm();
  const at = explained.value;
  const doc = useSignal<Doc | null>(null);
  useEffect(() => {
    if (at === null || !at.startsWith(`${formed.pointer}/`)) {
      doc.value = null;
      return;
    }
    let stale = false;
    void docOf(type, formed.language, at.slice(formed.pointer.length)).then((found) => {
      if (!stale) doc.value = found;
    });
    return () => {
      stale = true;
    };
  }, [at, formed.pointer, formed.language, type]);
  return (
    <p class="form-doc" id="form-doc" aria-live="polite" hidden={doc.value === null}>
      {doc.value && (
        <>
          <b>{doc.value.title}</b> {doc.value.text}
        </>
      )}
    </p>
  );
}
