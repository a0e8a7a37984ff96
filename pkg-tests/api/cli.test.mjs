// The command line: outputs, positions, exit codes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { folderWith } from "./command.mjs";

const command = join(fileURLToPath(import.meta.resolve("stepglass")), "../cli.js");
const folder = mkdtempSync(join(tmpdir(), "stepglass-"));
after(() => rmSync(folder, { recursive: true }));

const files = {
  "good.json": JSON.stringify({
    StartAt: "Charge",
    States: {
      Charge: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Charge", Next: "Wait" },
      Wait: { Type: "Wait", Seconds: 3600, End: true },
    },
  }),
  "good.yaml": "StartAt: A\nStates:\n  A:\n    Type: Pass\n    Result: {ok: true}\n    End: true\n",
  "pass.yaml": "StartAt: A\nStates:\n  A: {Type: Pass, End: true}\n",
  "fails.yaml": "StartAt: A\nStates:\n  A: {Type: Fail, Error: Oops, Cause: on purpose}\n",
  "bad.json": '{\n  "StartAt": "A",\n  "States": {\n    "A": { "Type": "Pass", "Next": "Bb" },\n    "B": { "Type": "Succeed" }\n  }\n}\n',
  "bad.yaml":
    "# é: a comment\nStartAt: A\nStates:\n  A:\n    Type: Pass\n    Next: Bb\n  B:\n    Type: Choice\n    Choices:\n      - Variable: $.x\n        NumericEqals: 1\n        Next: A\n",
  "path.yaml": "StartAt: A\nStates:\n  A:\n    Type: Pass\n    InputPath: '$.a[?(@.b'\n    End: true\n",
  "alias.yaml":
    "x: &retry\n  - ErrorEquals: [States.ALL]\n    MaxAttempts: -1\nStartAt: A\nStates:\n  A:\n    Type: Task\n    Resource: arn:aws:lambda:us-east-1:123456789012:function:f\n    Retry: *retry\n    End: true\n",
  "broken.yaml": "StartAt: A\nStates:\n  A: [1\n",
  "broken.json": '{"StartAt": "A" "States": {}}',
  "warns.json": '{"StartAt":"A","States":{"A":{"Type":"Pass","Parameters":{"x":"$.not.computed"},"End":true}}}',
  "tasks.mjs": "export const Charge = async ({ amount }, task) => ({ charged: amount, by: task.stateName });",
  "default.mjs": 'export default { "*": (input) => ({ default: input }) };',
  // A function of the type [] -> [i32] without a result.
  "invalid-wasm.mjs":
    "const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 10, 4, 1, 2, 0, 11];\n" +
    "export const Charge = () => ({ valid: WebAssembly.validate(Uint8Array.from(bytes)) });",
  "one.mjs": "export default (input, { stateName }) => stateName;",
  "common.cjs": "module.exports = { Charge: () => 'common' };",
  "empty.mjs": "export const nothing = 1;",
  "input.json": '{"amount": 12}',
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

function stepglass(args, { input = "" } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [command, ...args], { cwd: folder });
    const out = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].on("data", (data) => (out[name] += data));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...out }));
    child.stdin.end(input);
  });
}

const run = (...args) => stepglass(["run", ...args]);
const charge = ["good.json", "--virtual-clock"];

test("run prints the output", async () => {
  const { code, stdout, stderr } = await run("good.yaml");
  assert.deepEqual([code, JSON.parse(stdout), stderr], [0, { ok: true }, ""]);
});

test("a module with tasks compiles WebAssembly of its own as in any program: an invalid function is refused", async () => {
  const { stdout } = await run(...charge, "--tasks", "invalid-wasm.mjs");
  assert.deepEqual(JSON.parse(stdout), { valid: false });
});

test("run takes an input and task handlers", async () => {
  for (const input of ['{"amount": 12}', "@input.json"]) {
    const { code, stdout } = await run(...charge, "--input", input, "--tasks", "tasks.mjs");
    assert.deepEqual([code, JSON.parse(stdout)], [0, { charged: 12, by: "Charge" }]);
  }
  assert.deepEqual(JSON.parse((await run(...charge, "-t", "default.mjs", "-i", "[1]")).stdout), { default: [1] });
  assert.equal(JSON.parse((await run(...charge, "-t", "one.mjs")).stdout), "Charge");
  assert.equal(JSON.parse((await run(...charge, "-t", "common.cjs")).stdout), "common");
});

test("run prints numbers with all their digits, in the form of JSON.stringify()", async () => {
  const input = '{"id": 12345678901234567890, "price": 1.0, "e": [], "o": {}, "list": [1, {"a": "x{[,:\\"]}"}], "9": null, "1": true}';
  const { stdout } = await run("good.yaml", "-i", input);
  assert.equal(stdout, '{\n  "ok": true\n}\n');
  const passed = await run("pass.yaml", "-i", input);
  assert.match(passed.stdout, /"id": 12345678901234567890,\n {2}"price": 1\.0,\n/);
  const plain = input.replace('"price": 1.0, ', "").replace("12345678901234567890", "7").replace(', "9": null, "1": true', "");
  assert.equal((await run("pass.yaml", "-i", plain)).stdout, `${JSON.stringify(JSON.parse(plain), null, 2)}\n`);
  const whole = (await run("pass.yaml", "-i", input, "--json")).stdout;
  assert.match(whole, /"id": 12345678901234567890,\n {4}"price": 1\.0,\n/);
});

test("run reads the definition from standard input, JSON or YAML", async () => {
  for (const name of ["good.yaml", "good.json"]) {
    const { code } = await stepglass(["run", "-", "--virtual-clock", "-t", "default.mjs"], { input: files[name] });
    assert.equal(code, 0);
  }
  const { stdout } = await stepglass(["run", ...charge, "-t", "default.mjs", "-i", "@-"], { input: '"from stdin"' });
  assert.deepEqual(JSON.parse(stdout), { default: "from stdin" });
});

test("a failed execution prints where and why it failed, and exits with 1", async () => {
  const failed = await run("fails.yaml");
  assert.deepEqual([failed.code, failed.stdout, failed.stderr], [1, "", 'FAILED in state "A": Oops: on purpose\n']);
  const missing = await run(...charge);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /No task handler.*--tasks tasks\.mjs/s);
});

test("a failed execution prints the field of the error, and why no retrier and no catcher handled it", async () => {
  const retrier = { ErrorEquals: ["Busy", "Down"], MaxAttempts: 1 };
  const definition = {
    StartAt: "Charge",
    States: {
      Charge: {
        Type: "Task",
        Resource: "arn:aws:lambda:us-east-1:123456789012:function:charge",
        Parameters: { "id.$": "$.id" },
        Retry: [{ ErrorEquals: ["Slow"] }, retrier],
        Catch: [{ ErrorEquals: ["Broken"], Next: "Done" }],
        Next: "Done",
      },
      Done: { Type: "Succeed" },
    },
  };
  writeFileSync(join(folder, "unhandled.json"), JSON.stringify(definition, null, 1));
  writeFileSync(join(folder, "down.mjs"), 'export const charge = () => Promise.reject(Object.assign(new Error("no"), { name: "Down" }));');
  const printed = async (input) =>
    (await run("unhandled.json", "--virtual-clock", "-t", "down.mjs", "-i", input)).stderr.split("\n").slice(1, -1);
  assert.deepEqual(await printed('{"id": 1}'), [
    "  at /States/Charge (unhandled.json:4:3)",
    "  Charge/Retry/0 [Slow]: does not match Down",
    "  Charge/Retry/1 [Busy, Down]: used up: 1 of 1",
    "  Charge/Catch/0 [Broken]: does not match Down",
  ]);
  assert.deepEqual(await printed("{}"), [
    "  at /States/Charge/Parameters/id.$ (unhandled.json:8:5): $.id",
    "  Charge/Retry/0 [Slow]: nothing matches States.Runtime",
    "  Charge/Retry/1 [Busy, Down]: nothing matches States.Runtime",
    "  Charge/Catch/0 [Broken]: nothing matches States.Runtime",
  ]);
});

test("run --events prints the history on standard error", async () => {
  const { stdout, stderr } = await run(...charge, "-t", "tasks.mjs", "--events");
  assert.ok(JSON.parse(stdout));
  assert.match(stderr, /\+0\.000s +1 +ExecutionStarted/);
  assert.match(stderr, /\+3600\.000s +\d+ +WaitStateExited +Wait/);
});

test("run --json prints everything as one object", async () => {
  const { code, stdout } = await run("good.yaml", "--json", "--name", "n", "--seed", "7");
  const result = JSON.parse(stdout);
  assert.deepEqual([code, result.status, result.output, result.name, result.history.length], [0, "SUCCEEDED", { ok: true }, "n", 4]);
  const failed = JSON.parse((await run("fails.yaml", "--json")).stdout);
  assert.deepEqual([failed.status, failed.error, failed.cause], ["FAILED", "Oops", "on purpose"]);
});

test("run of an invalid definition prints its problems and exits with 1", async () => {
  const { code, stdout, stderr } = await run("bad.json");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /bad\.json:4:/);
});

test("validate prints problems as compilers do", async () => {
  const { code, stdout } = await stepglass(["validate", "bad.json"]);
  assert.equal(code, 1);
  assert.match(stdout, /^error\[unknown-target\]: .*`Bb`/m);
  assert.match(stdout, / --> bad\.json:4:36\n/);
  assert.match(stdout, /4 \|     "A": \{ "Type": "Pass", "Next": "Bb" \},\n +\| +\^\^\^\^/);
  assert.match(stdout, /1 definition: \d+ errors?/);
});

test("validate finds positions in YAML", async () => {
  const { code, stdout } = await stepglass(["validate", "bad.yaml"]);
  assert.equal(code, 1);
  assert.match(stdout, / --> bad\.yaml:6:11\n/);
  assert.match(stdout, /6 \|     Next: Bb\n +\| +\^\^\n/);
  assert.match(stdout, / --> bad\.yaml:11:9\n/);
  const path = await stepglass(["validate", "path.yaml"]);
  assert.match(path.stdout, / --> path\.yaml:5:(1[6-9]|2\d)\n/);
  const alias = await stepglass(["validate", "alias.yaml"]);
  assert.match(alias.stdout, / --> alias\.yaml:3:18\n/);
  const broken = await stepglass(["validate", "broken.yaml"]);
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /error\[invalid-yaml\][^]*broken\.yaml:\d+:\d+/);
});

test("validate takes several files, and counts their problems", async () => {
  const good = await stepglass(["validate", "good.json", "good.yaml"]);
  assert.deepEqual([good.code, good.stdout], [0, "2 definitions: no problems\n"]);
  const mixed = await stepglass(["validate", "good.json", "bad.json", "broken.json"]);
  assert.equal(mixed.code, 1);
  assert.match(mixed.stdout, /3 definitions: \d+ errors/);
});

test("validate --strict counts warnings as errors", async () => {
  const lenient = await stepglass(["validate", "warns.json"]);
  assert.equal(lenient.code, 0);
  assert.match(lenient.stdout, /warning\[/);
  assert.equal((await stepglass(["validate", "warns.json", "--strict"])).code, 1);
});

test("validate --json prints problems for programs", async () => {
  const { code, stdout } = await stepglass(["validate", "bad.yaml", "good.json", "--json"]);
  assert.equal(code, 1);
  const [bad, good] = JSON.parse(stdout);
  assert.deepEqual([bad.file, good.file, good.diagnostics], ["bad.yaml", "good.json", []]);
  const target = bad.diagnostics.find((diagnostic) => diagnostic.code === "unknown-target");
  assert.deepEqual(
    [target.pointer, target.range.start],
    ["/States/A/Next", { line: 6, column: 11, offset: files["bad.yaml"].indexOf("Bb") }],
  );
});

test("validate reads standard input", async () => {
  const { code, stdout } = await stepglass(["validate", "-"], { input: files["bad.json"] });
  assert.equal(code, 1);
  assert.match(stdout, /<stdin>:4:/);
});

test("graph writes an SVG", async () => {
  const { code, stdout } = await stepglass([
    "graph",
    "good.json",
    "-o",
    "out.svg",
    "--direction",
    "LR",
    "--theme",
    "dark",
    "--title",
    "Paying <fast>",
  ]);
  assert.deepEqual([code, stdout], [0, ""]);
  const svg = readFileSync(join(folder, "out.svg"), "utf8");
  assert.match(svg, /^<svg[^]*Paying &lt;fast&gt;[^]*<\/svg>\s*$/);
  assert.match((await stepglass(["graph", "good.yaml"])).stdout, /^<svg/);
  const { nodes } = JSON.parse((await stepglass(["graph", "good.yaml", "--json"])).stdout);
  assert.ok(nodes.some((node) => node.name === "A"));
  assert.equal((await stepglass(["graph", "broken.json"])).code, 1);
});

test("a module of tasks exports functions, or objects of them as tasks or as the default", async () => {
  const handler = "(input) => ({ ...input, done: true })";
  const definition = { StartAt: "A", States: { A: { Type: "Task", Resource: "charge", End: true } } };
  const modules = {
    "named.mjs": `export const charge = ${handler};`,
    "object.mjs": `export const tasks = { charge: ${handler} };`,
    "map.mjs": `export const tasks = new Map([["charge", ${handler}]]);`,
    "default.mjs": `export default { charge: ${handler} };`,
    "inside.mjs": `export default { tasks: { charge: ${handler} } };`,
    "common.cjs": `module.exports = { tasks: { charge: ${handler} } };`,
    "one.mjs": `export default ${handler};`,
    // A function that is exported by name comes first.
    "first.mjs": `export const tasks = { charge: () => "no" };\nexport const charge = ${handler};`,
    // A task can have the name of the object.
    "called.mjs": `export const tasks = ${handler};\nexport default { charge: tasks };`,
  };
  const project = folderWith({ "task.asl.json": definition, ...modules });
  for (const file of Object.keys(modules)) {
    const { code, stdout, stderr } = await project.stepglass("run", "task.asl.json", "-i", '{"id":7}', "--tasks", file, "--json");
    assert.equal(code, 0, `${file}: ${stderr}`);
    assert.deepEqual(JSON.parse(stdout).output, { id: 7, done: true }, file);
  }
});

const wrong = [
  [[], /Run, check, test and draw/],
  [["rnu"], /no command "rnu"/],
  [["run"], /needs one file/],
  [["run", "good.yaml", "--bogus"], /--bogus/],
  [["run", "nowhere.json"], /cannot read nowhere\.json: no such file/],
  [["run", "good.yaml", "--input", "{x"], /input is not JSON/],
  [
    ["run", "good.yaml", "--input", `${"[".repeat(129)}${"]".repeat(129)}`],
    /Invalid State Machine Execution Input: .the input is nested deeper than 128 levels at character 128/,
  ],
  [["run", "good.yaml", "--seed", "x"], /--seed/],
  [["run", "good.yaml", "--type", "FAST"], /--type/],
  [["run", "good.yaml", "--tasks", "nowhere.mjs"], /cannot load the tasks/],
  [["run", "good.yaml", "--tasks", "empty.mjs"], /exports no handlers: export a function for each task by name/],
  [["validate"], /needs a file/],
  [["graph", "good.yaml", "--direction", "UP"], /--direction/],
  [["graph", "good.yaml", "-o", "no/such/folder.svg"], /cannot write/],
];
for (const [args, message] of wrong) {
  test(`stepglass ${args.join(" ")} is wrong usage`, async () => {
    const { code, stdout, stderr } = await stepglass(args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
  });
}

test("the help shows examples", async () => {
  for (const args of [["--help"], ["help"], ["help", "run"], ["run", "--help"], ["validate", "-h"], ["help", "graph"]]) {
    const { code, stdout } = await stepglass(args);
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}stepglass /m);
  }
  assert.match((await stepglass(["--version"])).stdout, /^stepglass \d+\.\d+\.\d+\n$/);
});

test("an interrupted run is aborted", { skip: process.platform === "win32" }, async () => {
  writeFileSync(join(folder, "long.json"), JSON.stringify({ StartAt: "W", States: { W: { Type: "Wait", Seconds: 600, End: true } } }));
  const child = spawn(process.execPath, [command, "run", "long.json", "--events"], { cwd: folder });
  let stderr = "";
  let killed = false;
  child.stderr.on("data", (data) => {
    stderr += data;
    // A second signal would end the process at once.
    if (!killed && /WaitStateEntered/.test(stderr)) killed = child.kill("SIGINT");
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 130);
  assert.match(stderr, /ABORTED in state "W": Interrupted/);
});
