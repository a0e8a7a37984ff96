// Parts of templates that are not read are reported: loops, nested stacks, macros, missing files, and folders of such files.
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import "stepglass";
import { readDefinition } from "stepglass/node";
import { folderWith } from "./command.mjs";

const { folder, stepglass } = folderWith({});
const put = (files) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" || Buffer.isBuffer(content) ? content : JSON.stringify(content, null, 1));
  }
};
/** Returns the exit code of `validate`, and for each report its machine with codes, or the reason why it cannot be read. */
const validated = async (...args) => {
  const { code, stdout } = await stepglass("validate", "--json", ...args);
  return [
    code,
    ...JSON.parse(stdout).map(({ file, machine, problem, diagnostics }) =>
      problem ? problem.message : [file, machine, ...diagnostics.map(({ code, message }) => `${code}: ${message}`)].join(" "),
    ),
  ];
};
const states = { StartAt: "A", States: { A: { Type: "Pass", End: true } } };
const machine = (Definition = states) => ({ Type: "AWS::Serverless::StateMachine", Properties: { Definition } });

describe("Fn::ForEach", () => {
  test("unrolls resources, states and files, also when nested", async () => {
    put({
      "each.yaml": `Parameters:
  Names: { Type: CommaDelimitedList, Default: "pay,ship it" }
Resources:
  Fn::ForEach::Machines:
    - Name
    - !Ref Names
    - Machine&{Name}:
        Type: AWS::Serverless::StateMachine
        Properties:
          Name: !Sub "shop-\${Name}"
          Definition:
            Comment: \${Name}
            StartAt: S1
            States:
              Fn::ForEach::States:
                - N
                - ["1", "2"]
                - S\${N}: { Type: Pass, Result: !Ref N, Next: End, Comment: !Sub "\${Name}-\${N}" }
              End: { Type: Succeed, Nxt: 1 }
      File\${Name}:
        Type: AWS::Serverless::StateMachine
        Properties: { DefinitionUri: "machines/\${Name}.asl.json" }
`,
      "machines/pay.asl.json": states,
      "machines/ship it.asl.json": states,
    });
    const unknown = "unknown-field: there is no field `Nxt` in ASL";
    const [code, ...reports] = await validated("each.yaml");
    assert.equal(code, 1);
    assert.deepEqual(
      reports.map((one) => one.split(" unknown-field")[0].split(" unreachable")[0]),
      ["each.yaml Machinepay", "machines/pay.asl.json Filepay", "each.yaml Machineshipit", "machines/ship it.asl.json Fileship it"],
      unknown,
    );
    const { definition } = readDefinition(join(folder, "each.yaml#Machineshipit"));
    const { Comment, States } = JSON.parse(definition);
    assert.deepEqual(
      [Comment, Object.keys(States), States.S2.Result, States.S2.Comment],
      ["ship it", ["S1", "S2", "End"], "2", "ship it-2"],
    );
  });

  test("names a loop over values that only a deployment knows, and takes them from --define", async () => {
    put({
      "open.yaml": `Parameters: { Names: { Type: CommaDelimitedList } }
Resources:
  Fn::ForEach::Machines:
    - Name
    - !Ref Names
    - M\${Name}: { Type: AWS::StepFunctions::StateMachine, Properties: { Definition: { StartAt: A, States: { A: { Type: Succeed } } } } }
`,
      "inner.yaml": `Resources:
  M:
    Type: AWS::StepFunctions::StateMachine
    Properties:
      Definition: { StartAt: A, States: { "Fn::ForEach::S": [N, !Ref Names, { "S\${N}": { Type: Pass } }] } }
`,
    });
    const why = "Fn::ForEach::Machines, a loop over Names, which only a deployment knows: pass --define Names=A,B";
    assert.deepEqual(await validated("open.yaml"), [2, `open.yaml#Fn::ForEach::Machines: it is made by ${why}`]);
    assert.deepEqual(await validated("open.yaml", "--define", "Names=A,B"), [0, "open.yaml MA", "open.yaml MB"]);
    assert.deepEqual(await validated("inner.yaml"), [
      2,
      "inner.yaml#M: its definition has Fn::ForEach::S, a loop over Names, which only a deployment knows: pass --define Names=A,B",
    ]);
  });
});

describe("unread parts in validate", () => {
  test("a definition that is the value of a parameter, an attribute or a macro is refused by its name", async () => {
    const resource = (properties) => ({ Type: "AWS::StepFunctions::StateMachine", Properties: properties });
    put({
      "values.json": {
        Parameters: { Json: { Type: "String" }, Given: { Type: "String", Default: JSON.stringify(states) } },
        Resources: {
          A: resource({ DefinitionString: { Ref: "Json" } }),
          B: resource({ DefinitionString: { "Fn::GetAtt": ["X", "Y"] } }),
          C: resource({ Definition: { "Fn::GetAtt": ["X", "Y"] } }),
          D: resource({ Definition: { "Fn::Transform": { Name: "AWS::Include", Parameters: { Location: "s3://b/k" } } } }),
          E: resource({ DefinitionString: { Ref: "Given" } }),
        },
      },
    });
    const named = (id, value) => `values.json#${id}: its definition is the value of ${value}, which only a deployment knows`;
    assert.deepEqual(await validated("values.json"), [
      2,
      named("A", "Json"),
      named("B", "${X.Y}"),
      named("C", "${X.Y}"),
      named("D", "${Transform}"),
      "values.json E",
    ]);
    const json = JSON.stringify(states);
    const given = await validated("values.json", "--define", `Json=${json}`, "--define", `X.Y=${json}`, "--define", `Transform=${json}`);
    assert.deepEqual(given, [0, ...["A", "B", "C", "D", "E"].map((id) => `values.json ${id}`)]);
  });

  test("a template without a readable state machine always has a problem", async () => {
    put({
      "none.yaml": "Resources: { Q: { Type: AWS::SQS::Queue } }\n",
      "remote.yaml":
        "Resources: { Shop: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: https://example.com/shop.yaml } } }\n",
      "set.yaml": "Resources: { Shop: { Type: AWS::CloudFormation::StackSet, Properties: { TemplateURL: shop.yaml } } }\n",
      "include.yaml": "Resources: { Fn::Transform: { Name: AWS::Include, Parameters: { Location: s3://bucket/machines.yaml } } }\n",
      "module.yaml": "Resources: { Shop: { Type: Example::Shop::Machine::MODULE } }\n",
      "none.tf": 'module "vpc" { source = "terraform-aws-modules/vpc/aws" }\n',
      "plan.json": { format_version: "1.2", planned_values: { root_module: {} } },
      "sls/serverless.yml": "stepFunctions: { stateMachines: {} }\n",
    });
    assert.deepEqual(await validated("none.yaml"), [2, "none.yaml has no state machine"]);
    assert.deepEqual(await validated("remote.yaml"), [
      2,
      "remote.yaml has no state machine that can be read: Shop is not read: its template is no file here (https://example.com/shop.yaml)",
    ]);
    assert.deepEqual(await validated("set.yaml"), [
      2,
      "set.yaml has no state machine that can be read: Shop is not read: its template shop.yaml is not there",
    ]);
    assert.deepEqual(await validated("include.yaml"), [
      2,
      "include.yaml has no state machine that can be read: resources are not read: they are what the macro AWS::Include makes of s3://bucket/machines.yaml",
    ]);
    assert.deepEqual(await validated("module.yaml"), [
      2,
      "module.yaml has no state machine that can be read: Shop is not read: it is the module Example::Shop::Machine::MODULE",
    ]);
    for (const file of ["none.tf", "plan.json", "sls/serverless.yml"])
      assert.deepEqual(await validated(file), [2, `${file} has no state machine`]);
  });

  test("beside a machine they are a warning with a position", async () => {
    const text = `Resources:
  Good: { Type: AWS::Serverless::StateMachine, Properties: { Definition: { StartAt: A, States: { A: { Type: Succeed } } } } }
  Shop: { Type: AWS::Serverless::Application, Properties: { Location: { ApplicationId: shop, SemanticVersion: 1.0.0 } } }
`;
    put({ "beside.yaml": text });
    const { code, stdout } = await stepglass("validate", "beside.yaml");
    assert.equal(code, 0);
    assert.match(stdout, /^warning\[not-read\]: Shop is not read: its template is no file here .*\n --> beside\.yaml:3:3\n/);
    assert.equal((await stepglass("validate", "beside.yaml", "--strict")).code, 1);
  });

  test("an assembly whose template is missing is reported", async () => {
    const stack = (templateFile) => ({ type: "aws:cloudformation:stack", properties: { templateFile } });
    put({
      "cdk.out/manifest.json": {
        version: "36.0.0",
        artifacts: { Gone: stack("gone.json"), Empty: stack("empty.json"), Shop: stack("shop.json") },
      },
      "cdk.out/empty.json": {},
      "cdk.out/shop.json": { Resources: { Orders: machine() } },
    });
    const gone = join("cdk.out", "gone.json");
    assert.deepEqual(await validated("cdk.out"), [
      2,
      `cdk.out#Gone: its template ${gone} cannot be read`,
      `${join("cdk.out", "shop.json")} Orders`,
    ]);
  });

  test("machines of serverless.yml in variables, programs and missing files are reported; those among its resources are read", async () => {
    put({
      "sls/variables.yml": `custom: { machines: { own: { definition: { StartAt: A, States: { A: { Type: Succeed } } } } } }
stepFunctions: { stateMachines: "\${self:custom.machines}" }
`,
      "sls/lost.yml": `stepFunctions:
  stateMachines:
    program: \${file(machines.js):orders}
    gone: \${file(gone.yml)}
    member: \${file(variables.yml):custom.none}
    variable: \${ssm:/machines}
`,
      "sls/all.yml": 'stepFunctions: { stateMachines: ["${file(gone.yml)}", "${file(machines.js)}"] }\n',
      "sls/whole.yml": "stepFunctions: ${file(steps.ts)}\n",
      "sls/resources.yml": `provider: { name: aws }
resources:
  Resources:
    Orders: { Type: AWS::StepFunctions::StateMachine, Properties: { Definition: { StartAt: A, States: { A: { Type: Pass, Nxt: 1, End: true } } } } }
`,
    });
    const print = "pass the output of serverless print or serverless package";
    assert.deepEqual(await validated("sls/variables.yml"), [0, "sls/variables.yml own"]);
    assert.deepEqual(await validated("sls/lost.yml"), [
      2,
      `sls/lost.yml#program: it is the output of the program machines.js, which stepglass does not run: ${print}`,
      "sls/lost.yml#gone: it is in the file gone.yml, which is not there",
      "sls/lost.yml#member: it is in the file variables.yml, which has no custom.none that can be read",
      `sls/lost.yml#variable: it is the value of \${ssm:/machines}, which only a deployment knows: ${print}`,
    ]);
    assert.deepEqual(await validated("sls/all.yml"), [
      2,
      "sls/all.yml#stateMachines.0: it is in the file gone.yml, which is not there",
      `sls/all.yml#stateMachines.1: it is the output of the program machines.js, which stepglass does not run: ${print}`,
    ]);
    assert.deepEqual(await validated("sls/whole.yml"), [
      2,
      `sls/whole.yml#stateMachines: it is the output of the program steps.ts, which stepglass does not run: ${print}`,
    ]);
    const { code, stdout } = await stepglass("validate", "sls/resources.yml");
    assert.equal(code, 1);
    assert.match(stdout, /unknown-field[^]*--> sls\/resources\.yml:4:\d+/);
  });

  test("templates in a folder that cannot be parsed or have another encoding are reported", async () => {
    put({
      "folder/good.asl.json": states,
      "folder/broken.yaml": "Resources:\n  M: { Type: AWS::StepFunctions::StateMachine, Properties: { Definition: { A: [ } } }\n",
      "folder/broken.tf": 'resource "aws_sfn_state_machine" "m" {\n  definition = = 1\n}\n',
      "folder/latin.yaml": Buffer.from("# caf\u00e9\nResources: { M: { Type: AWS::StepFunctions::StateMachine } }\n", "latin1"),
      "folder/other.json": Buffer.from([0xff, 0x00, 0x01]),
      "folder/package.json": { dependencies: { "serverless-step-functions": "3" } },
    });
    symlinkSync("nowhere.json", join(folder, "folder/link.json"));
    const [code, ...reports] = await validated("folder");
    assert.equal(code, 2);
    assert.deepEqual(
      reports.map((one) => one.replace(/(invalid-yaml): .*/, "$1")),
      [
        "cannot read folder/latin.yaml: it is not UTF-8 text",
        "folder/broken.tf:2:16: a value is expected here",
        "folder/broken.yaml broken invalid-yaml",
        "folder/good.asl.json good",
      ],
    );
  });
});
