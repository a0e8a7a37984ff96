// The command and other programs with SQLite can read a database while a Runtime writes to it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { drivers, folder, nodeWithSqlite } from "../store/drivers.mjs";
import { Runtime } from "./surroundings.mjs";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const machines = {
  Work: { StartAt: "A", States: { A: { Type: "Task", Resource: "work", Next: "B" }, B: { Type: "Task", Resource: "work", End: true } } },
  Wait: { StartAt: "W", States: { W: { Type: "Wait", Seconds: 3600, End: true } } },
};
const tasks = { work: (input) => input };
const [driver] = Object.values(drivers);

/** Runs executions without a pause until `stop` is called, which resolves to the number of those that have succeeded. */
function keepWriting(runtime) {
  let goes = true;
  let done = 0;
  const one = async (line) => {
    for (let n = 0; goes; n += 1) {
      await runtime.run("Work", { name: `e-${line}-${n}`, input: { n } });
      done += 1;
    }
  };
  const lines = Promise.all(Array.from({ length: 20 }, (_, line) => one(line)));
  return { stop: () => ((goes = false), lines.then(() => done)), count: () => done };
}

const skip = driver === undefined || nodeWithSqlite === undefined ? "there is no SQLite" : false;

test(
  "the command and another client can read executions while a runtime writes them, but cannot write",
  { skip, timeout: 120_000 },
  async () => {
    const { file, done } = folder();
    const errors = [];
    const runtime = await new Runtime({
      store: driver.store(file),
      machines,
      tasks,
      onStoreError: ({ error }) => errors.push(error),
    }).open();
    try {
      const { arn } = await runtime.start("Wait", { name: "waits", input: { n: 1 } });
      const writer = keepWriting(runtime);
      while (writer.count() < 50) await new Promise((resolve) => setTimeout(resolve, 5));
      const command = (...args) =>
        run(nodeWithSqlite, ["--no-warnings", join(root, "dist/cli.js"), "executions", ...args, "--data", file], { cwd: root });
      const list = await command("list", "--status", "SUCCEEDED", "--limit", "5", "--json");
      const rows = list.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      assert.equal(rows.length, 5);
      assert.ok(rows.every(({ machine, status }) => machine === "Work" && status === "SUCCEEDED"));
      const shown = JSON.parse((await command("show", arn, "--json")).stdout);
      assert.equal(shown.status, "RUNNING");
      assert.deepEqual(
        shown.events.map(({ type }) => type),
        ["ExecutionStarted", "WaitStateEntered"],
      );
      await assert.rejects(command("stop", arn), ({ code, stderr }) => code === 2 && /has .* open/.test(stderr));
      // A client that does not use Stepglass reads again and again, so that it would block the writer if a reader could.
      const bare = driver.database(file);
      let read = 0;
      for (let i = 0; i < 20; i += 1) {
        const { n } = bare.prepare("SELECT count(*) AS n FROM execution WHERE status = 'SUCCEEDED'").get();
        assert.ok(n >= read, "a later read has fewer");
        read = n;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      bare.close();
      assert.ok(read >= 50);
      await assert.rejects(driver.store(file).open({ owner: "other" }), { code: "STORE_CONFLICT" });
      const written = await writer.stop();
      assert.equal(await runtime.count({ status: "SUCCEEDED" }), written);
      assert.deepEqual(errors, []);
      assert.deepEqual((await runtime.verify({ machine: "Wait" })).differing, []);
    } finally {
      await runtime.close();
      done();
    }
  },
);
