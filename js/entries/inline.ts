// The entry that contains the WebAssembly module, for single-file pages, workers and bundlers that emit no assets.

import bytes from "../../dist/stepglass.wasm";
import { initSync } from "./index.ts";

initSync(bytes);

export * from "./index.ts";
