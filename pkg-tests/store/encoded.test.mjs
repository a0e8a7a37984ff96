// A store with codecs keeps the promises of every store, and shows nothing that an execution contains.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { encodedBytes, reverse } from "./codec.mjs";
import { storeSuite } from "./suite.mjs";

const { MemoryStore, Runtime, aesGcm, encoded, gzip } = await importSource("js/entries/durable-node.ts");

const key = (n) => new Uint8Array(32).fill(n);
const aes = (current, ...ids) => aesGcm({ keys: Object.fromEntries([current, ...ids].map((id) => [id, key(Number(id))])), current });

storeSuite(test, "encoded", () => ({ store: encoded(new MemoryStore(), [reverse]) }), { bytes: encodedBytes });

const SECRET = "4111-1111";
const task = (Resource, more) => ({ Type: "Task", Resource, ...more });
const machines = {
  Pay: {
    Comment: SECRET,
    StartAt: "Show",
    States: {
      Show: task("urn:stepglass:setState", { Parameters: { "Value.$": "$" }, Next: "Wait" }),
      Wait: task("urn:stepglass:waitForSignal", { Parameters: { Name: "go" }, Next: "Charge" }),
      Charge: task("charge", { End: true }),
    },
  },
  Loop: {
    QueryLanguage: "JSONata",
    StartAt: "Add",
    States: {
      Add: { Type: "Pass", Output: "{% $states.input + 1 %}", Next: "Enough" },
      Enough: { Type: "Choice", Choices: [{ Condition: "{% $states.input >= 1500 %}", Next: "Done" }], Default: "Add" },
      Done: { Type: "Succeed" },
    },
  },
};
const tasks = { charge: (input) => ({ input, card: SECRET }) };

/** A store that records every text that is written to it, and that does not end with its runtime. */
function recording() {
  const inner = new MemoryStore();
  const texts = [];
  const writes = new Set(["put", "putDefinition", "write"]);
  const store = new Proxy(inner, {
    get(target, name) {
      if (typeof target[name] !== "function") return target[name];
      return (...given) => {
        if (writes.has(name)) texts.push(JSON.stringify(given));
        return target[name](...given);
      };
    },
  });
  return { store, texts };
}

const open = (store, more) => new Runtime({ store, machines, tasks, ...more }).open();

test("nothing that an execution contains is readable in the store, and it continues after a restart", async () => {
  const { store, texts } = recording();
  const codecs = [gzip(), aes("1")];
  const first = await open(encoded(store, codecs));
  const one = await first.start("Pay", { name: "order", input: { card: SECRET }, tags: { customer: "c1" } });
  await first.schedule("nightly", { machine: "Pay", cron: "@yearly", input: { card: SECRET } });
  await first.close();
  const second = await open(encoded(store, codecs));
  const again = await second.get("Pay", "order");
  assert.deepEqual((await again.query()).state, { card: SECRET });
  await again.signal("go", { by: SECRET });
  assert.deepEqual(await again.result, { status: "SUCCEEDED", output: { input: { by: SECRET }, card: SECRET } });
  assert.deepEqual((await again.describe()).input, { card: SECRET });
  const { items } = await second.list({ tags: { customer: "c1" } });
  assert.deepEqual(
    items.map(({ id }) => id),
    [one.arn],
  );
  assert.equal((await second.schedules())[0].input.card, SECRET);
  assert.deepEqual((await second.verify()).differing, []);
  await second.close();
  assert.ok(texts.length > 5);
  assert.deepEqual(
    texts.filter((text) => text.includes(SECRET) || text.includes("waitForSignal")),
    [],
  );
});

test("any page of an encoded history is the same as of a plain one", async () => {
  const store = encoded(new MemoryStore(), [reverse]);
  const runtime = await open(store);
  const one = await runtime.start("Loop", { name: "l", input: 0 });
  await one.result;
  const { events, total } = await store.history(one.arn);
  assert.ok(total > 2500);
  assert.deepEqual(
    events.map(({ id }) => id),
    Array.from({ length: total }, (_, i) => i + 1),
  );
  for (const page of [{ from: 700, limit: 30 }, { from: 1 }, { from: 499, limit: 2 }, { from: total, limit: 5 }, { from: 3, limit: 0 }]) {
    const expected = events.slice(page.from, page.from + (page.limit ?? Infinity));
    assert.deepEqual((await store.history(one.arn, page)).events, expected);
    const reversed = events.toReversed().slice(page.from, page.from + (page.limit ?? Infinity));
    assert.deepEqual((await store.history(one.arn, { ...page, reverse: true })).events, reversed);
  }
  await runtime.close();
});

test("a key is rotated: new texts have the new key, and old texts are read with the old one", async () => {
  const { store, texts } = recording();
  const first = await open(encoded(store, [aes("1")]));
  await first.start("Pay", { name: "order", input: { card: SECRET } });
  await first.close();
  const before = texts.length;
  const second = await open(encoded(store, [aes("2", "1")]));
  await (await second.get("Pay", "order")).signal("go", 1);
  assert.equal((await (await second.get("Pay", "order")).result).status, "SUCCEEDED");
  await second.close();
  // The id of the key is the first thing in a text: its length, and the digit.
  const idOf = (text) => [...text.matchAll(/aes-gcm\\?"\],\\?"(\w{3})/g)].map(([, head]) => atob(`${head}=`)[1]);
  assert.deepEqual(new Set(texts.slice(before).flatMap(idOf)), new Set(["2"]));
  assert.deepEqual(new Set(texts.slice(0, before).flatMap(idOf)), new Set(["1"]));
});

test("without its key an execution waits and is listed, and it continues when the key is there", async () => {
  const { store } = recording();
  const first = await open(encoded(store, [aes("1")]));
  const { arn } = await first.start("Pay", { name: "order", input: { card: SECRET } });
  await first.close();
  const failures = [];
  const second = await open(encoded(store, [aes("2")]), { onStoreError: ({ error }) => failures.push(error.code) });
  assert.equal((await second.list()).items[0].id, arn);
  await assert.rejects(second.get(arn), (error) => error.code === "STORE_CODEC" && error.message.includes('there is no key "1"'));
  await assert.rejects(second.signal(arn, "go"), { code: "STORE_CODEC" });
  await second.close();
  const third = await open(encoded(store, [aes("2", "1")]));
  await third.signal(arn, "go");
  assert.equal((await (await third.get(arn)).result).status, "SUCCEEDED");
  await third.close();
});

test("a store from before it had codecs is continued, and what is written from then on is encoded", async () => {
  const { store, texts } = recording();
  const first = await open(store);
  const { arn } = await first.start("Pay", { name: "order", input: { n: 1 } });
  await first.close();
  const before = texts.length;
  const second = await open(encoded(store, [gzip(), aes("1")]));
  assert.deepEqual((await (await second.get(arn)).describe()).input, { n: 1 });
  await second.signal(arn, "go", { by: SECRET });
  assert.equal((await (await second.get(arn)).result).status, "SUCCEEDED");
  await second.close();
  assert.ok(texts.length > before);
  assert.ok(texts.slice(before).every((text) => !text.includes(SECRET)));
});

test("a text that was changed is refused", async () => {
  const inner = new MemoryStore();
  const codec = aes("1");
  await inner.open({ owner: "o" });
  await encoded(inner, [codec]).put("c", "k", { card: SECRET });
  const value = await inner.document("c", "k");
  const [names, data] = value.$encoded;
  const other = data.slice(0, -6) + (data.at(-6) === "A" ? "B" : "A") + data.slice(-5);
  await inner.put("c", "k", { $encoded: [names, other] });
  await assert.rejects(encoded(inner, [codec]).document("c", "k"), { code: "STORE_CODEC" });
});

test("unusable keys and lists of codecs are refused", () => {
  assert.throws(() => aesGcm({ keys: { a: key(1) }, current: "b" }), { code: "INVALID_OPTION" });
  assert.throws(() => aesGcm({ keys: { a: "short" }, current: "a" }), { code: "INVALID_OPTION" });
  assert.throws(() => aesGcm({ keys: { a: new Uint8Array(5) }, current: "a" }), { code: "INVALID_OPTION" });
  assert.throws(() => encoded(new MemoryStore(), []), { code: "INVALID_ARGUMENT" });
  assert.throws(() => encoded(new MemoryStore(), [gzip(), gzip()]), { code: "INVALID_ARGUMENT" });
});
