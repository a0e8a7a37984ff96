// Where the focus goes when what has it is gone: a row that was removed, a banner that was closed. Nobody begins at the top
// of the page again.

const FOCUSABLE = 'button:enabled, input:enabled, select:enabled, textarea:enabled, a[href]:not(.skip-link), summary, [tabindex="0"]';

/// Keeps it near from here on; returns what ends that.
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
    // Dialogs and menus give it back themselves.
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
