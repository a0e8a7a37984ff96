// Long payloads in a blob store: they are moved there, fetched when they are read, and removed with their executions.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { MemoryBlobs, startS3 } from "./blobs.mjs";
import { encodedBytes, reverse } from "./codec.mjs";
import { drivers, folder } from "./drivers.mjs";
import { pg, programs, startServer } from "./postgres-server.mjs";
import { random } from "./random.mjs";
import { create, collect, record, storeSuite } from "./suite.mjs";

const { MemoryStore, Runtime, aesGcm, encoded, gzip, offloaded } = await importSource("js/entries/durable-node.ts");
const { folderBlobs, postgresBlobs, s3Blobs } = await importSource("js/entries/blobs.ts");

const KILLS = Number(process.env.STEPGLASS_KILLS ?? 4);
const SEED = Number(process.env.STEPGLASS_SEED ?? 1);

storeSuite(test, "offloaded", () => ({ store: encoded(new MemoryStore(), [reverse, offloaded(new MemoryBlobs(), { above: 20_000 })]) }), {
  bytes: encodedBytes,
});

const keysOf = async (blobs, prefix = "") => (await collect(blobs.list(prefix))).map(({ key }) => key).sort();

/** What every blob store promises. */
async function promises(blobs) {
  const long = `${"a".repeat(700)}/1`;
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 256);
  for (const key of ["b/1", "b/2", "bb/1", long]) await blobs.put(key, bytes);
  assert.deepEqual(new Uint8Array(await blobs.get("b/1")), bytes);
  assert.deepEqual(new Uint8Array(await blobs.get(long)), bytes);
  assert.equal(await blobs.get("b/3"), undefined);
  assert.equal(await blobs.get("none/1"), undefined);
  assert.deepEqual(await keysOf(blobs), [long, "b/1", "b/2", "bb/1"]);
  assert.deepEqual(await keysOf(blobs, "b/"), ["b/1", "b/2"]);
  assert.deepEqual(await keysOf(blobs, `${"a".repeat(700)}/`), [long]);
  assert.deepEqual(await keysOf(blobs, "none/"), []);
  for await (const { modified } of blobs.list("")) assert.ok(modified > Date.UTC(2025));
  await blobs.remove(["b/1", "none/1", long]);
  assert.deepEqual(await keysOf(blobs), ["b/2", "bb/1"]);
  await blobs.close?.();
}

test("blobs in a folder are kept, listed and removed", async () => {
  const { path, done } = folder();
  try {
    await promises(folderBlobs(join(path, "new", "blobs")));
    await assert.rejects(folderBlobs(path).get("../secret"), { code: "INVALID_ARGUMENT" });
  } finally {
    done();
  }
});

const noPostgres = pg === undefined || programs() === undefined ? "there is no PostgreSQL here" : false;
test("blobs in a table of PostgreSQL are kept, listed and removed, also after the connection broke", { skip: noPostgres }, async () => {
  const server = startServer();
  try {
    await promises(postgresBlobs({ client: () => new pg.Client(server.config) }));
    const blobs = postgresBlobs({ client: () => new pg.Client(server.config), schema: "other" });
    await blobs.put("a/1", new Uint8Array([1]));
    server.restart();
    await assert.rejects(blobs.get("a/1"));
    assert.deepEqual([...(await blobs.get("a/1"))], [1]);
    await blobs.close();
  } finally {
    server.stop();
  }
});

const sdk = join(import.meta.dirname, "../aws/node_modules/@aws-sdk/client-s3");
const noSdk = existsSync(sdk) ? false : "the AWS SDK is not installed: npm ci --prefix pkg-tests/aws";
test("blobs in S3 are kept, listed and removed, by the AWS SDK", { skip: noSdk }, async () => {
  const s3 = await startS3();
  const load = async () => createRequire(join(sdk, "index.js"))(sdk);
  const { S3Client } = await load();
  const client = new S3Client({
    ...{ endpoint: s3.endpoint, region: "us-east-1", forcePathStyle: true },
    credentials: { accessKeyId: "k", secretAccessKey: "s" },
  });
  try {
    s3.objects.set("of-others", Buffer.from("x"));
    await promises(s3Blobs({ bucket: "orders", prefix: "p/", client, load }));
    assert.deepEqual([...s3.objects.keys()].sort(), ["of-others", "p/b/2", "p/bb/1"]);
    assert.ok(s3.requests.every((request) => request.endsWith(" orders")));
    const missing = s3Blobs({ bucket: "orders" });
    await assert.rejects(missing.get("a"), { code: "STORE_UNAVAILABLE", message: /npm install @aws-sdk\/client-s3/ });
  } finally {
    client.destroy();
    s3.stop();
  }
});

const LONG = "4111".repeat(20_000);
const machines = {
  Pay: {
    StartAt: "Wait",
    States: {
      Wait: { Type: "Task", Resource: "urn:stepglass:waitForSignal", Parameters: { Name: "go" }, ResultPath: "$.go", Next: "Charge" },
      Charge: { Type: "Task", Resource: "charge", End: true },
    },
  },
};
const tasks = { charge: ({ card }) => ({ card }) };
const key = (n) => new Uint8Array(32).fill(n);
const open = (store, more) => new Runtime({ store, machines, tasks, ...more }).open();

test("a search for unused blobs leaves everything that it has not written", async () => {
  const blobs = new MemoryBlobs();
  const store = encoded(new MemoryStore(), [offloaded(blobs, { above: 0, graceSeconds: 0 })]);
  await store.open({ owner: "test" });
  const uuid = "0190f3a2-5c3e-4f7a-9d2b-0123456789ab";
  const foreign = ["logs/2026", "readme", `data/${uuid}`, `users/${uuid}`, `abcd/${uuid}`, "images/logo", `a/b/${uuid}`];
  for (const key of foreign) await blobs.put(key, new Uint8Array(1));
  await blobs.put(`${Buffer.from("arn:of:nothing").toString("base64url")}/${uuid}`, new Uint8Array(1));
  await new Promise((resolve) => setTimeout(resolve, 2));
  assert.deepEqual(await store.collect(), { removed: 1 });
  assert.deepEqual(await keysOf(blobs), foreign.toSorted());
});

test("long payloads are in the blob store only, are read from there, and are removed with their execution", async () => {
  const inner = new MemoryStore();
  const blobs = new MemoryBlobs();
  const codecs = [gzip(), aesGcm({ keys: { a: key(1) }, current: "a" }), offloaded(blobs, { above: 60, graceSeconds: 0 })];
  const runtime = await open(encoded(inner, codecs));
  const card = Array.from({ length: 3000 }, (_, i) => i * 7919).join();
  const one = await runtime.start("Pay", { name: "1", input: { card } });
  await runtime.close();
  const second = await open(encoded(inner, codecs));
  await second.signal(one.arn, "go", 1);
  assert.deepEqual((await (await second.get(one.arn)).result).output, { card });
  assert.deepEqual((await (await second.get(one.arn)).describe()).input, { card });
  assert.ok((await (await second.get(one.arn)).history()).length > 5);
  await inner.open({ owner: "spy" }).catch(() => {});
  const { record: stored } = await inner.load(one.arn);
  assert.ok(stored.input.length < 400, `the row has ${stored.input.length} characters`);
  assert.ok(blobs.blobs.size >= 3);
  for (const { bytes } of blobs.blobs.values()) assert.ok(!Buffer.from(bytes).includes("7919"));
  const others = await second.start("Pay", { name: "2", input: { card } });
  await new Promise((resolve) => setTimeout(resolve, 2));
  assert.deepEqual(await second.prune(), []);
  await encoded(inner, codecs).prune({ ids: [one.arn] });
  // Only the blobs of the other execution are left.
  assert.ok(blobs.blobs.size > 0);
  await second.signal(others.arn, "go", 1);
  assert.deepEqual((await (await second.get(others.arn)).result).output, { card });
  await second.close();
});

test("a crash between a blob and its row loses nothing, and what it leaves is removed later", async () => {
  const inner = new MemoryStore();
  const blobs = new MemoryBlobs();
  const store = encoded(inner, [offloaded(blobs, { above: 100, graceSeconds: 0 })]);
  await store.open({ owner: "a" });
  await create(store, record("kept", { input: JSON.stringify(LONG) }));
  const write = inner.write;
  inner.write = () => Promise.reject(new Error("killed"));
  await assert.rejects(store.write([{ id: "lost", version: 0, create: record("lost", { input: JSON.stringify(LONG) }) }]));
  inner.write = write;
  assert.equal(blobs.blobs.size, 2);
  await new Promise((resolve) => setTimeout(resolve, 2));
  const young = encoded(inner, [offloaded(blobs, { above: 100 })]);
  assert.deepEqual(await young.collect(), { removed: 0 });
  assert.deepEqual(await store.collect(), { removed: 1 });
  assert.equal((await store.get("kept")).input, JSON.stringify(LONG));
  // A snapshot is replaced by another one, and the blob of the first one is not needed any more.
  for (const snapshot of [`${LONG}1`, `${LONG}2`]) {
    const { version } = await store.get("kept");
    await store.write([{ id: "kept", version, snapshot }]);
  }
  assert.equal(blobs.blobs.size, 3);
  await new Promise((resolve) => setTimeout(resolve, 2));
  assert.deepEqual(await store.collect(), { removed: 1 });
  assert.equal((await store.load("kept")).snapshot, `${LONG}2`);
  await store.close();
});

test("a blob that is missing stops one execution, and a blob store that does not answer is asked again", async () => {
  const inner = new MemoryStore();
  const blobs = new MemoryBlobs();
  const store = encoded(inner, [offloaded(blobs, { above: 100 })]);
  await store.open({ owner: "a" });
  await create(store, record("a", { input: JSON.stringify(LONG) }), record("b"));
  const { get } = blobs;
  blobs.get = () => Promise.reject(new Error("no network"));
  await assert.rejects(store.load("a"), { code: "STORE_FAILED", message: /no network/ });
  blobs.get = get;
  await store.load("a");
  blobs.blobs.clear();
  await assert.rejects(store.load("a"), { code: "STORE_DAMAGED" });
  await store.load("b");
  assert.equal((await store.list()).items.length, 2);
  await store.close();
});

test("offloaded() is the last codec and needs a blob store", () => {
  const codec = offloaded(new MemoryBlobs());
  assert.throws(() => encoded(new MemoryStore(), [codec, gzip()]), { code: "INVALID_ARGUMENT" });
  assert.throws(() => offloaded({}), { code: "INVALID_ARGUMENT" });
  assert.throws(() => offloaded(new MemoryBlobs(), { above: -1 }), { code: "INVALID_OPTION" });
});

for (const [name, { store }] of Object.entries(drivers))
  test(`no acknowledged payload is lost although ${KILLS} processes are killed while they write blobs (${name}, seed ${SEED})`, async () => {
    const { path, file, done } = folder();
    const next = random(SEED);
    const acknowledged = new Set();
    try {
      const place = join(path, "blobs");
      for (let kill = 0; kill < KILLS; kill++) {
        const args = ["--no-warnings", join(import.meta.dirname, "blob-writer.mjs"), name, file, place, String(kill)];
        const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
        const exited = once(child, "exit");
        let left = 3 + next(20);
        for await (const line of createInterface({ input: child.stdout })) {
          acknowledged.add(line);
          if (--left === 0) child.kill("SIGKILL");
        }
        assert.deepEqual(await exited, [null, "SIGKILL"]);
      }
      const blobs = folderBlobs(place);
      const all = encoded(store(file), [reverse, offloaded(blobs, { above: 1000, graceSeconds: 0 })]);
      await all.open({ owner: "check" });
      for (const id of acknowledged) assert.equal(JSON.parse((await all.get(id)).input).length, 50_000, id);
      await new Promise((resolve) => setTimeout(resolve, 2));
      await all.collect();
      // What is left belongs to executions.
      const { items } = await all.list({}, { limit: 10_000 });
      assert.equal((await keysOf(blobs)).length, items.length);
      for (const { id } of items) await all.load(id);
      await all.prune({ ids: items.map(({ id }) => id) });
      assert.deepEqual(await keysOf(blobs), []);
      await all.close();
    } finally {
      done();
    }
  });
