// The proposals of the page's editor in YAML: the interpreter's proposals at the positions of YAML.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { complete } from "stepglass";

const entry = resolve(import.meta.dirname, "../../js/core/definition/yaml-proposals.ts");
const folder = mkdtempSync(join(tmpdir(), "stepglass-"));
after(() => rmSync(folder, { recursive: true }));
const outfile = join(folder, "proposals.mjs");
await build({ entryPoints: [entry], bundle: true, format: "esm", platform: "browser", outfile });
const { yamlProposals } = await import(pathToFileURL(outfile));

/** Returns the text after the proposal at `¦` was accepted, with the cursor, or the proposals if there is none of that name. */
function take(marked, label) {
  const at = marked.indexOf("¦");
  const text = marked.replace("¦", "");
  const found = yamlProposals(text, at, complete);
  const item = found?.items.find((one) => one.label === label);
  if (!item) return found && found.items.map((one) => one.label);
  const { start, end } = found.replace;
  const caret = item.caret ?? item.insert.length;
  return `${text.slice(0, start)}${item.insert.slice(0, caret)}¦${item.insert.slice(caret)}${text.slice(end)}`;
}

const TASK = "StartAt: A\nStates:\n  A:\n    Type: Task\n    ";

function check(cases) {
  for (const [marked, label, expect] of cases) assert.equal(take(marked, label), expect, marked);
}

test("names of fields, with an initial value", () => {
  check([
    ["¦", "StartAt", "StartAt: ¦"],
    ["StartAt: A\nSt¦", "States", "StartAt: A\nStates:\n  ¦"],
    [`${TASK}Re¦`, "Resource", `${TASK}Resource: ¦`],
    [`${TASK}Re¦\n    Next: B\n`, "Retry", `${TASK}Retry:\n      - ¦\n    Next: B\n`],
    [`${TASK}¦\n    Next: B\n`, "Assign", `${TASK}Assign:\n      ¦\n    Next: B\n`],
    [`${TASK}En¦`, "End", `${TASK}End: true¦`],
    [`${TASK}"Ne¦`, "Next", `${TASK}Next: ¦`],
    // A field that has a value is completed by its name only.
    [`${TASK}Ne¦: B`, "Next", `${TASK}Next¦: B`],
    [`${TASK}Retry:\n      - Err¦`, "ErrorEquals", `${TASK}Retry:\n      - ErrorEquals:\n          - ¦`],
    [
      "States:\n  A:\n    Type: Choice\n    Choices:\n      - Variable: $.x\n        Numeric¦\n",
      "NumericEquals",
      "States:\n  A:\n    Type: Choice\n    Choices:\n      - Variable: $.x\n        NumericEquals: ¦\n",
    ],
  ]);
});

test("only missing fields, and only those of the type and the language", () => {
  const proposed = take(`${TASK}Resource: x\n    ¦\n    End: true\n`, "none such");
  for (const name of ["TimeoutSeconds", "InputPath", "Catch"]) assert.ok(proposed.includes(name), name);
  for (const name of ["Type", "Resource", "End", "Choices", "Arguments"]) assert.ok(!proposed.includes(name), name);
  assert.ok(take(`QueryLanguage: JSONata\n${TASK}¦`, "none such").includes("Arguments"));
});

test("in flow style, closed or not", () => {
  check([
    ["States:\n  A: {Type: Pa¦}", "Pass", "States:\n  A: {Type: Pass¦}"],
    ["States:\n  A: {Type: Pa¦\n  B: {Type: Pass}\n", "Pass", "States:\n  A: {Type: Pass¦\n  B: {Type: Pass}\n"],
    ["States:\n  A: {Type: Pass, Ne¦}", "Next", "States:\n  A: {Type: Pass, Next: ¦}"],
    ["States:\n  A: {Type: Pass, As¦", "Assign", "States:\n  A: {Type: Pass, Assign: {¦}"],
    [
      "States:\n  A: {Type: Pass, Next: ¦}\n  'B, then C': {Type: Pass}",
      "B, then C",
      "States:\n  A: {Type: Pass, Next: \"B, then C\"¦}\n  'B, then C': {Type: Pass}",
    ],
    [
      `${TASK}Retry:\n      - ErrorEquals: [Sta¦\n        MaxAttempts: 2\n`,
      "States.Timeout",
      `${TASK}Retry:\n      - ErrorEquals: [States.Timeout¦\n        MaxAttempts: 2\n`,
    ],
  ]);
});

test("values: states, types, errors, enumerations, with quotes where YAML needs them", () => {
  const others = "\n  Ship it: {Type: Succeed}\n  \"no\": {Type: Succeed}\n  'It''s: done': {Type: Succeed}";
  check([
    [`${TASK}Next: ¦${others}`, "Ship it", `${TASK}Next: Ship it¦${others}`],
    [`${TASK}Next: Ship i¦t${others}`, "Ship it", `${TASK}Next: Ship it¦${others}`],
    [`${TASK}Next: ¦${others}`, "It's: done", `${TASK}Next: "It's: done"¦${others}`],
    [`${TASK}Next: '¦'${others}`, "It's: done", `${TASK}Next: 'It''s: done¦'${others}`],
    [`${TASK}Next: "Sh¦${others}`, "Ship it", `${TASK}Next: "Ship it¦${others}`],
    [`${TASK}Retry:\n      - ErrorEquals:\n          - Sta¦`, "States.ALL", `${TASK}Retry:\n      - ErrorEquals:\n          - States.ALL¦`],
    [`${TASK}QueryLanguage: ¦`, "JSONata", `${TASK}QueryLanguage: JSONata¦`],
    [`${TASK}End: t¦`, "true", `${TASK}End: true¦`],
  ]);
});

test("inside paths and expressions, also over several lines", () => {
  check([
    [`${TASK}Parameters:\n      x.$: States.Ma¦`, "MathAdd", `${TASK}Parameters:\n      x.$: States.MathAdd¦`],
    [`${TASK}InputPath: $$.Ex¦`, "Execution", `${TASK}InputPath: $$.Execution¦`],
    [
      `${TASK}QueryLanguage: JSONata\n    Output: "{% $substringA¦ %}"`,
      "$substringAfter",
      `${TASK}QueryLanguage: JSONata\n    Output: "{% $substringAfter(¦ %}"`,
    ],
    [
      `${TASK}QueryLanguage: JSONata\n    Output: >-\n      {% $states.¦\n      %}\n`,
      "input",
      `${TASK}QueryLanguage: JSONata\n    Output: >-\n      {% $states.input¦\n      %}\n`,
    ],
  ]);
  const { reads } = yamlProposals(`${TASK}Parameters:\n      x.$: $.order.i`, `${TASK}Parameters:\n      x.$: $.order.i`.length, complete);
  assert.deepEqual(reads, { language: "jsonpath", state: "A", field: "Parameters", path: "$.order" });
});

test("through anchors, aliases and merge keys, and in texts with other faults", () => {
  check([
    [
      "States:\n  A:\n    <<: &t\n      Type: Task\n      Resou¦\n    End: true\n  B:\n    <<: *t\n",
      "Resource",
      "States:\n  A:\n    <<: &t\n      Type: Task\n      Resource: ¦\n    End: true\n  B:\n    <<: *t\n",
    ],
    // The value that the alias refers to determines the proposals.
    [
      ".task: &t\n  Resou¦\nStates:\n  A:\n    Type: Task\n    <<: *t\n",
      "Resource",
      ".task: &t\n  Resource: ¦\nStates:\n  A:\n    Type: Task\n    <<: *t\n",
    ],
    [
      "States:\n  A:\n    Ty¦\n  B:\n    half\n  C:\n    Type: Pass\n    Nex\n",
      "Type",
      "States:\n  A:\n    Type: ¦\n  B:\n    half\n  C:\n    Type: Pass\n    Nex\n",
    ],
  ]);
  for (const comment of [`${TASK}# Ne¦`, `${TASK}Next: B # Ne¦`]) assert.equal(take(comment, "Next"), null, comment);
});

test("any prefix of a text, at any position", () => {
  const text =
    "StartAt: A # first\nStates:\n  A: &a\n    Type: Task\n    Resource: 'x''y'\n    Parameters: {\"x.$\": \"$.a[0].b\", y: [1, {z: ~}]}\n    Catch:\n      - ErrorEquals: [States.ALL]\n        Next: B\n  B: {<<: *a, Type: Pass}\n";
  for (let cut = 0; cut <= text.length; cut += 1) {
    for (const at of [cut, cut - 3, cut >> 1]) {
      if (at < 0) continue;
      const found = yamlProposals(text.slice(0, cut), at, complete);
      if (found) assert.ok(found.replace.start <= at && at <= found.replace.end && found.replace.end <= cut, `${cut} ${at}`);
    }
  }
});
