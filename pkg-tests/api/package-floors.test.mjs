// The wings and folders of the package's sources: each imports only from those below it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { posix, resolve } from "node:path";
import { describe, test } from "node:test";
import { cellsOf, circlesOf, importsOf, modulesIn, namesIn, upwards } from "../floors.mjs";

const source = resolve(import.meta.dirname, "../../js");

/** The wings, and for each what it imports from. A wing comes after those that it imports from. */
const WINGS = new Map([
  ["core", []],
  ["language", ["core"]],
  ["testing", ["core", "language"]],
  ["debugger", ["core", "language", "testing"]],
  ["runtime", ["core"]],
  ["aws", ["core"]],
  ["server", ["core", "language", "testing", "runtime"]],
  ["entries", ["core", "language", "testing", "debugger", "runtime", "aws", "server"]],
  ["cli", ["core", "language", "testing", "debugger", "runtime", "aws", "server", "entries"]],
]);

/**
 * The folders of the wings that have some, from the lowest floor up. Folders of one floor do not import each other. Modules outside of
 * folders are above them all.
 */
const FOLDERS = new Map([
  ["core", [["api"], ["base"], ["border"], ["tasks", "history", "integrations"], ["driver", "definition"], ["execution"]]],
  ["language", [["sources"], ["files", "convert", "types", "policy"]]],
  ["testing", [["coverage", "mocks"], ["kit"]]],
  ["debugger", [["debug"], ["dap"]]],
  ["runtime", [["store"], ["durable", "pool"], ["restate", "host-tests"]]],
  ["server", [["protocol"], ["storage"], ["executions"], ["operations", "pages"]]],
]);

/** The entries of the command, which is built on the entry for Node. */
const OF_COMMAND = ["entries/cli.ts", "entries/command.ts"];
const wingOf = (name) => (OF_COMMAND.includes(name) ? "cli" : name.slice(0, Math.max(name.indexOf("/"), 0)));
const folderOf = (name) => name.split("/").slice(1, -1)[0] ?? "";

const skip = existsSync(source) ? false : "the sources are not here";
const modules = skip ? [] : modulesIn(source);

/** The imports of a module from wings that its own does not import from. */
const outside = (module) =>
  importsOf(module)
    .filter((to) => wingOf(to) !== wingOf(module.name) && !WINGS.get(wingOf(module.name)).includes(wingOf(to)))
    .map((to) => `${module.name} → ${to}`);

/** The imports of a module that lead upwards within its wing. */
const upwardsInWing = (module) =>
  upwards(module, [...(FOLDERS.get(wingOf(module.name)) ?? []), [""]], folderOf).filter(
    (line) => wingOf(line.split(" → ")[1]) === wingOf(module.name) && FOLDERS.has(wingOf(module.name)),
  );

describe("the wings of the package", { skip }, () => {
  test("are all there, each above those that it imports from", () => {
    assert.deepEqual([...new Set(modules.map(({ name }) => wingOf(name)))].sort(), [...WINGS.keys()].sort());
    const wings = [...WINGS.keys()];
    for (const [wing, below] of WINGS) for (const one of below) assert.ok(wings.indexOf(one) < wings.indexOf(wing), `${wing} → ${one}`);
  });

  test("have the folders that are named, and a README", () => {
    for (const [wing, floors] of FOLDERS)
      assert.deepEqual(
        [...new Set(modules.filter(({ name }) => wingOf(name) === wing && folderOf(name) !== "").map(({ name }) => folderOf(name)))].sort(),
        floors.flat().sort(),
        wing,
      );
    assert.deepEqual(
      [...WINGS.keys()].filter((wing) => !existsSync(resolve(source, wing, "README.md"))),
      [],
    );
  });

  test("are the rows of ARCHITECTURE.md", () => {
    const rows = cellsOf("ARCHITECTURE.md", "The wings of `js` are floors too").map(([wing, imports, folders]) => [
      namesIn(wing)[0],
      namesIn(imports),
      folders.trim() === "" ? [] : folders.split("<").map((floor) => namesIn(floor).sort()),
    ]);
    assert.deepEqual(
      rows,
      [...WINGS].map(([wing, imports]) => [wing, imports, (FOLDERS.get(wing) ?? []).map((floor) => floor.toSorted())]),
    );
  });

  test("import only from the wings that they may import from, and downwards in their own", () => {
    assert.deepEqual(modules.flatMap(outside), []);
    assert.deepEqual(modules.flatMap(upwardsInWing), []);
  });

  test("are described by modules that exist", () => {
    const root = resolve(source, "..");
    const folders = ["js", "src", "www/src", "scripts", "tests", "xtask/src", "examples", "editors/vscode/src"];
    const files = folders
      .filter((folder) => existsSync(resolve(root, folder)))
      .flatMap((folder) =>
        readdirSync(resolve(root, folder), { recursive: true }).map((name) => `/${folder}/${name.replaceAll("\\", "/")}`),
      );
    const documents = [
      "ARCHITECTURE.md",
      "js/ARCHITECTURE.md",
      "docs/contributing/finding-your-way.md",
      ...[...WINGS.keys()].map((wing) => `js/${wing}/README.md`),
    ];
    const gone = documents.flatMap((document) =>
      [...readFileSync(resolve(root, document), "utf8").matchAll(/`(?:\.\.\/)*([\w./-]+\.(?:tsx?|rs|mjs))`/g)]
        .filter(([, name]) => !existsSync(resolve(root, name)) && !files.some((file) => file.endsWith(`/${name}`)))
        .map(([, name]) => `${document}: ${name}`),
    );
    assert.deepEqual(gone, []);
  });

  test("need nothing of Node where they run in browsers", () => {
    assert.deepEqual(
      modules
        .filter(({ name, text }) => ["core", "debugger"].includes(wingOf(name)) && /^(?:import|export) .*"node:/m.test(text))
        .filter(({ name }) => !name.startsWith("core/api/"))
        .map(({ name }) => name),
      [],
    );
  });

  test("import each other in no circle, not of types either", () => {
    assert.deepEqual(circlesOf(modules), []);
    const circle = { "a.ts": "./b.ts", "b.ts": "./c.ts", "c.ts": "./b.ts" };
    const written = Object.entries(circle).map(([name, to]) => ({ name, text: `import type { X } from "${to}";` }));
    assert.deepEqual(circlesOf(written), [["b.ts", "c.ts"]]);
  });

  test("are reported if they import what they may not", () => {
    const seen = (name, text) => [...outside({ name, text }), ...upwardsInWing({ name, text })];
    assert.deepEqual(seen("core/tasks/activity.ts", 'import { Driver } from "../driver/driver.ts";'), [
      "core/tasks/activity.ts → core/driver/driver.ts",
    ]);
    assert.deepEqual(seen("core/tasks/activity.ts", 'import { x } from "../history/calls.ts";'), [
      "core/tasks/activity.ts → core/history/calls.ts",
    ]);
    assert.deepEqual(seen("runtime/store/memory.ts", 'const { x } = await import("../../testing/mocks/file.ts");'), [
      "runtime/store/memory.ts → testing/mocks/file.ts",
    ]);
    assert.deepEqual(seen("server/protocol/arn.ts", 'import type { Service } from "../service.ts";'), [
      "server/protocol/arn.ts → server/service.ts",
    ]);
    assert.deepEqual(seen("entries/index.ts", 'import { a } from "../cli/run.ts";'), ["entries/index.ts → cli/run.ts"]);
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
    assert.ok(needed.includes("debugger/debug/player.ts") && needed.includes("core/border/engine.ts"), needed.join(", "));
    assert.deepEqual(
      needed.filter((name) =>
        /^core\/execution\/|^debugger\/debug\/(?:session|program|children|arguments|saving)\.|^core\/border\/(?:history-engine|archive)\./.test(
          name,
        ),
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
