// The entry `stepglass/asl-validator`.

import "./node.ts";

export { aslValidator as default } from "../core/definition/asl-validator.ts";
