// `stepglass executions export`, `import`, `backup` and `prune`, also while a Runtime writes.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drivers, folder, nodeWithSqlite } from "../store/drivers.mjs";
import { Runtime } from "./surroundings.mjs";

const cli = join(import.meta.dirname, "../../dist/cli.js");
const [driver] = Object.values(drivers);
const options = { skip: driver === undefined || nodeWithSqlite === undefined ? "there is no SQLite" : false, timeout: 200_000 };

/** Runs the command. Resolves to its exit code and output. */
const executions = (...args) =>
  new Promise((resolve) => {
    execFile(nodeWithSqlite, ["--no-warnings", cli, "executions", ...args], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });

const machines = {
  Work: { StartAt: "A", States: { A: { Type: "Task", Resource: "work", Next: "B" }, B: { Type: "Task", Resource: "work", End: true } } },
  Signal: {
    StartAt: "S",
    States: { S: { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" }, End: true } },
  },
};
const tasks = { work: (input) => input };
const open = (file) => new Runtime({ store: driver.store(file), machines, tasks }).open();

/** Runs executions without a pause until `stop` is called. */
function keepWriting(runtime) {
  let goes = true;
  let done = 0;
  const line = async (name) => {
    for (let n = 0; goes; n += 1) {
      await runtime.run("Work", { name: `${name}-${n}`, input: { n } });
      done += 1;
    }
  };
  const lines = Promise.all(Array.from({ length: 50 }, (_, i) => line(i)));
  return { stop: () => ((goes = false), lines), count: () => done };
}

test("a database is backed up while a Runtime writes to it, the copy is checked, and executions continue in it", options, async () => {
  const { file, done } = folder();
  const runtime = await open(file);
  try {
    await runtime.start("Signal", { name: "waits", input: 1 });
    const writer = keepWriting(runtime);
    while (writer.count() < 500) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = writer.count();
    const copy = `${file}.copy`;
    const { code, stdout, stderr } = await executions("backup", copy, "--check", "--store", `sqlite:${file}`, "--json");
    assert.ok(writer.count() > before, "the Runtime went on");
    await writer.stop();
    assert.equal(code, 0, stderr + stdout);
    const { executions: count, problems, differing } = JSON.parse(stdout);
    assert.ok(count > before, `${count} executions of at least ${before}`);
    assert.deepEqual([problems, differing], [[], []]);
    await runtime.close();
    // It is restored: the copy takes the place of the database.
    const restored = await open(copy);
    const waits = await restored.get("Signal", "waits");
    await waits.signal("go", "after the restore");
    assert.deepEqual(await waits.result, { status: "SUCCEEDED", output: "after the restore" });
    await restored.run("Work", { name: "new" });
    while ((await restored.count({ status: "RUNNING" })) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual((await restored.verify({ machine: "Signal" })).differing, []);
    await restored.close();
    assert.match((await executions("backup", copy, "--data", file)).stderr, /exists already/);
  } finally {
    await runtime.close();
    done();
  }
});

test("a copy that is damaged is reported", options, async () => {
  const { file, done } = folder();
  try {
    const runtime = await open(file);
    for (let n = 0; n < 20; n += 1) await runtime.run("Work", { name: `e-${n}`, input: { n } });
    await runtime.close();
    const database = driver.database(file);
    database.exec("PRAGMA locking_mode=NORMAL");
    database.prepare("UPDATE execution SET events = events + 1 WHERE name = 'e-7'").run();
    database.close();
    const { code, stdout } = await executions("backup", `${file}.copy`, "--check", "--data", file);
    assert.equal(code, 1);
    assert.match(stdout, /:Work:e-7: .*\n.*the copy must not be used/);
  } finally {
    done();
  }
});

test("executions are exported, refused while they may run, moved, and imported again", options, async () => {
  const { path, file, done } = folder();
  const [first, moved, target] = ["first.jsonl", "moved.jsonl", "target.db"].map((name) => join(path, name));
  try {
    const runtime = await open(file);
    await runtime.start("Signal", { name: "waits" });
    await runtime.run("Work", { name: "done", input: { n: 1 } });
    const live = await executions("export", first, "--data", file);
    assert.deepEqual([live.code, live.stdout], [0, "exported 2 executions, 1 of them running\n"]);
    const busy = await executions("export", moved, "--move", "--data", file);
    assert.equal(busy.code, 2);
    assert.match(busy.stderr, /has .* open/);
    assert.equal(existsSync(moved), false);
    await runtime.close();

    const refused = await executions("import", first, "--data", target);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /refused .*:Signal:waits: it may still run where it was exported.*\nimported 1 execution\n/);
    const answer = await executions("export", moved, "--move", "--data", file);
    assert.match(answer.stdout, /1 of them running; they are suspended here/, answer.stderr);
    assert.match((await executions("list", "--data", file)).stdout, /SUSPENDED +Signal +waits/);
    assert.equal((await executions("import", moved, "--data", target)).stdout, "imported 1 execution; 1 execution was there already\n");
    const again = await executions("import", moved, "--data", target, "--json");
    assert.deepEqual(JSON.parse(again.stdout), { imported: 0, skipped: 2, refused: [] });

    const piped = await executions("export", "-", "--machine", "Work", "--status", "SUCCEEDED", "--data", target);
    assert.equal(piped.stdout.split("\n").filter((line) => line.includes('"execution"')).length, 1);
    assert.match(piped.stderr, /exported 1 execution/);
    const short = `${moved}.short`;
    await import("node:fs").then(({ writeFileSync }) =>
      writeFileSync(short, readFileSync(moved, "utf8").split("\n").slice(0, 3).join("\n")),
    );
    const incomplete = await executions("import", short, "--data", `${target}.2`);
    assert.deepEqual([incomplete.code, /incomplete/.test(incomplete.stderr)], [2, true]);

    const there = await open(target);
    await (await there.get("Signal", "waits")).signal("go", 5);
    assert.equal((await (await there.get("Signal", "waits")).result).output, 5);
    await there.close();
  } finally {
    done();
  }
});

test("ended executions are removed by age, status, machine, number and size, and --dry-run removes nothing", options, async () => {
  const { file, done } = folder();
  try {
    const runtime = await open(file);
    for (let n = 0; n < 6; n += 1) await runtime.run("Work", { name: `e-${n}`, input: { n, text: "x".repeat(1000) } });
    await (await runtime.start("Signal", { name: "stopped" })).stop("E");
    await runtime.start("Signal", { name: "runs" });
    await runtime.close();
    const prune = async (...args) => (await executions("prune", "--data", file, ...args)).stdout;
    const names = async () =>
      (await executions("list", "--data", file, "--json")).stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).name)
        .sort();
    assert.match(await prune("--keep", "2", "--machine", "Work", "--dry-run"), /^would remove 4 executions with \d{4,} characters\n$/);
    assert.equal((await names()).length, 8);
    assert.match(await prune("--older-than", "1d"), /removed 0 executions/);
    assert.match(await prune("--keep", "2", "--machine", "Work"), /removed 4 executions/);
    assert.deepEqual(await names(), ["e-4", "e-5", "runs", "stopped"]);
    assert.match(await prune("--older-than", "0s", "--status", "ABORTED"), /removed 1 execution /);
    assert.deepEqual(JSON.parse(await prune("--bytes", "10", "--json")).executions, 2);
    assert.deepEqual(await names(), ["runs"]);
    assert.equal((await executions("prune", "--data", file)).code, 2);
    assert.equal((await executions("prune", "--keep", "1", "--status", "RUNNING", "--data", file)).code, 2);
  } finally {
    done();
  }
});
