// The command and the function that replace asl-validator, compared with that package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { recordings } from "../../scripts/recordings.mjs";
import { folderWith } from "../api/command.mjs";
import { differences } from "./differences.mjs";
import { installed, own, root, run } from "./project.mjs";

const aslValidator = installed("asl-validator");
const ours = own("stepglass/asl-validator");
const program = join(installed.resolve("asl-validator"), "../../bin/asl-validator.js");
const plain = (value) => JSON.parse(JSON.stringify(value));

const machine = { StartAt: "A", States: { A: { Type: "Pass", End: true } } };
const lost = { StartAt: "A", States: { A: { Type: "Pass", Next: "B" }, C: { Type: "Succeed" } } };

const inParallel = (States) => ({
  StartAt: "P",
  States: { P: { Type: "Parallel", Branches: [{ StartAt: "X", States }], Next: "C" }, C: { Type: "Succeed" } },
});
const state = (members) => ({ StartAt: "A", States: { A: members } });
const task = { Type: "Task", Resource: "arn:aws:states:::lambda:invoke", End: true };
const map = { Type: "Map", ItemProcessor: machine, End: true };
const twice = (field, members) => state({ ...members, [field]: field === "Cause" || field === "Error" ? "x" : 1, [`${field}Path`]: "$.x" });
/** Definitions with one mistake each, which cover all error codes. */
const mistakes = [
  lost,
  { StartAt: "A", States: { A: { Type: "Choice", Choices: [{ Variable: "$.x", IsNull: true, Next: "A" }] } } },
  { StartAt: "A", States: { A: map } },
  inParallel({ X: { Type: "Choice", Choices: [{ Variable: "$.x", IsNull: true, Next: "C" }], Default: "Y" }, Y: { Type: "Succeed" } }),
  inParallel({ X: { Type: "Pass", Parameters: { a: 1, "a.$": "$.a" }, End: true } }),
  state({ Type: "Pass" }),
  state({ Type: "Wait", Seconds: 1, SecondsPath: "$.x", End: true }),
  state({ Type: "Wait", End: true }),
  twice("TimeoutSeconds", task),
  twice("HeartbeatSeconds", task),
  state({ ...map, ItemProcessor: undefined }),
  state({ ...map, ItemProcessor: { StartAt: "B", States: { B: { Type: "Succeed" } } }, Parameters: {}, ItemSelector: {} }),
  twice("MaxConcurrency", { ...map, ItemProcessor: { StartAt: "B", States: { B: { Type: "Succeed" } } } }),
  twice("Cause", { Type: "Fail" }),
  twice("Error", { Type: "Fail" }),
].map(plain);

test("errors have the same codes and shape as those of asl-validator", () => {
  for (const definition of mistakes) {
    const [there, here] = [aslValidator(plain(definition)), ours(definition)];
    const codes = (result) => [...new Set(result.errors.map((error) => error["Error code"]))].sort();
    assert.deepEqual(Object.keys(here), Object.keys(there));
    assert.deepEqual(
      [here.isValid, codes(here)],
      [there.isValid, codes(there)],
      `${JSON.stringify(definition)}\n${there.errorsText()}\n${here.errorsText()}`,
    );
    for (const error of here.errors) {
      const schema = error["Error code"] === "SCHEMA_VALIDATION_FAILED";
      assert.deepEqual(Object.keys(error), ["Error code", "Message", ...(schema ? ["schemaError"] : [])]);
      if (schema) assert.deepEqual(Object.keys(error.schemaError), ["instancePath", "schemaPath"]);
    }
    assert.equal(here.errorsText(" | "), here.errors.map((error) => `${error["Error code"]}: ${error.Message}`).join(" | "));
  }
});

test("import and require return the function", async () => {
  const imported = await import(new URL("../../dist/asl-validator.js", import.meta.url));
  assert.equal(imported.default, ours);
  assert.equal(typeof ours, "function");
  const definition = plain(machine);
  assert.ok(ours(Object.freeze(definition)).isValid);
  assert.deepEqual(definition, machine, "the definition is not changed");
});

test("options disable the same checks as in asl-validator", () => {
  const path = state({ Type: "Pass", InputPath: "$.x[", End: true });
  const arn = state({ ...task, Resource: "x" });
  for (const options of [
    undefined,
    { checkPaths: true, checkArn: true },
    { checkPaths: false, checkArn: true },
    { checkPaths: true, checkArn: false },
    {},
  ])
    for (const definition of [path, arn])
      assert.equal(
        ours(definition, options).isValid,
        aslValidator(plain(definition), options).isValid,
        JSON.stringify([options, definition]),
      );
  for (const wrong of ["x", 1, [], {}, { StartAt: "A" }]) assert.equal(ours(wrong).isValid, false);
  for (const wrong of [null, undefined]) assert.throws(() => ours(wrong));
});

test("both accept an index that counts from the end, in OutputPath and in a payload template", () => {
  for (const definition of [
    state({ Type: "Pass", OutputPath: "$[(@.length-1)].bar", End: true }),
    state({ Type: "Pass", Parameters: { "last.$": "$.list[(@.length-1)]" }, End: true }),
  ]) {
    const [there, here] = [aslValidator(plain(definition)), ours(definition)];
    assert.deepEqual(
      [here.isValid, there.isValid],
      [true, true],
      `${JSON.stringify(definition)}\n${here.errorsText()}\n${there.errorsText()}`,
    );
  }
  assert.equal(ours(state({ Type: "Pass", OutputPath: "$[(@.size-1)]", End: true })).isValid, false);
});

test("the table in docs/asl-validator.md lists all differences, and no others", () => {
  const table = readFileSync(join(root, "docs/asl-validator.md"), "utf8");
  for (const { title, valid, definition } of differences) {
    const value = plain(definition);
    assert.deepEqual([ours(value).isValid, aslValidator(plain(value)).isValid], [valid, !valid], title);
    assert.match(
      table,
      new RegExp(`^\\| ${title.replaceAll(/[^\w\s]/g, "\\$&")} \\| ${valid ? "invalid \\| valid" : "valid \\| invalid"} \\| \\S`, "m"),
      title,
    );
  }
  assert.equal(table.match(/^\| .* \| (?:invalid \| valid|valid \| invalid) \|/gm).length, differences.length);
});

const { file: suite, skip } = recordings("definitions.jsonl");
test("the definitions of asl-validator's own tests have the same verdicts, except for one listed difference", { skip }, () => {
  const cases = readFileSync(suite, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const otherwise = cases.filter(({ definition, valid }) => {
    assert.equal(aslValidator(plain(definition)).isValid, valid);
    return ours(definition).isValid !== valid;
  });
  // Both cases are the first difference in the table.
  assert.deepEqual(
    otherwise.map(({ name }) => name),
    ["invalid-json-surround-syntax-extra-spaces.json", "invalid-jsonata-surround-syntax-no-spaces.json"],
  );
});

const { folder, stepglass } = folderWith({
  "good.json": machine,
  "bad.json": lost,
  "good.yaml": "StartAt: A\nStates: { A: { Type: Succeed } }\n",
  "bad.yaml": "StartAt: A\nStates: { A: { Type: Succeed }, B: { Type: Succeed } }\n",
  "broken.json": "{",
});
const both = async (...args) => {
  const there = await run(process.execPath, [program, ...args], { cwd: folder });
  const here = await stepglass("asl-validator", ...args);
  return { there, here };
};

test("the command has the same exit codes and output as asl-validator", async () => {
  const same = [
    [],
    ["order.json"],
    ["--help"],
    ["--json-path", "good.json"],
    ["--json-path=good.json", "--yaml-path", "good.yaml"],
    ["--json-definition", JSON.stringify(machine), "--yaml-definition", "StartAt: A\nStates: { A: { Type: Succeed } }"],
    ["--nope"],
    ["--silnt", "--json-path", "good.json"],
    ["--json-path"],
    ["--silent", "--json-path", "bad.json"],
    ["--silent"],
    ["--json-path", "good.json", "--", "--nope"],
  ];
  for (const args of same) {
    const { there, here } = await both(...args);
    assert.deepEqual(here, there, args.join(" "));
  }
});

test("the command prints mistakes in asl-validator's format, with our messages", async () => {
  for (const args of [
    ["--json-path", "bad.json"],
    ["--yaml-path", "bad.yaml", "--json-path", "good.json"],
    ["--json-definition", JSON.stringify(lost)],
  ]) {
    const { there, here } = await both(...args);
    assert.deepEqual([here.code, here.stdout], [there.code, there.stdout], args.join(" "));
    const frame = (text) =>
      text
        .split("\n")
        .map((line) => /^✕ .*|^ ?[A-Z_]+(?=: )/.exec(line)?.[0])
        .filter(Boolean);
    assert.equal(frame(here.stderr)[0], frame(there.stderr)[0]);
    assert.equal(frame(here.stderr)[1], frame(there.stderr)[1]);
  }
});

test("the command avoids the mistakes of asl-validator's command", async () => {
  // The exit code is the worst of all definitions. asl-validator uses that of the last one.
  const first = await both("--json-definition", JSON.stringify(lost), "--json-definition", JSON.stringify(machine));
  assert.deepEqual([first.there.code, first.here.code], [0, 1]);
  const unparsed = await both("--json-definition", "{");
  assert.deepEqual([unparsed.there.code, unparsed.here.code], [0, 2]);
  assert.equal(unparsed.here.stderr, unparsed.there.stderr);
  // The options --no-path-check and --no-arn-check have an effect.
  const path = JSON.stringify(state({ Type: "Pass", InputPath: "$.x[", End: true }));
  const unchecked = await both("--no-path-check", "--json-definition", path);
  assert.deepEqual([unchecked.there.code, unchecked.here.code], [1, 0]);
  const arn = JSON.stringify(state({ ...task, Resource: "x" }));
  const free = await both("--no-arn-check", "--json-definition", arn);
  assert.deepEqual([free.there.code, free.here.code], [1, 0]);
  // A file that cannot be read is reported in one line, and the other files are still checked.
  const unread = await both("--json-path", "nowhere.json", "--json-path", "broken.json", "--json-path", "good.json");
  assert.deepEqual([unread.there.code, unread.here.code], [2, 2]);
  assert.match(unread.here.stderr, /^Error: ENOENT: no such file or directory, open 'nowhere\.json'\nSyntaxError: .+\n$/);
  assert.match(unread.here.stdout, /good\.json" is valid/);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const flag of ["-V", "--version"]) assert.equal((await stepglass("asl-validator", flag)).stdout, `${version}\n`);
});
