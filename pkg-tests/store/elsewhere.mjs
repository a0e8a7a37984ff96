// Runs the suite of stores in a runtime other than Node:   bun pkg-tests/store/elsewhere.mjs   deno run -A pkg-tests/store/elsewhere.mjs
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlite } from "../../dist/bundled-sqlite.js";
import { storeSuite } from "./suite.mjs";

const bun = "bun" in process.versions;
const { Database } = bun ? await import("bun:sqlite") : {};
const tests = [];
storeSuite(
  (name, run) => tests.push({ name, run }),
  `SQLite in ${bun ? "Bun" : "Deno"}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "stepglass-store-"));
    const file = join(folder, "store.db");
    const store = () => (bun ? sqlite({ database: () => new Database(file) }) : sqlite(file));
    return { store: store(), another: store, done: () => rmSync(folder, { recursive: true, force: true }) };
  },
);

let failed = 0;
for (const { name, run } of tests) {
  try {
    await run();
  } catch (error) {
    failed += 1;
    console.error(`${name}\n${error.stack ?? error}`);
  }
}
console.log(`${tests.length - failed} of ${tests.length} passed`);
process.exitCode = failed === 0 ? 0 : 1;
