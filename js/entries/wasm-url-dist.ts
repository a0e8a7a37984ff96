// The URL of the WebAssembly module, relative to the files of dist: it is in the same folder. Bundlers recognize exactly this
// expression.

/** Returns the URL of the WebAssembly module. */
export function wasmUrl(): URL {
  return new URL("./stepglass.wasm", import.meta.url);
}
