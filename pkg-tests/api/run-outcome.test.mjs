// The summary of a run on the page: slowest states, percentiles and the critical path, and the bars of the time line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { layout, simulate } from "stepglass";
import { importSources } from "../../scripts/sources.mjs";

const { outcome, historyLists, graph, lanes } = await importSources([
  "www/src/worker/outcome.ts",
  "www/src/worker/historyLists.ts",
  "www/src/model/graph.ts",
  "www/src/worker/lanes.ts",
]);

const wait = (Seconds, more = { End: true }) => ({ Type: "Wait", Seconds, ...more });
const definition = {
  StartAt: "Both",
  States: {
    Both: {
      Type: "Parallel",
      Branches: [
        { StartAt: "Quick", States: { Quick: wait(1) } },
        { StartAt: "Slow", States: { Slow: wait(4) } },
      ],
      Next: "Each",
    },
    Each: {
      Type: "Map",
      ItemsPath: "$[0]",
      ItemProcessor: {
        StartAt: "Pack",
        States: { Pack: { Type: "Wait", SecondsPath: "$", End: true } },
      },
      End: true,
    },
  },
};

/** The history of a run, as the page's worker has it. */
function listed() {
  const history = new historyLists.ListedHistory(new graph.GraphIndex(layout(definition)));
  for (const event of simulate(definition, [1, 2, 3, 10]).history) history.add(event);
  return history;
}

test("a run has the percentiles of its slowest states and its critical path", () => {
  const { slowest, critical } = outcome.outcomeOf(listed());
  const pack = slowest.find(({ state }) => state === "Pack");
  assert.deepEqual([pack.visits, pack.took, pack.longest, pack.p50, pack.p95, pack.p99], [4, 16_000, 10_000, 2000, 10_000, 10_000]);
  // The Parallel waited for its slow branch, and the Map for its last item.
  assert.deepEqual(
    critical.map(({ state, took, share }) => [state, took, Math.round(100 * share)]),
    [
      ["Pack", 10_000, 71],
      ["Slow", 4000, 29],
    ],
  );
});

test("the time line marks the bars on the critical path", () => {
  const history = listed();
  const run = { events: history.length, visitsInOrder: () => history.lanedVisits(), timeOf: (event) => history.timeOf(event) };
  const critical = new Set(history.criticalVisits().map(({ enter }) => enter));
  const drawn = lanes.lanesOf(run, { from: 1, to: history.length, width: 1000 }, critical);
  const marked = drawn.flatMap(({ name, bars }) => bars.filter((bar) => bar.critical).map((bar) => [name, bar.state]));
  assert.deepEqual(marked, [
    ["Both branch 2", "Slow"],
    ["Each #3", "Pack"],
  ]);
});
