// The marks that move along transitions during a run. The browser moves them without the main thread, because each is an element
// of its own whose transform is animated.

/** The duration of the shortest and of the longest movement, in milliseconds, and how much a px of the line adds. */
const SHORTEST = 260;
const LONGEST = 480;
const PER_PX = 0.5;

let layer: HTMLElement | null = null;
/** Receives the element that marks move in. Its coordinates are those of the drawing. */
export function tokenLayer(element: HTMLElement | null): void {
  layer = element;
}

/** Returns the keyframes of a mark that moves along a line at an even speed, and the length of the line in px. */
export function keyframesOf(points: readonly (readonly [number, number])[]): { frames: Keyframe[]; length: number } {
  const at = [0];
  for (let i = 1; i < points.length; i++) {
    const [[ax, ay], [bx, by]] = [points[i - 1]!, points[i]!];
    at.push(at[i - 1]! + Math.hypot(bx - ax, by - ay));
  }
  const length = at.at(-1) ?? 0;
  const frames = points.map(([x, y], i) => ({
    transform: `translate(${x}px, ${y}px)`,
    offset: length === 0 ? i / Math.max(1, points.length - 1) : at[i]! / length,
  }));
  return { frames, length };
}

/** Moves a mark along a line. Returns a function that removes it early, or null if there is no drawing. */
export function sendToken(points: readonly (readonly [number, number])[], end: () => void): (() => void) | null {
  if (!layer) return null;
  const token = document.createElement("div");
  token.className = "token";
  layer.append(token);
  const { frames, length } = keyframesOf(points);
  const movement = token.animate(frames, {
    duration: Math.min(LONGEST, SHORTEST + length * PER_PX),
    easing: "cubic-bezier(0.4, 0, 0.4, 1)",
    fill: "both",
  });
  movement.onfinish = end;
  return () => {
    movement.cancel();
    token.remove();
  };
}
