// The commands of the cookbook's section about turning a failed execution into a test, against a server in place of an AWS account.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { command, folderWith } from "../api/command.mjs";
import { start } from "./endpoint.mjs";
import { sdkOf } from "./sdk.mjs";

const cookbook = readFileSync(new URL("../../docs/cookbook.md", import.meta.url), "utf8");
const [, section] = /^## From a failed execution to a test\n(.*?)^## /ms.exec(cookbook) ?? [];
const blocks = (language) => [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text]) => text);

const server = await start({ tasks: { charge: ({ email }) => ({ total: 120, receipt: `for ${email}` }) } });
const { create, run } = sdkOf(server);

/**
 * Runs code blocks in a folder. A command that keeps running is ended when its output matches `until`, the address of a page. The page is
 * fetched before and returned.
 */
function session(folder, env) {
  const npx = `npx() { shift; "${process.execPath}" "${command}" "$@"; }\n`;
  return (script, { until } = {}) =>
    new Promise((resolve, reject) => {
      const options = { cwd: folder, detached: true, env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "", ...env } };
      const child = spawn("bash", ["-ec", npx + script], options);
      let output = "";
      let seen;
      const end = () => process.kill(-child.pid);
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text) => {
          output += text;
          const found = seen === undefined ? until?.exec(output) : undefined;
          if (!found) return;
          seen = Promise.resolve(fetch(found[0]).then((answer) => answer.text())).finally(end);
        });
      }
      child.on("error", reject);
      child.on("close", async (code) => resolve({ code, output, page: await seen }));
    });
}

test(
  "a failed execution is fetched, opened, replayed with a fix and kept as a test",
  {
    skip: process.platform === "win32" && "the commands need a POSIX shell",
  },
  async () => {
    const [definition] = blocks("json");
    const { folder } = folderWith({ "orders.asl.json": definition });
    symlinkSync(join(import.meta.dirname, "node_modules"), join(folder, "node_modules"), "junction");
    const failed = await run(await create("Orders", definition), { email: "ada@example.com", order: 7 }, { name: "order-7" });
    assert.deepEqual([failed.status, failed.error], ["FAILED", "States.Runtime"]);
    const env = { EXECUTION: failed.executionArn, AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: "any", AWS_SECRET_ACCESS_KEY: "any" };
    const bash = session(folder, env);
    const [fetches, opens, fixes, records, checks, ...others] = blocks("sh");
    assert.deepEqual(others, []);

    const fetched = await bash(fetches);
    assert.equal(fetched.code, 0, fetched.output);
    assert.match(fetched.output, /Orders\.order-7\.sfnrun: FAILED/);

    const { page } = await bash(opens.replace("npx stepglass open", "$& --no-browser"), { until: /^http:\/\/127\.0\.0\.1\S+/m });
    assert.match(page, /<!doctype html>/i);

    const fixed = await bash(fixes);
    assert.equal(fixed.code, 0, fixed.output);
    assert.match(fixed.output, /1 {2}now succeeds/);

    const recorded = await bash(records);
    assert.equal(recorded.code, 0, recorded.output);
    assert.match(recorded.output, /1 passed/);
    const written = readFileSync(join(folder, "order-7.stepglass.yaml"), "utf8");
    assert.doesNotMatch(written, /ada@example|receipt/);
    assert.match(written, /total: 120/);

    const checked = await bash(checks);
    assert.equal(checked.code, 0, checked.output);
    assert.ok(existsSync(join(folder, "replay.xml")));

    // The checks fail if the mistake comes back.
    const broken = await bash(`mv orders.asl.json.bak orders.asl.json\n${checks}`);
    assert.equal(broken.code, 1, broken.output);
  },
);
