// Processes that write to an SQLite store are killed at random moments, one after the other on the same file. All acknowledged facts have
// to be there, in order and without gaps, and the next process can open the store at once.
//
//   STEPGLASS_KILLS=500 STEPGLASS_SEED=7 node --test pkg-tests/store/kill.test.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { drivers, folder } from "./drivers.mjs";
import { random } from "./random.mjs";
import { factsOf } from "./suite.mjs";

const KILLS = Number(process.env.STEPGLASS_KILLS ?? 10);
const SEED = Number(process.env.STEPGLASS_SEED ?? 1);

for (const [name, { store }] of Object.entries(drivers))
  test(`SQLite by ${name}: no acknowledged fact is lost although ${KILLS} processes are killed while they write (seed ${SEED})`, async () => {
    const { file, done } = folder();
    const next = random(SEED);
    /** The number of acknowledged facts of each execution, or -1 while the execution is being removed. */
    const acknowledged = new Map();
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        await writeUntilKilled(name, file, next, acknowledged, kill === 0 && store);
        await check(store(file), acknowledged);
      }
    } finally {
      done();
    }
    assert.ok([...acknowledged.values()].filter((facts) => facts > 0).length > 10);
  });

for (const [name, { store }] of Object.entries(drivers))
  test(`SQLite by ${name}: a process that is suspended by SIGSTOP keeps the store, and continues to write after SIGCONT`, async () => {
    const { file, done } = folder();
    const args = ["--no-warnings", join(import.meta.dirname, "writer.mjs"), name, file, "7"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const acknowledged = new Map();
    const readAcknowledgement = async () => {
      const { value, done: ended } = await lines.next();
      if (!ended) for (const [id, facts] of Object.entries(JSON.parse(value))) acknowledged.set(id, facts);
      return !ended;
    };
    try {
      await lines.next();
      for (let i = 0; i < 5; i += 1) await readAcknowledgement();
      child.kill("SIGSTOP");
      // Repeated attempts fail too, because the process holds the lock as long as it exists.
      for (let i = 0; i < 3; i += 1) await assert.rejects(store(file).open({ owner: "other" }), { name: "StoreConflict" });
      child.kill("SIGCONT");
      for (let i = 0; i < 15; i += 1) await readAcknowledgement();
      child.kill("SIGSTOP");
      child.kill("SIGKILL");
      // The pipe may still contain acknowledgements.
      while (await readAcknowledgement());
      await exited;
      await check(store(file), acknowledged);
    } finally {
      child.kill("SIGKILL");
      done();
    }
  });

/** Starts a writer and kills it a few milliseconds after a random number of acknowledgements. */
async function writeUntilKilled(driver, file, next, acknowledged, refused) {
  const child = spawn(process.execPath, ["--no-warnings", join(import.meta.dirname, "writer.mjs"), driver, file, String(next(2 ** 31))], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let problems = "";
  child.stderr.on("data", (chunk) => (problems += chunk));
  const exited = once(child, "exit");
  let left = 1 + next(60);
  const delay = next(4);
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line);
    if ("ready" in message) {
      if (refused) await assert.rejects(refused(file).open({ owner: "other" }), { name: "StoreConflict" });
      continue;
    }
    for (const [id, facts] of Object.entries(message)) acknowledged.set(id, facts);
    if (--left === 0) {
      await pause(delay);
      child.kill("SIGKILL");
    }
  }
  const [, signal] = await exited;
  assert.equal(signal, "SIGKILL", problems);
}

/** Checks that the store has all acknowledged facts, and that its executions are complete. */
async function check(store, acknowledged) {
  await store.open({ owner: "check" });
  for (const [id, count] of acknowledged) {
    const loaded = await store.load(id);
    if (loaded === undefined) {
      assert.ok(count <= 0, `${id} is lost: ${count} facts were acknowledged`);
      acknowledged.set(id, 0);
      continue;
    }
    const { facts, snapshot = "0", events } = loaded;
    assert.ok(facts >= count, `${id} has ${facts} facts of ${count}`);
    const expected = Array.from({ length: facts - Number(snapshot) }, (_, i) => Number(snapshot) + i);
    assert.deepEqual(
      factsOf(loaded).map(({ seq }) => seq),
      expected,
      id,
    );
    // The writer writes an event of the history with each fact.
    assert.equal(events, facts);
    assert.deepEqual(
      (await store.history(id)).events,
      Array.from({ length: facts }, (_, i) => i),
    );
    acknowledged.set(id, facts);
  }
  await store.close();
}
