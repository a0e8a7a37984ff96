// A field with an expression. Its text is written to the definition with a delay after the last keystroke.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useForm } from "./context.ts";
import { ExpressionField, type ExpressionFieldProps } from "./expression/ExpressionField.tsx";
import { Pending } from "./pending.ts";
import { Row } from "./Row.tsx";
import { isExpression, isPlaceholder, same } from "./values.ts";
import { put } from "./write.ts";

interface Props {
  at: string;
  name: string;
  value: unknown;
  form: ExpressionFieldProps["form"];
  /** The selector between alternative fields. It replaces the name. */
  ways?: ComponentChildren;
  /** Writes the value, if it is not a field of its own. */
  write?(value: unknown): Promise<string | undefined>;
}

export function Expression({ at, name, value, form, ways, write }: Props) {
  const { formed } = useForm();
  /** The typed value that is not in the text yet. */
  const typed = useSignal<{ value: unknown } | null>(null);
  const problem = useSignal<string | undefined>(undefined);
  const pending = useMemo(() => new Pending(), []);
  const latest = useRef({ value, write, at });
  latest.current = { value, write, at };
  if (typed.peek() && !pending.isDue && same(typed.peek()!.value, value)) typed.value = null;
  const settle = (): void => {
    if (!pending.isDue) return;
    pending.stop();
    const held = typed.peek();
    if (!held) return;
    const wrong = form === "number-or-jsonata" ? notANumber(held.value, formed.language === "JSONata") : undefined;
    problem.value = wrong;
    if (wrong !== undefined) return;
    const now = latest.current;
    pending.write(now.write ? now.write(held.value) : put(now.at, held.value, now.value), (refused) => {
      problem.value = refused;
    });
  };
  pending.settle = settle;
  useEffect(() => settle, []);
  // The value was changed elsewhere, by an undo or in the text.
  const seen = useRef(value);
  if (!same(seen.current, value)) {
    seen.current = value;
    if (!pending.isDue) {
      typed.value = null;
      problem.value = undefined;
    }
  }
  return (
    <Row at={at} name={name} bare problem={problem.value} ways={ways}>
      <div onFocusOut={settle}>
        <ExpressionField
          label={name}
          pointer={at}
          state={formed.pointer}
          value={typed.value ? typed.value.value : value}
          form={form}
          language={formed.language}
          onChange={(next) => {
            typed.value = { value: next };
            pending.type();
          }}
        />
      </div>
    </Row>
  );
}

function notANumber(value: unknown, jsonata: boolean): string | undefined {
  if (typeof value !== "string" || isPlaceholder(value) || (jsonata && isExpression(value))) return undefined;
  return jsonata ? "Enter a number or an {% expression %}." : "Enter a number.";
}
