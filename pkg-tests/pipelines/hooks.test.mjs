// The hooks of .pre-commit-hooks.yaml, run by pre-commit itself in a git repository.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { preCommit } from "../../scripts/pipelines.mjs";
import { output } from "../../scripts/steps.mjs";
import { projectWith, root, run } from "./project.mjs";

const { bin, reason } = preCommit({ install: false });
const skip = reason ?? (output("git", ["--version"]) === undefined ? "there is no git" : false);
const home = mkdtempSync(join(tmpdir(), "stepglass-"));
after(() => rmSync(home, { recursive: true, force: true }));

const env = {
  PATH: `${bin}${delimiter}${process.env.PATH}`,
  HOME: home,
  PRE_COMMIT_HOME: join(home, "pre-commit"),
  GIT_CONFIG_GLOBAL: join(home, "gitconfig"),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
  PRE_COMMIT_ALLOW_NO_CONFIG: undefined,
  GIT_DIR: undefined,
  GIT_INDEX_FILE: undefined,
  NO_COLOR: "1",
};
const git = (cwd, ...args) => run("git", args, { cwd, env });

/** Makes a folder a git repository with all files committed. Returns the commit's hash. */
async function repository(folder) {
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    ["commit", "--quiet", "--no-verify", "-m", "first"],
  ]) {
    const { code, stderr } = await git(folder, ...args);
    assert.equal(code, 0, `git ${args.join(" ")}: ${stderr}`);
  }
  return (await git(folder, "rev-parse", "HEAD")).stdout.trim();
}

const good = { StartAt: "A", States: { A: { Type: "Pass", End: true } } };
const bad = { StartAt: "A", States: { A: { Type: "Pass", Next: "Nowhere" } } };
const tests = "definition: ../order.asl.json\ntests:\n  - name: it ends\n    expect: { status: SUCCEEDED }\n";

test("pre-commit runs the hooks on the files of a commit", { skip }, async () => {
  const hooks = join(home, "stepglass");
  mkdirSync(hooks);
  copyFileSync(join(root, ".pre-commit-hooks.yaml"), join(hooks, ".pre-commit-hooks.yaml"));
  const rev = await repository(hooks);
  const folder = projectWith({
    ".gitignore": "node_modules\n",
    "order.asl.json": good,
    "old.asl.json": bad,
    "tests/order.stepglass.yaml": tests,
    ".pre-commit-config.yaml": {
      repos: [{ repo: hooks, rev, hooks: [{ id: "stepglass-validate", args: ["--baseline", "known.json"] }, { id: "stepglass-test" }] }],
    },
  });
  const npx = process.platform === "win32" ? "npx.cmd" : "npx";
  const written = await run(npx, ["--no", "--", "stepglass", "validate", ".", "--baseline", "known.json", "--write-baseline"], {
    cwd: folder,
  });
  assert.equal(written.code, 0, written.stderr);
  await repository(folder);
  const installed = await run(join(bin, "pre-commit"), ["install"], { cwd: folder, env });
  assert.equal(installed.code, 0, installed.stderr);
  const commit = async (file, text) => {
    writeFileSync(join(folder, file), typeof text === "string" ? text : JSON.stringify(text, null, 2));
    await git(folder, "add", ".");
    return git(folder, "commit", "-m", file);
  };
  const nothing = await commit("notes.txt", "no machine");
  assert.equal(nothing.code, 0, nothing.stderr);
  assert.match(nothing.stderr + nothing.stdout, /validate state machines\.+\(no files to check\)Skipped/);

  const refused = await commit("order.asl.json", bad);
  assert.equal(refused.code, 1);
  const output = refused.stderr + refused.stdout;
  assert.match(output, /validate state machines\.+Failed/);
  assert.match(output, /error\[unknown-target\]: there is no state `Nowhere` here\n --> order\.asl\.json:6:\d+/);
  assert.match(output, /test state machines\.+Failed/);

  const passed = await commit("order.asl.json", { ...good, Comment: "mended" });
  assert.equal(passed.code, 0, passed.stderr);
  assert.match(passed.stderr + passed.stdout, /validate state machines\.+Passed\ntest state machines\.+Passed/);
  // A problem that is in the baseline does not fail the commit, even if its line has changed.
  const known = await commit("old.asl.json", { Comment: "a line before", ...bad });
  assert.equal(known.code, 0, known.stderr);
});
