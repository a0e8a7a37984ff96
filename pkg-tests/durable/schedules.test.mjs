// Schedules: the times of cron expressions, and the executions that start at them, also across restarts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { quiet, TestClock } from "./clock.mjs";

const { MemoryStore, Runtime } = await importSource("js/entries/durable-node.ts");
const { Cron } = await importSource("js/runtime/durable/cron.ts");

/** The first `count` times after `from`, as ISO texts without seconds. */
function times(expression, from, count = 3, timezone) {
  const cron = new Cron(expression, timezone);
  const found = [];
  for (let at = Date.parse(from); found.length < count; found.push(new Date(at).toISOString().slice(0, 16))) {
    at = cron.next(at);
    if (at === undefined) break;
  }
  return found;
}

const CRON = [
  ["*/20 * * * *", "2026-01-01T00:10Z", ["2026-01-01T00:20", "2026-01-01T00:40", "2026-01-01T01:00"]],
  ["5,35 8-10/2 * * *", "2026-01-01T00:00Z", ["2026-01-01T08:05", "2026-01-01T08:35", "2026-01-01T10:05"]],
  ["50/5 0 * * *", "2026-01-01T00:00Z", ["2026-01-01T00:50", "2026-01-01T00:55", "2026-01-02T00:50"]],
  ["0 2 * * MON-FRI", "2026-01-02T03:00Z", ["2026-01-05T02:00", "2026-01-06T02:00", "2026-01-07T02:00"]],
  ["0 0 * * 7", "2026-01-01T00:00Z", ["2026-01-04T00:00", "2026-01-11T00:00", "2026-01-18T00:00"]],
  ["0 0 * * 5-7", "2026-01-01T00:00Z", ["2026-01-02T00:00", "2026-01-03T00:00", "2026-01-04T00:00"]],
  ["0 0 13 * fri", "2026-01-01T00:00Z", ["2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00"]],
  ["0 12 1 JAN,jul *", "2026-01-02T00:00Z", ["2026-07-01T12:00", "2027-01-01T12:00", "2027-07-01T12:00"]],
  ["0 0 31 * *", "2026-01-31T00:00Z", ["2026-03-31T00:00", "2026-05-31T00:00", "2026-07-31T00:00"]],
  ["0 0 29 2 *", "2097-01-01T00:00Z", ["2104-02-29T00:00", "2108-02-29T00:00", "2112-02-29T00:00"]],
  ["@monthly", "2026-01-01T00:00Z", ["2026-02-01T00:00", "2026-03-01T00:00", "2026-04-01T00:00"]],
  ["0 0 30 2 *", "2026-01-01T00:00Z", []],
  // Clocks in Berlin go forward on 29 March at 2:00 (1:00 UTC), and back on 25 October at 3:00 (1:00 UTC).
  ["30 2 * * *", "2026-03-27T12:00Z", ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"], "Europe/Berlin"],
  ["30 2 * * *", "2026-10-23T12:00Z", ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"], "Europe/Berlin"],
  ["30 * * * *", "2026-10-25T00:00Z", ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T02:30"], "Europe/Berlin"],
  ["0 */2 * * *", "2026-03-28T23:30Z", ["2026-03-29T02:00", "2026-03-29T04:00", "2026-03-29T06:00"], "Europe/Berlin"],
  // Lord Howe Island goes forward by half an hour, at 2:00.
  ["15 2 * * *", "2026-10-02T20:00Z", ["2026-10-03T15:30", "2026-10-04T15:15", "2026-10-05T15:15"], "Australia/Lord_Howe"],
  ["0 9 * * *", "2026-01-01T00:00Z", ["2026-01-01T03:30", "2026-01-02T03:30", "2026-01-03T03:30"], "Asia/Kolkata"],
];
for (const [expression, from, expected, timezone] of CRON) {
  test(`cron ${expression} ${timezone ?? ""} from ${from}`, () => assert.deepEqual(times(expression, from, 3, timezone), expected));
}

for (const wrong of [
  "* * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 8",
  "5-1 * * * *",
  "*/0 * * * *",
  "a * * * *",
  "1-2-3 * * * *",
  "1/2/3 * * * *",
  "",
  "L * * * *",
  undefined,
  7,
]) {
  test(`cron ${String(wrong)} is refused`, () => assert.throws(() => new Cron(wrong), { code: "INVALID_OPTION" }));
}

test("an unknown time zone is refused", () =>
  assert.throws(() => new Cron("* * * * *", "Mars/Olympus"), { code: "INVALID_OPTION", message: /Mars/ }));

const HOUR = 3_600_000;
const WAIT = { StartAt: "Wait", States: { Wait: { Type: "Wait", SecondsPath: "$.seconds", End: true } } };

function surroundings() {
  const store = new MemoryStore();
  const clock = new TestClock();
  const failures = [];
  const runtime = (more) =>
    new Runtime({ store, clock, machines: { M: WAIT }, onStoreError: ({ error }) => failures.push(error), ...more });
  const names = async (now) => (await now.list()).items.map(({ name }) => name).reverse();
  return { store, clock, failures, runtime, names };
}

test("a schedule starts each of its executions once, also across a restart", async () => {
  const { clock, runtime, names } = surroundings();
  let now = await runtime().open();
  const input = { seconds: 1, at: "<aws.scheduler.scheduled-time>" };
  const made = await now.schedule("hourly", { machine: "M", input, cron: "30 * * * *", tags: { of: "it" } });
  assert.equal(made.next, clock.now() + HOUR / 2);
  await clock.pass(HOUR / 2);
  await clock.pass(1000);
  assert.deepEqual(await names(now), ["hourly-20260101T003000Z"]);
  const { input: given, tags } = await (await now.get("M", "hourly-20260101T003000Z")).describe();
  assert.deepEqual([given, tags], [{ seconds: 1, at: "2026-01-01T00:30:00.000Z" }, { of: "it" }]);
  await now.close();
  now = await runtime().open();
  assert.equal((await now.schedules())[0].next, made.next + HOUR);
  await clock.pass(HOUR - 1000);
  assert.deepEqual(await names(now), ["hourly-20260101T003000Z", "hourly-20260101T013000Z"]);
  assert.equal(await now.unschedule("hourly"), true);
  assert.equal(await now.unschedule("hourly"), false);
  await clock.pass(5 * HOUR);
  assert.equal(await now.count(), 2);
  await now.close();
  const last = await runtime().open();
  assert.deepEqual(await last.schedules(), []);
  await last.close();
});

test("a start that the schedule could not record is not repeated after a restart", async () => {
  const { store, clock, runtime, names } = surroundings();
  const now = await runtime().open();
  await now.schedule("s", { machine: "M", input: { seconds: 1 }, every: "1 h" });
  const put = store.put.bind(store);
  store.put = async () => {
    throw new Error("the process has died");
  };
  await clock.pass(HOUR);
  await clock.pass(2000);
  store.put = put;
  await now.close();
  const next = await runtime().open();
  await quiet();
  assert.deepEqual(await names(next), ["s-20260101T010000Z"]);
  const [{ last, next: due }] = await next.schedules();
  assert.match(last.arn, /s-20260101T010000Z$/);
  assert.equal(due, Date.UTC(2026, 0, 1, 2));
  await next.close();
});

for (const [catchUp, expected] of [
  ["one", ["s-20260101T050000Z"]],
  ["none", []],
  ["all", [1, 2, 3, 4, 5].map((hour) => `s-20260101T0${hour}0000Z`)],
]) {
  test(`catchUp "${catchUp}" decides which of the starts are made that were missed while no runtime was open`, async () => {
    const { clock, runtime, names } = surroundings();
    const now = await runtime().open();
    await now.schedule("s", { machine: "M", input: { seconds: 9e6 }, cron: "0 * * * *", overlap: "allow", catchUp });
    await now.close();
    clock.time += 5 * HOUR + HOUR / 2;
    const next = await runtime().open();
    await quiet();
    assert.deepEqual(await names(next), expected);
    assert.equal((await next.schedules())[0].next, Date.UTC(2026, 0, 1, 6));
    await next.close();
  });
}

test("schedules that were down for twenty years make up for them with one start each", async () => {
  const { clock, runtime, names } = surroundings();
  const now = await runtime().open();
  await now.schedule("s", { machine: "M", input: { seconds: 1 }, every: "1 s" });
  await now.schedule("c", { machine: "M", input: { seconds: 1 }, cron: "0 0 1 1 *", timezone: "Europe/Berlin" });
  await now.close();
  clock.time = Date.UTC(2046, 5, 1);
  const next = await runtime().open();
  await quiet();
  assert.deepEqual((await names(next)).sort(), ["c-20451231T230000Z", "s-20460601T000000Z"]);
  await next.close();
});

for (const [overlap, started, after] of [
  ["skip", 1, 1],
  ["allow", 3, 3],
  ["buffer", 1, 2],
]) {
  test(`overlap "${overlap}" decides what happens when an execution runs longer than its interval`, async () => {
    const { clock, runtime } = surroundings();
    let now = await runtime().open();
    await now.schedule("s", { machine: "M", input: { seconds: 9000 }, every: "1 h", overlap });
    for (let hour = 0; hour < 3; hour += 1) await clock.pass(HOUR);
    assert.equal(await now.count(), started);
    await now.close();
    now = await runtime().open();
    // The first one ends half an hour later; the next start is due after another half an hour.
    await clock.pass(HOUR / 2);
    assert.equal(await now.count(), after);
    await now.close();
  });
}

test("a schedule can be changed, and one that cannot start its execution reports why", async () => {
  const { clock, failures, runtime } = surroundings();
  const now = await runtime().open();
  await now.schedule("s", { machine: "M", every: "1 h" });
  await clock.pass(HOUR / 2);
  const changed = await now.schedule("s", { machine: "Gone", every: "1 h", overlap: "allow" });
  assert.equal(changed.next, clock.now() + HOUR / 2, "a changed schedule with the same interval keeps its next time");
  await clock.pass(HOUR / 2);
  const [{ problem, next }] = await now.schedules();
  assert.match(problem, /no machine "Gone"/);
  assert.equal(next, clock.now() + HOUR);
  assert.equal(failures.length, 1);
  for (const wrong of [
    { machine: "M" },
    { machine: "M", every: "1 h", cron: "* * * * *" },
    { machine: "M", every: "soon" },
    { machine: "M", every: "1 ms" },
    { machine: "M", cron: "0 0 30 2 *" },
    { machine: "M", every: "1 h", overlap: "never" },
    { machine: "M", every: "1 h", catchUp: "some" },
    { every: "1 h" },
  ])
    await assert.rejects(now.schedule("s", wrong), { code: "INVALID_OPTION" });
  await assert.rejects(now.schedule("no name!", { machine: "M", every: "1 h" }), { code: "INVALID_ARGUMENT" });
  await now.close();
});
