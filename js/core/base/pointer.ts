// JSON Pointers (RFC 6901): `/States/Ship~1Bill/Next`.

/** Encodes a member's name or an index as a step of a pointer. */
export function pointerStep(name: string | number): string {
  return String(name).replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Appends steps to a pointer. */
export function pointerTo(pointer: string, ...names: (string | number)[]): string {
  return pointer + names.map((name) => `/${pointerStep(name)}`).join("");
}

/** Decodes the name or index of a step. */
export function pointerName(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Returns the names and indices of a pointer. */
export function pointerSteps(pointer: string): string[] {
  return pointer.split("/").slice(1).map(pointerName);
}
