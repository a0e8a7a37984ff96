// Workers are killed and replaced by others: no execution is lost, and a task with a stored answer is not called again.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { freePorts, startServer, unavailable } from "./server.mjs";

const { RestateClient } = await importSource("js/entries/restate.ts");

describe("executions on Restate, whose workers die,", { skip: unavailable }, () => {
  let server;
  let client;
  let worker;
  let file;
  let port;

  before(async () => {
    server = await startServer();
    client = new RestateClient(server.ingress, { admin: server.admin });
    file = join(server.folder, "effects");
    [port] = await freePorts(1);
    worker = await begin();
  });
  after(async () => {
    worker?.kill("SIGKILL");
    await server?.stop();
  });

  /** Starts a worker process on the port. Resolves when it is registered. */
  function begin(env = {}) {
    const child = spawn(process.execPath, [join(import.meta.dirname, "worker.mjs"), port, server.admin, file], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return new Promise((resolve, reject) => {
      child.stdout.once("data", () => resolve(child));
      child.once("exit", (code) => reject(new Error(`the worker has ended with ${code}`)));
    });
  }

  async function end(child) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  const lines = (word) => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []).filter((line) => line.startsWith(`${word} `));
  async function until(holds) {
    for (;;) {
      const value = await holds();
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test("continue with the next worker", async () => {
    const all = await Promise.all([1, 2, 3, 4, 5].map((i) => client.start("Steps", { name: `killed-${i}`, input: { milliseconds: 150 } })));
    await until(() => lines("begins two").length > 0);
    const answered = lines("ends one").map((line) => line.split(" ")[2]);
    assert.ok(answered.length > 0);
    await end(worker);
    worker = await begin();
    for (const execution of all) assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { milliseconds: 150 } });
    await until(() => lines("ends three").length >= 10);
    for (const { arn } of all) {
      const keys = lines("ends")
        .filter((line) => line.includes(`${arn}/`))
        .map((line) => line.split(" ")[2]);
      // Each of the four tasks has its own key. A task that ran when the worker died may have ended twice.
      assert.equal(new Set(keys).size, 4, arn);
      const history = await (await client.get(arn)).history();
      assert.equal(history.filter(({ type }) => type === "LambdaFunctionSucceeded" || type === "TaskSucceeded").length, 4);
    }
  });

  test("accept a task token from before, and keep their definition to the end", async () => {
    const execution = await client.start("Asking");
    const token = (await until(() => lines("token").at(-1))).split(" ")[1];
    await until(async () => (await execution.frames()).length > 0);
    await end(worker);
    worker = await begin({ VERSION: "2" });
    const answers = await Promise.all([client.succeed(token, {}), client.succeed(token, {})]);
    assert.deepEqual(answers.sort(), [false, true]);
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: "1" });
    assert.equal(await client.succeed(token, {}), false);
    const next = await client.start("Asking");
    const other = (await until(() => lines("token").find((line) => !line.endsWith(token)))).split(" ")[1];
    await client.succeed(other, {});
    assert.deepEqual(await next.result, { status: "SUCCEEDED", output: "2" });
  });

  test("call a long task again with the same key, and use one answer", async () => {
    const execution = await client.start("Lasting", { input: { milliseconds: 1000 } });
    const own = (line) => line.includes(`${execution.arn}/`);
    await until(() => lines("begins one").some(own));
    await end(worker);
    worker = await begin();
    assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { milliseconds: 1000 } });
    const keys = lines("begins one")
      .filter(own)
      .map((line) => line.split(" ")[2]);
    assert.deepEqual(keys, [keys[0], keys[0]]);
    const history = await execution.history();
    assert.equal(history.filter(({ type }) => type === "TaskSucceeded" || type === "LambdaFunctionSucceeded").length, 1);
  });
});
