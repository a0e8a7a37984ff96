// The module that `cli.ts` runs: the commands, with the WebAssembly module loaded.

import "./node.ts";

export { main } from "../cli/main.ts";
export { placed, say } from "../language/files/problem.ts";
