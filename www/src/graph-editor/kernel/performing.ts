// Applying a gesture: the questions before it, and what happens if it is refused.

import type { Edited, Gesture, RefusedEdit } from "stepglass";
import { sentence, unticked } from "../../ui/format.ts";
import { SURE, lostTitle } from "./gestures.ts";
import { refuse } from "./messages.ts";
import { type PerformOptions, type Plan, ask } from "./plan.ts";

/** How often a gesture is tried on a text that changes meanwhile. */
const TRIES = 3;

/** Applies a gesture. If nothing was changed, it shows why, and the result is undefined. */
export function* performing(gesture: Gesture, options: PerformOptions = {}): Plan<Edited | undefined> {
  if (!(yield* ask("editable"))) return undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const attempt = yield* ask("edit", gesture);
    if ("failed" in attempt) return void (yield* refuse(attempt.failed));
    if (attempt.stale) continue;
    const { done } = attempt;
    if ("refused" in done) return yield* refused(gesture, done.refused, options);
    if (options.careful && done.losses.length > 0) {
      const sure = yield* ask("pick", { title: unticked(lostTitle(gesture, done.losses)), groups: SURE, at: options.at });
      if (sure?.id !== "yes") return undefined;
    }
    yield* ask("apply", { ...attempt, done }, gesture, options);
    return done;
  }
  yield* ask("notify", "The text is being changed. Try again.", true);
  return undefined;
}

/** A deletion can leave open where transitions go. The user decides. */
function* refused(gesture: Gesture, { code, message, choices }: RefusedEdit["refused"], options: PerformOptions): Plan<Edited | undefined> {
  if (code !== "ambiguous" || !choices || gesture.kind !== "delete") return void (yield* refuse(message));
  const to = yield* ask("pick", {
    title: unticked(sentence(message)),
    placeholder: "Where the transitions go",
    groups: [
      { title: "", options: choices.map((choice) => ({ id: choice.to ?? "", title: choice.to === null ? "Nowhere" : choice.name })) },
    ],
    at: options.at,
  });
  return to && (yield* performing({ ...gesture, to: to.id === "" ? null : to.id }, options));
}

/** Returns states as a definition of their own. If that is not possible, it shows why, and the result is undefined. */
export function* textOf(states: readonly string[]): Plan<string | undefined> {
  const attempt = yield* ask("edit", { kind: "copy", states });
  if ("failed" in attempt) return void (yield* refuse(attempt.failed));
  if ("refused" in attempt.done) return void (yield* refuse(attempt.done.refused.message));
  return attempt.done.asl;
}
