// Runs the browser tests in groups of files. There are as many concurrent groups as the machine has cores, and each is a process
// with one browser.
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { RESULT } from "./files-reporter.mjs";
import { root } from "./steps.mjs";

const NONE = { passed: 0, failed: 0, skipped: 0 };

/**
 * Runs test files in groups. A file that fails does not run again: a test that passes only sometimes hides a fault, of the page or
 * of the test.
 *
 * `run(command, show)` runs a command whose output goes to `show`; `say` prints. Resolves to `{ ok, counts, failures }`.
 */
export async function runBrowserFiles(files, { say, run }) {
  const results = new Map();
  const width = Math.max(1, Math.min(4, availableParallelism(), files.length));
  const groups = groupsOf(files, Math.min(4 * width, files.length));
  const worker = async () => {
    for (let group; (group = groups.shift()) !== undefined;) await runGroup(group);
  };
  await Promise.all(Array.from({ length: width }, worker));
  say("\n");
  for (const [file, { ok, seconds }] of [...results].sort())
    say(`${ok ? "ok    " : "FAILED"}${seconds.toFixed(1).padStart(7)} s  ${file}\n`);
  const counts = { ...NONE };
  for (const result of results.values()) for (const kind of Object.keys(counts)) counts[kind] += result.counts[kind];
  const failures = [...results].flatMap(([file, result]) => (result.ok ? [] : result.failures.map((name) => `${file} ${name}`)));
  return { ok: failures.length === 0, counts, failures };

  async function runGroup(group) {
    const found = new Map();
    let rest = "";
    let shown = "";
    const show = (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith(RESULT)) take(JSON.parse(line.slice(RESULT.length)));
        else shown += `${line}\n`;
      }
    };
    const take = ({ file, ok, seconds, counts, failures }) => {
      const name = group.find((name) => resolve(root, name) === file) ?? group.at(-1);
      say(`\n${name}\n${shown.trimEnd()}\n`);
      shown = "";
      // A file may have several suites.
      const sum = found.get(name) ?? { ok: true, seconds: 0, counts: { ...NONE }, failures: [] };
      for (const kind of Object.keys(counts)) sum.counts[kind] += counts[kind];
      found.set(name, { ...sum, ok: sum.ok && ok, seconds: sum.seconds + seconds, failures: [...sum.failures, ...failures] });
    };
    const command = [process.execPath, "--test-reporter=./scripts/files-reporter.mjs", "scripts/browser-files.mjs", ...group];
    const { ok } = await run(command, show);
    if (shown.trim() !== "" || rest !== "") say(`\n${shown}${rest}\n`);
    const lost = { ok: false, seconds: 0, counts: { ...NONE, failed: 1 }, failures: ["did not run to its end"] };
    // A failure outside of any test cannot be assigned to a file, so it counts for all files of the group.
    const outside = !ok && group.every((file) => found.get(file)?.ok);
    for (const file of group) results.set(file, outside ? lost : (found.get(file) ?? lost));
  }
}

/**
 * Returns groups of about equal size in bytes, the largest first. The size is a rough estimate of the time, good enough to use all
 * cores.
 */
function groupsOf(files, count) {
  const groups = Array.from({ length: count }, () => ({ size: 0, files: [] }));
  for (const [file, size] of files.map((file) => [file, statSync(join(root, file)).size]).sort(([, a], [, b]) => b - a)) {
    const group = groups.reduce((least, other) => (other.size < least.size ? other : least));
    group.size += size;
    group.files.push(file);
  }
  return groups.sort((a, b) => b.size - a.size).map(({ files }) => files);
}
