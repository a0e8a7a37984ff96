// The entry for browsers and bundlers: the module beside this file is fetched by the first `await init()`.

import { setLoader } from "../border/instance.ts";

setLoader(() => {
  const beside = new URL("../../dist/stepglass.wasm", import.meta.url);
  // A bundle that does not know that it runs in Node, whose `fetch` takes no files.
  const files = beside.protocol === "file:" ? globalThis.process?.getBuiltinModule?.("node:fs/promises") : undefined;
  return files ? files.readFile(beside) : beside;
});

export * from "./index.ts";
