// The entry for browsers and bundlers: the module beside this file is fetched by the first `await init()`.

import { setLoader } from "../border/instance.ts";
import { wasmUrl } from "./wasm-url.ts";

setLoader(() => {
  const beside = wasmUrl();
  // A bundle that does not know that it runs in Node, whose `fetch` takes no files.
  const files = beside.protocol === "file:" ? globalThis.process?.getBuiltinModule?.("node:fs/promises") : undefined;
  return files ? files.readFile(beside) : beside;
});

export * from "./index.ts";
