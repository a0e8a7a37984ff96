// The files that the entries for Node read from the package. Bundles contain `wasm-inline.ts` instead, because the files are not beside a
// bundle.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { codeOf } from "../core/base/errors.ts";
import { restFrom } from "../core/border/module-parts.ts";
import { compiled } from "./lazy-validation.ts";
import { wasmUrl } from "./wasm-url.ts";

// The files of <stepglass-debugger>. In a checkout, there is also the playground, which is not part of the package.
export const component = folder(new URL(".", wasmUrl()));
export const playground = folder(new URL("../www/dist/", wasmUrl()));

/**
 * Returns the bytes of the WebAssembly module that is optimized for speed: its size matters little here, because it is not loaded
 * over a network. They are the part that runs and checks machines, because the engine of JavaScript validates all code that it
 * loads. The rest is read when one of its functions is called.
 */
export function moduleBytes(): Uint8Array<ArrayBuffer> {
  try {
    const first = bytesOf("stepglass-fast-first.wasm");
    restFrom({
      now: () => compiled(bytesOf("stepglass-fast-rest.wasm")),
      later: () => WebAssembly.compile(bytesOf("stepglass-fast-rest.wasm")),
    });
    return first;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  // A bundler that does not use the condition "module" has separated this file from the others. It has also bundled the file below,
  // because the build turns this call into a plain require(), which bundlers understand.
  return createRequire(import.meta.url)("./wasm-inline.js").moduleBytes();
}

const bytesOf = (file: string): Uint8Array<ArrayBuffer> => readFileSync(new URL(file, wasmUrl()));

function folder(url: URL): string {
  return fileURLToPath(url).replace(/[\\/]$/, "");
}
