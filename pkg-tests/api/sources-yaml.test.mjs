// YAML as it is written in practice: brackets whose lines have any indentation, faults that are reported once, and keys that are
// not strings.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parseYaml } from "stepglass/node";
import { folderWith } from "./command.mjs";

const { folder, stepglass } = folderWith({});
const put = (name, text) => writeFileSync(join(folder, name), text);
const diagnosed = async (name, text) => {
  put(name, text);
  return JSON.parse((await stepglass("validate", "--json", name)).stdout);
};

const definition = (field = "End: true") => `StartAt: A
States:
  A: {
  Type: Pass,
Result: {
    "x": [
1,
    2
  ], "y": "two
words"
},
  ${field}
  }
`;
const template = (closing) => `Resources:
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      Name: !Sub [
    "orders-\${Stage}", { Stage: dev }
${closing}
      Definition:
        StartAt: A
        States:
          A: {
            Type: Pass,
            Nxt: B,
            End: true
          }
  Queue:
    Type: AWS::SQS::Queue
`;

describe("brackets in YAML", () => {
  test("lines between brackets may have any indentation, and problems there have positions", async () => {
    put("good.asl.yaml", definition());
    const { code, stdout } = await stepglass("run", "good.asl.yaml");
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { x: [1, 2], y: "two words" });
    const text = definition("Nxt: B,\n End: true");
    const [{ diagnostics }] = await diagnosed("wrong.asl.yaml", text);
    assert.deepEqual(
      diagnostics.map(({ code, range: { start, end } }) => [code, text.slice(start.offset, end.offset)]),
      [["unknown-field", "Nxt"]],
    );
  });

  test("lists in sequences, nested brackets, comments and both kinds of quotes are read", () => {
    assert.deepEqual(parseYaml("a:\n  - b: [\n    1, # one ]\n  ]\n  - ['it''s\n]', {\nc: d}\n]\ne: f\n"), {
      a: [{ b: [1] }, ["it's ]", { c: "d" }]],
      e: "f",
    });
    assert.deepEqual(parseYaml("a: {\r\n  b: 1\r\n}\r\nc: [\r\n]\r\n"), { a: { b: 1 }, c: [] });
  });

  for (const closing of ["      ]", "    ]", "]"])
    test(`a template is read if a bracket closes as in ${JSON.stringify(closing)}`, async () => {
      const text = template(closing);
      const [{ machine, diagnostics }, ...others] = await diagnosed("template.yaml", text);
      assert.deepEqual(
        [machine, ...diagnostics.map(({ code, range: { start, end } }) => [code, text.slice(start.offset, end.offset)]), others],
        ["Orders", ["unknown-field", "Nxt"], []],
      );
    });

  test("placeholders between such brackets are found", async () => {
    const text = "StartAt: W\nStates:\n  W: {\n  Type: Wait,\n  Seconds: ${Delay},\n  End: true\n  }\n";
    const [{ diagnostics }] = await diagnosed("wait.asl.yaml", text);
    assert.deepEqual(
      diagnostics.map(({ code, message, range: { start, end } }) => [
        code,
        message.includes("Delay"),
        text.slice(start.offset, end.offset),
      ]),
      [["placeholder", true, "${Delay}"]],
    );
    const { code, stdout } = await stepglass("run", "wait.asl.yaml", "--define", "Delay=1", "--virtual-clock");
    assert.deepEqual([code, JSON.parse(stdout)], [0, {}]);
  });

  test("convert --jsonata reads them and keeps comments", async () => {
    put("paths.asl.yaml", "StartAt: A\nStates:\n  A: {\n  Type: Pass,\n  OutputPath: $.a,\n  End: true\n  }\n  # the last one\n");
    const { code, stdout } = await stepglass("convert", "--jsonata", "paths.asl.yaml");
    assert.equal(code, 0);
    assert.match(stdout, /# the last one/);
    assert.deepEqual(parseYaml(stdout).States.A.Type, "Pass");
  });
});

describe("a fault in YAML is reported once", () => {
  const many = Array.from({ length: 60 }, (_, i) => `    S${i}: { Type: Pass, Next: S${i + 1} }`).join("\n");
  const faults = {
    "a bracket that is not closed": [`StartAt: S0\nStates:\n  First: { Type: Pass, Next: [\n  Others:\n${many}\n`, 4],
    "a bracket too many": [`StartAt: S0\nStates:\n  First: { Type: Pass, End: true }}\n  Others:\n${many}\n`, 3],
    "a quote that is not closed": [`StartAt: "S0\nStates:\n  Others:\n${many}\n`, undefined],
    "tabs for indentation": [`StartAt: S0\nStates:\n${many.replaceAll("    ", "\t")}\n`, 3],
    "indentation that fits nothing": [
      `StartAt: S0\nStates:\n    A: { Type: Pass, End: true }\n  B: { Type: Pass, End: true }\n${many}\n`,
      4,
    ],
    "several documents": [`StartAt: A\nStates:\n  A: { Type: Pass, End: true }\n---\n${many}\n`, 4],
  };
  for (const [name, [text, line]] of Object.entries(faults))
    test(name, async () => {
      const [{ diagnostics }] = await diagnosed("broken.asl.yaml", text);
      assert.deepEqual(
        diagnostics.map(({ code }) => code),
        ["invalid-yaml"],
      );
      if (line !== undefined) assert.equal(diagnostics[0].range.start.line, line);
    });

  test("duplicate names are all reported", async () => {
    const [{ diagnostics }] = await diagnosed(
      "twice.asl.yaml",
      "StartAt: A\nStartAt: B\nStates:\n  A: { Type: Pass, End: true }\nStates: {}\n",
    );
    assert.deepEqual(
      diagnostics.map(({ code, range }) => [code, range.start.line]),
      [
        ["invalid-yaml", 2],
        ["invalid-yaml", 5],
      ],
    );
  });
});

test("a key that is a list or an object is a problem of the definition, and causes no warning of Node", async () => {
  put(
    "keys.asl.yaml",
    "StartAt: A\nStates:\n  ? { a: b }\n  : { Type: Pass, End: true }\n  A: { Type: Pass, End: true, Result: { ? [1, 2] : 3 } }\n",
  );
  for (const command of [["validate"], ["run"], ["graph"], ["convert", "--jsonata"]]) {
    const { stderr } = await stepglass(...command, "keys.asl.yaml");
    assert.doesNotMatch(stderr, /Warning:|node:|trace-warnings/, command.join(" "));
  }
});
