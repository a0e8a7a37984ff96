// The folders of the package's sources: a folder imports only from folders on lower floors.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { posix, resolve } from "node:path";
import { describe, test } from "node:test";
import { modulesIn, rowsOf, upwards } from "../floors.mjs";

const source = resolve(import.meta.dirname, "../../js");
/** From the lowest floor up. Folders of one floor do not import from each other. ARCHITECTURE.md describes the folders. */
const FLOORS = [
  ["api"],
  ["base"],
  ["border"],
  ["tasks", "history", "integrations", "sources"],
  ["driver", "definition", "store"],
  ["execution"],
  ["convert", "coverage", "files", "types", "policy"],
  ["mocks"],
  ["aws", "debug", "testing", "durable", "pool"],
  ["restate", "host-tests", "dap"],
  ["server"],
  ["entries"],
  ["cli"],
  ["command"],
];

/** The command line uses the entry for Node, and is an entry itself. api/checked.ts compares the declarations with all entries. */
const ROOF = new Map([
  ["entries/cli.ts", "command"],
  ["entries/command.ts", "command"],
  ["api/checked.ts", "command"],
]);
const folderOf = (name) => ROOF.get(name) ?? name.slice(0, Math.max(name.indexOf("/"), 0));

const skip = existsSync(source) ? false : "the sources are not here";
const modules = skip ? [] : modulesIn(source);

describe("the folders of the package", { skip }, () => {
  test("are all on a floor", () => {
    assert.deepEqual(
      [...new Set(modules.map(({ name }) => folderOf(name)))].filter((folder) => !FLOORS.flat().includes(folder)),
      [],
    );
    assert.deepEqual(
      FLOORS.flat().filter((folder) => !modules.some(({ name }) => folderOf(name) === folder)),
      [],
    );
  });

  test("are the rows of ARCHITECTURE.md", () => {
    const rows = rowsOf("ARCHITECTURE.md", "The folders of `js` are floors too").map((row) =>
      row.filter((name) => !name.includes("/")).sort(),
    );
    assert.deepEqual(
      rows,
      FLOORS.filter(([folder]) => folder !== "command").map((floor) => floor.toSorted()),
    );
  });

  test("import downwards only", () => {
    assert.deepEqual(
      modules.flatMap((module) => upwards(module, FLOORS, folderOf)),
      [],
    );
  });

  test("are reported if they import upwards", () => {
    const seen = (name, text) => upwards({ name, text }, FLOORS, folderOf);
    assert.deepEqual(seen("tasks/activity.ts", 'import { Driver } from "../driver/driver.ts";'), ["tasks/activity.ts → driver/driver.ts"]);
    assert.deepEqual(seen("debug/session.ts", 'const { x } = await import("../testing/mocks.ts");'), [
      "debug/session.ts → testing/mocks.ts",
    ]);
    assert.deepEqual(seen("cli/run.ts", 'import { a } from "../entries/node.ts";\nimport { b } from "./help.ts";'), []);
  });
});

/** Returns the modules that a module needs at run time, and transitively those that they need, without imports of types. */
function needs(name, all, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const { text } = all.get(name);
  for (const [, names, path] of text.matchAll(/^(?:import|export) (?!type\b)(?:([^"]*?) from )?"(\.{1,2}\/[^"]+\.ts)";/gm)) {
    const values = /^\{([^}]*)\}$/
      .exec(names ?? "")?.[1]
      .split(",")
      .filter((one) => one.trim() !== "" && !one.trim().startsWith("type "));
    if (values?.length !== 0) needs(posix.join(posix.dirname(name), path), all, found);
  }
  return found;
}

describe("the stepping core", { skip }, () => {
  const all = new Map(modules.map((module) => [module.name, module]));

  test("starts no executions, and uses nothing of the session around it", () => {
    const needed = [...needs("entries/stepping.ts", all)];
    assert.ok(needed.includes("debug/player.ts") && needed.includes("border/engine.ts"), needed.join(", "));
    assert.deepEqual(
      needed.filter((name) =>
        /^execution\/|^debug\/(?:session|program|children|arguments|saving)\.|^border\/(?:history|archive)\./.test(name),
      ),
      [],
    );
  });

  test("is found to need what it imports", () => {
    const modules = {
      "a.ts": 'import { b } from "./b.ts";\nimport type { C } from "./c.ts";\nimport { type D } from "./d.ts";',
      "b.ts": 'export { e } from "./e.ts";',
      "c.ts": "",
      "d.ts": "",
      "e.ts": "",
    };
    assert.deepEqual(
      [...needs("a.ts", new Map(Object.entries(modules).map(([name, text]) => [name, { name, text }])))],
      ["a.ts", "b.ts", "e.ts"],
    );
  });
});
