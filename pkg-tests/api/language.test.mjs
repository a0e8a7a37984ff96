// What an editor asks about a definition's text, in UTF-16 units.
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

test("hover, definition and references count as JavaScript does", () => {
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

test("a state gets another name everywhere, or a reason why not", () => {
  const renamed = language.apply(TEXT, language.rename(TEXT, at('"Größe",'), "Maß 👍"));
  assert.deepEqual(validate(renamed), []);
  assert.ok(!renamed.includes("Größe"));
  assert.throws(() => language.rename(TEXT, at('"Größe",'), "Ende"), { name: "RangeError", message: /already/ });
});

test("code actions put the problems of a text right", () => {
  const broken = TEXT.replace('"Next": "Ende"', '"Next": "Ende1"');
  const [problem] = validate(broken).filter(({ severity }) => severity === "error");
  const action = language.codeActions(broken).find(({ title }) => title.startsWith("did you mean"));
  assert.equal(action.problem.code, problem.code);
  assert.equal(action.problem.start, problem.range.start.offset);
  assert.deepEqual(validate(language.apply(broken, action.edits)), []);
});

test("format and outline", () => {
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
