// The URL of the WebAssembly module, relative to the sources. The build replaces this module with `wasm-url-dist.ts`.

/** Returns the URL of the WebAssembly module. */
export function wasmUrl(): URL {
  return new URL("../../dist/stepglass.wasm", import.meta.url);
}
