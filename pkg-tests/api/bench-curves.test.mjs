// Charts and tables of `npm run bench -- --scale`, from invented measurements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawing, written } from "../../benches/scale.mjs";

const points = [10, 100, 1000].map((n) => ({ n, cpu: n * 20, memory: n * 2 ** 17 }));
const results = [
  { title: "items", points, time: 1, memory: 1, holds: true },
  { title: "states", points: points.map((one) => ({ ...one, memory: 0 })), time: 1.31, memory: undefined, holds: false },
];

test("draws the curves for light and for dark pages", () => {
  const svg = drawing(results);
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  assert.match(svg, /prefers-color-scheme:dark/);
  assert.match(svg, /time n¹·⁰⁰, memory n¹·⁰⁰/);
  assert.match(svg, /time n¹·³¹</);
});

test("replaces the text between the two comments by the table", () => {
  const page = "# Page\n\n<!-- curves: npm run bench -- --scale -->\nold\n<!-- /curves -->\n\nafter\n";
  const text = written(page, results, "images/growth.svg");
  assert.match(text, /^# Page\n\n<!-- curves[^]*\| items \| 10: 0\.2 ms \| 1,000: 20 ms, 125 MiB \| 1\.00 \| 1\.00 \| yes \|\n/);
  assert.match(text, /\| states \| .* \| 1\.31 \| – \| no \|\n/);
  assert.match(text, /\]\(images\/growth\.svg\)[^]*<!-- \/curves -->\n\nafter\n$/);
  assert.doesNotMatch(text, /old/);
  assert.equal(written(text, results, "images/growth.svg"), text);
  assert.throws(() => written("# Page\n", results), /no place for the table/);
});
