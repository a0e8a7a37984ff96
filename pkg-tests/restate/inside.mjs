// Exports what the tests use of the interpreter and of the host, in one bundle: two would share the WebAssembly module of dist and read
// each other's values.
import "../../js/entries/node.ts";

export { StateMachine } from "../../js/entries/node.ts";
export { RestateClient } from "../../js/runtime/restate/client.ts";
export { partsOf, serveOnRestate } from "../../js/runtime/restate/worker.ts";
