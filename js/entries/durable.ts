// `stepglass/durable`: executions that outlive their process.

export { DurableError } from "../durable/execution.ts";
export { Runtime } from "../durable/runtime.ts";
export { StoreConflict, StoreError } from "../store/errors.ts";
export { MemoryStore } from "../store/memory.ts";
