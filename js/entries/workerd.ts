// The entry for workerd (Cloudflare Workers), which compiles no WebAssembly at run time and takes it as a module.

import module from "../../dist/stepglass-fast.wasm?module";
import { initSync } from "./index.ts";

initSync(module);

export * from "./index.ts";
