// A control whose text is written with a delay after the last keystroke, or when the control is left.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Pending } from "./pending.ts";
import type { Typed } from "./values.ts";
import { same } from "./values.ts";

export interface TypedControl {
  text: string;
  problem: string | undefined;
  type(text: string): void;
  /** Sets the text. It is written only when the control is left. */
  hold(text: string): void;
  /** Writes the typed text now. */
  settle(): void;
  /** Discards the typed text that is not written yet. */
  reset(): void;
}

/** `value` is the value in the definition. `shown` is its text in the control. */
export function useTyped(
  value: unknown,
  shown: (value: unknown) => string,
  read: (text: string) => Typed,
  write: (value: unknown) => void | Promise<string | undefined>,
): TypedControl {
  const draft = useSignal<string | null>(null);
  const problem = useSignal<string | undefined>(undefined);
  const pending = useMemo(() => new Pending(), []);
  /** The current props, for callbacks of the timer and of the last frame. */
  const latest = useRef({ value, read, write, shown });
  latest.current = { value, read, write, shown };
  /** Whether the control has lost the focus. The typed text is dropped when it is written. */
  const left = useRef(false);
  /** Writes the text. Returns whether there was something to write. */
  const settle = (): boolean => {
    pending.stop();
    const text = draft.peek();
    if (text === null) return false;
    const now = latest.current;
    const typed = now.read(text);
    problem.value = "problem" in typed ? typed.problem : undefined;
    if ("problem" in typed) return true;
    const next = "absent" in typed ? undefined : typed.value;
    if (same(next, now.value)) return false;
    pending.write(now.write(next), (refused) => {
      if (refused !== undefined) problem.value = refused;
    });
    return true;
  };
  pending.settle = settle;
  useEffect(() => () => void settle(), []);
  const seen = useRef(value);
  if (!same(seen.current, value)) {
    seen.current = value;
    const typed = draft.peek() === null ? undefined : read(draft.peek()!);
    const own = typed !== undefined && !("problem" in typed) && same("absent" in typed ? undefined : typed.value, value);
    // The value was changed elsewhere, or the control has lost the focus.
    if (!pending.isDue && (!own || left.current)) draft.value = null;
  }
  return {
    text: draft.value ?? shown(value),
    problem: problem.value,
    type(text) {
      left.current = false;
      draft.value = text;
      pending.type();
    },
    hold(text) {
      left.current = false;
      draft.value = text;
      pending.hold();
    },
    settle() {
      left.current = true;
      if (!settle()) draft.value = null;
    },
    reset() {
      pending.stop();
      draft.value = null;
      problem.value = undefined;
    },
  };
}
