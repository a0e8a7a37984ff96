// What js/border keeps to itself, as one module: its parts share an instance of the WebAssembly.
export { initSync, MachineHandle } from "../../js/border/instance.ts";
export { HistoryEngine } from "../../js/border/history.ts";
export { Archive } from "../../js/border/archive.ts";
