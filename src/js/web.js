// The entry for browsers and bundlers: the module beside this file is fetched by the first `await init()`.

import { setLoader } from "./instance.js";

setLoader(() => new URL("../../dist/stepglass.wasm", import.meta.url));

export * from "./index.js";
