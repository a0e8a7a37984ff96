// JSON Pointers (RFC 6901): `/States/Ship~1Bill/Next`.

/** A member's name or an index as a step of a pointer. */
export function pointerStep(name: string | number): string {
  return String(name).replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The pointer to what these steps lead to from `pointer`. */
export function pointerTo(pointer: string, ...names: (string | number)[]): string {
  return pointer + names.map((name) => `/${pointerStep(name)}`).join("");
}

/** The name or index that a step stands for. */
export function pointerName(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The names and indices that a pointer is made of. */
export function pointerSteps(pointer: string): string[] {
  return pointer.split("/").slice(1).map(pointerName);
}
