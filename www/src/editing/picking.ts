// A choice among several options, beside the place that it applies to.

import { signal } from "@preact/signals";
import type { OptionGroup } from "../graph-editor/kernel/options.ts";
import type { Choice, Chosen, Spot } from "../graph-editor/kernel/plan.ts";

export type { Mode, Option, OptionGroup } from "../graph-editor/kernel/options.ts";

/** A choice of the kernel, whose position and whose moves are those of the page. */
export interface Choosing extends Omit<Choice, "at" | "move"> {
  /** The point to place the list at. The default is the middle of the graph. */
  at?: Spot;
  move?(id: string, by: number): Promise<readonly OptionGroup[] | undefined>;
}

export interface OpenChoice extends Choosing {
  back: Element | null;
  answer(chosen: Chosen | undefined): void;
}

export const choosing = signal<OpenChoice | null>(null);

/** Shows a choice. Returns undefined if nothing is chosen. The focus returns to where it was. */
export function pick(asked: Choosing): Promise<Chosen | undefined> {
  choosing.peek()?.answer(undefined);
  return new Promise((resolve) => {
    const back = document.activeElement;
    const answer = (chosen: Chosen | undefined): void => {
      choosing.value = null;
      if (back instanceof SVGElement || back instanceof HTMLElement) back.focus({ preventScroll: true });
      resolve(chosen);
    };
    choosing.value = { ...asked, back, answer };
  });
}
