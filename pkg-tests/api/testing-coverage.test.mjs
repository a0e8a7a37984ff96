// Coverage: what is collected, from which processes, and its four reports.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { simulate } from "stepglass";
import { coverageReport, resetCoverage, returns, startCoverage, stopCoverage, testMachine, throws } from "stepglass/testing";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const hostile = '<img src=x onerror="alert(1)">';
const yaml = `StartAt: Route
States:
  Route:
    Type: Choice
    Choices:
      - { Variable: $.n, NumericGreaterThan: 10, Next: Work }
      - { Variable: $.n, NumericGreaterThan: 5, Next: Work }
    Default: '${hostile}'
  Work:
    Type: Task
    Resource: work
    Retry:
      - { ErrorEquals: [Busy], IntervalSeconds: 1 }
    Catch:
      - ErrorEquals: [States.ALL]
        Next: Done
    Next: Done
  '${hostile}':
    Type: Pass
    Comment: '</title><script>alert(2)</script>'
    Next: Done
  Done:
    Type: Succeed
`;

let folder;
let file;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "stepglass-coverage-"));
  file = join(folder, "route.asl.yaml");
  writeFileSync(file, yaml);
});
after(() => rmSync(folder, { recursive: true }));

/** Returns the report of some runs. */
async function report(runs, options) {
  resetCoverage();
  startCoverage();
  const machine = testMachine(file);
  for (const [input, mocks] of runs) await machine.run(input, { mocks });
  stopCoverage();
  return coverageReport({ root: folder, ...options });
}

test("states, transitions, rules, retriers and catchers are counted separately", async () => {
  const { machines, totals, percent } = await report([[{ n: 11 }, { Work: [throws("Busy"), returns({})] }]]);
  assert.deepEqual(totals, {
    states: { covered: 3, total: 4 },
    transitions: { covered: 1, total: 3 },
    rules: { covered: 1, total: 2 },
    retries: { covered: 1, total: 1 },
    catches: { covered: 0, total: 1 },
    all: { covered: 6, total: 11 },
  });
  assert.equal(Math.round(percent), 55);
  const [{ title, executions, places }] = machines;
  assert.deepEqual([title, executions], ["route.asl.yaml", 1]);
  const at = (pointer) => places.find((place) => place.pointer === pointer);
  assert.deepEqual([at("/States/Route/Choices/0").count, at("/States/Route/Choices/1").count], [1, 0]);
  assert.deepEqual(
    ["/States/Route", "/States/Route/Choices/1", "/States/Work/Retry/0", "/States/Work/Catch/0", "/States/Done"].map(
      (pointer) => at(pointer).line,
    ),
    [3, 7, 13, 15, 22],
  );
});

test("full coverage is 100 %, and counts are summed", async () => {
  const all = await report([
    [{ n: 11 }, { Work: [throws("Busy"), returns({})] }],
    [{ n: 7 }, { Work: throws("Other") }],
    [{ n: 1 }, {}],
  ]);
  assert.equal(all.percent, 100);
  assert.match(all.text(), /100 %\s+3\n$/);
  assert.equal(all.machines[0].places.find(({ pointer }) => pointer === "/States/Done").count, 3);
});

test("the text report is a table, with the positions of what was never used", async () => {
  const text = (await report([[{ n: 11 }, { Work: returns({}) }]])).text();
  assert.match(
    text,
    /^ +states +transitions +rules +retries +catches +covered +runs\nroute\.asl\.yaml +3\/4 +1\/3 +1\/2 +0\/1 +0\/1 +45\.4 % +1\n\nNever used\n/,
  );
  assert.match(text, /\n {2}route\.asl\.yaml:7 {2}Route: rule 1 → Work\n/);
  assert.match(
    text,
    /\n {2}route\.asl\.yaml:13 {2}Work: retry 0 on Busy\n {2}route\.asl\.yaml:15 {2}Work: catch 0 on States\.ALL → Done\n/,
  );
  resetCoverage();
  assert.match(coverageReport().text(), /no execution has run/);
});

test("the lcov report has states as functions and transitions as branches, on the lines of the file", async () => {
  const lines = (await report([[{ n: 11 }, { Work: returns({}) }]])).lcov().split("\n");
  assert.equal(lines[1], "SF:route.asl.yaml");
  for (const line of [
    "FN:9,Work",
    "FNDA:1,Work",
    "FNF:4",
    "FNH:3",
    "BRDA:6,0,0,1",
    "BRDA:7,0,1,0",
    "BRDA:8,0,2,0",
    "BRDA:13,1,1,0",
    "BRF:6",
    "BRH:2",
    "DA:3,1",
    "DA:7,0",
    "end_of_record",
  ])
    assert.ok(lines.includes(line), line);
  const sum = (prefix) => lines.filter((line) => line.startsWith(prefix)).length;
  assert.equal(
    `LF:${sum("DA:")}`,
    lines.find((line) => line.startsWith("LF:")),
  );
});

test("the JSON report has the count of every part", async () => {
  const parsed = JSON.parse((await report([[{ n: 11 }, { Work: returns({}) }]])).json());
  assert.equal(parsed.version, 1);
  assert.equal(parsed.machines[0].places.length, parsed.totals.all.total);
});

test("the HTML report is one file without scripts, with escaped names and a coloured graph", async () => {
  const html = (await report([[{ n: 11 }, { Work: returns({}) }]])).html();
  const tags = html.match(/<[a-z][^>]*>/gi);
  assert.ok(tags.length > 50);
  for (const tag of tags) {
    assert.ok(!/^<(script|img|link|iframe|object|base|form)\b/i.test(tag), tag);
    const names = [...tag.replaceAll(/"[^"]*"/g, '""').matchAll(/\s([\w-]+)=/g)].map(([, name]) => name);
    assert.ok(!names.some((name) => /^on|^src$/.test(name)), tag);
    assert.ok(!/href="(?!#)/.test(tag), tag);
  }
  assert.ok(!/@import|url\((?!#)/.test(html));
  assert.ok(html.includes("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"));
  assert.ok(html.includes("&lt;/title&gt;&lt;script&gt;"));
  assert.match(html, /<svg[^>]*class="g0"/);
  for (const status of ["g0-is-succeeded", "g0-is-caught", "g0-is-failed"]) assert.ok(html.includes(status), status);
  assert.match(html, /Work \(Task, [^)]*\), retries, partly covered, 1×/);
  assert.match(html, /<tr id="d0l7" class="none" title="Route: rule 1 → Work: 0×">/);
});

test("definitions that no test has run are in the report if they are named", async () => {
  const other = join(folder, "other.asl.json");
  writeFileSync(other, JSON.stringify({ StartAt: "A", States: { A: { Type: "Succeed" } } }));
  const { machines } = await report([[{ n: 11 }, { Work: returns({}) }]], { definitions: [other, file] });
  assert.deepEqual(
    machines.map(({ title, executions }) => [title, executions]),
    [
      ["other.asl.json", 0],
      ["route.asl.yaml", 1],
    ],
  );
  assert.throws(() => coverageReport({ definitions: [join(folder, "none.json")] }), /cannot read/);
});

test("simulations and plain executions count as well", async () => {
  resetCoverage();
  startCoverage();
  simulate({ StartAt: "A", States: { A: { Type: "Succeed" } } });
  stopCoverage();
  simulate({ StartAt: "A", States: { A: { Type: "Succeed" } } });
  const [machine] = coverageReport().machines;
  assert.deepEqual([machine.executions, machine.totals.all], [1, { covered: 1, total: 1 }]);
});

test("all processes of a test run contribute, with both kinds of modules, and also when killed", () => {
  const written = join(folder, "written");
  const project = join(root, "pkg-tests/.cache/coverage");
  mkdirSync(project, { recursive: true });
  const run = (name, text) => {
    const path = join(project, name);
    writeFileSync(path, text);
    return spawnSync(process.execPath, [path], { env: { ...process.env, STEPGLASS_COVERAGE: written }, encoding: "utf8" });
  };
  try {
    const esm = run(
      "a.mjs",
      `import { testMachine } from "stepglass/testing";
      const machine = testMachine(${JSON.stringify(file)});
      for (let i = 0; i < 50; i++) await machine.run({ n: 1 });`,
    );
    assert.equal(esm.status, 0, esm.stderr);
    const cjs = run(
      "b.cjs",
      `const { testMachine, returns } = require("stepglass/testing");
      testMachine(${JSON.stringify(file)}).run({ n: 11 }, { mocks: { Work: returns({}) } }).then(() => process.kill(process.pid, "SIGKILL"));`,
    );
    assert.equal(cjs.signal, "SIGKILL");
    const plain = run(
      "c.mjs",
      `import { readFileSync } from "node:fs";
      import { StateMachine } from "stepglass";
      await new StateMachine({ StartAt: "Q", States: { Q: { Type: "Succeed" } } }).run({});`,
    );
    assert.equal(plain.status, 0, plain.stderr);
    // An unusable folder is reported, and the program still runs.
    const path = join(project, "d.mjs");
    writeFileSync(path, 'import { version } from "stepglass";\nconsole.log(version());');
    const impossible = spawnSync(process.execPath, [path], {
      env: { ...process.env, STEPGLASS_COVERAGE: join(file, "below-a-file") },
      encoding: "utf8",
    });
    assert.equal(impossible.status, 0, impossible.stderr);
    assert.match(impossible.stderr, /stepglass: STEPGLASS_COVERAGE=.*below-a-file: /);
  } finally {
    rmSync(project, { recursive: true });
  }
  assert.equal(readdirSync(written).length, 3);
  writeFileSync(join(written, "torn.ndjson"), '{"digest":"x","hi');
  const merged = coverageReport({ folder: written, root: folder });
  assert.deepEqual(
    merged.machines.map(({ title, executions }) => [title, executions]),
    [
      ["StateMachine", 1],
      ["route.asl.yaml", 51],
    ],
  );
  assert.equal(merged.machines[1].places.find(({ pointer }) => pointer === "/States/Done").count, 51);
  assert.throws(() => coverageReport({ folder: join(folder, "nowhere") }), /STEPGLASS_COVERAGE=/);
});

test("a machine in a template has the template's lines, also inside a string", async () => {
  const template = join(folder, "template.yaml");
  const text = JSON.stringify({ StartAt: "B", States: { B: { Type: "Succeed" } } });
  writeFileSync(
    template,
    `Resources:\n  Written:\n    Type: AWS::Serverless::StateMachine\n    Properties:\n      Definition:\n        StartAt: A\n        States:\n          A: { Type: Succeed }\n  Quoted:\n    Type: AWS::StepFunctions::StateMachine\n    Properties:\n      DefinitionString: '${text}'\n`,
  );
  resetCoverage();
  startCoverage();
  await testMachine(`${template}#Written`).run();
  await testMachine(`${template}#Quoted`).run();
  stopCoverage();
  const report = coverageReport({ root: folder });
  assert.deepEqual(
    report.machines.map(({ title, file, places }) => [title, file, places[0].line]),
    [
      ["template.yaml#Quoted", "template.yaml", 12],
      ["template.yaml#Written", "template.yaml", 8],
    ],
  );
  assert.deepEqual(report.lcov().match(/^(SF|DA):.*$/gm), ["SF:template.yaml", "DA:12,1", "SF:template.yaml", "DA:8,1"]);
});
