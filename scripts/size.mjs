// Prints the sizes of the WebAssembly module's files: raw, gzip -9, brotli 11.   npm run build first.
//
// --json prints the numbers of bytes of the small one; --check fails beyond the budgets.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "./steps.mjs";

// Bytes of gzip -9: the whole; what servers have; what a browser loads to run machines. The limits of JSONata that were measured
// on AWS and the readers of JSONPath by field cost 4 kB of the whole (to 575.9), and what an error's stage says of its retriers and
// catchers, with the confirmation of activities, 3 kB (to 579.0). The field and the expression of each JSONPath error cost 1.3 kB of
// the whole (to 581.1), 2.4 kB of what servers have (to 889.5) and 1.0 kB of the first part (to 290.7).
// The lists of names and expressions, from which editors colour a text, cost 1.1 kB of both modules (to 582.3 and 890.7).
// The cancellation of a scope costs 0.4 kB of both modules (to 582.7 and 891.1).
const BUDGETS = { "stepglass.wasm": 583_000, "stepglass-fast.wasm": 891_500, "stepglass-first.wasm": 291_000 };

const sizes = Object.fromEntries(Object.keys(BUDGETS).map((name) => [name, sizesOf(name)]));
if (process.argv.includes("--json")) {
  console.log(JSON.stringify(sizes["stepglass.wasm"]));
} else {
  for (const [file, size] of Object.entries(sizes)) {
    console.log(file);
    for (const [name, count] of Object.entries(size)) console.log(`  ${name.padEnd(7)}${(count / 1000).toFixed(1).padStart(8)} kB`);
  }
}
if (process.argv.includes("--check")) {
  const { profile } = JSON.parse(readFileSync(join(root, "dist/.built.json"), "utf8"));
  if (profile !== "release") {
    console.error(`this is a build of profile ${profile}: npm run build makes the one that is published`);
    process.exit(1);
  }
  for (const [name, budget] of Object.entries(BUDGETS)) {
    if (sizes[name].gzip <= budget) continue;
    console.error(`${name} is beyond the budget of ${budget / 1000} kB gzip`);
    process.exitCode = 1;
  }
}

function sizesOf(name) {
  const path = join(root, "dist", name);
  if (!existsSync(path)) {
    console.error(`there is no dist/${name} yet: npm run build`);
    process.exit(1);
  }
  const bytes = readFileSync(path);
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
  };
}
