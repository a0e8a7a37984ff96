// The page's folders and signals: a folder imports only from those below it, and each signal has one owner.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { describe, test } from "node:test";
import { circlesOf, modulesIn, rowsOf, upwards as upwardsOn } from "../floors.mjs";

const source = resolve(import.meta.dirname, "../../www/src");
/** From the lowest floor up. Folders of one floor do not import from each other. "src" are the files of `src` itself. */
const FLOORS = [
  ["model"],
  ["examples", "src", "ui"],
  ["keys", "store", "worker"],
  ["editor", "values", "graph-editor"],
  ["console", "debugger", "embed"],
  ["graph"],
  ["exchange"],
  ["commands", "panes"],
  ["editing"],
  ["forms", "projects"],
  ["dialogs", "tour"],
  ["shell"],
  ["page"],
];
const STORE = [
  "workspace",
  "execution",
  "panes",
  "notifications",
  "interpreter",
  "selection",
  "analysis",
  "insideLayout",
  "playback",
  "inside",
  "runner",
  "opening",
  "recordings",
];

const folderOf = (name) => (name.includes("/") ? name.slice(0, name.indexOf("/")) : /^(main|page)\.tsx$/.test(name) ? "page" : "src");

/** Returns the imports of a module that do not lead to a lower floor. */
const upwards = (module) => upwardsOn(module, FLOORS, folderOf);

/** Returns what a module imports from the modules of the store: `[module, [name, …]]`; a namespace is `* as name`. */
const imports = (text) =>
  [...text.matchAll(/import (?:type )?(\* as \w+|\{[^}]*\}) from "(?:\.\.?\/)+(?:store\/)?(\w+)\.ts"/g)]
    .filter(([, , file]) => STORE.includes(file))
    .map(([, names, file]) => [file, names]);

/** Returns where a module writes a signal that it imports from the store. */
export function writes(text) {
  return imports(text).flatMap(([file, names]) => {
    const [, namespace] = /^\* as (\w+)$/.exec(names) ?? [];
    const signals = namespace
      ? [`${namespace}\\.\\w+`]
      : names
          .slice(1, -1)
          .split(",")
          .map((name) => name.trim().split(" as ").at(-1))
          .filter((name) => /^\w+$/.test(name));
    return signals.flatMap((signal) =>
      [...text.matchAll(new RegExp(`(?<![\\w.])${signal}\\.value\\s*(?:[-+*/&|?]{0,2}=(?![=>])|\\+\\+|--)`, "g"))].map(
        ([found]) => `${found} (${file})`,
      ),
    );
  });
}

const skip = existsSync(source) ? false : "the package has no sources of the page";
const modules = skip ? [] : modulesIn(source);

describe("the page's folders", { skip }, () => {
  test("have no other modules that import each other in a circle, not of types either, than these two", () => {
    // Each of them is loaded on demand by a module that it imports.
    assert.deepEqual(circlesOf(modules), [
      ["exchange/executions.ts", "exchange/persistence.ts", "exchange/unfinished.ts"],
      ["embed/answerForms.ts", "embed/element.ts", "embed/exported.ts", "embed/recording.ts"],
    ]);
  });

  test("are all on a floor", () => {
    assert.deepEqual(
      [...new Set(modules.map(({ name }) => folderOf(name)))].filter((folder) => !FLOORS.flat().includes(folder)),
      [],
    );
  });

  test("are the rows of www/ARCHITECTURE.md", () => {
    const rows = rowsOf("www/ARCHITECTURE.md", "The folders of `www/src` are floors");
    const named = (floor) => [...floor].sort();
    assert.deepEqual(
      rows.map((row) => row.sort()),
      FLOORS.filter(([folder]) => folder !== "page").map(named),
    );
  });

  test("import downwards only", () => {
    assert.deepEqual(modules.flatMap(upwards), []);
  });

  test("of the graph editor use no store, and its kernel no page", () => {
    const editor = modules.filter(({ name }) => name.startsWith("graph-editor/"));
    const imported = editor.flatMap(({ name, text }) =>
      [...text.matchAll(/from "((?:\.\.\/)+[\w/-]+)/g)].map(([, to]) => `${name} ${to.replaceAll("../", "")}`),
    );
    assert.deepEqual(
      imported.filter((one) => !/ (model|ui|keys|kernel|patterns|js\/\w+)\//.test(one)),
      [],
    );
    const page = /\b(document|window|navigator|addEventListener|HTMLElement|SVG\w*Element|(?:Pointer|Keyboard|Mouse)Event)\b/;
    const kernel = editor.filter(({ name }) => name.startsWith("graph-editor/kernel/"));
    assert.ok(kernel.length > 5);
    // Comments may speak of the window and the document.
    const code = (text) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    assert.deepEqual(
      kernel.filter(({ text }) => page.test(code(text))).map(({ name }) => name),
      [],
    );
  });

  test("are reported if they import upwards", () => {
    assert.deepEqual(upwards({ name: "ui/Icon.tsx", text: 'import { run } from "../store/execution.ts";' }), [
      "ui/Icon.tsx → store/execution.ts",
    ]);
    assert.deepEqual(upwards({ name: "store/runner.ts", text: 'void import("../debugger/session.ts");' }), [
      "store/runner.ts → debugger/session.ts",
    ]);
    assert.deepEqual(upwards({ name: "editor/marks.ts", text: 'import { a } from "../values/diff.ts";' }), [
      "editor/marks.ts → values/diff.ts",
    ]);
    assert.deepEqual(upwards({ name: "graph/Card.tsx", text: 'import * as prefs from "../prefs.ts";\nimport { b } from "./lod.ts";' }), []);
  });
});

describe("the modules of the page's store", { skip }, () => {
  const isStore = ({ name }) => relative("store", name) === basename(name);

  test("are all listed, in the order of their imports", () => {
    const stored = modules.filter(isStore);
    assert.deepEqual(stored.map(({ name }) => basename(name, ".ts")).sort(), [...STORE].sort());
    for (const { name, text } of stored) {
      const place = STORE.indexOf(basename(name, ".ts"));
      assert.deepEqual(
        imports(text).filter(([file]) => STORE.indexOf(file) >= place),
        [],
        name,
      );
    }
  });

  test("are the only ones that write their signals", () => {
    for (const module of modules.filter((one) => !isStore(one))) assert.deepEqual(writes(module.text), [], module.name);
  });

  test("are reported if another module writes", () => {
    assert.equal(
      writes('import * as panes from "../store/panes.ts";\npanes.dialog.value = "help";\nif (panes.dialog.value === "help") {}').length,
      1,
    );
    assert.equal(writes('import { live, type Origin } from "../store/playback.ts";\nlive.value = true;\nalive.value = 1;').length, 1);
    assert.equal(
      writes('import * as workspace from "./store/workspace.ts";\nworkspace.generation.value += 1;\nworkspace.seed.value++;').length,
      2,
    );
  });
});
