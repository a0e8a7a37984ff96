// A runtime on a damaged database: every call settles, and errors have codes.
import assert from "node:assert/strict";
import { openSync, closeSync, statSync, writeSync } from "node:fs";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { drivers, folder } from "../store/drivers.mjs";
import { MemoryStore, Runtime } from "./surroundings.mjs";

const machines = {
  Wait: { StartAt: "W", States: { W: { Type: "Wait", Seconds: 3600, End: true } } },
  Pass: { StartAt: "P", States: { P: { Type: "Pass", End: true } } },
};
const PAGE = 4096;

/** Overwrites pages of a file with letters, because libsql ends the process if a text is not UTF-8. */
function damage(file, first, count) {
  const handle = openSync(file, "r+");
  for (let page = first; page < first + count; page += 1) writeSync(handle, Buffer.alloc(PAGE, 0x5a), 0, PAGE, page * PAGE);
  closeSync(handle);
}

const [driver] = Object.values(drivers);

test("calls settle and their errors have codes, whichever pages of the database are damaged", { skip: driver === undefined }, async () => {
  const pages = await (async () => {
    const { file, done } = folder();
    try {
      return await fill(file);
    } finally {
      done();
    }
  })();
  const places = [pages - 2, pages - 6, pages - 12, ...[1, 2, 3, 4, 5, 6].map((part) => 1 + Math.floor((pages * part) / 7))];
  let failures = 0;
  for (const place of places) {
    const { file, done } = folder();
    try {
      await fill(file);
      damage(file, place, 2);
      failures += await use(file);
    } finally {
      done();
    }
  }
  assert.ok(failures > 0, "nothing was damaged");
});

/** Fills a database. Returns its number of pages. */
async function fill(file) {
  const runtime = await new Runtime({ store: driver.store(file), machines }).open();
  for (let n = 0; n < 60; n += 1) await runtime.start("Wait", { name: `w-${n}`, input: { text: "x".repeat(300) } });
  await runtime.run("Pass", { name: "p", input: { text: "y".repeat(9000) } });
  await runtime.close();
  return Math.floor(statSync(file).size / PAGE);
}

/** Calls all kinds of methods of a runtime. Returns how many calls failed. */
async function use(file) {
  let failures = 0;
  const expectCode = async (call) => {
    try {
      await call();
    } catch (error) {
      failures += 1;
      assert.match(String(error?.code), /^[A-Z_]+$/, `${error?.stack}`);
    }
  };
  const runtime = new Runtime({ store: driver.store(file), machines, onLog: () => {} });
  await expectCode(() => runtime.open());
  for (const name of ["fresh-1", "fresh-2"]) await expectCode(() => runtime.start("Wait", { name, input: { text: "z".repeat(500) } }));
  await expectCode(() => runtime.list({ machine: "Wait" }, { limit: 100 }));
  await expectCode(() => runtime.count());
  for (const name of ["w-0", "w-30", "w-59"])
    for (const method of ["describe", "history", "query", "frames", "stop"])
      await expectCode(async () => (await runtime.get("Wait", name))?.[method]());
  await expectCode(async () => (await runtime.get("Pass", "p"))?.result);
  await expectCode(() => runtime.verify());
  await expectCode(() => runtime.close());
  return failures;
}

test("stored texts that are not JSON fail calls with a code", async () => {
  const store = new MemoryStore();
  const first = await new Runtime({ store, machines }).open();
  await first.run("Pass", { name: "p", input: { n: 1 } });
  await first.start("Wait", { name: "w" });
  await first.close();
  const torn = new Proxy(store, {
    get(target, name) {
      if (name === "get")
        return async (id) => {
          const record = await store.get(id);
          return record && { ...record, input: "{", ...(record.output !== undefined && { output: '{"n"' }) };
        };
      if (name === "load") return async (id) => ({ ...(await store.load(id)), journal: ["[[1"] });
      return typeof target[name] === "function" ? target[name].bind(target) : target[name];
    },
  });
  const now = await new Runtime({ store: torn, machines, onLog: () => {} }).open();
  const ended = await now.get("Pass", "p");
  const waits = await now.get("Wait", "w");
  for (const doing of [() => ended.describe(), () => ended.result, () => ended.outcome(), () => ended.redrive(), () => waits.query()])
    await assert.rejects(doing, (error) => ["STORE_DAMAGED", "NOT_REDRIVABLE"].includes(error.code));
  await now.close();
});

for (const [what, load, definition] of [
  ["facts", (stored) => ({ ...stored, journal: ["[[1"] })],
  ["a snapshot's head", (stored) => ({ ...stored, snapshot: "{" })],
  ["a snapshot's engine", (stored) => ({ ...stored, snapshot: '{"form":1,"at":1,"events":2,"notes":{}}\n{"x' })],
  ["a definition", (stored) => stored, '{"StartAt'],
]) {
  test(`an execution with damaged data (${what}) is suspended or refused with a code, and another one goes on`, async () => {
    const store = new MemoryStore();
    const first = await new Runtime({ store, machines }).open();
    const { arn } = await first.start("Wait", { name: "w" });
    await first.close();
    const torn = new Proxy(store, {
      get(target, name) {
        if (name === "load") return async (id) => (id === arn ? load(await store.load(id)) : store.load(id));
        if (name === "getDefinition" && definition !== undefined) return async () => definition;
        return typeof target[name] === "function" ? target[name].bind(target) : target[name];
      },
    });
    const now = await new Runtime({ store: torn, machines: { Pass: machines.Pass }, onLog: () => {} }).open();
    const waits = await now.get(arn);
    for (const doing of [() => waits.query(), () => waits.history(), () => waits.resume(), () => waits.signal("s")])
      await doing().catch((error) => assert.match(String(error.code), /^[A-Z_]+$/, `${error.stack}`));
    assert.match((await waits.describe()).suspended.reason, /./);
    assert.equal((await now.run("Pass", { name: "p", input: { n: 1 } })).n, 1);
    await now.close();
  });
}

test("a value in Restate that is not JSON fails calls with the code STORE_DAMAGED", async () => {
  const [{ scheduled }, listing] = await Promise.all([
    importSource("js/runtime/restate/schedules.ts"),
    importSource("js/runtime/restate/listing.ts"),
  ]);
  const ingress = { query: async () => [{ service_key: "nightly", value_utf8: '{"machine' }] };
  await assert.rejects(scheduled(ingress), { code: "STORE_DAMAGED" });
  await assert.rejects(listing.listed(ingress, {}, {}), { code: "STORE_DAMAGED" });
});
