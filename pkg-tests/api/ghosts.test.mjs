// Removed states on the current graph: near their former positions, and over no other state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { language, layout } from "stepglass";
import { importSource } from "../../scripts/sources.mjs";
import { gallery } from "./examples.mjs";

const { GraphIndex, isState } = await importSource("www/src/model/graph.ts");
const { ghostsOf } = await importSource("www/src/projects/ghosts.ts");

const indexOf = (definition) => new GraphIndex(layout(definition));
const pass = (Next) => ({ Type: "Pass", ...(Next ? { Next } : { End: true }) });
const chain = (...names) => ({
  StartAt: names[0],
  States: Object.fromEntries(names.map((name, i) => [name, pass(names[i + 1])])),
});
const over = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Returns the nodes that a ghost covers. The node that contains it does not count. */
const covered = (ghost, index) => index.graph.nodes.filter((node) => over(ghost, node) && !ghost.id.startsWith(`${node.id}/`));

test("a removed state is drawn between its neighbours, beside the line, and names them", () => {
  const now = indexOf(chain("One", "Two"));
  const { ghosts, ways } = ghostsOf(now, indexOf(chain("One", "Gone", "Two")), ["/States/Gone"], new Map());
  assert.deepEqual(
    ghosts.map(({ words }) => words),
    ["Gone, Pass, removed: it came after One, and it led to Two"],
  );
  const [gone] = ghosts;
  const [one, two] = ["One", "Two"].map((name) => now.node(now.byName.get(name)));
  assert.ok(gone.y > one.y && gone.y < two.y + two.height, `${gone.y} between ${one.y} and ${two.y}`);
  assert.deepEqual(covered(gone, now), []);
  assert.equal(ways.length, 2);
});

test("removed and renamed neighbours are ends of the broken transition", () => {
  const now = indexOf(chain("First", "Four"));
  const old = indexOf(chain("One", "Two", "Three", "Four"));
  const { ghosts, ways } = ghostsOf(now, old, ["/States/Two", "/States/Three"], new Map([["One", "First"]]));
  assert.deepEqual(
    ghosts.map(({ name }) => name),
    ["Two", "Three"],
  );
  assert.equal(ways.length, 3);
  assert.ok(!over(ghosts[0], ghosts[1]));
  assert.ok(ghosts[0].y < ghosts[1].y);
});

test("a removed Parallel and its content are one ghost", () => {
  const both = {
    StartAt: "Both",
    States: { Both: { Type: "Parallel", Branches: [chain("Left"), chain("Right")], Next: "Last" }, Last: pass() },
  };
  const removed = ["/States/Both", "/States/Both/Branches/0/States/Left", "/States/Both/Branches/1/States/Right"];
  const { ghosts } = ghostsOf(indexOf(chain("Last")), indexOf(both), removed, new Map());
  assert.deepEqual(
    ghosts.map(({ name, type }) => [name, type]),
    [["Both", "Parallel"]],
  );
});

test("whatever state of the gallery is deleted, its ghost covers no other state", () => {
  let seen = 0;
  for (const { definition } of gallery().filter(({ format }) => format !== "yaml")) {
    const text = typeof definition === "string" ? definition : JSON.stringify(definition, null, 2);
    const old = indexOf(text);
    for (const { id, name } of old.graph.nodes.filter(isState)) {
      const edited = language.edit(text, { kind: "delete", states: [id], to: null });
      if (edited.refused) continue;
      const after = language.apply(text, edited.edits);
      const now = indexOf(after);
      if (now.byName.has(name)) continue;
      const { ghosts } = ghostsOf(now, old, [id], new Map());
      assert.equal(ghosts.length, 1, name);
      assert.deepEqual(
        covered(ghosts[0], now).map((node) => node.name),
        [],
        `${name} in ${text.slice(0, 80)}`,
      );
      assert.ok(ghosts[0].x >= 0, name);
      seen += 1;
    }
  }
  assert.ok(seen > 50, `${seen} states`);
});
