// stepglass cost and stepglass profile, on histories with known times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "stepglass";
import { folderWith } from "./command.mjs";

const LAMBDA = "arn:aws:lambda:eu-west-1:123456789012:function:";
const task = (name, more) => ({ Type: "Task", Resource: `${LAMBDA}${name}`, ...more });
const definition = {
  StartAt: "Charge",
  States: {
    Charge: task("charge", { Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 10, MaxAttempts: 1 }], Next: "Both" }),
    Both: {
      Type: "Parallel",
      Branches: [
        { StartAt: "Quick", States: { Quick: task("quick", { End: true }) } },
        { StartAt: "Slow", States: { Slow: task("slow", { End: true }) } },
      ],
      ResultPath: null,
      Next: "Each",
    },
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      MaxConcurrency: 2,
      ItemProcessor: { StartAt: "Pack", States: { Pack: { Type: "Wait", Seconds: 3, End: true } } },
      End: true,
    },
  },
};
const { history } = simulate(
  definition,
  {},
  {
    Charge: [
      { error: "Busy", after: 500 },
      { output: { items: [1, 2, 3, 4] }, after: 1500 },
    ],
    Quick: { output: 1, after: 1000 },
    Slow: { output: 2, after: 4000 },
  },
);
const run = (name, events, mapRuns = []) => ({
  format: "stepglass-execution",
  version: 1,
  execution: { executionArn: `arn:aws:states:eu-west-1:123456789012:execution:Orders:${name}`, status: "SUCCEEDED" },
  history: events,
  mapRuns,
  missing: [],
});
const { history: short } = simulate({ StartAt: "Done", States: { Done: { Type: "Succeed" } } }, {});
const MAP_RUN = "arn:aws:states:eu-west-1:123456789012:mapRun:Orders/Each:1";
const event = (id, type, details) => ({ id, previousEventId: id - 1, timestamp: "2026-01-01T00:00:00Z", type, ...details });
const mapped = [
  event(1, "ExecutionStarted", { executionStartedEventDetails: { input: "{}" } }),
  event(2, "MapStateEntered", { stateEnteredEventDetails: { name: "Each", input: "{}" } }),
  event(3, "MapStateStarted", { mapStateStartedEventDetails: { length: 0 } }),
  event(4, "MapRunStarted", { mapRunStartedEventDetails: { mapRunArn: MAP_RUN } }),
  event(5, "MapRunFailed", { mapRunFailedEventDetails: {} }),
  event(6, "ExecutionFailed", { executionFailedEventDetails: {} }),
  event(7, "ExecutionRedriven", { executionRedrivenEventDetails: { redriveCount: 1 } }),
  event(8, "ExecutionAborted", { executionAbortedEventDetails: {} }),
];
const prices = {
  date: "2030-01-01",
  region: "mars-1",
  currency: "EUR",
  standard: { transition: 1 },
  express: { request: 2, gbSecond: [{ upTo: 1, price: 8 }, { price: 4 }] },
};
const { stepglass } = folderWith({
  "history.json": { events: history },
  "prices.json": prices,
  "bad.json": { ...prices, express: { request: 2, gbSecond: [] } },
  "runs/a.sfnrun": run("a", short),
  "runs/b.sfnrun": run("b", short, [
    {
      mapRun: {},
      partial: false,
      executions: [
        { execution: {}, history: short },
        { execution: {}, history: short },
      ],
    },
  ]),
  "mapped.sfnrun": run("mapped", mapped, [
    { mapRun: { mapRunArn: MAP_RUN }, partial: false, executions: [{ execution: {}, history: short }] },
  ]),
  "empty/.keep": "",
});
const json = async (...args) => JSON.parse((await stepglass(...args, "--json")).stdout);

test("every entry of a state and every retry counts as a transition; Express is charged for duration and memory", async () => {
  const { standard, express, states, prices: of } = await json("cost", "history.json", "--prices", "prices.json", "--runs", "2");
  assert.deepEqual(of, { date: "2030-01-01", region: "mars-1", currency: "EUR" });
  // Charge and its retry, Both, Quick, Slow, Each and four times Pack.
  assert.deepEqual(standard, { transitions: 10, perThousand: 10_000, total: 20 });
  assert.deepEqual(
    states.find(({ state }) => state === "Charge"),
    { state: "Charge", transitions: 2, retries: 1, perThousand: 2000 },
  );
  // 12 s of Charge, 4 s of Both and 6 s of Each are 22 s with 1/16 GB. The 2.75 GB-seconds of two executions are charged at the
  // first price.
  assert.equal(express.gbSeconds, 22 / 16);
  assert.equal(express.total, 2 * 2 + 8 + 1.75 * 4);
});

test("child executions of a Map Run count as transitions, or as requests", async () => {
  const { executions, standard, express } = await json("cost", "runs", "--prices", "prices.json");
  // Each execution has one state, and each of the two child executions is one more transition.
  assert.deepEqual([executions, standard.transitions, express.requests], [2, 3, 2]);
  assert.equal(express.gbSeconds, (4 * 0.1) / 16 / 2, "an execution without duration is billed as 100 ms");
});

test("a child execution counts as a transition of its Map, and a redriven one does not count for a state", async () => {
  const { standard, states } = await json("cost", "mapped.sfnrun", "--prices", "prices.json");
  assert.deepEqual(Object.fromEntries(states.map(({ state, transitions }) => [state, transitions])), { Each: 2, Done: 1 });
  assert.equal(standard.transitions, 4);
});

test("the table names the prices and their date", async () => {
  const { code, stdout } = await stepglass("cost", "runs");
  assert.equal(code, 0);
  assert.match(stdout, /^Standard +3 state transitions +0\.075000 USD/m);
  assert.match(stdout, /2 executions; prices of us-east-1, \d{4}-\d\d-\d\d/);
  const one = await stepglass("cost", "runs/a.sfnrun");
  assert.match(one.stdout, /^Standard +1 state transition {2,}[^]*^Express +1 request, [^]*^1 execution; prices/m);
});

test("the profile separates work, waiting and retries, and finds the critical path and the limiting Map", async () => {
  const { executions, duration, states, limits } = await json("profile", "history.json");
  assert.deepEqual([executions, duration.p50], [1, 22_000]);
  const of = (name) => states.find(({ state }) => state === name);
  const charge = of("Charge");
  assert.deepEqual([charge.p99, charge.working, charge.waiting, charge.retrying, charge.critical], [12_000, 2000, 10_000, 10_500, 12_000]);
  assert.deepEqual([of("Slow").critical, of("Quick").critical, of("Both").critical], [4000, 0, 0]);
  assert.deepEqual([of("Pack").visits, of("Pack").p50, of("Pack").waiting], [4, 3000, 12_000]);
  assert.deepEqual(limits, [{ state: "Each", maps: 1, concurrency: 2, iterations: 4 }]);
  assert.match(
    (await stepglass("profile", "history.json")).stdout,
    /Each: at most 2 of 4 iterations ran at a time, in 1 visit; the others waited/,
  );
});

test("files that are not executions or prices are refused with a reason", async () => {
  for (const [args, message] of [
    [["cost"], /cost needs one file or folder/],
    [["profile", "empty"], /empty has no files named \*\.sfnrun/],
    [["profile", "prices.json"], /prices\.json: This is not a history/],
    [["cost", "runs", "--prices", "bad.json"], /bad\.json is not a file of prices: express\.gbSecond must be a list/],
    [["cost", "runs", "--runs", "0"], /--runs must be a whole number from 1/],
  ]) {
    const { code, stderr } = await stepglass(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
  }
});

const ordered = {
  StartAt: "Charge",
  States: {
    Charge: task("charge", { Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 1, MaxAttempts: 5 }], Next: "Each" }),
    Each: {
      Type: "Map",
      ItemsPath: "$.items",
      ItemProcessor: {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
        StartAt: "Pack",
        States: { Pack: task("pack", { End: true }) },
      },
      End: true,
    },
  },
};
const plan = {
  executions: 400,
  seed: 3,
  tasks: {
    Charge: { duration: "2 s", errors: { Busy: "25%" }, output: { items: [1, 2, 3] } },
    "*": { duration: { min: "1 s", max: "3 s" } },
  },
};

test("a definition is simulated by a plan: errors, retries, durations and the children of its Map Runs", async () => {
  const { stepglass } = folderWith({ "order.asl.json": ordered, "plan.yaml": JSON.stringify(plan) });
  const report = async (...args) =>
    JSON.parse((await stepglass("cost", "order.asl.json", "--plan", "plan.yaml", "--json", ...args)).stdout);
  const { executions, simulated, standard, express, states } = await report();
  const of = (name) => states.find(({ state }) => state === name);
  assert.deepEqual([executions, simulated], [400, { failed: 0, instant: [] }]);
  // A quarter of the calls fail, so an execution has a third of a retry. 400 executions are never further away than this.
  assert.ok(Math.abs(of("Charge").retries - 1 / 3) < 0.12, `${of("Charge").retries} retries`);
  assert.equal(of("Pack").transitions, 3);
  assert.equal(of("Each").transitions, 4, "the Map, and each of its three children");
  assert.equal(standard.transitions, 1 + of("Charge").retries + 4 + 3);
  assert.equal(express.requests, 4);
  // The execution takes about 5.3 s, and each child 2 s on average, with 1/16 GB.
  assert.ok(Math.abs(express.gbSeconds - 11.6 / 16) < 0.06, `${express.gbSeconds} GB-seconds`);
  assert.deepEqual(await report(), { ...(await report("--runs", "1000")) }, "the same plan gives the same figures");
});

test("without a plan, tasks succeed at once, which the report says", async () => {
  const { stepglass } = folderWith({ "order.asl.json": ordered });
  const { code, stdout } = await stepglass("cost", "order.asl.json", "--executions", "3", "--input", "{}");
  assert.equal(code, 0);
  assert.match(stdout, /^no duration in the plan, so 0 ms was assumed: Charge, Pack$/m);
  assert.match(stdout, /^3 simulated executions; prices of /m);
});

test("a simulation says how many executions fail, and with what", async () => {
  const failing = { tasks: { charge: { errors: { Declined: 1 }, duration: "1 s" } } };
  const { stepglass } = folderWith({ "order.asl.json": ordered, "plan.json": failing });
  const { stdout } = await stepglass("cost", "order.asl.json", "--plan", "plan.json", "--executions", "2");
  assert.match(stdout, /^2 of 2 executions did not succeed; the first error: Declined$/m);
});

test("a file that is neither an execution nor a definition is read as a definition with errors", async () => {
  const { code, stderr } = await stepglass("cost", "prices.json");
  assert.equal(code, 1);
  assert.match(stderr, /prices\.json/);
  assert.match(stderr, /StartAt/);
});

test("all mistakes of a plan are reported with their lines", async () => {
  const { stepglass } = folderWith({
    "order.asl.json": ordered,
    "plan.yaml":
      "executions: 0\ntasks:\n  Charge: {duration: 5, errors: {Busy: 110%}}\n  Pack: {duration: {p50: 2 s, p99: 1 s}}\nseeds: 1\n",
    "history.json": { events: history },
  });
  const { code, stderr } = await stepglass("cost", "order.asl.json", "--plan", "plan.yaml");
  assert.equal(code, 2);
  assert.deepEqual(
    stderr
      .trim()
      .split("\n")
      .map((line) => /plan\.yaml:(\d+:\d+)/.exec(line)?.[1]),
    ["1:13", "3:22", "3:40", "4:10", "5:1"],
  );
  const recorded = await stepglass("cost", "history.json", "--plan", "plan.yaml");
  assert.equal(recorded.code, 2);
  assert.match(recorded.stderr, /--plan is for a definition, but history\.json has recorded executions/);
});
