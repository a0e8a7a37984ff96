// The tabs of the inspector, and the form of what is selected. This chunk comes behind the pen's.

import "./forms.css";
import { computed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { pen } from "../graph/pen.ts";
import { Tabs } from "../ui/Tabs.tsx";
import { followCaret } from "./caret.ts";
import "./commands.ts";
import { looking } from "./current.ts";
import { CallRow } from "./Call.tsx";
import { CatchRow, RetryRow } from "./Errors.tsx";
import { special } from "./Fields.tsx";
import { Form } from "./Form.tsx";
import { Head } from "./Head.tsx";
import { LanguageRow } from "./Language.tsx";
import { BranchesRow, ProcessorRow } from "./Nested.tsx";
import { RulesRow } from "./Rules.tsx";
import { showSide, side } from "./side.ts";

function View() {
  const chosen = side.value;
  useEffect(() => {
    looking.value = chosen === "form";
    return () => {
      looking.value = false;
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
      </div>
      <div
        id="inspect-form"
        class="form"
        role="tabpanel"
        aria-labelledby="inspect-tab-form"
        hidden={chosen !== "form"}
        // Who fills in a form keeps it, also when something runs.
        onInput={() => showSide("form")}
      >
        {chosen === "form" && <Form />}
      </div>
    </>
  );
}

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
if (pen.value) pen.value = { ...pen.value, form: { View, shown: computed(() => side.value === "form") } };
