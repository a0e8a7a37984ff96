// What every Store promises, as `stepglass/server` states it. A driver's test calls `storeSuite` with a function that makes
// an empty store; one that outlives its process gives `reopen` too.
import assert from "node:assert/strict";

const execution = (id, more = {}) => ({ id, machineArn: "arn:machine", status: "RUNNING", startDate: 1, input: "{}", ...more });
const conflict = { name: "StoreConflict" };

async function collect(iterable) {
  const all = [];
  for await (const item of iterable) all.push(item);
  return all;
}

/** Declares the tests; `make` gives `{store, reopen?, done?}`. */
export function storeSuite(test, name, make) {
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

  check("has one owner at a time", async (store) => {
    await assert.rejects(store.open({ owner: "another" }), conflict);
    await store.open({ owner: "test" });
    await store.close();
    await store.open({ owner: "another" });
  });

  check("keeps documents by collection and key", async (store) => {
    const value = { name: "é", list: [1, { deep: null }] };
    await store.put("machine", "b", value);
    await store.put("machine", "a", 1);
    await store.put("activity", "b", 2);
    await store.put("machine", "b", { ...value, name: "changed" });
    // What the caller does with its value afterwards does not count.
    value.list.push("later");
    assert.deepEqual(await collect(store.all("machine")), [
      ["b", { name: "changed", list: [1, { deep: null }] }],
      ["a", 1],
    ]);
    await store.remove("machine", "b");
    await store.remove("machine", "none");
    assert.deepEqual(await collect(store.all("machine")), [["a", 1]]);
    assert.deepEqual(await collect(store.all("nothing")), []);
  });

  check("keeps definitions by their hash", async (store) => {
    await store.putDefinition("h", '{"StartAt": "ä"}');
    await store.putDefinition("h", '{"StartAt": "ä"}');
    assert.deepEqual([await store.getDefinition("h"), await store.getDefinition("none")], ['{"StartAt": "ä"}', undefined]);
  });

  check("creates an execution once", async (store) => {
    const first = await store.create(execution("e", { input: '{"a":1}' }));
    assert.deepEqual([first.outcome, first.about.id, typeof first.about.order], ["created", "e", "number"]);
    const again = await store.create(execution("e", { input: '{"a":2}' }));
    assert.deepEqual([again.outcome, again.about], ["exists", first.about]);
    assert.deepEqual(await store.get("e"), first.about);
    assert.equal(await store.get("none"), undefined);
    assert.equal(await store.load("none"), undefined);
    assert.equal(await store.history("none"), undefined);
  });

  check("appends facts in order, and refuses those that come too late", async (store) => {
    await store.create(execution("e"));
    await store.append("e", {
      expectedSeq: 0,
      facts: [
        ["start", 1],
        ["tick", 2],
      ],
    });
    await assert.rejects(store.append("e", { expectedSeq: 0, facts: [["tick", 3]] }), conflict);
    await assert.rejects(store.append("e", { expectedSeq: 3, facts: [["tick", 3]] }), conflict);
    await assert.rejects(store.append("none", { expectedSeq: 0 }), conflict);
    await store.append("e", { expectedSeq: 2, facts: [["tick", 3]] });
    const { seq, facts, snapshot } = await store.load("e");
    assert.deepEqual(
      [seq, facts, snapshot],
      [
        3,
        [
          ["start", 1],
          ["tick", 2],
          ["tick", 3],
        ],
        undefined,
      ],
    );
  });

  check("stores all of a batch or nothing", async (store) => {
    await store.create(execution("e"));
    const batch = {
      facts: [["start"]],
      history: { text: '[{"id":1}]', count: 1 },
      outbox: [{ id: 1, resource: "r" }],
      timers: { set: [{ id: "t", at: 5 }] },
      tokens: { put: [{ token: "k", command: 1 }] },
      about: { status: "SUCCEEDED" },
      snapshot: { seq: 1, text: "s" },
    };
    await assert.rejects(store.append("e", { expectedSeq: 7, ...batch }), conflict);
    const { about, seq, facts, snapshot } = await store.load("e");
    assert.deepEqual([about.status, seq, facts, snapshot], ["RUNNING", 0, [], undefined]);
    assert.deepEqual([(await store.history("e")).total, await store.findToken("k"), await store.dueTimers(9)], [0, undefined, []]);
    assert.deepEqual(await collect(store.pending()), [{ id: "e", outbox: [], timers: [], tokens: [] }]);
    await store.append("e", { expectedSeq: 0, ...batch });
    assert.deepEqual(
      [(await store.get("e")).status, (await store.history("e")).total, await store.findToken("k")],
      ["SUCCEEDED", 1, { id: "e", command: 1 }],
    );
  });

  check("refuses a stale fence", async (store) => {
    await store.create(execution("e"));
    const fence = await store.claim("e", "test", 1000);
    await store.append("e", { expectedSeq: 0, fence, facts: [[1]] });
    await assert.rejects(store.append("e", { expectedSeq: 1, fence: fence - 1, facts: [[2]] }), conflict);
    assert.equal(await store.claim("none", "test", 1000), undefined);
  });

  check("writes many batches, each by itself", async (store) => {
    await store.create(execution("a"));
    await store.create(execution("b"));
    const results = await store.appendMany([
      ["a", { expectedSeq: 0, facts: [[1]] }],
      ["b", { expectedSeq: 5, facts: [[1]] }],
      ["a", { expectedSeq: 1, facts: [[2]] }],
    ]);
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, false, true],
    );
    assert.equal(results[1].error.name, "StoreConflict");
    assert.deepEqual([(await store.load("a")).seq, (await store.load("b")).seq], [2, 0]);
  });

  check("gives a snapshot and the facts since", async (store) => {
    await store.create(execution("e"));
    await store.append("e", { expectedSeq: 0, facts: [[1], [2], [3]] });
    await store.append("e", { expectedSeq: 3, facts: [[4]], snapshot: { seq: 3, text: "state" } });
    const { seq, snapshot, facts } = await store.load("e");
    assert.deepEqual([seq, snapshot.text, facts.slice(-1)], [4, "state", [[4]]]);
    await store.append("e", { expectedSeq: 4, snapshot: null });
    assert.equal((await store.load("e")).snapshot, undefined);
  });

  check("gives any part of a history, from either end", async (store) => {
    await store.create(execution("e"));
    const events = Array.from({ length: 1234 }, (_, i) => ({ id: i + 1, type: "x".repeat(400) }));
    const ids = async (page) => (await store.history("e", page)).events.map(({ id }) => id);
    for (let from = 0; from < events.length; from += 700) {
      const part = events.slice(from, from + 700);
      await store.append("e", { expectedSeq: 0, history: { text: JSON.stringify(part), count: part.length } });
    }
    assert.equal((await store.history("e")).total, 1234);
    assert.deepEqual(
      await ids(),
      events.map(({ id }) => id),
    );
    assert.deepEqual(await ids({ from: 498, limit: 4 }), [499, 500, 501, 502]);
    assert.deepEqual(await ids({ from: 1230, limit: 100 }), [1231, 1232, 1233, 1234]);
    assert.deepEqual(await ids({ reverse: true, limit: 2 }), [1234, 1233]);
    assert.deepEqual(await ids({ reverse: true, from: 732, limit: 3 }), [502, 501, 500]);
    assert.deepEqual(await ids({ from: 5000 }), []);
    assert.deepEqual(await ids({ limit: 0 }), []);
  });

  check("changes a record, and takes members away", async (store) => {
    await store.create(execution("e"));
    await store.append("e", { expectedSeq: 0, about: { status: "FAILED", error: "E", stopDate: 9 } });
    await store.append("e", { expectedSeq: 0, about: { status: "RUNNING", error: undefined, stopDate: undefined, redriveCount: 1 } });
    const { order, ...about } = await store.get("e");
    assert.deepEqual(about, execution("e", { redriveCount: 1 }));
  });

  check("lists executions newest first, by machine and by map run, in pages", async (store) => {
    for (let i = 0; i < 25; i++) await store.create(execution(`e${i}`, { machineArn: i % 5 === 0 ? "other" : "mine", startDate: i }));
    for (let i = 0; i < 3; i++) await store.create(execution(`c${i}`, { machineArn: "mine/Map", mapRunArn: "run" }));
    const ids = ({ items }) => items.map(({ id }) => id);
    assert.deepEqual(ids(await store.list({ machine: "other" })), ["e20", "e15", "e10", "e5", "e0"]);
    assert.deepEqual(ids(await store.list({ mapRun: "run" })), ["c2", "c1", "c0"]);
    assert.equal(ids(await store.list({}, { limit: 100 })).length, 25);
    const first = await store.list({ machine: "mine" }, { limit: 12 });
    await store.create(execution("new", { machineArn: "mine" }));
    const second = await store.list({ machine: "mine" }, { limit: 12, before: first.before });
    assert.deepEqual(
      [...ids(first), ...ids(second)],
      Array.from({ length: 25 }, (_, i) => 24 - i)
        .filter((i) => i % 5 !== 0)
        .map((i) => `e${i}`),
    );
    assert.equal(second.before, undefined);
    assert.deepEqual(ids(await store.list({ machine: "mine", matches: ({ startDate }) => startDate < 3 })), ["new", "e2", "e1"]);
    assert.deepEqual(ids(await store.list({ machine: "nobody" })), []);
  });

  check("knows what is open: commands, timers, tokens", async (store) => {
    await store.create(execution("a"));
    await store.create(execution("b"));
    await store.append("a", {
      expectedSeq: 0,
      outbox: [{ id: 1 }, { id: 2 }],
      timers: {
        set: [
          { id: "x", at: 30 },
          { id: "y", at: 10 },
        ],
      },
      tokens: { put: [{ token: "k", command: 2 }] },
    });
    await store.append("b", { expectedSeq: 0, timers: { set: [{ id: "z", at: 20 }] } });
    assert.deepEqual(
      (await store.dueTimers(20)).map(({ execution, id }) => [execution, id]),
      [
        ["a", "y"],
        ["b", "z"],
      ],
    );
    assert.equal((await store.dueTimers(100, 1)).length, 1);
    await store.append("a", { expectedSeq: 0, done: [1], timers: { clear: ["y"] }, tokens: { del: ["k"] } });
    assert.deepEqual(await collect(store.pending()), [
      { id: "a", outbox: [{ id: 2 }], timers: [{ id: "x", at: 30 }], tokens: [] },
      { id: "b", outbox: [], timers: [{ id: "z", at: 20 }], tokens: [] },
    ]);
    assert.equal(await store.findToken("k"), undefined);
    await store.append("b", { expectedSeq: 0, about: { status: "ABORTED" } });
    assert.deepEqual(
      (await collect(store.pending())).map(({ id }) => id),
      ["a"],
    );
  });

  check("forgets ended executions, the oldest first, and what is named", async (store) => {
    for (let i = 0; i < 6; i++) await store.create(execution(`e${i}`));
    const end = (i, stopDate) =>
      store.append(`e${i}`, {
        expectedSeq: 0,
        about: { status: "SUCCEEDED", stopDate, output: "x".repeat(1000) },
        history: { text: '[{"id":1}]', count: 1 },
        tokens: { put: [{ token: `k${i}`, command: 1 }] },
      });
    for (const [i, at] of [
      [3, 1],
      [0, 2],
      [1, 3],
      [4, 4],
    ])
      await end(i, at);
    assert.deepEqual(await store.prune({ executions: 3 }), ["e3"]);
    assert.deepEqual(await store.prune({ endedBefore: 3 }), ["e0"]);
    assert.deepEqual(await store.prune({ executions: 10 }), []);
    assert.deepEqual([await store.get("e3"), await store.findToken("k3"), await store.history("e0")], [undefined, undefined, undefined]);
    assert.deepEqual(
      (await store.list()).items.map(({ id }) => id),
      ["e5", "e4", "e2", "e1"],
    );
    assert.deepEqual(await store.prune({ ids: ["e5", "none"] }), ["e5"]);
    assert.deepEqual(await store.prune({ bytes: 0 }), ["e1", "e4"]);
    // What runs is never forgotten by itself.
    assert.deepEqual(
      (await store.list()).items.map(({ id }) => id),
      ["e2"],
    );
    assert.equal((await store.create(execution("e3"))).outcome, "created");
  });

  test(`${name}: outlives its process exactly where it says so`, async () => {
    const made = await make();
    if (!made.store.durable) {
      assert.deepEqual([made.store.durable, made.reopen], [false, undefined]);
      return;
    }
    await made.store.open({ owner: "first" });
    await made.store.put("machine", "m", { a: 1 });
    await made.store.create(execution("e"));
    await made.store.append("e", { expectedSeq: 0, facts: [[1]], outbox: [{ id: 1 }] });
    const store = await made.reopen();
    await store.open({ owner: "second" });
    assert.deepEqual(await collect(store.all("machine")), [["m", { a: 1 }]]);
    assert.deepEqual([(await store.load("e")).facts, (await collect(store.pending()))[0].outbox], [[[1]], [{ id: 1 }]]);
    await store.close();
    await made.done?.();
  });
}
