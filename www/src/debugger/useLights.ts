// The highlighted parts while the user points at a part of a value or at an expression.

import { signal } from "@preact/signals";
import type { Flow, ValueSources } from "../model/protocol.ts";
import type { Path } from "../model/stages.ts";
import * as interpreter from "../store/interpreter.ts";

/** The part that the user points at, and its sources. */
interface Highlight extends ValueSources {
  visit: number;
  stage: number;
  /** The path of the part. For an expression, it is the part that the expression produces. */
  part?: Path;
}

export const shining = signal<Highlight | null>(null);

let latest = 0;

/**
 * Highlights the sources of a part of a stage's value, or of an expression of its field. With neither, nothing is highlighted.
 */
export function highlight(flow: Flow, stage: number, what: { path?: Path; expression?: Path } | null): void {
  const mine = ++latest;
  if (!what || stage < 0) {
    shining.value = null;
    return;
  }
  interpreter.query("lights", { visit: flow.visit, attempt: flow.attempt, stage, item: flow.item, ...what }).then(
    (lights) => {
      if (mine === latest) shining.value = { ...lights, visit: flow.visit, stage, ...(what.path && { part: what.path }) };
    },
    () => {},
  );
}
