// What an editor asks about a definition's text, with positions in UTF-16 units.
import assert from "node:assert/strict";
import { test } from "node:test";
import { language, validate } from "stepglass";

const TEXT = `{
  "Comment": "Grüße 👍",
  "StartAt": "Größe",
  "States": {
    "Größe": {"Type": "Pass", "Assign": {"n": 1}, "Next": "Ende"},
    "Ende": {"Type": "Pass", "Parameters": {"n.$": "$n"}, "End": true}
  }
}
`;

const at = (piece) => TEXT.indexOf(piece) + 1;

test("hover, definition and references count in UTF-16 units", () => {
  const found = language.hover(TEXT, at('"Ende"}'));
  assert.equal(TEXT.slice(found.start, found.end), "Ende");
  assert.equal(found.title, "Ende · Pass");
  const { targets } = language.definition(TEXT, at('"Größe",'));
  assert.deepEqual(
    targets.map(({ start, end }) => TEXT.slice(start - 1, end + 2)),
    ['"Größe":'],
  );
  const { places, kind, name } = language.references(TEXT, at('$n"'));
  assert.deepEqual(
    [kind, name, places.map(({ start, end, definition }) => [TEXT.slice(start, end), definition])],
    [
      "variable",
      "n",
      [
        ["n", true],
        ["n", false],
      ],
    ],
  );
  assert.equal(language.hover(TEXT, 0), null);
  assert.equal(language.references(TEXT, 0), null);
});

test("a state is renamed everywhere, or the reason against it is given", () => {
  const renamed = language.apply(TEXT, language.rename(TEXT, at('"Größe",'), "Maß 👍"));
  assert.deepEqual(validate(renamed), []);
  assert.ok(!renamed.includes("Größe"));
  assert.throws(() => language.rename(TEXT, at('"Größe",'), "Ende"), { name: "RangeError", message: /already/ });
});

test("code actions fix the problems of a text", () => {
  const broken = TEXT.replace('"Next": "Ende"', '"Next": "Ende1"');
  const [problem] = validate(broken).filter(({ severity }) => severity === "error");
  const action = language.codeActions(broken).find(({ title }) => title.startsWith("did you mean"));
  assert.equal(action.problem.code, problem.code);
  assert.equal(action.problem.start, problem.range.start.offset);
  assert.deepEqual(validate(language.apply(broken, action.edits)), []);
});

test("formatting and outline", () => {
  const laidOut = language.apply(TEXT, language.format(TEXT, { indent: 4 }));
  assert.deepEqual(JSON.parse(laidOut), JSON.parse(TEXT));
  assert.deepEqual(
    language.outline(TEXT).map(({ name, start, end, depth }) => [name, TEXT.slice(start, end), depth]),
    [
      ["Größe", "Größe", 0],
      ["Ende", "Ende", 0],
    ],
  );
  assert.throws(() => language.format({}), TypeError);
});

/** Returns a part and its nested parts, each as its kind and its text. */
const told = ({ kind, start, end, parts = [] }, text) => [kind, text.slice(start, end), ...parts.map((part) => told(part, text))];

test("the parts of an expression have positions in UTF-16 units", () => {
  const path = "$['👍'].größe[-1]";
  assert.deepEqual(told(language.syntax(path, "jsonpath"), path), [
    "path",
    path,
    ["root", "$"],
    ["name", "['👍']"],
    ["name", ".größe"],
    ["index", "[-1]"],
  ]);
  const sum = "$sum($states.input.`👍`.n) > $limit";
  assert.deepEqual(told(language.syntax(sum, "jsonata"), sum), [
    "operation",
    sum,
    [
      "call",
      "$sum($states.input.`👍`.n)",
      ["path", "$states.input.`👍`.n", ["variable", "$states"], ["name", "input"], ["name", "`👍`"], ["name", "n"]],
    ],
    ["path", "$limit", ["variable", "$limit"]],
  ]);
  const call = language.syntax("States.Format('{} of {}', $.done, 3)", "jsonpath");
  assert.deepEqual(
    [call.value, call.parts.map(({ kind, value }) => [kind, value])],
    [
      "States.Format",
      [
        ["template", "{} of {}"],
        ["path", undefined],
        ["literal", 3],
      ],
    ],
  );
  assert.deepEqual([call.takes, call.gives], [["string"], "string"]);
  const range = language.syntax("States.ArrayRange(0, $.n, 1)", "jsonpath");
  assert.deepEqual([range.takes, range.gives], [["number", "number", "number"], "number[]"]);
});

test("an expression that cannot be parsed has a reason and a position", () => {
  assert.deepEqual(language.syntax("$.a[", "jsonpath"), { message: "'[' is not closed", offset: 3 });
  assert.equal(language.syntax("'👍' +", "jsonata").offset, 6);
  assert.throws(() => language.syntax("$", "JSONPath"), { name: "TypeError", message: /must be "jsonpath" or "jsonata", not "JSONPath"/ });
  assert.throws(() => language.syntax(1, "jsonata"), TypeError);
});

test("a path returns where it finds values", () => {
  const value = { items: [{ price: 8 }, { price: 12, tags: ["a", "b"] }], total: 20 };
  const select = (path) => language.select(path, value);
  assert.deepEqual(select("$.items[?(@.price > 10)]"), { places: [["items", 1]], shape: "list" });
  assert.deepEqual(select("$.items[-1].tags[0]"), { places: [["items", 1, "tags", 0]], shape: "one" });
  assert.deepEqual(select("$['total','none','items']"), { places: [["total"], ["items"]], shape: "members" });
  assert.deepEqual(select("$..price").places, [
    ["items", 0, "price"],
    ["items", 1, "price"],
  ]);
  assert.deepEqual(select("$.items[1,0,1]").places, [
    ["items", 1],
    ["items", 0],
    ["items", 1],
  ]);
  assert.deepEqual(select("$.none.at.all"), { places: [], shape: "one" });
  assert.equal(select("$.items.length()"), null);
  assert.throws(() => select("items"), { name: "TypeError", message: /must start with '\$'/ });
});
