// What the page decides about the drawing without a browser: names in cards, the fitted view, the pace of play-back.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { layout } from "../../dist/node.js";
import { MOST_STATES, PANES, examples, fittedGraph } from "../../scripts/fitted-graphs.mjs";
import { importSource } from "../../scripts/sources.mjs";

const { GraphIndex, isState } = await importSource("www/src/model/graph.ts");
const { DRAWN, LEAST, largestName, leastScale, placeName, wrapped } = await importSource("www/src/model/cards.ts");
const { fittedView } = await importSource("www/src/model/fit.ts");
const { advance, costOf, jumped, jumpsOf, keyframesOf } = await importSource("www/src/model/pacing.ts");

/** Every character is 0.6 em wide. */
const widthOf = (text, size) => [...text].length * 0.6 * size;
const chain = (names) => ({
  StartAt: names[0],
  States: Object.fromEntries(
    names.map((name, i) => [name, { Type: "Pass", ...(i + 1 < names.length ? { Next: names[i + 1] } : { End: true }) }]),
  ),
});
const LONG = Array.from({ length: 40 }, (_, i) => `Send the receipt of order ${i} to whoever waits for it`);

describe("names in cards", () => {
  test("a name wraps between words, and only a longer word is broken inside", () => {
    assert.deepEqual(wrapped("SendReceiptToCustomer", 10, 80, 3, widthOf), ["SendReceiptTo", "Customer"]);
    assert.deepEqual(wrapped("tell the customer", 10, 66, 3, widthOf), ["tell the ", "customer"]);
    assert.deepEqual(wrapped("reconciliation", 10, 60, 3, widthOf), ["reconcilia", "tion"]);
    assert.match(wrapped("reconciliation", 10, 60, 1, widthOf)[0], /…$/);
  });

  test("at the largest size of names every card has its whole name beside its icon", () => {
    for (const names of [["SendReceipt", "TellCustomer", "Ship"], LONG]) {
      const index = new GraphIndex(layout(chain(names)));
      const size = largestName(index, widthOf);
      assert.ok(size >= DRAWN);
      assert.ok(leastScale(size) * size >= LEAST - 0.01);
      for (const node of index.graph.nodes.filter(isState))
        assert.equal(placeName(node, size, true, widthOf).lines.join("").replaceAll(" ", ""), node.name.replaceAll(" ", ""));
    }
  });
});

describe("the fitted view", () => {
  for (const [pane, size] of PANES) {
    test(`shows the icon and the whole name of each state of the examples, ${pane}`, (t) => {
      const fitted = examples().map(([name, definition]) => [name, fittedGraph(definition, size)]);
      const poor = fitted.flatMap(([name, { states, poor }]) => (states <= MOST_STATES && poor.length > 0 ? [`${name}: ${poor}`] : []));
      const used = fitted.reduce((sum, [, graph]) => sum + graph.used, 0) / fitted.length;
      t.diagnostic(`the drawings cover ${Math.round(used * 100)} % of the pane`);
      assert.deepEqual(poor, []);
    });
  }

  test("moves aside from the bars at the bottom", () => {
    // The last sign of a chain is in the middle; the bars leave a gap beside it.
    const index = new GraphIndex(layout(chain(["First", "Second", "Third", "Fourth"])));
    const pane = { width: 560, height: Math.ceil(index.graph.height * 0.6) + 24 };
    const { k, x } = fittedView(index, pane, { barBeside: true, least: 0.6 });
    const end = index.graph.nodes.find(({ type }) => type === "End");
    const [left, right] = [(end.x - index.corner[0]) * k, (end.x - index.corner[0] + end.width) * k].map(
      (at) => at + x + index.corner[0] * k,
    );
    assert.ok(left >= 216 && right <= pane.width - 216, `${left} to ${right}`);
  });

  test("shows all of a graph that is legible then", () => {
    const { graph, corner } = new GraphIndex(layout(chain(["A", "B", "C"])));
    const { k, x, y } = fittedView(new GraphIndex(graph, corner), { width: 900, height: 700 }, { legible: 0.6 });
    assert.ok(x >= 0 && y >= 0 && x + graph.width * k <= 900 && y + graph.height * k <= 700);
  });

  test("never cuts names: it shows the beginning of a larger graph at the smallest legible scale", () => {
    const index = new GraphIndex(layout(chain(LONG)));
    const legible = leastScale(largestName(index, widthOf));
    const { k, y } = fittedView(index, { width: 360, height: 500 }, { legible });
    assert.equal(k, legible);
    assert.ok(y >= 0);
    assert.ok(fittedView(index, { width: 360, height: 500 }, { legible, whole: true }).k < legible);
  });

  test("a long chain uses the width of a low pane", () => {
    const pane = { width: 1200, height: 500 };
    const definition = chain(Array.from({ length: 12 }, (_, i) => `Step ${i}`));
    const scale = (options) => fittedView(new GraphIndex(layout(definition, options)), pane, { whole: true }).k;
    assert.ok(scale({ aspect: 2.4, height: 500 }) > 1.8 * scale({}));
  });

  test("many branches are placed in rows, and a chain that fits stays a column", () => {
    const branch = (i) => chain([`First ${i}`, `Second ${i}`]);
    const wide = {
      StartAt: "All",
      States: { All: { Type: "Parallel", Branches: Array.from({ length: 9 }, (_, i) => branch(i)), End: true } },
    };
    const { width, height } = layout(wide, { aspect: 1, height: 800 });
    assert.ok(width < 1.6 * height, `${width} × ${height}`);
    const short = chain(["A", "B", "C"]);
    assert.deepEqual(layout(short, { aspect: 2, height: 600 }), layout(short));
  });
});

describe("play-back", () => {
  /** The edges of a loop of so many rounds, with two more entries in each round and ten entries around it. */
  const loop = (rounds) => [...Array(5).fill(-1), ...Array.from({ length: rounds }, () => [-1, 3, 7]).flat(), ...Array(5).fill(-1)];
  const back = (edge) => edge === 7;

  test("jumps over the middle of a loop of more than ten rounds", () => {
    assert.deepEqual(jumpsOf(loop(10), loop(10).length, back), []);
    const log = loop(500);
    const [jump, ...others] = jumpsOf(log, log.length, back);
    assert.deepEqual(others, []);
    assert.equal(jump.rounds, 500);
    assert.ok(jump.from < 5 + 3 * 3 && jump.to >= 5 + 3 * 497);
    assert.equal(jumped(0, 20, [jump]), jump.to);
    assert.equal(jumped(0, jump.from, [jump]), jump.from);
    assert.equal(jumped(jump.to, jump.to + 4, [jump]), jump.to + 4);
  });

  test("is slower where a path is chosen", () => {
    assert.ok(costOf({ kind: "choice" }) > costOf({ kind: "next" }));
    assert.equal(costOf(undefined), 1);
    const cost = (entry) => (entry === 1 ? 6 : 1);
    assert.equal(
      advance(0, 2, 10, () => 1),
      2,
    );
    assert.equal(advance(0, 4, 10, cost), 1.5);
    assert.equal(advance(0, 100, 10, cost), 10);
  });

  test("moves a mark along each corner of a line at an even speed", () => {
    const { frames, length } = keyframesOf([
      [0, 0],
      [30, 0],
      [30, 10],
    ]);
    assert.equal(length, 40);
    assert.deepEqual(
      frames.map(({ offset }) => offset),
      [0, 0.75, 1],
    );
  });
});
