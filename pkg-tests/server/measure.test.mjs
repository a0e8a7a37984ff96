// `npm run measure` against our own server in place of AWS: the commands that it prints, its requests, and the cases that it writes.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { region, start } from "./endpoint.mjs";
import { sdkOf } from "./sdk.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const script = join(here, "..", "..", "scripts", "measure.mjs");
const listed = JSON.parse(readFileSync(join(here, "..", "..", "tests", "measured", "unmeasured.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "measure-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const server = await start();
const sdk = sdkOf(server);

/** Runs the script in this folder, which has the AWS SDK. It runs asynchronously, because this process has to answer its requests. */
function measure(...args) {
  const env = { ...process.env, AWS_ACCESS_KEY_ID: "any", AWS_SECRET_ACCESS_KEY: "any" };
  const child = spawn(process.execPath, [script, ...args], { cwd: here, env });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data) => (stdout += data));
  child.stderr.on("data", (data) => (stderr += data));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout, stderr })));
}

test("a shell passes every printed command on with the intended arguments", { skip: process.platform === "win32" }, async () => {
  const { status, stdout } = await measure();
  assert.equal(status, 0);
  const aws = join(folder, "aws");
  writeFileSync(aws, `#!/bin/sh\nprintf '%s\\n' "$@"\necho end of command\n`);
  chmodSync(aws, 0o755);
  const run = spawnSync("sh", ["-c", stdout], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
    maxBuffer: 1 << 26,
  });
  const commands = run.stdout.split("end of command\n").slice(0, -1);
  assert.equal(commands.length, listed.length);
  commands.forEach((lines, i) => {
    const [service, operation, option, definition] = lines.split("\n");
    assert.deepEqual([service, operation, option], ["stepfunctions", listed[i].operation, "--definition"]);
    const sent = JSON.parse(definition);
    const { StartAt, States } = listed[i].definition;
    const expected = operation === "test-state" ? States[StartAt] : listed[i].definition;
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(sent[name], value, listed[i].name);
  });
});

test("the written cases agree with executions of the same definitions", async () => {
  const out = join(folder, "cases.json");
  const { status, stdout, stderr } = await measure("--run", "--sdk", "--region", region, "--endpoint", server.url, "--out", out);
  assert.equal(status, 0, stderr);
  assert.ok(stdout.includes(`${listed.length} of ${listed.length} measured`), stdout);
  const cases = JSON.parse(readFileSync(out, "utf8"));
  assert.deepEqual(
    cases.map(({ name }) => name),
    listed.map(({ name }) => name),
  );
  // Inputs are used as text, because JSON.parse would round some of their numbers.
  const inputs = readFileSync(out, "utf8")
    .split("\n  },\n")
    .map((item) => /^ {4}"input": (.*?),?$/m.exec(item)?.[1] ?? "{}");
  for (const [i, { name, definition, tasks, aws }] of cases.entries()) {
    const text = JSON.stringify(definition);
    const { result } = await sdk.send("ValidateStateMachineDefinition", { definition: text });
    assert.equal(result, aws.result ?? "OK", name);
    // The server has no functions, so only TestState can answer for a task.
    if (aws.result !== undefined || tasks !== undefined) continue;
    const machine = await sdk.create(`Measured${i}`, text);
    const { status, error, output } = await sdk.run(machine, {}, { input: inputs[i] });
    assert.deepEqual([status, error ?? null], [aws.status, aws.error ?? null], name);
    if (status === "SUCCEEDED") assert.deepEqual(JSON.parse(output), aws.output, name);
  }
});

test("a second run replaces only the measured cases, and does not rewrite numbers", async () => {
  const out = join(folder, "kept.json");
  const kept = '    "aws": {"status":"SUCCEEDED","output":1.0}';
  writeFileSync(out, `[\n  {\n    "name": "kept",\n${kept}\n  },\n  {\n    "name": "an And without rules",\n    "aws": {}\n  }\n]\n`);
  const { status, stderr } = await measure("and without", "--run", "--sdk", "--region", region, "--endpoint", server.url, "--out", out);
  assert.equal(status, 0, stderr);
  const text = readFileSync(out, "utf8");
  assert.ok(text.includes(kept), text);
  const cases = JSON.parse(text);
  assert.deepEqual(
    cases.map(({ name, aws }) => [name, aws.result ?? aws.status]),
    [
      ["kept", "SUCCEEDED"],
      ["an And without rules", "FAIL"],
    ],
  );
});

test("a filter that matches no behaviour is an error", async () => {
  const { status, stderr } = await measure("no such behaviour");
  assert.equal(status, 2);
  assert.match(stderr, /No behaviour .* has "no such behaviour" in its name/);
});

test("docs/compatibility.md lists every behaviour that is not measured yet", () => {
  const text = readFileSync(join(here, "..", "..", "docs", "compatibility.md"), "utf8");
  const block = /<!-- unmeasured -->\n([^]*?)\n<!-- \/unmeasured -->/.exec(text)[1];
  assert.deepEqual(
    block.split("\n"),
    listed.map(({ name, question }) => `- ${name}: ${question}`),
    "npm run conformance -- --write writes the list",
  );
});
