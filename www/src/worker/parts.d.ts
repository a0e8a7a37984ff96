// src/js/parts.js, which only this page has.
declare module "stepglass/parts" {
  /// Starts the interpreter's first part, from its address; `rest` is where the other one is.
  export function initParts(first: string, rest: string): Promise<void>;
  /// Loads the rest.
  export function loadRest(): Promise<void>;
}
