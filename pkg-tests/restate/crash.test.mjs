// A server is killed while executions run, and a worker that was suspended continues beside its replacement (`npm run crash:restate` runs
// more such cases, for longer).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { root } from "../../scripts/steps.mjs";
import { unavailable } from "./server.mjs";

for (const only of ["server killed", "stop in a slice"])
  test(`no execution is lost, and each effect happens once: ${only}`, { skip: unavailable }, async () => {
    const child = spawn(process.execPath, ["scripts/crash-restate.mjs", "--json", "--executions", "6", "--only", only], { cwd: root });
    const text = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (text[name] += chunk));
    await new Promise((resolve) => child.once("close", resolve));
    assert.match(text.stdout, /^\[/, text.stderr);
    for (const { name, problems } of JSON.parse(text.stdout)) assert.deepEqual(problems, [], name);
  });
