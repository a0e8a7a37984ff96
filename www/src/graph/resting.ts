// The node that the pointer or the focus rests on, whose card with details is shown.

import { effect, signal } from "@preact/signals";
import { view } from "./viewport.ts";

const REST = 400;
const GRACE = 250;

export const card = signal<{ id: string; box: DOMRect } | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Called when the pointer or the focus comes to a node. */
export function rest(id: string, element: Element): void {
  clearTimeout(timer);
  if (card.value?.id === id) return;
  timer = setTimeout(() => (card.value = { id, box: element.getBoundingClientRect() }), card.value ? 120 : REST);
}

/** Called when the pointer or the focus has left. The card stays for a moment, so that the pointer can reach it. */
export function leave(): void {
  clearTimeout(timer);
  timer = setTimeout(() => (card.value = null), GRACE);
}

/** Called when the pointer has reached the card. */
export const stay = (): void => clearTimeout(timer);

/** Hides the card. Returns false if there was none. */
export function dismiss(): boolean {
  clearTimeout(timer);
  const there = card.value !== null;
  card.value = null;
  return there;
}

effect(() => {
  // If the view moves, the card is no longer beside its node.
  void view.value;
  if (card.peek()) dismiss();
});
