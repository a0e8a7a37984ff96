// Handles a press on a button that moves away.

/** The distance from which on the pointer has left what it has pressed, in px of the screen. */
const MAX_DISTANCE = 12;

/**
 * For `onPointerDown` of a pane whose content moves by itself. The click goes to the pressed button, even if another element is
 * under the pointer by then. If the user moves the pointer away, there is no click, as everywhere.
 */
export function holdPress(event: PointerEvent): void {
  const button = (event.target as Element).closest("button");
  if (!button || event.button !== 0) return;
  const [x, y] = [event.clientX, event.clientY];
  button.setPointerCapture(event.pointerId);
  const lead = (move: PointerEvent): void => {
    if (Math.hypot(move.clientX - x, move.clientY - y) > MAX_DISTANCE) button.releasePointerCapture(event.pointerId);
  };
  button.addEventListener("pointermove", lead);
  button.addEventListener("lostpointercapture", () => button.removeEventListener("pointermove", lead), { once: true });
}
