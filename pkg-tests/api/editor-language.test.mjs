// What the page's interpreter answers to its text editors, in JSON and in YAML: quick fixes, conversions, proposals, values, names.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import YAML from "yaml";
import { importSources } from "../../scripts/sources.mjs";

// The interpreter runs in a worker, whose messages nobody reads here.
globalThis.self = { postMessage() {} };
const { definition, drawing, language, lastRun, run } = await importSources([
  "www/src/worker/definition.ts",
  "www/src/worker/drawing.ts",
  "www/src/worker/language.ts",
  "www/src/worker/lastRun.ts",
  "www/src/worker/run.ts",
]);

const FORMATS = {
  json: { written: (value) => JSON.stringify(value, null, 2), read: JSON.parse },
  yaml: { written: (value) => YAML.stringify(value), read: (text) => YAML.parse(text, { merge: true }) },
};
const NO_RUN = { value: () => undefined, visit: () => undefined };
const LAMBDA = "arn:aws:states:::lambda:invoke";
const task = (fields) => ({ StartAt: "A", States: { A: { Type: "Task", Resource: LAMBDA, ...fields, End: true } } });
const then = (fields, more = {}) => ({ StartAt: "A", States: { A: { Type: "Pass", ...fields }, B: { Type: "Succeed" }, ...more } });

/** Returns the text after edits of the original text. */
function edited(text, edits) {
  return [...edits]
    .sort((a, b) => b.from - a.from)
    .reduce((now, { from, to, text: put }) => now.slice(0, from) + put + now.slice(to), text);
}

/** Returns the position behind an occurrence of a piece: the first, or the last. */
function behind(text, piece, last = false) {
  const at = last ? text.lastIndexOf(piece) : text.indexOf(piece);
  assert.ok(at >= 0, `${piece} is not in ${text}`);
  return at + piece.length;
}

/** Returns the only fix with a title, at a position. */
async function fixAt(text, format, offset, title) {
  const found = await language.actions({ text, format, offset, end: offset });
  const fixes = found.filter((fix) => title.test(fix.title));
  assert.equal(fixes.length, 1, `${title} is once among ${found.map((fix) => fix.title).join(" | ")}`);
  return fixes[0];
}

/** Returns the problems of a text as the page lists them. */
async function problemsOf(text, format) {
  const source = await definition.readSource(text, format);
  return [...source.problems, ...language.diagnose(source, "STANDARD")];
}

/** A fault, the piece behind which the cursor is (a name in an object is the key of a state), the fix, and the definition after it. */
const FIXES = [
  ["a state that does not exist", then({ Next: "Bb" }), "Bb", /^did you mean .*B/, then({ Next: "B" })],
  [
    "a field that does not exist",
    then({ InputPth: "$.a", Next: "B" }),
    "InputPth",
    /^did you mean .*InputPath/,
    then({ InputPath: "$.a", Next: "B" }),
  ],
  ["no Next", then({}), { name: "A" }, /^continue to .?B/, then({ Next: "B" })],
  [
    "no End",
    { StartAt: "A", States: { A: { Type: "Pass" } } },
    { name: "A" },
    /end here/,
    { StartAt: "A", States: { A: { Type: "Pass", End: true } } },
  ],
  ["a state that is not reached, by a transition", then({ End: true }), { name: "B" }, /^let .?A.? continue to .?B/, then({ Next: "B" })],
  [
    "a state that is not reached, by its removal",
    then({ End: true }),
    { name: "B" },
    /^remove .?B/,
    { StartAt: "A", States: { A: { Type: "Pass", End: true } } },
  ],
  [
    "States.ALL before others",
    task({ Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 1 }, { ErrorEquals: ["X"] }] }),
    "States.ALL",
    /^move it to the end/,
    task({ Retry: [{ ErrorEquals: ["X"] }, { ErrorEquals: ["States.ALL"], MaxAttempts: 1 }] }),
  ],
  [
    "the old name of ItemProcessor",
    { StartAt: "A", States: { A: { Type: "Map", Iterator: { StartAt: "B", States: { B: { Type: "Succeed" } } }, End: true } } },
    "Iterator",
    /new name .?ItemProcessor/,
    { StartAt: "A", States: { A: { Type: "Map", ItemProcessor: { StartAt: "B", States: { B: { Type: "Succeed" } } }, End: true } } },
  ],
  [
    "a path in a member without .$",
    task({ Parameters: { x: "$.y" } }),
    "$.y",
    /^to compute it, write .*x\.\$/,
    task({ Parameters: { "x.$": "$.y" } }),
  ],
  [
    "a path in JSONata",
    task({ QueryLanguage: "JSONata", Arguments: { x: "$.y" } }),
    "$.y",
    /^make it an expression/,
    task({ QueryLanguage: "JSONata", Arguments: { x: "{% $states.input.y %}" } }),
  ],
  [
    "Parameters in JSONata",
    task({ QueryLanguage: "JSONata", Parameters: { "x.$": "$.y" } }),
    "Parameters",
    /^make it .?Arguments/,
    task({ QueryLanguage: "JSONata", Arguments: { x: "{% $states.input.y %}" } }),
  ],
  [
    "InputPath in JSONata",
    task({ QueryLanguage: "JSONata", InputPath: "$.y" }),
    "InputPath",
    /^make it .?Arguments/,
    task({ QueryLanguage: "JSONata", Arguments: "{% $states.input.y %}" }),
  ],
  ["Arguments in JSONPath", task({ Arguments: { x: 1 } }), "Arguments", /^make it .?Parameters/, task({ Parameters: { x: 1 } })],
  [
    "Output in JSONPath",
    then({ Output: { x: 1 }, Next: "B" }),
    "Output",
    /^make this a JSONata state/,
    then({ Output: { x: 1 }, Next: "B", QueryLanguage: "JSONata" }),
  ],
  [
    "no Default",
    { StartAt: "A", States: { A: { Type: "Choice", Choices: [{ Variable: "$.x", IsNull: true, Next: "B" }] }, B: { Type: "Succeed" } } },
    "Choice",
    /^add .?Default.?, to .?B/,
    {
      StartAt: "A",
      States: { A: { Type: "Choice", Choices: [{ Variable: "$.x", IsNull: true, Next: "B" }], Default: "B" }, B: { Type: "Succeed" } },
    },
  ],
  [
    "a name twice",
    { StartAt: "A", States: { A: { Type: "Map", ItemProcessor: { StartAt: "A", States: { A: { Type: "Succeed" } } }, End: true } } },
    { name: "A", last: true },
    /^rename this one to .?A 2/,
    { StartAt: "A", States: { A: { Type: "Map", ItemProcessor: { StartAt: "A 2", States: { "A 2": { Type: "Succeed" } } }, End: true } } },
  ],
  [
    "a HeartbeatSeconds that is too long",
    task({ TimeoutSeconds: 5, HeartbeatSeconds: 9 }),
    "9",
    /^let .?HeartbeatSeconds.? be 4/,
    task({ TimeoutSeconds: 5, HeartbeatSeconds: 4 }),
  ],
];

for (const [format, { written, read }] of Object.entries(FORMATS)) {
  describe(`quick fixes in ${format.toUpperCase()}`, () => {
    for (const [what, before, piece, title, after] of FIXES) {
      test(`for ${what}, at the cursor and with the problem`, async () => {
        const text = written(before);
        const key = (name) => (format === "yaml" ? ` ${name}:` : `"${name}":`);
        const offset = typeof piece === "string" ? behind(text, piece) : behind(text, key(piece.name), piece.last) - 1;
        const fix = await fixAt(text, format, offset, title);
        assert.deepEqual(read(edited(text, fix.edits)), after);
        // An improvement of a definition without a fault is offered at the cursor only.
        const problems = await problemsOf(text, format);
        const listed = problems.flatMap(({ fixes = [] }) => fixes).filter((one) => title.test(one.title));
        assert.deepEqual(listed, problems.length > 0 ? [fix] : []);
      });
    }

    test("a fault outside of the selection is not fixed", async () => {
      const text = written(then({ Next: "Bb" }));
      assert.deepEqual(await language.actions({ text, format, offset: 0, end: 1 }), []);
    });
  });

  describe(`the conversion to JSONata in ${format.toUpperCase()}`, () => {
    const PATHS = {
      StartAt: "Charge",
      States: {
        Charge: {
          Type: "Task",
          Resource: LAMBDA,
          Parameters: { FunctionName: "charge", "Payload.$": "$.order" },
          ResultPath: "$.charged",
          Next: "Look",
        },
        Look: { Type: "Pass", InputPath: "$..deep", Next: "Done" },
        Done: { Type: "Succeed", OutputPath: "$.order" },
      },
    };
    const CHARGE = {
      Type: "Task",
      QueryLanguage: "JSONata",
      Resource: LAMBDA,
      Arguments: { FunctionName: "charge", Payload: '{% $type($states.input) = "object" ? $states.input.order %}' },
      Output: '{% $merge([$states.input, {"charged": $states.result}]) %}',
      Next: "Look",
    };
    const text = written(PATHS);

    test("is offered for the state at the cursor, after the fixes", async () => {
      const fix = await fixAt(text, format, behind(text, "lambda:invoke"), /^convert .?Charge.? to JSONata/);
      assert.equal(fix.last, true);
      assert.deepEqual(read(edited(text, fix.edits)), { ...PATHS, States: { ...PATHS.States, Charge: CHARGE } });
      // A selection gets fixes only.
      const at = behind(text, "lambda:invoke");
      assert.deepEqual(await language.actions({ text, format, offset: at - 3, end: at }), []);
    });

    test("says why a state stays in JSONPath, and changes nothing", async () => {
      const fix = await fixAt(text, format, behind(text, "$..deep"), /^.?Look.? stays in JSONPath: /);
      assert.deepEqual([fix.edits, fix.last], [[], true]);
    });

    test("converts all states that it can, and lists the others", async () => {
      const { converted, left, edits } = await language.convert({ text, format });
      assert.deepEqual([converted, left.map(({ state }) => state)], [["Charge", "Done"], ["Look"]]);
      const { States, QueryLanguage } = read(edited(text, edits));
      assert.deepEqual(
        [QueryLanguage, States.Charge, States.Look, States.Done.Output],
        [undefined, CHARGE, PATHS.States.Look, '{% $type($states.input) = "object" ? $states.input.order %}'],
      );
    });
  });

  describe(`the data of the last run in ${format.toUpperCase()}`, async () => {
    const SEEN = {
      StartAt: "Count",
      States: {
        Count: { Type: "Pass", Parameters: { "total.$": "$.order.total" }, Assign: { "cart.$": "$$.Execution.Input.order" }, Next: "Ask" },
        Ask: {
          Type: "Task",
          Resource: LAMBDA,
          Parameters: { "x.$": "$.total" },
          ResultSelector: { "y.$": "$.Payload.id" },
          Next: "Show",
        },
        Show: { Type: "Pass", QueryLanguage: "JSONata", Output: "{% $states.input.y %}", End: true },
      },
    };
    const text = written(SEEN);
    const made = await runOf(
      JSON.stringify(SEEN),
      { order: { total: 4, items: [{ sku: "a" }] } },
      {
        Ask: { mode: "result", result: { id: "i-1", label: { text: "ok", "de-DE": "gut" } } },
      },
    );
    const last = { value: (reads) => lastRun.valueOf(made, reads), visit: (state) => lastRun.visitOf(made, state) };

    /** Returns the proposals from the run after a piece of the text, behind which `typed` is written. */
    const seenAfter = async (piece, typed) => {
      const at = behind(text, piece);
      const found = await language.complete({ text: text.slice(0, at) + typed + text.slice(at), format, offset: at + typed.length }, last);
      return found.items.filter(({ detail }) => detail === "seen in run 1").map(({ label }) => label);
    };
    const lastOf = async (piece, offset = -1) =>
      (await language.hover({ text, format, offset: behind(text, piece) + offset }, last))?.seen?.map(
        ({ label, value }) => `${label}: ${value}`,
      );

    test("is proposed as members of paths and variables", async () => {
      assert.deepEqual(await seenAfter("$.order", "."), ["total", "items"]);
      // A path starts at the field's own input: a path in ResultSelector starts at the result.
      assert.deepEqual(await seenAfter("$.Payload", "."), ["id", "label"]);
      assert.deepEqual(await seenAfter("$states.input", "."), ["y"]);
      assert.deepEqual(await seenAfter("$.total", "+$cart."), ["total", "items"]);
    });

    test("is shown for paths and states", async () => {
      assert.deepEqual(await lastOf("$.total"), ["Last value: 4"]);
      assert.deepEqual(await lastOf("$.Payload"), ['Last value: {"id":"i-1","label":{"text":"ok","de-DE":"gut"}}']);
      assert.deepEqual(await lastOf("$.Payload.id"), ['Last value: "i-1"']);
      assert.deepEqual(await lastOf("$$.Execution.Input.order"), ['Last value: {"total":4,"items":[{"sku":"a"}]}']);
      assert.deepEqual(await lastOf(format === "json" ? '"Next": "Show"' : "Next: Show", -2), [
        'Last input: {"y":"i-1"}',
        'Last output: "i-1"',
      ]);
      assert.equal(await lastOf("StartAt", -2), undefined);
    });

    test("is shown behind the paths of a state", async () => {
      const values = await language.values({ text, format, state: "Ask" }, last);
      const path = (piece) => behind(text, piece) + (format === "json" ? 1 : 0);
      assert.deepEqual(values, [
        { at: path("$.total"), text: "4" },
        { at: path("$.Payload.id"), text: '"i-1"' },
      ]);
    });
  });

  describe(`proposals of AWS's services in ${format.toUpperCase()}`, () => {
    const Send = { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Arguments: { QueueUrl: "q", Body: 1 }, End: true };
    const text = written({ QueryLanguage: "JSONata", StartAt: "Send", States: { Send } });
    const labels = async (piece) => {
      const found = await language.complete({ text, format, offset: behind(text, piece) }, NO_RUN);
      return found.items.map(({ label }) => label);
    };

    test("are their Resources and parameters", async () => {
      const resources = await labels("arn:aws:states:::sqs:sendMessage");
      for (const label of ["arn:aws:states:::sqs:sendMessage", "arn:aws:states:::sqs:sendMessage.waitForTaskToken"])
        assert.ok(resources.includes(label), label);
      assert.ok((await labels("Bod")).includes("MessageBody"));
    });
  });

  describe(`names in ${format.toUpperCase()}`, () => {
    const text = written({
      StartAt: "Charge",
      States: { Charge: { Type: "Task", Resource: LAMBDA, Next: "Ship" }, Ship: { Type: "Pass", InputPath: "$.order", End: true } },
    });
    const offset = behind(text, format === "json" ? '"Next": "Sh' : "Next: Sh");

    test("are found wherever they are used", async () => {
      const found = await language.references({ text, format, offset });
      assert.deepEqual(found.places.map(({ from, to, definition }) => [text.slice(from, to).replaceAll('"', ""), definition]).sort(), [
        ["Ship", false],
        ["Ship", true],
      ]);
      assert.equal(await language.references({ text, format, offset: behind(text, "Type") }), null);
    });

    test("are changed everywhere, unless the new one is taken", async () => {
      const { edits } = await language.rename({ text, format, offset, to: "Send it" });
      const { States } = read(edited(text, edits));
      assert.deepEqual([Object.keys(States), States.Charge.Next], [["Charge", "Send it"], "Send it"]);
      assert.match((await language.rename({ text, format, offset, to: "Charge" })).refused, /Charge/);
      assert.ok((await language.rename({ text, format, offset: 0, to: "X" })).refused);
    });

    test("of states have the ranges of their states", async () => {
      const places = language.places(await definition.readSource(text, format));
      assert.deepEqual(
        places.map(({ name, pointer, nameFrom, nameTo }) => [name, pointer, text.slice(nameFrom, nameTo).replaceAll('"', "")]),
        [
          ["Charge", "/States/Charge", "Charge"],
          ["Ship", "/States/Ship", "Ship"],
        ],
      );
      for (const { name, from, to } of places)
        assert.deepEqual(
          read(format === "json" ? `{${text.slice(from, to)}}` : text.slice(from, to).replaceAll(/^ {4}/gm, "  "))[name]?.Type !==
            undefined,
          true,
        );
    });
  });
}

test("a broken text is completed: a comma, a bracket or a quote", async () => {
  for (const [text, piece, title] of [
    ['{\n  "StartAt": "A"\n  "States": {"A": {"Type": "Succeed"}}\n}', '"States"', /comma/],
    ['{\n  "StartAt": "A",\n  "States": {"A": {"Type": "Succeed"}', '"Succeed"', /^close the open brackets/],
    ['{\n  "StartAt": "A,\n  "States": {"A": {"Type": "Succeed"}}\n}', '"A', /^close the quotes/],
  ]) {
    // The menu has the fixes of the whole line.
    const offset = text.lastIndexOf("\n", text.indexOf(piece)) + 1;
    const end = text.indexOf("\n", offset) < 0 ? text.length : text.indexOf("\n", offset);
    const [fix] = (await language.actions({ text, format: "json", offset, end })).filter((one) => title.test(one.title));
    assert.deepEqual(JSON.parse(edited(text, fix.edits)), { StartAt: "A", States: { A: { Type: "Succeed" } } }, String(title));
  }
});

test("a fault behind an alias of YAML is reported at the anchor and at the alias", async () => {
  const text = `StartAt: Charge
States:
  # Money first.
  Charge:
    <<: &task
      Type: Tusk
      Resource: arn:aws:states:::lambda:invoke
    Next: Ship
  Ship:
    <<: *task
    End: true
`;
  const problems = await problemsOf(text, "yaml");
  const lines = problems
    .flatMap(({ range, labels = [] }) => [range, ...labels.map((label) => label.range)].filter(Boolean))
    .map(({ start }) => start.line);
  assert.ok(lines.includes(6) && lines.includes(10), `lines ${lines}`);
  const fixed = text.replace("Tusk", "Task");
  const { edits } = await language.rename({ text: fixed, format: "yaml", offset: behind(fixed, "Next: Sh"), to: "Send it" });
  assert.match(edited(fixed, edits), /# Money first\.[\s\S]*Next: Send it\n {2}Send it:\n {4}<<: \*task/);
});

test("placeholders and YAML in place of JSON are explained", async () => {
  const help = async (text, code) => (await problemsOf(text, "json")).find((problem) => problem.code === code)?.help;
  assert.match(await help('{"StartAt": "A", "States": {"A": {"Type": "Wait", "Seconds": ${Delay}, "End": true}}}', "placeholder"), /value/);
  assert.match(await help("StartAt: A\nStates:\n  A: { Type: Succeed }\n", "invalid-json"), /YAML/);
});

test("a text is formatted", async () => {
  const text = '{"StartAt":"A",\n"States":{"A":{"Type":"Succeed"}}}';
  const formatted = edited(text, await language.format({ text, format: "json" }));
  assert.match(formatted, /^ {2}"States": \{"A": \{"Type": "Succeed"\}\}$/m);
  assert.deepEqual(JSON.parse(formatted), JSON.parse(text));
});

/** Runs a definition to its end, as the page does. */
async function runOf(json, input, mocks) {
  const request = {
    definition: json,
    format: "json",
    input: JSON.stringify(input),
    clock: "skip",
    seed: 1,
    handlers: [],
    resolver: false,
    ask: false,
    breakpoints: [],
    stops: true,
    exceptions: "none",
    mocks,
    machines: [],
    paused: false,
    beside: false,
    config: {},
  };
  const made = new run.Run(json, drawing.wholeGraph(json), request, () => undefined, new Map());
  const ended = new Promise((resolve) => made.session.on("terminated", resolve));
  made.begin();
  await ended;
  return made;
}
