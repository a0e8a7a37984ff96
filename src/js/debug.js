// The entry `stepglass/debug`: the debugger without a face.

export { DebugSession } from "./debug/session.js";
export { ask } from "./debug/expressions.js";
export { measureCoverage } from "./debug/measure.js";
export { mockFor } from "./debug/mocks.js";
export { exampleInput, exampleResults } from "./types/example.js";
export { restoreSession, saveSession } from "./debug/saving.js";
