// The code of the debugger element's worker for recorded executions, beside that of `stepping.ts`. It replays a recording to compute its
// data flow. It is not an entry of the package.

export { ProgramHost } from "../debugger/debug/program.ts";
export { DebugSession } from "../debugger/debug/session.ts";
export { language } from "../core/definition/language.ts";
export { replayHistory } from "../core/execution/recorded.ts";
