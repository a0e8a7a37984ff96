// The entry `stepglass/durable` for Node. The WebAssembly module is loaded at import.

import "./node.ts";

export * from "./durable.ts";
