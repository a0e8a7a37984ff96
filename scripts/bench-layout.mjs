// Compares the layout with that of dagre:   npm run bench:layout [-- --json] [-- --each]     (npm run build first)
//
// Both lay out the same boxes and labels, scope by scope: dagre gets each `States` object as a graph of its own, innermost
// first, with the same room around nested ones. Crossings are counted in the drawings: points where lines cross each
// other. dagre's gaps are those of its documentation (50 between layers, 50 between boxes, 20 between lines), and once
// more with 30 and 20, which is as near as boxes stand here.
import { Graph, layout as dagreLayout } from "@dagrejs/dagre";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { gallery } from "../pkg-tests/api/examples.mjs";
import { casesIn, recordedFiles } from "./recordings.mjs";
import { root } from "./steps.mjs";

if (!existsSync(join(root, "dist/stepglass.wasm"))) {
  console.error("bench:layout: there is no dist/stepglass.wasm yet: npm run build");
  process.exit(1);
}
const { layout } = await import("../dist/node.js");

/** Space in drawings of this package, in pixels: around scopes, above them and between them. */
const ROOM = { margin: 24, head: 52, padding: 14, scope: 14, gap: 14 };
const WIDE = { nodesep: 50, ranksep: 50, edgesep: 20 };
const NARROW = { nodesep: 20, ranksep: 30, edgesep: 14 };

const suites = [
  ["definitions of the conformance cases", conformance()],
  [
    "examples of the page",
    gallery()
      .filter(({ format }) => format === "json")
      .map(({ id, definition }) => [id, JSON.parse(definition)]),
  ],
  ["generated, 20 states", generated(40, 20)],
  ["generated, 100 states", generated(15, 100)],
  ["generated, 500 states", generated(3, 500)],
];

const rows = [];
for (const [suite, definitions] of suites) {
  const sum = {
    suite,
    graphs: 0,
    crossings: 0,
    area: 0,
    wide: { crossings: 0, area: 0 },
    narrow: { crossings: 0, area: 0 },
    larger: [],
    crossed: [],
  };
  for (const [name, definition] of definitions) {
    for (const direction of ["TB", "LR"]) {
      const graph = layout(definition, { direction });
      if (graph.edges.length === 0) continue;
      const own = { crossings: crossings(linesOf(graph)), area: graph.width * graph.height };
      const wide = byDagre(graph, WIDE);
      const narrow = byDagre(graph, NARROW);
      sum.graphs += 1;
      sum.crossings += own.crossings;
      sum.area += own.area;
      for (const [sums, one] of [
        [sum.wide, wide],
        [sum.narrow, narrow],
      ]) {
        sums.crossings += one.crossings;
        sums.area += one.area;
      }
      if (own.area > wide.area) sum.larger.push(`${name} ${direction} ${(own.area / wide.area).toFixed(2)}`);
      if (own.crossings > wide.crossings * 1.1) sum.crossed.push(`${name} ${direction} ${own.crossings} against ${wide.crossings}`);
    }
  }
  rows.push(sum);
}

if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 2));
else {
  console.log(`${"".padEnd(38)} ${"".padStart(7)} ${"crossings".padStart(23)}    ${"area, million px".padStart(26)}`);
  console.log(
    `${"".padEnd(38)} ${"graphs".padStart(7)} ${"here".padStart(7)} ${"dagre".padStart(7)} ${"narrow".padStart(7)}    ${"here".padStart(8)} ${"dagre".padStart(8)} ${"narrow".padStart(8)}`,
  );
  for (const { suite, graphs, crossings: here, area, wide, narrow, larger, crossed } of rows) {
    const millions = (value) => (value / 1e6).toFixed(1).padStart(8);
    const met = here <= wide.crossings * 1.1 && area <= wide.area;
    console.log(
      `${(met ? "ok " : "NO ") + suite.padEnd(35)} ${String(graphs).padStart(7)} ${String(here).padStart(7)} ${String(wide.crossings).padStart(7)} ${String(narrow.crossings).padStart(7)}    ${millions(area)} ${millions(wide.area)} ${millions(narrow.area)}`,
    );
    if (process.argv.includes("--each")) {
      for (const one of larger) console.log(`     larger: ${one}`);
      for (const one of crossed) console.log(`     more crossings: ${one}`);
    }
  }
}
process.exitCode = rows.every(({ crossings: here, area, wide }) => here <= wide.crossings * 1.1 && area <= wide.area) ? 0 : 1;

/** Returns the lines of a drawing, with one line for all transitions that run together between two boxes. */
function linesOf(graph) {
  return [...new Map(graph.edges.map(({ path, points }) => [path, points])).values()];
}

/**
 * Returns at how many points lines cross. Lines that only touch or overlap do not cross. Several lines that run together and cross
 * others count once, as they look like one crossing.
 */
function crossings(lines) {
  const pieces = lines.flatMap((points, line) => points.slice(1).map((b, i) => ({ line, a: points[i], b })));
  pieces.sort((p, q) => Math.min(p.a[0], p.b[0]) - Math.min(q.a[0], q.b[0]));
  const side = (a, b, c) => Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
  const found = new Set();
  for (let i = 0; i < pieces.length; i++) {
    const p = pieces[i];
    const right = Math.max(p.a[0], p.b[0]);
    for (let j = i + 1; j < pieces.length && Math.min(pieces[j].a[0], pieces[j].b[0]) <= right; j++) {
      const q = pieces[j];
      if (p.line !== q.line && side(p.a, p.b, q.a) * side(p.a, p.b, q.b) < 0 && side(q.a, q.b, p.a) * side(q.a, q.b, p.b) < 0)
        found.add(meeting(p, q));
    }
  }
  return found.size;
}

/** Returns where two line segments cross, rounded to a pixel. */
function meeting({ a, b }, { a: c, b: d }) {
  const [x, y] = [b[0] - a[0], b[1] - a[1]];
  const t = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / (x * (d[1] - c[1]) - y * (d[0] - c[0]));
  return `${Math.round(a[0] + t * x)} ${Math.round(a[1] + t * y)}`;
}

/** Returns the crossings and the area of dagre's drawing of the same graph. */
function byDagre(graph, gaps) {
  const parents = new Map(graph.nodes.map(({ id, parent }) => [id, parent]));
  const inside = groupBy(graph.nodes, ({ parent }) => parent ?? "");
  const links = groupBy(new Map(graph.edges.map((edge) => [edge.path, edge])).values(), ({ from }) => parents.get(from) ?? "");
  const labels = groupBy(graph.edges, ({ path }) => path);
  let crossed = 0;
  const sizes = new Map();
  const along = graph.direction === "TB";
  // A node follows the node that contains it.
  for (const node of [...graph.nodes].reverse()) {
    if (node.type === "Scope") {
      const { width, height } = place(node.id);
      sizes.set(node.id, { width: width + 2 * ROOM.scope, height: height + 2 * ROOM.scope });
    } else if (node.states > 0 && !node.collapsed) {
      const scopes = inside.get(node.id).map(({ id }) => sizes.get(id));
      const total = (length) => scopes.reduce((sum, one) => sum + one[length], ROOM.gap * (scopes.length - 1));
      const most = (length) => Math.max(...scopes.map((one) => one[length]));
      const [width, height] = along ? [total("width"), most("height")] : [most("width"), total("height")];
      sizes.set(node.id, { width: Math.max(width + 2 * ROOM.padding, 176), height: height + ROOM.head + ROOM.padding });
    } else sizes.set(node.id, { width: node.width, height: node.height });
  }
  const { width, height } = place("");
  return { crossings: crossed, area: (width + 2 * ROOM.margin) * (height + 2 * ROOM.margin) };

  function place(scope) {
    const made = new Graph({ multigraph: true }).setGraph({ rankdir: graph.direction, ...gaps });
    for (const { id } of inside.get(scope) ?? []) made.setNode(id, { ...sizes.get(id) });
    for (const edge of links.get(scope) ?? []) {
      const texts = labels.get(edge.path).flatMap(({ labelBox }) => labelBox ?? []);
      const label =
        texts.length > 0
          ? { width: Math.max(...texts.map((box) => box.width)), height: texts.reduce((sum, box) => sum + box.height, 0), labelpos: "c" }
          : {};
      made.setEdge(edge.from, edge.to, label, edge.id);
    }
    dagreLayout(made);
    crossed += crossings(
      made
        .edges()
        .filter(({ v, w }) => v !== w)
        .map((edge) => made.edge(edge).points.map(({ x, y }) => [x, y])),
    );
    return made.graph();
  }
}

function groupBy(all, keyOf) {
  const groups = new Map();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** Returns the recorded definitions by file and line; none if these are not there. */
function conformance() {
  return recordedFiles("definitions.jsonl", "aws-recorded.jsonl").flatMap((file) => {
    const seen = new Set();
    return casesIn(file).flatMap(({ definition }, i) => {
      const text = JSON.stringify(definition);
      if (typeof definition !== "object" || Array.isArray(definition) || definition === null || seen.has(text)) return [];
      seen.add(text);
      return [[`${basename(file)}:${i + 1}`, definition]];
    });
  });
}

/** Generates definitions of about `size` states: chains, rules that lead forwards and back, catchers, branches. */
function generated(count, size) {
  return Array.from({ length: count }, (_, seed) => {
    let state = seed * 2654435761 + size;
    const random = (below) => {
      state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
      return (state >>> 8) % below;
    };
    let left = size;
    let number = 0;
    const scope = (most, depth) => {
      const names = Array.from(
        { length: Math.max(1, most) },
        () => `${["Load", "Check order", "ChargeCreditCard", "Ship", "Notify the customer"][random(5)]} ${number++}`,
      );
      left -= names.length;
      const ahead = (i) => names[Math.min(names.length - 1, i + 1 + random(random(4) === 0 ? 10 : 3))];
      const states = names.map((name, i) => {
        if (i === names.length - 1) return [name, { Type: "Succeed" }];
        const Next = names[i + 1];
        switch (random(8)) {
          case 0:
          case 1:
            return [
              name,
              {
                Type: "Choice",
                Choices: Array.from({ length: 1 + random(3) }, () => ({ Variable: "$.n", NumericGreaterThan: random(9), Next: ahead(i) })),
                Default: random(4) === 0 ? names[random(i + 1)] : Next,
              },
            ];
          case 2:
            if (depth >= 3 || left < 4) break;
            return [
              name,
              {
                Type: "Parallel",
                Branches: Array.from({ length: 2 + random(2) }, () => scope(1 + random(Math.min(left, 9)), depth + 1)),
                Next,
              },
            ];
          case 3:
            if (depth >= 3 || left < 4) break;
            return [
              name,
              {
                Type: "Map",
                ItemProcessor: scope(1 + random(Math.min(left, 9)), depth + 1),
                Catch: [{ ErrorEquals: ["States.ALL"], Next: ahead(i) }],
                Next,
              },
            ];
          case 4:
            return [
              name,
              { Type: "Task", Resource: "arn:aws:states:::lambda:invoke", Catch: [{ ErrorEquals: ["Busy"], Next: ahead(i) }], Next },
            ];
        }
        return [name, { Type: "Pass", Next }];
      });
      return { StartAt: names[0], States: Object.fromEntries(states) };
    };
    return [`seed ${seed}`, scope(Math.ceil(size / 2), 0)];
  });
}
