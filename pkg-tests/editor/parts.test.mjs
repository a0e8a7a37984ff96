// The parts of the extension that need no editor.
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

const source = resolve(import.meta.dirname, "../../editors/vscode/src");

async function load(name) {
  const { outputFiles } = await build({ entryPoints: [join(source, name)], bundle: true, write: false, format: "esm", platform: "node" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const { resolvedPaths, splitId, usualConfiguration } = await load("configuration.ts");
const { added } = await load("coverage.ts");
const { differenceOf } = await load("difference.ts");
const { marksOf } = await load("marks.ts");
const { namedSymbol, symbolAt } = await load("symbols.ts");
const { startLine } = await load("startLine.ts");
const { inlineExpressions } = await load("inline-expressions.ts");
const { fileOf, recordedConfiguration, withRun, withStatus } = await load("run-list.ts");
const path = await load("shims/path.ts");

test("paths and variables of a text are found, and functions, keys and placeholders are not", () => {
  const lines = [
    '"Parameters": { "a.$": "$.order.lines[0].id", "b.$": "$$.Execution.Name", "c": "${Table}" }',
    'Output: "{% $sum($states.input.prices) + $total & $total %}"',
    '"OutputPath": "$"',
  ];
  assert.deepEqual(
    inlineExpressions(lines, 0, 9).map(({ expression, line, start }) => [
      expression,
      line,
      lines[line].slice(start).startsWith(expression),
    ]),
    [
      ["$.order.lines[0].id", 0, true],
      ["$$.Execution.Name", 0, true],
      ["$states.input.prices", 1, true],
      ["$total", 1, true],
    ],
  );
  assert.deepEqual(inlineExpressions(lines, 2, 2), []);
});

test("the list of runs has the newest first, at most 50, and a final status stays", () => {
  const run = (id) => ({ id, started: 0, status: "running", config: config({ definition: "/a.yaml#Orders" }) });
  const many = Array.from({ length: 60 }, (_, i) => run(`${i}`)).reduce((runs, one) => withRun(runs, one), []);
  assert.deepEqual([many.length, many[0].id], [50, "59"]);
  const ended = withStatus(withStatus(many, "59", "succeeded"), "59", "stopped");
  assert.equal(ended[0].status, "succeeded");
  assert.equal(fileOf(ended[0]), "/a.yaml");
  const { name, definition, history } = recordedConfiguration("/runs/one.sfnrun", undefined, "stepglass");
  assert.deepEqual([name, definition, history], ["one.sfnrun", undefined, "/runs/one.sfnrun"]);
});

const config = (given) => ({ type: "stepglass", request: "launch", name: "one", ...given });

test("relative paths of a configuration are relative to the folder, and others stay", () => {
  const inFolder = (file) => `/work/${file}`;
  const given = config({
    definition: "a.yaml#Orders",
    test: "/tests/a.stepglass.yaml#the # sign",
    mocks: "generated",
    machines: ["b.asl.json", "C:\\c.asl.json", "vscode-vfs://github/d.asl.json"],
    input: "@order.json",
  });
  assert.deepEqual(resolvedPaths(given, inFolder), {
    ...given,
    definition: "/work/a.yaml#Orders",
    machines: ["/work/b.asl.json", "C:\\c.asl.json", "vscode-vfs://github/d.asl.json"],
    input: "@/work/order.json",
  });
  const inline = config({ definition: { StartAt: "A" }, mocks: { A: {} }, input: { a: 1 } });
  assert.deepEqual(resolvedPaths(inline, inFolder), inline);
});

test("the usual configuration is named after the file", () => {
  assert.equal(usualConfiguration("vscode-test-web://mount/my%20order.asl.json").name, "my order.asl.json");
  assert.equal(usualConfiguration(undefined), undefined);
  assert.deepEqual(splitId("a.yaml#b#c"), ["a.yaml", "b#c"]);
});

test("a failure without values has no difference", () => {
  assert.equal(differenceOf({}), undefined);
  assert.deepEqual(differenceOf({ expected: { a: 1 }, actual: "x" }), { expected: '{\n  "a": 1\n}', actual: "x" });
  assert.deepEqual(differenceOf({ expected: ["a"] }), { expected: '[\n  "a"\n]', actual: "(nothing)" });
});

test("coverage of several test files is added up", () => {
  const place = (pointer, count) => ({ kind: "state", pointer, label: "", count });
  assert.deepEqual(added([place("/a", 1), place("/b", 0)], [place("/a", 2), place("/c", 1)]), [
    place("/b", 0),
    place("/a", 3),
    place("/c", 1),
  ]);
});

test("of the states that have begun, those on the stack are running", () => {
  const states = {
    A: { status: "succeeded", visits: 2 },
    B: { status: "running", visits: 1 },
    C: { status: "running", visits: 1 },
    D: { status: "failed", visits: 1 },
  };
  assert.deepEqual(marksOf({ current: ["B"], states }), {
    A: { status: "succeeded", visits: 2 },
    B: { status: "running", visits: 1 },
    C: { status: "waiting", visits: 1 },
    D: { status: "failed", visits: 1 },
  });
});

test("the innermost state at a position is found, and a state by its name", () => {
  const range = (from, to) => ({ start: { line: from, character: 2 }, end: { line: to, character: 4 } });
  const inner = { name: "Inner", range: range(3, 5), selectionRange: range(3, 3), children: [] };
  const outer = { name: "Outer", range: range(1, 9), selectionRange: range(1, 1), children: [inner] };
  assert.equal(symbolAt([outer], { line: 4, character: 0 }), inner);
  assert.equal(symbolAt([outer], { line: 5, character: 5 }), outer);
  assert.equal(symbolAt([outer], { line: 0, character: 0 }), undefined);
  assert.equal(namedSymbol([outer], "Inner"), inner);
  assert.equal(namedSymbol([outer], "None"), undefined);
});

test("the commands stand above the definition's own StartAt", () => {
  assert.equal(startLine('{\n  "States": {\n    "M": {\n      "StartAt": "X"\n    }\n  },\n  "StartAt": "M"\n}'), 6);
  assert.equal(startLine("Comment: a\nStartAt: A\n"), 1);
  assert.equal(startLine('{"StartAt":"A"}'), 0);
  assert.equal(startLine("Resources: {}\n"), undefined);
});

test("paths of a worker follow the rules of Node on Unix", async () => {
  const { posix } = await import("node:path");
  for (const [name, ...given] of [
    ["join", "/a/b", "../c", "./d"],
    ["join", "a", "..", "..", "b"],
    ["resolve", "/a", "b/../c", "d"],
    ["resolve", "/a", "/b"],
    ["dirname", "/a/b.json"],
    ["dirname", "/a"],
    ["dirname", "a"],
    ["basename", "/a/b.json", ".json"],
    ["basename", "/a/b/"],
    ["extname", "/a/.env"],
    ["extname", "a.asl.json"],
    ["relative", "/a/b", "/a/c/d"],
    ["isAbsolute", "a"],
    ["normalize", "/../a"],
  ])
    assert.equal(path[name](...given), posix[name](...given), `${name} ${given}`);
});
