// What the debugger element's worker is made of: it steps through machines, and neither starts executions nor looks further into
// them. Not an entry of the package.

export { init } from "../border/instance.ts";
export { Host } from "../debug/host.ts";
export { Player } from "../debug/player.ts";
export { layoutOf, possibleOf, problemsOf, svgOf, writtenOf } from "../definition/plain.ts";
export { wasmUrl } from "./wasm-url.ts";
