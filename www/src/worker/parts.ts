// The interpreter's two parts: which calls the first one answers, and what waits for the rest.

import { version } from "stepglass";
import { initParts, loadRest } from "stepglass/parts";
import first from "../../../dist/parts/first.wasm?url";
import rest from "../../../dist/parts/rest.wasm?url";
import type { Lost, Methods, Note } from "../model/protocol.ts";

/// Says something that the page has not asked for.
const post = (note: Note | Lost): void => self.postMessage(note);

/// Where a file of the page is, for a thread whose own address may be another one's.
const beside = (name: string): string => new URL(name, import.meta.url).href;

const loaded = initParts(beside(first), beside(rest), (message) => post({ note: "lost", message })).then(
  () => post({ note: "ready", version: version() }),
  (error: unknown) => {
    post({ note: "broken", message: String((error as Error)?.message ?? error) });
    throw error;
  },
);
loaded.catch(() => {});

/// What the interpreter's first part was made for: showing a machine and running it. The rest is loaded for everything else,
/// and with the first deed, so that it is there when something rare is met on the way.
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

/// Resolves when there is enough of the interpreter for a call; all later ones wait too, so that they keep their order.
export async function enoughFor(method: keyof Methods): Promise<void> {
  await loaded;
  if (method === "analyze") analyzed += 1;
  if (!OPENING.has(method)) {
    const coming = alive(loadRest());
    lacking = coming.catch((error: Error) => post({ note: "lacking", message: error.message }));
    return coming;
  }
  await lacking;
  // What does not come now is asked for again when it is needed.
  if (method === "run" || analyzed > 1) loadRest().catch(() => {});
}

/// A slow line is no thread that hangs: while something comes there are signs of life, which answer nothing.
export function alive<T>(coming: Promise<T>): Promise<T> {
  const signs = setInterval(() => self.postMessage({ id: 0, value: null }), 1_000);
  return coming.finally(() => clearInterval(signs));
}
