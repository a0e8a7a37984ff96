// The URLs of the two files of the WebAssembly module, relative to the sources. The build replaces this module with
// `parts-url-dist.ts`.

/** Returns the URL of the file that runs machines. */
export function firstUrl(): URL {
  return new URL("../../dist/stepglass-first.wasm", import.meta.url);
}

/** Returns the URL of the file with all other functions. */
export function restUrl(): URL {
  return new URL("../../dist/stepglass-rest.wasm", import.meta.url);
}
