// A field of a state that takes an expression: its text, what may be written there, and beside it the value that it gives on
// the data of the state's last visit. The diagnostics of the field are shown here too.

import { useComputed, useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { type FieldForm, isBare, isText, textOf, valueOf } from "../../model/field.ts";
import * as analysis from "../../store/analysis.ts";
import { say, showToast } from "../../store/words.ts";
import { Icon } from "../../ui/Icon.tsx";
import { sentence, unticked } from "../../ui/format.ts";
import { carried, putDown } from "../../values/carried.ts";
import { type Field, askField } from "./ask.ts";
import { DataPicker } from "./DataPicker.tsx";
import { insertion } from "./insert.ts";
import { type Named, findIn, wordsFor } from "./naming.ts";
import { Offered, useProposals } from "./proposals.tsx";
import { pieces } from "./tint.ts";
import { Given, useGiven, wrongIn } from "./Given.tsx";
import "./expression.css";

export interface ExpressionFieldProps {
  label: string;
  /// JSON pointers of the field, which need not be there, and of its state.
  pointer: string;
  state: string;
  /// What the definition has there; undefined where it has nothing.
  value: unknown;
  form: FieldForm;
  language: "JSONPath" | "JSONata";
  /// Hears of every change whose text stands for a value; undefined takes the field away.
  onChange(value: unknown): void;
  describedBy?: string;
}

const EMPTY: Record<FieldForm, string> = {
  path: "$.order.id",
  reference: "$.result",
  template: "{ }",
  jsonata: "$states.input.order.id",
  condition: "$states.input.total > 100",
  "text-or-jsonata": "text, or {% an expression %}",
  "number-or-jsonata": "a number, or {% an expression %}",
};

export function ExpressionField({ label, pointer, state, value, form, language, onChange, describedBy }: ExpressionFieldProps) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const mirror = useRef<HTMLPreElement>(null);
  const text = useSignal(textOf(value, form));
  const told = useRef(JSON.stringify(value));
  const picking = useSignal(false);
  const over = useSignal(false);
  // What somebody else has written there, an undo for instance, is taken over; what was told from here is there already.
  const given = JSON.stringify(value);
  if (given !== told.current) {
    told.current = given;
    text.value = textOf(value, form);
  }
  const field: Field = { state, pointer, language, form };
  const answer = useGiven(field, text);
  const offered = useProposals(field, box);
  const diagnostics = useComputed(() =>
    analysis.problems.value.filter((problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`)),
  ).value;
  const read = valueOf(text.value, form);
  const wrong =
    "problem" in read ? read.offset !== undefined && { from: read.offset, to: read.offset + 1 } : wrongIn(answer.value, text.value, form);

  const write = (next: string): void => {
    text.value = next;
    const made = valueOf(next, form);
    if ("problem" in made) return;
    const now = JSON.stringify(made.value);
    if (now === told.current) return;
    told.current = now;
    onChange(made.value);
  };
  /// With the browser's own history, so that Ctrl+Z in the field takes it back.
  const replace = (from: number, to: number, put: string, caret: number): void => {
    const area = box.current!;
    area.focus();
    area.setSelectionRange(from, to);
    if (!document.execCommand(put === "" ? "delete" : "insertText", false, put)) {
      area.setRangeText(put, from, to);
      write(area.value);
    }
    area.setSelectionRange(caret, caret);
  };
  const use = (named: Named, from: number, to: number): void => {
    const words = wordsFor(named, language);
    const last = named.path.findLast((step) => typeof step === "string");
    const name = last === undefined ? named.root.name.replace(/^.*[$.]/, "") || "value" : String(last);
    const made = insertion(box.current!.value, form, language, words, from, to, name);
    if ("refused" in made) return showToast(made.refused);
    replace(made.from, made.to, made.text, made.caret);
    say(`${words} is in ${label}.`);
  };
  const drop = (event: DragEvent): void => {
    const what = carried.value;
    over.value = false;
    if (!what) return;
    event.preventDefault();
    const at = offsetAt(mirror.current!, event.clientX, event.clientY) ?? box.current!.value.length;
    putDown();
    askField("data", field, {}).then(
      (data) => {
        const found = findIn(data, what);
        if (found) return use(found, at, at);
        // Before a run there is nothing to hold it against: it is taken as the state's input.
        if (data.lacks === "not visited" && what.role !== "result" && what.role !== "errorOutput")
          return use(
            { root: { name: language === "JSONata" ? "$states.input" : "$", label: "State input", value: undefined }, path: what.path },
            at,
            at,
          );
        showToast(`That value is not in the data that ${label} sees.`);
      },
      (error: Error) => showToast(error.message),
    );
  };
  const dragOver = (event: DragEvent): void => {
    if (!carried.value) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    over.value = true;
    const at = offsetAt(mirror.current!, event.clientX, event.clientY);
    const area = box.current!;
    if (at === undefined || form === "path" || form === "reference") return;
    if (document.activeElement !== area) area.focus({ preventScroll: true });
    area.setSelectionRange(at, at);
  };
  const keys = (event: KeyboardEvent): void => {
    if (offered.keys(event)) return;
    const area = event.currentTarget as HTMLTextAreaElement;
    if (event.key !== "Enter" || event.isComposing) return;
    if (form === "path" || form === "reference") return event.preventDefault();
    if (isText(form, area.value) || event.shiftKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const [from, to] = [area.selectionStart, area.selectionEnd];
    const line = area.value.slice(0, from).split("\n").at(-1)!;
    const opens = /[{[]\s*$/.test(line);
    const indent = /^[ \t]*/.exec(line)![0];
    const closes = opens && /^\s*[}\]]/.test(area.value.slice(to));
    const put = `\n${indent}${opens ? "  " : ""}`;
    replace(from, to, closes ? `${put}\n${indent}` : put, from + put.length);
  };
  const shown = useRef(text.value);
  useLayoutEffect(() => {
    // The area's own text is let be while somebody writes in it: a new one would take its caret and its history.
    if (box.current && box.current.value !== text.value) box.current.value = text.value;
    shown.current = text.value;
  }, [text.value]);

  const problem = "problem" in read ? read.problem : "";
  const bad = problem !== "" || diagnostics.some(({ severity }) => severity === "error");
  const described = [`${id}-given`, diagnostics.length > 0 || problem ? `${id}-problems` : "", describedBy ?? ""].filter(Boolean).join(" ");
  return (
    <div
      class={`xf xf-${form}${over.value ? " over" : ""}${carried.value ? " catching" : ""}${bad ? " bad" : ""}`}
      data-expression={pointer}
      onDragOver={dragOver}
      onDragLeave={(event) => (event.currentTarget as Element).contains(event.relatedTarget as Node | null) || (over.value = false)}
      onDrop={drop}
    >
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
      <div class="xf-place">
        <div class="xf-box">
          {isBare(form) && (
            <code class="xf-fix" aria-hidden="true">
              {"{%"}
            </code>
          )}
          <div class="xf-edit">
            <pre ref={mirror} class="xf-mirror" aria-hidden="true">
              {pieces(text.value, form, wrong || undefined).map(({ text: part, kind }, i) =>
                kind === "" ? (
                  part
                ) : (
                  <span key={i} class={kind}>
                    {part}
                  </span>
                ),
              )}
              {"\n"}
            </pre>
            <textarea
              ref={box}
              id={id}
              rows={1}
              spellcheck={false}
              autocapitalize="off"
              autocomplete="off"
              defaultValue={shown.current}
              placeholder={form === "template" && language === "JSONata" ? "JSON, or {% an expression %}" : EMPTY[form]}
              aria-describedby={described}
              aria-invalid={bad}
              {...offered.aria}
              onInput={(event) => {
                write(event.currentTarget.value);
                offered.typed();
              }}
              onKeyDown={keys}
              onBlur={offered.close}
            />
          </div>
          {isBare(form) && (
            <code class="xf-fix" aria-hidden="true">
              {"%}"}
            </code>
          )}
        </div>
        <Offered offered={offered} take={replace} label={label} />
      </div>
      {picking.value && (
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
      )}
      {(problem !== "" || diagnostics.length > 0) && (
        <ul class="xf-problems" id={`${id}-problems`}>
          {problem !== "" && <li class="is-bad">{problem}</li>}
          {diagnostics.map((one, i) => (
            <li key={i} class={one.severity === "error" ? "is-bad" : "is-warn"}>
              <Icon name={one.severity === "error" ? "error" : "warning"} size={12} /> {unticked(sentence(one.message))}
            </li>
          ))}
        </ul>
      )}
      <Given id={`${id}-given`} field={field} label={label} text={text} answer={answer} />
    </div>
  );
}

/// The offset in a text of what is under the pointer.
function offsetAt(element: Element, x: number, y: number): number | undefined {
  const found: { node: Node; offset: number } | undefined =
    "caretPositionFromPoint" in document
      ? of(document.caretPositionFromPoint(x, y))
      : // What Safari has instead.
        ofRange((document as { caretRangeFromPoint?(x: number, y: number): Range | null }).caretRangeFromPoint?.(x, y));
  if (!found || !element.contains(found.node)) return undefined;
  const range = new Range();
  range.setStart(element, 0);
  range.setEnd(found.node, found.offset);
  return Math.min(range.toString().length, element.textContent!.length - 1);
}

const of = (place: CaretPosition | null): { node: Node; offset: number } | undefined =>
  place ? { node: place.offsetNode, offset: place.offset } : undefined;
const ofRange = (range: Range | null | undefined): { node: Node; offset: number } | undefined =>
  range ? { node: range.startContainer, offset: range.startOffset } : undefined;
