// Machines inside files: they are shown as texts of their own, and only changes are written back. Differences by line, and the list
// of steps.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { build } from "esbuild";

const root = resolve(import.meta.dirname, "../..");
const skip = existsSync(join(root, "www/src")) ? false : "the page is not here";
const loaded = {};

/** Modules of the page that need no page. Their imports from the package resolve to its sources. */
async function load(folder, name) {
  const aliases = { tags: "js/core/definition/tags.ts", "yaml-document": "js/core/definition/yaml-document.ts" };
  const { outputFiles } = await build({
    entryPoints: [join(root, "www/src/projects", `${name}.ts`)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    external: ["yaml"],
    plugins: [
      {
        name: "package",
        setup(esbuild) {
          esbuild.onResolve({ filter: /^stepglass\// }, ({ path }) => {
            const part = path.slice("stepglass/".length);
            return { path: join(root, aliases[part] ?? `js/language/${part}.ts`) };
          });
        },
      },
    ],
  });
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, outputFiles[0].text);
  return import(pathToFileURL(file).href);
}

const YAML = `AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31   # keep
Resources:
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition:
        StartAt: Charge
        States:
          Charge:
            Type: Task
            Resource: !GetAtt Fn.Arn
            TimeoutSeconds: \${Timeout}
            Retry:   # odd   spacing
              - ErrorEquals: [States.ALL]
            Next: Send
          Send:
            Type: Task
            Resource: !Sub "arn:aws:states:::\${X}"
            Next: Done

          Done: {Type: Succeed}

      Role: x
  Text:
    Type: AWS::StepFunctions::StateMachine
    Properties:
      DefinitionString: !Sub |
        {
          "StartAt": "A",
          "States": {
            "A": { "Type": "Wait", "Seconds": \${Secs}, "End": true }
          }
        }
`;
const CDK = JSON.stringify(
  {
    Resources: {
      Joined: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          DefinitionString: {
            "Fn::Join": [
              "",
              [
                '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"',
                { "Fn::GetAtt": ["Fn", "Arn"] },
                '","Next":"B"},"B":{"Type":"Task","Resource":"',
                { Ref: "Q" },
                '","End":true}}}',
              ],
            ],
          },
        },
      },
      Plain: {
        Type: "AWS::StepFunctions::StateMachine",
        Properties: {
          Definition: {
            StartAt: "A",
            States: {
              A: { Type: "Task", Resource: { "Fn::GetAtt": ["Fn", "Arn"] }, Next: "B" },
              B: { Type: "Task", Resource: { "Fn::Sub": "arn:${Z}" }, End: true },
            },
          },
        },
      },
    },
  },
  null,
  1,
);
const TERRAFORM = `resource "aws_sfn_state_machine" "m" {
  name = "m"
  definition = <<-EOF
    {
      "StartAt": "A",
      "States": {
        "A": { "Type": "Task", "Resource": "\${aws_lambda_function.f.arn}", "End": true }
      }
    }
  EOF
}
resource "aws_sfn_state_machine" "n" {
  definition = jsonencode({ StartAt = "A", States = { A = { Type = "Pass", End = true } } })
}
`;
const SERVERLESS = `service: shop
stepFunctions:
  stateMachines:
    first:
      definition:
        StartAt: A
        States:
          A: { Type: Pass, End: true }
    second:
      definition:
        StartAt: B
        States:
          B:
            Type: Task
            Resource:
              Fn::GetAtt: [hello, Arn]
            End: true
`;

describe("machines in files", { skip }, () => {
  let folder;
  before(async () => {
    mkdirSync(join(root, "pkg-tests/.cache"), { recursive: true });
    folder = mkdtempSync(join(root, "pkg-tests/.cache/projects-"));
    Object.assign(loaded, await load(folder, "templates"), await load(folder, "lines"), await load(folder, "steps"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const part = (text, file, name) => loaded.partsOf(text, file).machines.find((one) => one.name === name);
  /** The file with a machine edited, and the part of the file that was not edited. */
  const edited = (text, file, name, edit) => {
    const shown = part(text, file, name).text;
    const next = edit(shown);
    assert.notEqual(next, shown);
    const written = loaded.written({ text, name: file, template: true }, [{ part: name, text: next }]);
    assert.equal(part(written, file, name).text, next);
    return written;
  };

  test("in YAML: without the surrounding indentation, with placeholders for functions", () => {
    assert.equal(
      part(YAML, "t.yaml", "Orders").text,
      `StartAt: Charge
States:
  Charge:
    Type: Task
    Resource: "\${Fn.Arn}"
    TimeoutSeconds: \${Timeout}
    Retry:   # odd   spacing
      - ErrorEquals: [States.ALL]
    Next: Send
  Send:
    Type: Task
    Resource: "arn:aws:states:::\${X}"
    Next: Done

  Done: {Type: Succeed}
`,
    );
    assert.equal(part(YAML, "t.yaml", "Orders").format, "yaml");
    assert.match(part(YAML, "t.yaml", "Text").text, /^\{\n {2}"StartAt": "A",\n[^]*"Seconds": \$\{Secs\}/);
  });

  test("in YAML: only the change is written, with the indentation of the file", () => {
    assert.equal(
      edited(YAML, "t.yaml", "Orders", (text) =>
        text.replace("Next: Send", "Next: Wait\n  Wait:\n    Type: Wait\n    Seconds: 3\n    Next: Send"),
      ),
      YAML.replace("Next: Send", "Next: Wait\n          Wait:\n            Type: Wait\n            Seconds: 3\n            Next: Send"),
    );
    assert.equal(
      edited(YAML, "t.yaml", "Orders", (text) => text.replace("arn:aws:states", "arn:other")),
      YAML.replace("arn:aws:states", "arn:other"),
    );
    assert.equal(
      edited(YAML, "t.yaml", "Orders", (text) => text.replace("Next: Send", 'Comment: "${Fn.Arn}"\n    Next: Send')),
      YAML.replace("Next: Send", "Comment: !GetAtt Fn.Arn\n            Next: Send"),
    );
    assert.equal(
      edited(YAML, "t.yaml", "Text", (text) => text.replace('"StartAt"', '"Comment": "x \\"y\\"",\n  "StartAt"')),
      YAML.replace('"StartAt": "A"', '"Comment": "x \\"y\\"",\n          "StartAt": "A"'),
    );
  });

  test("with Windows line ends", () => {
    const text = YAML.replaceAll("\n", "\r\n");
    assert.equal(
      edited(text, "t.yaml", "Orders", (shown) => shown.replace("Next: Send", "Comment: c\n    Next: Send")),
      text.replace("Next: Send", "Comment: c\r\n            Next: Send"),
    );
    const plain = '{\r\n  "StartAt": "A"\n}\r\n';
    assert.equal(
      loaded.written({ text: plain, name: "a.json", template: false }, [{ text: '{\n  "Comment": "",\n  "StartAt": "A"\n}\n' }]),
      '{\r\n  "Comment": "",\r\n  "StartAt": "A"\n}\r\n',
    );
  });

  test("of the CDK: joined strings, and functions that move with their surroundings", () => {
    assert.equal(
      part(CDK, "cdk.json", "Joined").text,
      '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"${Fn.Arn}","Next":"B"},"B":{"Type":"Task","Resource":"${Q}","End":true}}}',
    );
    const joined = (text) => JSON.parse(text).Resources.Joined.Properties.DefinitionString["Fn::Join"][1];
    const without = edited(
      CDK,
      "cdk.json",
      "Joined",
      () => '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"${Fn.Arn}","End":true}}}',
    );
    assert.deepEqual(joined(without), [
      '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"',
      { "Fn::GetAtt": ["Fn", "Arn"] },
      '","End":true}}}',
    ]);
    const swapped = edited(
      CDK,
      "cdk.json",
      "Joined",
      () =>
        '{"StartAt":"A","States":{"B":{"Type":"Task","Resource":"${Q}","End":true},"A":{"Type":"Task","Resource":"${Fn.Arn}","Next":"B"}}}',
    );
    assert.deepEqual(joined(swapped), [
      '{"StartAt":"A","States":{"B":{"Type":"Task","Resource":"',
      { Ref: "Q" },
      '","End":true},"A":{"Type":"Task","Resource":"',
      { "Fn::GetAtt": ["Fn", "Arn"] },
      '","Next":"B"}}}',
    ]);
    const { B } = JSON.parse(edited(CDK, "cdk.json", "Plain", (text) => text.replace("arn:${Z}", "arn:${W}"))).Resources.Plain.Properties
      .Definition.States;
    assert.deepEqual(B.Resource, { "Fn::Sub": "arn:${W}" });
    const { A } = JSON.parse(edited(CDK, "cdk.json", "Plain", (text) => text.replace('"${Fn.Arn}"', '"arn:x"'))).Resources.Plain.Properties
      .Definition.States;
    assert.equal(A.Resource, "arn:x");
  });

  test("of Terraform and Serverless", () => {
    const { machines, elsewhere } = loaded.partsOf(TERRAFORM, "main.tf");
    assert.deepEqual(
      [machines.map(({ name }) => name), elsewhere.map(({ name }) => name)],
      [["aws_sfn_state_machine.m"], ["aws_sfn_state_machine.n"]],
    );
    assert.equal(
      edited(TERRAFORM, "main.tf", "aws_sfn_state_machine.m", (text) => text.replace('"A",', '"A",\n  "Comment": "c",')),
      TERRAFORM.replace('"A",', '"A",\n      "Comment": "c",'),
    );
    assert.equal(
      edited(SERVERLESS, "serverless.yml", "second", (text) => text.replace("StartAt: B", "Comment: c\nStartAt: B")),
      SERVERLESS.replace("StartAt: B", "Comment: c\n        StartAt: B"),
    );
  });

  test("an impossible change is refused, and nothing is written", () => {
    const quoted = `Resources:\n  M:\n    Type: AWS::StepFunctions::StateMachine\n    Properties:\n      DefinitionString: '{"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}'\n`;
    assert.throws(
      () => loaded.written({ text: quoted, name: "q.yaml", template: true }, [{ part: "M", text: '{\n"StartAt": "A"\n}' }]),
      /The change of M cannot be written there/,
    );
    assert.throws(
      () => loaded.written({ text: quoted, name: "q.yaml", template: true }, [{ part: "Other", text: "{}" }]),
      /q\.yaml has no machine Other/,
    );
  });

  test("line differences are minimal for random texts", () => {
    let seed = 7;
    const random = (most) => (seed = (seed * 48_271) % 2_147_483_647) % most;
    for (let round = 0; round < 400; round++) {
      const a = Array.from({ length: random(30) }, () => `${"abcde"[random(5)]}${random(3) === 0 ? "😀" : ""}\n`);
      const b = a.flatMap((line) => (random(6) === 0 ? [] : random(6) === 0 ? [`${line.trim()}x\n`, "new\n"] : [line]));
      const [before, now] = [a.join(""), b.join("")];
      const changes = loaded.changesOf(before, now);
      assert.equal(loaded.changed(before, changes), now);
      for (const { text } of changes) assert.ok(text.isWellFormed?.() ?? true);
    }
    assert.deepEqual(loaded.differing(["a", "b", "c"], ["a", "x", "c", "d"]), [
      { from: 1, to: 2, start: 1, end: 2 },
      { from: 3, to: 3, start: 3, end: 4 },
    ]);
  });

  test("steps: typing is one step, undo moves along the list, and a new step discards what was undone", () => {
    const texts = (definition, input = "{}") => ({ format: "json", definition, input, mocks: {} });
    const note = (steps, from, to, at, typed = true) => loaded.recorded(steps, from, to, { words: loaded.wordsOf(from, to), at, typed });
    let steps = loaded.NONE;
    const [a, b, c, d] = [texts("1"), texts("12"), texts("123"), texts("123", '{"x":1}')];
    steps = note(steps, a, b, 0);
    steps = note(steps, b, c, 500);
    assert.equal(steps.list.length, 1);
    steps = note(steps, c, d, 9_000);
    assert.deepEqual(
      steps.list.map(({ words }) => words),
      ["Edited the definition, line 1", "Edited the input"],
    );
    steps = note(steps, d, c, 9_500);
    assert.deepEqual([steps.list.length, steps.done], [2, 1]);
    steps = note(steps, c, a, 9_600);
    assert.equal(steps.done, 0);
    assert.deepEqual(loaded.textsAt(steps, 2), d);
    steps = note(steps, a, d, 9_700);
    assert.equal(steps.done, 2);
    steps = note(steps, d, c, 9_800);
    steps = note(steps, c, texts("other"), 20_000);
    assert.deepEqual([steps.list.length, steps.done], [2, 2]);
    assert.equal(loaded.wordsOf(a, { ...a, mocks: { Charge: { mode: "echo" } } }), "Mocked Charge");
  });
});
