// The entry `stepglass/durable`: executions that survive their process.

import { needRest } from "../core/border/instance.ts";

export { scaledClock } from "../core/driver/scaled-clock.ts";
export { DurableError } from "../runtime/durable/execution.ts";
export { Runtime } from "../runtime/durable/runtime.ts";
export { StoreConflict, StoreError } from "../runtime/store/errors.ts";
export { aesGcm, gzip } from "../runtime/store/codecs.ts";
export { encoded } from "../runtime/store/encoded.ts";
export { offloaded } from "../runtime/store/offloaded.ts";
export { MemoryStore } from "../runtime/store/memory.ts";
export { exportExecutions, importExecutions } from "../runtime/store/transfer.ts";
export { executionOfToken } from "../core/tasks/token.ts";

// In browsers snapshots need both files of the module.
needRest();
