// Gives a toolbar a single tab stop. The arrow keys move between its buttons.

import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

export function useRoving(bar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = bar.current!;
    const all = (): HTMLButtonElement[] => [...element.querySelectorAll<HTMLButtonElement>("button:enabled")];
    const stopAt = (button: HTMLElement | undefined): void => {
      for (const one of all()) one.tabIndex = one === button ? 0 : -1;
    };
    const keys = (event: KeyboardEvent): void => {
      const buttons = all();
      const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (at < 0 || to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      buttons[(to + buttons.length) % buttons.length]!.focus();
    };
    const focused = (event: FocusEvent): void => stopAt(event.target as HTMLElement);
    stopAt(all()[0]);
    element.addEventListener("keydown", keys);
    element.addEventListener("focusin", focused);
    return () => {
      element.removeEventListener("keydown", keys);
      element.removeEventListener("focusin", focused);
    };
  }, []);
}
