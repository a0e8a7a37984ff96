// `${Name}` in definitions; YAML, byte order marks and faulty templates; the arguments of the command line and of the API.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  StateMachine,
  compare,
  complete,
  language,
  layout,
  renderDiagnostics,
  renderMermaid,
  simulate,
  testState,
  validate,
} from "stepglass";
import { parseYaml, readDefinition } from "stepglass/node";
import { testMachine } from "stepglass/testing";
import { importSource } from "../../scripts/sources.mjs";
import { folderWith } from "./command.mjs";

const { YamlSource } = await importSource("js/core/definition/yaml-source.ts");

const JSON_TEXT = `{
  "StartAt": "A",
  "States": {
    "A": { "Type": "Wait", "Seconds": \${Delay}, "Next": "B" },
    "B": { "Type": "Task", "Resource": "\${Fn}", "TimeoutSeconds": \${Timeout}, "Parameters": \${Body}, "Next": "C" },
    "C": { "Type": "Pass", "Comment": "\${Said}", "End": \${End} }
  }
}
`;
const YAML_TEXT = `# for \${nobody}
StartAt: A
States:
  A: { Type: Wait, Seconds: \${Delay}, Next: B }
  B:
    Type: Task
    Resource: \${Fn}
    TimeoutSeconds: \${Timeout}
    Next: C
  C:
    Type: Pass
    Comment: "it is \${Said}"
    End: true
`;
const VALUES = {
  Delay: 2,
  Fn: "arn:aws:lambda:us-east-1:123456789012:function:f",
  Timeout: "7",
  Body: { a: [1] },
  Said: 'a "word"',
  End: true,
};
const defines = Object.entries(VALUES).flatMap(([name, value]) => [
  "--define",
  `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
]);
const place = ({ range: { start } }) => `${start.line}:${start.column}`;

test("an unquoted placeholder without a value is one warning at its position, and causes no other problem", () => {
  const found = validate(JSON_TEXT);
  assert.deepEqual(
    found.map((one) => [one.code, one.severity, one.pointer, place(one), one.message]),
    [
      ["placeholder", "warning", "/States/A/Seconds", "4:39", "the placeholder `${Delay}` has no value"],
      ["placeholder", "warning", "/States/B/TimeoutSeconds", "5:67", "the placeholder `${Timeout}` has no value"],
      ["placeholder", "warning", "/States/B/Parameters", "5:93", "the placeholder `${Body}` has no value"],
      ["placeholder", "warning", "/States/C/End", "6:57", "the placeholder `${End}` has no value"],
    ],
  );
  for (const { range } of found) assert.match(JSON_TEXT.slice(range.start.offset, range.end.offset), /^\$\{\w+\}$/);
  assert.match(found[0].aws[0].message, /^Unrecognized token '\$'/);
  assert.match(
    renderDiagnostics(JSON_TEXT, { fileName: "a.json" }),
    /^warning\[placeholder\]: the placeholder `\$\{Delay\}` has no value\n --> a\.json:4:39\n {2}\|\n4 \| .*\n {2}\| {36} {3}\^{8}\n/m,
  );
});

test("a placeholder for a whole state may end the machine, and may lead to every other state", () => {
  const text = JSON_TEXT.replace(/"C": .*/, '"C": ${Last},\n    "D": { "Type": "Pass", "Next": "C" }');
  assert.deepEqual(
    validate(text).map(({ code, pointer }) => `${code} ${pointer}`),
    ["placeholder /States/A/Seconds", "placeholder /States/B/TimeoutSeconds", "placeholder /States/B/Parameters", "placeholder /States/C"],
  );
  // With a value it is that value.
  const substitutions = {
    Delay: 1,
    Fn: "arn:aws:lambda:us-east-1:123456789012:function:f",
    Timeout: 1,
    Body: {},
    Last: { Type: "Succeed" },
  };
  assert.deepEqual(
    validate(text, { substitutions }).map(({ code, pointer }) => `${code} ${pointer}`),
    ["unreachable-state /States/D"],
  );
});

test("carets are below a placeholder after wide characters, in the order of positions", () => {
  const text = `{ "StartAt": "日本", "States": { "日本": { "Type": "Wait", "Seconds": \${Delay}, "Next": "Nowhere" } } }`;
  const rendered = renderDiagnostics(text);
  const [line, under] = rendered
    .split("\n\n")[1]
    .split("\n")
    .slice(3)
    .map((one) => one.slice(4));
  const columns = (part) => [...part].reduce((sum, character) => sum + (character.codePointAt(0) > 0x2e80 ? 2 : 1), 0);
  assert.deepEqual([under.indexOf("^"), under.trim()], [columns(line.slice(0, line.indexOf("${"))), "^".repeat("${Delay}".length)]);
  const codes = (text) => text.match(/^\w+\[[\w-]+\]/gm);
  assert.deepEqual(codes(rendered), ["error[no-terminal-state]", "warning[placeholder]", "error[unknown-target]"]);
  assert.deepEqual(codes(renderDiagnostics(text, { substitutions: { Delay: 1 } })), ["error[no-terminal-state]", "error[unknown-target]"]);
  assert.throws(() => new StateMachine(text), /^error\[placeholder\]: the placeholder `\$\{Delay\}` has no value$/m);
});

test("other problems keep their positions", () => {
  const text = JSON_TEXT.replace('"Next": "C"', '"Nxt": "C"');
  for (const substitutions of [{}, VALUES]) {
    const wrong = validate(text, { substitutions }).filter(({ severity }) => severity === "error");
    assert.deepEqual(
      wrong.map((one) => [one.code, text.slice(one.range.start.offset, one.range.end.offset)]),
      [
        ["missing-transition", '"B"'],
        ["unknown-field", '"Nxt"'],
        ["unreachable-state", '"C"'],
      ],
    );
    const rendered = renderDiagnostics(text, { substitutions });
    assert.equal(rendered.match(/^(error|warning)\[/gm).length, validate(text, { substitutions }).length);
    assert.match(rendered, /--> definition:5:102\n {2}\|\n5 \| .*"Nxt": "C"/);
  }
});

test("values are inserted before the text is parsed: numbers stay numbers, and text in strings is text", () => {
  assert.deepEqual(validate(JSON_TEXT, { substitutions: VALUES }), []);
  const { A, B, C } = JSON.parse(new StateMachine(JSON_TEXT, { substitutions: VALUES }).definition).States;
  assert.deepEqual(
    [A.Seconds, B.Resource, B.TimeoutSeconds, B.Parameters, C.Comment, C.End],
    [2, VALUES.Fn, 7, { a: [1] }, 'a "word"', true],
  );
  const found = simulate(JSON_TEXT, {}, { f: { output: 1 } }, { substitutions: VALUES });
  assert.deepEqual([found.status, found.duration], ["SUCCEEDED", 2000]);
  // A value of the wrong type is reported at the placeholder.
  const [wrong] = validate(JSON_TEXT, { substitutions: { ...VALUES, Timeout: -7 } });
  assert.deepEqual([wrong.code, place(wrong), wrong.range.end.column], ["out-of-range", "5:67", 77]);
  const [broken] = validate(JSON_TEXT, { substitutions: { ...VALUES, Timeout: "seven" } });
  assert.deepEqual([broken.code, place(broken)], ["invalid-json", "5:67"]);
  assert.throws(() => validate(JSON_TEXT, { substitutions: "x" }), { code: "INVALID_OPTION" });
});

test("a machine names every placeholder that needs a value", () => {
  assert.throws(
    () => new StateMachine(JSON_TEXT, { substitutions: { Delay: 1 } }),
    (error) => {
      assert.equal(error.code, "DEFINITION");
      assert.deepEqual(
        error.diagnostics.map(({ code, severity, range }) => [code, severity, range.start.line]),
        [
          ["placeholder", "error", 5],
          ["placeholder", "error", 5],
          ["placeholder", "error", 6],
        ],
      );
      assert.match(error.message, /\$\{Timeout\}[^]*\$\{Body\}[^]*\$\{End\}/);
      return true;
    },
  );
  // In a string it is text, as on AWS.
  assert.deepEqual(validate('{"StartAt":"A","States":{"A":{"Type":"Pass","Comment":"${X}","End":true}}}'), []);
});

test("the graph, the comparison and the language features work with placeholders", () => {
  assert.equal(layout(JSON_TEXT).nodes.length, layout(JSON_TEXT.replaceAll(/: \$\{\w+\}/g, ": 1")).nodes.length);
  assert.match(renderMermaid(JSON_TEXT), /stateDiagram/);
  assert.equal(compare(JSON_TEXT, JSON_TEXT).identical, true);
  assert.equal(language.outline(JSON_TEXT).length, 3);
  assert.deepEqual(
    language.codeActions(JSON_TEXT).filter(({ problem }) => problem?.code === "invalid-json"),
    [],
  );
  assert.ok(language.apply(JSON_TEXT, language.format(JSON_TEXT)).includes('"TimeoutSeconds": ${Timeout},'));
});

test("language features return positions in the text with unquoted placeholders", () => {
  const at = (what, inside = 0) => JSON_TEXT.indexOf(what) + inside;
  assert.equal(language.hover(JSON_TEXT, at('"TimeoutSeconds"', 3)).state, "B");
  assert.equal(language.definition(JSON_TEXT, at('"Next": "C"', 9)).targets[0].start, at('"C":', 1));
  assert.deepEqual(
    language.rename(JSON_TEXT, at('"C":', 1), "See").map(({ start }) => start),
    [at('"Next": "C"', 9), at('"C":', 1)],
  );
  assert.ok(complete(JSON_TEXT, at('"Next": "C"', 9)).items.some(({ label }) => label === "C"));
});

test("edits of YAML keep a placeholder for any value, also in flow style", () => {
  const text = `# of \${nobody}
StartAt: A
TimeoutSeconds: \${Total}
States:
  A: { Type: Wait, Seconds: \${Delay}, Next: B }
  B:
    Type: Task
    Resource: \${Fn}
    Retry: [{ ErrorEquals: ["X"], MaxAttempts: \${Max} }]
    Nxt: x
    Next: C
  C: { Type: Pass, Comment: "it is \${Said}", Result: a \${b} c, Next: \${D} }
  \${D}: { Type: Succeed }
`;
  const source = new YamlSource(text, { check: (json) => validate(json) });
  assert.deepEqual(source.problems, []);
  assert.deepEqual(
    validate(source.json).map(({ code, range }) => {
      const { start, end } = source.locate(range.start.offset, range.end.offset).range;
      return `${code} ${start.line} ${text.slice(start.offset, end.offset)}`;
    }),
    ["placeholder 3 ${Total}", "placeholder 5 ${Delay}", "placeholder 9 ${Max}", "unknown-field 10 Nxt"],
  );
  assert.match(source.json, /"Resource":"\$\{Fn\}".*"Comment":"it is \$\{Said\}","Result":"a \$\{b\} c","Next":"\$\{D\}"\},"\$\{D\}"/);
  const from = source.json.indexOf(',"Nxt":"x"');
  const edits = source.edits([{ start: from, end: from + 10, text: "" }]);
  const spaceless = (one) => one.replaceAll(" ", "");
  assert.equal(spaceless(language.apply(text, edits)), spaceless(text.replace("    Nxt: x\n", "")));
  assert.equal(language.apply(text, source.format()).match(/\$\{/g).length, text.match(/\$\{/g).length);
});

const bad = {
  duplicate: "  Queue:\n    Type: AWS::SQS::Queue\n    Type: AWS::SQS::Queue\n",
  indented: "  Queue:\n    Type: AWS::SQS::Queue\n    Properties:\n        QueueName: a\n      DelaySeconds: 1\n",
};
const machine = (definition) =>
  `  Orders:\n    Type: AWS::Serverless::StateMachine\n    Properties:\n      Definition:\n        StartAt: A\n        States:\n          A: ${definition}\n`;
const template = (...resources) => `Resources:\n${resources.join("")}Outputs:\n  X: { Value: 1 }\n`;
const { folder, stepglass } = folderWith({
  "a.asl.json": JSON_TEXT,
  "a.asl.yaml": YAML_TEXT,
  "tasks.mjs": "export const f = () => 1;",
  "a.stepglass.yaml":
    "definition: a.asl.yaml\ntests:\n  - name: runs\n    mocks: { B: { return: 1 } }\n    expect: { status: SUCCEEDED, waits: { A: 2s } }\n",
  "sam.yaml":
    "Resources:\n  M:\n    Type: AWS::Serverless::StateMachine\n    Properties:\n      DefinitionUri: a.asl.yaml\n      DefinitionSubstitutions: { Delay: 2, Timeout: 7, Fn: !GetAtt F.Arn }\n  F: { Type: AWS::Serverless::Function }\n",
  "string.yaml":
    'Parameters:\n  Delay: { Type: Number }\n  Stage: { Type: String, Default: dev }\nResources:\n  M:\n    Type: AWS::StepFunctions::StateMachine\n    Properties:\n      DefinitionString: !Sub |\n        {"StartAt":"A","States":{"A":{"Type":"Wait","Seconds":${Delay},"Next":"B"},\n        "B":{"Type":"Pass","Result":"${Stage}","End":true}}}\n',
  "duplicate.yaml": template(bad.duplicate, machine("{ Type: Succeed }")),
  "indented.yaml": template(machine("{ Type: Succeed }"), bad.indented),
  "both.yaml": template(
    bad.duplicate,
    machine("{ Type: Succeed }"),
    bad.indented.replace("Queue:", "Other:"),
    machine("{ Type: Wait, Seconds: -1, End: true }").replace("Orders", "Slow"),
  ),
  "ours.yaml": template(machine("{ Type: Succeed, Type: Pass }")),
  "mark.asl.json": '\ufeff{"StartAt":"A","States":{"A":{"Type":"Succeed"}}}',
  "mark.asl.yaml": "\ufeffStartAt: A\nStates:\n  A: { Type: Succeed }\n",
});

test("validate warns of placeholders, run refuses them with all names and positions, and --define gives values", async () => {
  for (const [file, places] of [
    ["a.asl.json", ["Delay 4:39", "Timeout 5:67", "Body 5:93", "End 6:57"]],
    ["a.asl.yaml", ["Delay 4:29", "Timeout 8:21"]],
  ]) {
    const checked = await stepglass("validate", file);
    assert.equal(checked.code, 0, checked.stdout);
    for (const one of places)
      assert.ok(
        checked.stdout.includes(`\${${one.split(" ")[0]}}\` has no value\n`) &&
          checked.stdout.includes(`--> ${file}:${one.split(" ")[1]}\n`),
        checked.stdout,
      );
    const failed = await stepglass("run", file);
    assert.deepEqual(
      [failed.code, failed.stderr.trimEnd().split("\n").slice(1)],
      [2, places.map((one) => `  \${${one.replace(" ", `}  ${file}:`)}`)],
    );
    assert.match(failed.stderr, /--define Delay=VALUE --define Timeout=VALUE/);
    const clean = await stepglass("validate", file, "--strict", ...defines);
    assert.deepEqual([clean.code, clean.stdout], [0, "1 definition: no problems\n"]);
    const ran = await stepglass("run", file, "--virtual-clock", "--tasks", "tasks.mjs", ...defines);
    assert.deepEqual([ran.code, ran.stdout], [0, "1\n"]);
  }
  assert.equal((await stepglass("validate", "a.asl.json", "--define", "Delay")).code, 2);
  assert.equal((await stepglass("graph", "a.asl.json", "--format", "mermaid")).code, 0);
  const wrong = await stepglass("validate", "a.asl.yaml", ...defines, "--define", "Timeout=-7");
  assert.match(wrong.stdout, /^error\[out-of-range\].*\n --> a\.asl\.yaml:8:21\n/m);
});

test("a number stays a number in test files and templates", async () => {
  const tested = await stepglass("test", "a.stepglass.yaml", ...defines);
  assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  assert.match(
    (await stepglass("test", "a.stepglass.yaml")).stdout,
    /a\.asl\.yaml needs a value for 3 placeholders|needs a value for 2 placeholders/,
  );
  const inTemplate = await stepglass("validate", "sam.yaml", "--strict");
  assert.equal(inTemplate.code, 0, inTemplate.stdout);
});

test("a template's parameter without a default is a placeholder, too, and --define gives parameters their values", async () => {
  const checked = await stepglass("validate", "string.yaml");
  assert.deepEqual(
    [checked.code, checked.stdout.match(/^.*has no value\n.*$/m)?.[0]],
    [0, "warning[placeholder]: the placeholder `${Delay}` has no value\n --> string.yaml:9:63"],
  );
  assert.match((await stepglass("run", "string.yaml")).stderr, /--define Delay=VALUE\n {2}\$\{Delay\} {2}string\.yaml:9:63\n$/);
  const ran = await stepglass("run", "string.yaml", "--virtual-clock", "--define", "Delay=3", "--define", "Stage=prod");
  assert.deepEqual([ran.code, ran.stdout], [0, '"prod"\n']);
});

test("a fault in a resource that is not a state machine is a warning", async () => {
  for (const [file, message, at] of [
    ["duplicate.yaml", /Map keys must be unique/, 4],
    ["indented.yaml", /same column|indent/, 13],
  ]) {
    const checked = await stepglass("validate", file);
    assert.equal(checked.code, 0, checked.stdout);
    assert.match(checked.stdout, message);
    assert.match(
      checked.stdout,
      new RegExp(`^warning\\[invalid-yaml\\].*outside of the template's state machines\\)\\n --> ${file.replace(".", "\\.")}:${at}:`, "m"),
    );
    assert.match(checked.stdout, /1 definition: 1 warning/);
    assert.equal((await stepglass("run", file)).code, 0);
  }
  // Each fault is reported once, and what is wrong with a machine at the machine.
  const { stdout, code } = await stepglass("validate", "both.yaml", "--json");
  assert.deepEqual(
    [
      code,
      JSON.parse(stdout).map(({ machine: name, diagnostics }) => [
        name,
        diagnostics.map((one) => `${one.severity} ${one.range.start.line}`),
      ]),
    ],
    [
      1,
      [
        ["Orders", ["warning 4", "warning 16"]],
        ["Slow", ["error 23"]],
      ],
    ],
  );
  assert.equal((await stepglass("validate", "ours.yaml")).code, 1);
  assert.equal((await stepglass("validate", ".")).stdout.includes("duplicate.yaml"), true);
});

test("convert keeps placeholders, and parts that it does not convert", async () => {
  const yaml = await stepglass("convert", "a.asl.json");
  assert.equal(yaml.code, 0, yaml.stderr);
  assert.match(yaml.stdout, /Seconds: \$\{Delay\}\n[^]*Resource: \$\{Fn\}\n +TimeoutSeconds: \$\{Timeout\}\n +Parameters: \$\{Body\}\n/);
  const back = await stepglass("convert", "-", "--to", "json", { input: JSON_TEXT });
  assert.match(
    back.stdout,
    /"Seconds": \$\{Delay\},\n[^]*"Resource": "\$\{Fn\}",\n +"TimeoutSeconds": \$\{Timeout\},\n +"Parameters": \$\{Body\},\n/,
  );
  const jsonata = JSON.parse((await stepglass("convert", "a.asl.json", "--jsonata", "--json")).stdout);
  assert.deepEqual(
    [jsonata.converted, jsonata.left.map(({ state, reason }) => [state, reason])],
    [["A", "C"], [["B", "a placeholder in it can become a template of its own"]]],
  );
  assert.match(jsonata.output, /"Seconds": \$\{Delay\},/);
  const template = await stepglass("convert", "duplicate.yaml", "--jsonata");
  assert.deepEqual([template.code, template.stdout.match(/Type: AWS::SQS::Queue/g).length], [0, 2]);
  assert.match(template.stderr, /note: duplicate\.yaml: Map keys must be unique at line 4/);
});

test("a byte order mark is ignored everywhere", async () => {
  const text = '\ufeff{"StartAt":"A","States":{"A":{"Type":"Succeed"}}}';
  assert.deepEqual(validate(text), []);
  assert.equal(renderDiagnostics(text), "");
  assert.deepEqual(await new StateMachine(text).run({ a: 1 }), { a: 1 });
  assert.equal(new StateMachine(text).definition, text.slice(1));
  assert.equal(new StateMachine(text).digest, new StateMachine(text.slice(1)).digest);
  assert.equal(validate(text.replace("Succeed", "Succeeds"))[0].range.start.offset, text.indexOf('"Succeed"'));
  assert.deepEqual(
    [layout(text).nodes.length, compare(text, text).identical, language.outline(text)[0].start],
    [3, true, text.indexOf('"A":') + 1],
  );
  assert.equal(testState({ definition: '\ufeff{"Type":"Pass","End":true}', input: "{}" }).status, "SUCCEEDED");
  assert.equal((await testMachine(text).run()).status, "SUCCEEDED");
  for (const file of ["mark.asl.json", "mark.asl.yaml"])
    assert.deepEqual([(await stepglass("run", file)).code, readDefinition(join(folder, file)).name], [0, "mark"]);
});

test("each function documents its YAML support, and parseYaml and readDefinition read YAML", async () => {
  const how = /this looks like YAML: `parseYaml\(text\)` of stepglass\/node/;
  assert.match(validate(YAML_TEXT)[0].help, how);
  assert.match(renderDiagnostics(YAML_TEXT), how);
  for (const act of [
    () => new StateMachine(YAML_TEXT),
    () => layout(YAML_TEXT),
    () => compare(YAML_TEXT, YAML_TEXT),
    () => simulate(YAML_TEXT, {}),
    () => testState({ definition: "Type: Pass\nEnd: true\n", input: "{}" }),
  ])
    assert.throws(act, how);
  const { Delay, Fn, Timeout } = VALUES;
  const definition = parseYaml(YAML_TEXT, { substitutions: { Delay, Fn, Timeout, Said: "so" } });
  assert.deepEqual(
    [validate(definition), definition.States.A.Seconds, definition.States.B.TimeoutSeconds, definition.States.C.Comment],
    [[], 2, 7, "it is so"],
  );
  assert.throws(() => parseYaml(YAML_TEXT), { code: "NOT_YAML", message: /no value for \$\{Delay\}/ });
  assert.throws(() => parseYaml("a:\n  b: 1\n  b: 2\n"), { code: "NOT_YAML", message: /at line 3, column 3/ });
  assert.throws(() => parseYaml(1), { code: "INVALID_ARGUMENT" });
  const read = readDefinition(join(folder, "sam.yaml"), {});
  assert.deepEqual([read.name, validate(read.definition), JSON.parse(read.definition).States.A.Seconds], ["M", [], 2]);
  assert.throws(() => readDefinition(join(folder, "a.asl.yaml")), {
    code: "UNUSABLE_FILE",
    message: /needs a value for 2 placeholders: give Delay, Timeout in the option substitutions/,
  });
  assert.throws(() => readDefinition(join(folder, "nothing.yaml")), { code: "UNUSABLE_FILE", message: /no such file/ });
  assert.equal((await testMachine("StartAt: A\nStates:\n  A: { Type: Succeed }\n").run()).status, "SUCCEEDED");
  assert.equal(testMachine(join(folder, "a.asl.yaml"), { substitutions: VALUES }).outline !== undefined, true);
});

test("brackets within strings of YAML do not count as nesting", () => {
  const paths = Array.from({ length: 600 }, (_, i) => `p${i}: $.items[${i}`);
  assert.equal(parseYaml(paths.join("\n")).p599, "$.items[599");
  assert.equal(parseYaml(JSON.stringify(parseYaml(paths.join("\n")))).p599, "$.items[599");
  for (const deep of ["[".repeat(600), `a: ${"{a: ".repeat(600)}`, `a:\n- ${"[".repeat(600)}`, `a: !Sub ${"[".repeat(600)}`])
    assert.throws(() => parseYaml(deep), { code: "NOT_YAML", message: /nested too deeply/ }, deep.slice(0, 12));
});
