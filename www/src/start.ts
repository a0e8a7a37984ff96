// Starts the interpreter's worker before the page that uses it is loaded.

import "./trusted.ts";

/** A worker and the messages that it sent before a listener was set. */
interface StartedWorker {
  worker: Worker;
  messages: MessageEvent[];
  failed: ErrorEvent | undefined;
}

let first: StartedWorker | undefined = begin();

/** Returns the first worker once, and a new one for each further call. */
export function interpreter(): StartedWorker {
  const begun = first ?? begin();
  first = undefined;
  return begun;
}

function begin(): StartedWorker {
  const worker = new Worker(new URL("./worker/interpreter.ts", import.meta.url), { type: "module", name: "stepglass" });
  const begun: StartedWorker = { worker, messages: [], failed: undefined };
  // Messages would be lost without a listener, so they are stored.
  worker.onmessage = (event) => begun.messages.push(event);
  worker.onerror = (event) => (begun.failed = event);
  return begun;
}
