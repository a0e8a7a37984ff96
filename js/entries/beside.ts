// What the entries for Node find beside themselves. Bundles have `held.js` in its place: beside a bundle nothing lies.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { codeOf } from "../base/errors.ts";
import { restFrom } from "../border/parts.ts";
import { wasmUrl } from "./wasm-url.ts";

// The files of <stepglass-debugger>; in a checkout also the playground, which is no part of the package.
export const component = folder(new URL(".", wasmUrl()));
export const playground = folder(new URL("../www/dist/", wasmUrl()));

/**
 * The bytes of the WebAssembly module that is made for speed: nobody waits here until it has come over a network. It is the part that
 * runs and checks machines, because the engine checks all code that it loads. The rest is read when one of its functions is called.
 */
export function moduleBytes(): Uint8Array<ArrayBuffer> {
  try {
    const first = beside("stepglass-fast-first.wasm");
    restFrom({
      now: () => beside("stepglass-fast-rest.wasm"),
      later: () => WebAssembly.compile(beside("stepglass-fast-rest.wasm")),
    });
    return first;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  // A bundler without the condition "module" has taken this file away from the other ones. It has this one, too; the build
  // makes a plain require() of it, which bundlers understand.
  return createRequire(import.meta.url)("./held.cjs").moduleBytes();
}

const beside = (file: string): Uint8Array<ArrayBuffer> => readFileSync(new URL(file, wasmUrl()));

function folder(url: URL): string {
  return fileURLToPath(url).replace(/[\\/]$/, "");
}
