// `stepglass validate` for pipelines: formats, files and baselines.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folderWith } from "./command.mjs";

const state = (members) => ({ Type: "Pass", End: true, ...members });
/** Two errors: `C` and `E` do not exist; a warning: a literal path. */
const machine = `{
  "StartAt": "A",
  "States": {
    "A": { "Type": "Pass", "Parameters": { "x": "$.y" }, "Next": "C" },
    "B": {
      "Type": "Choice",
      "Choices": [{ "Variable": "$.n", "NumericEquals": 1, "Next": "A" }, { "Variable": "$.n", "NumericEquals": 2, "Next": "E" }],
      "Default": "A"
    },
    "C2": { "Type": "Succeed" }
  }
}
`;
const good = { StartAt: "A", States: { A: state({}) } };

const codes = (diagnostics) => diagnostics.map(({ code, pointer }) => `${code} ${pointer}`);

test("writes each format to its file, and text to standard output", async () => {
  const { stepglass, folder } = folderWith({ "order.asl.json": machine });
  const formats = ["json=a.json", "sarif=a.sarif", "junit=a.xml", "gitlab=a.gitlab.json", "github=a.txt", "text=b.txt"];
  const { code, stdout, stderr } = await stepglass("validate", ".", ...formats.flatMap((one) => ["--format", one]));
  assert.equal(code, 1, stderr);
  assert.equal(readFileSync(join(folder, "b.txt"), "utf8"), stdout);
  assert.match(stdout, /^error\[unknown-target\]: there is no state `C` here\n --> order.asl.json:4:66\n/m);
  const [{ diagnostics }] = JSON.parse(readFileSync(join(folder, "a.json"), "utf8"));
  const [{ results }] = JSON.parse(readFileSync(join(folder, "a.sarif"), "utf8")).runs;
  const quality = JSON.parse(readFileSync(join(folder, "a.gitlab.json"), "utf8"));
  assert.deepEqual(
    results.map(({ ruleId, locations: [{ logicalLocations }] }) => `${ruleId} ${logicalLocations[0].fullyQualifiedName}`),
    codes(diagnostics),
  );
  assert.deepEqual(
    quality.map(({ check_name, location }) => [check_name, location.path, location.lines.begin]),
    diagnostics.map(({ code, range }) => [code, "order.asl.json", range.start.line]),
  );
  assert.equal(readFileSync(join(folder, "a.xml"), "utf8").match(/<failure /g).length, 4);
  assert.equal(readFileSync(join(folder, "a.txt"), "utf8").match(/^::(error|warning) /gm).length, diagnostics.length);
});

test("names positions relative to the workspace in annotations, and escapes them", async () => {
  const { stepglass, folder } = folderWith({
    "machines/a,b.asl.json": { StartAt: "50%\n: x", States: { "50%\n: x": state({ Next: "nowhere" }) } },
  });
  const { code, stdout } = await stepglass("validate", "machines/a,b.asl.json", "nowhere.json", "--format", "github", {
    env: { GITHUB_WORKSPACE: folder },
  });
  assert.equal(code, 2);
  const lines = stdout.trimEnd().split("\n");
  assert.match(
    lines[0],
    /^::error file=machines\/a%2Cb\.asl\.json,line=1,endLine=1,col=\d+,endColumn=\d+,title=[\w-]+ \/States\/50%25%0A%3A x.*::[^\n]+$/,
  );
  assert.ok(lines.includes("::error file=nowhere.json,title=cannot be used::cannot read nowhere.json: no such file"));
  assert.match(lines.at(-1), /^1 definition: \d errors?, 1 that cannot be used$/);
});

test("refuses impossible formats", async () => {
  const { stepglass } = folderWith({ "a.asl.json": good });
  const wrong = [
    [["--format", "sariff"], /--format must be text, json, sarif, junit, github or gitlab; did you mean sarif\?/],
    [["--format", "sarif="], /--format sarif= needs the name of a file/],
    [["--format", "sarif", "--format", "junit"], /standard output takes one format, not sarif and junit/],
    [["--write-baseline"], /--write-baseline needs --baseline FILE/],
    [["--baseline", "none.json"], /there is no baseline none\.json: --baseline none\.json --write-baseline writes one/],
    [["--baseline", "a.asl.json"], /a\.asl\.json is not a baseline: it has no findings/],
    [["--format", "sarif=nowhere/a.sarif"], /cannot write nowhere\/a\.sarif/],
  ];
  for (const [args, message] of wrong) {
    const { code, stderr } = await stepglass("validate", "a.asl.json", ...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
  }
});

test("accepts the problems of a baseline, also if lines and neighbours move", async () => {
  const { stepglass, folder } = folderWith({ "order.asl.json": machine, "other.asl.json": good });
  const file = join(folder, "order.asl.json");
  const written = await stepglass("validate", ".", "--baseline", "known.json", "--write-baseline", "--strict");
  assert.equal(written.code, 0, written.stderr);
  assert.match(written.stdout, /^2 definitions: no new problems \(5 known in known\.json\)\n$/);
  const again = await stepglass("validate", ".", "--baseline", "known.json", "--strict");
  assert.equal(again.code, 0);
  assert.equal(again.stdout, written.stdout);

  // Moved lines, another indentation, and a rule before the one with a problem.
  const moved = JSON.stringify(JSON.parse(machine), null, 4).replace(
    '"Choices": [',
    '"Choices": [{ "Variable": "$.n", "NumericEquals": 0, "Next": "A" },',
  );
  writeFileSync(file, moved);
  const after = await stepglass("validate", ".", "--baseline", "known.json", "--strict");
  assert.equal(after.code, 0, after.stdout);
  assert.match(after.stdout, /5 known/);

  // One problem is fixed, and one has changed, so it is new.
  writeFileSync(file, moved.replace('"Next": "E"', '"Next": "F"').replace('"$.y"', '"y"'));
  const changed = await stepglass("validate", ".", "--baseline", "known.json");
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /^error\[unknown-target\]: there is no state `F` here$/m);
  assert.doesNotMatch(changed.stdout, /there is no state `C` here/);
  assert.match(changed.stdout, /^fixed\[literal-path\]: .+\n --> order\.asl\.json \/States\/A\/Parameters\/x$/m);
  assert.match(changed.stdout, /^fixed\[unknown-target\]: there is no state `E` here$/m);
  assert.match(changed.stdout, /2 definitions: 1 error \(3 known in known\.json, 2 fixed\)/);
  const [report] = JSON.parse((await stepglass("validate", ".", "--baseline", "known.json", "--json")).stdout);
  assert.deepEqual(codes(report.diagnostics), ["unknown-target /States/B/Choices/2/Next"]);
  assert.equal(report.known.length, 3);
  assert.deepEqual(codes(report.fixed).sort(), ["literal-path /States/A/Parameters/x", "unknown-target /States/B/Choices/1/Next"]);

  // The paths of the baseline do not depend on the current folder.
  writeFileSync(file, moved);
  const elsewhere = await stepglass("validate", file, "--baseline", join(folder, "known.json"), "--strict");
  assert.equal(elsewhere.code, 0, elsewhere.stdout);
});

test("keeps the entries of a baseline that were not checked", async () => {
  const { stepglass, folder } = folderWith({ "a.asl.json": machine, "b.asl.json": machine, "c.asl.json": machine });
  const known = () => JSON.parse(readFileSync(join(folder, "known.json"), "utf8")).findings.map(({ file }) => file);
  const count = (file) => known().filter((one) => one === file).length;
  await stepglass("validate", ".", "--baseline", "known.json", "--write-baseline");
  assert.deepEqual([count("a.asl.json"), count("b.asl.json"), count("c.asl.json")], [5, 5, 5]);
  // A pre-commit hook checks only the changed files. A deleted file counts as fixed; a file that does not parse was not checked.
  writeFileSync(join(folder, "a.asl.json"), JSON.stringify(good));
  writeFileSync(join(folder, "b.asl.json"), "{");
  rmSync(join(folder, "c.asl.json"));
  const one = await stepglass("validate", "a.asl.json", "b.asl.json", "--baseline", "known.json", "--json");
  const reports = JSON.parse(one.stdout);
  assert.deepEqual(
    reports.map(({ file, diagnostics, fixed }) => [file, diagnostics.length, fixed.length]),
    [
      ["a.asl.json", 0, 5],
      ["b.asl.json", 1, 0],
      ["c.asl.json", 0, 5],
    ],
  );
  await stepglass("validate", "a.asl.json", "--baseline", "known.json", "--write-baseline");
  assert.deepEqual([count("a.asl.json"), count("b.asl.json"), count("c.asl.json")], [0, 5, 0]);
});

test("keeps the machines of a template apart in a baseline", async () => {
  const resource = (Definition) => ({ Type: "AWS::Serverless::StateMachine", Properties: { Definition } });
  const wrong = { StartAt: "A", States: { A: state({ Nxt: "B" }) } };
  const { stepglass, folder } = folderWith({ "template.json": { Resources: { One: resource(wrong), Two: resource(good) } } });
  const args = ["validate", "template.json", "--baseline", "known.json"];
  assert.equal((await stepglass(...args, "--write-baseline")).code, 0);
  assert.equal((await stepglass(...args)).code, 0);
  writeFileSync(join(folder, "template.json"), JSON.stringify({ Resources: { One: resource(good), Two: resource(wrong) } }));
  const { code, stdout } = await stepglass(...args);
  assert.equal(code, 1);
  assert.match(stdout, /fixed\[unknown-field\][^\n]+\n --> template\.json#One \/States\/A\/Nxt/);
  // Equal problems are counted.
  const two = {
    StartAt: "A",
    States: {
      A: {
        Type: "Parallel",
        End: true,
        Branches: [
          { StartAt: "X", States: {} },
          { StartAt: "X", States: {} },
        ],
      },
    },
  };
  writeFileSync(join(folder, "two.asl.json"), JSON.stringify(two, null, 2));
  await stepglass("validate", "two.asl.json", "--baseline", "two.json", "--write-baseline");
  two.States.A.Branches.push({ StartAt: "X", States: {} });
  writeFileSync(join(folder, "two.asl.json"), JSON.stringify(two, null, 2));
  const third = JSON.parse((await stepglass("validate", "two.asl.json", "--baseline", "two.json", "--json")).stdout);
  assert.ok(third[0].diagnostics.length > 0 && third[0].diagnostics.every(({ pointer }) => pointer.includes("/Branches/2")));
  assert.ok(existsSync(join(folder, "two.json")));
});
