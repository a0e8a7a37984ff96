// The entry for Node, Deno and Bun: everything is ready at import.

import { readFileSync } from "node:fs";
import { initSync } from "./index.js";

initSync(readFileSync(new URL("../../dist/stepglass.wasm", import.meta.url)));

export * from "./index.js";
