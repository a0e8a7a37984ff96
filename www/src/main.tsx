// The first script starts the interpreter's worker, so that its WebAssembly is loaded at the same time as the page's own code.

import "./start.ts";

// The import is not in the same task, because it would delay the start of the worker.
setTimeout(() => import("./page.tsx"));
