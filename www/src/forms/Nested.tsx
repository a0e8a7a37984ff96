// The containers of nested states: the branches of a Parallel and the processor of a Map.

import { useSignal, useSignalEffect } from "@preact/signals";
import { pointerTo } from "stepglass/pointer";
import { isFields, listOf } from "../model/rule.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { count } from "../ui/format.ts";
import { useForm } from "./context.ts";
import { type Given, StateRow } from "./controls.tsx";
import { JsonRow } from "./Json.tsx";
import { askField } from "./expression/queries.ts";
import { BRANCH, PROCESSOR_CONFIG, fieldsOf } from "./fields.ts";
import { FieldList, Optional, Others } from "./Fields.tsx";
import { Add, Items } from "./Items.tsx";
import { Row } from "./Row.tsx";
import { perform } from "../editing/host.ts";

/** The states of a scope, with links to their forms. */
function States({ at }: { at: string }) {
  const names = useForm().formed.scopes[at] ?? [];
  if (names.length === 0) return <p class="form-hint quiet">There are no states in it yet.</p>;
  return (
    <p class="form-states">
      {names.slice(0, 12).map((name) => (
        <button key={name} type="button" class="link" onClick={() => selection.selectState(name, "inspector")}>
          {name}
        </button>
      ))}
      {names.length > 12 && <span class="quiet">and {count(names.length - 12, "more state", "more states")}</span>}
    </p>
  );
}

export function BranchesRow(given: Given) {
  const { formed } = useForm();
  const { at, name, value } = given;
  if (value !== undefined && !Array.isArray(value)) return <JsonRow {...given} />;
  const branches = listOf(value);
  return (
    <Row at={at} name={name} deep={false}>
      <div class="form-items">
        <Items
          at={at}
          noun="Branch"
          values={branches}
          fixed={() => (branches.length === 1 ? "A Parallel needs a branch" : undefined)}
          head={(one, index) => (
            <b>{(isFields(one) && String(one["Comment"] ?? "")) || count((formed.scopes[pointerTo(at, index)] ?? []).length, "state")}</b>
          )}
          body={(one, index) => {
            const own = pointerTo(at, index);
            if (!isFields(one)) return <JsonRow at={own} name={`Branch ${index + 1}`} value={one} />;
            return (
              <>
                <StateRow at={pointerTo(own, "StartAt")} name="StartAt" value={one["StartAt"]} targets={formed.scopes[own] ?? []} />
                <States at={own} />
                <Optional fields={BRANCH.filter((field) => field.name !== "StartAt")} always={[]} of={one} at={own} besides={["StartAt"]} />
              </>
            );
          }}
        />
        <Add label="Branch" run={() => perform({ kind: "append", from: formed.pointer, as: "branch", state: { type: "Pass" } })} />
      </div>
    </Row>
  );
}

export function ProcessorRow(given: Given) {
  const { formed } = useForm();
  const { at, name, value } = given;
  if (!isFields(value)) return value === undefined ? null : <JsonRow {...given} />;
  const config = pointerTo(at, "ProcessorConfig");
  const held = value["ProcessorConfig"];
  const others = Object.keys(value).filter((one) => !["StartAt", "States", "Comment", "ProcessorConfig"].includes(one));
  return (
    <Row at={at} name={name} deep={false}>
      <div class="form-inside">
        {held === undefined || isFields(held) ? (
          <FieldList fields={fieldsOf(PROCESSOR_CONFIG, formed.language)} of={held ?? {}} at={config} />
        ) : (
          <JsonRow at={config} name="ProcessorConfig" value={held} />
        )}
        {isFields(held) && (
          <Others names={Object.keys(held).filter((one) => one !== "Mode" && one !== "ExecutionType")} of={held} at={config} />
        )}
        <StateRow at={pointerTo(at, "StartAt")} name="StartAt" value={value["StartAt"]} targets={formed.scopes[at] ?? []} />
        <States at={at} />
        <Optional
          fields={BRANCH.filter((field) => field.name !== "StartAt")}
          always={[]}
          of={value}
          at={at}
          besides={["StartAt", "ProcessorConfig", ...others]}
        />
        <Others names={others} of={value} at={at} />
      </div>
    </Row>
  );
}

const FIRST = 3;

/** The first items of the last run, after the ItemSelector. */
export function FirstItems({ of }: { of: Readonly<Record<string, unknown>> }) {
  const { formed } = useForm();
  const found = useSignal<readonly string[]>([]);
  const selector = of["ItemSelector"] ?? (formed.language === "JSONPath" ? of["Parameters"] : undefined);
  const asked = useSignal({ key: "", state: formed.pointer, selector });
  const key = JSON.stringify([formed.pointer, formed.language, selector]);
  if (asked.peek().key !== key) asked.value = { key, state: formed.pointer, selector };
  const { language } = formed;
  useSignalEffect(() => {
    const { state, selector: written } = asked.value;
    void execution.run.value?.phase;
    void execution.run.value?.id;
    void analysis.latest.value;
    void workspace.input.value;
    let stale = false;
    void firstItems(state, language, written).then(
      (items) => !stale && (found.value = items),
      () => !stale && (found.value = []),
    );
    return () => {
      stale = true;
    };
  });
  if (found.value.length === 0) return null;
  return (
    <figure class="form-first">
      <figcaption>
        {found.value.length === 1 ? "The first item" : `The first ${found.value.length} items`} of the last run, as each iteration gets it
      </figcaption>
      <ol>
        {found.value.map((item, i) => (
          <li key={i}>
            <code>{item}</code>
          </li>
        ))}
      </ol>
    </figure>
  );
}

const LONG = 240;

async function firstItems(state: string, language: "JSONPath" | "JSONata", selector: unknown): Promise<string[]> {
  const items: string[] = [];
  for (let item = 0; item < FIRST; item++) {
    const field = { state, pointer: pointerTo(state, "ItemSelector"), language, form: "template" as const, item };
    const { roots } = await askField("data", field, {});
    const context = roots.find(({ name }) => name === (language === "JSONata" ? "$states.context" : "$$"))?.value;
    const map = isFields(context) && isFields(context["Map"]) ? context["Map"] : undefined;
    const own = map && isFields(map["Item"]) ? map["Item"] : undefined;
    if (!own || own["Index"] !== item) break;
    const made = selector === undefined ? { value: own["Value"] } : await askField("value", field, { written: JSON.stringify(selector) });
    const text = "message" in made && made.message !== undefined ? `Fails: ${made.message}` : (JSON.stringify(made.value) ?? "nothing");
    items.push(text.length > LONG ? `${text.slice(0, LONG)}…` : text);
  }
  return items;
}
