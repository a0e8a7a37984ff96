// Defers work until the page has painted what is more important.

/**
 * Calls a function when the changes so far have been painted. A hidden tab is not painted, so there the function is called soon.
 */
export function afterPaint(act: () => void): void {
  if (document.hidden) setTimeout(act);
  else requestAnimationFrame(() => setTimeout(act));
}
