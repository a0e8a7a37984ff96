// What the WebAssembly module weighs: raw, gzip -9, brotli 11.   npm run build first.
//
// --json prints the numbers of bytes; --check fails beyond the budget.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "./steps.mjs";

// Bytes of gzip -9, what a page's visitor waits for: today's size and two per cent. The aim is 300,000.
const BUDGET = 518_000;

const path = join(root, "dist/stepglass.wasm");
if (!existsSync(path)) {
  console.error("there is no dist/stepglass.wasm yet: npm run build");
  process.exit(1);
}
const bytes = readFileSync(path);
const size = {
  raw: bytes.length,
  gzip: gzipSync(bytes, { level: 9 }).length,
  brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
};
if (process.argv.includes("--json")) {
  console.log(JSON.stringify(size));
} else {
  for (const [name, count] of Object.entries(size)) console.log(`${name.padEnd(7)}${(count / 1000).toFixed(1).padStart(8)} kB`);
}
if (process.argv.includes("--check")) {
  const { profile } = JSON.parse(readFileSync(join(root, "dist/.built.json"), "utf8"));
  if (profile !== "release") {
    console.error(`this is a build of profile ${profile}: npm run build makes the one that is published`);
    process.exit(1);
  }
  if (size.gzip > BUDGET) {
    console.error(`beyond the budget of ${BUDGET / 1000} kB gzip`);
    process.exit(1);
  }
}
