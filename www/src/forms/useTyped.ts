// A control whose text is written a moment after the last key, or when it is left.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Pending } from "./pending.ts";
import type { Typed } from "./values.ts";
import { same } from "./values.ts";

export interface TypedControl {
  text: string;
  problem: string | undefined;
  type(text: string): void;
  /// The same, and it is written only when the control is left.
  hold(text: string): void;
  /// Writes what was typed now.
  settle(): void;
  /// Forgets what was typed and is not written.
  reset(): void;
}

/// `value` is what the text has; `shown` is how it looks in the control.
export function useTyped(
  value: unknown,
  shown: (value: unknown) => string,
  read: (text: string) => Typed,
  write: (value: unknown) => void | Promise<string | undefined>,
): TypedControl {
  const draft = useSignal<string | null>(null);
  const problem = useSignal<string | undefined>(undefined);
  const pending = useMemo(() => new Pending(), []);
  /// What the hands of the timer and of the last frame use.
  const latest = useRef({ value, read, write, shown });
  latest.current = { value, read, write, shown };
  /// Nobody is in it any more: what was typed goes when it is written.
  const left = useRef(false);
  /// Whether there is something to write.
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
    // Somebody has written something else since, or nobody is in it any more.
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
