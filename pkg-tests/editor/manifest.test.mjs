// What the extension says about itself.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const root = resolve(import.meta.dirname, "../..");
const extension = join(root, "editors/vscode");
const textOf = (path) => readFileSync(join(extension, path), "utf8");
const manifest = JSON.parse(textOf("package.json"));
const { contributes } = manifest;
const filesOf = () => createRequire(join(extension, "package.json"))("@vscode/vsce").listFiles({ cwd: extension, dependencies: false });

test("only its own files, its debugger and its commands activate it", () => {
  const events = manifest.activationEvents;
  assert.deepEqual(
    events.filter((event) => !/^workspaceContains:\*\*\/\*\.(asl\.json|asl\.yaml|stepglass\.yaml)$|^onDebugResolve:stepglass$/.test(event)),
    [],
  );
});

test("the settings in README are those of the manifest, with their defaults", () => {
  const rows = [...textOf("README.md").matchAll(/^\| `(stepglass\.[\w.]+)` \| .+ \| (.+) \|$/gm)].map(([, name, by]) => [
    name,
    by.replaceAll("`", ""),
  ]);
  const settings = Object.entries(contributes.configuration.properties).map(([name, { default: by }]) => [
    name,
    by === null ? "none" : typeof by === "object" ? JSON.stringify(by) : String(by),
  ]);
  assert.deepEqual(rows, settings);
});

test("launch.json completes every argument that the adapter reads", () => {
  const source = readFileSync(join(root, "js/debugger/dap/launch.ts"), "utf8");
  const [, table] = /const ARGUMENTS.* = \{\n([^]*?)\n\};/.exec(source);
  const known = [...table.matchAll(/^ {2}(\w+): \[/gm)].map(([, name]) => name);
  assert.ok(known.includes("definition"));
  const { launch, attach } = contributes.debuggers[0].configurationAttributes;
  // The editor itself sets noDebug.
  const described = [...Object.keys(launch.properties), ...Object.keys(attach.properties), "noDebug"];
  assert.deepEqual([...new Set(described)].sort(), known.sort());
});

test("the package has what it names, its licences, and no more than 2.5 MiB", async () => {
  const files = await filesOf();
  const named = [
    manifest.main,
    manifest.browser,
    manifest.icon,
    ...contributes.languages.map(({ configuration }) => configuration),
    ...contributes.grammars.map(({ path }) => path),
    ...contributes.jsonValidation.map(({ url }) => url),
    ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.markdown)),
    ...["server.js", "server-worker.js", "graph.js", "graph.css", "debugger-worker.js", "stepglass.wasm"].map((name) => `dist/${name}`),
    ...["LICENSE", "dist/LICENSE-MIT", "dist/LICENSE-APACHE", "dist/THIRD-PARTY.txt", "README.md", "CHANGELOG.md"],
  ];
  for (const name of named) assert.ok(files.includes(name.replace(/^\.\//, "")), `${name} is not in the package`);
  assert.deepEqual(
    files.filter((name) => /\.node$|^src\/|^node_modules\/|\.map$/.test(name)),
    [],
  );
  const size = files.map((name) => gzipSync(readFileSync(join(extension, name))).length).reduce((sum, one) => sum + one, 0);
  assert.ok(size < 2.5 * 1024 * 1024, `${size} bytes`);
});

test("the notices name every npm package in the bundles", () => {
  const notices = textOf("dist/THIRD-PARTY.txt");
  for (const name of ["vscode-languageclient", "vscode-languageserver-protocol", "vscode-jsonrpc", "yaml"])
    assert.match(notices, new RegExp(`^${name} \\d`, "m"));
});

test("nothing is sent anywhere: no telemetry, and no address but that of stepglass serve", () => {
  assert.ok(
    !Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).some((name) => /telemetry|applicationinsights|1ds/.test(name)),
  );
  assert.equal(existsSync(join(extension, "telemetry.json")), false);
  assert.doesNotMatch(textOf("dist/extension-web.js"), /createTelemetryLogger|sendTelemetryEvent/);
});

test("folders that are not trusted, or not on a disk, are declared with what is missing there", () => {
  const { untrustedWorkspaces, virtualWorkspaces } = manifest.capabilities;
  assert.deepEqual([untrustedWorkspaces.supported, virtualWorkspaces.supported], ["limited", "limited"]);
  assert.match(untrustedWorkspaces.description, /task handlers/);
});
