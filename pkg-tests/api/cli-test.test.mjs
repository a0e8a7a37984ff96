// stepglass test and stepglass coverage: test files without JavaScript, their mistakes, reporters, coverage and watch mode.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { importSource } from "../../scripts/sources.mjs";

const { BadFile, readTestFile } = await importSource("js/cli/test-file.ts");
const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const cli = join(root, "dist/cli.js");
const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, NODE_TEST_CONTEXT: undefined };

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "stepglass-test-"));
  cpSync(join(root, "pkg-tests/runners/order.asl.json"), join(folder, "order.asl.json"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const write = (name, text) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
  return name;
};
const run = (...args) => {
  const result = spawnSync(process.execPath, [cli, ...args], { cwd: folder, encoding: "utf8", env });
  // Slow tests print their duration, and on a busy machine any test can be slow.
  return { ...result, stdout: result.stdout.replaceAll(/ \(\d+ ms\)/g, "") };
};

const GOOD = `definition: order.asl.json
mocks:
  Charge: { return: { amount: 1 } }
tests:
  - name: no gift
    input: { order: 7 }
    expect:
      status: SUCCEEDED
      output: { order: 7, receipt: { amount: 1 } }
      path: [Charge, Enough, Done]
      neverEntered: [Gift, Refused]
      calls: { charge: [{ order: 7 }] }
      lasted: 0
  - name: declined twice
    mocks:
      Charge: [{ throw: Declined, cause: card }, { throw: Declined }, { return: { amount: 120 }, after: 1 m }]
    expect:
      outputMatches: { gift: voucher }
      passedThrough: [Charge, Gift]
      entered: { Gift: 1, Charge: 1 }
      calls: { Charge: 3 }
      retries: { Charge: 2 }
      waits: { Charge: 2h }
      lasted: 3h 1m
  - name: refused
    mocks: { Charge: { throw: Fraud } }
    expect: { error: OrderRefused, caught: { Charge: /^Fr/ }, entered: [Refused] }
  - name: always ends
    property: { runs: 30, seed: 3, outputs: { Charge: [{ amount: 1 }, { amount: 500 }] } }
    mocks: {}
  - name: the input null
    input: null
    mocks: { Charge: { return: null } }
    expect: { calls: { charge: [null] }, error: OrderRefused, caught: { Charge: States.ReferencePathConflict } }
  - name: not now
    skip: true
`;

test("every kind of expectation passes if it holds", () => {
  write("good/order.stepglass.yaml", GOOD.replace("order.asl.json", "../order.asl.json"));
  const { status, stdout, stderr } = run("test", "good");
  assert.equal(status, 0, stdout + stderr);
  assert.match(
    stdout,
    /^good\/order\.stepglass\.yaml\n {2}✓ no gift\n {2}✓ declined twice\n {2}✓ refused\n {2}✓ always ends.*\n {2}✓ the input null\n {2}- not now \(skipped\)\n\n5 passed, 1 skipped in \d+ ms\n$/,
  );
});

test("every expectation that fails is reported, with its line and what happened", () => {
  write(
    "bad/order.stepglass.yaml",
    `definition: ../order.asl.json
tests:
  gift:
    mocks:
      Charge: { return: { amount: 1 } }
    expect:
      path: [Charge, Enough, Gift, Done]
      entered: { Gift: 2 }
      calls: { Charge: 2 }
  stuck:
    mocks: { Charge: never }
  unmocked: {}
`,
  );
  const { status, stdout } = run("test", "bad");
  assert.equal(status, 1);
  assert.match(
    stdout,
    /✗ gift\n {2}bad\/order\.stepglass\.yaml:7\n {4}Expected the path Charge → Enough → Gift → Done, but it entered Done instead of Gift\.\n/,
  );
  assert.match(stdout, / {2}bad\/order\.stepglass\.yaml:8\n {4}Expected Gift to be entered twice, but it was not\.\n/);
  assert.match(stdout, / {2}bad\/order\.stepglass\.yaml:9\n {4}Expected Charge to be called twice, but it was called once\./);
  assert.match(stdout, /What happened:\n +0 s {2}start \{\}\n/);
  assert.match(stdout, /✗ stuck\n[^]*Expected the execution to succeed\. The execution waits for ever in Charge/);
  assert.match(stdout, /✗ unmocked\n[^]*No mock and no handler for state "Charge"/);
  assert.match(stdout, /\n3 failed in/);
});

test("a failure names its definition from the working directory", () => {
  write("below/broken.asl.json", '{ "StartAt": "A", "States": { "A": { "Type": "Pass", "InputPath": "$.none", "End": true } } }');
  const file = write(
    "below/broken.stepglass.yaml",
    "definition: broken.asl.json\ntests: [{ name: fails, expect: { status: SUCCEEDED } }]\n",
  );
  assert.match(run("test", file).stdout, /at \/States\/A\/InputPath \(below\/broken\.asl\.json:1:\d+\): \$\.none/);
});

test("a failed test says where the error arose, and why no retrier and no catcher handled it", () => {
  const definition = {
    StartAt: "Pay",
    States: {
      Pay: {
        Type: "Task",
        Resource: "arn:aws:lambda:us-east-1:123456789012:function:pay",
        Retry: [{ ErrorEquals: ["Busy"] }],
        Catch: [{ ErrorEquals: ["Broken"], Next: "Read" }],
        Next: "Read",
      },
      Read: { Type: "Pass", Parameters: { "id.$": "$.id" }, End: true },
    },
  };
  write("unhandled/pay.asl.json", JSON.stringify(definition, null, 1));
  write(
    "unhandled/pay.stepglass.yaml",
    `definition: pay.asl.json
tests:
  down:
    mocks: { Pay: { throw: Down } }
  no id:
    mocks: { Pay: { return: {} } }
`,
  );
  const { stdout } = run("test", "unhandled");
  assert.match(
    stdout,
    /^ +at \/States\/Pay \(.*pay\.asl\.json:4:3\)\n +Pay\/Retry\/0 \[Busy\]: does not match Down\n +Pay\/Catch\/0 \[Broken\]: does not match Down$/m,
  );
  assert.match(stdout, /^ +at \/States\/Read\/Parameters\/id\.\$ \(.*pay\.asl\.json:27:5\): \$\.id$/m);
});

test("a property that fails prints seed and schedule for the test file", () => {
  write(
    "property/order.stepglass.yaml",
    `definition: ../order.asl.json
tests:
  never refused:
    property: { seed: 1, outputs: { Charge: { amount: 1 } } }
    expect: { neverEntered: [Refused] }
`,
  );
  const { status, stdout } = run("test", "property");
  assert.equal(status, 1);
  const [, schedule] = /property: \{ schedule: (\{.*?\}) \}/.exec(stdout);
  assert.match(stdout, /property: \{ seed: \d+, runs: 1 \}/);
  write(
    "property/order.stepglass.yaml",
    `definition: ../order.asl.json\ntests:\n  again:\n    property: { schedule: ${schedule}, outputs: { Charge: { amount: 1 } } }\n    expect: { neverEntered: [Refused] }\n`,
  );
  assert.match(run("test", "property").stdout, /✗ again\n[^]*Expected Refused not to be entered/);
});

test("mock configurations of Step Functions Local, handlers, templates and JSON work as mocks", () => {
  write(
    "more/mocks.json",
    JSON.stringify({
      StateMachines: { order: { TestCases: { Happy: { Charge: "Paid" } } } },
      MockedResponses: { Paid: { 0: { Return: { amount: 5 } } } },
    }),
  );
  write("more/tasks.mjs", "export const charge = ({ order }) => ({ amount: order * 100 });\n");
  write(
    "more/a.stepglass.json",
    JSON.stringify({
      definition: "../order.asl.json",
      mockConfig: "mocks.json",
      tests: [{ testCase: "Happy", expect: { outputMatches: { receipt: { amount: 5 } } } }],
    }),
  );
  write(
    "more/b.stepglass.yml",
    "definition: ../order.asl.json\ntasks: tasks.mjs\ntests: { real: { input: { order: 2 }, expect: { entered: [Gift] } } }\n",
  );
  const definition = readFileSync(join(folder, "order.asl.json"), "utf8");
  write(
    "more/template.json",
    JSON.stringify({ Resources: { Order: { Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionString: definition } } } }),
  );
  write(
    "more/c.stepglass.yaml",
    "definition: template.json#Order\nmocks: { Charge: { return: { amount: 1 } } }\ntests: { 'from a template': {} }\n",
  );
  const { status, stdout, stderr } = run("test", "more");
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /3 passed/);
});

test("an unusable file is reported with the position, and the other files run", () => {
  write("mixed/a.stepglass.yaml", "definition: ../order.asl.json\nmocks: { Charge: { return: {} } }\ntest:\n  - name: x\n");
  write("mixed/b.stepglass.yaml", "definition: ../order.asl.json\nmocks: { Charge: { return: { amount: 1 } } }\ntests: { b: {} }\n");
  write("mixed/c.stepglass.yaml", "definition: none.json\ntests: { c: {} }\n");
  const { status, stdout } = run("test", "mixed");
  assert.equal(status, 2);
  assert.match(stdout, /mixed\/a\.stepglass\.yaml:3:1: a test file has no field "test"; did you mean tests\?/);
  assert.match(stdout, /mixed\/b\.stepglass\.yaml\n {2}✓ b/);
  assert.match(stdout, /mixed\/c\.stepglass\.yaml: cannot read .*none\.json: no such file/);
  assert.match(stdout, /1 passed, 2 files unusable/);
});

test("each mistake in a test file has its line and column", () => {
  for (const [text, line, column, message] of [
    ["definition: a\ntests: [{ name: x, expects: {} }]", 2, 20, /a test has no field "expects"; did you mean expect\?/],
    [
      "definition: a\ntests:\n  - name: x\n    expect: { status: SUCEEDED }",
      4,
      23,
      /status must be SUCCEEDED, FAILED.*did you mean SUCCEEDED\?/,
    ],
    [
      "definition: a\ntests:\n  - name: x\n    mocks:\n      A:\n        - thro: E",
      6,
      11,
      /a mock has no field "thro"; did you mean throw\?/,
    ],
    ["definition: a\ntests:\n  - name: x\n    mocks: { A: 5 }", 4, 17, /a mock must be \{return: …\}.*not 5/],
    ["definition: a\ntests:\n  - name: x\n    mocks: { A: { return: 1, after: soon } }", 4, 37, /after must be a duration/],
    ["definition: a\ntests:\n  - name: x\n    mocks: { A: { return: 1, cause: c } }", 4, 30, /only throw can have a cause/],
    [
      "definition: a\ntests:\n  - name: x\n    mocks: { A: { iterations: { x: never } } }",
      4,
      33,
      /an iteration must be "0", "1-3" or "\*"/,
    ],
    ["definition: a\ntests:\n  - name: x\n    expect:\n      waits: { W: soon }", 5, 19, /a duration must be a text with its unit/],
    ["definition: a\ntests:\n  - name: x\n    expect: { error: /(/ }", 4, 22, /Invalid regular expression/],
    ["definition: a\ntests:\n  - name: x\n    expect: { path: A }", 4, 21, /path must be a list of names/],
    ["definition: a\ntests:\n  - input: {}", 3, 5, /a test needs a name/],
    ["definition: a\ntests:\n  - name: x\n    property: { run: 5 }", 4, 17, /property has no field "run"; did you mean runs\?/],
    ["tests: []", 1, 1, /a test file needs a definition/],
    ["definition: a", 1, 1, /a test file needs tests/],
    ["definition: a\ntests: [", 2, 9, /./],
    ["definition: a\ntests: []\nmockConfig: 5", 3, 13, /mockConfig must be a string/],
    ["definition: a\ntests: []\ntasks: [t]", 3, 1, /tasks must be a string/],
    ["just text", 1, 1, /a test file must be a map with the fields definition/],
  ]) {
    const file = join(folder, write("mistake.yaml", text));
    assert.throws(
      () => readTestFile(file),
      (error) => {
        assert.ok(error instanceof BadFile, error.stack);
        const [problem] = error.problems;
        assert.match(problem.message, message, text);
        assert.deepEqual([problem.line, problem.column], [line, column], text);
        return true;
      },
    );
  }
});

test("the JSON Schema for editors has the same fields as the command", () => {
  const schema = JSON.parse(readFileSync(join(root, "dist/test-file.schema.json"), "utf8"));
  const fields = (text) => {
    try {
      readTestFile(join(folder, write("fields.yaml", text)));
    } catch (error) {
      return / it has (.*)$/.exec(error.problems[0].message)[1].split(", ").sort();
    }
    return assert.fail("no problem");
  };
  const names = (properties) => Object.keys(properties).sort();
  assert.deepEqual(fields("definition: a\ntests: []\nzzzzz: 1"), names(schema.properties));
  assert.deepEqual(fields("definition: a\ntests: [{ name: x, zzzzz: 1 }]"), names(schema.$defs.test.properties));
  assert.deepEqual(fields("definition: a\ntests: [{ name: x, expect: { zzzzz: 1 } }]"), names(schema.$defs.expect.properties));
  assert.deepEqual(fields("definition: a\ntests: [{ name: x, property: { zzzzz: 1 } }]"), names(schema.$defs.property.properties));
  assert.equal(typeof parse(GOOD), "object");
});

test("the reporters dot, tap, junit and json have their formats", () => {
  const dot = run("test", "good", "bad", "--reporter", "dot");
  assert.equal(dot.status, 1);
  assert.match(dot.stdout, /^\.\.\.\.\.sFFF\n\n✗ gift/);
  const tap = run("test", "good", "bad", "--reporter", "tap").stdout;
  assert.match(tap, /^TAP version 14\nok 1 - good\/order\.stepglass\.yaml > no gift\n/);
  assert.match(tap, /\nok 6 - .*> not now # SKIP\nnot ok 7 - .*> gift\n {2}---\n {2}at: "bad\/order\.stepglass\.yaml:7"\n/);
  assert.match(tap, /\n1\.\.9\n$/);
  const junit = run("test", "good", "bad", "--reporter", "junit", "-o", "report.xml");
  assert.equal(junit.stdout, "");
  const xml = readFileSync(join(folder, "report.xml"), "utf8");
  assert.match(xml, /<testsuites name="stepglass" tests="9" failures="3" errors="0" skipped="1"/);
  assert.match(xml, /<failure message="Expected the path Charge → Enough → Gift → Done, but it entered Done instead of Gift\.">/);
  assert.equal((xml.match(/<testcase/g) ?? []).length, 9);
  const json = JSON.parse(run("test", "good", "bad", "--json", "--coverage").stdout);
  assert.deepEqual([json.ok, json.totals], [false, { passed: 5, failed: 3, skipped: 1, unusable: 0 }]);
  assert.equal(json.files[1].tests[0].failures.length, 3);
  assert.equal(json.coverage.machines[0].file, "order.asl.json");
});

test("coverage of test files: text, files, threshold, and definitions that no test has run", () => {
  const { status, stdout } = run("test", "good", "--coverage=text,json,lcov,html", "--coverage-dir", "out");
  assert.equal(status, 0);
  assert.match(stdout, /order\.asl\.json +5\/5 +3\/3 +1\/1 +1\/1 +1\/1 +100 %/);
  for (const format of ["json", "lcov", "html"]) assert.ok(existsSync(join(folder, `out/stepglass.${format}`)), format);
  const low = run("test", "more", "-f", "template", "--threshold", "90");
  assert.equal(low.status, 1);
  assert.match(low.stderr, /below the threshold of 90 %/);
  assert.equal(run("test", "good", "--threshold", "100").status, 0);
  write("unrun/x.stepglass.yaml", "definition: ../order.asl.json\ntests: { x: { skip: true } }\n");
  assert.match(run("test", "unrun", "--coverage").stdout, /order\.asl\.json +0\/5/);
});

test("several commands at once do not affect each other", async () => {
  const codes = await Promise.all(
    ["a", "b", "c"].map(
      (name) =>
        new Promise((done) =>
          spawn(process.execPath, [cli, "test", "good", "--coverage=json", "--coverage-dir", `at-once/${name}`], {
            cwd: folder,
            env,
            stdio: "ignore",
          }).on("close", done),
        ),
    ),
  );
  assert.deepEqual(codes, [0, 0, 0]);
  const [a, b, c] = ["a", "b", "c"].map((name) => readFileSync(join(folder, `at-once/${name}/stepglass.json`), "utf8"));
  assert.deepEqual([a, b], [b, c]);
});

test("filters and only select tests, and wrong usage is refused", () => {
  assert.match(run("test", "good", "--filter", "DECLINED").stdout, /✓ declined twice\n\n1 passed/);
  assert.equal(run("test", "good", "--filter", "nothing like it").status, 2);
  write(
    "only/x.stepglass.yaml",
    "definition: ../order.asl.json\nmocks: { Charge: { return: { amount: 1 } } }\ntests: { a: {}, b: { only: true } }\n",
  );
  assert.match(run("test", "only").stdout, /- a \(skipped\)\n {2}✓ b/);
  for (const [args, message] of [
    [["test", "nowhere"], /cannot read nowhere: no such file/],
    [["test", "out"], /there are no test files/],
    [["test", "--coverage=pdf"], /no coverage format "pdf"/],
    [["test", "--reporter", "specs"], /--reporter must be spec, dot, tap, junit or json; did you mean spec\?/],
    [["test", "good", "-o", "no/such/folder/report.xml"], /cannot write no\/such\/folder\/report\.xml/],
    [["test", "--threshold", "x"], /--threshold must be a percentage/],
    [["coverage"], /coverage needs -- and a command, or a folder/],
    [["coverage", "nowhere"], /there is no folder nowhere/],
    [["coverage", "--", "no-such-command-at-all"], /cannot run no-such-command-at-all/],
  ]) {
    const { status, stderr } = run(...args);
    assert.equal(status, 2, args.join(" "));
    assert.match(stderr, message);
  }
});

test("coverage of another command keeps its exit code, and lists definitions that nothing has run", () => {
  write("unused.asl.json", JSON.stringify({ StartAt: "A", States: { A: { Type: "Succeed" } } }));
  const none = run("coverage", "-d", "unused.asl.json", "--", process.execPath, "-e", "process.exit(3)");
  assert.equal(none.status, 3);
  assert.match(none.stdout, /unused\.asl\.json +0\/1/);
  assert.equal(run("coverage", "-d", "unused.asl.json", "--threshold", "50", "--", process.execPath, "-e", "0").status, 1);
});

test("--watch runs again when a test file or a definition changes", async (t) => {
  write("watch/order.asl.json", readFileSync(join(folder, "order.asl.json"), "utf8"));
  write("watch/w.stepglass.yaml", "definition: order.asl.json\nmocks: { Charge: { return: { amount: 1 } } }\ntests: { first: {} }\n");
  const child = spawn(process.execPath, [cli, "test", "watch", "--watch"], { cwd: folder, env });
  t.after(() => child.kill());
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += String(chunk).replaceAll(/ \(\d+ ms\)/g, "")));
  const until = async (pattern) => {
    for (const end = performance.now() + 60_000; performance.now() < end;) {
      if (pattern.test(printed)) return;
      await new Promise((done) => setTimeout(done, 25));
    }
    assert.fail(`never printed ${pattern}:\n${printed}`);
  };
  await until(/✓ first[^]*waiting for changes/);
  printed = "";
  write("watch/w.stepglass.yaml", "definition: order.asl.json\nmocks: { Charge: { return: { amount: 1 } } }\ntests: { second: {} }\n");
  await until(/w\.stepglass\.yaml has changed[^]*✓ second[^]*waiting for changes/);
  printed = "";
  write("watch/order.asl.json", JSON.stringify({ StartAt: "Other", States: { Other: { Type: "Fail", Error: "No" } } }));
  await until(/order\.asl\.json has changed[^]*✗ second[^]*waiting for changes/);
  const ended = new Promise((done) => child.on("exit", done));
  child.kill("SIGINT");
  assert.equal(await ended, 0);
});
