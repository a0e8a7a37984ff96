// Where the two files of the WebAssembly module lie, as the files of dist see it: beside them. Bundlers look for these very
// expressions.

/** The URL of the file that runs machines. */
export function firstUrl(): URL {
  return new URL("./stepglass-first.wasm", import.meta.url);
}

/** The URL of the file with what the first one lacks. */
export function restUrl(): URL {
  return new URL("./stepglass-rest.wasm", import.meta.url);
}
