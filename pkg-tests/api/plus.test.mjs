// The position of the `+` on transitions and states of the page's graph: it covers no label at any scale.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { layout } from "../../dist/node.js";
import { importSource } from "../../scripts/sources.mjs";
import { root } from "../../scripts/steps.mjs";

const { RADIUS, clearOf, labelsOf, plusOf } = await importSource("www/src/graph-editor/kernel/plus.ts");
const { portOf } = await importSource("www/src/graph-editor/kernel/transitions.ts");

const examples = join(root, "www/examples");
const gallery = readdirSync(examples)
  .map((name) => join(examples, name, "machine.asl.json"))
  .filter((file) => existsSync(file))
  .map((file) => ({ name: file, text: readFileSync(file, "utf8") }));

/** The sign of a state's status: the distance of its centre from the lower right corner, and its radius (www/src/graph/Signs.tsx). */
const SIGN = { aside: 14, radius: 10 };

/** A Choice with many rules, whose labels are close to each other. */
const crowded = {
  name: "a Choice of twelve rules",
  text: JSON.stringify({
    StartAt: "Which",
    States: {
      Which: {
        Type: "Choice",
        Choices: Array.from({ length: 12 }, (_, i) => ({
          Variable: "$.a rather long name of a field",
          NumericEquals: i,
          Next: `S${i % 5}`,
        })),
        Default: "S0",
      },
      ...Object.fromEntries(
        Array.from({ length: 5 }, (_, i) => [`S${i}`, { Type: "Pass", ...(i < 4 ? { Next: `S${i + 1}` } : { Next: "Which" }) }]),
      ),
    },
  }),
};

const covers = ([x, y], radius, box) =>
  Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height)) < radius;

for (const beside of [false, true]) {
  test(`a + covers no label at any scale${beside ? ", beside its line too" : ""}`, () => {
    let placed = 0;
    for (const { name, text } of [...gallery, crowded]) {
      for (const direction of ["TB", "LR"]) {
        const graph = layout(text, { direction });
        const labels = labelsOf(graph);
        for (const scale of [0.6, 0.7, 0.86, 1, 1.5, 2.5]) {
          const seen = { scale, labels, beside: () => beside };
          const states = graph.nodes.filter(({ id }) => /\/States\/[^/]+$/.test(id));
          const all = [
            ...graph.edges.map((edge) => [edge.id, plusOf(edge, seen)]),
            ...states.map((node) => [node.id, clearOf([portOf(node, scale)], seen)]),
          ];
          for (const [id, place] of all) {
            placed += 1;
            const covered = labels.find((box) => covers(place, RADIUS / scale, box));
            assert.equal(covered, undefined, `${name} ${direction} ${scale}: ${id}`);
          }
          for (const node of states) {
            const [x, y] = portOf(node, scale);
            const away = Math.hypot(x - (node.x + node.width - SIGN.aside), y - (node.y + node.height));
            assert.ok(away > RADIUS / scale + SIGN.radius, `${name} ${direction} ${scale}: ${node.id} has its sign covered`);
          }
        }
      }
    }
    assert.ok(placed > 1000);
  });
}

test("without labels in the way, a + is in the middle of the longest line segment", () => {
  const edge = {
    points: [
      [0, 0],
      [0, 100],
      [30, 100],
    ],
  };
  const seen = { scale: 1, labels: [], beside: () => false };
  assert.deepEqual(plusOf(edge, seen), [0, 50]);
  const [x, y] = plusOf(edge, { ...seen, labels: [{ x: -20, y: 40, width: 40, height: 20 }] });
  assert.equal(x, 0);
  assert.ok(y < 32 || y > 68, `${y}`);
  assert.deepEqual(plusOf(edge, { ...seen, beside: () => true }), [-22, 50]);
});
