// What the tests of slices look at, in one bundle with the interpreter.
import "../../js/entries/node.ts";

export { StateMachine } from "../../js/entries/node.ts";
export { partsOf } from "../../js/restate/worker.ts";
