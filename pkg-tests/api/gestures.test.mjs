// Edits on the graph as edits of the text, in JSON and YAML.
import assert from "node:assert/strict";
import { test } from "node:test";
import { language, layout, validate } from "../../dist/node.js";
import { yaml } from "../../dist/yaml-node.js";
import { run } from "../../scripts/gestures.mjs";

const JSON_TEXT = `{
  "StartAt": "Charge",
  "States": {
    "Charge": {
      "Type": "Task",
      "Resource": "arn:aws:lambda:us-east-1:123456789012:function:charge",
      "TimeoutSeconds": \${Timeout},
      "Catch": [{ "ErrorEquals": ["States.ALL"], "Next": "Refund" }],
      "Next": "Ship"
    },
    "Refund": { "Type": "Pass", "Next": "Gone" },
    "Gone": { "Type": "Fail", "Error": "Refunded" },
    "Ship": { "Type": "Succeed" }
  }
}
`;

const YAML_TEXT = `# Orders
StartAt: Charge
States:
  # takes the money
  Charge: # of the card
    Type: Task
    Resource: "arn:aws:lambda:us-east-1:123456789012:function:charge"

    Catch:
    - ErrorEquals: [States.ALL] # whatever it is
      Next: Refund
    Next: Ship
  Refund: { Type: Pass, Next: Ship }
  # the end
  Ship:
    Type: Succeed
`;

const apply = (text, gesture, options) => {
  const edited = language.edit(text, gesture, options);
  assert.ok(!("refused" in edited), JSON.stringify(edited));
  return { ...edited, text: language.apply(text, edited.edits) };
};

test("a state that is inserted on a transition is formatted like its neighbours, and placeholders stay", () => {
  const { text, announce, caret, select } = apply(JSON_TEXT, {
    kind: "insert",
    edge: "/States/Charge/Next",
    state: { type: "Wait", name: "Rest" },
  });
  const rest = '    "Rest": {\n      "Type": "Wait",\n      "Seconds": 1,\n      "Next": "Ship"\n    },\n';
  assert.equal(text, JSON_TEXT.replace('"Next": "Ship"\n    },\n', `"Next": "Rest"\n    },\n${rest}`));
  assert.deepEqual(
    [announce, select, text.slice(caret.start, caret.end)],
    ["Wait Rest added between Charge and Ship.", ["/States/Rest"], "1"],
  );
});

test("comments, quotes and the style of lists stay in YAML", () => {
  const { text } = apply(YAML_TEXT, { kind: "wrap", states: ["/States/Refund"], type: "Parallel", name: "Both" }, { syntax: yaml });
  const both = [
    "  Both:",
    "    Type: Parallel",
    "    Branches:",
    "    - StartAt: Refund",
    "      States:",
    "        Refund: { Type: Pass, End: true }",
    "    Next: Ship",
  ];
  assert.equal(text, YAML_TEXT.replace("Next: Refund", "Next: Both").replace("  Refund: { Type: Pass, Next: Ship }", both.join("\n")));
  const last = apply(YAML_TEXT, { kind: "wrap", states: ["/States/Ship"], type: "Parallel", name: "Both" }, { syntax: yaml });
  const end = ["  Both:", "    Type: Parallel", "    Branches:", "    - StartAt: Ship", "      States:"];
  end.push("        # the end", "        Ship:", "          Type: Succeed", "    End: true", "");
  const [head] = YAML_TEXT.replaceAll("Next: Ship", "Next: Both").split("  # the end");
  assert.equal(last.text, head + end.join("\n"));
});

test("a state with two targets cannot be wrapped, and the reason is given", () => {
  const { refused } = language.edit(JSON_TEXT, { kind: "wrap", states: ["/States/Charge"], type: "Map" });
  assert.equal(refused.code, "ways");
  assert.match(refused.message, /`Ship`/);
});

test("if several states may follow a deleted one, the result lists them", () => {
  const choice = JSON_TEXT.replace(
    '"Refund": { "Type": "Pass", "Next": "Gone" }',
    '"Refund": { "Type": "Choice", "Choices": [{ "Variable": "$.x", "IsPresent": true, "Next": "Gone" }], "Default": "Ship" }',
  );
  const { refused } = language.edit(choice, { kind: "delete", states: ["/States/Refund"] });
  assert.equal(refused.code, "ambiguous");
  const ship = refused.choices.find(({ name }) => name === "Ship");
  const { text } = apply(choice, { kind: "delete", states: ["/States/Refund"], to: ship.to });
  assert.match(text, /"ErrorEquals": \["States.ALL"\], "Next": "Ship"/);
});

test("problems that an edit causes are announced", () => {
  const { introduces } = apply(JSON_TEXT, { kind: "connect", edge: "/States/Charge/Catch/0/Next", to: "/States/Ship" });
  assert.deepEqual(
    introduces.map(({ code, pointer }) => [code, pointer]),
    [
      ["unreachable-state", "/States/Refund"],
      ["unreachable-state", "/States/Gone"],
    ].slice(0, introduces.length),
  );
  assert.notEqual(introduces.length, 0);
});

test("without `problems` the check for new problems is skipped, and nothing else changes", () => {
  const gesture = { kind: "connect", edge: "/States/Charge/Catch/0/Next", to: "/States/Ship" };
  for (const [text, options] of [
    [JSON_TEXT, {}],
    [YAML_TEXT, { syntax: yaml }],
  ]) {
    const all = apply(text, gesture, options);
    assert.notEqual(all.introduces.length, 0);
    assert.deepEqual(apply(text, gesture, { ...options, problems: false }), { ...all, introduces: [] });
  }
});

test("an extracted machine can be inlined again", () => {
  const plain =
    '{\n  "StartAt": "A",\n  "States": {\n    "A": { "Type": "Pass", "Next": "B" },\n    "B": { "Type": "Pass", "Next": "C" },\n    "C": { "Type": "Succeed" }\n  }\n}\n';
  const out = apply(plain, { kind: "extract", states: ["/States/A", "/States/B"], name: "Child" });
  assert.deepEqual(Object.keys(JSON.parse(out.asl).States), ["A", "B"]);
  assert.deepEqual(validate(out.asl), []);
  const back = apply(out.text, { kind: "inline", state: "/States/Child", asl: out.asl });
  assert.deepEqual(JSON.parse(back.text).States.A, { Type: "Pass", Next: "B" });
  assert.deepEqual(JSON.parse(back.text).States.B, { Type: "Pass", Next: "C" });
});

test("variables that are read outside become the input of an extracted machine", () => {
  const text = JSON.stringify({
    StartAt: "A",
    States: {
      A: { Type: "Pass", Assign: { "x.$": "$.x" }, Next: "B" },
      B: { Type: "Pass", Parameters: { "y.$": "$x" }, End: true },
    },
  });
  const { asl, text: after } = apply(text, { kind: "extract", states: ["/States/B"] });
  assert.deepEqual(JSON.parse(asl).States["Take variables"], {
    Type: "Pass",
    Assign: { "x.$": "$.variables.x" },
    OutputPath: "$.input",
    Next: "B",
  });
  assert.deepEqual(JSON.parse(after).States["B 2"].Parameters.Input, { "input.$": "$", variables: { "x.$": "$x" } });
  assert.deepEqual(validate(asl), []);
});

test("a state can be inserted on every transition of the graph, and every transition can be reconnected", () => {
  const ways = {
    StartAt: "Choose",
    States: {
      Choose: {
        Type: "Choice",
        Choices: [
          { Variable: "$.a", IsPresent: true, Next: "Both" },
          { Variable: "$.b", IsPresent: true, Next: "End" },
        ],
        Default: "End",
      },
      Both: {
        Type: "Parallel",
        Branches: [{ StartAt: "In", States: { In: { Type: "Pass", End: true } } }],
        Catch: [{ ErrorEquals: ["States.ALL"], Next: "End" }],
        Next: "End",
      },
      End: { Type: "Succeed" },
    },
  };
  const text = JSON.stringify(ways, null, 2);
  const edges = layout(text).edges.filter(({ to, from }) => !/#|^$/.test(from) && to !== from);
  assert.ok(["/States/Choose/Choices/1", "/States/Both/Catch/0"].every((id) => edges.some((edge) => edge.id === id)));
  for (const { id, kind } of edges) {
    if (id === "/States/End/Type") continue;
    const offered = language.gestures(text, id).filter(({ edge }) => edge === id);
    assert.ok(
      offered.some((one) => one.kind === "insert" && !one.refused),
      `${id}: ${JSON.stringify(offered)}`,
    );
    const { edits } = language.edit(text, { kind: "insert", edge: id, state: { type: "Wait" } });
    assert.ok(edits.length > 0, id);
    if (kind === "choice" || kind === "catch") {
      const { edits: led } = language.edit(text, { kind: "connect", edge: id, to: "/States/Choose" });
      assert.deepEqual(
        led.map((edit) => edit.text),
        ['"Choose"'],
      );
    }
  }
  // The edits of a state use the same names for its transitions.
  const led = language.gestures(text, "/States/Choose").filter(({ kind, edge }) => kind === "connect" && edge !== undefined);
  assert.deepEqual(
    led.map(({ edge }) => edge),
    ["/States/Choose/Default", "/States/Choose/Choices/0", "/States/Choose/Choices/1"],
  );
});

test("a pasted fragment gets names of its own, and its placeholders are tab stops", () => {
  const asl = JSON.stringify({ StartAt: "Ship", States: { Ship: { Type: "Task", Resource: "${Function}", End: true } } });
  for (const [source, options] of [
    [JSON_TEXT, {}],
    [YAML_TEXT, { syntax: yaml }],
  ]) {
    const { text, stops, select } = apply(source, { kind: "paste", asl, edge: "/States/Charge/Next" }, options);
    assert.deepEqual(select, ["/States/Ship 2"]);
    assert.deepEqual(
      stops.map(({ start, end }) => text.slice(start, end)),
      ["${Function}"],
    );
  }
});

test("an empty page accepts a first state", () => {
  assert.equal(
    apply("", { kind: "create", state: { type: "Succeed", name: "Done" } }).text,
    '{\n  "StartAt": "Done",\n  "States": {\n    "Done": {\n      "Type": "Succeed"\n    }\n  }\n}\n',
  );
  assert.equal(
    apply("# mine\n", { kind: "create", state: { type: "Succeed", name: "Done" } }, { syntax: yaml }).text,
    "# mine\nStartAt: Done\nStates:\n  Done:\n    Type: Succeed\n",
  );
});

test("a fault elsewhere does not matter, and a broken part is not edited", () => {
  const broken = JSON_TEXT.replace('"Type": "Fail", ', '"Type": , ');
  const { text } = apply(broken, { kind: "insert", edge: "/States/Charge/Next", state: { type: "Pass" } });
  assert.match(text, /"Next": "Pass"/);
  assert.equal(language.edit(broken, { kind: "set", at: "/States/Gone/Cause", value: "x" }).refused.code, "broken");
});

const SHARED = `StartAt: A
States:
  A: &a # both
    Type: Pass
    Next: Ship
  B: *a
  Try:
    Type: Task
    Resource: "arn:aws:states:::sqs:sendMessage"
    Retry: &often
    - ErrorEquals: [States.Timeout]
    Next: Ship
  Again:
    Type: Task
    Resource: "arn:aws:states:::sqs:sendMessage"
    Retry: *often
    Next: Ship
  Ship:
    Type: Succeed
`;

test("an anchored value changes wherever it is used, and this is announced", () => {
  const edited = apply(SHARED, { kind: "set", at: "/States/Try/Retry/0/MaxAttempts", value: 5 }, { syntax: yaml });
  assert.equal(edited.text, SHARED.replace("[States.Timeout]\n", "[States.Timeout]\n      MaxAttempts: 5\n"));
  assert.deepEqual(edited.losses, [
    { pointer: "/States/Again/Retry", message: "`Retry` changes too: it is the same text, written at the anchor &often" },
  ]);
  const inserted = apply(SHARED, { kind: "insert", edge: "/States/A/Next", state: { type: "Wait", name: "Rest" } }, { syntax: yaml });
  assert.match(inserted.text, /A: &a # both\n    Type: Pass\n    Next: Rest\n/);
  assert.deepEqual(
    inserted.losses.map(({ pointer }) => pointer),
    ["/States/B"],
  );
});

test("problems that an alias spreads are announced", () => {
  const text = SHARED.replace("StartAt: A\n", "StartAt: B\n");
  const edited = apply(text, { kind: "connect", edge: "/States/A/Next", to: "/States/A" }, { syntax: yaml });
  assert.ok(edited.introduces.some(({ code, message }) => code === "endless-loop" && message.includes("`A`")));
});

test("renaming changes an anchored value once, and leaves the rest of the text", () => {
  const { text, losses } = apply(SHARED, { kind: "rename", state: "/States/Ship", to: "Sent" }, { syntax: yaml });
  assert.equal(text, SHARED.replaceAll("Ship", "Sent"));
  assert.deepEqual(losses, []);
});

test("a field is not edited through an alias, and nothing that an alias refers to is removed", () => {
  const refusal = (gesture) => language.edit(SHARED, gesture, { syntax: yaml }).refused;
  assert.match(refusal({ kind: "set", at: "/States/B/Comment", value: "x" }).message, /at the anchor &a: change it there/);
  assert.equal(refusal({ kind: "delete", states: ["/States/A"], to: "/States/Ship" }).code, "alias");
  const merged = SHARED.replace("  B: *a\n", "  B:\n    <<: *a\n    Comment: mine\n");
  const { text, losses } = apply(merged, { kind: "set", at: "/States/B/Comment", value: "yours" }, { syntax: yaml });
  assert.equal(text, merged.replace("mine", "yours"));
  assert.deepEqual(losses, []);
  assert.equal(language.edit(merged, { kind: "set", at: "/States/B/Next", value: "A" }, { syntax: yaml }).refused.code, "alias");
});

test("a list below its name becomes empty beside its comment", () => {
  const text = SHARED.replace("Retry: &often\n", "Retry: # now and then\n").replace("Retry: *often", "Retry: []");
  const { text: after } = apply(text, { kind: "set", at: "/States/Try/Retry", value: [] }, { syntax: yaml });
  assert.equal(after, text.replace("    - ErrorEquals: [States.Timeout]\n", "      []\n"));
});

test("a variable is renamed in block scalars, too, which keep their layout", () => {
  const text = `QueryLanguage: JSONata
StartAt: A
States:
  A:
    Type: Pass
    Assign:
      sum: "{% $states.input.sum %}"
    Output: |-
      {%
        $sum > 1   /* the sum */
          ? '$sum' : $string($sum)
      %}
    End: true
`;
  const { text: after, announce } = apply(text, { kind: "rename", variable: "sum", to: "total" }, { syntax: yaml });
  assert.equal(after, text.replace("sum: ", "total: ").replace("$sum > 1", "$total > 1").replace("$string($sum)", "$string($total)"));
  assert.equal(announce, "$sum is called $total now.");
  assert.deepEqual(language.gestures(text, "", { syntax: yaml }).find(({ kind }) => kind === "rename").variables, ["sum"]);
});

test("a state that is a placeholder can be a target, renamed, copied and deleted, but its fields cannot be edited", () => {
  const long = "${DefinitionOfTheLastState}";
  const text = JSON_TEXT.replace('{ "Type": "Succeed" }', long);
  assert.equal(apply(text, { kind: "rename", state: "/States/Ship", to: "Send" }).text, text.replaceAll("Ship", "Send"));
  assert.match(apply(text, { kind: "connect", edge: "/States/Refund/Next", to: "/States/Ship" }).text, /"Refund": {[^}]*"Next": "Ship" }/);
  const copied = apply(text, { kind: "duplicate", states: ["/States/Ship"] });
  assert.ok(copied.text.includes(`"Ship": ${long},\n    "Ship 2": ${long}\n`), copied.text);
  assert.deepEqual(
    copied.introduces.map(({ pointer }) => pointer).filter((pointer) => pointer === "/States/Ship 2"),
    [],
  );
  const { asl } = apply(text, { kind: "copy", states: ["/States/Ship"] });
  assert.ok(asl.includes(`"Ship": ${long}`));
  assert.ok(apply(JSON_TEXT, { kind: "paste", asl, scope: "" }).text.includes(`"Ship 2": ${long}`));
  assert.ok(!apply(text, { kind: "delete", states: ["/States/Ship"], to: null }).text.includes("Ship"));
  assert.match(language.edit(text, { kind: "retype", state: "/States/Ship", type: "Wait" }).refused.message, /`Ship` is a placeholder/);
  assert.match(
    language.edit('{"StartAt": "A", "States": ${States}}', { kind: "create", state: { type: "Pass" } }).refused.message,
    /`States` is a placeholder/,
  );
});

test("copies of a state keep its placeholders, however long their names are", () => {
  for (const name of ["${T}", "${SomeVeryLongNameOfAPlaceholder}"]) {
    const { text } = apply(JSON_TEXT.replace("${Timeout}", name), { kind: "duplicate", states: ["/States/Charge"] });
    assert.equal(text.split(`"TimeoutSeconds": ${name}`).length, 3, text);
  }
});

test("the possible edits at a position have their targets, and impossible ones a reason", () => {
  const found = language.gestures(JSON_TEXT, "/States/Charge");
  const next = found.find(({ kind, as }) => kind === "connect" && as === "next");
  assert.deepEqual(
    next.targets.map(({ name }) => name),
    ["Charge", "Refund", "Gone", "Ship"],
  );
  assert.equal(found.find(({ kind, as }) => kind === "append" && as === "rule").refused.code, "impossible");
  assert.equal(found.find(({ kind }) => kind === "wrap").refused.code, "ways");
  const ship = language.gestures(YAML_TEXT, "/States/Ship", { syntax: yaml });
  assert.match(ship.find(({ kind, as }) => kind === "append" && as === "next").refused.message, /Succeed/);
  assert.deepEqual(
    language.gestures(JSON_TEXT, "/States/Charge/Next").map(({ kind }) => kind),
    ["insert", "paste", "connect", "disconnect"],
  );
});

test("random edits keep the invariants", { timeout: 300_000 }, async () => {
  const { failures, done, yaml: inYaml } = await run({ count: 2000, seed: 7, language, validate });
  assert.deepEqual(failures.slice(0, 2), []);
  assert.ok(done > 1000 && inYaml > 300, `${done} ${inYaml}`);
});
