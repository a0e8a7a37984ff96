// Where the WebAssembly module lies, as the sources see it. The build takes `wasm-url-dist.ts` in the place of this module.

/** The URL of the WebAssembly module. */
export function wasmUrl(): URL {
  return new URL("../../dist/stepglass.wasm", import.meta.url);
}
