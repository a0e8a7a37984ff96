// What comes over the line, and what it takes until the page can be used.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { visit } from "./browser.mjs";
import { linkTo, mixed } from "./machines.mjs";
import { calibrate } from "./rows.mjs";

export async function loading({ rows, chrome, server, dist }) {
  rows.part("Loading");
  await sizes({ rows, chrome, server, dist });
  await throttled({ rows, chrome, server });
  for (const [count, cpu, wall, heap] of [
    [50, 300, 0.8, 12],
    [500, 450, 1, 15],
    [2000, 900, 1.6, 25],
  ])
    await ready({ rows, chrome, server }, count, { cpu, wall, heap });
}

async function sizes({ rows, chrome, server, dist }) {
  const { page, at, leave } = await visit(chrome, server.url, { until: "ready" });
  const paintedAt = (await at("painted")) + (await page.evaluate(() => performance.timeOrigin));
  await page.waitForTimeout(1000);
  const seen = new Map(server.served);
  await leave();
  const size = (name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length / 1000;
  const sum = (names) => names.reduce((all, name) => all + size(name), 0);
  const of = (fits) => sum([...seen].filter(fits).map(([name]) => name));
  const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
  const needs = (name, found = new Set()) => {
    const { file, imports = [] } = manifest[name];
    found.add(file);
    for (const other of imports) if (!found.has(manifest[other].file)) needs(other, found);
    return found;
  };
  const first = needs("src/page.tsx", needs("index.html"));
  const later = (name) => sum([...needs(name)].filter((file) => !first.has(file)));
  const assets = readdirSync(join(dist, "assets"));
  const wasm = (part) =>
    join(
      "assets",
      assets.find((name) => name.startsWith(`${part}-`) && name.endsWith(".wasm")),
    );

  rows.row(
    "first load until the graph is painted, gzip",
    of(([, when]) => when <= paintedAt),
    "kB",
    { most: 600 },
  );
  rows.row(
    "first load in all, with the editor, which comes after it, gzip",
    of(() => true),
    "kB",
    { most: 600 },
  );
  rows.row("  the interpreter's first part, WebAssembly", size(wasm("first")), "kB", { most: 400 });
  rows.row(
    "  the same with brotli, as most hosts send it",
    brotliCompressSync(readFileSync(join(dist, wasm("first")))).length / 1000,
    "kB",
  );
  rows.row("  the page's scripts without the editor", sum([...first]), "kB", { most: 60 });
  rows.row("  the editor", later("src/editor/codemirror.ts"), "kB", { most: 145 });
  rows.row("the rest of the interpreter, with the first deed", size(wasm("rest")), "kB");
}

async function throttled({ rows, chrome, server }) {
  const graph = [];
  const ready = [];
  for (let i = 0; i < 4; i++) {
    const { at, leave } = await visit(chrome, server.url, { throttle: 4, until: "ready" });
    graph.push(await at("painted"));
    ready.push(await at("ready"));
    await leave();
  }
  rows.row("example, graph painted, CPU slowed down 4 times, wall, best of 4", Math.min(...graph), "ms", { most: 1000 });
  rows.row("example, editor ready, the same", Math.min(...ready), "ms", { most: 2000 });
}

async function ready({ rows, chrome, server }, count, { cpu, wall, heap }) {
  const hash = linkTo(mixed(count));
  const costs = [];
  const walls = [];
  let shift = 0;
  let held = Infinity;
  const factor = calibrate();
  for (let i = 0; i < 4; i++) {
    const visitor = await visit(chrome, server.url, { hash, until: "ready" });
    costs.push(await visitor.cpu());
    walls.push(await visitor.at("ready"));
    await visitor.page.waitForTimeout(1000);
    shift = Math.max(shift, await visitor.shift());
    held = Math.min(held, await visitor.heap());
    await visitor.leave();
  }
  const states = `${count.toLocaleString("en")} states`;
  rows.row(`${states}, graph painted and editor ready, main thread's CPU`, Math.min(...costs) * factor, "ms", { most: cpu });
  rows.row("  the same, wall", Math.min(...walls) / 1000, "s", { most: wall });
  rows.row("  layout shift since the first painting, worst", shift, "", { most: 0.02 });
  rows.row("  heap of the main thread", held / 1e6, "MB", { most: heap });
}
