// The entry `stepglass/host-tests`: the tests of the promises of a host.

import "./node.ts";

export { checkHost, hostTests } from "../runtime/host-tests/suite.ts";
