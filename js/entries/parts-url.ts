// Where the two files of the WebAssembly module lie, as the sources see it. The build takes `parts-url-dist.ts` in the place of this
// module.

/** The URL of the file that runs machines. */
export function firstUrl(): URL {
  return new URL("../../dist/stepglass-first.wasm", import.meta.url);
}

/** The URL of the file with what the first one lacks. */
export function restUrl(): URL {
  return new URL("../../dist/stepglass-rest.wasm", import.meta.url);
}
