// Drawings of a definition: SVG with and without a run, Mermaid.
import assert from "node:assert/strict";
import { test } from "node:test";
import { layout, renderMermaid, renderSvg, validate } from "stepglass";
import { withServiceSigns } from "stepglass/integrations";

const ORDER = {
  StartAt: "Charge",
  States: {
    Charge: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke",
      Next: "Ship",
      Catch: [{ ErrorEquals: ["States.ALL"], Next: "Refund" }],
    },
    Ship: { Type: "Succeed" },
    Refund: { Type: "Fail", Error: "Refunded" },
  },
};

test("an SVG shows the outcome of a run", () => {
  const plain = renderSvg(ORDER);
  assert.doesNotMatch(plain, /is-caught|untaken/);
  const catcher = layout(ORDER).edges.find(({ kind }) => kind === "catch");
  for (const options of [
    { status: { Charge: "caught", "/States/Refund": "failed" }, taken: { [catcher.id]: 3 }, notes: { Charge: "×3" } },
    {
      status: new Map([
        ["Charge", "caught"],
        ["/States/Refund", "failed"],
      ]),
      taken: new Map([[catcher.id, 3]]),
      notes: new Map([["Charge", "×3"]]),
    },
  ]) {
    const svg = renderSvg(ORDER, options);
    assert.match(svg, /Charge \(Task, lambda invoke\), failed, caught, ×3</);
    assert.match(svg, /sg-fail sg-is-failed/);
    assert.match(svg, /sg-line-catch sg-taken sg-by-caught/);
    assert.match(svg, /sg-line-flow sg-untaken/);
  }
  assert.throws(() => renderSvg(ORDER, { status: { Charge: "great" } }), TypeError);
});

test("names of states cannot change the options' prototype", () => {
  const odd = { StartAt: "__proto__", States: JSON.parse('{"__proto__":{"Type":"Succeed"}}') };
  const text = JSON.stringify(odd);
  assert.match(renderSvg(text, { status: JSON.parse('{"__proto__":"succeeded"}') }), /sg-is-succeeded/);
});

test("Mermaid text has every state and transition", () => {
  const text = renderMermaid(ORDER, { direction: "LR" });
  assert.deepEqual(
    text.split("\n").map((line) => line.trim()),
    [
      "stateDiagram-v2",
      "direction LR",
      'state "Charge" as s0',
      'state "Ship" as s1',
      'state "Refund" as s2',
      "[*] --> s0",
      "s0 --> s1",
      "s0 --> s2: on States.ALL",
      "s1 --> [*]",
      "s2 --> [*]",
      "",
    ],
  );
  assert.throws(() => renderMermaid("{"), SyntaxError);
  assert.throws(() => renderMermaid(ORDER, { theme: "dark" }), TypeError);
});

test("an invalid definition or option is reported to the caller, and affects no other execution", () => {
  const cyclic = {};
  cyclic.States = cyclic;
  for (const ask of [layout, renderSvg, renderMermaid, validate]) {
    for (const given of [undefined, null, 5, () => {}])
      assert.throws(() => ask(given), {
        name: "TypeError",
        code: "INVALID_ARGUMENT",
        message: /^a definition must be JSON text or an object, not /,
      });
    assert.throws(() => ask(cyclic), { name: "TypeError", message: /circular/ });
  }
  for (const options of [{ collapsed: 5 }, { collapsed: [5] }, { expanded: null }]) {
    assert.throws(() => layout("{}", options), { name: "TypeError", code: "INVALID_OPTION", message: /must be a list of strings/ });
  }
  assert.throws(() => layout("{}", { direction: "up" }), {
    name: "TypeError",
    code: "INVALID_OPTION",
    message: /direction must be "TB" or "LR", not "up"/,
  });
});

test("tasks have the signs of the services that they call, whatever their names are", () => {
  const task = (Resource, more = {}) => ({ Type: "Task", Resource, ...more });
  const definition = {
    StartAt: "Queue",
    States: {
      Queue: task("arn:aws:states:::sqs:sendMessage", { Comment: "see (Task, s3)", Next: "Table <1>" }),
      "Table <1>": task("arn:aws:states:::dynamodb:putItem", { Next: "Own" }),
      Own: task("arn:aws:states:::aws-sdk:unheardof:call", { Next: "Wait" }),
      Wait: { Type: "Wait", Seconds: 1, End: true },
    },
  };
  const glyphs = (svg) =>
    [...svg.matchAll(/<title>([^<(]*) \([^<]*<\/title>(?:(?!<\/g>)[^])*?-glyph"[^>]* d="([^"]*)"/g)].map(([, name, d]) => [name, d]);
  const plain = new Map(glyphs(renderSvg(definition)));
  for (const options of [{}, { prefix: "other", theme: "dark", status: { "/States/Queue": "succeeded" } }]) {
    const drawn = renderSvg(definition, options);
    const signed = withServiceSigns(drawn);
    const found = new Map(glyphs(signed));
    assert.deepEqual([...found.keys()], ["Queue", "Table &lt;1&gt;", "Own", "Wait"]);
    const [queue, table, own, wait] = [...found.values()];
    assert.equal(new Set([queue, table, own]).size, 3);
    assert.deepEqual([own, wait], [plain.get("Own"), plain.get("Wait")]);
    assert.equal(signed.replaceAll(queue, own).replaceAll(table, own), drawn);
  }
});

test("a graph in columns keeps them when it is laid out again with the same breaks", () => {
  const chain = (names) => ({
    StartAt: names[0],
    States: Object.fromEntries(
      names.map((name, i) => [name, i + 1 < names.length ? { Type: "Pass", Next: names[i + 1] } : { Type: "Succeed" }]),
    ),
  });
  const names = Array.from({ length: 60 }, (_, i) => `S${i}`);
  const before = layout(chain(names), { aspect: 1.2 });
  assert.ok(before.breaks.length >= 2);
  assert.equal(layout(chain(names)).breaks, undefined);
  const after = layout(chain([...names.slice(0, 3), "More", ...names.slice(3)]), { aspect: 1.2, breaks: before.breaks });
  assert.deepEqual(after.breaks, before.breaks);
  const places = new Map(after.nodes.map(({ id, x, y }) => [id, `${x} ${y}`]));
  const moved = before.nodes.filter(({ id, x, y }) => places.get(id) !== `${x} ${y}`).map(({ name }) => name);
  assert.ok(moved.length > 0 && !moved.includes(before.breaks[0].before.replace("/States/", "")), moved.join());
  // A drawing of it has the same columns.
  const size = ({ width, height }) => `viewBox="0 0 ${width} ${height}"`;
  assert.ok(renderSvg(chain(names), { aspect: 1.2, breaks: before.breaks }).includes(size(before)));
  assert.throws(() => layout(ORDER, { aspect: 1, breaks: ["S1"] }), /breaks must be a list of objects with after and before/);
});
