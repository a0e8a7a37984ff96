// The URLs of the two files of the WebAssembly module, relative to the files of dist: they are in the same folder. Bundlers
// recognize exactly these expressions.

/** Returns the URL of the file that runs machines. */
export function firstUrl(): URL {
  return new URL("./stepglass-first.wasm", import.meta.url);
}

/** Returns the URL of the file with all other functions. */
export function restUrl(): URL {
  return new URL("./stepglass-rest.wasm", import.meta.url);
}
