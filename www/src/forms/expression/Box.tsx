// The text box of an expression, over a coloured copy of its text.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type FieldForm, isBare } from "../../model/field.ts";
import type { Field } from "./queries.ts";
import { pieces } from "./tint.ts";

const EMPTY: Record<FieldForm, string> = {
  path: "$.order.id",
  reference: "$.result",
  template: "{ }",
  jsonata: "$states.input.order.id",
  condition: "$states.input.total > 100",
  "text-or-jsonata": "text, or {% an expression %}",
  "number-or-jsonata": "a number, or {% an expression %}",
};

/** The fields that expect a list, unlike most fields of their form. */
const EMPTY_OF: Readonly<Record<string, string>> = {
  "/ItemsPath": "$.order.items",
  "/Items": "{% $states.input.order.items %}",
};

interface Props {
  id: string;
  box: RefObject<HTMLTextAreaElement | null>;
  mirror: RefObject<HTMLPreElement | null>;
  text: string;
  field: Field;
  wrong: { from: number; to: number } | undefined;
  aria: Record<string, string | boolean | undefined>;
  type(text: string): void;
  keys(event: KeyboardEvent): void;
  leave(): void;
}

export function Box({ id, box, mirror, text, field: { form, language, pointer }, wrong, aria, type, keys, leave }: Props) {
  const shown = useRef(text);
  useLayoutEffect(() => {
    // The text of the box is not replaced while the user types in it, because that would reset its caret and its history.
    if (box.current && box.current.value !== text) box.current.value = text;
    shown.current = text;
  }, [text]);
  return (
    <div class="xf-box">
      {isBare(form) && <Fix>{"{%"}</Fix>}
      <div class="xf-edit">
        <pre ref={mirror} class="xf-mirror" aria-hidden="true">
          {pieces(text, form, wrong).map(({ text: part, kind }, i) =>
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
          placeholder={
            form === "template" && language === "JSONata"
              ? "JSON, or {% an expression %}"
              : (EMPTY_OF[pointer.slice(pointer.lastIndexOf("/"))] ?? EMPTY[form])
          }
          {...aria}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={keys}
          onBlur={leave}
        />
      </div>
      {isBare(form) && <Fix>{"%}"}</Fix>}
    </div>
  );
}

/** The delimiters around each expression, which the user does not type. */
function Fix({ children }: { children: string }) {
  return (
    <code class="xf-fix" aria-hidden="true">
      {children}
    </code>
  );
}
