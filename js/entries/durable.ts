// The entry `stepglass/durable`: executions that survive their process.

import { needRest } from "../border/instance.ts";

export { DurableError } from "../durable/execution.ts";
export { Runtime } from "../durable/runtime.ts";
export { StoreConflict, StoreError } from "../store/errors.ts";
export { MemoryStore } from "../store/memory.ts";
export { executionOfToken } from "../tasks/token.ts";

// In browsers snapshots need both files of the module.
needRest();
