// Where the WebAssembly module lies, as the files of dist see it: beside them. Bundlers look for this very expression.

/** The URL of the WebAssembly module. */
export function wasmUrl(): URL {
  return new URL("./stepglass.wasm", import.meta.url);
}
