// JSON Pointers (RFC 6901): "/States/a~1b" is the member "a/b" of the member "States".

/** A member's name as a step of a JSON Pointer. */
export function pointerStep(name: string | number): string {
  return String(name).replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The names in a JSON Pointer, from the outside in. */
export function pointerSteps(pointer: string): string[] {
  return pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
