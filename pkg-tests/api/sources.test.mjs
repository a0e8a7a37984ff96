// Definitions in the templates of every tool, positions of problems in them, placeholders for what only a deployment knows, and
// hostile templates.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { readDefinition } from "stepglass/node";
import { testMachine } from "stepglass/testing";
import { assembly } from "./assembly.mjs";
import { folderWith } from "./command.mjs";

const { folder, stepglass } = folderWith({
  "tasks.mjs":
    'export default { "*": (input, task) => ({ resource: task.resource, parameters: task.parameters ?? null, Payload: task.parameters ?? null }) };',
});

const put = (files) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content, null, 1));
  }
};
const reports = async (...args) => JSON.parse((await stepglass("validate", "--json", ...args)).stdout);
/** Returns each problem with the text at its position in its file. */
const problems = async (texts, ...args) =>
  (await reports(...args)).flatMap(({ file, problem, diagnostics }) =>
    problem !== undefined
      ? [[file, problem.message]]
      : diagnostics.map(({ code, range: { start, end } }) => {
          const text = texts[file];
          assert.equal(text.slice(0, start.offset).split("\n").length, start.line, `the line of ${code}`);
          assert.equal(start.offset - text.lastIndexOf("\n", start.offset - 1), start.column, `the column of ${code}`);
          return [file, code, text.slice(start.offset, end.offset)];
        }),
  );
const output = async (...args) => {
  const { code, stdout, stderr } = await stepglass("run", ...args, "-t", "tasks.mjs", "--virtual-clock");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
};
const missing = "Nxt";
const wrong = (resource = "arn:aws:lambda:us-east-1:123456789012:function:charge") => ({
  StartAt: "Charge",
  States: { Charge: { Type: "Task", Resource: resource, [missing]: "Done", End: true } },
});

describe("CloudFormation and SAM", () => {
  const inText = (style) => `AWSTemplateFormatVersion: "2010-09-09"
Resources:
  M:
    Type: AWS::StepFunctions::StateMachine
    Properties:
      RoleArn: !GetAtt Role.Arn
      DefinitionString: ${style}
`;
  const json = '{"StartAt": "A", "States": {"A": {"Type": "Pass", "Nxt": "B", "End": true}}}';
  const lines = '{\n  "StartAt": "A",\n  "States": {\n    "A": {"Type": "Pass", "Nxt": "B", "End": true}\n  }\n}';
  const indented = (text, by) => text.replaceAll(/^/gm, " ".repeat(by));
  const styles = {
    "a block": inText(`|\n${indented(lines, 8)}`),
    "a block with Fn::Sub": inText(`!Sub |\n${indented(lines, 8)}`),
    "a folded block": inText(`>-\n${indented(lines.replaceAll(/\n */g, "\n"), 8)}`),
    "single quotes": inText(`'${json}'`),
    "double quotes": inText(JSON.stringify(json)),
    "double quotes over lines": inText(JSON.stringify(json).replace(", ", ",\n          ").replace("Pass", "\\x50ass")),
    "no quotes in the short form": inText(`!Sub '${json.replace("Nxt", "Nxt")}'`),
    "Fn::Sub with values": inText(`!Sub\n        - |\n${indented(lines, 10)}\n        - Unused: 1`),
    "Fn::Join": inText(`!Join\n        - ""\n        - - '${json.slice(0, 40)}'\n          - '${json.slice(40)}'`),
    CRLF: inText(`!Sub |\n${indented(lines, 8)}`).replaceAll("\n", "\r\n"),
    "an anchor": inText("*text").replace("Resources:", `Metadata:\n  Text: &text '${json}'\nResources:`),
    "Fn::ToJsonString": inText(
      `\n        Fn::ToJsonString:\n          StartAt: A\n          States: { A: { Type: Pass, Nxt: B, End: true } }`,
    ),
    "the short form of it": inText(`!ToJsonString\n        StartAt: A\n        States: { A: { Type: Pass, Nxt: B, End: true } }`),
    "an object where a text belongs": inText(`\n        StartAt: A\n        States: { A: { Type: Pass, Nxt: B, End: true } }`),
  };
  for (const [name, text] of Object.entries(styles))
    test(`a problem in a DefinitionString has its position in the template: ${name}`, async () => {
      put({ "template.yaml": text });
      const [[file, code, at], ...others] = await problems({ "template.yaml": text }, "template.yaml");
      assert.deepEqual([file, code, others], ["template.yaml", "unknown-field", []]);
      assert.match(at, name === "double quotes" || name === "double quotes over lines" ? /^\\"Nxt\\"$/ : /^"?Nxt"?$/);
    });

  test("broken JSON in a DefinitionString has its position, too, in JSON templates with escapes", async () => {
    const text = JSON.stringify(
      {
        Resources: {
          "a/b~c": { Type: "AWS::SQS::Queue", Properties: { QueueName: 'é "quoted" \u2028 \ud83d\ude00' } },
          M: {
            Type: "AWS::StepFunctions::StateMachine",
            Properties: {
              DefinitionString: '{"StartAt": "\u00e9\ud83d\ude00",\n "States": {"\u00e9\ud83d\ude00": {"Type": "Pass", "End": tru}}}',
            },
          },
        },
      },
      null,
      2,
    ).replace("\u00e9\ud83d\ude00", "\\u00e9\\ud83d\\ude00");
    put({ "template.json": text });
    assert.deepEqual(await problems({ "template.json": text }, "template.json"), [["template.json", "invalid-json", "t"]]);
  });

  test("a value that only a deployment knows is a placeholder, and --define sets it", async () => {
    const text = `Parameters:
  Wait: { Type: Number }
  Subnet: { Type: AWS::SSM::Parameter::Value<String> }
Mappings: { Waits: { eu: { Long: 9 } } }
Resources:
  Stack: { Type: Custom::Stack }
  M:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition:
        Comment: !Sub "\${Stack.Thing} \${Subnet} \${AWS::Region}"
        StartAt: A
        States:
          A: { Type: Wait, Seconds: !Ref Wait, Next: B }
          B: { Type: Wait, Seconds: !ImportValue shop:wait, Next: C }
          C: { Type: Wait, Seconds: !FindInMap [Waits, eu, Long], Next: D }
          D: { Type: Wait, Seconds: !FindInMap [Waits, us, Long], Next: E }
          E: { Type: Task, Resource: !ImportValue shop:function, End: true }
`;
    put({ "open.yaml": text });
    const { stdout, code } = await stepglass("validate", "open.yaml");
    assert.equal(code, 0, stdout);
    assert.deepEqual(
      [...stdout.matchAll(/the placeholder `\$\{(.*)\}` has no value\n --> open\.yaml:(\d+:\d+)/g)].map(([, name, at]) => `${name} ${at}`),
      ["Wait 14:42", "shop:wait 15:50", "Waits.us.Long 17:48"],
    );
    const failed = await stepglass("run", "open.yaml");
    assert.match(failed.stderr, /--define Wait=VALUE --define shop:wait=VALUE --define Waits\.us\.Long=VALUE/);
    const defines = [
      "Wait=1",
      "shop:wait=2",
      "Waits.us.Long=3",
      "shop:function=arn:aws:lambda:us-east-1:123456789012:function:f",
      "Stack.Thing=t",
    ];
    const { resource } = await output("open.yaml", ...defines.flatMap((one) => ["--define", one]));
    assert.equal(resource, "arn:aws:lambda:us-east-1:123456789012:function:f");
    const { definition } = readDefinition(join(folder, "open.yaml"), {
      substitutions: { Wait: 1, "shop:wait": 2, "Waits.us.Long": 3, "Stack.Thing": "t", "AWS::Region": "eu-west-1" },
    });
    const { Comment, States } = JSON.parse(definition);
    assert.deepEqual(
      [Comment, States.A.Seconds, States.E.Resource],
      ["t Subnet eu-west-1".replace("Subnet", "Subnet"), 1, "${shop:function}"],
    );
  });

  test("nested templates are read with the template that deploys them, and get their values", async () => {
    const inner = `Parameters:
  Arn: { Type: String }
Resources:
  Inner:
    Type: AWS::Serverless::StateMachine
    Properties: { Definition: { StartAt: A, States: { A: { Type: Task, Resource: !Ref Arn, End: true } } } }
  Again: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: ../outer.yaml } }
`;
    put({
      "nest/outer.yaml": `Resources:
  Charge: { Type: AWS::Lambda::Function, Properties: { FunctionName: charge } }
  App: { Type: AWS::Serverless::Application, Properties: { Location: inner/template.yaml, Parameters: { Arn: !GetAtt Charge.Arn } } }
  Remote: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: "https://s3.amazonaws.com/bucket/key.yaml" } }
`,
      "nest/inner/template.yaml": inner,
    });
    assert.equal((await output("nest/outer.yaml")).resource, "arn:aws:lambda:us-east-1:123456789012:function:charge");
    assert.equal((await output("nest/outer.yaml#App/Inner")).resource, "arn:aws:lambda:us-east-1:123456789012:function:charge");
    // In a folder it is listed once, although both are templates.
    assert.deepEqual(
      (await reports("nest")).map(({ file, machine }) => [file, machine]),
      [["nest/inner/template.yaml", "Inner"]],
    );
  });

  test("a missing definition file is reported with its machine, and the other machines are read", async () => {
    put({
      "gone.yaml": `Resources:
  Gone: { Type: AWS::Serverless::StateMachine, Properties: { DefinitionUri: nowhere.asl.json } }
  Odd: { Type: AWS::Serverless::StateMachine, Properties: [] }
  Good: { Type: AWS::Serverless::StateMachine, Properties: { Definition: { StartAt: A, States: { A: { Type: Succeed } } } } }
`,
    });
    const { code, stdout, stderr } = await stepglass("validate", "gone.yaml");
    assert.deepEqual([code, stdout], [2, "1 definition: 2 that cannot be used\n"]);
    assert.match(stderr, /gone\.yaml#Gone: cannot read nowhere\.asl\.json: no such file\n.*gone\.yaml#Odd: it has no definition/);
  });
});

describe("the CDK", () => {
  const files = Object.fromEntries(Object.entries(assembly).map(([name, content]) => [`cdk.out/${name}`, content]));

  test("the output of cdk synth has the machines of all stacks, nested stacks and stages", async () => {
    put(files);
    for (const spec of ["cdk.out", "cdk.out/manifest.json"])
      assert.deepEqual(
        (await reports(spec)).map(({ file, machine, diagnostics }) => `${file} ${machine} ${diagnostics.length}`),
        [
          "cdk.out/Shop.template.json OrdersA9B65338 0",
          "cdk.out/asset.f52d6f6360a48eb9f0e77298d5d4bea3.json Filed045ADEC8 0",
          "cdk.out/Shop.template.json StringedFA37167D 0",
          "cdk.out/ShopNest8F166D65.nested.template.json Inner09E1DD49 0",
          "cdk.out/Other.template.json OrdersA9B65338 0",
          "cdk.out/assembly-Prod/ProdShop82526E42.template.json OrdersA9B65338 0",
          "cdk.out/asset.f52d6f6360a48eb9f0e77298d5d4bea3.json Filed045ADEC8 0",
          "cdk.out/assembly-Prod/ProdShop82526E42.template.json StringedFA37167D 0",
        ],
        spec,
      );
    // In a folder it is one of the sources.
    const above = await reports(".");
    assert.equal(above.filter(({ file }) => file.startsWith("cdk.out")).length, 8);
  });

  test("a machine is selected by its logical id, its construct or its path; ambiguous names are listed", async () => {
    put(files);
    const arn = "arn:aws:lambda:us-east-1:123456789012:function:ChargeEC431097";
    for (const name of ["Inner", "Inner09E1DD49", "Other/Orders", "Other/OrdersA9B65338"])
      assert.equal(
        (await output(`cdk.out#${name}`)).Payload.Payload.FunctionName ?? (await output(`cdk.out#${name}`)).Payload.parameters.FunctionName,
        arn,
        name,
      );
    assert.equal((await output("cdk.out#Prod/Shop/Filed")).resource, arn.replace("us-east-1:123456789012", "eu-west-1:111122223333"));
    const many = await stepglass("run", "cdk.out#Stringed");
    assert.deepEqual(
      [many.code, many.stderr],
      [
        2,
        "stepglass: cdk.out has 2 state machines that go by Stringed: choose one, for example cdk.out#Shop/StringedFA37167D (Shop/StringedFA37167D, Prod/Shop/StringedFA37167D)\n",
      ],
    );
    assert.match((await stepglass("graph", "cdk.out")).stderr, /cdk\.out has 8 state machines: choose one/);
    assert.match((await stepglass("graph", "cdk.out#Inner", "--format", "mermaid")).stdout, /Charge nested/);
    assert.equal(testMachine(join(folder, "cdk.out#Inner")).outline !== undefined, true);
  });

  test("a problem in the parts of an Fn::Join has its position in the template", async () => {
    const broken = JSON.stringify(assembly["Shop.template.json"], null, 1).replace('\\"End\\":true}}}', '\\"End\\":true,\\"Nxt\\":1}}}');
    put({ ...files, "cdk.out/Shop.template.json": broken });
    assert.deepEqual(await problems({ "cdk.out/Shop.template.json": broken }, "cdk.out#Shop/Orders"), [
      ["cdk.out/Shop.template.json", "unknown-field", '\\"Nxt\\"'],
    ]);
  });
});

describe("Terraform", () => {
  const configuration = `terraform { required_version = ">= 1.5" }
variable "timeout" { type = number }
variable "stage" {
  default = "dev" # of tests
}
locals { prefix = "shop-\${var.stage}" }
/* Functions
   of others */
resource "aws_lambda_function" "charge" {
  function_name = "\${local.prefix}-charge"
  environment { variables = { A = "1", "B" = lookup({ a = 1 }, "a") } }
}
resource "aws_sqs_queue" "tell" {}
resource "aws_sfn_state_machine" "coded" {
  name       = "\${local.prefix}-coded"
  role_arn   = aws_iam_role.sfn.arn
  definition = jsonencode({
    Comment = "\\"quoted\\" \\u00e9 $\${kept}"
    StartAt = "Charge"
    States = {
      Charge = {
        Type           = "Task"
        Resource       = aws_lambda_function.charge.arn // its ARN
        TimeoutSeconds = var.timeout
        Nxt            = "Done"
        Next           = "Tell"
      },
      "Tell" : {
        Type       = "Task", Resource = "arn:\${data.aws_partition.current.partition}:states:::sqs:sendMessage"
        Parameters = { QueueUrl = aws_sqs_queue.tell.url, "MessageBody.$" = "$" }
        End        = true
      }
    }
  })
}
resource "aws_sfn_state_machine" "heredoc" {
  type       = "EXPRESS"
  name       = "heredoc"
  definition = <<-EOF
    {
      "StartAt": "Charge",
      "States": {
        "Charge": { "Type": "Task", "Resource": "\${aws_lambda_function.charge.arn}", "TimeoutSeconds": \${var.timeout}, "Nxt": "D", "End": true }
      }
    }
  EOF
}
resource "aws_sfn_state_machine" "filed" {
  name       = "filed"
  definition = templatefile("\${path.module}/machines/filed.asl.json", { charge = aws_lambda_function.charge.arn, wait = 3 })
}
resource "aws_sfn_state_machine" "yaml" {
  name       = "yaml"
  definition = jsonencode(yamldecode(file("machines/plain.asl.yaml")))
}
module "step_function" {
  source     = "terraform-aws-modules/step-functions/aws"
  definition = local.indirect
}
locals { indirect = jsonencode({ StartAt = "A", States = { A = { Type = "Succeed" } } }) }
`;
  const files = {
    "tf/main.tf": configuration,
    "tf/machines/filed.asl.json":
      '{ "StartAt": "W", "States": { "W": { "Type": "Wait", "Seconds": ${wait}, "Next": "C" }, "C": { "Type": "Task", "Resource": "${charge}", "End": true } } }',
    "tf/machines/plain.asl.yaml": "StartAt: A\nStates: { A: { Type: Pass, Nxt: B, End: true } }\n",
  };
  const texts = files;

  test("a configuration is read with positions: jsonencode, heredocs, templatefile, yamldecode, modules", async () => {
    put(files);
    assert.deepEqual(await problems(texts, "tf/main.tf"), [
      ["tf/main.tf", "placeholder", "var.timeout"],
      ["tf/main.tf", "unknown-field", "Nxt"],
      ["tf/main.tf", "placeholder", "${var.timeout}"],
      ["tf/main.tf", "unknown-field", '"Nxt"'],
      ["tf/machines/plain.asl.yaml", "unknown-field", "Nxt"],
    ]);
    const fixed = configuration.replaceAll(/ Nxt {12}= "Done"| "Nxt": "D",/g, "");
    put({ "tf/main.tf": fixed });
    const arn = "arn:aws:lambda:us-east-1:123456789012:function:shop-dev-charge";
    assert.equal((await output("tf/main.tf#filed")).resource, arn);
    assert.equal((await output("tf/main.tf#heredoc", "--define", "var.timeout=3")).resource, arn);
    const { definition, name, type } = readDefinition(join(folder, "tf/main.tf#aws_sfn_state_machine.coded"), {
      substitutions: { "var.timeout": 7, "var.stage": "prod" },
    });
    const { Comment, States } = JSON.parse(definition);
    assert.deepEqual(
      [name, type, Comment, States.Charge.Resource, States.Charge.TimeoutSeconds, States.Tell],
      [
        "shop-prod-coded",
        undefined,
        '"quoted" é ${kept}',
        "arn:aws:lambda:us-east-1:123456789012:function:shop-prod-charge",
        7,
        {
          Type: "Task",
          Resource: "arn:aws:states:::sqs:sendMessage",
          Parameters: { QueueUrl: "https://sqs.us-east-1.amazonaws.com/123456789012/tell", "MessageBody.$": "$" },
          End: true,
        },
      ],
    );
    assert.equal(readDefinition(join(folder, "tf/main.tf#heredoc"), { substitutions: { "var.timeout": 1 } }).type, "EXPRESS");
    assert.deepEqual(await output("tf/main.tf#module.step_function"), {});
  });

  test("references to files in the same folder are resolved; terraform.tfvars has values", async () => {
    put({
      "tfs/variables.tf": 'variable "wait" {}\nvariable "name" { default = "x" }\nthis is { no Terraform',
      "tfs/terraform.tfvars": "wait = 5\n",
      "tfs/functions.tf.json": { resource: { aws_lambda_function: { f: [{ function_name: "from-json" }] } } },
      "tfs/machine.tf": `resource "aws_sfn_state_machine" "m" {
  name       = var.name
  definition = jsonencode({ StartAt = "W", States = { W = { Type = "Wait", Seconds = var.wait, Next = "T" }, T = { Type = "Task", Resource = aws_lambda_function.f.arn, End = true } } })
}`,
    });
    assert.match((await output("tfs/machine.tf")).resource, /:function:from-json$/);
    assert.deepEqual(
      (await reports("tfs")).map(({ file, machine, diagnostics }) => [file, machine, diagnostics]),
      [["tfs/machine.tf", "x", []]],
    );
  });

  test("the JSON syntax is read: strings, jsonencode and files", async () => {
    const text = JSON.stringify(
      {
        variable: { timeout: { type: "number" } },
        resource: {
          aws_lambda_function: { charge: { function_name: "charge" } },
          aws_sfn_state_machine: [
            { text: { name: "text", definition: JSON.stringify(wrong("${aws_lambda_function.charge.arn}")) } },
            {
              coded: {
                name: "coded",
                definition:
                  '${jsonencode({\n  "StartAt" = "Charge"\n  "States" = { "Charge" = { "Type" = "Task", "Resource" = aws_lambda_function.charge.arn, "TimeoutSeconds" = var.timeout, "Nxt" = 1, "End" = true } }\n})}',
              },
              filed: { definition: '${file("${path.module}/tf/machines/plain.asl.yaml")}' },
            },
          ],
        },
      },
      null,
      2,
    );
    put({ ...files, "main.tf.json": text });
    assert.deepEqual(await problems({ ...texts, "main.tf.json": text }, "main.tf.json"), [
      ["main.tf.json", "unknown-field", '\\"Nxt\\"'],
      ["main.tf.json", "placeholder", "var.timeout"],
      ["main.tf.json", "unknown-field", "Nxt"],
      ["tf/machines/plain.asl.yaml", "unknown-field", "Nxt"],
    ]);
  });

  const machine = (address, values, more = {}) => ({
    address,
    mode: "managed",
    type: "aws_sfn_state_machine",
    name: address.split(".").at(-1).replace(/\[.*/, ""),
    provider_name: "registry.terraform.io/hashicorp/aws",
    schema_version: 0,
    values: { publish: false, tags: null, type: "STANDARD", ...values },
    sensitive_values: { tags_all: {} },
    ...more,
  });
  const modules = {
    resources: [
      machine("aws_sfn_state_machine.orders", { name: "shop-orders", definition: JSON.stringify(wrong()) }),
      machine("aws_sfn_state_machine.fresh", { name: "fresh" }),
      {
        address: "data.aws_sfn_state_machine.other",
        mode: "data",
        type: "aws_sfn_state_machine",
        name: "other",
        values: { definition: "no" },
      },
    ],
    child_modules: [
      {
        address: "module.billing",
        child_modules: [
          {
            address: 'module.billing.module.inner["a"]',
            resources: [
              machine('module.billing.module.inner["a"].aws_sfn_state_machine.this[0]', {
                name: "billing",
                type: "EXPRESS",
                definition: '{"StartAt":"A","States":{"A":{"Type":"Succeed"}}}',
              }),
            ],
          },
        ],
      },
    ],
  };
  const configured = {
    root_module: {
      resources: [
        {
          address: "aws_sfn_state_machine.fresh",
          expressions: { definition: { references: ["aws_lambda_function.charge.arn", "aws_lambda_function.charge"] } },
        },
      ],
    },
  };

  test("plans and states are read: all modules, by address, label or name, and why a definition is not known yet", async () => {
    const plan = JSON.stringify({
      format_version: "1.2",
      terraform_version: "1.9.5",
      planned_values: { root_module: modules },
      configuration: configured,
    });
    const state = JSON.stringify({ format_version: "1.0", terraform_version: "1.9.5", values: { root_module: modules } });
    put({ "plan.json": plan, "state.json": state });
    const why =
      "aws_sfn_state_machine.fresh: Terraform knows its definition only after apply, because it refers to aws_lambda_function.charge.arn: pass the .tf file instead, or the output of terraform show -json after apply";
    assert.deepEqual(await problems({ "plan.json": plan }, "plan.json"), [
      ["plan.json", "unknown-field", '\\"Nxt\\"'],
      ["plan.json#aws_sfn_state_machine.fresh", `plan.json#${why}`],
    ]);
    for (const name of ["billing", "this", 'module.billing.module.inner["a"].aws_sfn_state_machine.this[0]'])
      for (const file of ["plan.json", "state.json"]) {
        assert.deepEqual(await output(`${file}#${name}`), {}, name);
        assert.equal(readDefinition(join(folder, `${file}#${name}`)).type, "EXPRESS");
      }
    assert.match(
      (await stepglass("run", "plan.json")).stderr,
      /plan\.json has 3 state machines: choose one, for example plan\.json#aws_sfn_state_machine\.orders/,
    );
  });

  test("a mistake in another block is a warning; one in a machine is reported with its position", async () => {
    const good =
      'resource "aws_sfn_state_machine" "good" {\n  definition = jsonencode({ StartAt = "A", States = { A = { Type = "Succeed" } } })\n}\n';
    put({
      "around.tf": `resource "aws_sqs_queue" "q" {\n  name = = 3\n}\n${good}`,
      "lost.tf": `${good}resource "aws_sfn_state_machine" "bad" {\n  definition = jsonencode({ StartAt = )\n}\n`,
      "hard.tf": `resource "aws_sfn_state_machine" "hard" {\n  definition = <<EOF\n{%{ for a in b }"x"%{ endfor }}\nEOF\n}\nresource "aws_sfn_state_machine" "none" {\n  definition = module.x.definition\n}\n`,
    });
    const around = await stepglass("validate", "around.tf");
    assert.deepEqual(
      [around.code, around.stdout.split("\n").slice(0, 2)],
      [0, ["warning[invalid-hcl]: a value is expected here (outside of the template's state machines)", " --> around.tf:2:10"]],
    );
    const lost = await stepglass("validate", "lost.tf");
    assert.deepEqual([lost.code, lost.stderr], [2, "stepglass: lost.tf:5:39: a value is expected here\n"]);
    assert.equal((await stepglass("validate", "lost.tf#good")).code, 0);
    const hard = await stepglass("validate", "hard.tf");
    assert.match(
      hard.stderr,
      /its definition has %\{ for … in b \}, which stepglass does not work out: pass the output of terraform show -json of a plan/,
    );
    assert.match(hard.stderr, /its definition is the value of module\.x\.definition, which stepglass cannot work out/);
  });
});

describe("the Serverless Framework", () => {
  const files = {
    "sls/serverless.yml": `service: shop
provider: { name: aws, stage: "\${opt:stage, self:custom.defaultStage}" }
custom:
  defaultStage: dev
  timeouts: { dev: 5, prod: 60 }
  loop: \${self:custom.pool}
  pool: \${self:custom.loop}
functions:
  pay-now: { handler: pay.handler, name: "shop-\${sls:stage}-pay" }
stepFunctions:
  stateMachines:
    orders:
      id: OrdersMachine
      name: orders-\${sls:stage}
      type: EXPRESS
      definition:
        Comment: \${self:custom.loop}
        StartAt: Pay
        States:
          Pay:
            Type: Task
            Resource: !GetAtt pay-now.Arn
            TimeoutSeconds: \${self:custom.timeouts.\${self:provider.stage}}
            Retry: \${file(config/retry.yml):standard}
            Next: Nap
          Nap: { Type: Wait, Seconds: "\${ssm:/shop/wait}", End: true }
    one: \${file(machines/one.yml)}
    two: \${file(./machines/many.yml):two}
    three: { definition: "\${file(machines/def.asl.json)}" }
    four: { definition: "\${file(machines/dynamic.js):make}" }
    five:
      definition: |
        {"StartAt": "A", "States": {"A": {"Type": "Pass", "End": tru}}}
    six: { definition: "\${cf:other.Definition}" }
`,
    "sls/config/retry.yml": "standard: [{ ErrorEquals: [States.TaskFailed], MaxAttempts: 2 }]\n",
    "sls/machines/one.yml":
      'name: one\ndefinition:\n  StartAt: A\n  States:\n    A: { Type: Task, Resource: { "Fn::GetAtt": [pay-now, Arn] }, Nxt: B, End: true }\n',
    "sls/machines/many.yml": "two:\n  type: EXPRESS\n  definition:\n    StartAt: A\n    States: { A: { Type: Pass, Nxt: B, End: true } }\n",
    "sls/machines/def.asl.json": '{"StartAt":"A","States":{"A":{"Type":"Pass","End":true}}}',
    "list/serverless.yml":
      'stepFunctions: { stateMachines: ["${file(a.yml)}", { inline: { definition: { StartAt: A, States: { A: { Type: Succeed } } } } }] }\n',
    "list/a.yml": "first: { definition: { StartAt: A, States: { A: { Type: Succeed } } } }\n",
    "whole/serverless.yml": "stepFunctions: ${file(steps.yml)}\n",
    "whole/steps.yml": "stateMachines:\n  m:\n    definition: { StartAt: A, States: { A: { Type: Pass, Nxt: 1, End: true } } }\n",
  };

  test("files, variables and defaults are read, with positions in the file that has the definition", async () => {
    put(files);
    const found = await problems(files, "sls/serverless.yml");
    assert.deepEqual(found, [
      ["sls/serverless.yml", "placeholder", '"${ssm:/shop/wait}"'],
      ["sls/machines/one.yml", "unknown-field", "Nxt"],
      ["sls/machines/many.yml", "unknown-field", "Nxt"],
      [
        "sls/serverless.yml#four",
        "sls/serverless.yml#four: its definition is the output of the program machines/dynamic.js, which stepglass does not run: pass the output of serverless print or serverless package",
      ],
      ["sls/serverless.yml", "invalid-json", "t"],
      [
        "sls/serverless.yml#six",
        "sls/serverless.yml#six: its definition is the value of ${cf:other.Definition}, which only a deployment knows: pass the output of serverless print or serverless package",
      ],
    ]);
    const read = (substitutions) =>
      JSON.parse(readDefinition(join(folder, "sls/serverless.yml#OrdersMachine"), { substitutions }).definition).States;
    const { Pay, Nap } = read({ "ssm:/shop/wait": "2" });
    assert.deepEqual(
      [Pay.TimeoutSeconds, Pay.Resource, Pay.Retry[0].MaxAttempts, Nap.Seconds],
      [5, "arn:aws:lambda:us-east-1:123456789012:function:shop-dev-pay", 2, 2],
    );
    assert.deepEqual(read({ "ssm:/shop/wait": 1, "opt:stage": "prod" }).Pay.TimeoutSeconds, 60);
    assert.deepEqual(await output("sls/serverless.yml#three"), {});
  });

  test("lists of files, and a file for all of stepFunctions, are read", async () => {
    put(files);
    assert.deepEqual(
      (await reports("list/serverless.yml")).map(({ machine, diagnostics }) => [machine, diagnostics]),
      [
        ["first", []],
        ["inline", []],
      ],
    );
    assert.deepEqual(await problems(files, "whole/serverless.yml"), [["whole/steps.yml", "unknown-field", "Nxt"]]);
  });
});

describe("hostile templates", () => {
  const resource = (DefinitionString) => ({ Type: "AWS::StepFunctions::StateMachine", Properties: { DefinitionString } });
  const good = resource('{"StartAt":"A","States":{"A":{"Type":"Succeed"}}}');
  const nested = (depth, inner) => {
    let value = inner;
    for (let i = 0; i < depth; i++) value = { "Fn::Join": ["", [value]] };
    return value;
  };
  const doubled = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `F${i}`,
      { Type: "AWS::Lambda::Function", Properties: { FunctionName: { "Fn::Sub": `\${F${i + 1}}\${F${i + 1}}` } } },
    ]),
  );
  const templates = {
    "cyclic.json": {
      Resources: {
        A: { Type: "AWS::Lambda::Function", Properties: { FunctionName: { "Fn::Sub": "${B}-a" } } },
        B: { Type: "AWS::Lambda::Function", Properties: { FunctionName: { "Fn::Sub": "${A}-b" } } },
        Mine: resource({
          "Fn::Sub": ['{"StartAt":"${X}","States":{"${X}":{"Type":"Task","Resource":"${A.Arn}","End":true}}}', { X: { "Fn::Sub": "S" } }],
        }),
      },
      Mappings: { M: { a: { b: { "Fn::FindInMap": ["M", "a", "b"] } } } },
    },
    "multiplied.json": {
      Resources: { ...doubled, M: resource({ "Fn::Sub": '{"StartAt":"A","States":{"A":{"Type":"Pass","Comment":"${F0}","End":true}}}' }) },
    },
    "deep.json": { Resources: { Deep: resource(nested(300, "{}")), Good: good } },
    "odd.json": {
      Resources: {
        __proto__x: null,
        Ref: resource({ Ref: { Ref: 1 } }),
        GetAtt: resource({ "Fn::GetAtt": {} }),
        Join: resource({ "Fn::Join": "x" }),
        Sub: resource({ "Fn::Sub": [{}, []] }),
        Select: resource({ "Fn::Select": [{}, { Ref: "AWS::NotificationARNs" }] }),
        If: resource({ "Fn::If": [] }),
        Macro: resource({ "Fn::Transform": { Name: "M" } }),
        Number: resource(7),
        Good: good,
      },
      Parameters: [],
      Mappings: null,
      Outputs: 3,
    },
    "bomb.yaml": `a: &a ["x","x","x","x","x","x","x","x","x","x"]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
Resources: { M: { Type: AWS::Serverless::StateMachine, Properties: { Definition: *d } } }
`,
    "self.yaml": "Resources: &r { M: { Type: AWS::Serverless::StateMachine, Properties: { Definition: *r } } }\n",
    "open.tf": 'resource "aws_sfn_state_machine" "m" {\n  definition = jsonencode({ A = "${"${"${',
    "deep.tf": `resource "aws_sfn_state_machine" "m" {\n  definition = ${"[".repeat(100_000)}\n}\n`,
    "cyclic.tf": `locals {\n  a = "\${local.b}\${local.b}"\n  b = "\${local.a}"\n${Array.from({ length: 60 }, (_, i) => `  c${i} = "\${local.c${i + 1}}\${local.c${i + 1}}"`).join("\n")}\n  c60 = "0123456789"\n}\nresource "aws_sfn_state_machine" "m" {\n  definition = local.a\n}\nresource "aws_sfn_state_machine" "n" {\n  definition = local.c0\n}\nresource "aws_sfn_state_machine" "good" {\n  definition = jsonencode({ StartAt = "A", States = { A = { Type = "Succeed" } } })\n}\n`,
    "serverless.yml": `custom:\n${Array.from({ length: 40 }, (_, i) => `  c${i}: "\${self:custom.c${i + 1}}\${self:custom.c${i + 1}}\${self:custom.c${i + 1}}"`).join("\n")}\nstepFunctions:\n  stateMachines:\n    m: { definition: { StartAt: A, States: { A: { Type: Pass, Comment: "\${self:custom.c0}", End: true } } } }\n    f: \${file(serverless.yml):stepFunctions.stateMachines.f}\n`,
    "plan.json": {
      format_version: "1.2",
      planned_values: { root_module: { resources: [null, 3, { type: "aws_sfn_state_machine" }], child_modules: "x" } },
    },
    "manifest/manifest.json": {
      version: "1",
      artifacts: {
        a: { type: "cdk:cloud-assembly", properties: { directoryName: "." } },
        b: { type: "aws:cloudformation:stack", properties: { templateFile: "gone.json" } },
        c: null,
      },
    },
  };

  for (const [name, content] of Object.entries(templates))
    test(`${name} is refused or read without a crash`, async () => {
      put({ [`hostile/${name}`]: content });
      const file = `hostile/${name.replace(/\/.*/, "")}`;
      const { code, stdout, stderr } = await stepglass("validate", file);
      assert.ok([0, 1, 2].includes(code), `${code} ${stderr}`);
      assert.doesNotMatch(stdout + stderr, /internal error|undefined|\[object/);
      if (typeof content === "object" ? content.Resources?.Good : /"good"/.test(content))
        assert.equal((await stepglass("validate", `${file}#${name.endsWith(".tf") ? "good" : "Good"}`)).code, 0, "the good one");
    });

  test("names that refer to each other, and long texts within the limit, are read", async () => {
    put({ "hostile/cyclic.json": templates["cyclic.json"] });
    assert.match((await output("hostile/cyclic.json")).resource, /^arn:aws:lambda:us-east-1:123456789012:function:[AB][-ab]*$/);
  });

  test("a template of megabytes is read, with a position at its end", async () => {
    const Resources = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [
        `Q${i}`,
        { Type: "AWS::SQS::Queue", Properties: { QueueName: `q-${i}-${"x".repeat(80)}` } },
      ]),
    );
    const text = JSON.stringify({ Resources: { ...Resources, M: resource(JSON.stringify(wrong())) } }, null, 1);
    put({ "huge.json": text });
    assert.deepEqual(await problems({ "huge.json": text }, "huge.json"), [["huge.json", "unknown-field", '\\"Nxt\\"']]);
  });

  test("a byte order mark is ignored, and lines and columns count without it", async () => {
    const template = `\ufeffResources:\n  M:\n    Type: AWS::StepFunctions::StateMachine\n    Properties:\n      DefinitionString: '${JSON.stringify(wrong())}'\n`;
    const text = template.slice(1);
    put({
      "mark.yaml": template,
      "mark.tf": `\ufeffresource "aws_sfn_state_machine" "m" {\n  definition = jsonencode({ StartAt = "A", States = { A = { Type = "Succeed" } } })\n}\n`,
    });
    assert.deepEqual(await problems({ "mark.yaml": text }, "mark.yaml"), [["mark.yaml", "unknown-field", '"Nxt"']]);
    assert.equal((await stepglass("validate", "mark.tf")).code, 0);
  });
});
