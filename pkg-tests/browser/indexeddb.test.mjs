// The store in a browser's IndexedDB: the guarantees of every store, and those that concern browsers.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { borrow, eventually, launchStaying, serve, skip, until } from "../browser.mjs";
import { storeSuite } from "../store/suite.mjs";

const dist = resolve(import.meta.dirname, "../../dist");

/** The record of a running execution. */
const record = (id, more = {}) => ({
  id,
  name: id,
  machineArn: "machine",
  status: "RUNNING",
  startDate: 1_000,
  input: "{}",
  ...more,
});
const created = (id, more) => ({ id, version: 0, create: record(id, more), facts: { text: '["start"]', count: 1 } });

/**
 * A store in the page that can be called from here: each call is forwarded, and its result or error is returned. Error classes do
 * not survive the transfer, but codes do.
 */
class PageStore {
  constructor(page, name, options = {}) {
    Object.assign(this, { page, name, options });
    for (const method of [
      "put",
      "remove",
      "document",
      "putDefinition",
      "getDefinition",
      "get",
      "load",
      "history",
      "list",
      "count",
      "due",
      "prune",
    ])
      this[method] = (...given) => this.call(method, given);
  }

  get durable() {
    return true;
  }

  open(options) {
    return this.call("open", [options]);
  }

  close() {
    return this.call("close", []);
  }

  async write(batches) {
    const results = await this.call("write", [batches]);
    return results.map((result) => (result.ok ? result : { ...result, error: thrown(result.error) }));
  }

  async *all(collection) {
    yield* await this.call("all", [collection]);
  }

  async call(method, given) {
    const { value, error } = await this.page.evaluate(
      async ({ name, options, key, method, given }) => {
        const said = ({ name, code, message }) => ({ name, code, message });
        try {
          const { indexedDB } = await import("/indexeddb.js");
          const store = ((globalThis.stores ??= {})[key] ??= indexedDB(name, options));
          if (method === "all") {
            const all = [];
            for await (const one of store.all(...given)) all.push(one);
            return { value: all };
          }
          const value = await store[method](...given);
          return { value: method === "write" ? value.map((one) => (one.ok ? one : { ...one, error: said(one.error) })) : value };
        } catch (error) {
          return { error: said(error) };
        }
      },
      { name: this.name, options: this.options, key: (this.key ??= `${this.name} ${numbers++}`), method, given },
    );
    if (error) throw thrown(error);
    return value;
  }
}

let numbers = 0;

const thrown = ({ name, code, message }) => Object.assign(new Error(message), { name, ...(code !== undefined && { code }) });

/** Random integers below a limit, the same for the same seed. */
function numbersOf(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A random call of the store. There are few names, so that calls concern the same executions. */
function anyCall(random) {
  const one = (...values) => values[random(values.length)];
  const maybe = (value) => (random(2) === 0 ? value() : {});
  const id = () => `e${random(8)}`;
  const status = () => one("RUNNING", "SUCCEEDED", "FAILED");
  const texts = (most) => {
    const count = random(most);
    return { text: JSON.stringify(Array.from({ length: count }, (_, i) => ({ i, payload: "p".repeat(random(600)) }))), count };
  };
  const batch = () => ({
    id: id(),
    version: random(4),
    ...maybe(() => {
      const create = { machineArn: one("m", "n"), status: status(), startDate: random(100), name: one("a", "ab", "b") };
      return {
        version: 0,
        create: { ...record(id(), create), ...maybe(() => ({ mapRunArn: "run" })), ...maybe(() => ({ tags: { t: one("1", "2") } })) },
      };
    }),
    ...maybe(() => ({
      change: {
        ...maybe(() => ({ status: status(), stopDate: random(100) })),
        ...maybe(() => ({ output: one(undefined, "1", "22") })),
        ...maybe(() => ({ cause: one(undefined, "why") })),
        ...maybe(() => ({ error: one(undefined, "E"), more: { a: random(3) } })),
      },
    })),
    ...maybe(() => ({ facts: texts(3) })),
    ...maybe(() => ({ snapshot: one(null, "snapshot", "s") })),
    ...maybe(() => ({ events: texts(random(6) === 0 ? 1_800 : 5) })),
    ...maybe(() => ({ wakeAt: one(null, 0, random(50)) })),
  });
  const filter = () => ({
    ...maybe(() => ({ machineArn: one("m", "n") })),
    ...maybe(() => ({ mapRunArn: "run" })),
    ...maybe(() => ({ status: one("RUNNING", ["FAILED"], ["RUNNING", "SUCCEEDED"], []) })),
    ...maybe(() => ({ namePrefix: "a" })),
    ...maybe(() => ({ tags: { t: "1" } })),
    ...maybe(() => ({ startedFrom: random(100), startedBefore: random(100) })),
  });
  const writes = () => {
    const batches = Array.from({ length: 1 + random(3) }, batch);
    // A record has the id of its batch.
    return ["write", [batches.map((one) => (one.create ? { ...one, create: { ...one.create, id: one.id } } : one))]];
  };
  return one(
    writes,
    writes,
    writes,
    () => ["get", [id()]],
    () => ["load", [id()]],
    () => [
      "history",
      [id(), { ...maybe(() => ({ from: random(1_000) })), ...maybe(() => ({ limit: random(700) })), reverse: random(2) === 0 }],
    ],
    () => ["list", [filter(), { ...maybe(() => ({ before: random(40) })), limit: 1 + random(4) }]],
    () => ["count", [filter()]],
    () => ["due", [{ until: random(60), ...maybe(() => ({ after: random(20) })), limit: 1 + random(8) }]],
    () => [
      "prune",
      [one({ ids: [id(), id()] }, { endedBefore: random(60) }, { executions: random(6) }, { bytes: 5_000 + random(200_000) })],
    ],
    () => ["put", [one("c", "d"), one("k", "l"), { value: random(9) }]],
    () => ["remove", [one("c", "d"), one("k", "l")]],
    () => ["document", [one("c", "d"), one("k", "l")]],
    () => ["all", [one("c", "d")]],
  )();
}

/** Returns the result of a call, or the code of its error. */
async function done(store, [method, given]) {
  if (method === "all") return collected(store.all(...given));
  const value = await store[method](...given);
  if (method === "due") return value.sort((a, b) => a.wakeAt - b.wakeAt || (a.id < b.id ? -1 : 1));
  return method === "write" ? value.map((one) => (one.ok ? one : { ok: false, code: one.error.code, id: one.record?.id })) : value;
}

async function collected(values) {
  const all = [];
  for await (const value of values) all.push(value);
  return all;
}

describe("a store in IndexedDB", { skip }, () => {
  let server, chrome, context;

  /** Opens a tab of the site. */
  const tab = async (where = context) => {
    const page = await where.newPage();
    await page.route("**/tab", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>tab</title>" }));
    await page.goto(`${server.url}tab`);
    return page;
  };

  before(async () => {
    server = await serve(dist);
    chrome = await borrow();
    context = await chrome.newContext();
  });
  after(async () => {
    await chrome.close();
    await server.close();
  });

  const make = async () => {
    const page = await tab();
    const name = `suite ${numbers++}`;
    return { store: new PageStore(page, name), another: () => new PageStore(page, name), done: () => page.close() };
  };
  // Each text goes through the browser's protocol many times, which takes most of the time. Chromium keeps values of more than
  // 64 KiB apart from the others, so these are long enough.
  storeSuite(test, "IndexedDB", make, { long: 250_000 });

  test("behaves as the store in memory for any sequence of calls", async () => {
    const { MemoryStore } = await importSource("js/runtime/store/memory.ts");
    const page = await tab();
    const stores = [new MemoryStore(), new PageStore(page, "as memory")];
    for (const store of stores) await store.open({ owner: "me" });
    const random = numbersOf(20_261_122);
    for (const call of Array.from({ length: 400 }, () => anyCall(random))) {
      const [expected, found] = [await done(stores[0], call), await done(stores[1], call)];
      assert.deepEqual(found, expected, JSON.stringify(call));
    }
    await page.close();
  });

  test("refuses another tab until the first closes the store or is closed", async () => {
    const [one, two] = [await tab(), await tab()];
    const first = new PageStore(one, "tabs");
    const second = new PageStore(two, "tabs");
    await first.open({ owner: "first" });
    await assert.rejects(second.open({ owner: "second" }), {
      code: "STORE_CONFLICT",
      message: /another tab or worker .* has the store tabs open/,
    });
    // A second store in the same tab is refused as well.
    await assert.rejects(new PageStore(one, "tabs").open({ owner: "first" }), { code: "STORE_CONFLICT" });
    await first.close();
    await second.open({ owner: "second" });
    await assert.rejects(first.open({ owner: "first" }), { code: "STORE_CONFLICT" });
    await two.close();
    await until(() => first.open({ owner: "first" }));
    await one.close();
  });

  test("opens in a waiting tab when the other tab is closed, with everything that was written", async () => {
    const [one, two] = [await tab(), await tab()];
    const first = new PageStore(one, "waits");
    const second = new PageStore(two, "waits", { wait: true });
    await first.open({ owner: "first" });
    await first.write([created("a")]);
    const waiting = second.open({ owner: "second" });
    await one.close();
    await waiting;
    await eventually(async () => (await second.list()).items.map(({ id }) => id), ["a"]);
    // Closing ends the wait, and leaves nothing in the queue for the lock.
    const third = new PageStore(await tab(), "waits", { wait: true });
    const refused = assert.rejects(third.open({ owner: "third" }), { code: "STORE_CLOSED" });
    await until(async () => assert.equal((await two.evaluate(() => navigator.locks.query())).pending.length, 1));
    await third.close();
    await refused;
    await eventually(async () => (await two.evaluate(() => navigator.locks.query())).pending.length, 0);
    await two.close();
  });

  test("works in a worker as in a window, and reports whether the site's data is persistent", async () => {
    const page = await tab();
    // Browsers differ in what they grant, so the answers are stubs. Only a window can request persistence; a worker can read it.
    const inWorker = (persistent) =>
      page.evaluate(async (persistent) => {
        const code = `import { indexedDB } from "${location.origin}/indexeddb.js";
          StorageManager.prototype.persisted = async () => ${persistent};
          const store = indexedDB("worker");
          await store.open({ owner: "worker" });
          await store.put("machine", "a", { b: 1 });
          postMessage([await store.document("machine", "a"), await store.persisted]);
          await store.close();`;
        const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
        const value = await new Promise((resolve, reject) => {
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = ({ message }) => reject(new Error(message));
        });
        worker.terminate();
        return value;
      }, persistent);
    assert.deepEqual(await inWorker(false), [{ b: 1 }, false]);
    // The lock is released when the worker ends.
    await until(async () => assert.deepEqual((await page.evaluate(() => navigator.locks.query())).held, []));
    assert.deepEqual(await inWorker(true), [{ b: 1 }, true]);
    const store = new PageStore(page, "worker");
    await until(() => store.open({ owner: "window" }));
    assert.deepEqual(await store.document("machine", "a"), { b: 1 });
    await page.close();
  });

  test("asks the browser once for persistent data, if it is not yet persistent, and reports the answer", async () => {
    // The answers of `persisted()` and `persist()`, and what the store reports.
    const cases = [
      { before: false, answer: true, expected: { asked: 1, answers: [true, false] } },
      { before: false, answer: false, expected: { asked: 1, answers: [false, false] } },
      { before: true, answer: true, expected: { asked: 0, answers: [true, true] } },
    ];
    for (const { before, answer, expected } of cases) {
      const page = await tab();
      const found = await page.evaluate(
        async ({ before, answer }) => {
          let asked = 0;
          StorageManager.prototype.persisted = async () => before;
          StorageManager.prototype.persist = async () => ((asked += 1), answer);
          const { indexedDB } = await import("/indexeddb.js");
          const store = indexedDB("persisted");
          for (const owner of ["one", "two"]) {
            await store.open({ owner });
            await store.close();
          }
          const silent = indexedDB("persisted", { persist: false });
          await silent.open({ owner: "three" });
          const answers = [await store.persisted, await silent.persisted];
          await silent.close();
          return { asked, answers };
        },
        { before, answer },
      );
      assert.deepEqual(found, expected);
      await page.close();
    }
  });

  test("rejects a write completely if there is no space, and continues to work", async () => {
    const own = await chrome.newContext();
    const page = await tab(own);
    const devtools = await own.newCDPSession(page);
    const { origin } = new URL(server.url);
    // The quota is set before anything is written, because the browser checks it only when the cached free space is used up.
    await devtools.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1_000_000 });
    const store = new PageStore(page, "full");
    await store.open({ owner: "me" });
    await store.write([created("kept")]);
    const large = "x".repeat(2_000_000);
    await assert.rejects(
      store.write([
        { id: "kept", version: 1, change: { status: "SUCCEEDED", output: "1" } },
        { ...created("large"), facts: { text: JSON.stringify([large]), count: 1 } },
      ]),
      { name: "StoreError", code: "STORE_FULL", message: /no more storage: nothing of this write is stored/ },
    );
    assert.equal((await store.get("kept")).status, "RUNNING");
    assert.equal(await store.get("large"), undefined);
    assert.equal(await store.count(), 1);
    await assert.rejects(store.putDefinition("hash", large), { code: "STORE_FULL" });
    await devtools.send("Storage.overrideQuotaForOrigin", { origin });
    await store.putDefinition("hash", large);
    const [result] = await store.write([{ id: "kept", version: 1, change: { status: "SUCCEEDED", output: "1" } }]);
    assert.equal(result.ok, true);
    await own.close();
  });

  test("rejects a write completely if its transaction fails", async () => {
    const page = await tab();
    const store = new PageStore(page, "fails");
    await store.open({ owner: "me" });
    await store.write([created("a")]);
    await page.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      globalThis.mend = () => (IDBObjectStore.prototype.put = put);
      IDBObjectStore.prototype.put = function (...given) {
        const request = put.apply(this, given);
        // This is the last request of the transaction: facts and records have been put before it.
        if (this.name === "counter") this.transaction.abort();
        return request;
      };
    });
    const batches = [{ id: "a", version: 1, change: { status: "FAILED", error: "E" }, facts: { text: "[2]", count: 1 } }, created("b")];
    await assert.rejects(store.write(batches), { name: "StoreError", code: "STORE_FAILED" });
    await page.evaluate(() => globalThis.mend());
    const { record, journal } = await store.load("a");
    assert.deepEqual([record.status, record.version, journal], ["RUNNING", 1, ['["start"]']]);
    assert.equal(await store.get("b"), undefined);
    assert.deepEqual(await store.write(batches).then((results) => results.map(({ ok }) => ok)), [true, true]);
    await page.close();
  });

  test("refuses a store of a newer version, and does not change it", async () => {
    const page = await tab();
    await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.open("newer", 1_000);
          request.onupgradeneeded = () => request.result.createObjectStore("theirs");
          request.onerror = () => reject(request.error);
          request.onsuccess = () => resolve(request.result.close());
        }),
    );
    const store = new PageStore(page, "newer");
    await assert.rejects(store.open({ owner: "me" }), { code: "STORE_NEWER", message: /a newer version of Stepglass .* reload the page/ });
    assert.equal(await page.evaluate(async () => (await indexedDB.databases()).find(({ name }) => name === "newer").version), 1_000);
    assert.deepEqual((await page.evaluate(() => navigator.locks.query())).held, []);
    await page.close();
  });

  test("closes with a notification when another tab deletes or upgrades the store", async () => {
    const [one, two] = [await tab(), await tab()];
    const store = new PageStore(one, "taken");
    await store.open({ owner: "me" });
    await store.write([created("a")]);
    await two.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase("taken");
          request.onsuccess = () => resolve();
          request.onerror = () => reject(request.error);
        }),
    );
    await assert.rejects(store.write([created("b")]), { code: "STORE_CLOSED", message: /another tab has deleted it/ });
    await assert.rejects(store.list(), { code: "STORE_CLOSED" });
    await store.open({ owner: "me" });
    assert.equal(await store.count(), 0);
    await two.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const request = indexedDB.open("taken", 1_000);
          request.onsuccess = () => resolve(request.result.close());
          request.onerror = () => reject(request.error);
        }),
    );
    await assert.rejects(store.count(), { code: "STORE_CLOSED", message: /a newer version of Stepglass: reload the page/ });
    await one.close();
    await two.close();
  });

  test("keeps what was reported as written when Chromium is killed", async () => {
    const profile = mkdtempSync(join(tmpdir(), "stepglass-profile-"));
    try {
      const acknowledged = [];
      const killed = await launchStaying(profile);
      const page = await tab(killed.context);
      await page.exposeFunction("acknowledge", (id) => void acknowledged.push(id));
      await page.evaluate(async () => {
        const { indexedDB } = await import("/indexeddb.js");
        const store = indexedDB("killed");
        await store.open({ owner: "me" });
        void (async () => {
          for (let i = 0; ; i++) {
            const id = `e${i}`;
            const create = { id, name: id, machineArn: "m", status: "RUNNING", startDate: i, input: "{}" };
            await store.write([{ id, version: 0, create, facts: { text: `[${i}]`, count: 1 } }]);
            globalThis.acknowledge(id);
          }
        })();
      });
      await until(() => assert.ok(acknowledged.length >= 50, `${acknowledged.length}`));
      await killed.kill();
      const again = await launchStaying(profile);
      try {
        const store = new PageStore(await tab(again.context), "killed");
        await store.open({ owner: "me" });
        const { items } = await store.list({}, { limit: 1_000_000 });
        const found = new Set(items.map(({ id }) => id));
        assert.deepEqual(
          acknowledged.filter((id) => !found.has(id)),
          [],
        );
        // No write is partial: each item has its fact, and there is no gap between them.
        for (const { id, order } of [items[0], items.at(-1)]) assert.deepEqual((await store.load(id)).journal, [`[${order - 1}]`]);
        assert.equal(items[0].order, items.length);
      } finally {
        await again.kill();
      }
    } finally {
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    }
  });

  test("resumes executions of a Runtime after the browser was killed, with one key for each effect", async () => {
    const profile = mkdtempSync(join(tmpdir(), "stepglass-profile-"));
    /** Opens the Runtime in a tab. Its handlers record their calls. */
    const begin = async (answers) => {
      const { context: where, kill } = await launchStaying(profile);
      const page = await tab(where);
      const calls = [];
      await page.exposeFunction("called", (name, key) => void calls.push(`${name} ${key}`));
      await page.evaluate(async (answers) => {
        const { init } = await import("/web.js");
        const [{ Runtime }, { indexedDB }] = await Promise.all([import("/durable.js"), import("/indexeddb.js")]);
        await init();
        const Task = (Resource, more) => ({ Type: "Task", Resource, ...more });
        const Order = {
          StartAt: "Reserve",
          States: {
            Reserve: Task("reserve", { ResultPath: "$.reserved", Next: "Charge" }),
            Charge: Task("charge", { TimeoutSeconds: 600, End: true }),
          },
        };
        const tasks = {
          reserve: (_, task) => (globalThis.called("reserve", task.idempotencyKey), true),
          charge: async ({ reserved }, task) => {
            await globalThis.called("charge", task.idempotencyKey);
            return answers ? { reserved } : new Promise(() => {});
          },
        };
        globalThis.runtime = await new Runtime({ store: indexedDB("runtime"), machines: { Order }, tasks }).open();
      }, answers);
      return { page, kill, calls };
    };
    try {
      const first = await begin(false);
      await first.page.evaluate(async () => {
        for (const name of ["a", "b", "c"]) await globalThis.runtime.start("Order", { name, input: { name } });
      });
      await until(() => assert.equal(first.calls.filter((call) => call.startsWith("charge")).length, 3));
      await first.kill();
      const second = await begin(true);
      try {
        const outputs = await second.page.evaluate(async () => {
          const found = await Promise.all(["a", "b", "c"].map((name) => globalThis.runtime.get("Order", name)));
          return Promise.all(found.map(async (one) => (await one.result).output));
        });
        assert.deepEqual(outputs, [{ reserved: true }, { reserved: true }, { reserved: true }]);
        // A task with an answer is not called again. One without an answer is called again with the same idempotency key.
        assert.deepEqual(second.calls.sort(), first.calls.filter((call) => call.startsWith("charge")).sort());
      } finally {
        await second.kill();
      }
    } finally {
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    }
  });

  test("keeps executions encrypted, rotates the key, and moves long payloads to a blob store", async () => {
    const page = await tab();
    const found = await page.evaluate(async () => {
      const [{ init }, { Runtime, aesGcm, encoded, gzip, offloaded }, { indexedDB: inDatabase }] = await Promise.all([
        import("/web.js"),
        import("/durable.js"),
        import("/indexeddb.js"),
      ]);
      await init();
      const SECRET = "4111-1111";
      const machine = {
        StartAt: "Wait",
        States: {
          Wait: { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" }, ResultPath: "$.go", Next: "Pay" },
          Pay: { Type: "Task", Resource: "pay", End: true },
        },
      };
      const blobs = new Map();
      const blobStore = {
        put: async (key, bytes) => void blobs.set(key, bytes),
        get: async (key) => blobs.get(key),
        remove: async (keys) => keys.forEach((key) => blobs.delete(key)),
        async *list(prefix) {
          for (const key of blobs.keys()) if (key.startsWith(prefix)) yield { key, modified: 0 };
        },
      };
      const keys = { old: new Uint8Array(32).fill(1), new: new Uint8Array(32).fill(2) };
      const open = (current) => {
        const known = Object.fromEntries(Object.entries(keys).filter(([id]) => current !== "old" || id === "old"));
        const codecs = [gzip(), aesGcm({ keys: known, current }), offloaded(blobStore, { above: 5000 })];
        const store = encoded(inDatabase("encoded"), codecs);
        return new Runtime({ store, machines: { Pay: machine }, tasks: { pay: ({ card }) => ({ card }) } }).open();
      };
      /** The texts of the database and of the blobs. */
      const texts = async () => {
        const database = await new Promise((resolve, reject) => {
          const request = indexedDB.open("encoded");
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
        const rows = [];
        for (const name of database.objectStoreNames) {
          const request = database.transaction(name).objectStore(name).getAll();
          rows.push(...(await new Promise((resolve) => (request.onsuccess = () => resolve(request.result)))));
        }
        database.close();
        return JSON.stringify(rows) + [...blobs.values()].map((bytes) => new TextDecoder().decode(bytes)).join();
      };
      // Such a text cannot be compressed much.
      const long = Array.from(crypto.getRandomValues(new Uint8Array(20_000))).join();
      const first = await open("old");
      const { arn } = await first.start("Pay", { name: "1", input: { card: SECRET, long } });
      await first.close();
      const before = await texts();
      const second = await open("new");
      await second.signal(arn, "go", SECRET);
      const { output } = await (await second.get(arn)).result;
      const inBlobs = blobs.size;
      await second.close();
      const after = await texts();
      const without = await open("old");
      const { items } = await without.list();
      const code = await without.get(arn).then(
        async (one) => one.describe().then(() => "read"),
        (error) => error.code,
      );
      await without.close();
      return { output, secret: [before, after].some((text) => text.includes(SECRET)), inBlobs, names: items.map(({ name }) => name), code };
    });
    assert.equal(found.output.card, "4111-1111");
    assert.equal(found.secret, false);
    assert.ok(found.inBlobs >= 1);
    assert.deepEqual([found.names, found.code], [["1"], "STORE_CODEC"]);
    await page.close();
  });

  test("needs a secure context and a browser", async () => {
    const page = await tab();
    const codes = await page.evaluate(async () => {
      const { indexedDB } = await import("/indexeddb.js");
      const refused = () =>
        indexedDB("none")
          .open({ owner: "me" })
          .catch(({ code, message }) => [code, message]);
      Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
      const locks = await refused();
      Object.defineProperty(globalThis, "indexedDB", { value: undefined, configurable: true });
      return [locks, await refused()];
    });
    assert.deepEqual(
      codes.map(([code]) => code),
      ["STORE_UNAVAILABLE", "STORE_UNAVAILABLE"],
    );
    assert.match(codes[0][1], /HTTPS or localhost/);
    await page.close();
  });
});
