// Every block of the README and the guides runs, in order, in an empty folder, with the package as npm packs it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Newcomer, STAND_INS, blocksOf } from "./documentation.mjs";
import { pack, root } from "./tarball.mjs";

// Generated pages: the type tests compile the declarations of api.md; its examples and those of command.md run in pkg-tests/api
// (examples-in-types.test.mjs, testing-docs.test.mjs, examples-in-help.test.mjs).
const GENERATED = ["api.md", "command.md", "errors.md"];
const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md") && !GENERATED.includes(name))
    .map((name) => `docs/${name}`),
].filter((page) => blocksOf(page).length > 0);

let packed;
let unpacked;
before(() => {
  packed = pack();
  unpacked = join(packed.folder, "stepglass");
  mkdirSync(unpacked);
  execFileSync("tar", ["-xzf", packed.path, "--strip-components=1", "-C", unpacked]);
});
after(() => packed?.remove());

const counts = { ran: 0, marked: 0, missing: 0 };

describe(
  "the code of the documentation",
  { concurrency: 2, skip: process.platform === "win32" && "its blocks are for a shell of POSIX" },
  () => {
    for (const page of pages) {
      test(page, async (t) => {
        const newcomer = await Newcomer.at(unpacked);
        t.after(() => newcomer.remove());
        const failures = [];
        for (const block of blocksOf(page)) {
          if (block.marked !== undefined) {
            counts.marked += 1;
            continue;
          }
          try {
            const told = await newcomer.perform(block);
            counts[told === "ran" ? "ran" : "missing"] += 1;
            if (told !== "ran") t.diagnostic(`${page}:${block.line}: not run here: ${told}`);
          } catch (error) {
            failures.push(`${page}:${block.line}: ${error.message}`);
          }
        }
        assert.equal(failures.length, 0, `\n${failures.join("\n\n")}`);
      });
    }
  },
);

test("lists what has run, and what was replaced", (t) => {
  t.diagnostic(`${counts.ran} blocks ran, ${counts.marked} are marked as not run, ${counts.missing} could not run on this machine`);
  for (const [name, what] of Object.entries(STAND_INS)) t.diagnostic(`stand-in: ${name}: ${what}`);
  assert.ok(process.platform === "win32" || counts.ran > 40, `only ${counts.ran} blocks ran`);
});
