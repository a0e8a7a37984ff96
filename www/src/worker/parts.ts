// The interpreter's two parts: which calls the first part can answer, and which ones wait for the rest.

import { version } from "stepglass";
import { initParts, loadRest } from "stepglass/parts";
import first from "../../../dist/parts/first.wasm?url";
import rest from "../../../dist/parts/rest.wasm?url";
import type { Lost, Methods, Note } from "../model/protocol.ts";

/** Sends a note to the page. */
const post = (note: Note | Lost): void => self.postMessage(note);

/** Returns the address of a file of the page. A worker's own address can be another one. */
const beside = (name: string): string => new URL(name, import.meta.url).href;

const loaded = initParts(beside(first), beside(rest), (message) => post({ note: "lost", message })).then(
  () => post({ note: "ready", version: version() }),
  (error: unknown) => {
    post({ note: "broken", message: String((error as Error)?.message ?? error) });
    throw error;
  },
);
loaded.catch(() => {});

/**
 * The methods that the first part of the interpreter was built for: showing a machine and running it. The rest is loaded for all
 * other methods, and with the first action, so that it is there if a rare feature is needed in the middle of a run.
 */
const OPENING: ReadonlySet<keyof Methods> = new Set([
  "ping",
  "draw",
  "analyze",
  "run",
  "stop",
  "step",
  "runTo",
  "goTo",
  "goToPlace",
  "advance",
  "setStops",
  "setMocks",
  "setClock",
  "kept",
  "answer",
  "handlersDied",
  "variables",
  "scopes",
  "visitsOf",
  "flow",
  "runs",
  "lanes",
  "outcome",
  "rows",
  "place",
  "event",
  "visits",
  "history",
  "json",
]);
let analyzed = 0;
let lacking: Promise<unknown> | undefined;

/** Resolves when the interpreter has the parts that a call needs. All later calls wait too, so that they keep their order. */
export async function enoughFor(method: keyof Methods): Promise<void> {
  await loaded;
  if (method === "analyze") analyzed += 1;
  if (!OPENING.has(method)) {
    const coming = alive(loadRest());
    lacking = coming.catch((error: Error) => post({ note: "lacking", message: error.message }));
    return coming;
  }
  await lacking;
  // If this load fails, it is tried again when the rest is needed.
  if (method === "run" || analyzed > 1) loadRest().catch(() => {});
}

/** Sends signs of life while something is loading, so that a slow connection is not taken for a worker that hangs. */
export function alive<T>(coming: Promise<T>): Promise<T> {
  const signs = setInterval(() => self.postMessage({ id: 0, value: null }), 1_000);
  return coming.finally(() => clearInterval(signs));
}
