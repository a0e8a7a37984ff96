// A choice among several options, beside the place that it applies to.

import { signal } from "@preact/signals";
import type { Mode, Option, OptionGroup } from "../model/options.ts";

export type { Mode, Option, OptionGroup } from "../model/options.ts";

export interface Choosing {
  title: string;
  /** The placeholder of the filter field. If it is absent, there is no field. */
  placeholder: string;
  groups: readonly OptionGroup[];
  modes?: readonly Mode[];
  /** Searches for further options elsewhere. */
  search?(text: string): Promise<readonly OptionGroup[]>;
  /** The initial text of the field. */
  text?: string;
  /** Returns the option that the text itself stands for, or undefined. */
  made?(text: string): Option | undefined;
  /** Returns the message that there is no option. */
  nothing?(text: string): string;
  /** Moves an option up or down in its list. Returns the new list, or undefined if nothing moved. */
  move?(id: string, by: number): Promise<readonly OptionGroup[] | undefined>;
  /** The letters that select an option at once, if there is no field. */
  keys?: Readonly<Record<string, string>>;
  /** The option that is selected at first. */
  chosen?: string;
  /** The point to place the list at. The default is the middle of the graph. */
  at?: { x: number; y: number };
}

export interface Chosen {
  id: string;
  mode: string;
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
