// What the WebAssembly module weighs: raw, gzip -9, brotli 11.   npm run build first.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "./steps.mjs";

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
