// Every module of more than 400 lines is listed with a reason.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { modulesIn } from "../floors.mjs";

const root = resolve(import.meta.dirname, "../..");
const MOST = 400;

const skip = existsSync(join(root, "js")) ? false : "the sources are not here";

/** Returns `[module, reason]` for each row of the table in docs/contributing/testing.md. */
function named() {
  const [, section = ""] = readFileSync(join(root, "docs/contributing/testing.md"), "utf8").split("## Long modules");
  return [...section.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, module, reason]) => [module, reason.trim()]);
}

test("the table of docs/contributing/testing.md lists exactly the modules of more than 400 lines", { skip }, () => {
  const long = ["js", "www/src"].flatMap((folder) =>
    modulesIn(join(root, folder))
      .filter(({ name, text }) => !name.endsWith(".d.ts") && text.split("\n").length - 1 > MOST)
      .map(({ name }) => `${folder}/${name}`),
  );
  assert.deepEqual(
    named()
      .map(([module]) => module)
      .sort(),
    long.sort(),
  );
  assert.deepEqual(
    named().filter(([, reason]) => reason === ""),
    [],
  );
});
