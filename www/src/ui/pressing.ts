// A press on a button that moves away.

/// How far a pointer leads away from what it has pressed, in px of the screen.
const AWAY = 12;

/// For `onPointerDown` of a pane whose content moves by itself: the click goes to the button that was pressed, also if another thing has
/// come under the pointer meanwhile. Who leads the pointer away clicks nothing, as everywhere.
export function holdPress(event: PointerEvent): void {
  const button = (event.target as Element).closest("button");
  if (!button || event.button !== 0) return;
  const [x, y] = [event.clientX, event.clientY];
  button.setPointerCapture(event.pointerId);
  const lead = (move: PointerEvent): void => {
    if (Math.hypot(move.clientX - x, move.clientY - y) > AWAY) button.releasePointerCapture(event.pointerId);
  };
  button.addEventListener("pointermove", lead);
  button.addEventListener("lostpointercapture", () => button.removeEventListener("pointermove", lead), { once: true });
}
