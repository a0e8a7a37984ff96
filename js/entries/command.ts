// What `cli.ts` runs: the commands, with the module loaded.

import "./node.ts";

export { main } from "../cli/main.ts";
export { placed, say } from "../files/problem.ts";
