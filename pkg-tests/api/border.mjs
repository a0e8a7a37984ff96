// The internal functions of js/border, bundled as one module, because its parts share an instance of the WebAssembly.
export { initSync, MachineHandle } from "../../js/border/instance.ts";
export { HistoryEngine } from "../../js/border/history.ts";
export { Archive } from "../../js/border/archive.ts";
