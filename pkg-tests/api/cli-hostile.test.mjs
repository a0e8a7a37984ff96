// The command line with unusable arguments and files: documented exit codes, no stack trace, and with --json always one JSON value.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { command, folderWith, runMany } from "./command.mjs";

const good = { StartAt: "A", States: { A: { Type: "Pass", End: true } } };
const bad = { StartAt: "A", States: { A: { Type: "Pass", Next: "B" } } };
const posix = { skip: process.platform === "win32" && "signals and shells of POSIX" };

const { folder, stepglass } = folderWith({
  "good.json": good,
  "bad.json": bad,
  "empty.json": "",
  "empty.yaml": "",
  "null.json": "null",
  "list.json": "[]",
  "odd.json": '{"States": 3, "StartAt": {}}',
  "bom.json": `\ufeff${JSON.stringify(good)}`,
  "deep.json": "[".repeat(50_000),
  "deep.yaml": "- ".repeat(4000),
  "alias.yaml": "a: *nowhere\n",
  "bomb.yaml": `a0: &a0 [x]\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`)}]\n`).join("")}`,
  "odd-template.json": {
    Resources: {
      A: null,
      B: { Type: "AWS::StepFunctions::StateMachine" },
      C: { Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionString: 5 } },
      D: { Type: "AWS::Serverless::StateMachine", Properties: { DefinitionUri: "nowhere.json" } },
    },
  },
  "serverless.yml": 'stepFunctions: { stateMachines: { a: null, b: { definition: 3 }, c: { definition: "${file(nowhere.yml)}" } } }\n',
  "folder/file": "x",
  "syntax.mjs": "export const a = 1;\nexport const = 2;\n",
  "throws.mjs": "\nthrow new Error('no database');\n",
});
writeFileSync(join(folder, "binary.json"), Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 7919) % 256)));
writeFileSync(join(folder, "binary.yaml"), Buffer.from([0, 1, 2, 0xff]));
writeFileSync(join(folder, "large.json"), JSON.stringify({ ...good, Comment: "x".repeat(3_000_000) }));
writeFileSync(join(folder, "utf16.json"), Buffer.from(`\ufeff${JSON.stringify(good)}`, "utf16le"));
if (!posix.skip) symlinkSync("loop.json", join(folder, "loop.json"));

const files = [
  "bad.json",
  "empty.json",
  "empty.yaml",
  "null.json",
  "list.json",
  "odd.json",
  "deep.json",
  "deep.yaml",
  "alias.yaml",
  "bomb.yaml",
  "odd-template.json",
  "serverless.yml",
  "binary.json",
  "binary.yaml",
  "large.json",
  "folder",
  "nowhere.json",
  "good.json/x",
  "good.json#X",
  "#",
  "",
  ...(posix.skip ? [] : ["loop.json", "/dev/null"]),
];
const lines = files.flatMap((file) => [
  ["run", file],
  ["run", "good.json", "--input", `@${file}`],
  ["run", "good.json", "--tasks", file],
  ["run", "good.json", "--machines", file],
  ["run", "good.json", "--objects", file],
  ["validate", file],
  ["graph", file],
  ["graph", file, "--format", "mermaid"],
  ["diff", file, "good.json"],
  ["diff", "good.json", file],
  ["types", file],
  ["convert", file],
  ["convert", file, "--jsonata"],
  ["replay", file, "good.json"],
  ["replay", "good.json", file],
  ["test", file],
  ["coverage", file],
]);
const misused = [
  [],
  ["nonsense"],
  ["help", "nonsense"],
  ["run"],
  ["run", "good.json", "bad.json"],
  ["run", "good.json", "--name", "a b"],
  ["run", "good.json", "--name", ""],
  ["run", "good.json", "--name", "x".repeat(81)],
  ["run", "good.json", "--seed", "1e3"],
  ["run", "good.json", "--seed"],
  ["run", "good.json", "--type", "fast"],
  ["run", "good.json", "--input", "{"],
  ["run", "good.json", "--input", JSON.stringify("x".repeat(300_000))],
  ["run", "good.json", "--json=yes"],
  ["validate"],
  ["graph", "good.json", "-o", "no/such/folder/x.svg"],
  ["types", "good.json", "--name", "1x"],
  ["convert", "good.json", "-o", "folder"],
  ["convert", "good.json", "--to", "toml"],
  ["test", "--coverage=pdf"],
  ["test", "--threshold", "120"],
  ["coverage"],
  ["coverage", "--format", "pdf", "--", "true"],
  ["init", "a", "b"],
  ["init", "good.json"],
  ["init", "good.json/x"],
  ["completion", "csh"],
  ["serve", "x"],
  ["serve", "--port", "70000"],
  ["serve", "--task", "charge"],
  ["serve", "--time-scale", "0"],
];

test("exits with 0, 1 or 2 for any file, with a reason and without a stack trace", async () => {
  for (const { args, code, stdout, stderr } of await runMany(folder, lines)) {
    const line = args.join(" ");
    assert.ok([0, 1, 2].includes(code), `${line} exits with ${code}: ${stderr}`);
    assert.doesNotMatch(stdout + stderr, /^\s+at .*(node:|cli)/m, line);
    if (code === 2) assert.match(stderr + stdout, /^stepglass: [^]+\n$|files? unusable|cannot be used/m, line);
  }
});

test("prints one JSON value and nothing else with --json, whatever happens", async () => {
  for (const { args, code, stdout, stderr } of await runMany(
    folder,
    lines.map((args) => [...args, "--json"]),
  )) {
    const line = args.join(" ");
    let value;
    assert.doesNotThrow(() => (value = JSON.parse(stdout)), `${line}: ${stdout.slice(0, 300)}`);
    assert.equal(stderr, "", line);
    if (code === 2 && !["test", "validate"].includes(args[0]))
      assert.deepEqual([["usage", "unusable"].includes(value.problem.kind), typeof value.problem.message], [true, "string"], line);
    if (code === 1 && value.problem !== undefined)
      assert.deepEqual([value.problem.kind, Array.isArray(value.problem.diagnostics)], ["definition", true], line);
  }
});

test("answers wrong usage with a hint at the help, and with --json as a problem of that kind", async () => {
  for (const { args, code, stdout, stderr } of await runMany(
    folder,
    misused.filter(([name]) => name !== undefined),
  )) {
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, /^stepglass: /);
  }
  for (const { args, code, stdout, stderr } of await runMany(
    folder,
    misused.filter(([name]) => name !== undefined).map(([name, ...rest]) => [name, "--json", ...rest]),
  )) {
    const { problem } = JSON.parse(stdout);
    assert.deepEqual(
      [code, stderr, Object.keys(problem), ["usage", "unusable"].includes(problem.kind)],
      [2, "", ["kind", "message"], true],
      args.join(" "),
    );
  }
});

test("--watch and --json exclude each other", async () => {
  assert.equal(JSON.parse((await stepglass("test", "--watch", "--json")).stdout).problem.kind, "usage");
});

test("rejects a name that AWS refuses as wrong usage, and says which names are allowed", async () => {
  const { code, stdout, stderr } = await stepglass("run", "good.json", "--name", "a b");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(
    stderr,
    /^stepglass: --name "a b" is refused by AWS: a name has 1 to 80 characters, no spaces[^\n]*\nTry: stepglass help run\n$/,
  );
  assert.match(
    (await stepglass("run", "good.json", "-i", "@-", { input: JSON.stringify("x".repeat(300_000)) })).stderr,
    /the input has 300,002 bytes; AWS takes at most 262,144/,
  );
});

test("run --json of a definition with errors, and with warnings", async () => {
  const broken = await stepglass("run", "bad.json", "--json");
  const { problem } = JSON.parse(broken.stdout);
  assert.deepEqual(
    [broken.code, broken.stderr, problem.kind, problem.file, problem.message],
    [1, "", "definition", "bad.json", "bad.json has 2 errors"],
  );
  assert.deepEqual(problem.diagnostics.map(({ code }) => code).sort(), ["no-terminal-state", "unknown-target"].sort());
  writeFileSync(
    join(folder, "warns.json"),
    JSON.stringify({ StartAt: "A", States: { A: { Type: "Pass", Parameters: { x: "$.not.computed" }, End: true } } }),
  );
  const warned = await stepglass("run", "warns.json", "--json");
  const { status, diagnostics } = JSON.parse(warned.stdout);
  assert.deepEqual(
    [warned.code, warned.stderr, status, diagnostics[0].severity, diagnostics[0].file],
    [0, "", "SUCCEEDED", "warning", "warns.json"],
  );
});

test("validates all files, even if one is missing", async () => {
  const { code, stdout, stderr } = await stepglass("validate", "good.json", "nowhere.json", "bad.json", "odd-template.json");
  assert.equal(code, 2);
  assert.match(stderr, /^stepglass: cannot read nowhere\.json: no such file$/m);
  assert.match(stdout, /error\[unknown-target\][^]*--> bad\.json:[^]*definitions: \d+ errors, \d+ that cannot be used\n$/);
  const reports = JSON.parse((await stepglass("validate", "nowhere.json", "bad.json", "--json")).stdout);
  assert.deepEqual(reports[0], {
    file: "nowhere.json",
    problem: { kind: "unusable", message: "cannot read nowhere.json: no such file" },
    diagnostics: [],
  });
  assert.equal(reports[1].diagnostics.length, 2);
});

test("validate takes folders", async () => {
  const { stepglass: validate, folder: place } = folderWith({
    "a.asl.json": good,
    "sub/b.asl.yaml": "StartAt: A\nStates: { A: { Type: Succeed } }\n",
    "sub/deep/c.asl.yml": JSON.stringify(bad),
    "template.yaml":
      "Resources:\n  Orders:\n    Type: AWS::Serverless::StateMachine\n    Properties:\n      Definition: { StartAt: A, States: { A: { Type: Succeed } } }\n",
    "serverless.yml": "stepFunctions:\n  stateMachines:\n    pay:\n      definition: { StartAt: A, States: { A: { Type: Succeed } } }\n",
    "bucket.template.json": { Resources: { Bucket: { Type: "AWS::S3::Bucket" } } },
    "node_modules/other/d.asl.json": bad,
    ".build/e.asl.json": bad,
    "package.json": { name: "x" },
    "readme.yaml": "- any\n",
    "none/x.txt": "",
  });
  for (const [given, prefix] of [["."], [place, `${place}/`]]) {
    const { code, stdout } = await validate("validate", given, "--json");
    assert.equal(code, 1);
    const found = JSON.parse(stdout).map(
      ({ file, machine, diagnostics }) => `${file.replaceAll("\\", "/").replace(prefix ?? "", "")} ${machine} ${diagnostics.length}`,
    );
    assert.deepEqual(found, [
      "a.asl.json a 0",
      "serverless.yml pay 0",
      "sub/b.asl.yaml b 0",
      "sub/deep/c.asl.yml c 2",
      "template.yaml Orders 0",
    ]);
  }
  const none = await validate("validate", "none", "a.asl.json");
  assert.equal(none.code, 2);
  assert.match(none.stderr, /there are no definitions \(\*\.asl\.json, \*\.asl\.yaml, \*\.asl\.yml, templates\) in none/);
  assert.match(none.stdout, /1 definition: 1 that cannot be used/);
});

test("reads UTF-16, as PowerShell writes it, and a byte order mark", async () => {
  for (const file of ["utf16.json", "bom.json"]) assert.equal((await stepglass("run", file)).code, 0, file);
});

test("shows the position of the error in a module that cannot be loaded", async () => {
  assert.match(
    (await stepglass("run", "good.json", "-t", "syntax.mjs")).stderr,
    /cannot load the tasks of syntax\.mjs: SyntaxError: [^\n]+\n {2}at [^\n]*syntax\.mjs:2\n/,
  );
  assert.match(
    (await stepglass("run", "good.json", "-t", "throws.mjs")).stderr,
    /cannot load the tasks of throws\.mjs: Error: no database\n {2}at [^\n]*throws\.mjs:2:\d+\n/,
  );
});

const task = { StartAt: "A", States: { A: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:work", End: true } } };
writeFileSync(join(folder, "task.json"), JSON.stringify(task));
const running = (module, ...args) => {
  writeFileSync(join(folder, "module.mjs"), module);
  return stepglass("run", "task.json", "-t", "module.mjs", ...args);
};

test("exits although a module leaves timers or sockets open", async () => {
  const { code, stdout } = await running("setInterval(() => {}, 1e6); export const work = () => 1;");
  assert.deepEqual([code, stdout], [0, "1\n"]);
});

test("reports a handler that never answers as soon as nothing else can happen", async () => {
  const { code, stderr } = await running("export const work = () => new Promise(() => {});");
  assert.deepEqual(
    [code, stderr],
    [1, 'ABORTED in state "A": WaitsForEver: nothing is left to do: a handler\'s promise never settles, or nobody answers a task token\n'],
  );
  assert.equal(JSON.parse((await running("export const work = () => new Promise(() => {});", "--json")).stdout).error, "WaitsForEver");
});

test("shows where a module throws outside of any call", async () => {
  const { code, stderr } = await running(
    "export const work = () => new Promise(() => setTimeout(() => {\n  throw new TypeError('late');\n}, 1));",
  );
  assert.equal(code, 1);
  assert.match(stderr, /^stepglass: uncaught error: TypeError: late\n {2}at [^\n]*module\.mjs:2:\d+\n$/);
});

test("exits with 130 after SIGINT and 143 after SIGTERM: aborts tasks first, and writes the output", posix, async () => {
  writeFileSync(
    join(folder, "abort.mjs"),
    'export const work = (input, { signal }) => new Promise((_, reject) => {\n  console.error("working");\n  const open = setInterval(() => {}, 1e6);\n  signal.addEventListener("abort", () => setTimeout(() => { clearInterval(open); console.error("cleaned up"); reject(signal.reason); }, 20));\n});\n',
  );
  for (const [signal, code, cause] of [
    ["SIGINT", 130, "by the keyboard"],
    ["SIGTERM", 143, "by SIGTERM"],
  ]) {
    for (const json of [false, true]) {
      const child = spawn(process.execPath, [command, "run", "task.json", "-t", "abort.mjs", ...(json ? ["--json"] : [])], {
        cwd: folder,
        env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
      });
      let [stdout, stderr, sent] = ["", "", false];
      child.stdout.on("data", (data) => (stdout += data));
      child.stderr.on("data", (data) => {
        stderr += data;
        if (!sent && stderr.includes("working")) sent = child.kill(signal);
      });
      assert.equal(await new Promise((done) => child.on("close", done)), code);
      assert.match(stderr, /cleaned up/);
      if (json) {
        const { status, error, cause: why, history } = JSON.parse(stdout);
        assert.deepEqual([status, error, why, history.at(-1).type], ["ABORTED", "Interrupted", cause, "ExecutionAborted"]);
      } else assert.match(stderr, new RegExp(`ABORTED in state "A": Interrupted: ${cause}`));
    }
  }
});

test("exits with the code of the command that coverage runs, also if a signal ends it", posix, async () => {
  const { code, stdout } = await stepglass(
    "coverage",
    "--json",
    "--",
    process.execPath,
    "-e",
    'console.log("printed"); process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1e6)',
  );
  assert.equal(code, 143);
  assert.equal(typeof JSON.parse(stdout), "object");
});

test("ignores a reader that closes the pipe early, and reports a full disk", posix, async () => {
  const shell = (line) =>
    new Promise((done) => {
      const child = spawn("bash", ["-o", "pipefail", "-c", line], {
        cwd: folder,
        env: { ...process.env, NODE: process.execPath, CLI: command },
      });
      let stderr = "";
      child.stderr.on("data", (data) => (stderr += data));
      child.on("close", (code) => done({ code, stderr }));
    });
  assert.deepEqual(await shell('"$NODE" "$CLI" convert large.json | true'), { code: 0, stderr: "" });
  assert.deepEqual(await shell('"$NODE" "$CLI" help 2>&1 >/dev/full | cat; exit 0'), { code: 0, stderr: "" });
  const full = await shell('"$NODE" "$CLI" graph good.json > /dev/full');
  if (process.platform === "linux") {
    assert.equal(full.code, 2);
    assert.match(full.stderr, /^stepglass: cannot write to standard output: .*space/);
  }
  // Standard input is closed.
  const closed = await shell('"$NODE" "$CLI" validate - <&-');
  assert.ok([1, 2].includes(closed.code), closed.stderr);
});

test("types and convert write their file also with --json", async () => {
  mkdirSync(join(folder, "out"), { recursive: true });
  const types = await stepglass("types", "good.json", "--json", "-o", "out/types.ts");
  assert.ok(JSON.parse(types.stdout).handlers);
  assert.match(readFileSync(join(folder, "out/types.ts"), "utf8"), /export type Handlers/);
  const converted = await stepglass("convert", "good.json", "--json", "-o", "out/good.yaml");
  assert.equal(JSON.parse(converted.stdout).output, readFileSync(join(folder, "out/good.yaml"), "utf8"));
});
