// The entry for workerd (Cloudflare Workers). It cannot compile WebAssembly at run time, but imports it as a module.

import module from "../../dist/stepglass-fast.wasm?module";
import { initSync } from "./index.ts";

initSync(module);

export * from "./index.ts";
