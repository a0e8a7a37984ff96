// The entry `stepglass/dap`: the debug adapter, for programs that pass its messages to an editor themselves.

import { needRest } from "../core/border/instance.ts";

export { DebugAdapter } from "../debugger/dap/adapter.ts";
export { textProgram } from "../debugger/dap/program.ts";

// In browsers the adapter needs both files of the module, as the debugger does.
needRest();
