// The entry for Node, Deno and Bun: everything is ready at import.

import { moduleBytes } from "./beside.ts";
import { fillFromSystem } from "./device.ts";
import { messageOf } from "../base/errors.ts";
import { randomFrom } from "../base/random.ts";
import { initSync } from "./index.ts";
import { startCoverage } from "../coverage/collect.ts";

randomFrom(fillFromSystem);
initSync(moduleBytes());

// Set by `stepglass test --coverage` and by whoever wants the coverage of a test run.
let folder: string | undefined;
try {
  folder = process.env.STEPGLASS_COVERAGE;
} catch {
  // Deno asks before it tells the environment.
}
try {
  if (folder) startCoverage({ folder });
} catch (error) {
  // The program is not to fail for want of a report.
  console.error(`stepglass: STEPGLASS_COVERAGE=${folder}: ${messageOf(error)}`);
}

export * from "./index.ts";
