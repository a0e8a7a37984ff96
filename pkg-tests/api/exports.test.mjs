// Every export is imported by another module. An export that no other module names is private, or dead.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "../..");
const FOLDERS = ["js", "www", "scripts", "benches", "pkg-tests", "editors"];
/** Folders with the code of others, or with build results. */
const FOREIGN = new Set(["node_modules", "dist", ".cache", ".venv"]);
/**
 * Exports that are used from outside: the package's public interface, replacements of other packages' modules, what the compiler
 * reads, handlers that a pool finds by name, and what an editor calls.
 */
const FOR_OTHERS = [
  /^js\/(?:core\/api|entries)\//,
  /^js\/cli\/mcp\/no-schemas\.ts$/,
  /^pkg-tests\/(?:types|projects)\//,
  // VS Code calls these, and these replace modules of Node.
  /^editors\/vscode\/src\/(?:desktop|web|shims\/\w+)\.ts$/,
  /^pkg-tests\/api\/pool\.test\.mjs$/,
];
const EXPORTED = /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;

const namesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? (FOREIGN.has(entry.name) ? [] : namesIn(`${folder}/${entry.name}`)) : [`${folder}/${entry.name}`],
  );
const modules = FOLDERS.flatMap(namesIn)
  .filter((name) => /\.(?:ts|tsx|mjs|js|cjs)$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

/** Returns `module: name` of every export that no other module names. */
function unused(all) {
  const naming = new Map();
  for (const { text } of all) for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) naming.set(word, (naming.get(word) ?? 0) + 1);
  return all
    .filter(({ name }) => !FOR_OTHERS.some((one) => one.test(name)))
    .flatMap(({ name, text }) => [...text.matchAll(EXPORTED)].map(([, exported]) => ({ name, exported })))
    .filter(({ exported }) => naming.get(exported) === 1)
    .map(({ name, exported }) => `${name}: ${exported}`);
}

test("every export is named by another module", () => {
  assert.ok(modules.length > 800, `${modules.length} modules`);
  assert.deepEqual(unused(modules), []);
});

test("an export that nobody imports is found", () => {
  const written = [
    { name: "js/a.ts", text: "export const used = 1;\nexport function alone() {}\nalone();\n" },
    { name: "js/b.ts", text: 'import { used } from "./a.ts";\n' },
  ];
  assert.deepEqual(unused(written), ["js/a.ts: alone"]);
});
