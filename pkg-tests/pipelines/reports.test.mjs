// Reports of `stepglass validate` are checked with the official schema of SARIF and an independent XML parser.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { folderWith } from "../api/command.mjs";
import { installed } from "./project.mjs";

const { XMLParser, XMLValidator } = installed("fast-xml-parser");
// @microsoft/jest-sarif contains the schema of OASIS and the validator that fits it.
const sarif = createRequire(installed.resolve("@microsoft/jest-sarif/package.json"));
const Ajv = sarif("ajv");
const ajv = new Ajv({ schemaId: "auto", validateSchema: false, allErrors: true });
ajv.addMetaSchema(sarif("ajv/lib/refs/json-schema-draft-04.json"));
const isSarif = ajv.compile(sarif("./lib/schemas/sarif-2.1.0-rtm.5.json"));

const files = {
  "order.asl.json": {
    StartAt: "A",
    States: { A: { Type: "Pass", Parameters: { x: "$.y" }, Nxt: "B", Next: "C" }, "ü & <B>": { Type: "Succeed" } },
  },
  "good.asl.json": { StartAt: "A", States: { A: { Type: "Succeed" } } },
  "folder with spaces/broken.asl.yaml": "StartAt: [\n",
  "holes.asl.yaml": "StartAt: A\nStates:\n  A: { Type: Task, Resource: x, TimeoutSeconds: ${Timeout}, End: true }\n",
  "template.json": {
    Resources: {
      One: { Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionString: '{"StartAt": "A", "States": {}}' } },
    },
  },
};
const { stepglass, folder } = folderWith(files);
const args = ["validate", ".", "nowhere.json"];

test("SARIF reports conform to the schema of version 2.1.0", async () => {
  const { stdout } = await stepglass(...args, "--format", "sarif");
  const log = JSON.parse(stdout);
  assert.ok(isSarif(log), JSON.stringify(isSarif.errors, null, 1));
  const [run] = log.runs;
  assert.equal(run.invocations[0].executionSuccessful, false);
  assert.match(run.invocations[0].toolExecutionNotifications[0].message.text, /cannot read nowhere\.json/);
  for (const { ruleId, ruleIndex, locations, partialFingerprints } of run.results) {
    assert.equal(run.tool.driver.rules[ruleIndex].id, ruleId);
    assert.ok(run.tool.driver.rules[ruleIndex].shortDescription.text.length > 0, ruleId);
    assert.ok(locations[0].physicalLocation.region.startLine >= 1);
    assert.match(partialFingerprints["stepglass/v1"], /^[0-9a-f]{20}(:\d+)?$/);
  }
  const uris = new Set(run.results.map(({ locations }) => locations[0].physicalLocation.artifactLocation.uri));
  assert.deepEqual([...uris].sort(), ["folder%20with%20spaces/broken.asl.yaml", "holes.asl.yaml", "order.asl.json", "template.json"]);
  const fingerprints = run.results.map(({ partialFingerprints }) => partialFingerprints["stepglass/v1"]);
  assert.equal(new Set(fingerprints).size, fingerprints.length);
});

test("a SARIF report with a baseline marks new problems, and suppresses known ones", async () => {
  await stepglass("validate", "order.asl.json", "--baseline", "known.json", "--write-baseline");
  const { stdout } = await stepglass("validate", "order.asl.json", "holes.asl.yaml", "--baseline", "known.json", "--format", "sarif");
  const log = JSON.parse(stdout);
  assert.ok(isSarif(log), JSON.stringify(isSarif.errors, null, 1));
  for (const { locations, baselineState, suppressions } of log.runs[0].results) {
    const known = locations[0].physicalLocation.artifactLocation.uri === "order.asl.json";
    assert.deepEqual([baselineState, suppressions?.length], known ? ["unchanged", 1] : ["new", undefined]);
  }
});

test("a SARIF report names a file outside of the working directory by an absolute URI", async () => {
  const { stepglass: elsewhere } = folderWith({});
  const log = JSON.parse((await elsewhere("validate", `${folder}/order.asl.json`, "--format", "sarif")).stdout);
  assert.ok(isSarif(log));
  assert.match(log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri, /^file:\/\/\/.*order\.asl\.json$/);
  const piped = JSON.parse(
    (await elsewhere("validate", "-", "--format", "sarif", { input: JSON.stringify(files["order.asl.json"]) })).stdout,
  );
  assert.ok(isSarif(piped));
});

test("JUnit reports are valid XML with correct counts", async () => {
  for (const more of [[], ["--strict"], ["--baseline", "known.json"]]) {
    const { stdout } = await stepglass(...args, ...more, "--format", "junit");
    assert.equal(XMLValidator.validate(stdout), true);
    const attributes = { ignoreAttributes: false, attributeNamePrefix: "", isArray: (name) => name === "testcase" || name === "testsuite" };
    const { testsuites } = new XMLParser(attributes).parse(stdout);
    const cases = testsuites.testsuite.flatMap(({ testcase }) => testcase);
    const having = (name, list) => list.filter((one) => one[name] !== undefined).length;
    const counted = (list) => [list.length, having("failure", list), having("error", list), having("skipped", list)].map(String);
    const countsOf = ({ tests, failures, errors, skipped }) => [tests, failures, errors, skipped];
    assert.deepEqual(countsOf(testsuites), counted(cases));
    for (const suite of testsuites.testsuite) assert.deepEqual(countsOf(suite), counted(suite.testcase), suite.name);
    assert.ok(cases.some(({ name }) => name === "no problems"));
  }
});
