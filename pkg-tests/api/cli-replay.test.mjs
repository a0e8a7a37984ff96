// stepglass replay: compares a history of AWS with a definition.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { StateMachine } from "stepglass";
import { folderWith } from "./command.mjs";

const definition = {
  StartAt: "Work",
  States: {
    Work: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:work", Next: "Enough" },
    Enough: { Type: "Choice", Choices: [{ Variable: "$.n", NumericGreaterThan: 5, Next: "Done" }], Default: "Low" },
    Low: { Type: "Fail", Error: "Low" },
    Done: { Type: "Succeed" },
  },
};
const execution = new StateMachine(definition).start({}, { clock: "virtual", tasks: { work: () => ({ n: 7 }) } });
await execution.result;
const events = execution.history();
const changed = structuredClone(definition);
changed.States.Enough.Choices[0].NumericGreaterThan = 10;

const hostile = structuredClone(changed);
hostile.States.Low.Error = "<script>alert(1)</script>";

const { folder, stepglass } = folderWith({
  "history.json": { events },
  "page.json": events.slice(0, 3),
  "bare.json": {
    events: events.map(({ timestamp, ...event }) =>
      JSON.parse(JSON.stringify(event), (key, value) =>
        ["input", "output", "inputDetails", "outputDetails"].includes(key) ? undefined : value,
      ),
    ),
  },
  "good.json": definition,
  "hostile.json": hostile,
  "runs/a&b.sfnrun": {
    format: "stepglass-execution",
    version: 1,
    execution: { executionArn: "arn:aws:states:us-east-1:123456789012:execution:Orders:a", status: "SUCCEEDED" },
    history: events,
    mapRuns: [],
    missing: [],
    redacted: [],
  },
  "changed.json": changed,
  "renamed.json": JSON.stringify(definition).replaceAll("Done", "Finished"),
  "broken.json": { StartAt: "A" },
  "template.json": {
    Resources: { M: { Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionString: JSON.stringify(definition) } } },
  },
});

test("reports an execution that takes the same path", async () => {
  for (const file of ["good.json", "template.json"]) {
    const { code, stdout, stderr } = await stepglass("replay", "history.json", file);
    assert.deepEqual([code, stdout, stderr], [0, `the same: ${events.length} events, SUCCEEDED\n`, ""]);
  }
  assert.equal((await stepglass("replay", "-", "good.json", { input: JSON.stringify(events) })).code, 0);
});

test("reports an execution that takes another path", async () => {
  const { code, stdout } = await stepglass("replay", "history.json", "changed.json");
  assert.equal(code, 1);
  const [first, , message, , reason] = stdout.split("\n");
  const entered = events.find((event) => event.type === "SucceedStateEntered").id;
  assert.equal(first, `diverges at event ${entered} SucceedStateEntered, state Done`);
  assert.equal(message, "  the recording has SucceedStateEntered Done, the definition FailStateEntered Low");
  assert.equal(reason, "  The rules of Choice state 'Enough' lead to another state with this input: they have changed.");
  const report = JSON.parse((await stepglass("replay", "history.json", "changed.json", "--json")).stdout);
  assert.deepEqual([report.matches, report.divergence.event, report.tasks[0].output], [false, entered, { n: 7 }]);
});

test("reports missing files and events", async () => {
  const page = await stepglass("replay", "page.json", "good.json");
  assert.equal(page.code, 0);
  assert.match(page.stdout, /incomplete: event 3: the recording ends while the execution is running/);
  const bare = await stepglass("replay", "bare.json", "good.json");
  assert.equal(bare.code, 0);
  assert.match(bare.stdout, /incomplete: event 1: the recording has no input/);
  const renamed = await stepglass("replay", "bare.json", "renamed.json");
  assert.equal(renamed.code, 1);
  assert.match(renamed.stdout, /which the definition does not have/);
});

test("writes a folder's report as a page with every group, without scripts, with everything escaped", async () => {
  const { code, stdout } = await stepglass("replay", "runs", "hostile.json", "--html", "replay.html");
  assert.equal(code, 1);
  assert.match(stdout, /1 execution replayed/);
  const page = readFileSync(join(folder, "replay.html"), "utf8");
  assert.match(page, /<h2>1 now fails: from state Enough, &lt;script&gt;alert\(1\)&lt;\/script&gt;<\/h2>/);
  assert.match(page, /It ended as SUCCEEDED, and the replay as FAILED\./);
  assert.match(page, /✗ 1 execution with a result that is not permitted/);
  assert.doesNotMatch(page, /<script|\son\w+=|https?:|src=|href=/);
  const allowed = await stepglass("replay", "runs", "hostile.json", "--html", "replay.html", "--allow", "fails", "--json");
  assert.deepEqual([allowed.code, JSON.parse(allowed.stdout).counts.fails], [0, 1]);
  assert.match(readFileSync(join(folder, "replay.html"), "utf8"), /✓ Every result is permitted/);
  assert.equal((await stepglass("replay", "history.json", "good.json", "--html", "replay.html")).code, 2);
  assert.equal((await stepglass("replay", "runs", "good.json", "--html", "nowhere/replay.html")).code, 2);
});

test("refuses wrong usage", async () => {
  for (const args of [[], ["history.json"], ["good.json", "good.json"], ["-", "-"], ["nowhere.json", "good.json"]]) {
    assert.equal((await stepglass("replay", ...args)).code, 2, args.join(" "));
  }
  const broken = await stepglass("replay", "history.json", "broken.json");
  assert.deepEqual([broken.code, broken.stdout], [1, ""]);
  assert.match(broken.stderr, /error\[/);
});
