// The entry for browsers has the module in two files, of which the first runs machines. This test runs it in Node, which reads
// files instead of requesting them; pkg-tests/packed runs it in browsers.
import assert from "node:assert/strict";
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { build } from "esbuild";
import { copyForBrowsers, folderForBrowsers } from "../browsers-copy.mjs";
import { pathToFileURL } from "node:url";

const machine = { StartAt: "A", States: { A: { Type: "Pass", End: true } } };
const state = JSON.stringify({ Type: "Pass", End: true });
const started = (stepglass) => new stepglass.StateMachine(machine).start(1, { clock: "virtual" });

/** A call of each export that uses the module. */
const USES = {
  complete: ({ complete }) => complete(JSON.stringify(machine), 20),
  compare: ({ compare }) => compare(machine, { ...machine, Comment: "" }),
  language: ({ language }) => language.hover(JSON.stringify(machine), 5),
  layout: ({ layout }) => layout(machine),
  renderDiagnostics: ({ renderDiagnostics }) => renderDiagnostics('{"StartAt": 1}'),
  renderMermaid: ({ renderMermaid }) => renderMermaid(machine),
  renderSvg: ({ renderSvg }) => renderSvg(machine),
  replayHistory: async (stepglass) => {
    const execution = started(stepglass);
    await execution.result;
    stepglass.replayHistory(machine, execution.history());
  },
  simulate: ({ simulate }) => simulate(machine),
  testState: ({ testState }) => testState({ definition: state, input: "{}" }),
  validate: ({ validate }) => validate(machine),
  version: ({ version }) => version(),
  Engine: ({ Engine, StateMachine }) => new Engine(new StateMachine(machine)).start(0, 1, {}, 0),
  StateMachine: (stepglass) => started(stepglass).result,
};
/** Exports that need more than the first file: importing them makes `init()` load both. */
const OF_REST = ["complete", "language", "layout", "renderMermaid", "renderSvg", "replayHistory", "simulate", "testState"];

test("running machines needs only the first file", async () => {
  const stepglass = await copyForBrowsers();
  try {
    rmSync(join(stepglass.folder, "stepglass-rest.wasm"));
    await stepglass.init({ parts: "first" });
    for (const [name, use] of Object.entries(USES)) if (!OF_REST.includes(name)) await use(stepglass);
    await assert.rejects(stepglass.init({ parts: "half" }), { code: "INVALID_OPTION", message: /"first" or "all", not "half"/ });
  } finally {
    stepglass.remove();
  }
});

test("every other call loads the rest, or says what is missing", async () => {
  const stepglass = await copyForBrowsers();
  try {
    await stepglass.init({ parts: "first" });
    const [there, away] = ["stepglass-rest.wasm", "away.wasm"].map((name) => join(stepglass.folder, name));
    renameSync(there, away);
    assert.throws(
      () => stepglass.layout(machine),
      (error) => /rest of the interpreter could not be loaded/.test(`${error.message} ${error.cause?.message}`),
    );
    // The machine that was created before still works.
    assert.equal(await started(stepglass).result.then(({ output }) => output), 1);
    renameSync(away, there);
    for (const name of OF_REST) await USES[name](stepglass);
  } finally {
    stepglass.remove();
  }
});

test("init() loads both files for programs that use everything, and fails if one is missing", async () => {
  const stepglass = await copyForBrowsers();
  const rest = join(stepglass.folder, "stepglass-rest.wasm");
  try {
    renameSync(rest, `${rest}.away`);
    await assert.rejects(stepglass.init(), { code: "LOAD_FAILED", message: /rest of the interpreter/ });
    renameSync(`${rest}.away`, rest);
    await stepglass.init();
    rmSync(rest);
    assert.ok(stepglass.layout(machine).nodes.length > 0);
  } finally {
    stepglass.remove();
  }
});

test("so does the module in one file, copied manually", async () => {
  const stepglass = await copyForBrowsers(["stepglass.wasm"]);
  try {
    await stepglass.init();
    assert.ok(stepglass.layout(machine).nodes.length > 0);
  } finally {
    stepglass.remove();
  }
});

test("the first file, loaded manually, says that it is one of two", async () => {
  const { initSync, layout } = await import("../../dist/slim.js");
  initSync(readFileSync(new URL(import.meta.resolve("stepglass/stepglass-first.wasm"))));
  assert.throws(
    () => layout(machine),
    (error) => /load stepglass\.wasm/.test(`${error.message} ${error.cause?.message}`),
  );
});

describe("init() of a bundle loads what its program imports", () => {
  for (const [name, ...asked] of [["StateMachine", "first"], ["validate", "first"], ...OF_REST.map((one) => [one, "first", "rest"])]) {
    test(name, async () => {
      const folder = folderForBrowsers();
      try {
        const program = join(folder, "program.js");
        writeFileSync(program, `import { init, ${name} } from "./web.js";\nexport const used = ${name};\nexport { init };`);
        const bundle = join(folder, "out", "bundle.mjs");
        await build({ entryPoints: [program], outfile: bundle, bundle: true, format: "esm", platform: "browser", logLevel: "error" });
        for (const part of asked) cpSync(join(folder, `stepglass-${part}.wasm`), join(folder, "out", `stepglass-${part}.wasm`));
        const { init } = await import(pathToFileURL(bundle).href);
        await init();
        if (asked.length === 1) return;
        const other = join(folder, "other.mjs");
        cpSync(bundle, other);
        cpSync(join(folder, "out/stepglass-first.wasm"), join(folder, "stepglass-first.wasm"));
        rmSync(join(folder, "stepglass-rest.wasm"));
        await assert.rejects((await import(pathToFileURL(other).href)).init(), { code: "LOAD_FAILED" });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
