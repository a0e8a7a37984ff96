// The tabs of the inspector, and the form of the selected state. This chunk is loaded after the graph editor's.

import "./forms.css";
import { computed, effect, untracked } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { added } from "../editing/added.ts";
import { graphEditor } from "../graph/graphEditor.ts";
import { Tabs } from "../ui/Tabs.tsx";
import { followCaret } from "./caret.ts";
import "./commands.ts";
import { caretAt, isVisible, placeAround, shown } from "./current.ts";
import { CallRow } from "./Call.tsx";
import { CatchRow, RetryRow } from "./Errors.tsx";
import { special } from "./Fields.tsx";
import { Form } from "./Form.tsx";
import { Head } from "./Head.tsx";
import { LanguageRow } from "./Language.tsx";
import { BranchesRow, ProcessorRow } from "./Nested.tsx";
import { RulesRow } from "./Rules.tsx";
import { showSide, side } from "./side.ts";

function View({ title }: { title?: ComponentChildren }) {
  const chosen = side.value;
  useEffect(() => {
    isVisible.value = chosen === "form";
    return () => {
      isVisible.value = false;
    };
  }, [chosen]);
  return (
    <>
      <div class="inspect-tabs">
        <Tabs
          label="Inspector"
          prefix="inspect"
          tabs={[
            { id: "data", label: "Data" },
            { id: "form", label: "Form" },
          ]}
          chosen={chosen}
          choose={showSide}
        />
        {/* The form scrolls under the state's name, so that the name stays visible. */}
        {chosen === "form" && title && <div class="inspect-title">{title}</div>}
      </div>
      <div
        id="inspect-form"
        class="form"
        role="tabpanel"
        aria-labelledby="inspect-tab-form"
        hidden={chosen !== "form"}
        // A form that is being filled in stays visible, even if something runs.
        onInput={() => showSide("form")}
      >
        {chosen === "form" && <Form />}
      </div>
    </>
  );
}

// The form of a state that was just added is shown, with the first field to fill in visible.
effect(() => {
  const one = added.value;
  if (one === null) return;
  showSide("form");
  if (shown.value?.pointer !== one.state) return;
  untracked(() => {
    added.value = null;
    caretAt.value = placeAround(one.caret.start);
  });
  requestAnimationFrame(() => document.querySelector("#inspect-form .is-lit")?.scrollIntoView({ block: "nearest" }));
});

Object.assign(special, {
  type: Head,
  call: CallRow,
  language: LanguageRow,
  rules: RulesRow,
  retry: RetryRow,
  catch: CatchRow,
  branches: BranchesRow,
  processor: ProcessorRow,
} satisfies typeof special);
followCaret();
if (graphEditor.value) graphEditor.value = { ...graphEditor.value, form: { View, shown: computed(() => side.value === "form") } };
