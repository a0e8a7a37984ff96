// What is lit while somebody points at a part of a value, or at an expression.

import { signal } from "@preact/signals";
import type { Flow, Lights } from "../model/protocol.ts";
import type { Path } from "../model/stages.ts";
import * as interpreter from "../store/interpreter.ts";

/// What is pointed at, and what that goes back to.
interface Shining extends Lights {
  visit: number;
  stage: number;
  /// The part of the value that is pointed at; of an expression, what it makes.
  part?: Path;
}

export const shining = signal<Shining | null>(null);

let latest = 0;

/// Lights what a part of a stage's value, or a leaf of its field, came from; with neither, nothing.
export function light(flow: Flow, stage: number, what: { path?: Path; expression?: Path } | null): void {
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
