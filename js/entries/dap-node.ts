// The same for Node: the module is loaded at import.

import "./node.ts";

export * from "./dap.ts";
