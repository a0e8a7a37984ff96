// Tests of what every Store promises (js/core/api/durable.d.ts). The test of a store calls `storeSuite` with a function that makes an empty
// store: `{ store, another?, done? }`. `another()` returns a second Store on the same data, which a durable store must provide.
import assert from "node:assert/strict";

const conflict = { name: "StoreConflict", code: "STORE_CONFLICT" };
const isClosed = { name: "StoreError", code: "STORE_CLOSED" };
const MACHINE = "arn:aws:states:us-east-1:123456789012:stateMachine:Order";
const OTHER = "arn:aws:states:us-east-1:123456789012:stateMachine:Other";
const RUN = "arn:aws:states:us-east-1:123456789012:mapRun:Order/Map:1";

/** A text that UTF-8 cannot encode, one with a NUL, and one with characters beyond ASCII. */
const TEXTS = { lone: '"\ud800x\udc00"', nul: '"a\0b\0"', beyond: '"größer 日本 😀"' };

/** A record of a running execution with an id. */
export const record = (id, more = {}) => ({
  id,
  name: id,
  machineArn: MACHINE,
  status: "RUNNING",
  startDate: 1000,
  input: "{}",
  ...more,
});

/** Facts or events in the form of a batch. */
export const texts = (...list) => ({ text: JSON.stringify(list), count: list.length });

/** The facts of a journal. */
export const factsOf = ({ journal }) => journal.flatMap((text) => JSON.parse(text));

export async function collect(iterable) {
  const all = [];
  for await (const item of iterable) all.push(item);
  return all;
}

/** Writes batches, all of which must be accepted. */
export async function write(store, ...batches) {
  const results = await store.write(batches);
  for (const { ok, error } of results) assert.ok(ok, error);
  return results;
}

/** Creates executions, each with its record. */
export const create = (store, ...records) =>
  write(store, ...records.map((one) => ({ id: one.id, version: 0, create: one, wakeAt: one.wakeAt ?? null })));

/** Writes a batch to an execution, based on its present version. */
export async function append(store, id, batch) {
  const { version } = await store.get(id);
  return write(store, { id, version, ...batch });
}

const ids = ({ items }) => items.map(({ id }) => id);

/** The ids of all executions that a filter selects, read in pages. */
async function pages(store, filter, limit) {
  const all = [];
  let before;
  do {
    const page = await store.list(filter, { limit, ...(before !== undefined && { before }) });
    assert.ok(page.items.length <= limit);
    all.push(...ids(page));
    before = page.before;
  } while (before !== undefined);
  return all;
}

/**
 * Declares the tests of a store with `test`. `bytes` returns the length at which a store keeps texts of a length; `long` is half the
 * length of the longest text that is stored, in characters.
 */
export function storeSuite(test, name, make, { bytes = (length) => length, long = 2_500_000 } = {}) {
  const check = (what, run) =>
    test(`${name}: ${what}`, async () => {
      const made = await make();
      try {
        await made.store.open({ owner: "test" });
        await run(made.store, made);
      } finally {
        await made.store.close();
        await made.done?.();
      }
    });
  for (const part of [owners, documents, writing, facts, values, histories, lists, waking, removal]) part(check, bytes, long);

  test(`${name}: says whether it is durable`, async () => {
    const made = await make();
    assert.equal(made.store.durable, made.another !== undefined);
    await made.done?.();
  });
}

function owners(check) {
  check("has one owner at a time", async (store) => {
    await assert.rejects(store.open({ owner: "another" }), conflict);
    await store.open({ owner: "test" });
    await store.close();
    await store.close();
    await store.open({ owner: "another" });
  });

  check("rejects every call while it is not open", async (store) => {
    await create(store, record("e"));
    await store.close();
    for (const use of [
      () => store.write([]),
      () => store.write([{ id: "e", version: 1 }]),
      () => store.get("e"),
      () => store.load("e"),
      () => store.history("e"),
      () => store.list(),
      () => store.count(),
      () => store.due({ until: 1 }),
      () => store.prune({ ids: ["e"] }),
      () => store.put("c", "k", 1),
      () => store.remove("c", "k"),
      () => store.document("c", "k"),
      () => collect(store.all("c")),
      () => store.putDefinition("h", "{}"),
      () => store.getDefinition("h"),
    ])
      await assert.rejects(use(), isClosed, String(use));
    await store.open({ owner: "test" });
    assert.equal((await store.get("e")).version, 1);
  });

  check("can be opened by a second owner only when the first has closed it", async (store, { another, shared }) => {
    // A shared store can be opened by several processes.
    if (another === undefined || shared) return;
    const second = another();
    await create(store, record("e"));
    await assert.rejects(second.open({ owner: "test" }), conflict);
    await assert.rejects(second.get("e"), isClosed);
    await create(store, record("f"));
    await store.close();
    await second.open({ owner: "test" });
    assert.deepEqual(ids(await second.list()), ["f", "e"]);
    await assert.rejects(store.open({ owner: "test" }), conflict);
    await second.close();
    await store.open({ owner: "test" });
  });

  check("contains what was written when it is opened again", async (store, { another }) => {
    await store.put("machine", "m", { a: 1 });
    await store.putDefinition("h", "{}");
    await create(store, record("e", { tags: { k: "v" } }), record("f", { status: "FAILED", stopDate: 5 }));
    await append(store, "e", { facts: texts(["a"]), snapshot: "state" });
    await append(store, "e", { facts: texts(["b"], ["c"]), events: texts({ id: 1 }), wakeAt: 77 });
    const before = [await store.load("e"), await store.history("e"), await store.list({ tags: { k: "v" } })];
    await store.close();
    const next = another?.() ?? store;
    await next.open({ owner: "next" });
    assert.deepEqual([await next.load("e"), await next.history("e"), await next.list({ tags: { k: "v" } })], before);
    assert.deepEqual(await next.due({ until: 100 }), [{ id: "e", wakeAt: 77 }]);
    assert.deepEqual([await next.document("machine", "m"), await next.getDefinition("h")], [{ a: 1 }, "{}"]);
    // The order continues to increase, even if the last execution was removed.
    const [{ order }] = (await next.list()).items;
    await next.prune({ ids: ["f"] });
    await next.close();
    await store.open({ owner: "test" });
    const [created] = await create(store, record("g"));
    assert.ok(created.order > order);
  });
}

function documents(check) {
  check("stores documents by collection and key", async (store) => {
    const value = { name: "é", list: [1, { deep: null }] };
    await store.put("machine", "b", value);
    await store.put("machine", "a", 1);
    await store.put("activity", "b", 2);
    // A later change of the caller's value does not change the stored one.
    value.list.push("later");
    assert.deepEqual(await store.document("machine", "b"), { name: "é", list: [1, { deep: null }] });
    await store.put("machine", "b", { name: "changed" });
    assert.deepEqual(await collect(store.all("machine")), [
      ["b", { name: "changed" }],
      ["a", 1],
    ]);
    (await store.document("machine", "b")).name = "changed by the caller";
    assert.equal((await store.document("machine", "b")).name, "changed");
    await store.remove("machine", "b");
    await store.remove("machine", "none");
    await store.remove("nothing", "none");
    assert.deepEqual(await collect(store.all("machine")), [["a", 1]]);
    assert.deepEqual(await collect(store.all("nothing")), []);
    assert.equal(await store.document("machine", "b"), undefined);
    await store.put("machine", "b", 0);
    assert.deepEqual(await collect(store.all("machine")), [
      ["a", 1],
      ["b", 0],
    ]);
    await assert.rejects(store.put("machine", "c", undefined), { name: "StoreError", code: "STORE_VALUE" });
  });

  check("iterates over all of many documents of a collection, also while they are removed", async (store) => {
    const keys = Array.from({ length: 1100 }, (_, i) => `k${i}`);
    for (const key of keys) await store.put("many", key, key);
    const seen = [];
    for await (const [key, value] of store.all("many")) {
      assert.equal(value, key);
      seen.push(key);
      if (seen.length % 50 === 0) await store.remove("many", key);
    }
    assert.deepEqual(seen, keys);
    assert.equal((await collect(store.all("many"))).length, 1100 - 22);
  });

  check("stores definitions by their hash", async (store) => {
    await store.putDefinition("h", '{"StartAt": "ä"}');
    await store.putDefinition("h", '{"StartAt": "ä"}');
    assert.deepEqual([await store.getDefinition("h"), await store.getDefinition("none")], ['{"StartAt": "ä"}', undefined]);
  });
}

function writing(check) {
  check("creates an execution once, and returns its record when it is created again", async (store) => {
    const given = record("e", { input: '{"a":1}', definition: "h", tags: { team: "x" }, options: { deep: [1] } });
    assert.deepEqual(await store.write([{ id: "e", version: 0, create: given, facts: texts(["start"]) }]), [
      { ok: true, version: 1, order: 1 },
    ]);
    const known = await store.get("e");
    assert.deepEqual(known, { ...given, order: 1, version: 1 });
    const [again] = await store.write([{ id: "e", version: 0, create: record("e"), facts: texts(["other"]), wakeAt: 3 }]);
    assert.equal(again.ok, false);
    assert.equal(again.error.name, "StoreConflict");
    assert.deepEqual(again.record, known);
    assert.deepEqual(factsOf(await store.load("e")), [["start"]]);
    assert.deepEqual(await store.due({ until: 10 }), []);
    for (const none of [await store.get("none"), await store.load("none"), await store.history("none")]) assert.equal(none, undefined);
  });

  check("refuses a batch that is based on another version, and writes the others", async (store) => {
    await create(store, record("a"), record("b"));
    const results = await store.write([
      { id: "a", version: 1, facts: texts(1) },
      { id: "b", version: 5, facts: texts(1), change: { status: "FAILED" }, events: texts(1), snapshot: "s", wakeAt: 1 },
      { id: "none", version: 1, facts: texts(1) },
      { id: "a", version: 2, facts: texts(2) },
      { id: "a", version: 2, facts: texts(3) },
      { id: "c", version: 0, create: record("c") },
      { id: "c", version: 0, create: record("c", { input: "2" }) },
    ]);
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, false, false, true, false, true, false],
    );
    for (const { ok, error } of results) if (!ok) assert.equal(error.name, "StoreConflict");
    assert.deepEqual(results[1].record, await store.get("b"));
    assert.equal(results[2].record, undefined);
    assert.equal(results[4].record.version, 3);
    assert.equal(results[6].record.input, "{}");
    assert.deepEqual(factsOf(await store.load("a")), [1, 2]);
    const { record: b, facts, events, snapshot, journal, wakeAt } = await store.load("b");
    assert.deepEqual([b.status, b.version, facts, events, snapshot, journal, wakeAt], ["RUNNING", 1, 0, 0, undefined, [], null]);
    assert.deepEqual(await store.write([]), []);
  });

  check("stores all of a batch at once", async (store) => {
    await write(store, {
      id: "e",
      version: 0,
      create: record("e"),
      change: { output: "1", stopDate: 9, status: "SUCCEEDED" },
      facts: texts(["start"], ["end"]),
      events: texts({ id: 1 }, { id: 2 }),
      wakeAt: 4,
    });
    assert.deepEqual(await store.load("e"), {
      record: record("e", { output: "1", stopDate: 9, status: "SUCCEEDED", order: 1, version: 1 }),
      facts: 2,
      events: 2,
      journal: ['[["start"],["end"]]'],
      wakeAt: 4,
    });
  });

  check("changes members of a record, and removes members that are undefined", async (store) => {
    await create(store, record("e", { tags: { a: "1", b: "2" } }));
    await append(store, "e", {
      change: { status: "FAILED", error: "E", cause: "C", output: "[]", stopDate: 9, tags: { b: "3" }, own: { deep: 1 } },
    });
    const failed = { status: "FAILED", error: "E", cause: "C", output: "[]", stopDate: 9, tags: { b: "3" }, own: { deep: 1 } };
    assert.deepEqual(await store.get("e"), record("e", { ...failed, order: 1, version: 2 }));
    assert.deepEqual([await store.count({ tags: { a: "1" } }), await store.count({ tags: { b: "3" } })], [0, 1]);
    await append(store, "e", {
      change: {
        ...{
          status: "RUNNING",
          error: undefined,
          cause: undefined,
          output: undefined,
          stopDate: undefined,
          tags: undefined,
          own: undefined,
        },
        ...{ redriveCount: 1, input: "[1]", name: "renamed" },
      },
    });
    assert.deepEqual(await store.get("e"), record("e", { redriveCount: 1, input: "[1]", name: "renamed", order: 1, version: 3 }));
    assert.equal(await store.count({ tags: { b: "3" } }), 0);
    // The members that identify an execution cannot be changed.
    await append(store, "e", { change: { id: "f", machineArn: OTHER, mapRunArn: RUN, order: 77, version: 77 } });
    assert.deepEqual(await store.get("e"), record("e", { redriveCount: 1, input: "[1]", name: "renamed", order: 1, version: 4 }));
    assert.deepEqual([ids(await store.list({ machineArn: MACHINE })), await store.count({ mapRunArn: RUN })], [["e"], 0]);
  });

  check("refuses a batch with a value that cannot be stored, and writes the others", async (store) => {
    const circular = {};
    circular.self = circular;
    await create(store, record("e"));
    const results = await store.write([
      { id: "a", version: 0, create: record("a", { own: circular }) },
      { id: "b", version: 0, create: record("b", { input: undefined }) },
      { id: "c", version: 0, create: record("c", { startDate: undefined }) },
      { id: "e", version: 1, change: { status: undefined }, facts: texts(1) },
      { id: "e", version: 1, change: { own: 1n }, facts: texts(2) },
      { id: "d", version: 0, create: record("d") },
    ]);
    assert.deepEqual(
      results.map(({ ok, error }) => ok || error instanceof Error),
      [true, true, true, true, true, true],
    );
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [false, false, false, false, false, true],
    );
    assert.deepEqual(ids(await store.list()), ["d", "e"]);
    assert.deepEqual((await store.load("e")).facts, 0);
  });
}

function facts(check) {
  check("refuses to load facts whose number is not the one that was written", async (store) => {
    await create(store, record("wrong"), record("text"), record("good"));
    await append(store, "wrong", { facts: { text: '["a","b"]', count: 1 } });
    await append(store, "text", { facts: { text: "no JSON", count: 1 } });
    await append(store, "good", { facts: texts("a", "b") });
    for (const id of ["wrong", "text"])
      await assert.rejects(store.load(id), { code: "STORE_DAMAGED", message: new RegExp(`execution ${id}`) });
    assert.deepEqual(factsOf(await store.load("good")), ["a", "b"]);
    await append(store, "wrong", { snapshot: "s", facts: texts("c") });
    await append(store, "wrong", { facts: texts("d") });
    assert.deepEqual(factsOf(await store.load("wrong")), ["d"]);
  });

  check("stores facts in order, without gaps", async (store) => {
    await create(store, record("a"), record("b"));
    const expected = { a: [], b: [] };
    for (let i = 0; i < 60; i++) {
      const id = i % 3 === 0 ? "a" : "b";
      const some = Array.from({ length: 1 + (i % 4) }, (_, k) => [i, k, "é".repeat(i)]);
      expected[id].push(...some);
      await append(store, id, { facts: texts(...some) });
    }
    for (const id of ["a", "b"]) {
      const loaded = await store.load(id);
      assert.deepEqual(factsOf(loaded), expected[id]);
      assert.equal(loaded.facts, expected[id].length);
    }
    await append(store, "a", { facts: { text: "[]", count: 0 } });
    assert.deepEqual(factsOf(await store.load("a")), expected.a);
  });

  check("loads the last snapshot and the facts after it", async (store) => {
    const seen = async () => {
      const { snapshot, facts, ...loaded } = await store.load("e");
      return [snapshot, facts, factsOf(loaded)];
    };
    await create(store, record("e"));
    await append(store, "e", { facts: texts(1, 2, 3) });
    await append(store, "e", { facts: texts(4), snapshot: "one" });
    assert.deepEqual(await seen(), ["one", 4, []]);
    await append(store, "e", { facts: texts(5) });
    await append(store, "e", { facts: texts(6) });
    assert.deepEqual(await seen(), ["one", 6, [5, 6]]);
    await append(store, "e", { snapshot: "" });
    assert.deepEqual(await seen(), ["", 6, []]);
    await append(store, "e", { facts: texts(7) });
    await append(store, "e", { snapshot: null });
    assert.deepEqual(await seen(), [undefined, 7, []]);
    await append(store, "e", { facts: texts(8) });
    assert.deepEqual(await seen(), [undefined, 8, [8]]);
    await write(store, { id: "f", version: 0, create: record("f"), facts: texts(1), snapshot: "first" });
    assert.deepEqual((await store.load("f")).snapshot, "first");
  });
}

function values(check, _, long) {
  check("stores every text unchanged", async (store) => {
    for (const [kind, text] of Object.entries({ ...TEXTS, empty: '""', huge: JSON.stringify("x€".repeat(long)) })) {
      // The text with NUL characters is not JSON, so it cannot be part of the facts as it is.
      const list = kind === "nul" ? texts("a\0b") : { text: `[${text},1]`, count: 2 };
      const given = record(kind, { input: text, output: text, cause: text, own: text, tags: { k: text } });
      await write(store, { id: kind, version: 0, create: given, facts: list, events: list });
      const loaded = await store.load(kind);
      assert.deepEqual(loaded.record, { ...given, order: loaded.record.order, version: 1 }, kind);
      assert.deepEqual(loaded.journal, [list.text], kind);
      await append(store, kind, { snapshot: text });
      assert.equal((await store.load(kind)).snapshot, text, kind);
      assert.deepEqual((await store.history(kind)).events, JSON.parse(list.text), kind);
      assert.deepEqual(ids(await store.list({ tags: { k: text } })), [kind]);
      await store.put(text, text, text);
      assert.equal(await store.document(text, text), text);
      await store.putDefinition(text, text);
      assert.equal(await store.getDefinition(text), text);
    }
  });

  check("finds executions by every id, name and ARN", async (store) => {
    for (const text of [...Object.values(TEXTS), "%", "_", "'\"", "__proto__"]) {
      await create(store, record(text, { name: text, machineArn: text, tags: { a: "1", [`of ${text}`]: text } }));
      assert.equal((await store.get(text)).name, text);
      assert.deepEqual(ids(await store.list({ machineArn: text })), [text]);
      assert.deepEqual(ids(await store.list({ namePrefix: text })), [text]);
      assert.deepEqual(ids(await store.list({ tags: { [`of ${text}`]: text } })), [text]);
      await create(store, record(`child of ${text}`, { name: "c", mapRunArn: text }));
      assert.deepEqual(ids(await store.list({ mapRunArn: text })), [`child of ${text}`]);
      assert.deepEqual(await store.prune({ ids: [`child of ${text}`] }), [`child of ${text}`]);
    }
    assert.deepEqual(ids(await store.list({ namePrefix: '"größer 日' })), [TEXTS.beyond]);
    assert.deepEqual(ids(await store.list({ namePrefix: '"\ud800' })), [TEXTS.lone]);
    assert.deepEqual(await store.list({ namePrefix: "größer" }), { items: [] });
  });

  check("does not share its values with callers", async (store) => {
    const given = record("e", { tags: { k: "v" }, own: { list: [1] } });
    const batch = { id: "e", version: 0, create: given, facts: texts(1) };
    await write(store, batch);
    const kept = JSON.stringify(await store.get("e"));
    given.status = "FAILED";
    given.own.list.push(2);
    given.tags.k = "w";
    batch.facts.count = 9;
    const change = { other: { deep: 1 } };
    await append(store, "e", { change });
    change.other.deep = 2;
    assert.deepEqual(await store.get("e"), { ...JSON.parse(kept), other: { deep: 1 }, version: 2 });
    for (const read of [() => store.get("e"), async () => (await store.load("e")).record, async () => (await store.list()).items[0]]) {
      const mine = await read();
      const before = JSON.stringify(mine);
      mine.status = "FAILED";
      mine.own.list.push(3);
      mine.tags.k = "x";
      assert.equal(JSON.stringify(await read()), before);
    }
    const { journal } = await store.load("e");
    journal.push("[2]");
    assert.deepEqual(factsOf(await store.load("e")), [1]);
    assert.equal(await store.count({ status: "RUNNING", tags: { k: "v" } }), 1);
  });

  check("stores numbers and members like JSON.stringify", async (store) => {
    const given = record("e", { startDate: 1732286400123.5, stopDate: 8.64e15, none: undefined, nan: NaN, big: 1e300, at: new Date(0) });
    await create(store, given);
    const { none, ...expected } = { ...given, nan: null, at: "1970-01-01T00:00:00.000Z", order: 1, version: 1 };
    assert.deepEqual(await store.get("e"), expected);
    await append(store, "e", { wakeAt: Number.MAX_SAFE_INTEGER });
    assert.equal((await store.load("e")).wakeAt, Number.MAX_SAFE_INTEGER);
    await append(store, "e", { wakeAt: 1e18 });
    assert.deepEqual(await store.due({ until: Infinity }), [{ id: "e", wakeAt: 1e18 }]);
  });
}

function histories(check) {
  check("reads any part of a history, from either end", async (store) => {
    await create(store, record("e"), record("f"));
    const events = Array.from({ length: 1834 }, (_, i) => ({ id: i + 1, type: "x".repeat(400) }));
    const numbers = async (page) => (await store.history("e", page)).events.map(({ id }) => id);
    assert.deepEqual(await store.history("e"), { events: [], total: 0 });
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 2],
      [2, 1102],
      [1102, 1834],
    ])
      await append(store, "e", { events: texts(...events.slice(from, to)) });
    assert.equal((await store.history("e", { limit: 1 })).total, 1834);
    assert.equal((await store.load("e")).events, 1834);
    assert.deepEqual(await store.history("f"), { events: [], total: 0 });
    const all = events.map(({ id }) => id);
    assert.deepEqual(await numbers(), all);
    assert.deepEqual(await numbers({ reverse: true }), all.toReversed());
    assert.deepEqual(await numbers({ from: 498, limit: 7 }), [499, 500, 501, 502, 503, 504, 505]);
    assert.deepEqual(await numbers({ from: 1830, limit: 100 }), [1831, 1832, 1833, 1834]);
    assert.deepEqual(await numbers({ reverse: true, limit: 2 }), [1834, 1833]);
    assert.deepEqual(await numbers({ reverse: true, from: 1832, limit: 3 }), [2, 1]);
    for (const reverse of [false, true]) {
      assert.deepEqual(await numbers({ from: 5000, reverse }), []);
      assert.deepEqual(await numbers({ limit: 0, reverse }), []);
      const paged = [];
      for (let from = 0; from < 1834; from += 97) paged.push(...(await numbers({ from, limit: 97, reverse })));
      assert.deepEqual(paged, reverse ? all.toReversed() : all);
    }
  });
}

/** Filters of every kind, each with a predicate for the executions of `many` that it selects. */
const FILTERS = [
  [{}, () => true],
  [{ machineArn: OTHER }, ({ machineArn }) => machineArn === OTHER],
  [{ status: "FAILED" }, ({ status }) => status === "FAILED"],
  [{ status: ["RUNNING"] }, ({ status }) => status === "RUNNING"],
  [{ status: ["FAILED", "RUNNING", "FAILED"] }, ({ status }) => status !== "SUCCEEDED"],
  [{ status: [] }, () => false],
  [{ machineArn: MACHINE, status: ["SUCCEEDED", "FAILED"] }, (e) => e.machineArn === MACHINE && e.status !== "RUNNING"],
  [{ namePrefix: "n1" }, ({ name }) => name.startsWith("n1")],
  [{ namePrefix: "" }, () => true],
  [{ namePrefix: "N1" }, () => false],
  [{ tags: {} }, () => true],
  [{ tags: { even: "yes" } }, ({ tags }) => tags.even === "yes"],
  [{ tags: { even: "yes", third: "0" } }, ({ tags }) => tags.even === "yes" && tags.third === "0"],
  [{ tags: { even: "maybe" } }, () => false],
  [{ tags: { third: "1" }, status: ["FAILED", "RUNNING"] }, (e) => e.tags.third === "1" && e.status !== "SUCCEEDED"],
  [{ attributes: {} }, () => true],
  [{ attributes: { customer: "c-3" } }, ({ attributes }) => attributes?.customer === "c-3"],
  [{ attributes: { customer: "3" } }, () => false],
  [{ attributes: { amount: 50 } }, ({ attributes }) => attributes?.amount === 50],
  [{ attributes: { amount: "50" } }, () => false],
  [{ attributes: { paid: true } }, ({ attributes }) => attributes?.paid === true],
  [{ attributes: { paid: 1 } }, () => false],
  [
    { attributes: { paid: false, customer: "c-1" }, status: ["FAILED", "RUNNING"] },
    (e) => e.attributes?.paid === false && e.attributes.customer === "c-1" && e.status !== "SUCCEEDED",
  ],
  [{ attributes: { amount: { from: -10, before: 50 } } }, ({ attributes }) => attributes?.amount >= -10 && attributes.amount < 50],
  [{ attributes: { amount: { from: 900.5 } }, machineArn: MACHINE }, (e) => e.attributes?.amount >= 900.5 && e.machineArn === MACHINE],
  [{ attributes: { amount: { before: -100 } } }, ({ attributes }) => attributes?.amount < -100],
  [{ attributes: { customer: { from: "c-2", before: "c-4" } } }, ({ attributes }) => ["c-2", "c-3"].includes(attributes?.customer)],
  [{ attributes: { customer: { from: "c-4" }, amount: { before: 0 } } }, (e) => e.attributes?.customer >= "c-4" && e.attributes.amount < 0],
  [{ attributes: { customer: { from: "z" } } }, ({ attributes }) => attributes?.customer >= "z"],
  [
    { attributes: { customer: "c-2", amount: { from: 0 } }, tags: { even: "yes" } },
    (e) => e.attributes?.customer === "c-2" && e.attributes.amount >= 0 && e.tags.even === "yes",
  ],
  [{ attributes: { none: "c-3" } }, () => false],
  [{ startedFrom: 600 }, ({ startDate }) => startDate >= 600],
  [{ startedBefore: 600 }, ({ startDate }) => startDate < 600],
  [{ startedFrom: 100, startedBefore: 900, machineArn: OTHER }, (e) => e.startDate >= 100 && e.startDate < 900 && e.machineArn === OTHER],
  [
    { machineArn: OTHER, status: "FAILED", namePrefix: "n", tags: { third: "2" }, startedFrom: 5, startedBefore: 990 },
    (e) => e.machineArn === OTHER && e.status === "FAILED" && e.tags.third === "2" && e.startDate >= 5 && e.startDate < 990,
  ],
  [{ machineArn: "arn:of:none" }, () => false],
];

/** Records that differ from their neighbours, and whose start dates are not in the order of creation. */
const many = (count, more = {}) =>
  Array.from({ length: count }, (_, i) =>
    record(`e${i}`, {
      name: `n${i}`,
      machineArn: i % 5 === 0 ? OTHER : MACHINE,
      status: ["RUNNING", "SUCCEEDED", "FAILED"][i % 3 === 0 ? 0 : (i * 7) % 3],
      startDate: (i * 37) % 1000,
      tags: { even: i % 2 === 0 ? "yes" : "no", third: String(i % 3) },
      // The last characters of UTF-16 are before the first ones beyond them in the order of code points.
      ...(i % 4 !== 0 && {
        attributes: { customer: i % 29 === 0 ? "\u{1f600}" : `c-${i % 7}`, amount: ((i * 61) % 1200) - 200, paid: i % 2 === 0 },
      }),
      ...more,
    }),
  );

function lists(check) {
  check("lists and counts the executions that a filter selects, the latest first", async (store) => {
    const records = many(300);
    await create(store, ...records);
    await create(store, ...["c0", "c1", "c2"].map((id) => record(id, { mapRunArn: RUN, tags: { even: "yes" } })));
    for (const [filter, selects] of FILTERS) {
      const expected = records
        .filter(selects)
        .map(({ id }) => id)
        .toReversed();
      const where = JSON.stringify(filter);
      assert.deepEqual(ids(await store.list(filter, { limit: 1000 })), expected, where);
      assert.equal(await store.count(filter), expected.length, where);
      assert.deepEqual(await pages(store, filter, 7), expected, where);
    }
    assert.equal((await store.list()).items.length, 100);
    assert.deepEqual(await store.list({}, { limit: 0 }), { items: [] });
    const exactly = await store.list({}, { limit: 300 });
    assert.deepEqual([exactly.items.length, "before" in exactly], [300, false]);
  });

  check("lists the children of a Map Run only when a filter names the Map Run", async (store) => {
    const children = many(40, { mapRunArn: RUN });
    await create(store, record("first"), ...children, record("last"));
    await create(store, record("foreign", { mapRunArn: `${RUN}2` }));
    assert.deepEqual(ids(await store.list()), ["last", "first"]);
    assert.equal(await store.count({ status: ["RUNNING", "FAILED", "SUCCEEDED"] }), 2);
    for (const [filter, selects] of FILTERS) {
      const expected = children
        .filter(selects)
        .map(({ id }) => id)
        .toReversed();
      assert.deepEqual(await pages(store, { ...filter, mapRunArn: RUN }, 9), expected, JSON.stringify(filter));
      assert.equal(await store.count({ ...filter, mapRunArn: RUN }), expected.length);
    }
    assert.deepEqual(await store.list({ mapRunArn: "arn:of:none" }), { items: [] });
  });

  check("lists records without their payloads", async (store) => {
    await create(store, record("e", { output: "1", cause: "c", error: "E", own: { deep: 1 }, tags: { a: "b" } }));
    const { input, ...summary } = record("e", { error: "E", own: { deep: 1 }, tags: { a: "b" }, order: 1, version: 1 });
    assert.deepEqual(await store.list(), { items: [summary] });
  });

  check("lists thousands of executions in pages, also while others are created", async (store) => {
    const records = many(5000);
    for (let i = 0; i < records.length; i += 500) await create(store, ...records.slice(i, i + 500));
    const first = await store.list({}, { limit: 1000 });
    await create(store, record("new"));
    const seen = ids(first);
    for (let { before } = first; before !== undefined;) {
      const page = await store.list({}, { limit: 1000, before });
      seen.push(...ids(page));
      before = page.before;
    }
    assert.deepEqual(seen, records.map(({ id }) => id).toReversed());
    assert.equal(await store.count(), 5001);
  });

  check("lists an execution by its new attributes as soon as they have changed", async (store) => {
    const found = async (attributes) => [ids(await store.list({ attributes })).join(" "), await store.count({ attributes })];
    await create(store, record("a", { attributes: { stage: "new", amount: 1 } }), record("b"));
    assert.deepEqual((await store.get("a")).attributes, { stage: "new", amount: 1 });
    await append(store, "a", { change: { attributes: { stage: "paid", amount: 1, "größe \u{1f600}": true } } });
    await append(store, "b", { change: { attributes: { amount: 2 } } });
    assert.deepEqual(await found({ stage: "new" }), ["", 0]);
    assert.deepEqual(await found({ stage: "paid", amount: 1, "größe \u{1f600}": true }), ["a", 1]);
    assert.deepEqual(await found({ amount: { from: 1 } }), ["b a", 2]);
    await append(store, "a", { facts: texts(1) });
    await append(store, "a", { change: { status: "SUCCEEDED", stopDate: 5 } });
    assert.deepEqual(await found({ amount: { from: 1 } }), ["b a", 2]);
    await append(store, "a", { change: { attributes: undefined } });
    assert.deepEqual(await found({ amount: 1 }), ["", 0]);
    assert.equal((await store.get("a")).attributes, undefined);
    await store.prune({ ids: ["b"] });
    assert.deepEqual(await found({ amount: { before: 10 } }), ["", 0]);
  });

  check("refuses attributes that no index can have, and writes the other batches", async (store) => {
    await create(store, record("e", { attributes: { a: 1 } }));
    const wrong = [
      { a: null },
      { a: [1] },
      { a: "\ud800" },
      { a: "a\0" },
      { a: "x".repeat(257) },
      { "": 1 },
      { ["x".repeat(129)]: 1 },
      [1],
      "a",
    ];
    const results = await store.write([
      ...wrong.map((attributes, i) => ({ id: `w${i}`, version: 0, create: record(`w${i}`, { attributes }) })),
      { id: "e", version: 1, change: { attributes: { a: {} } } },
      { id: "good", version: 0, create: record("good", { attributes: { a: "x".repeat(256), ["n".repeat(128)]: -0.5 } }) },
    ]);
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [...wrong.map(() => false), false, true],
    );
    for (const { ok, error } of results) if (!ok) assert.equal(error.code, "STORE_VALUE");
    assert.deepEqual(ids(await store.list({ attributes: { a: 1 } })), ["e"]);
    assert.deepEqual(ids(await store.list({ attributes: { a: { from: "x" } } })), ["good"]);
  });

  check("counts the executions that a filter selects by machine, status and time", async (store) => {
    if (store.counts === undefined) return;
    const records = many(100);
    await create(store, ...records, record("child", { mapRunArn: RUN }));
    for (const [filter, selects] of FILTERS)
      for (const interval of [undefined, 250]) {
        const expected = {};
        for (const one of records.filter(selects)) {
          const from = interval === undefined ? "" : Math.floor(one.startDate / interval) * interval;
          const key = `${String(from).padStart(4)} ${one.machineArn} ${one.status}`;
          expected[key] = (expected[key] ?? 0) + 1;
        }
        const counts = await store.counts(filter, interval === undefined ? {} : { interval });
        assert.deepEqual(
          counts.map(({ from = "", machineArn, status, count }) => [`${String(from).padStart(4)} ${machineArn} ${status}`, count]),
          Object.entries(expected).sort(([a], [b]) => (a < b ? -1 : 1)),
          JSON.stringify(filter),
        );
      }
    assert.deepEqual(await store.counts({ mapRunArn: RUN }, {}), [{ machineArn: MACHINE, status: "RUNNING", count: 1 }]);
  });

  check("lists an execution by its new status as soon as it has changed", async (store) => {
    await create(store, ...many(10, { status: "RUNNING" }));
    await append(store, "e3", { change: { status: "TIMED_OUT", stopDate: 1 } });
    assert.deepEqual(ids(await store.list({ status: "TIMED_OUT" })), ["e3"]);
    assert.equal(await store.count({ status: "RUNNING" }), 9);
    assert.equal((await store.list({ machineArn: MACHINE, status: ["TIMED_OUT"] })).items[0].stopDate, 1);
    await append(store, "e3", { change: { status: "RUNNING", stopDate: undefined } });
    assert.equal(await store.count({ status: "RUNNING" }), 10);
  });
}

function waking(check) {
  check("returns the due executions, the earliest first", async (store) => {
    await create(
      store,
      ...[30, 10, null, 20, 0].map((wakeAt, i) => record(`e${i}`, { wakeAt })),
      record("ended", { status: "SUCCEEDED", wakeAt: 5 }),
    );
    const due = async (range) => (await store.due(range)).map(({ id, wakeAt }) => `${id} ${wakeAt}`);
    assert.deepEqual(await due({ until: 20 }), ["e4 0", "e1 10", "e3 20"]);
    assert.deepEqual(await due({ after: 0, until: 100 }), ["e1 10", "e3 20", "e0 30"]);
    assert.deepEqual(await due({ until: 100, limit: 2 }), ["e4 0", "e1 10"]);
    assert.deepEqual(await due({ after: 10, until: 100, limit: 1 }), ["e3 20"]);
    await append(store, "e1", { wakeAt: 40 });
    await append(store, "e3", { wakeAt: null });
    await append(store, "e4", { facts: texts(1) });
    await append(store, "e0", { change: { status: "FAILED" } });
    assert.deepEqual(await due({ until: Infinity }), ["e4 0", "e1 40"]);
    await append(store, "e0", { change: { status: "RUNNING" } });
    assert.deepEqual(await due({ until: Infinity }), ["e4 0", "e0 30", "e1 40"]);
    await store.prune({ ids: ["e4"] });
    assert.deepEqual(await due({ until: Infinity }), ["e0 30", "e1 40"]);
  });

  check("never divides executions with the same wake time between two pages", async (store) => {
    await create(store, ...Array.from({ length: 30 }, (_, i) => record(`e${i}`, { wakeAt: i < 12 ? 0 : Math.floor(i / 5) })));
    const seen = [];
    for (let after = -1; ;) {
      const page = await store.due({ after, until: 100, limit: 4 });
      if (page.length === 0) break;
      assert.ok(page.length >= Math.min(4, 30 - seen.length));
      seen.push(...page.map(({ id }) => id));
      after = page.at(-1).wakeAt;
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 30 }, (_, i) => `e${i}`),
    );
  });

  check("returns all due executions if no limit is given", async (store) => {
    await create(store, ...Array.from({ length: 1500 }, (_, i) => record(`e${i}`, { wakeAt: i })));
    assert.equal((await store.due({ until: Infinity })).length, 1500);
  });
}

function removal(check, bytes) {
  const ended = (i, stopDate, more) => record(`e${i}`, { status: "SUCCEEDED", stopDate, output: "x".repeat(998), ...more });

  check("prunes ended executions, the oldest first, and those that are named", async (store) => {
    await create(store, ...[3, 9, 2, 1, 4].map((at, i) => ended(i, at)), record("runs"), ended(5, undefined));
    assert.deepEqual(await store.prune({}), []);
    assert.deepEqual(await store.prune({ endedBefore: 2 }), ["e3"]);
    assert.deepEqual(await store.prune({ executions: 10, bytes: 1e6 }), []);
    assert.deepEqual(await store.prune({ executions: 4 }), ["e2"]);
    assert.deepEqual(await store.prune({ ids: ["none", "runs", "e0", "e0"] }), ["runs", "e0"]);
    // Each execution has 1,000 characters.
    assert.deepEqual(await store.prune({ bytes: bytes(2000) }), ["e4"]);
    assert.deepEqual(ids(await store.list()), ["e5", "e1"]);
    assert.deepEqual(await store.prune({ endedBefore: 1e15 }), ["e1"]);
    assert.deepEqual(await store.prune({ bytes: 0 }), ["e5"]);
    assert.equal(await store.count(), 0);
  });

  check("pages through the ended executions, the latest end first", async (store) => {
    if (store.ended === undefined) return;
    await create(store, ...[3, 9, 2, 9, 4].map((at, i) => ended(i, at)), record("runs"));
    await create(store, ended(5, undefined, { status: "FAILED" }), ended(6, 3, { mapRunArn: RUN, machineArn: OTHER }));
    const all = await store.ended({ limit: 100 });
    assert.deepEqual(
      all.map(({ id, endedAt }) => `${id} ${endedAt}`),
      ["e5 Infinity", "e3 9", "e1 9", "e4 4", "e6 3", "e0 3", "e2 2"],
    );
    assert.deepEqual([all[0].status, all[4].machineArn, all[1].machineArn, all[1].size >= 1000], ["FAILED", OTHER, MACHINE, true]);
    const paged = [];
    for (let before; ;) {
      const page = await store.ended({ limit: 2, ...(before && { before }) });
      if (page.length === 0) break;
      paged.push(...page);
      before = [page.at(-1).endedAt, page.at(-1).order];
    }
    assert.deepEqual(paged, all);
    await append(store, "e3", { change: { status: "RUNNING", stopDate: undefined } });
    await store.prune({ ids: ["e1"] });
    assert.deepEqual(
      (await store.ended({ limit: 2 })).map(({ id }) => id),
      ["e5", "e4"],
    );
  });

  check("keeps no data of an execution that was removed", async (store) => {
    const whole = { facts: texts(1), events: texts({ id: 1 }) };
    for (const mapRunArn of [undefined, RUN]) {
      const given = record("e", { tags: { k: "v" }, ...(mapRunArn && { mapRunArn }) });
      await write(store, { id: "e", version: 0, create: given, ...whole, wakeAt: 1 });
      await append(store, "e", { snapshot: "s" });
      await append(store, "e", whole);
      const { order } = await store.get("e");
      assert.deepEqual(await store.prune({ ids: ["e"] }), ["e"]);
      for (const gone of [await store.get("e"), await store.load("e"), await store.history("e")]) assert.equal(gone, undefined);
      assert.deepEqual([await store.count({ tags: { k: "v" } }), await store.due({ until: 9 })], [0, []]);
      assert.deepEqual((await store.write([{ id: "e", version: 2, facts: texts(1) }]))[0].ok, false);
      // An execution with the same id starts without data of the removed one.
      const [again] = await create(store, record("e"));
      assert.ok(again.order > order);
      const { facts, events, journal, snapshot } = await store.load("e");
      assert.deepEqual([facts, events, journal, snapshot], [0, 0, [], undefined]);
      await store.prune({ ids: ["e"] });
    }
  });

  check("never prunes running or redriven executions unless they are named", async (store) => {
    await create(store, ended(0, 1), ended(1, 2), record("runs", { startDate: 0 }));
    await append(store, "e0", { change: { status: "RUNNING", stopDate: undefined } });
    assert.deepEqual(await store.prune({ endedBefore: 1e15, executions: 0, bytes: 0 }), ["e1"]);
    await append(store, "e0", { change: { status: "ABORTED", stopDate: 7 } });
    assert.deepEqual(await store.prune({ executions: 0 }), ["e0"]);
    assert.deepEqual(ids(await store.list()), ["runs"]);
  });

  check("counts only ended executions towards the limits of prune, also after redrives and later writes", async (store) => {
    await create(store, ...[1, 2, 3].map((i) => ended(i, i)), record("runs"));
    const limits = { executions: 3, bytes: bytes(3000) };
    assert.deepEqual(await store.prune(limits), []);
    await create(store, ended(4, 4));
    assert.deepEqual(await store.prune(limits), ["e1"]);
    await append(store, "e2", { change: { status: "RUNNING", stopDate: undefined } });
    await create(store, ended(5, 5));
    assert.deepEqual(await store.prune(limits), []);
    // The texts of a running execution do not count, those of an ended one do.
    await append(store, "runs", { facts: texts("x".repeat(5000)) });
    assert.deepEqual(await store.prune(limits), []);
    await append(store, "e3", { facts: texts("x") });
    assert.deepEqual(await store.prune(limits), ["e3"]);
    await append(store, "e2", { change: { status: "ABORTED", stopDate: 1 } });
    assert.deepEqual(await store.prune(limits), []);
    await append(store, "runs", { change: { status: "FAILED", stopDate: 9 } });
    assert.deepEqual(await store.prune(limits), ["e2", "e4", "e5", "runs"]);
    assert.deepEqual(await store.prune({ executions: 0, bytes: 0 }), []);
  });

  check("prunes more than a thousand executions at once", async (store) => {
    const records = Array.from({ length: 1234 }, (_, i) => ended(i, i));
    for (let i = 0; i < records.length; i += 300) await create(store, ...records.slice(i, i + 300));
    const gone = await store.prune({ executions: 7 });
    assert.deepEqual(
      gone,
      records.slice(0, 1227).map(({ id }) => id),
    );
    assert.equal(await store.count(), 7);
  });
}
