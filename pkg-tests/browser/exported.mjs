// Runs a test that the page exports, as its user would.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Runs test files in a project that has the package installed, and returns what the runner prints. */
export function runTest(texts, runner = "node:test") {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-test-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    const root = resolve(import.meta.dirname, "../..");
    symlinkSync(root, join(folder, "node_modules/stepglass"), "junction");
    symlinkSync(join(root, "node_modules/vitest"), join(folder, "node_modules/vitest"), "junction");
    const files = [texts].flat().map((text, i) => {
      writeFileSync(join(folder, `run${i}.test.mjs`), text);
      return `run${i}.test.mjs`;
    });
    // Several files run in one process, because starting it takes longer than most of the tests.
    const run = files.length > 1 && runner !== "vitest" ? ["all.test.mjs"] : files;
    if (run !== files) writeFileSync(join(folder, run[0]), files.map((file) => `import "./${file}";\n`).join(""));
    // Without this, the runner would report to the test run that it is started from.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args =
      runner === "vitest"
        ? [join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", "."]
        : ["--test", "--test-reporter=spec", ...run];
    return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
