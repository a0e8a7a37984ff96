// The same for Node: the module is loaded at import.

import "./node.js";

export * from "./debug.js";
