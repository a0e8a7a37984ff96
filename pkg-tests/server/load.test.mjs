// Another process starts 5,000 executions of 20 states over HTTP, 500 of them at once.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { start } from "./endpoint.mjs";

test("5,000 executions, 500 at once, all end with their results", { timeout: 600_000 }, async () => {
  const server = await start();
  const options = { url: server.url, total: 5000, inFlight: 500, wait: 2, patience: 200_000 };
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL("../../benches/server-load.mjs", import.meta.url)),
    JSON.stringify(options),
  ]);
  const { started, seen, statuses, stuck, wrong, mostRunning } = JSON.parse(stdout);
  assert.deepEqual([started, seen, statuses, stuck, wrong], [5000, 5000, { SUCCEEDED: 5000 }, 0, 0]);
  assert.ok(mostRunning >= 300, `${mostRunning} ran at once`);
  assert.equal(server.running, 0);
});
