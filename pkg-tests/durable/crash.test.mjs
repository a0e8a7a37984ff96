// The process of every golden execution dies before and after each of its writes, and another runtime continues the execution. It has to
// end like its twin, which was never killed, with the same history, and no task is called again if its answer was stored.
//
//   CRASH=retry node --test pkg-tests/durable/crash.test.mjs     runs the cases whose file or name contains that word
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { dyingStore } from "./dying.mjs";
import { World, goldenCases, same } from "./golden.mjs";

// These edits make a runtime write a snapshot with each write. Its batches contain the facts too, because the test reads from them which
// tasks were answered.
const SNAPSHOTS = [
  ["this.#factsLength > Math.max(SNAPSHOT_FACTS, 2 * this.#snapshotLength)", "this.#factsLength > 0"],
  [
    "#snapshot(batch) {",
    '#snapshot(batch) {\n    if (this.#facts.length > 0) batch.facts = { text: `[${this.#facts.join(",")}]`, count: this.#facts.length };',
  ],
];
// This edit makes a runtime execute the commands that follow from a fact before the fact is stored. The test must detect that.
const HASTY = [
  [
    "journal.whenStored(() => {",
    "((then) => (step.commands.some(({ type }) => type === 'Finish') ? journal.whenStored(then) : then()))(() => {",
  ],
];
const kinds = {
  "facts alone": await importSource("js/entries/durable-node.ts"),
  "a snapshot at every write": await importSource("js/entries/durable-node.ts", SNAPSHOTS),
};
const ID = "arn:aws:states:us-east-1:123456789012:execution:StateMachine:execution";
// Maximum number of steps of the clock. An execution that needs more is left out: the runtime polls its store every half minute.
const PASSES = 200;

const only = process.env.CRASH ?? "";
const cases = goldenCases().filter(({ file, name, options }) => !options?.express && (file.includes(only) || name.includes(only)));

// The copies of the package share one WebAssembly module, and each assumes that the module's inbox is its own. So the tests run one after
// the other.
test("executions that are unloaded whenever they wait end like those that stay in memory", async () => {
  const durable = kinds["facts alone"];
  const faults = [];
  for (const one of cases) {
    const twin = await play(durable, one);
    const leaves = twin && (await play(durable, one, undefined, { resident: 0 }));
    if (leaves) for (const fault of differences(twin, leaves)) faults.push(`${one.file}: ${one.name}: ${fault}`);
  }
  assert.deepEqual(faults, []);
});

for (const [kind, durable] of Object.entries(kinds))
  test(`executions whose process dies at any write end as if it had not: ${kind}`, async () => {
    const { executions, deaths, faults } = await crashCases(durable, cases);
    console.log(`${executions} executions, ${deaths} deaths, ${faults.length} faults`);
    assert.deepEqual(faults.slice(0, 20), [], `${faults.length} faults`);
    if (only === "") assert.ok(executions > 400, `${executions} executions`);
  });

test("the crash test detects a runtime that acts on a fact before it is stored", async () => {
  const hasty = await importSource("js/entries/durable-node.ts", HASTY);
  const { faults } = await crashCases(
    hasty,
    goldenCases().filter(({ file }) => file === "task.json" || file === "retry.json"),
  );
  for (const early of ["is called before its execution is stored", "is called before the answer of"])
    assert.ok(
      faults.some((fault) => fault.includes(early)),
      `${early}: ${faults.slice(0, 3).join("; ")}`,
    );
});

/** Plays each case once for each of its writes, with a process that dies at it. */
async function crashCases(durable, cases) {
  let executions = 0;
  let deaths = 0;
  const faults = [];
  for (const one of cases) {
    const twin = await play(durable, one);
    if (twin === undefined) continue;
    executions += 1;
    for (let write = 1; write <= twin.writes; write += 1)
      for (const place of ["before", "after"]) {
        const killed = await play(durable, one, (n) => (n === write ? place : undefined));
        deaths += 1;
        for (const fault of differences(twin, killed)) faults.push(`${one.file}: ${one.name}: ${place} write ${write}: ${fault}`);
      }
  }
  return { executions, deaths, faults };
}

/** Runs a case to its end, or until nothing happens any more. Returns undefined if it takes more than `PASSES` steps of the clock. */
async function play({ MemoryStore, Runtime }, one, dies = () => undefined, options = {}) {
  const world = new World(one);
  const inner = new MemoryStore();
  const { express, ...limits } = one.options ?? {};
  const faults = [];
  const answered = new Set();
  let created = false;
  // Whether the execution has at most one task or timer at a time.
  const single = !/"Parallel"|"Map"|Timeout|Heartbeat/.test(world.definition);
  // Whether a task that may time out was unanswered when the process died: its time-out starts again, so times differ from the twin's.
  let late = false;
  let dead = false;
  let store;
  const live = async () => {
    dead = false;
    const { deaths } = world;
    store = dyingStore(inner, {
      dies: (n) => (deaths === 0 ? dies(n) : undefined),
      died: () => ((dead = true), world.die()),
      called: () => (world.activity += 1),
      wrote: (batches, results) => {
        created = true;
        noteAnswers(batches, results, answered);
      },
    });
    const runtime = new Runtime({
      store,
      clock: world.clock(),
      machines: { StateMachine: world.definition },
      tasks: world.handler(({ task, effect }) => {
        if (answered.has(task)) faults.push(`${effect} is called again although its answer is stored`);
        if (!created) faults.push(`${effect} is called before its execution is stored`);
        const open = single && world.calls.find((other) => other.task !== task && !answered.has(other.task));
        if (open) faults.push(`${effect} is called before the answer of ${open.effect} is stored`);
      }),
      onSuspended: (_, why) => faults.push(`suspended: ${why}`),
      ...limits,
      ...options,
    });
    const opening = runtime.open().then(() => world.live(runtime));
    await Promise.race([opening, new Promise((resolve) => setImmediate(resolve))]);
  };
  await live();
  let writes = 0;
  for (let passes = 0; ; passes += 1) {
    await world.quiet();
    if (dead) {
      writes += store.writes;
      await checkDeath(inner, one, faults);
      late ||= /Timeout|Heartbeat/.test(world.definition) && world.calls.some(({ task }) => !answered.has(task));
      await inner.close();
      await live();
      continue;
    }
    const record = await inner.get(ID);
    if (record !== undefined && record.status !== "RUNNING") break;
    if (passes === PASSES && one.expect.status !== "RUNNING") return undefined;
    if (passes === PASSES || !world.pass()) break;
  }
  writes += store.writes;
  const record = await inner.get(ID);
  const events = record && record.status !== "RUNNING" ? (await inner.history(ID)).events : await (await world.runtime.get(ID))?.history();
  world.die();
  const effects = [...new Set(world.calls.map(({ task, effect }) => `${task} ${effect}`))];
  return { record, events, writes, late, effects, faults: [...faults, ...world.problems] };
}

/** Adds the tasks whose answers were just stored to `answered`. */
function noteAnswers(batches, results, answered) {
  for (const [i, { facts }] of batches.entries())
    if (results[i].ok && facts !== undefined)
      for (const [, , method, task] of JSON.parse(facts.text)) if (method === "succeed" || method === "fail") answered.add(task);
}

/** Checks that an execution whose process has died will be woken. */
async function checkDeath(inner, one, faults) {
  const stored = await inner.load(ID);
  if (stored === undefined) return;
  const { record, wakeAt } = stored;
  // Only an execution that waits for a task token may have no time at which it is woken.
  const outside = JSON.stringify(one.definition).includes("waitForTaskToken");
  if (record.status === "RUNNING" && wakeAt === null && !outside) faults.push("it runs, and nothing wakes it");
}

/** Yields the differences between a killed execution and its twin. */
function* differences(twin, killed) {
  if (killed === undefined) return yield "it does not end";
  yield* killed.faults;
  const gap = killed.events?.findIndex(({ id }, i) => id !== i + 1);
  if (gap >= 0) yield `event ${gap + 1} has the id ${killed.events[gap].id}`;
  if (killed.late) return;
  for (const member of ["status", "output", "error", "cause", "startDate", "stopDate"])
    if (!same(killed.record?.[member], twin.record?.[member]))
      yield `${member} is ${JSON.stringify(killed.record?.[member])}, and ${JSON.stringify(twin.record?.[member])} of its twin`;
  const at = twin.events?.findIndex((event, i) => !same(event, killed.events?.[i]));
  if (at >= 0) yield `event ${at + 1} is ${JSON.stringify(killed.events?.[at])}, and ${JSON.stringify(twin.events[at])} of its twin`;
  if (killed.events?.length > twin.events?.length) yield `it has ${killed.events.length} events, and its twin ${twin.events.length}`;
  if (!same(killed.effects, twin.effects)) yield `it has done ${killed.effects}, and its twin ${twin.effects}`;
}
