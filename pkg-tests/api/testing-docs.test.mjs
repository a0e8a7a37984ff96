// The output that docs/testing.md shows is correct, and the guide is complete. Its code blocks are run by
// pkg-tests/packed/documentation.test.mjs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
// The folder is inside the package, so that `import "stepglass/testing"` resolves as in a user's project.
const folder = join(root, "pkg-tests/.cache/testing-docs");
const guide = readFileSync(join(root, "docs/testing.md"), "utf8");
const blocks = [...guide.matchAll(/(?:`([\w.-]+\.json)`[^\n]*:\n\n)?```(\w*)\n([^]*?)```/g)].map(([, name, language, text]) => ({
  language,
  text,
  name: name ?? /^(?:\/\/|# yaml-language-server[^\n]*\n#) ([\w.-]+)\n/.exec(text)?.[1],
}));
const files = blocks.filter(({ name }) => name !== undefined);
const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, NODE_TEST_CONTEXT: undefined };
const node = (...args) => spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env });

before(() => {
  mkdirSync(folder, { recursive: true });
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("the guide shows failures as they are printed", () => {
  const [assertion, property] = blocks
    .filter(({ language, text }) => language === "" && /^(AssertionError|PropertyError)/.test(text))
    .map(({ text }) => text);
  writeFileSync(
    join(folder, "failures.mjs"),
    `import { expectRun, property, returns, testMachine, throws } from "stepglass/testing";
    const run = await testMachine("order.asl.json").run({ order: 7 }, { mocks: { Charge: [throws("Declined"), returns({ amount: 120 })] } });
    try { expectRun(run).tookPath("Charge", "Enough", "Done"); } catch (error) { console.log("AssertionError: " + error.message); }
    const definition = { StartAt: "Charge", States: { Charge: { Type: "Task", Resource: "c", End: true } } };
    try { await property(definition, { seed: 1, check: (run) => { if (run.status === "FAILED") expectRun(run).failedWith("OrderRefused"); } }); } catch (error) { console.log("PropertyError: " + error.message); }`,
  );
  const { stdout } = node("failures.mjs");
  const [first, second] = stdout.split("\nPropertyError: ");
  assert.equal(first.trimEnd(), assertion.trimEnd());
  const shape = (text) =>
    text
      .split("\n\nWhat happened")[0]
      .replaceAll(/run \d+|in \d+ tries|seed: \d+/g, "N")
      .trimEnd();
  assert.equal(shape(`PropertyError: ${second}`), shape(property));
});

test("the coverage table in the guide is that of two tests", () => {
  const [table] = blocks.filter(({ language, text }) => language === "" && text.includes("transitions")).map(({ text }) => text);
  const { stdout } = node(join(root, "dist/cli.js"), "coverage", "--", process.execPath, "--test", "order.test.mjs");
  const from = stdout.indexOf("                  states");
  assert.equal(stdout.slice(from).trimEnd(), table.trimEnd());
});

test("the types of the matchers fit Vitest and Jest", () => {
  const [{ text }] = blocks.filter(({ language }) => language === "ts");
  const [, jest] = /`(declare module "expect" [^`]*)`/.exec(guide);
  writeFileSync(join(folder, "vitest.ts"), text);
  writeFileSync(
    join(folder, "jest.ts"),
    `import { matchers, testMachine, type RunMatchers } from "stepglass/testing";\nimport { expect } from "@jest/globals";\n${jest}\nexpect.extend(matchers);\nexpect(await testMachine("order.asl.json").run()).toTakePath("Charge");\n`,
  );
  for (const name of ["vitest", "jest"]) {
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          target: "es2022",
          module: "esnext",
          moduleResolution: "bundler",
          types: ["node"],
          noEmit: true,
          skipLibCheck: true,
        },
        files: [`${name}.ts`],
      }),
    );
    const { status, stdout } = node(join(root, "node_modules/typescript/bin/tsc"), "-p", ".");
    assert.equal(status, 0, `${name}: ${stdout}`);
  }
});

test("the guide names every expectation, option and field", () => {
  const types = readFileSync(join(root, "js/core/api/testing.d.ts"), "utf8");
  const members = (name) =>
    [...new RegExp(`export interface ${name}[^{]*\\{\\n([^]*?)\\n\\}`).exec(types)[1].matchAll(/^ {2}(?:readonly )?(\w+)\??[(:]/gm)].map(
      ([, member]) => member,
    );
  for (const name of ["RunExpectation", "RunMatchers"])
    for (const member of members(name)) assert.ok(guide.includes(member), `${name}.${member}`);
  const schema = JSON.parse(readFileSync(join(root, "js/testing/kit/test-file.schema.json"), "utf8"));
  for (const part of [schema, schema.$defs.test, schema.$defs.expect, schema.$defs.property])
    for (const field of Object.keys(part.properties)) assert.ok(guide.includes(field), field);
});

test("the examples in the types run", () => {
  const types = readFileSync(join(root, "js/core/api/testing.d.ts"), "utf8");
  const examples = [...types.matchAll(/```js\n([^]*?)```/g)].map(([, text]) => text.replaceAll(/^ +\* ?/gm, ""));
  assert.ok(examples.length >= 6);
  const imports =
    'import assert from "node:assert/strict";\nimport * as kit from "stepglass/testing";\nconst { eachIteration, expectRun, iterations, loadMockConfig, matchers, never, property, returns, testMachine, throws } = kit;';
  writeFileSync(
    join(folder, "LambdaSQSIntegration.asl.json"),
    JSON.stringify({
      StartAt: "LambdaState",
      States: { LambdaState: { Type: "Task", Resource: "l", Retry: [{ ErrorEquals: ["E"] }], End: true } },
    }),
  );
  writeFileSync(
    join(folder, "MockConfigFile.json"),
    JSON.stringify({
      StateMachines: { LambdaSQSIntegration: { TestCases: { RetryPath: { LambdaState: "R" } } } },
      MockedResponses: { R: { "0-2": { Throw: { Error: "E" } }, 3: { Return: 1 } } },
    }),
  );
  writeFileSync(
    join(folder, "paid.asl.json"),
    JSON.stringify({
      StartAt: "Charge",
      States: {
        Charge: {
          Type: "Task",
          Resource: "charge",
          ResultPath: "$.r",
          Next: "Done",
          Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 99 }],
        },
        Done: { Type: "Succeed" },
      },
    }),
  );
  for (const [i, text] of examples.entries()) {
    // The context that an example needs: a machine, a run, a test runner's expect().
    const surroundings = `${imports}
      const expect = Object.assign((run) => Object.fromEntries(Object.entries(matchers).map(([name, match]) => [name, (...args) => assert.ok(match(run, ...args).pass, match(run, ...args).message())])), { extend() {} });
      const order = testMachine("order.asl.json", { mocks: { Charge: returns({ amount: 120 }) } });
      const run = await testMachine({ StartAt: "Charge", States: { Charge: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:1:function:charge", Next: "Done" }, Done: { Type: "Succeed" } } }).run({}, { mocks: { Charge: returns(1) } });`;
    const whole = /^import/m.test(text) ? text : `${surroundings}\n{\n${text}\n}`;
    writeFileSync(join(folder, `example-${i}.mjs`), whole);
    const { status, stdout, stderr } = node(`example-${i}.mjs`);
    assert.equal(status, 0, `${text}\n${stdout}${stderr}`);
  }
});
