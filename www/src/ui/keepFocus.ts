// Moves the focus when the focused element is removed, for example a row or a banner. Otherwise a keyboard user would start at
// the top of the page again.

const FOCUSABLE = 'button:enabled, input:enabled, select:enabled, textarea:enabled, a[href]:not(.skip-link), summary, [tabindex="0"]';

/** Starts to keep the focus near the removed element. Returns the function that ends this. */
export function keepFocus(): () => void {
  let last: Element | null = null;
  let around: Element[] = [];
  const remember = ({ target }: FocusEvent): void => {
    last = target instanceof Element ? target : null;
    around = [];
    for (let at = last?.parentElement; at && at !== document.body; at = at.parentElement) around.push(at);
  };
  const watch = new MutationObserver(() => {
    if (!last || last.isConnected || document.activeElement !== document.body) return;
    // Dialogs and menus restore the focus themselves.
    const home = around.some((one) => one.matches("dialog, [role=menu]"))
      ? undefined
      : around.find((one) => one.isConnected && one.querySelector(FOCUSABLE));
    last = null;
    if (home && home.id !== "app") home.querySelector<HTMLElement>(FOCUSABLE)?.focus({ preventScroll: true });
  });
  addEventListener("focusin", remember);
  watch.observe(document.body, { childList: true, subtree: true });
  return () => {
    removeEventListener("focusin", remember);
    watch.disconnect();
  };
}
