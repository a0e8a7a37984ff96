// What may wait until the page has shown what matters more.

/// Acts when what was changed up to now has been painted. A tab that nobody sees is not painted, and nothing waits there.
export function afterPaint(act: () => void): void {
  if (document.hidden) setTimeout(act);
  else requestAnimationFrame(() => setTimeout(act));
}
