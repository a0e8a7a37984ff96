// The entry `stepglass/host-tests`: what a host promises, as tests.

import "./node.ts";

export { checkHost, hostTests } from "../host-tests/suite.ts";
