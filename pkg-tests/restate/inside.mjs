// Exports the internals that the tests of slices use, in one bundle with the interpreter.
import "../../js/entries/node.ts";

export { StateMachine } from "../../js/entries/node.ts";
export { RestateClient } from "../../js/runtime/restate/client.ts";
export { partsOf, serveOnRestate } from "../../js/runtime/restate/worker.ts";
