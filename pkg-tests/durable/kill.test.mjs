// The operating system kills processes that run durable executions, at random places and moments (`npm run crash` does it for longer).
//
//   STEPGLASS_KILLS=500 STEPGLASS_SEED=7 node --test pkg-tests/durable/kill.test.mjs
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { root } from "../../scripts/steps.mjs";
import { nodeWithSqlite } from "../store/drivers.mjs";

const KILLS = Number(process.env.STEPGLASS_KILLS ?? (process.env.CI ? 200 : 40));
const SEED = Number(process.env.STEPGLASS_SEED ?? 1);
const missing = nodeWithSqlite === undefined && `there is no Node with SQLite for ${process.platform} ${process.arch}`;

// This test is not skipped on CI, because no other test kills a process that runs executions.
test(
  `every execution ends as it should although ${KILLS} processes are killed (seed ${SEED})`,
  { skip: !process.env.CI && missing },
  () => {
    const args = ["scripts/crash.mjs", "--kills", KILLS, "--seed", SEED, "--json"].map(String);
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
    assert.match(stdout, /^\{/, stderr);
    const { kills, executions, problems } = JSON.parse(stdout);
    assert.deepEqual(problems, []);
    assert.equal(kills, KILLS);
    assert.ok(executions > KILLS);
  },
);
