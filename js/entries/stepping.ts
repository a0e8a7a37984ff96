// The code of the debugger element's worker. It steps through machines, but does not start executions or analyze machines any
// further. It is not an entry of the package.

export { init } from "../core/border/instance.ts";
export { Host } from "../debugger/debug/host.ts";
export { Player } from "../debugger/debug/player.ts";
export { layoutOf, possibleOf, problemsOf, svgOf, writtenOf } from "../core/definition/plain.ts";
export { wasmUrl } from "./wasm-url.ts";
