// Definitions in templates, objects in folders, machines that tasks start, colours, suggestions, completion.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folderWith } from "./command.mjs";

const charge = (resource) => ({ StartAt: "Charge", States: { Charge: { Type: "Task", Resource: resource, End: true } } });

const { folder, stepglass } = folderWith({
  "tasks.mjs":
    "export const charge = (input, task) => ({ by: task.resource }); export const ChargeFunction = charge; export const pay = charge;",
  // CloudFormation: a string with Fn::Sub, substitutions, an object, and a file.
  "template.yaml": `
Parameters:
  Delay: { Type: Number, Default: 30 }
Resources:
  ChargeFunction:
    Type: AWS::Lambda::Function
    Properties: { Handler: index.handler }
  Subbed:
    Type: AWS::StepFunctions::StateMachine
    Properties:
      DefinitionString: !Sub |
        {"StartAt": "Charge", "States": {"Charge": {"Type": "Task", "Resource": "\${ChargeFunction.Arn}", "End": true}}}
  Inline: # comment
    Type: AWS::Serverless::StateMachine
    Properties:
      Type: EXPRESS
      Definition:
        StartAt: Charge
        States:
          Charge:
            Type: Task
            Resource: !GetAtt ChargeFunction.Arn
            Next: Missing
  Filed:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionUri: machines/charge.asl.json
      DefinitionSubstitutions:
        Function: !GetAtt ChargeFunction.Arn
        Delay: !Ref Delay
`,
  "machines/charge.asl.json":
    '{"StartAt": "Nap", "States": {"Nap": {"Type": "Wait", "Seconds": ${Delay}, "Next": "Charge"},\n "Charge": {"Type": "Task", "Resource": "${Function}", "End": true}}}',
  // The output of the CDK.
  "cdk.out/Stack.template.json": {
    Resources: {
      ChargeFn8A1B2C3D: { Type: "AWS::Lambda::Function", Metadata: { "aws:cdk:path": "Stack/charge/Resource" } },
      Machine0D0E0F00: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionString: {
            "Fn::Join": [
              "",
              [
                '{"StartAt":"Charge","States":{"Charge":{"End":true,"Type":"Task","Resource":"arn:',
                { Ref: "AWS::Partition" },
                ':states:::lambda:invoke","Parameters":{"FunctionName":"',
                { "Fn::GetAtt": ["ChargeFn8A1B2C3D", "Arn"] },
                '","Payload.$":"$"}}}}',
              ],
            ],
          },
        },
      },
    },
  },
  "serverless.yml": `
service: shop
functions:
  pay: { handler: pay.handler }
stepFunctions:
  stateMachines:
    pay:
      type: EXPRESS
      definition:
        StartAt: Pay
        States:
          Pay: { Type: Task, Resource: { Fn::GetAtt: [pay, Arn] }, End: true }
    filed:
      definition: \${file(machines/plain.yml):machine}
`,
  "machines/plain.yml": "machine:\n  StartAt: A\n  States:\n    A: { Type: Pass, Result: filed, End: true }\n",
  "empty.yaml": "Resources: { Bucket: { Type: AWS::S3::Bucket } }",
  "bucket.json": {
    Resources: { M: { Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionS3Location: { Bucket: "b", Key: "k.json" } } } },
  },
  "orders.json": {
    StartAt: "Each",
    States: {
      Each: {
        Type: "Map",
        ItemReader: {
          Resource: "arn:aws:states:::s3:getObject",
          ReaderConfig: { InputType: "CSV", CSVHeaderLocation: "FIRST_ROW" },
          Parameters: { Bucket: "shop", Key: "in/orders.csv" },
        },
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "P",
          States: { P: { Type: "Pass", End: true } },
        },
        ResultWriter: { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "shop", Prefix: "out" } },
        End: true,
      },
    },
  },
  "data/shop/in/orders.csv": "id,amount\n1,20\n2,30\n",
  "parent.json": {
    StartAt: "Start",
    States: {
      Start: {
        Type: "Task",
        Resource: "arn:aws:states:::states:startExecution.sync:2",
        Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:child", Input: { n: 1 } },
        OutputPath: "$.Output",
        End: true,
      },
    },
  },
  "child.asl.yaml": "StartAt: A\nStates: { A: { Type: Pass, End: true } }\n",
  "bad.json": charge("x").States,
});

test("runs a template's machine with the names of its functions", async () => {
  for (const [spec, resource] of [
    ["template.yaml#Subbed", "arn:aws:lambda:us-east-1:123456789012:function:ChargeFunction"],
    ["template.yaml#Filed", "arn:aws:lambda:us-east-1:123456789012:function:ChargeFunction"],
    ["cdk.out/Stack.template.json", "arn:aws:states:::lambda:invoke"],
    ["serverless.yml#pay", "arn:aws:lambda:us-east-1:123456789012:function:pay"],
  ]) {
    const { code, stdout, stderr } = await stepglass("run", spec, "-t", "tasks.mjs", "--virtual-clock");
    assert.equal(code, 0, `${spec}: ${stderr}`);
    assert.equal((JSON.parse(stdout).Payload ?? JSON.parse(stdout)).by, resource, spec);
  }
  assert.equal(JSON.parse((await stepglass("run", "serverless.yml#filed")).stdout), "filed");
  const template = readFileSync(join(folder, "template.yaml"), "utf8");
  assert.equal((await stepglass("run", "-#Subbed", "-t", "tasks.mjs", { input: template })).code, 0);
});

test("validates every machine of a template, and shows positions in the template", async () => {
  const { code, stdout } = await stepglass("validate", "template.yaml");
  assert.equal(code, 1);
  assert.match(stdout, /--> template\.yaml:23:19/);
  assert.match(stdout, /\n3 definitions: 2 errors\n$/);
  const piped = await stepglass("validate", "-", {
    input: readFileSync(join(folder, "template.yaml"), "utf8").replace("machines/charge", `${folder}/machines/charge`),
  });
  assert.match(piped.stdout, /--> <stdin>:23:19[^]*\n3 definitions: 2 errors\n$/);
  const reports = JSON.parse((await stepglass("validate", "template.yaml", "--json")).stdout);
  assert.deepEqual(
    reports.map(({ machine, diagnostics }) => [machine, diagnostics.length]),
    [
      ["Subbed", 0],
      ["Inline", 2],
      ["Filed", 0],
    ],
  );
});

test("lists the machines of a template if it is not clear which one is meant", async () => {
  const check = async (spec, message) => {
    const { code, stderr } = await stepglass("run", spec);
    assert.equal(code, 2);
    assert.match(stderr, message);
  };
  await check("template.yaml", /has 3 state machines: choose one, for example template\.yaml#Subbed \(Subbed, Inline, Filed\)/);
  await check("template.yaml#Nobody", /has no state machine Nobody; it has Subbed, Inline, Filed/);
  await check("empty.yaml", /has no state machine/);
  await check("bucket.json", /its definition is an object in S3/);
  await check("parent.json#X", /is not a template/);
});

test("uses --objects as S3, and --machines for what tasks start", async () => {
  const { code, stdout, stderr } = await stepglass("run", "orders.json", "--objects", "data", "--virtual-clock");
  assert.equal(code, 0, stderr);
  const manifest = JSON.parse(readFileSync(join(folder, "data/shop", JSON.parse(stdout).ResultWriterDetails.Key), "utf8"));
  assert.equal(manifest.ResultFiles.SUCCEEDED.length, 1);
  assert.match((await stepglass("run", "orders.json", "--objects", "nowhere")).stderr, /there is no such folder/);
  const nested = await stepglass("run", "parent.json", "--machines", "child.asl.yaml", "--virtual-clock");
  assert.deepEqual([nested.code, nested.stderr, JSON.parse(nested.stdout)], [0, "", { n: 1 }]);
});

test("prints colours only where they are wanted", async () => {
  const escape = "\x1b[";
  const plain = await stepglass("validate", "template.yaml");
  assert.ok(!plain.stdout.includes(escape));
  const forced = await stepglass("validate", "template.yaml", { env: { FORCE_COLOR: "1" } });
  assert.ok(forced.stdout.includes(escape));
  const both = await stepglass("validate", "template.yaml", { env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
  assert.ok(!both.stdout.includes(escape));
});

test("suggests the right word for a typing error", async () => {
  for (const [args, word] of [
    [["vaildate"], "validate"],
    [["help", "grpah"], "graph"],
    [["run", "--tsks", "x"], "--tasks"],
    [["graph", "parent.json", "--direction", "TD"], "TB"],
    [["comp"], "completion"],
  ]) {
    const { code, stderr, stdout } = await stepglass(...args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.ok(stderr.includes(`did you mean ${word}?`), stderr);
  }
});

test("completes words in shells", async (context) => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await stepglass("completion", shell);
    assert.equal(code, 0);
    assert.match(stdout, /validate/);
    assert.match(stdout, /virtual-clock/);
  }
  assert.equal((await stepglass("completion", "csh")).code, 2);
  const { spawnSync } = await import("node:child_process");
  const script = (await stepglass("completion", "bash")).stdout;
  const complete = (...words) => {
    const line = `${script}\nCOMP_WORDS=(stepglass ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _stepglass; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", line], { cwd: folder, encoding: "utf8" }).stdout.trim().split("\n");
  };
  if (spawnSync("bash", ["-c", "true"]).status !== 0) return context.skip("there is no bash");
  assert.deepEqual(complete("va"), ["validate"]);
  assert.deepEqual(complete("graph", "--th"), ["--theme"]);
  assert.deepEqual(complete("graph", "--theme", ""), ["light", "dark", "auto"]);
  assert.deepEqual(complete("run", "par"), ["parent.json"]);
});
