// The entry `stepglass/restate`: executions on Restate.

import "./node.ts";

export { RestateClient } from "../restate/client.ts";
export { serveOnRestate } from "../restate/worker.ts";
