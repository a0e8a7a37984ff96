// What is published: the manifest and the pages name the repository, and without its address nothing is published.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { root, runNpm } from "./tarball.mjs";

const REPOSITORY = "https://example.org/somebody/stepglass";
const release = (...args) =>
  spawnSync(process.execPath, [join(root, "scripts/release.mjs"), ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, STEPGLASS_REPOSITORY: undefined },
  });

test("publishing without the repository's address stops with the reason", () => {
  for (const [args, reason] of [
    [[], /where is the repository\?[^]*--repository[^]*STEPGLASS_REPOSITORY/],
    [["--repository", "git@example.org:somebody/stepglass.git"], /must be the https address/],
    [["--refuse"], /`npm publish` does not know where the repository is/],
  ]) {
    const { status, stderr } = release(...args);
    assert.equal(status, 1);
    assert.match(stderr, reason);
    assert.match(stderr, /npm run release -- --repository https:/);
  }
  assert.throws(() => runNpm(["run", "prepublishOnly"], root), /does not know where the repository is/);
});

test("manifest, links and pictures of the tarball point to the repository", () => {
  const { status, stdout, stderr } = release("--repository", REPOSITORY, "--dry-run");
  assert.equal(status, 0, stderr);
  const tarball = stdout.trim();
  const folder = dirname(tarball);
  try {
    const read = (file) => execFileSync("tar", ["-xzOf", tarball, `package/${file}`], { cwd: folder, encoding: "utf8" });
    const { repository, homepage, bugs, version, scripts } = JSON.parse(read("package.json"));
    assert.deepEqual([repository.url, homepage, bugs.url], [`git+${REPOSITORY}.git`, `${REPOSITORY}#readme`, `${REPOSITORY}/issues`]);
    assert.equal(scripts.prepublishOnly, undefined);
    let pictures = 0;
    for (const file of ["README.md", "CHANGELOG.md"]) {
      const text = read(file).replace(/^```[^]*?^```|`[^`\n]+`/gm, "");
      const targets = [
        ...text.matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)/g),
        ...text.matchAll(/<(img|a|source)\b[^>]*\b(?:src|href|srcset)="([^"]+)/g),
      ];
      assert.ok(targets.length > 0, file);
      for (const [, mark, target] of targets) {
        assert.match(target, /^(https:\/\/|#)/, `${file}: ${target}`);
        const [, kind, path] = new RegExp(`^${REPOSITORY}/(blob|raw)/v${version.replaceAll(".", "\\.")}/([^#]+)`).exec(target) ?? [];
        if (path === undefined) continue;
        assert.ok(existsSync(join(root, path)), `${file}: there is no ${path}`);
        const picture = /\.(png|webp|svg|jpg)$/.test(path) && mark !== "" && mark !== "a";
        assert.equal(kind, picture ? "raw" : "blob", target);
        if (picture) pictures += 1;
      }
    }
    assert.ok(pictures > 3);
    // The repository's own files are not changed.
    assert.equal(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).repository, undefined);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
