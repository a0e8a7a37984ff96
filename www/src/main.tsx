// The first script: it starts the interpreter's thread, so that its WebAssembly comes beside the page's own code.

import "./start.ts";

// Not in the same task, which would keep the thread from beginning.
setTimeout(() => import("./page.tsx"));
