// The table of random cases in docs/reliability.md: each run is counted once.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addRun, countedRuns, lastSeed } from "../../scripts/counted.mjs";

const text = readFileSync(join(import.meta.dirname, "../../docs/reliability.md"), "utf8");
const sum = (runs) => runs.reduce((all, { cases }) => all + cases, 0);

test("the total is the sum of the runs, and no seed is counted twice", () => {
  const runs = countedRuns(text).sort((a, b) => a.first - b.first);
  assert.ok(runs.length > 0);
  assert.match(text, new RegExp(`\\*\\*total\\*\\* \\| \\*\\*${sum(runs).toLocaleString("en")}\\*\\*`));
  for (const [i, { first, last }] of runs.entries()) {
    assert.ok(first <= last, `${first} to ${last}`);
    if (i > 0) assert.ok(first > runs[i - 1].last, `${first} was counted twice`);
  }
});

test("a run is added after the last one, and refused if its seeds are already counted", () => {
  const first = lastSeed(text) + 1;
  const run = { date: "2026-12-01", commit: "abc1234", cases: 120_000, first, last: first + 19_999 };
  const more = addRun(text, run);
  assert.deepEqual(countedRuns(more), [...countedRuns(text), run]);
  assert.ok(more.includes(`**${(sum(countedRuns(text)) + 120_000).toLocaleString("en")}**`));
  assert.equal(lastSeed(more), run.last);
  assert.throws(() => addRun(more, { ...run, first: run.last, last: run.last + 5 }), /counted before/);
  assert.throws(() => lastSeed("no table"), /no table/);
  assert.throws(() => addRun("no total", run), /no total/);
});
