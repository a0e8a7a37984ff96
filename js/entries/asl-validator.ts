// The entry `stepglass/asl-validator`.

import "./node.ts";

export { aslValidator as default } from "../definition/asl-validator.ts";
