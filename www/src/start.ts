// The interpreter's thread, begun before the page that asks it.

import "./trusted.ts";

/// A thread, and what it has said that nobody has heard yet.
export interface Begun {
  worker: Worker;
  said: MessageEvent[];
  failed: ErrorEvent | undefined;
}

let first: Begun | undefined = begin();

/// The thread that came with the page, once; after it a new one each time.
export function interpreter(): Begun {
  const begun = first ?? begin();
  first = undefined;
  return begun;
}

function begin(): Begun {
  const worker = new Worker(new URL("./worker/interpreter.ts", import.meta.url), { type: "module", name: "stepglass" });
  const begun: Begun = { worker, said: [], failed: undefined };
  // A thread's messages do not wait for somebody to listen.
  worker.onmessage = (event) => begun.said.push(event);
  worker.onerror = (event) => (begun.failed = event);
  return begun;
}
