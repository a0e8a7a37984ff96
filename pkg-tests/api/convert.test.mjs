// stepglass convert: JSON and YAML, JSONPath and JSONata.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { complete, language, simulate, validate } from "stepglass";
import { compareConversions } from "../../scripts/conversions.mjs";
import { importSource } from "../../scripts/sources.mjs";
import { folderWith } from "./command.mjs";

const { toJsonata } = await importSource("js/language/convert/jsonata.ts");
const corpus = fileURLToPath(new URL("../../tests/corpus/executions", import.meta.url));
/** Errors of JSONPath expressions. In JSONata they become States.QueryEvaluationError, which other handlers catch. */
const EXPRESSION = /^States\.(Runtime|ReferencePathConflict|IntrinsicFailure|ParameterPathFailure|ResultPathMatchFailure)$/;

test("a converted machine behaves as the original in every case of the corpus, and for variations of its input", () => {
  const counts = { machines: 0, runs: 0, succeeded: 0, states: 0, left: 0 };
  for (const file of readdirSync(corpus)) {
    for (const one of JSON.parse(readFileSync(join(corpus, file), "utf8"))) {
      const { definition, options = {} } = one;
      if (one.expect?.rejected || typeof definition !== "object" || definition.QueryLanguage === "JSONata") continue;
      const { definition: converted, converted: names, left } = toJsonata(definition);
      counts.left += left.length;
      if (names.length === 0) continue;
      counts.machines += 1;
      counts.states += names.length;
      const type = options.express ? { type: "EXPRESS" } : {};
      const errors = validate(converted, type).filter(({ severity }) => severity === "error");
      assert.deepEqual(errors, [], `${file}: ${one.name}\n${JSON.stringify(converted)}`);
      for (const input of variations(one.input ?? {})) {
        const [before, after] = [definition, converted].map((machine) => run(machine, one, input, type));
        counts.runs += 1;
        if (before.status === "FAILED" && EXPRESSION.test(before.error)) {
          assert.ok(
            after.status === "FAILED" && [before.error, "States.QueryEvaluationError"].includes(after.error),
            `${after.status} ${after.error}: ${file}: ${one.name} with ${JSON.stringify(input)}\n${JSON.stringify(converted)}`,
          );
          continue;
        }
        // The only difference allowed is whether a handler catches the failure of an expression.
        if (JSON.stringify(before.history).match(/"error":"States\.(ReferencePathConflict|IntrinsicFailure|ParameterPathFailure|Runtime)"/))
          continue;
        counts.succeeded += 1;
        const show = ({ status, output, error, calls }) => ({
          status,
          output,
          error,
          calls: calls.map(({ state, input, attempt }) => [state, input, attempt]),
        });
        assert.deepEqual(show(after), show(before), `${file}: ${one.name} with ${JSON.stringify(input)}\n${JSON.stringify(converted)}`);
      }
    }
  }
  // Without this, the comparison could succeed because there are no cases.
  assert.ok(counts.machines > 400 && counts.succeeded > 600 && counts.states > 10 * counts.left, JSON.stringify(counts));
});

test("a path that reads the whole input is guarded only if the input can be null", () => {
  const read = { "v.$": "$" };
  const guarded = (states, name, StartAt = "A") => {
    const { definition } = toJsonata({ StartAt, States: states });
    return definition.States[name].Output.v.includes("!= null");
  };
  const last = { Type: "Pass", Parameters: read, End: true };
  const lambda = { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:f", Next: "B" };
  // The result of the execution or of a function can be null, and so can what a path selects or a state passes on.
  assert.ok(guarded({ B: last }, "B", "B"));
  assert.ok(guarded({ A: lambda, B: last }, "B"));
  assert.ok(guarded({ A: { Type: "Pass", InputPath: "$.a", Next: "B" }, B: last }, "B"));
  assert.ok(guarded({ A: { Type: "Wait", Seconds: 1, Next: "B" }, B: last }, "B"));
  assert.ok(
    guarded({ A: { ...lambda, Catch: [{ ErrorEquals: ["States.ALL"], ResultPath: null, Next: "B" }], Next: "C" }, C: last, B: last }, "B"),
  );
  // A constructed object cannot be null, nor an input in which a path has found something.
  assert.ok(!guarded({ A: { Type: "Pass", Parameters: { a: 1 }, Next: "B" }, B: last }, "B"));
  assert.ok(!guarded({ A: { ...lambda, ResultPath: "$.result" }, B: last }, "B"));
  assert.ok(!guarded({ A: { ...lambda, ResultSelector: { "a.$": "$.a" } }, B: last }, "B"));
  assert.ok(!guarded({ A: { ...lambda, Parameters: { "a.$": "$.a" }, ResultPath: null }, B: last }, "B"));
  const choice = { Type: "Choice", Choices: [{ Variable: "$.a", IsString: true, Next: "B" }], Default: "B" };
  assert.ok(!guarded({ A: choice, B: last }, "B"));
  // One transition along which it can be null is enough.
  assert.ok(guarded({ A: { ...choice, Choices: [{ Variable: "$.a", IsPresent: true, Next: "B" }] }, B: last }, "B"));
});

test("in 1,200 runs of converted machines no failure becomes a success, and every difference has a rule", () => {
  // Recordings are not part of the repository. npm run differential uses them, too.
  const { runs, machines, succeeded, failed, healed, thrown, open } = compareConversions({
    simulate,
    validate,
    count: 1200,
    seed: 7,
    recorded: [],
    show: 1,
  });
  assert.deepEqual([healed, thrown, open], [0, 0, []]);
  assert.ok(runs === 1200 && machines > 150 && succeeded > 300 && failed > 300, JSON.stringify({ runs, machines, succeeded, failed }));
});

/** Returns the input, and variations that lack a member or have another value. */
function variations(input) {
  const found = [input];
  const change = (value, put) => {
    if (Array.isArray(value)) {
      found.push(put([]), put([...value, ...value]));
      value
        .slice(0, 2)
        .forEach((item, i) => change(item, (other) => put(value.with?.(i, other) ?? value.map((one, at) => (at === i ? other : one)))));
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value).slice(0, 4)) {
        const { [key]: _, ...rest } = value;
        found.push(put(rest), put({ ...value, [key]: null }));
        change(item, (other) => put({ ...value, [key]: other }));
      }
    } else if (typeof value === "number") found.push(put(value + 1), put(-value), put(String(value)));
    else if (typeof value === "string") found.push(put(`${value}x`), put(""), put(7));
    else found.push(put("other"));
  };
  change(input, (value) => value);
  return found.slice(0, 8);
}

function run(machine, { tasks = {}, seed = 0, start = "2024-01-01T00:00:00Z", stop }, input, type) {
  const startTime = Date.parse(start);
  const script = Object.fromEntries(
    Object.entries(tasks).map(([name, answers]) => [name, scripted(Array.isArray(answers) ? answers : [answers])]),
  );
  return simulate(machine, input, script, {
    ...type,
    seed,
    name: "execution",
    startTime,
    until: startTime + 1e10,
    ...(stop ? { abortAt: startTime + stop.at } : {}),
  });
}

function scripted(answers) {
  let calls = 0;
  return () => {
    const { output, error, cause, after, submitted, heartbeats } = answers[Math.min(calls++, answers.length - 1)] ?? {};
    const end =
      error !== undefined
        ? { error, ...(cause === undefined ? {} : { cause }) }
        : output !== undefined
          ? { response: output }
          : { never: true };
    return {
      ...end,
      ...(after === undefined ? {} : { after }),
      ...(submitted === undefined ? {} : { submitted }),
      ...(heartbeats === undefined ? {} : { heartbeats }),
    };
  };
}

/** Returns a state in JSONata without the fields that it shares with the original. */
function check(state, expect) {
  const { definition, left } = toJsonata({ StartAt: "S", States: { S: { Type: "Pass", End: true, ...state } } });
  if (typeof expect === "string") return assert.equal(left[0]?.reason, expect);
  assert.deepEqual(left, []);
  const { Type, End, Next, Resource, Default, ...rest } = definition.States.S;
  assert.deepEqual(rest, expect);
  assert.equal(definition.QueryLanguage, "JSONata");
}

/** The assumptions of a JSONPath path about its input. */
const OBJECT = '$type($states.input) = "object"';
const CONFLICT = '$error("States.ReferencePathConflict")';
/** The function that prints a value as States.Format does. */
const TEXT =
  '$text := function($v) { $type($v) = "object" ? "{" & $join($each($v, function($x, $k) { $k & "=" & $text($x) }), ", ") & "}" : ' +
  '$type($v) = "array" ? "[" & $join($map($v, $text), ", ") & "]" : $string($v) }';

test("the conversion of a path is the path, guarded by its assumptions", () => {
  const task = { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:f" };
  check({}, {});
  check(
    { Parameters: { "id.$": "$.order.id", fixed: 1 } },
    { Output: { id: `{% ${OBJECT} and $type($states.input.order) = "object" ? $states.input.order.id %}`, fixed: 1 } },
  );
  check({ Parameters: { "a.$": "$.a", "b.$": "$.b" } }, { Output: { a: `{% ${OBJECT} ? $states.input.a %}`, b: "{% $states.input.b %}" } });
  check({ Result: { a: [1] }, ResultPath: "$.x" }, { Output: `{% ${OBJECT} ? $merge([$states.input, {"x": {"a":[1]}}]) : ${CONFLICT} %}` });
  check(
    { ...task, InputPath: "$.a", ResultSelector: { "v.$": "$.Payload" }, ResultPath: "$.r" },
    {
      Arguments: `{% ${OBJECT} ? $states.input.a %}`,
      Output:
        '{% $type($states.result) = "object" and $exists($states.result.Payload) ? $merge([$states.input, {"r": {"v": $states.result.Payload}}]) %}',
    },
  );
  check(
    { ...task, ResultPath: null, TimeoutSecondsPath: "$.t" },
    {
      Arguments: "{% $states.input %}",
      Output: "{% $states.input %}",
      TimeoutSeconds: `{% ${OBJECT} and $type($states.input.t) = "number" and $states.input.t != 0 ? $states.input.t %}`,
    },
  );
  check(
    { ...task, ResultPath: "$.r", OutputPath: "$.r.Payload" },
    {
      Arguments: "{% $states.input %}",
      Output: `{% ${OBJECT} ? ($type($states.result) = "object" ? $states.result.Payload) : ${CONFLICT} %}`,
    },
  );
  check(
    { Parameters: { "t.$": "States.Format('{}-{}', $.a, $$.Execution.Name)", "l.$": "States.Array($.a, 'b')" } },
    {
      Output: {
        t: `{% ${OBJECT} and $exists($states.input.a) ? (${TEXT}; $text($states.input.a) & "-" & $string($states.context.Execution.Name)) %}`,
        l: ["{% $states.input.a %}", "b"],
      },
    },
  );
  check(
    { Type: "Choice", Choices: [{ Not: { Variable: "$.a", IsPresent: true }, Next: "S" }], Default: "S" },
    { Choices: [{ Condition: `{% $not(${OBJECT} and $exists($states.input.a)) %}`, Next: "S" }] },
  );
  check(
    { Parameters: { "x.$": "$['a b'].c[0]", "y.$": "$v.z" } },
    {
      Output: {
        x: `{% ${OBJECT} and $type($states.input.\`a b\`) = "object" and $type($states.input.\`a b\`.c) = "array" ? ($exists($states.input.\`a b\`.c[0]) ? $states.input.\`a b\`.c[0] : null) %}`,
        y: '{% $type($v) = "object" ? $v.z %}',
      },
    },
  );
  // No path of a template reads a null input, and a value that is known to be an object is not checked again.
  check({ Parameters: { "x.$": "$" } }, { Output: { x: "{% $states.input != null ? $states.input %}" } });
  check({ Parameters: { "a.$": "$.a", "x.$": "$" } }, { Output: { a: `{% ${OBJECT} ? $states.input.a %}`, x: "{% $states.input %}" } });
  check({ InputPath: "$", OutputPath: "$" }, {});
  check({ InputPath: "$.a[-1]" }, { Output: `{% ${OBJECT} and $type($states.input.a) = "array" ? $states.input.a[-1] %}` });
});

test("States.Format and States.Hash print lists and objects as before the conversion", () => {
  const states = {
    A: { Type: "Pass", Parameters: { "text.$": "States.Format('<{}>', $.v)", "hash.$": "States.Hash($.v, 'MD5')" }, End: true },
  };
  const before = { StartAt: "A", States: states };
  const { definition: after, left } = toJsonata(before);
  assert.deepEqual(left, []);
  const values = [[], {}, [1], ["a", null], [[1], [2, []]], [[["x"]]], { a: [], b: { c: null, d: [true] } }, "x", "", 1.5, false];
  for (const v of values) {
    const [{ output }, converted] = [before, after].map((definition) => simulate(definition, { v }));
    assert.equal(typeof output.text, "string");
    assert.deepEqual(converted.output, output, JSON.stringify(v));
  }
  const long = { v: ["x".repeat(10_000)] };
  for (const definition of [before, after]) assert.equal(simulate(definition, long).status, "FAILED");
  // A variable of the machine keeps its value although the function is added.
  const variable = toJsonata({
    StartAt: "S",
    States: {
      S: { Type: "Pass", Assign: { text: "a" }, Next: "F" },
      F: { Type: "Pass", Parameters: { "t.$": "States.Format('{}{}', $text, $)" }, End: true },
    },
  });
  assert.deepEqual(simulate(variable.definition, [1]).output, { t: "a[1]" });
});

test("a rule does not check again what the rule before it has checked", () => {
  const rules = [
    {
      And: [
        { Variable: "$.a", IsPresent: true },
        { Variable: "$.a", NumericLessThan: 3 },
      ],
      Next: "S",
    },
    { Variable: "$.b", StringEquals: "x", Next: "S" },
    { Variable: "$.b", StringMatches: "x*", Next: "S" },
  ];
  check(
    { Type: "Choice", Choices: rules, Default: "S" },
    {
      Choices: [
        {
          Condition: `{% (${OBJECT} and $exists($states.input.a)) and ($type($states.input.a) = "number" and $states.input.a < 3) %}`,
          Next: "S",
        },
        { Condition: `{% ${OBJECT} and $exists($states.input.b) ? $states.input.b = "x" : $error("$.b has no value") %}`, Next: "S" },
        { Condition: '{% $type($states.input.b) = "string" and $contains($states.input.b, /^x[\\s\\S]*$/) %}', Next: "S" },
      ],
    },
  );
});

test("handlers of every error do not catch what ended the execution before", () => {
  const task = { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:f" };
  const all = ["States.ALL"];
  const again = { ErrorEquals: ["States.QueryEvaluationError"], Output: "{% $error($states.errorOutput.Cause) %}", Next: "S" };
  // An expression that cannot fail needs no guard.
  check(
    { ...task, Catch: [{ ErrorEquals: all, Next: "S" }] },
    { Arguments: "{% $states.input %}", Catch: [{ ErrorEquals: all, Next: "S" }] },
  );
  check(
    {
      ...task,
      Parameters: { "a.$": "$.a" },
      Retry: [{ ErrorEquals: all }],
      Catch: [
        { ErrorEquals: ["Own"], Next: "S" },
        { ErrorEquals: all, ResultPath: "$.error", Next: "S" },
      ],
    },
    {
      Arguments: { a: `{% ${OBJECT} ? $states.input.a %}` },
      Retry: [{ ErrorEquals: ["States.QueryEvaluationError"], MaxAttempts: 0 }, { ErrorEquals: all }],
      Catch: [
        { ErrorEquals: ["Own"], Next: "S" },
        again,
        { ErrorEquals: all, Output: '{% $merge([$states.input, {"error": $states.errorOutput}]) %}', Next: "S" },
      ],
    },
  );
  // The same for a Parallel or a Map around other states.
  const inner = (state) => ({ StartAt: "I", States: { I: { Type: "Pass", End: true, ...state } } });
  const parallel = (state, more) =>
    toJsonata({
      StartAt: "S",
      States: { S: { Type: "Parallel", Branches: [inner(state)], Catch: [{ ErrorEquals: all, Next: "S" }], End: true, ...more } },
    });
  assert.deepEqual(parallel({}).definition.States.S.Catch.length, 1);
  assert.deepEqual(parallel({ OutputPath: "$.x" }).definition.States.S.Catch[0], again);
  const { left, converted } = parallel({ OutputPath: "$.x" }, { ResultSelector: { "x.$": "$..y" } });
  assert.deepEqual([converted, left.map(({ state }) => state)], [[], ["S", "I"]]);
  assert.match(left.find(({ state }) => state === "I").reason, /the Catch of "S" around it, which stays as it is/);
});

test("what cannot be converted mechanically stays, with the reason", () => {
  check(
    { InputPath: "$.a[*].b" },
    "$.a[*].b can select several values: JSONPath returns them as a list, but JSONata flattens the list and unwraps a single value",
  );
  for (const template of [{ "x.$": "$.a[-1]" }, { "x.$": "States.Array($.a[-1])" }])
    check(
      { Parameters: template },
      "AWS finds nothing at $.a[-1] here, whatever the value is: docs/jsonpath.md has the forms of each field",
    );
  check({ Parameters: { "n.$": "States.MathRandom(1, 9)" } }, "States.MathRandom returns different numbers from $random");
  check({ Parameters: { text: "{% no %}" } }, 'the string "{% no %}" would be an expression in JSONata');
  check({ ResultPath: "$.a[0]" }, "$.a[0] is a position in a list");
  check(
    { Type: "Task", Resource: "r", Catch: [{ ErrorEquals: ["States.Runtime"], Next: "S" }] },
    "its Catch names States.Runtime, but expressions in JSONata fail with States.QueryEvaluationError",
  );
});

test("a machine keeps its language if one of its states stays", () => {
  const { definition, left, converted } = toJsonata({
    StartAt: "A",
    States: { A: { Type: "Pass", OutputPath: "$.a", Next: "B" }, B: { Type: "Pass", InputPath: "$..x", End: true } },
  });
  assert.equal(definition.QueryLanguage, undefined);
  assert.deepEqual(definition.States.A, { Type: "Pass", QueryLanguage: "JSONata", Output: `{% ${OBJECT} ? $states.input.a %}`, Next: "B" });
  assert.deepEqual([converted, left[0].pointer, definition.States.B.InputPath], [["A"], "/States/B/InputPath", "$..x"]);
});

const yaml = `# The order machine
StartAt: Charge # where it begins
States:
  # takes the money
  Charge:
    Type: Task # a call
    Resource: arn:aws:lambda:us-east-1:123456789012:function:charge
    ResultPath: $.receipt
    Next: Done
  Done: { Type: Succeed }
`;
const { stepglass } = folderWith({
  "order.yaml": yaml,
  "order.json":
    '{"Comment": "line one\\nline two", "StartAt": "A", "States": {"A": {"Type": "Wait", "Seconds": 1.0, "Next": "B: c"}, "B: c": {"Type": "Pass", "Result": ["yes", "1", 1, null, "- x", {}], "End": true}}}',
  "template.yaml":
    'Resources:\n  M:\n    Type: AWS::Serverless::StateMachine\n    Properties:\n      Role: !GetAtt Role.Arn\n      Definition:\n        StartAt: A\n        States:\n          A:\n            Type: Task\n            Resource: !Sub "${F.Arn}"\n            OutputPath: $.x\n            End: true\n',
  "left.json": { StartAt: "A", States: { A: { Type: "Pass", InputPath: "$..x", End: true } } },
  "broken.json": "{",
  "list.json": "[1]",
});

test("JSON is converted to equivalent YAML, and back", async () => {
  const { code, stdout, stderr } = await stepglass("convert", "order.json");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(
    stdout,
    'Comment: |-\n  line one\n  line two\nStartAt: A\nStates:\n  A:\n    Type: Wait\n    Seconds: 1.0\n    Next: "B: c"\n  "B: c":\n    Type: Pass\n    Result:\n      - yes\n      - "1"\n      - 1\n      - null\n      - "- x"\n      - {}\n    End: true\n',
  );
  const back = await stepglass("convert", "-", "--to", "json", { input: stdout });
  assert.deepEqual(JSON.parse(back.stdout), JSON.parse((await stepglass("convert", "order.json", "--to", "json")).stdout));
  const json = await stepglass("convert", "order.yaml", "-o", "out.json");
  assert.deepEqual([json.code, json.stdout], [0, ""]);
  assert.match(json.stderr, /JSON has no comments/);
});

test("YAML keeps its layout except where it is converted", async () => {
  const { code, stdout, stderr } = await stepglass("convert", "order.yaml", "--jsonata");
  assert.deepEqual([code, stderr], [0, "2 states in JSONata\n"]);
  assert.equal(
    stdout,
    yaml
      .replace("StartAt", "QueryLanguage: JSONata\nStartAt")
      .replace(
        "    ResultPath: $.receipt\n",
        '    Arguments: "{% $states.input %}"\n    Output: \'{% $type($states.input) = "object" ? $merge([$states.input, {"receipt": $states.result}]) : $error("States.ReferencePathConflict") %}\'\n',
      ),
  );
});

test("a template keeps its short forms", async () => {
  for (const file of ["template.yaml", "template.yaml#M"]) {
    const { code, stdout } = await stepglass("convert", file, "--jsonata");
    assert.equal(code, 0);
    assert.match(
      stdout,
      /Role: !GetAtt Role\.Arn\n {6}Definition:\n {8}QueryLanguage: JSONata\n[^]*Resource: !Sub "\$\{F\.Arn\}"\n[^]*Output: '\{% \$type\(\$states\.result\) = "object" \? \$states\.result\.x %\}'/,
    );
  }
  const { stdout } = await stepglass("convert", "template.yaml");
  assert.deepEqual(JSON.parse(stdout).Resources.M.Properties.Definition.States.A.Resource, { "Fn::Sub": "${F.Arn}" });
});

test("the command has exit codes, and a report for programs", async () => {
  const left = await stepglass("convert", "left.json", "--jsonata");
  assert.equal(left.code, 1);
  assert.match(left.stderr, /0 states in JSONata, 1 left in JSONPath:\n {2}A {2}\$\.\.x can select several/);
  const report = JSON.parse((await stepglass("convert", "left.json", "--jsonata", "--json")).stdout);
  assert.deepEqual([report.left[0].state, report.converted, JSON.parse(report.output).StartAt], ["A", [], "A"]);
  for (const args of [
    [],
    ["broken.json"],
    ["list.json", "--jsonata"],
    ["order.json", "--to", "toml"],
    ["template.yaml#X", "--jsonata"],
    ["template.yaml#M"],
  ])
    assert.equal((await stepglass("convert", ...args)).code, 2, args.join(" "));
});

test("a state with a malformed field stays as it is, with the reason", () => {
  const task = { Type: "Task", Resource: "arn:aws:states:::lambda:invoke", End: true };
  const malformed = {
    "a text": ["x", "", "it is not an object"],
    "no object": [null, "", "it is not an object"],
    "a text of choices": [{ Type: "Choice", Choices: "x" }, "/Choices", "it is not a list of objects"],
    "a rule that is a text": [{ Type: "Choice", Choices: ["x"] }, "/Choices", "it is not a list of objects"],
    "a text of catchers": [{ ...task, Catch: "x" }, "/Catch", "it is not a list of objects"],
    "a place that is a variable": [{ ...task, ResultPath: "$x" }, "/ResultPath", "$x is not a place in the input"],
    "a reader that is a text": [{ Type: "Map", ItemReader: "x", End: true }, "/ItemReader", "it is not an object"],
    "a limit of a reader that is a text": [
      { Type: "Map", ItemReader: { ReaderConfig: "x" }, End: true },
      "/ItemReader",
      "it is not an object",
    ],
    "a batcher that is a list": [{ Type: "Map", ItemBatcher: [], End: true }, "/ItemBatcher", "it is not an object"],
  };
  for (const [name, [state, field, reason]] of Object.entries(malformed)) {
    const definition = { StartAt: name, States: { [name]: state } };
    assert.deepEqual(
      toJsonata(definition),
      { definition, converted: [], left: [{ state: name, pointer: `/States/${name}${field}`, reason }] },
      name,
    );
  }
});

test("malformed lists of retriers, branches or choices do not stop a conversion", () => {
  const states = [
    { Type: "Choice", Choices: [] },
    { Type: "Pass", Retry: "x", End: true },
    { Type: "Parallel", Branches: [null, "x"], End: true },
    { Type: "Map", ItemProcessor: "x", End: true },
  ];
  for (const state of states) assert.deepEqual(toJsonata({ StartAt: "A", States: { A: state } }).converted, ["A"], JSON.stringify(state));
});

test("the page's conversion keeps placeholders outside of strings, also one for a whole state", async () => {
  const { toJsonataEdits } = await importSource("js/language/convert/edits.ts");
  const text = `{
  "StartAt": "Wait",
  "States": {
    "Wait": { "Type": "Wait", "Seconds": \${Delay}, "Next": "Call" },
    "Call": {
      "Type": "Task",
      "Resource": "\${Function}",
      "TimeoutSeconds": \${Timeout},
      "Parameters": { "id.$": "$.id" },
      "Next": "Rest"
    },
    "Rest": \${Rest}
  }
}`;
  const { edits, converted, left } = toJsonataEdits(text, language.outline(text));
  assert.deepEqual(converted, ["Wait", "Call"]);
  assert.deepEqual(
    left.map(({ state, reason }) => [state, reason]),
    [["Rest", "it is a placeholder"]],
  );
  const after = language.apply(text, edits);
  assert.match(after, /"Seconds": \$\{Delay\}/);
  assert.match(after, /"TimeoutSeconds": \$\{Timeout\}/);
  assert.match(after, /"Resource": "\$\{Function\}"/);
  assert.match(after, /"Rest": \$\{Rest\}\n/);
  assert.match(after, /"id": "\{% .*\$states\.input\.id %\}"/);
  assert.ok(!after.includes("__placeholder"));
});

test("a state with an unknown field stays", () => {
  const unknown = "the conversion does not know this field";
  const left = (state) => toJsonata({ StartAt: "S", States: { S: { End: true, ...state } } }).left;
  assert.deepEqual(left({ Type: "Pass", Urgency: 1 }), [{ state: "S", pointer: "/States/S/Urgency", reason: unknown }]);
  for (const Type of ["Task", "Wait", "Pass", "Succeed", "Fail", "Choice", "Parallel", "Map"]) {
    const text = `{"StartAt":"S","States":{"S":{"Type":"${Type}",""}}}`;
    const fields = complete(text, text.indexOf('""') + 1).items.filter(({ kind }) => kind === "field");
    assert.ok(fields.length > 3, Type);
    for (const { label } of fields) {
      assert.ok(!left({ Type, [label]: "$.x" }).some(({ reason }) => reason === unknown), `${Type}: ${label}`);
    }
  }
});
