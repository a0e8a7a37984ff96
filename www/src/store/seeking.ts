// Moves the interpreter to the position that the page displays.

import { run } from "./execution.ts";
import { client } from "./interpreter.ts";

let lookingBack = false;
/** Returns whether the user drags the time line. Then the page is ahead of the interpreter. */
export const isLookingBack = (): boolean => lookingBack;
let where = 0;
/** The interpreter follows the displayed position at most this often, in milliseconds, unless something is asked of it. */
const SEEK_EVERY = 120;
let sought = -SEEK_EVERY;

/**
 * Moves the interpreter to the displayed position, so that steps begin there. There is one call at a time, however fast the user
 * drags.
 */
export function seekInterpreter(event: number): void {
  const state = run.value;
  where = event;
  if (lookingBack || !state || state.recorded !== undefined || (state.phase !== "paused" && state.phase !== "ended") || state.id === 0)
    return;
  lookingBack = true;
  const wait = sought + SEEK_EVERY - performance.now();
  if (wait <= 0) return sendPosition();
  const timer = setTimeout(sendPosition, wait);
  client.beforeCall = () => {
    clearTimeout(timer);
    sendPosition();
  };
}

function sendPosition(): void {
  client.beforeCall = undefined;
  sought = performance.now();
  const told = where;
  client
    .call("goTo", { event: told })
    .catch(() => {})
    .finally(() => {
      lookingBack = false;
      if (where !== told) seekInterpreter(where);
    });
}
