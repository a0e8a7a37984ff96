// The entry `stepglass/debug`: the debugger without a user interface.

import { needRest } from "../core/border/instance.ts";

export { DebugSession } from "../debugger/debug/session.ts";
export { ask } from "../debugger/debug/expressions.ts";
export { measureCoverage } from "../debugger/debug/measure.ts";
export { mockFor } from "../debugger/debug/program.ts";
export { exampleInput, exampleResults } from "../debugger/debug/examples.ts";
export { restoreSession, saveSession } from "../debugger/debug/saving.ts";

// In browsers the debugger needs both files of the module.
needRest();
