// The entry `stepglass/host-tests`: tests of what a host promises.

import "./node.ts";

export { checkHost, hostTests } from "../host-tests/suite.ts";
