// The internal functions of js/core/border, bundled as one module, because its parts share an instance of the WebAssembly.
export { initSync, MachineHandle } from "../../js/core/border/instance.ts";
export { HistoryEngine } from "../../js/core/border/history-engine.ts";
export { Archive } from "../../js/core/border/archive.ts";
