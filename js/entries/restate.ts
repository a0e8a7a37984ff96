// The entry `stepglass/restate`: executions on Restate.

import "./node.ts";

export { RestateClient } from "../runtime/restate/client.ts";
export { serveOnRestate } from "../runtime/restate/worker.ts";
