// A field of a state that takes an expression: its text, its completions, and its value with the data of the state's last visit.
// The diagnostics of the field are shown here too.

import { type Signal, useComputed, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useId, useRef } from "preact/hooks";
import { type FieldForm, valueOf } from "../../model/field.ts";
import type { Diagnostic } from "../../model/protocol.ts";
import * as analysis from "../../store/analysis.ts";
import { say, showToast } from "../../store/notifications.ts";
import { Icon } from "../../ui/Icon.tsx";
import { sentence, unticked } from "../../ui/format.ts";
import { dragged } from "../../values/draggedValue.ts";
import type { Field } from "./queries.ts";
import { moreCompletions } from "./moreCompletions.ts";
import { Box } from "./Box.tsx";
import { DataPicker } from "./DataPicker.tsx";
import { useDrop } from "./drop.ts";
import { Given, useExpressionValue, wrongIn } from "./ExpressionValue.tsx";
import { insertion } from "./insert.ts";
import { type Named, wordsFor } from "./naming.ts";
import { Offered, useProposals } from "./proposals.tsx";
import { type Replace, enter, replaceIn, useText } from "./text.ts";
import "./expression.css";

export interface ExpressionFieldProps {
  label: string;
  /** The JSON Pointers of the field, which may not exist, and of its state. */
  pointer: string;
  state: string;
  /** The field's value in the definition; undefined if it has none. */
  value: unknown;
  form: FieldForm;
  language: "JSONPath" | "JSONata";
  /** Called for every change whose text is a valid value. Undefined removes the field. */
  onChange(value: unknown): void;
  describedBy?: string;
}

export function ExpressionField({ label, pointer, state, value, form, language, onChange, describedBy }: ExpressionFieldProps) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const mirror = useRef<HTMLPreElement>(null);
  const picking = useSignal(false);
  const { text, write } = useText(value, form, onChange);
  const field: Field = { state, pointer, language, form };
  const answer = useExpressionValue(field, text);
  const offered = useProposals(field, box, { besides: moreCompletions(field) });
  const diagnostics = useDiagnostics(pointer);
  const read = valueOf(text.value, form);
  const wrong =
    "problem" in read ? read.offset !== undefined && { from: read.offset, to: read.offset + 1 } : wrongIn(answer.value, text.value, form);
  const replace: Replace = (...put) => replaceIn(box.current!, put, write);
  const use = (named: Named, from: number, to: number): void => putNamed(named, from, to, { field, label, box, replace });
  const { over, ...dropping } = useDrop({ field, label, box, mirror, use });
  const problem = "problem" in read ? read.problem : "";
  const bad = problem !== "" || diagnostics.some(({ severity }) => severity === "error");
  const described = [`${id}-given`, diagnostics.length > 0 || problem ? `${id}-problems` : "", describedBy ?? ""].filter(Boolean).join(" ");
  return (
    <div
      class={`xf xf-${form}${over.value ? " over" : ""}${dragged.value ? " catching" : ""}${bad ? " bad" : ""}`}
      data-expression={pointer}
      {...dropping}
    >
      <Head id={id} label={label} picking={picking} />
      <div class="xf-place">
        <Box
          id={id}
          box={box}
          mirror={mirror}
          text={text.value}
          field={field}
          wrong={wrong || undefined}
          aria={{ "aria-describedby": described, "aria-invalid": bad, ...offered.aria }}
          type={(next) => {
            write(next);
            offered.typed();
          }}
          keys={(event) => offered.keys(event) || enter(event, form, replace)}
          leave={offered.close}
        />
        <Offered offered={offered} take={replace} label={label} />
      </div>
      {picking.value && <Picking field={field} label={label} box={box} picking={picking} use={use} />}
      <Problems id={`${id}-problems`} problem={problem} diagnostics={diagnostics} />
      <Given id={`${id}-given`} field={field} label={label} text={text} answer={answer} />
    </div>
  );
}

/** Returns the diagnostics of the field and of nested values. */
function useDiagnostics(pointer: string): readonly Diagnostic[] {
  return useComputed(() =>
    analysis.problems.value.filter((problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`)),
  ).value;
}

interface Place {
  field: Field;
  label: string;
  box: RefObject<HTMLTextAreaElement | null>;
  replace: Replace;
}

/** Inserts the name of a value into the text. */
function putNamed(named: Named, from: number, to: number, { field, label, box, replace }: Place): void {
  const words = wordsFor(named, field.language);
  const last = named.path.findLast((step) => typeof step === "string");
  const name = last === undefined ? named.root.name.replace(/^.*[$.]/, "") || "value" : String(last);
  const made = insertion(box.current!.value, field.form, field.language, words, from, to, name);
  if ("refused" in made) return showToast(made.refused);
  replace(made.from, made.to, made.text, made.caret);
  say(`${words} is in ${label}.`);
}

function Head({ id, label, picking }: { id: string; label: string; picking: Signal<boolean> }) {
  return (
    <div class="xf-head">
      <label for={id}>{label}</label>
      <button
        type="button"
        class="link xf-use"
        aria-expanded={picking.value}
        aria-label={`Use a value in ${label}`}
        title="Use a value of the data"
        onClick={() => (picking.value = !picking.value)}
      >
        Use a value
      </button>
    </div>
  );
}

interface PickingProps {
  field: Field;
  label: string;
  box: RefObject<HTMLTextAreaElement | null>;
  picking: Signal<boolean>;
  use(named: Named, from: number, to: number): void;
}

function Picking({ field, label, box, picking, use }: PickingProps) {
  return (
    <DataPicker
      field={field}
      label={label}
      pick={(named) => {
        picking.value = false;
        use(named, box.current!.selectionStart, box.current!.selectionEnd);
      }}
      close={() => {
        picking.value = false;
        box.current?.focus();
      }}
    />
  );
}

function Problems({ id, problem, diagnostics }: { id: string; problem: string; diagnostics: readonly Diagnostic[] }) {
  if (problem === "" && diagnostics.length === 0) return null;
  return (
    <ul class="xf-problems" id={id}>
      {problem !== "" && <li class="is-bad">{problem}</li>}
      {diagnostics.map((one, i) => (
        <li key={i} class={one.severity === "error" ? "is-bad" : "is-warn"}>
          <Icon name={one.severity === "error" ? "error" : "warning"} size={12} /> {unticked(sentence(one.message))}
        </li>
      ))}
    </ul>
  );
}
