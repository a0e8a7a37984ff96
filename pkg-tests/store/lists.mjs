// Lists and counts of SQL stores by name and time, with few and with many matches: they choose another index for each.
import assert from "node:assert/strict";
import { create, record } from "./suite.mjs";

const LONG = "long-".repeat(40);
const ODD = [
  "\u{10ffff}",
  "a\u{10ffff}",
  "a\u{10ffff}b",
  "\ud7ff",
  "\ue000",
  "nul\0",
  "\ud800",
  "e\u0301",
  "%",
  "_",
  `${LONG}1`,
  `${LONG}2`,
];

/** Fills an empty store, and compares what lists of many filters return with what they should. */
export async function checkLists(store) {
  const all = [];
  for (let i = 0; i < 10_400; i += 1)
    all.push(
      record(`e${i}`, {
        name: `${i % 200 === 7 ? "rare" : "common"}-${i}`,
        // The times are not in the order of the executions.
        startDate: (i * 7919) % 10_400,
        machineArn: i % 3 === 0 ? "m:a" : "m:b",
        status: i % 5 === 0 ? "FAILED" : "RUNNING",
        ...(i % 5 === 0 && { stopDate: 1 }),
        ...(i % 100 === 7 && { attributes: { customer: "c" } }),
      }),
    );
  for (const [i, name] of ODD.entries()) all.push(record(`odd${i}`, { name, startDate: 5000 + i, machineArn: "m:odd" }));
  for (let from = 0; from < all.length; from += 500) await create(store, ...all.slice(from, from + 500));
  await create(store, record("child", { name: "rare-child", startDate: 10, mapRunArn: "run" }));

  const names = ["", "rare", "rare-7", "common", "common-1", "none", "a", "a\u{10ffff}", "\u{10ffff}", "\ud7ff", "nul", "nul\0", "e", "%"];
  const times = [{}, { startedFrom: 100, startedBefore: 120 }, { startedFrom: 100 }, { startedBefore: 50 }, { startedFrom: 9999 }];
  const others = [{}, { status: "FAILED" }, { status: ["FAILED", "RUNNING"], machineArn: "m:a" }, { attributes: { customer: "c" } }];
  let number = 0;
  for (const name of [...names, LONG, `${LONG}1`, `${LONG}3`, "\ud800"])
    for (const time of times)
      // Each combination of two is there, and some of three.
      for (const other of [others[0], others[1 + ((number += 1) % 3)]]) {
        const filter = { ...(name !== "" && { namePrefix: name }), ...time, ...other };
        const expected = all.filter((one) => isSelected(filter, one)).map(({ id }) => id);
        expected.reverse();
        const what = JSON.stringify(filter);
        const first = await store.list(filter, { limit: 20 });
        assert.deepEqual(
          first.items.map(({ id }) => id),
          expected.slice(0, 20),
          what,
        );
        assert.equal(first.before !== undefined, expected.length > 20, what);
        if (first.before !== undefined) {
          const next = await store.list(filter, { limit: 7, before: first.before });
          assert.deepEqual(
            next.items.map(({ id }) => id),
            expected.slice(20, 27),
            what,
          );
        }
        assert.equal(await store.count(filter), expected.length, what);
        const counts = await store.counts(filter, { interval: 1000 });
        assert.equal(
          counts.reduce((sum, { count }) => sum + count, 0),
          expected.length,
          what,
        );
      }
  assert.deepEqual(
    (await store.list({ mapRunArn: "run", namePrefix: "rare", startedFrom: 1 })).items.map(({ id }) => id),
    ["child"],
  );
}

function isSelected({ namePrefix = "", startedFrom = -1, startedBefore = Infinity, status, machineArn, attributes }, one) {
  return (
    one.name.startsWith(namePrefix) &&
    one.startDate >= startedFrom &&
    one.startDate < startedBefore &&
    (status === undefined || [status].flat().includes(one.status)) &&
    (machineArn === undefined || one.machineArn === machineArn) &&
    (attributes === undefined || one.attributes?.customer === attributes.customer)
  );
}
