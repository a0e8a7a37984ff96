// The steps of action.yml, run like a runner of GitHub Actions does: inputs become environment variables, and bash runs the scripts.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { simulate } from "../../dist/node.js";
import { parse } from "yaml";
import { output } from "../../scripts/steps.mjs";
import { projectWith, root, run } from "./project.mjs";

const action = parse(readFileSync(join(root, "action.yml"), "utf8"));
const skip = output("bash", ["--version"]) === undefined ? "there is no bash" : false;

/** Evaluates an expression of a workflow: `inputs.name`, strings, ==, !=, &&, ||, ! and functions of the job's state. */
function evaluate(expression, inputs) {
  const script = expression.replaceAll(/inputs\.([\w-]+)/g, (_, name) => {
    assert.ok(name in action.inputs, `there is no input ${name}`);
    return JSON.stringify(inputs[name]);
  });
  return new Function("cancelled", "failure", "success", "always", `return ${script}`)(
    () => false,
    () => inputs.failed,
    () => !inputs.failed,
    () => true,
  );
}

const filled = (text, inputs) => String(text).replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression) => evaluate(expression, inputs));

/** Runs the steps in a folder. Returns the exit code and output of each, and whether one has failed. */
async function perform(folder, given, surroundings = {}) {
  for (const name of Object.keys(given)) assert.ok(name in action.inputs, `there is no input ${name}`);
  const inputs = Object.fromEntries(Object.entries(action.inputs).map(([name, { default: value }]) => [name, given[name] ?? value]));
  const steps = {};
  let failed = false;
  for (const step of action.runs.steps) {
    const condition = step.if === undefined ? "success()" : step.if.replace(/^\$\{\{(.*)\}\}$/, "$1");
    if (!evaluate(condition, { ...inputs, failed })) continue;
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value, inputs)]));
    assert.equal(step.shell, "bash");
    assert.doesNotMatch(step.run, /\$\{\{/, "an input that is part of a script could run any command");
    const script = join(folder, `.step-${step.name}.sh`);
    writeFileSync(script, step.run);
    const cwd = join(folder, filled(step["working-directory"], inputs));
    // Runners call bash with these options.
    steps[step.name] = await run("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
      cwd,
      env: { ...env, GITHUB_WORKSPACE: folder, ...surroundings },
    });
    failed ||= steps[step.name].code !== 0;
  }
  return { steps, failed };
}

const good = { StartAt: "A", States: { A: { Type: "Pass", End: true } } };
const bad = { StartAt: "A", States: { A: { Type: "Pass", Next: "Nowhere" } } };
const warned = { StartAt: "A", States: { A: { Type: "Pass", Parameters: { x: "$.y" }, End: true } } };
const tests = (status) => `definition: good.asl.json\ntests:\n  - name: it ends\n    expect: { status: ${status} }\n`;
const files = {
  "good.asl.json": good,
  "machines/a b.asl.json": bad,
  "machines/c.asl.json": warned,
  "good.stepglass.yaml": tests("SUCCEEDED"),
  "bad.stepglass.yaml": tests("FAILED"),
};

test("the action is a composite action, and all of its inputs are described and used", () => {
  assert.equal(action.runs.using, "composite");
  const text = JSON.stringify(action.runs);
  for (const [name, { description }] of Object.entries(action.inputs)) {
    assert.ok(description.length > 5, name);
    assert.ok(text.includes(`inputs.${name}`), name);
  }
});

test("the action validates all definitions by default, with annotations", { skip }, async () => {
  const { steps, failed } = await perform(projectWith(files), {});
  assert.ok(failed);
  assert.deepEqual(Object.keys(steps), ["Validate"]);
  assert.match(steps.Validate.stdout, /^::error file=machines\/a b\.asl\.json,line=1,.*::there is no state `Nowhere` here/m);
  assert.match(steps.Validate.stdout, /^::warning file=machines\/c\.asl\.json/m);
  assert.equal(steps.Validate.code, 1);
});

test("the action passes its inputs to the command safely", { skip }, async () => {
  const folder = projectWith(files);
  const chosen = await perform(folder, {
    files: "good.asl.json\nmachines/c*.json\n",
    format: "text\nsarif=out.sarif\njunit=out.xml",
    test: "good.stepglass.yaml",
  });
  assert.ok(!chosen.failed, JSON.stringify(chosen.steps));
  assert.match(chosen.steps.Validate.stdout, /2 definitions: 1 warning/);
  assert.match(chosen.steps.Test.stdout, /1 passed/);
  assert.equal(JSON.parse(readFileSync(join(folder, "out.sarif"), "utf8")).version, "2.1.0");
  assert.match(readFileSync(join(folder, "out.xml"), "utf8"), /<testsuites /);
  const strict = await perform(folder, { files: "machines/c.asl.json", strict: "true" });
  assert.equal(strict.steps.Validate.code, 1);
  const inside = await perform(folder, { "working-directory": "machines", files: "a b.asl.json" });
  assert.match(inside.steps.Validate.stdout, /^::error file=machines\/a b\.asl\.json,/);
  const hostile = await perform(folder, { files: "$(touch pwned)\n; touch pwned" });
  assert.equal(hostile.steps.Validate.code, 2);
  assert.throws(() => readFileSync(join(folder, "pwned")), /ENOENT/);
});

test("the action accepts a baseline, and runs tests after a failed validation", { skip }, async () => {
  const folder = projectWith(files);
  const written = await run("npx", ["--yes", "stepglass", "validate", ".", "--baseline", "known.json", "--write-baseline"], {
    cwd: folder,
  });
  assert.equal(written.code, 0, written.stderr);
  const known = await perform(folder, { baseline: "known.json", test: "true" });
  assert.equal(known.steps.Validate.code, 0);
  assert.equal(known.steps.Test.code, 1);
  assert.match(known.steps.Test.stdout, /1 passed, 1 failed/);
  const both = await perform(folder, { test: "good.stepglass.yaml" });
  assert.deepEqual([both.steps.Validate.code, both.steps.Test.code], [1, 0]);
});

const changed = { StartAt: "A", States: { A: { Type: "Fail", Error: "No" } } };

/** A fetched execution of the good definition. */
function fetchedRun() {
  const { history } = simulate(good, {});
  const executionArn = "arn:aws:states:us-east-1:123456789012:execution:Orders:order-7";
  return { format: "stepglass-execution", version: 1, execution: { executionArn, status: "SUCCEEDED" }, history, mapRuns: [], missing: [] };
}

test("the action replays fetched executions and accepts the allowed verdicts", { skip }, async () => {
  const folder = projectWith({ ...files, "changed.asl.json": changed, "runs/order-7.sfnrun": fetchedRun() });
  const inputs = { files: "good.asl.json", replay: "runs" };
  const same = await perform(folder, { ...inputs, "replay-definition": "good.asl.json" });
  assert.deepEqual([same.failed, Object.keys(same.steps)], [false, ["Validate", "Replay"]]);
  assert.match(same.steps.Replay.stdout, /^1 {2}same\n/);
  const other = await perform(folder, { ...inputs, "replay-definition": "changed.asl.json" });
  assert.equal(other.steps.Replay.code, 1);
  assert.match(other.steps.Replay.stdout, /^1 {2}now fails: from state/);
  const allowed = await perform(folder, { ...inputs, "replay-definition": "changed.asl.json", "replay-allow": "fails,path" });
  assert.equal(allowed.failed, false);
});

test("the action writes the table of a replay as one comment of the pull request", { skip }, async () => {
  const folder = projectWith({
    ...files,
    "changed.asl.json": changed,
    "runs/order-7.sfnrun": fetchedRun(),
    "event.json": { pull_request: { number: 12 } },
    // In place of GitHub's command, which the runners have: it stores comments in files.
    "bin/gh": `#!/bin/bash
echo "$GH_TOKEN $*" >> calls
if [ "$1 $2" = "api --paginate" ]; then if [ -e earlier ]; then printf '7\\n9\\n'; fi; exit 0; fi
if [ -e refused ]; then exit 1; fi
last="\${@: -1:1}"
cat "\${last#body=@}" > comment
`,
  });
  chmodSync(join(folder, "bin/gh"), 0o755);
  const inputs = { files: "good.asl.json", replay: "runs", "replay-definition": "changed.asl.json", "replay-comment": "true", token: "t0" };
  const runner = {
    PATH: `${join(folder, "bin")}${delimiter}${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    GITHUB_EVENT_PATH: join(folder, "event.json"),
    GITHUB_REPOSITORY: "o/r",
  };
  const first = await perform(folder, inputs, runner);
  assert.equal(first.steps.Replay.code, 1, "the comment does not change the result");
  const comment = readFileSync(join(folder, "comment"), "utf8");
  assert.match(comment, /^<!-- stepglass replay runs changed\.asl\.json -->\n[^]*\n````\n1 {2}now fails: from state A, No\n[^]*\n````\n$/);
  const calls = () => readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n");
  assert.match(calls().at(-1), /^t0 api repos\/o\/r\/issues\/12\/comments --field body=@/);
  // A later run changes the comment of the first one.
  writeFileSync(join(folder, "earlier"), "");
  await perform(folder, inputs, runner);
  assert.match(calls().at(-1), /^t0 api --method PATCH repos\/o\/r\/issues\/comments\/7 --field body=@/);
  // A token that may not write comments, as on a pull request of a fork, does not fail the job.
  writeFileSync(join(folder, "refused"), "");
  const refused = await perform(folder, { ...inputs, "replay-allow": "fails" }, runner);
  assert.equal(refused.steps.Replay.code, 0);
  assert.match(refused.steps.Replay.stdout, /^::warning::The table could not be written as a comment/m);
  // Without a pull request there is nothing to comment on.
  const before = calls().length;
  writeFileSync(join(folder, "event.json"), JSON.stringify({ ref: "refs/heads/main" }));
  await perform(folder, inputs, runner);
  assert.equal(calls().length, before);
});
