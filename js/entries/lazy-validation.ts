// Validation of the WebAssembly module's functions at their first call instead of at the start. The command turns it on: it calls a
// few hundred of several thousand functions, and validating the others takes 7 ms of CPU.

/**
 * The function that sets a flag of V8. It is a property of the global object, because `cli.cjs` has a copy of this module of its
 * own. The library does not import `node:v8`, because a flag belongs to the program, and because the import takes 2 ms of CPU.
 */
const SET_FLAG = Symbol.for("stepglass.setFlag");
const shared = globalThis as { [SET_FLAG]?: (flag: string) => void };

/** The newest release of Node that is known to have the flag. V8 prints an error for a flag that it does not know. */
const NEWEST = 26;

/** Turns lazy validation on for the modules that `compiled` returns. Only a program may call it, never the library. */
export function validateLazily(setFlag: (flag: string) => void): void {
  // Deno and Bun run the command too. They have other engines, or other rules for flags.
  const { node, ...others } = process.versions;
  if (!("deno" in others || "bun" in others) && Number.parseInt(node, 10) <= NEWEST) shared[SET_FLAG] = setFlag;
}

/**
 * Compiles a WebAssembly module.
 *
 * The flag is set during this call only, for two reasons. Modules of the program's tasks are validated as everywhere. And V8 refuses
 * compiled JavaScript, of Node itself and from the compile cache, if it was compiled with other flags.
 */
export function compiled(bytes: BufferSource): WebAssembly.Module {
  const setFlag = shared[SET_FLAG];
  setFlag?.("--wasm-lazy-validation");
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    setFlag?.("--no-wasm-lazy-validation");
  }
}
