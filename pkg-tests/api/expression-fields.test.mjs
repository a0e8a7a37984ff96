// How the page's expression fields handle texts, values and data, without a browser.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";

const { insertion } = await importSource("www/src/forms/expression/insert.ts");
const { findIn, wordsFor } = await importSource("www/src/forms/expression/naming.ts");
const { textOf, valueOf } = await importSource("www/src/model/field.ts");
const { pieces } = await importSource("www/src/forms/expression/tint.ts");

/**
 * Returns the text after an insertion at `
 * `, with the new position of the cursor marked.
 */
function after(marked, form, language, words, name = "id") {
  const from = marked.indexOf("|");
  const to = marked.lastIndexOf("|") === from ? from : marked.lastIndexOf("|") - 1;
  const text = marked.replaceAll("|", "");
  const made = insertion(text, form, language, words, from, to, name);
  if ("refused" in made) return made.refused;
  const next = text.slice(0, made.from) + made.text + text.slice(made.to);
  return `${next.slice(0, made.caret)}|${next.slice(made.caret)}`;
}

describe("a value that is dragged into a field", () => {
  const path = (marked, form = "path") => after(marked, form, "JSONPath", "$.order.id");
  const jsonata = (marked, form = "jsonata") => after(marked, form, "JSONata", "$states.input.order.id");

  test("becomes its path in a path field", () => {
    assert.equal(path("$.ol|d"), "$.order.id|");
    assert.equal(path("|", "reference"), "$.order.id|");
  });

  test("is inserted at the cursor of an expression, or replaces the selection", () => {
    assert.equal(jsonata("1 + | + 2"), "1 + $states.input.order.id| + 2");
    assert.equal(jsonata("1 + |old| + 2", "condition"), "1 + $states.input.order.id| + 2");
  });

  test("turns a text into an expression, and stays within existing braces", () => {
    assert.equal(jsonata("|", "text-or-jsonata"), "{% $states.input.order.id| %}");
    assert.equal(jsonata("Order |", "text-or-jsonata"), '{% "Order " & $states.input.order.id| %}');
    assert.equal(jsonata("5|", "number-or-jsonata"), "{% $states.input.order.id| %}");
    assert.equal(jsonata("|{% 1 + %}", "number-or-jsonata"), "{%$states.input.order.id| 1 + %}");
    assert.match(path("|", "text-or-jsonata"), /takes no path/);
  });

  test("becomes a member of a template, or the value of one", () => {
    const inPath = (marked, name) => after(marked, "template", "JSONPath", "$.order.id", name);
    const inJsonata = (marked, name) => after(marked, "template", "JSONata", "$states.input.order.id", name);
    assert.equal(inPath("|"), '{\n  "id.$": "$.order.id"\n}|');
    assert.equal(inPath("{|}"), '{\n  "id.$": "$.order.id"|\n}');
    assert.equal(inPath('{\n  "a": 1|\n}'), '{\n  "a.$": "$.order.id"|\n}');
    assert.equal(inPath('{\n  "a": {}|,\n  "b": 2\n}'), '{\n  "a": {},\n  "id.$": "$.order.id"|,\n  "b": 2\n}');
    assert.equal(inPath('{ "id.$": "$.x", "l": []| }'), '{ "id.$": "$.x", "l": [], "id2.$": "$.order.id"| }');
    assert.match(inPath('{ "l": [1, |2] }'), /item of a list cannot/);
    assert.equal(inJsonata("|"), "{% $states.input.order.id| %}");
    assert.equal(inJsonata("{% 1 + | %}"), "{% 1 + $states.input.order.id| %}");
    assert.equal(inJsonata('{ "a": "te|xt" }'), '{ "a": "{% $states.input.order.id %}"| }');
    assert.equal(inJsonata('{ "a": "{% 1 +| %}" }'), '{ "a": "{% 1 +$states.input.order.id| %}" }');
    assert.equal(inJsonata('{ "a": "{%| %}" }'), '{ "a": "{% $states.input.order.id |%}" }');
    assert.equal(inJsonata('{ "l": [1, | 2] }'), '{ "l": [1, "{% $states.input.order.id %}"|,  2] }');
    // A text that cannot be parsed yet gets the insertion at the cursor.
    assert.equal(inJsonata('{ "a": |'), '{ "a": "{% $states.input.order.id %}"|');
  });

  test("is named as the field refers to the data, in either language", () => {
    const root = { name: "$states.input", label: "", value: undefined };
    const words = (path, name = "$states.input") => wordsFor({ root: { ...root, name }, path }, "JSONata");
    assert.equal(words(["order", "id"]), "$states.input.order.id");
    assert.equal(words(["total name", 2, "in"]), "$states.input.`total name`[2].`in`");
    assert.equal(words(["a`b", "c"]), '$lookup($states.input, "a`b").c');
    assert.equal(wordsFor({ root: { ...root, name: "$$" }, path: ["Execution", "Id"] }, "JSONPath"), "$$.Execution.Id");
    assert.equal(wordsFor({ root: { ...root, name: "$kept" }, path: ["it's", 0] }, "JSONPath"), "$kept['it\\'s'][0]");
  });

  test("is searched in the field's input, first under its own path", () => {
    const data = {
      from: "run",
      roots: [
        { name: "$states.result", label: "", value: { id: 17 } },
        { name: "$states.input", label: "", value: { id: 17, order: { id: 17, made: { name: "Ada" } } } },
        { name: "$count", label: "", value: 4 },
      ],
    };
    const found = (role, path, value) => {
      const named = findIn(data, { role, path, value });
      return named && wordsFor(named, "JSONata");
    };
    assert.equal(found("result", ["id"], 17), "$states.result.id");
    assert.equal(found("input", ["id"], 17), "$states.input.id");
    assert.equal(found("output", ["order", "id"], 17), "$states.input.order.id");
    assert.equal(found("output", ["name"], "Ada"), "$states.input.order.made.name");
    // A distinctive value is found under another name; a value that occurs everywhere is not.
    assert.equal(found("output", ["who"], "Ada"), "$states.input.order.made.name");
    assert.equal(found("output", ["n"], 4), undefined);
    assert.equal(found("output", ["gone"], "nowhere"), undefined);
  });
});

test("a field's text stands for a value, and a value is shown as its text", () => {
  assert.equal(textOf("{% $a + 1 %}", "condition"), "$a + 1");
  assert.deepEqual(valueOf("$a + 1", "condition"), { value: "{% $a + 1 %}" });
  assert.deepEqual(valueOf("  ", "jsonata"), { value: undefined });
  assert.equal(textOf(null, "path"), "null");
  assert.deepEqual(valueOf("null", "path"), { value: null });
  assert.deepEqual(valueOf("12.5", "number-or-jsonata"), { value: 12.5 });
  assert.deepEqual(valueOf("{% $n %}", "number-or-jsonata"), { value: "{% $n %}" });
  assert.deepEqual(valueOf("007x", "text-or-jsonata"), { value: "007x" });
  assert.deepEqual(valueOf('{ "a": [1] }', "template"), { value: { a: [1] } });
  assert.match(valueOf('{ "a": ', "template").problem, /JSON/);
  assert.match(valueOf("$states.input", "template").problem, /between \{% and %\}/);
  assert.deepEqual(valueOf("{% $states.input %}", "template"), { value: "{% $states.input %}" });
  assert.equal(textOf("{% $states.input %}", "template"), "{% $states.input %}");
  assert.equal(textOf({ a: 1 }, "template"), '{\n  "a": 1\n}');
});

test("the wrong part is marked across syntax colours, and no text is lost", () => {
  const text = "$sum($.a) + 'x' and true";
  for (const wrong of [undefined, { from: 2, to: 7 }, { from: 20, to: 99 }]) {
    const found = pieces(text, "jsonata", wrong);
    assert.equal(found.map((piece) => piece.text).join(""), text);
    const bad = found.filter(({ kind }) => kind.includes("xf-wrong")).map((piece) => piece.text);
    assert.equal(bad.join(""), wrong ? text.slice(wrong.from, wrong.to) : "");
  }
  assert.ok(pieces(text, "jsonata").some((piece) => piece.text === "$sum" && piece.kind === "xf-function"));
});
