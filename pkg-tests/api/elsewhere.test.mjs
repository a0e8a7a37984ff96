// The environments in which `npm run test:elsewhere` runs the tests.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHOICES, described, draw } from "../../scripts/elsewhere/draw.mjs";

test("a seed selects the same environment every time, and the seeds cover all choices", () => {
  const drawn = Array.from({ length: 60 }, (_, seed) => draw(seed));
  assert.deepEqual(
    drawn,
    Array.from({ length: 60 }, (_, seed) => draw(seed)),
  );
  for (const [part, choices] of Object.entries(CHOICES)) {
    const found = new Set(drawn.map((environment) => environment[part]));
    assert.deepEqual([...found].sort(), [...choices].sort(), part);
  }
});

test("what a machine cannot vary is listed, and changes nothing else", () => {
  const can = Object.keys(CHOICES).filter((part) => part !== "root" && part !== "tmp");
  const [everything, some] = [draw(7), draw(7, can)];
  assert.deepEqual(some, { ...everything, root: undefined, tmp: undefined, fixed: ["root", "tmp"] });
  assert.match(described(some), /; not varied here: root, tmp$/);
  assert.doesNotMatch(described(everything), /not varied/);
});
