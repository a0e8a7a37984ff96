// js/border/parts.ts, which only this page has.
declare module "stepglass/parts" {
  /// Starts the interpreter's first part, from its address; `rest` is where the other one is, and `lost` is told why what runs
  /// cannot go on without it.
  export function initParts(first: string, rest: string, lost: (why: string) => void): Promise<void>;
  /// Loads the rest.
  export function loadRest(): Promise<void>;
}
