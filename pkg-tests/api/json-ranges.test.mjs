// The ranges of the parts of a JSON text, as the page's editor and its coverage use them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";

const { memberOffsets, read } = await importSource("www/src/model/jsonRanges.ts");

const TEXT = `{
  "a": [1, {"b/c~": "x,]}\\"\\\\"}, []],
  "\\u0064\\n" : {"": null},
  "é": -1.5e3
}`;

test("every member has the offset of its name, every element that of its value", () => {
  const offsets = memberOffsets(TEXT);
  const at = (written) => TEXT.indexOf(written);
  assert.deepEqual(Object.fromEntries(offsets), {
    "": 0,
    "/a": at('"a"'),
    "/a/0": at("1,"),
    "/a/1": at('{"b'),
    "/a/1/b~1c~0": at('"b/c~"'),
    "/a/2": at("[]"),
    "/d\n": at('"\\u0064'),
    "/d\n/": at('"": null'),
    "/é": at('"é"'),
  });
});

test("every range is the text of its value", () => {
  const check = (node, value) => {
    assert.deepEqual(JSON.parse(TEXT.slice(node.start, node.end)), value);
    for (const { key, value: member } of node.members ?? []) check(member, value[key]);
    for (const [i, item] of node.items?.entries() ?? []) check(item, value[i]);
    assert.equal((node.members ?? node.items ?? []).length, value !== null && typeof value === "object" ? Object.keys(value).length : 0);
  };
  check(read(TEXT), JSON.parse(TEXT));
});

test("a text that cannot be read has no parts", () => {
  assert.equal(read("{"), undefined);
  assert.deepEqual([...memberOffsets("{")], [["", 0]]);
});
