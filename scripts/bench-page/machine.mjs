// How long a browser takes from the module's bytes to the first result, in a program of one's own: the package's entry for browsers,
// bundled.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../steps.mjs";
import { serveZipped } from "./browser.mjs";
import { best, calibrate } from "./rows.mjs";

const ROUNDS = 7;
const PARTS = ["first", "rest"].map((part) => `stepglass-${part}.wasm`);

/** The program. What it is told to load is there already, as it is when a connection has brought the last byte. */
const PROGRAM = `
import { StateMachine, init } from "./web.js";
globalThis.begin = async () => {
  const bytes = await (await fetch("stepglass-first.wasm")).arrayBuffer();
  const start = performance.now();
  await init(new Response(bytes, { headers: { "content-type": "application/wasm" } }));
  const loaded = performance.now();
  const machine = new StateMachine({
    StartAt: "Price",
    States: {
      Price: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Price", ResultPath: "$.price", Next: "Enough" },
      Enough: { Type: "Choice", Choices: [{ Variable: "$.price", NumericGreaterThan: 10, Next: "Done" }], Default: "Done" },
      Done: { Type: "Succeed" },
    },
  });
  const { price } = await machine.run({ a: 4, b: 3 }, { tasks: { Price: ({ a, b }) => a * b } });
  if (price !== 12) throw new Error(String(price));
  return { loaded: loaded - start, all: performance.now() - start };
};
`;

export async function machine({ rows, chrome }) {
  rows.part("A first machine");
  const { build } = await import("esbuild");
  const folder = mkdtempSync(join(tmpdir(), "stepglass-first-"));
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: join(root, "dist") },
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
  });
  writeFileSync(join(folder, "program.js"), outputFiles[0].contents);
  writeFileSync(
    join(folder, "index.html"),
    '<!doctype html><title>A first machine</title><script type="module" src="program.js"></script>',
  );
  for (const file of PARTS) cpSync(join(root, "dist", file), join(folder, file));
  const server = await serveZipped(folder);
  try {
    let loaded = Infinity;
    const all = await best(ROUNDS, async () => {
      const speed = calibrate(1);
      // A browser with nothing compiled.
      const context = await chrome.newContext();
      const page = await context.newPage();
      await page.goto(server.url);
      await page.waitForFunction(() => globalThis.begin !== undefined);
      const took = await page.evaluate(() => globalThis.begin());
      loaded = Math.min(loaded, took.loaded * speed);
      await context.close();
      return took.all * speed;
    });
    rows.row("from the module's bytes to the first result, wall-clock", all, "ms", { most: 40 });
    rows.row("  of it the module, compiled and started", loaded, "ms");
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}
