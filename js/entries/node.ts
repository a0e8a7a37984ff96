// The entry for Node, Deno and Bun. The WebAssembly module is loaded at import.

import { moduleBytes } from "./wasm-file.ts";
import { fillFromSystem } from "./device.ts";
import { messageOf } from "../core/base/errors.ts";
import { randomFrom } from "../core/base/random.ts";
import { compiled } from "./lazy-validation.ts";
import { initSync } from "./index.ts";
import { startCoverage } from "../testing/coverage/collect.ts";

randomFrom(fillFromSystem);
initSync(compiled(moduleBytes()));

// `stepglass test --coverage` sets this variable. Users set it to measure the coverage of another test run.
let folder: string | undefined;
try {
  folder = process.env.STEPGLASS_COVERAGE;
} catch {
  // Deno asks for permission to read the environment, and throws if it is denied.
}
try {
  if (folder) startCoverage({ folder });
} catch (error) {
  // The program must not fail because its report cannot be written.
  console.error(`stepglass: STEPGLASS_COVERAGE=${folder}: ${messageOf(error)}`);
}

export * from "./index.ts";
