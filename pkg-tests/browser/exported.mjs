// What the page hands out as a test, run as anybody would run it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Runs the texts of tests in a project that has the package installed; what the runner prints. */
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
    // Many of them in one process: to begin one takes longer than what most do.
    const run = files.length > 1 && runner !== "vitest" ? ["all.test.mjs"] : files;
    if (run !== files) writeFileSync(join(folder, run[0]), files.map((file) => `import "./${file}";\n`).join(""));
    // Inside of a test run, the runner would report to that one.
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
