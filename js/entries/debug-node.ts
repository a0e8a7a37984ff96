// The entry `stepglass/debug` for Node. The WebAssembly module is loaded at import.

import "./node.ts";

export * from "./debug.ts";
