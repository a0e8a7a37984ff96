// Choosing one of several things, beside the place that it is about.

import { signal } from "@preact/signals";
import type { Mode, Option, OptionGroup } from "../model/options.ts";

export type { Mode, Option, OptionGroup } from "../model/options.ts";

export interface Choosing {
  title: string;
  /// Of the field that filters; without one there is no field.
  placeholder: string;
  groups: readonly OptionGroup[];
  modes?: readonly Mode[];
  /// Options that are found elsewhere.
  search?(text: string): Promise<readonly OptionGroup[]>;
  /// What is in the field at first.
  text?: string;
  /// The option that the text of the field is by itself; undefined where it is none.
  made?(text: string): Option | undefined;
  /// Says why there is no option.
  nothing?(text: string): string;
  /// Moves an option up or down in its list; gives the list as it is then, or undefined where nothing moved.
  move?(id: string, by: number): Promise<readonly OptionGroup[] | undefined>;
  /// Letters that choose at once, where there is no field.
  keys?: Readonly<Record<string, string>>;
  /// The option that is chosen at first.
  chosen?: string;
  /// Beside this point; without one in the middle of the graph.
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

/// Asks; undefined where nothing is chosen. What had the focus gets it back.
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
