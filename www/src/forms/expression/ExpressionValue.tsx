// The value of a field's text with the data of its state's last visit, while it is typed, or why there is none and what can be
// done about it.

import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import * as debug from "../../debugger/model.ts";
import { runTo } from "../../debugger/session.ts";
import { type FieldForm, type FieldValue, isText, valueOf } from "../../model/field.ts";
import * as analysis from "../../store/analysis.ts";
import * as execution from "../../store/execution.ts";
import * as workspace from "../../store/workspace.ts";
import { pointerSteps } from "stepglass/pointer";
import { bytes, sentence, unticked } from "../../ui/format.ts";
import { JsonView } from "../../values/JsonView.tsx";
import { type Field, askField, samples } from "./queries.ts";
import { Example } from "./Example.tsx";
import { wordAt } from "./tint.ts";

/** Requests the value with the next frame. There is one request at a time, and the last text that was typed meanwhile follows. */
export function useExpressionValue(field: Field, text: ReadonlySignal<string>): Signal<FieldValue | null> {
  const answer = useSignal<FieldValue | null>(null);
  const place = useSignal(field);
  const known = place.peek();
  if (known.pointer !== field.pointer || known.language !== field.language || known.form !== field.form) place.value = field;
  const going = useRef({ busy: false, again: false, gone: false });
  useSignalEffect(() => {
    const state = going.current;
    state.gone = false;
    void text.value;
    void place.value;
    void analysis.latest.value;
    void execution.run.value?.phase;
    void execution.run.value?.id;
    void debug.stopped.value;
    void workspace.input.value;
    void samples.value;
    const ask = (): void => {
      if (state.gone) return;
      state.again = false;
      const written = text.peek();
      if (written.trim() === "" || "problem" in valueOf(written, place.peek().form)) {
        state.busy = false;
        answer.value = null;
        return;
      }
      askField("value", place.peek(), { written })
        .then(
          (found) => !state.gone && (answer.value = found),
          () => !state.gone && (answer.value = null),
        )
        .finally(() => (state.again ? ask() : (state.busy = false)));
    };
    if (state.busy) state.again = true;
    else {
      state.busy = true;
      requestAnimationFrame(ask);
    }
  });
  useSignalEffect(() => () => void (going.current.gone = true));
  return answer;
}

/** Returns the range of the text that has a problem. */
export function wrongIn(found: FieldValue | null, text: string, form: FieldForm): { from: number; to: number } | false {
  if (found?.message === undefined || found.offset === undefined || !isText(form, text)) return false;
  const shift = text.trimStart().startsWith("{%") ? text.indexOf("{%") + 2 : 0;
  return wordAt(text, found.offset + shift);
}

const LACKS: Record<NonNullable<FieldValue["lacks"]>, (state: string) => string> = {
  "not visited": (state) => `${state} has not run yet.`,
  "no result": (state) => `${state} has not given a result yet.`,
  "no error": (state) => `${state} has not failed yet, so there is no error to look at.`,
};

const FROM: Record<FieldValue["from"], string> = {
  run: "in the last run",
  recording: "in the recording",
  input: "with the input on the page",
  example: "with example data",
};

interface GivenProps {
  id: string;
  field: Field;
  label: string;
  text: ReadonlySignal<string>;
  answer: ReadonlySignal<FieldValue | null>;
}

export function Given({ id, field, label, text, answer }: GivenProps) {
  const changing = useSignal(false);
  const found = answer.value;
  const name = pointerSteps(field.state).at(-1) ?? "";
  const example = <Example field={field} state={name} changing={changing} />;
  if (text.value.trim() === "" || !found || found.literal) return <div class="xf-given" id={id} />;
  if (found.lacks)
    return (
      <div class="xf-given quiet" id={id}>
        <span role="status">{LACKS[found.lacks](name)}</span>
        <span class="xf-ways">
          <button type="button" class="link" onClick={() => runTo(name)} disabled={execution.busy.value}>
            Run to {name}
          </button>
          {found.lacks !== "no error" && example}
        </span>
      </div>
    );
  const where = `${FROM[found.from]}${found.run !== undefined && found.run > 1 ? ` (run ${found.run})` : ""}`;
  const own = found.from === "example" && example;
  if (found.message !== undefined)
    return (
      <div class="xf-given" id={id}>
        <span class="is-bad" role="status">
          {found.path ? `${found.path.join(".")}: ` : ""}
          {unticked(sentence(found.message))}
        </span>
        <small class="quiet">{where}</small>
        {own}
      </div>
    );
  return (
    <div class="xf-given" id={id}>
      <Value label={label} found={found} where={where} mismatch={mismatchOf(field.form, found.value)}>
        {own}
      </Value>
    </div>
  );
}

function mismatchOf(form: FieldForm, value: unknown): string {
  if (form === "condition" && typeof value !== "boolean") return "A condition must give true or false.";
  return form === "number-or-jsonata" && typeof value !== "number" ? "This field needs a number." : "";
}

interface ValueProps {
  label: string;
  found: FieldValue;
  where: string;
  /** Why the field cannot have this value. */
  mismatch: string;
  children: ComponentChildren;
}

function Value({ label, found, where, mismatch, children }: ValueProps) {
  const open = useSignal(false);
  const json = found.nothing ? "nothing" : JSON.stringify(found.value);
  return (
    <>
      <output class={mismatch ? "is-bad" : ""} aria-label={`Value of ${label}`}>
        <span class="quiet" aria-hidden="true">
          ={" "}
        </span>
        <code class={kindOf(found.value, found.nothing)}>{json.length > 300 ? `${json.slice(0, 300)}…` : json}</code>
        {mismatch && ` ${mismatch}`}
      </output>
      <small class="quiet">
        {where}
        {json.length > 60 && (
          <>
            {" "}
            <button type="button" class="link" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
              {open.value ? "Less" : `All ${bytes(json.length)}`}
            </button>
          </>
        )}{" "}
        {children}
      </small>
      {open.value && <JsonView label={`Value of ${label}`} value={found.value} />}
    </>
  );
}

function kindOf(value: unknown, nothing: unknown): string {
  if (nothing) return "quiet";
  return typeof value === "string"
    ? "j-string"
    : typeof value === "number"
      ? "j-number"
      : typeof value === "object" && value !== null
        ? ""
        : "j-word";
}
