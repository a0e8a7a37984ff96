// Terraform as it is written in practice: old and new templates, loops, text functions, modules. What cannot be read is named.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import "stepglass";
import { readDefinition } from "stepglass/node";
import { folderWith } from "./command.mjs";

const { folder, stepglass } = folderWith({});
const texts = {};
const put = (files) => {
  for (const [name, content] of Object.entries(files)) {
    texts[name] = typeof content === "string" ? content : JSON.stringify(content, null, 1);
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), texts[name]);
  }
};
/** Returns each report: its name with the code of each problem and the text at its position, or why it cannot be read. */
const problems = async (...args) =>
  JSON.parse((await stepglass("validate", "--json", ...args)).stdout).map(({ file, machine, problem, diagnostics }) => [
    file,
    ...(problem ? [problem.message] : [machine]),
    ...diagnostics.map(({ code, range: { start, end } }) => `${code} ${texts[file].slice(start.offset, end.offset)}`),
  ]);
const definition = (spec, substitutions = {}) => JSON.parse(readDefinition(join(folder, spec), { substitutions }).definition);
const machine = (name, expression) => `resource "aws_sfn_state_machine" "${name}" {\n  definition = ${expression}\n}\n`;
const charge = "arn:aws:lambda:us-east-1:123456789012:function:charge";

describe("Terraform", () => {
  test("reads data.template_file and data.local_file, with files and with texts", async () => {
    put({
      "data/main.tf": `resource "aws_lambda_function" "charge" {}
${machine("filed", "data.template_file.filed.rendered")}
${machine("old", '"${data.template_file.filed.rendered}"')}
${machine("inline", "data.template_file.inline.rendered")}
${machine("local", "data.local_file.plain.content")}
data "template_file" "filed" {
  template = "\${file("\${path.module}/filed.json")}"
  vars = {
    charge = aws_lambda_function.charge.arn
    wait   = 3
  }
}
data "template_file" "inline" {
  template = <<-EOT
    {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "$\${charge}", "Nxt": 1, "End": true}}}
  EOT
  vars = { charge = "\${aws_lambda_function.charge.arn}" }
}
data "local_file" "plain" { filename = "plain.json" }
`,
      "data/filed.json":
        '{"StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": ${wait}, "Next": "C"}, "C": {"Type": "Task", "Resource": "${charge}", "Nxt": 1, "End": true}}}',
      "data/plain.json": '{"StartAt": "A", "States": {"A": {"Type": "Pass", "Nxt": 1, "End": true}}}',
    });
    const found = await problems("data/main.tf");
    assert.deepEqual(
      found.map(([file, name, problem]) => [file, name, problem.split(" ")[0]]),
      [
        ["data/filed.json", "filed", "unknown-field"],
        ["data/filed.json", "old", "unknown-field"],
        ["data/main.tf", "inline", "unknown-field"],
        ["data/plain.json", "local", "unknown-field"],
      ],
    );
    for (const i of [0, 1, 3]) assert.equal(found[i][2], 'unknown-field "Nxt"');
    assert.deepEqual([definition("data/main.tf#filed").States.C.Resource, definition("data/main.tf#filed").States.W.Seconds], [charge, 3]);
    assert.equal(definition("data/main.tf#inline").States.A.Resource, charge);
  });

  test("maps positions through replace() into the file, for strings and patterns", async () => {
    put({
      "replace/main.tf":
        machine(
          "m",
          'replace(replace(file("${path.module}/m.json"), "CHARGE_ARN", aws_lambda_function.charge.arn), "/WAIT_(\\\\w+)/", "$1")',
        ) + machine("unknown", 'replace(file("m.json"), "/(?P<a>[/", var.x)'),
      "replace/m.json":
        '{"StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": WAIT_5, "Next": "C"},\n "C": {"Type": "Task", "Resource": "CHARGE_ARN", "Nxt": 1, "End": true}}}',
    });
    assert.deepEqual(await problems("replace/main.tf"), [
      ["replace/m.json", "m", 'unknown-field "Nxt"'],
      [
        "replace/main.tf#aws_sfn_state_machine.unknown",
        "replace/main.tf#aws_sfn_state_machine.unknown: its definition has replace(…) in m.json, which stepglass does not work out: pass the output of terraform show -json of a plan",
      ],
    ]);
    const { W, C } = definition("replace/main.tf#m").States;
    assert.deepEqual([W.Seconds, C.Resource], [5, charge]);
  });

  test("evaluates for expressions to lists and objects", () => {
    put({
      "for/main.tf": `locals {
  regions = { eu = 1, us = 2, none = 0 }
  steps   = ["a", "b"]
}
${machine(
  "coded",
  `jsonencode({
    StartAt = local.steps[0]
    States  = merge({ for i, name in local.steps : name => {
      Type       = "Pass"
      Next       = i + 1 < length(local.steps) ? local.steps[i + 1] : "end"
    } }, { end = { Type = "Pass", Result = [for key, n in local.regions : upper("\${key}-\${n}") if n > 0], End = true } })
  })`,
)}
${machine("text", '<<EOT\n{"StartAt": "P", "States": {"P": {"Type": "Pass", "Result": [${join(", ", [for s in local.steps : "\\"${s}\\""])}], "End": true}}}\nEOT')}
${machine("grouped", 'jsonencode({ StartAt = "P", States = { P = { Type = "Pass", End = true, Result = { for s in ["ax", "ay", "b"] : substr(s, 0, 1) => s... } } } })')}
${machine("unknown", 'jsonencode({ StartAt = "P", States = { P = { Type = "Pass", End = true, Result = [for s in var.names : s] } } })')}
`,
    });
    const { StartAt, States } = definition("for/main.tf#coded");
    assert.deepEqual([StartAt, States.a.Next, States.b.Next, States.end.Result], ["a", "b", "end", ["EU-1", "US-2"]]);
    assert.deepEqual(definition("for/main.tf#text").States.P.Result, ["a", "b"]);
    assert.deepEqual(definition("for/main.tf#grouped").States.P.Result, { a: ["ax", "ay"], b: ["b"] });
    assert.deepEqual(definition("for/main.tf#unknown", { "var.names": ["x"] }).States.P.Result, ["x"]);
  });

  test("evaluates directives in heredocs and templatefile, with positions there", async () => {
    put({
      "directives/main.tf": `variable "queues" { default = ["one", "two"] }
${machine(
  "heredoc",
  `<<-EOT
    {"StartAt": "P", "States": {
    %{ for i, q in var.queues ~}
      "\${q}": {"Type": "Pass", "Nxt": \${i}, "Next": "P"},
    %{ endfor ~}
      %{ if length(var.queues) > 1 }"P": {"Type": "Pass", "Result": "many", "End": true}%{ else }"P": {"Type": "Fail"}%{ endif }
    }}
  EOT`,
)}
${machine("filed", 'templatefile("${path.module}/m.json.tftpl", { queues = var.queues, retry = false, extra = { MaxAttempts = 2 } })')}
`,
      "directives/m.json.tftpl": `{"StartAt": "P", "States": {
  "P": {"Type": "Parallel", "Branches": [
%{~ for i, q in queues }\${i > 0 ? "," : ""}
    {"StartAt": "Q", "States": {"Q": {"Type": "Pass", "Result": "\${upper(q)}", "Nxt": 1, "End": true}}}
%{~ endfor ~}
  ],
%{ if retry }
  "Retry": [\${jsonencode(extra)}],
%{ endif }
  "Comment": "$\${kept}", "End": true}}}
`,
    });
    const found = (await problems("directives/main.tf")).map((report) =>
      report.filter((one) => !/^(unreachable|duplicate)-state/.test(one)),
    );
    assert.deepEqual(found, [
      ["directives/main.tf", "heredoc", 'unknown-field "Nxt"', 'unknown-field "Nxt"'],
      ["directives/m.json.tftpl", "filed", 'unknown-field "Nxt"', 'unknown-field "Nxt"'],
    ]);
    assert.deepEqual(Object.keys(definition("directives/main.tf#heredoc").States), ["one", "two", "P"]);
    const { P } = definition("directives/main.tf#filed").States;
    assert.deepEqual([P.Branches.map(({ States }) => States.Q.Result), P.Comment, P.Retry], [["ONE", "TWO"], "${kept}", undefined]);
  });

  test("names what cannot be read, and does not report it as invalid JSON", async () => {
    put({
      "refused/main.tf": [
        machine("loop", 'templatefile("loop.json", { names = var.names })'),
        machine("broken", 'templatefile("broken.json", { names = [] })'),
        machine("yaml", 'jsonencode(yamldecode(templatefile("loop.yaml", { names = ["a"] })))'),
        machine("data", "data.external.machine.result"),
        machine("missing", 'file("nowhere.json")'),
      ].join(""),
      "refused/loop.json": '{"StartAt": "A", "States": {%{ for n in names }"${n}": {"Type": "Succeed"}%{ endfor }}}',
      "refused/broken.json": '{"StartAt": "A",\n"States": {%{ for n in names }"x": 1}}',
      "refused/loop.yaml": "StartAt: A\nStates:\n%{ for n in names ~}\n  ${n}: { Type: Succeed }\n%{ endfor ~}\n",
    });
    const plan = "pass the output of terraform show -json of a plan";
    const id = (name) => `refused/main.tf#aws_sfn_state_machine.${name}`;
    assert.deepEqual(
      (await problems("refused/main.tf")).map(([file, message]) => [file, message.slice(file.length + 2)]),
      [
        [id("loop"), `its definition has %{ for … in var.names }, which stepglass does not work out: ${plan}`],
        [
          id("broken"),
          `its definition has the template broken.json, where in line 2 %{ endfor } is expected here, which stepglass does not work out: ${plan}`,
        ],
        [id("yaml"), `its definition has what yamldecode makes of the template loop.yaml, which stepglass does not work out: ${plan}`],
        [
          id("data"),
          `its definition is the value of data.external.machine.result, which stepglass cannot work out: ${plan}, or the definition's file`,
        ],
        [id("missing"), "cannot read refused/nowhere.json: no such file"],
      ],
    );
    assert.deepEqual(definition("refused/main.tf#loop", { "var.names": ["A"] }).States, { A: { Type: "Succeed" } });
  });

  test("follows modules in folders, with their arguments", async () => {
    put({
      "modules/main.tf": `module "orders" {
  source     = "./machine"
  name       = "orders"
  charge     = aws_lambda_function.charge.arn
  definition = jsonencode({
    StartAt = "A", States = { A = { Type = "Pass", Nxt = 1, End = true } } })
}
module "files" {
  source = "./machine/"
  name   = "files"
  charge = "arn:aws:lambda:us-east-1:123456789012:function:other"
  file   = "\${path.module}/given.json"
}
module "vpc" { source = "terraform-aws-modules/vpc/aws" }
`,
      "modules/given.json": '{"StartAt": "A", "States": {"A": {"Type": "Pass", "Nxt": 1, "End": true}}}',
      "modules/machine/variables.tf":
        'variable "name" {}\nvariable "charge" {}\nvariable "definition" { default = "{}" }\nvariable "file" { default = "x" }\n',
      "modules/machine/main.tf": `${machine("given", "var.definition")}
resource "aws_sfn_state_machine" "own" {
  name       = "\${var.name}-own"
  definition = jsonencode({ StartAt = "C", States = { C = { Type = "Task", Resource = var.charge, Nxt = 1, End = true } } })
}
${machine("template", 'templatefile("${path.module}/t.json", { charge = var.charge })')}
${machine("filed", "file(var.file)")}
`,
      "modules/machine/t.json": '{"StartAt": "C", "States": {"C": {"Type": "Task", "Resource": "${charge}", "Nxt": 1, "End": true}}}',
    });
    const found = await problems("modules/main.tf");
    assert.deepEqual(
      found.filter(([, name]) => name.length < 30).map(([file, name, problem]) => [file, name, problem]),
      [
        ["modules/main.tf", "given", "unknown-field Nxt"],
        ["modules/machine/main.tf", "orders-own", "unknown-field Nxt"],
        ["modules/machine/t.json", "template", 'unknown-field "Nxt"'],
        ["modules/machine/main.tf", "given", "missing-field var.definition"],
        ["modules/machine/main.tf", "files-own", "unknown-field Nxt"],
        ["modules/machine/t.json", "template", 'unknown-field "Nxt"'],
        ["modules/given.json", "filed", 'unknown-field "Nxt"'],
      ],
    );
    assert.equal(definition("modules/main.tf#module.orders.aws_sfn_state_machine.own").States.C.Resource, charge);
    assert.equal(
      definition("modules/main.tf#module.files.aws_sfn_state_machine.template").States.C.Resource,
      charge.replace(/charge$/, "other"),
    );
    // In a folder, a module is read with its caller, and not by itself.
    const below = (await problems("modules")).map(([file]) => file);
    assert.deepEqual(below.length, found.length);
  });

  test("names a module whose files are elsewhere if it creates state machines", async () => {
    put({
      "elsewhere/main.tf": `module "machine" { source = "git::https://example.com/modules.git//step-function" }
module "vpc" { source = "terraform-aws-modules/vpc/aws" }
module "workflow" {
  source              = "example/workflow/aws"
  workflow_definition = file("w.json")
  container_definitions = jsonencode([{ name = "x" }])
}
`,
      "elsewhere/w.json": '{"StartAt": "A", "States": {"A": {"Type": "Pass", "Nxt": 1, "End": true}}}',
    });
    assert.deepEqual(await problems("elsewhere/main.tf"), [
      [
        "elsewhere/main.tf#module.machine",
        "elsewhere/main.tf#module.machine: it is a state machine of the module git::https://example.com/modules.git//step-function, which stepglass does not work out: pass the output of terraform show -json of a plan",
      ],
      ["elsewhere/w.json", "workflow", 'unknown-field "Nxt"'],
    ]);
  });

  test("finds positions of a local value in another file", async () => {
    put({
      "locals/main.tf": machine("m", "local.text") + machine("n", "jsonencode(local.coded)"),
      "locals/locals.tf":
        '# The machines\nlocals {\n  text = <<EOT\n{"StartAt": "A", "States": {"A": {"Type": "Pass", "Nxt": 1, "End": true}}}\nEOT\n  coded = { StartAt = "A", States = { A = { Type = "Pass", Nxt = 1, End = true } } }\n}\n',
    });
    assert.deepEqual(await problems("locals/main.tf"), [
      ["locals/locals.tf", "m", 'unknown-field "Nxt"'],
      ["locals/main.tf", "n", "unknown-field local.coded"],
    ]);
  });
});
