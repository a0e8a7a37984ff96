// The entry `stepglass/dap` for Node. The WebAssembly module is loaded at import.

import "./node.ts";

export * from "./dap.ts";
