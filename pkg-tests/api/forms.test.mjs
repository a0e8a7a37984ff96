// How the page's forms read fields and what is typed into them, without a browser.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { complete, language } from "stepglass";
import { importSource } from "../../scripts/sources.mjs";

const fields = await importSource("www/src/forms/fields.ts");
const { typedJson, typedNumber, typedPath } = await importSource("www/src/forms/values.ts");
const { textOf } = await importSource("www/src/forms/sample.ts");
const { form } = await importSource("www/src/worker/form.ts");
const rule = await importSource("www/src/model/rule.ts");
const { newCatcher, newRule } = await importSource("www/src/forms/additions.ts");
const { backoffOf } = await importSource("www/src/model/backoff.ts");

const LANGUAGES = ["JSONPath", "JSONata"];

/** Returns the names that the core proposes at "" in this text. */
function proposed(text) {
  const { items } = complete(text, text.indexOf('""') + 1);
  return items.filter(({ kind }) => kind === "field").map(({ label }) => label);
}

const ofState = (type, queryLanguage, inner = '""') =>
  proposed(`{"QueryLanguage":"${queryLanguage}","StartAt":"S","States":{"S":{"Type":"${type}",${inner}}}}`);

const sorted = (names) => [...new Set(names)].sort();

/** Returns the fields that a table has for a query language. */
const names = (list, queryLanguage) => fields.namesOf(fields.fieldsOf(list, queryLanguage));

describe("the fields of forms", () => {
  for (const queryLanguage of LANGUAGES) {
    for (const type of Object.keys(fields.FORMS)) {
      test(`match the core: ${type} in ${queryLanguage}`, () => {
        const own = fields.groupsOf(type, queryLanguage).flatMap((group) => fields.namesOf(group.fields));
        assert.deepEqual(sorted(own), sorted([...ofState(type, queryLanguage), "Type"]));
      });
    }

    test(`match the core: objects inside a state in ${queryLanguage}`, () => {
      const map = (name) => fields.FORMS.Map.flatMap((group) => group.fields).find((field) => field.name === name).inside;
      const config = (name) => map(name).find((field) => field.name.endsWith("Config")).inside;
      const same = (list, type, inner) => assert.deepEqual(sorted(names(list, queryLanguage)), sorted(ofState(type, queryLanguage, inner)));
      same(map("ItemReader"), "Map", '"ItemReader":{""}');
      same(config("ItemReader"), "Map", '"ItemReader":{"ReaderConfig":{""}}');
      same(map("ItemBatcher"), "Map", '"ItemBatcher":{""}');
      same(map("ResultWriter"), "Map", '"ResultWriter":{""}');
      same(config("ResultWriter"), "Map", '"ResultWriter":{"WriterConfig":{""}}');
      same(fields.PROCESSOR_CONFIG, "Map", '"ItemProcessor":{"ProcessorConfig":{""}}');
      same(fields.RETRIER, "Task", '"Retry":[{""}]');
      same(fields.CATCHER, "Task", '"Catch":[{""}]');
      assert.deepEqual(
        sorted([...names(fields.BRANCH, queryLanguage), "States"]),
        sorted(ofState("Parallel", queryLanguage, '"Branches":[{""}]')),
      );
      // A rule also has its condition, which the form builds.
      const rule = ofState("Choice", queryLanguage, '"Choices":[{""}]');
      for (const name of names(fields.RULE, queryLanguage)) assert.ok(rule.includes(name), name);
    });

    test(`have descriptions of the core in ${queryLanguage}`, () => {
      for (const type of Object.keys(fields.FORMS)) {
        for (const name of fields.groupsOf(type, queryLanguage).flatMap((group) => fields.namesOf(group.fields))) {
          const { text, offset } = textOf(type, queryLanguage, [name]);
          assert.ok(language.hover(text, offset)?.text, `${type} ${name}`);
        }
      }
    });
  }

  test("match the core: the machine", () => {
    const own = fields.MACHINE.flatMap((group) => fields.namesOf(group.fields));
    assert.deepEqual(sorted([...own, "States"]), sorted(proposed('{""}')));
  });

  test("that are unknown are found", () => {
    const groups = fields.groupsOf("Pass", "JSONata");
    assert.deepEqual(fields.unknownNames({ Type: "Pass", InputPath: "$", Fancy: 1, Output: 2 }, groups), ["InputPath", "Fancy"]);
  });
});

describe("typed text", () => {
  test("for a number may be a number, a placeholder or an expression", () => {
    assert.deepEqual(typedNumber(" 5 ", false), { value: 5 });
    assert.deepEqual(typedNumber("", false), { absent: true });
    assert.deepEqual(typedNumber("${Timeout}", false), { value: "${Timeout}" });
    assert.deepEqual(typedNumber("{% $n %}", true), { value: "{% $n %}" });
    assert.match(typedNumber("{% $n %}", false).problem, /Enter a number/);
    assert.match(typedNumber("soon", true).problem, /Enter a number/);
    assert.match(typedNumber("0x10 s", false).problem, /Enter a number/);
  });

  test("for JSON may be an expression as a whole", () => {
    assert.deepEqual(typedJson('{"a": [1]}'), { value: { a: [1] } });
    assert.deepEqual(typedJson("{% $x %}"), { value: "{% $x %}" });
    assert.match(typedJson('{"a": ').problem, /^This is not JSON yet/);
    assert.deepEqual(typedPath("null"), { value: null });
  });
});

describe("a state in its form", () => {
  const at = (text, [from, to]) => text.slice(from, to);
  const BROKEN = `{
  "QueryLanguage": "JSONata",
  "StartAt": "A",
  "States": {
    "A": { "Type": "Task", "Resource": "x", "TimeoutSeconds": \${T}, "Next": "B" },
    "B": { "Type": "Pass", "Comment": , "Next": "C" },
    "C": { "Type": "Parallel", "Branches": [{ "StartAt": "D", "States": { "D": { "Type": "Fail" } }, "Comment": "one" }], "End": true }
  },
  "Comment": "at the end"
}
`;

  test("has its values and their positions, also if the text is broken elsewhere", async () => {
    const found = await form({ text: BROKEN, format: "json", pointer: "/States/A" });
    assert.deepEqual(found.fields, { Type: "Task", Resource: "x", TimeoutSeconds: "${T}", Next: "B" });
    assert.deepEqual(found.bare, ["/States/A/TimeoutSeconds"]);
    assert.equal(at(BROKEN, found.places["/States/A/TimeoutSeconds"]), '"TimeoutSeconds": ${T}');
    assert.equal(found.language, "JSONata");
    assert.deepEqual(found.targets, ["A", "B", "C"]);
    const inside = await form({ text: BROKEN, format: "json", pointer: "/States/C" });
    assert.deepEqual(inside.fields.Branches, [{ StartAt: "D", Comment: "one" }]);
    assert.deepEqual(inside.scopes, { "/States/C/Branches/0": ["D"] });
    const machine = await form({ text: BROKEN, format: "json", pointer: "" });
    assert.deepEqual(machine.fields, { QueryLanguage: "JSONata", StartAt: "A", Comment: "at the end" });
  });

  test("reports what cannot be read, and where", async () => {
    const found = await form({ text: BROKEN, format: "json", pointer: "/States/B" });
    assert.match(found.unreadable, /value is missing/);
    assert.equal(BROKEN.slice(found.at[0] - 2, found.at[0] + 1), ": ,");
    assert.match((await form({ text: BROKEN, format: "json", pointer: "/States/Z" })).unreadable, /cannot be found/);
    assert.match((await form({ text: "[]", format: "json", pointer: "" })).unreadable, /no object/);
  });

  test("is the same in YAML", async () => {
    const text =
      "StartAt: A\nStates:\n  # the first\n  A:\n    Type: Wait\n    Seconds: ${T}\n    Comment: |\n      two\n      lines\n    Next: B\n  B: {Type: Succeed}\n";
    const found = await form({ text, format: "yaml", pointer: "/States/A" });
    assert.deepEqual(found.fields, { Type: "Wait", Seconds: "${T}", Comment: "two\nlines\n", Next: "B" });
    assert.match(at(text, found.places["/States/A/Next"]), /Next: B/);
    const broken = await form({ text: `${text}  C: {Type: [`, format: "yaml", pointer: "/States/A" });
    assert.equal(broken.fields.Type, "Wait");
  });

  test("may have any name, and an empty text is an empty machine", async () => {
    const text = '{"States": {"a/b~c": {"Type": "Pass", "__proto__": 1}}}';
    const found = await form({ text, format: "json", pointer: "/States/a~1b~0c" });
    assert.deepEqual(Object.keys(found.fields), ["Type", "__proto__"]);
    assert.deepEqual((await form({ text: "", format: "yaml", pointer: "" })).fields, {});
  });
});

describe("a rule of a Choice", () => {
  const total = { Variable: "$.total", NumericGreaterThan: 100 };
  const country = { Variable: "$.country", StringEquals: "NO" };

  test("offers all comparisons of the core", () => {
    const built = rule.OPERATORS.flatMap(({ operators }) => operators.map(({ name }) => name));
    const others = ["Variable", "Next", "Assign", "Comment", "And", "Or", "Not"];
    assert.deepEqual(sorted([...built, ...others]), sorted(ofState("Choice", "JSONPath", '"Choices":[{""}]')));
  });

  test("reads as a sentence", () => {
    const said = (test) => rule.sentenceOf(test);
    assert.equal(said({ ...total, Next: "Ship" }), "$.total is greater than 100");
    assert.equal(
      said({ And: [country, { Not: { Variable: "$.paid", BooleanEquals: true } }] }),
      "$.country is “NO” and $.paid is not true",
    );
    assert.equal(
      said({ Or: [total, { And: [country, total] }] }),
      "$.total is greater than 100 or ($.country is “NO” and $.total is greater than 100)",
    );
    assert.equal(said({ Not: { And: [country] } }), "not ($.country is “NO”)");
    assert.equal(said({ Variable: "$.a", IsPresent: false }), "$.a is not there");
    assert.equal(said({ Variable: "$.a", NumericEqualsPath: "$.b" }), "$.a is the number at $.b");
    assert.equal(said({ Condition: "{% $x > 1 %}" }), "$x > 1");
    for (const odd of [null, 5, {}, { And: 1 }, { Variable: 3 }, { And: [null] }, { Not: [] }, { Condition: {} }])
      assert.equal(typeof said(odd), "string");
  });

  test("changes its kind without losing its parts", () => {
    assert.deepEqual(rule.withKind(total, "And"), { And: [total] });
    assert.deepEqual(rule.withKind({ And: [total, country] }, "Or"), { Or: [total, country] });
    assert.deepEqual(rule.withKind({ And: [total, country] }, "Not"), { Not: { And: [total, country] } });
    assert.deepEqual(rule.withKind({ Not: total }, "compare"), total);
    assert.deepEqual(Object.entries(rule.withOperator({ NumericEquals: 1, Variable: "$.a" }, "NumericLessThan")), [
      ["NumericLessThan", 1],
      ["Variable", "$.a"],
    ]);
    assert.deepEqual(rule.withOperator(total, "IsPresent"), { Variable: "$.total", IsPresent: true });
  });

  test("lists the variables that it reads", () => {
    const test = { And: [total, { Not: { Variable: "$$.Execution.Id", StringEqualsPath: "$x" } }] };
    assert.deepEqual(rule.pathsOf(test), ["$.total", "$$.Execution.Id", "$x"]);
    assert.deepEqual(rule.withPaths(test, new Map([["$x", "$.v0"]])).And[1], {
      Not: { Variable: "$$.Execution.Id", StringEqualsPath: "$.v0" },
    });
  });
});

describe("the delays of a retrier", () => {
  test("grow up to MaxDelaySeconds", () => {
    assert.deepEqual(backoffOf({}), { pauses: [1, 2, 4], retries: 3, total: 7, jitter: false });
    assert.deepEqual(backoffOf({ IntervalSeconds: 2, MaxAttempts: 5, MaxDelaySeconds: 6, JitterStrategy: "FULL" }), {
      pauses: [2, 4, 6, 6, 6],
      retries: 5,
      total: 24,
      jitter: true,
      capped: 3,
    });
    assert.equal(backoffOf({ MaxAttempts: 0 }).total, 0);
  });

  test("are counted, however many there are", () => {
    const many = backoffOf({ MaxAttempts: 99_999_999, BackoffRate: 1, IntervalSeconds: 3 });
    assert.equal(many.total, 299_999_997);
    assert.equal(many.pauses.length, 200);
    assert.ok(backoffOf({ MaxAttempts: 99_999_999 }).total > 1e300);
    assert.equal(backoffOf({ MaxAttempts: "${Attempts}" }), undefined);
    assert.equal(backoffOf({ BackoffRate: 0.5 }), undefined);
  });
});

describe("new entries of a list of transitions", () => {
  const machine = (work) => ({
    StartAt: "First",
    States: { First: { Type: "Pass", Next: "Work" }, Work: work, Last: { Type: "Succeed" } },
  });
  const added = (work, make) => {
    const text = JSON.stringify(machine(work), null, 2);
    const formed = {
      pointer: "/States/Work",
      name: "Work",
      fields: work,
      language: "JSONPath",
      targets: ["First", "Work", "Last"],
    };
    const edited = language.edit(text, make(formed));
    assert.ok(!("refused" in edited), JSON.stringify(edited));
    return JSON.parse(language.apply(text, edited.edits)).States;
  };
  const task = { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:work", Next: "Last" };

  test("the first catcher leads to a new Fail state, not to the start of the machine", () => {
    const { Work, Fail } = added(task, newCatcher);
    assert.deepEqual(Work.Catch, [{ ErrorEquals: ["States.ALL"], Next: "Fail" }]);
    assert.equal(Fail.Type, "Fail");
  });

  test("another catcher leads to the target of the last one", () => {
    const { Work, Fail } = added({ ...task, Catch: [{ ErrorEquals: ["Busy"], Next: "Last" }] }, newCatcher);
    assert.deepEqual(Work.Catch[1], { ErrorEquals: ["States.ALL"], Next: "Last" });
    assert.equal(Fail, undefined);
  });

  test("another rule leads to the target of the last one, or of the default", () => {
    const choice = { Type: "Choice", Default: "Last" };
    const rules = (Choices) => added({ ...choice, Choices }, newRule).Work.Choices.map(({ Next }) => Next);
    assert.deepEqual(rules([{ Variable: "$.a", IsNull: true, Next: "Last" }]), ["Last", "Last"]);
    assert.deepEqual(rules([{ Variable: "$.a", IsNull: true }]), [undefined, "Last"]);
  });
});
