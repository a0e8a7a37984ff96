// The entry `stepglass/debug`: the debugger without a user interface.

import { needRest } from "../border/instance.ts";

export { DebugSession } from "../debug/session.ts";
export { ask } from "../debug/expressions.ts";
export { measureCoverage } from "../debug/measure.ts";
export { mockFor } from "../debug/program.ts";
export { exampleInput, exampleResults } from "../debug/examples.ts";
export { restoreSession, saveSession } from "../debug/saving.ts";

// In browsers the debugger needs both files of the module.
needRest();
