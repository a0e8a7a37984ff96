// Machines that would hold a host up: endless, exploding or just very busy. `{title, definition, input, options}` each.

const FIB = (n) => `($f := function($n) { $n < 2 ? $n : $f($n - 1) + $f($n - 2) }; $f(${n}))`;
const END = { End: true };
const PASS = { Type: "Pass", ...END };
const TASK = { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Work", ...END };
const DISTRIBUTED = { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" } };
const EXPRESS = { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "EXPRESS" } };
const jsonata = (States) => ({
  QueryLanguage: "JSONata",
  StartAt: "In",
  States: { ...ways(States, { Condition: "{% $states.context.State.Name = 'no' %}" }), ...States },
});
const path = (States) => ({ StartAt: "In", States: { ...ways(States, { Variable: "$$.State.Name", StringEquals: "no" }), ...States } });
// A machine without an end is no definition: there is a way to one that is never taken.
const ways = (States, rule) => ({
  In: { Type: "Choice", Choices: [{ ...rule, Next: "Out" }], Default: Object.keys(States)[0] },
  Out: { Type: "Succeed" },
});
const scope = (States, more) => ({ ...more, StartAt: Object.keys(States)[0], States });
const count = (n) => Array.from({ length: n }, (_, i) => i);
const all = [];
const add = (title, definition, input, options) => all.push({ title, definition, input, options });
const ENDLESS = { historyLimit: 0 };

// Loops.
add("Pass in a loop", path({ A: { Type: "Pass", Next: "A" } }), {}, ENDLESS);
add("Pass in a loop, without a history", path({ A: { Type: "Pass", Next: "A" } }), {}, { history: "none", historyLimit: 0 });
add(
  "Pass and Choice in a loop",
  path({ A: { Type: "Pass", Next: "B" }, B: { Type: "Choice", Choices: [{ Variable: "$.x", IsPresent: true, Next: "A" }], Default: "A" } }),
  {},
  ENDLESS,
);
add(
  "a loop with a payload of 200 KB",
  path({ A: { Type: "Pass", Result: 1, ResultPath: "$.n", Next: "A" } }),
  { text: "x".repeat(200_000) },
  { historyLimit: 20_000 },
);
add("a Wait of 0 seconds in a loop", path({ A: { Type: "Wait", Seconds: 0, Next: "A" } }), {}, ENDLESS);
add("Waits that virtual time ends at once", path({ A: { Type: "Wait", Seconds: 99_999_999, Next: "A" } }), {}, ENDLESS);
add("a Task in a loop", path({ A: { ...TASK, End: undefined, Next: "A" } }), {}, ENDLESS);
for (const n of [1, 8, 14, 16, 18, 20, 25])
  add(`fib(${n}) in a loop`, jsonata({ A: { Type: "Pass", Output: `{% ${FIB(n)} %}`, Next: "A" } }), {}, { historyLimit: 20_000 });
for (const n of [10, 14, 18])
  add(
    `Assign of fib(${n}) in a loop`,
    jsonata({ A: { Type: "Pass", Assign: { x: `{% ${FIB(n)} %}` }, Next: "A" } }),
    {},
    { historyLimit: 20_000 },
  );
add(
  "a Task that fails and is retried for ever",
  path({ A: { ...TASK, Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 99_999_999, IntervalSeconds: 1, BackoffRate: 1 }] } }),
  {},
  {
    ...ENDLESS,
    tasks: {
      Work: () => {
        throw new Error("no");
      },
    },
  },
);
add(
  "a Pass with an error that is caught by itself",
  jsonata({
    A: {
      Type: "Task",
      Resource: TASK.Resource,
      Arguments: "{% $error('x') %}",
      Catch: [{ ErrorEquals: ["States.ALL"], Next: "A" }],
      ...END,
    },
  }),
  {},
  ENDLESS,
);
add(
  "all of the fuel, caught and tried again",
  jsonata({
    A: {
      Type: "Task",
      Resource: TASK.Resource,
      Arguments: `{% ${FIB(30)} %}`,
      Catch: [{ ErrorEquals: ["States.ALL"], Next: "A" }],
      ...END,
    },
  }),
  {},
  ENDLESS,
);
add(
  "all of the fuel, retried for ever",
  jsonata({
    A: {
      Type: "Task",
      Resource: TASK.Resource,
      Arguments: `{% ${FIB(30)} %}`,
      Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 99_999_999, IntervalSeconds: 1, BackoffRate: 1 }],
      ...END,
    },
  }),
  {},
  ENDLESS,
);

// One state that has much to do.
for (const [rules, n] of [
  [3_000, 18],
  [3_000, 8],
  [6_000, 2],
  [6_000, 0],
])
  add(`a Choice of ${rules} rules, each with fib(${n})`, () =>
    jsonata({
      C: { Type: "Choice", Choices: count(rules).map(() => ({ Condition: `{% ${FIB(n)} < 0 %}`, Next: "E" })), Default: "E" },
      E: { Type: "Succeed" },
    }),
  );
add(
  "a Choice of 6,000 rules over paths",
  () =>
    path({
      C: { Type: "Choice", Choices: count(6_000).map((i) => ({ Variable: "$.a[0].b", NumericEquals: i, Next: "E" })), Default: "E" },
      E: { Type: "Succeed" },
    }),
  { a: [{ b: -1 }] },
);
add(
  "a Choice of 3,000 rules with wildcards in texts",
  () =>
    path({
      C: {
        Type: "Choice",
        Choices: count(3_000).map(() => ({ Variable: "$.s", StringMatches: `${"*a".repeat(20)}b`, Next: "E" })),
        Default: "E",
      },
      E: { Type: "Succeed" },
    }),
  { s: "a".repeat(10_000) },
);
add(
  "a Choice of 2,000 rules over the end of an array",
  () =>
    path({
      C: { Type: "Choice", Choices: count(2_000).map((i) => ({ Variable: "$.a[9999].b", NumericEquals: i, Next: "E" })), Default: "E" },
      E: { Type: "Succeed" },
    }),
  () => ({ a: count(10_000).map((b) => ({ b })) }),
);
add(
  "a Choice of 4,096 tests, nested 12 deep",
  () =>
    path({
      C: {
        Type: "Choice",
        Choices: [{ ...count(12).reduce((rule) => ({ And: [rule, rule] }), { Variable: "$.s", IsPresent: true }), Next: "E" }],
        Default: "E",
      },
      E: { Type: "Succeed" },
    }),
  { s: 1 },
);
for (const [fields, n] of [
  [2_000, 10],
  [500, 14],
  [40, 18],
  [10_000, 1],
])
  add(`an Output of ${fields} fields, each with fib(${n})`, () =>
    jsonata({ P: { Type: "Pass", Output: Object.fromEntries(count(fields).map((i) => [`f${i}`, `{% ${FIB(n)} %}`])), ...END } }),
  );
for (const fields of [2_000, 20_000])
  add(
    `Parameters of ${fields} paths over every descendant`,
    () => path({ P: { Type: "Pass", Parameters: Object.fromEntries(count(fields).map((i) => [`f${i}.$`, "$..b"])), ...END } }),
    () => ({ a: count(2_000).map((b) => ({ b })) }),
  );
add("Parameters of 5,000 intrinsic functions", () =>
  path({
    P: { Type: "Pass", Parameters: Object.fromEntries(count(5_000).map((i) => [`f${i}.$`, "States.ArrayRange(1, 1000, 1)"])), ...END },
  }),
);
add(
  "Parameters of 2,000 hashes",
  () =>
    path({
      P: { Type: "Pass", Parameters: Object.fromEntries(count(2_000).map((i) => [`f${i}.$`, "States.Hash($.s, 'SHA-512')"])), ...END },
    }),
  { s: "x".repeat(9_000) },
);
add(
  "Parameters of 2,000 texts in Base64",
  () =>
    path({ P: { Type: "Pass", Parameters: Object.fromEntries(count(2_000).map((i) => [`f${i}.$`, "States.Base64Encode($.s)"])), ...END } }),
  { s: "x".repeat(9_000) },
);
add(
  "Parameters of 2,000 JSON texts",
  () =>
    path({ P: { Type: "Pass", Parameters: Object.fromEntries(count(2_000).map((i) => [`f${i}.$`, "States.StringToJson($.s)"])), ...END } }),
  { s: JSON.stringify(count(20_000)) },
);
add(
  "Parameters of 2,000 merges",
  () =>
    path({
      P: {
        Type: "Pass",
        Parameters: Object.fromEntries(count(2_000).map((i) => [`f${i}.$`, "States.JsonMerge($.a, $.a, false)"])),
        ...END,
      },
    }),
  () => ({ a: Object.fromEntries(count(10_000).map((i) => [`k${i}`, i])) }),
);
add(
  "Parameters of 2,000 splits",
  () =>
    path({
      P: { Type: "Pass", Parameters: Object.fromEntries(count(2_000).map((i) => [`f${i}.$`, "States.StringSplit($.s, ',')"])), ...END },
    }),
  { s: ",".repeat(90_000) },
);
add(
  "Parameters of 2,000 arrays without what is twice",
  () =>
    path({ P: { Type: "Pass", Parameters: Object.fromEntries(count(2_000).map((i) => [`f${i}.$`, "States.ArrayUnique($.a)"])), ...END } }),
  () => ({ a: count(30_000) }),
);
add(
  "a filter in a filter",
  path({ P: { Type: "Pass", Parameters: { "x.$": "$.a[?(@.b == 1 || @.b == 2 || @.b == 3)]..b" }, ...END } }),
  () => ({ a: count(20_000).map((b) => ({ b })) }),
);
add("arrays in arrays, each of all of them", path({ P: { Type: "Pass", Parameters: { "x.$": "$..*..*..*" }, ...END } }), () => ({
  a: count(300).map(() => count(30)),
}));

// Maps and Parallels.
for (const [items, n] of [
  [3_000, 18],
  [3_000, 14],
  [20_000, 5],
  [100, 20],
]) {
  for (const [kind, mode] of [
    ["an inline Map", {}],
    ["a Distributed Map", DISTRIBUTED],
    ["a Distributed Map of Express children", EXPRESS],
  ]) {
    add(
      `${kind} of ${items} × fib(${n})`,
      jsonata({ M: { Type: "Map", ItemProcessor: scope({ P: { Type: "Pass", Output: `{% ${FIB(n)} %}`, ...END } }, mode), ...END } }),
      count(items),
    );
  }
  add(
    `an ItemSelector of ${items} × fib(${n})`,
    jsonata({ M: { Type: "Map", ItemSelector: `{% ${FIB(n)} %}`, ItemProcessor: scope({ P: PASS }), ...END } }),
    count(items),
  );
}
add(
  "a Map in a Map in a Map, 40 items each",
  path({
    M: {
      Type: "Map",
      ItemsPath: "$",
      ItemProcessor: scope({
        N: {
          Type: "Map",
          ItemsPath: "$$.Execution.Input",
          ItemProcessor: scope({ O: { Type: "Map", ItemsPath: "$$.Execution.Input", ItemProcessor: scope({ P: PASS }), ...END } }),
          ...END,
        },
      }),
      ...END,
    },
  }),
  count(40),
  ENDLESS,
);
add(
  "a Map that selects its whole input for each item",
  path({ M: { Type: "Map", ItemSelector: { "all.$": "$" }, ItemProcessor: scope({ P: { ...PASS, Result: 1 } }), ...END } }),
  count(30_000),
  ENDLESS,
);
add(
  "a Distributed Map that waits, aborted",
  path({ M: { Type: "Map", ItemProcessor: scope({ W: { Type: "Wait", Seconds: 99_999_999, ...END } }, DISTRIBUTED), ...END } }),
  count(10_000),
  { clock: "real" },
);
add(
  "an inline Map of Tasks that never answer, aborted",
  path({ M: { Type: "Map", ItemProcessor: scope({ T: { ...TASK, Resource: "Late" } }), ...END } }),
  count(5_000),
  { clock: "real" },
);
add(
  "a Distributed Map of Tasks that never answer, aborted",
  path({ M: { Type: "Map", ItemProcessor: scope({ T: { ...TASK, Resource: "Late" } }, DISTRIBUTED), ...END } }),
  count(20_000),
  { clock: "real" },
);
add(
  "a Distributed Map that fails when all run",
  path({ M: { Type: "Map", ItemProcessor: scope({ T: TASK }, DISTRIBUTED), ...END } }),
  count(20_000),
  { tasks: { Work: (n) => (n === 9_999 ? Promise.reject(new Error("no")) : new Promise(() => {})) } },
);
add(
  "a batch of 100,000 items",
  path({
    M: {
      Type: "Map",
      ItemBatcher: { MaxItemsPerBatch: 100_000 },
      ItemProcessor: scope({ P: { ...PASS, Result: 1 } }, DISTRIBUTED),
      ...END,
    },
  }),
  count(30_000),
);
add(
  "a file of 1,000,000 lines",
  path({
    M: {
      Type: "Map",
      ItemReader: {
        Resource: "arn:aws:states:::s3:getObject",
        ReaderConfig: { InputType: "JSONL" },
        Parameters: { Bucket: "b", Key: "k" },
      },
      ItemProcessor: scope({ P: PASS }, DISTRIBUTED),
      ResultPath: null,
      ...END,
    },
  }),
  {},
  { tasks: { M: () => ({ Body: "1\n".repeat(1_000_000) }) } },
);
add(
  "a file of 1,000,000 elements",
  path({
    M: {
      Type: "Map",
      ItemReader: { Resource: "arn:aws:states:::s3:getObject", ReaderConfig: { InputType: "JSON" }, Parameters: { Bucket: "b", Key: "k" } },
      ItemProcessor: scope({ P: PASS }, DISTRIBUTED),
      ResultPath: null,
      ...END,
    },
  }),
  {},
  { tasks: { M: () => ({ Body: `[${"1,".repeat(999_999)}1]` }) } },
);
add(
  "a file of 500,000 rows",
  path({
    M: {
      Type: "Map",
      ItemReader: {
        Resource: "arn:aws:states:::s3:getObject",
        ReaderConfig: { InputType: "CSV", CSVHeaderLocation: "FIRST_ROW" },
        Parameters: { Bucket: "b", Key: "k" },
      },
      ItemProcessor: scope({ P: PASS }, DISTRIBUTED),
      ResultPath: null,
      ...END,
    },
  }),
  {},
  { tasks: { M: () => ({ Body: "a,b\n".repeat(500_000) }) } },
);
add("a Parallel of 2,000 branches", () =>
  path({ P: { Type: "Parallel", Branches: count(2_000).map((i) => scope({ [`B${i}`]: PASS })), ...END } }),
);
add("a Parallel of 300 branches × fib(18)", () =>
  jsonata({
    P: {
      Type: "Parallel",
      Branches: count(300).map((i) => scope({ [`B${i}`]: { Type: "Pass", Output: `{% ${FIB(18)} %}`, ...END } })),
      ...END,
    },
  }),
);
add(
  "a Parallel of 500 branches that never end, aborted",
  () =>
    path({
      P: { Type: "Parallel", Branches: count(500).map((i) => scope({ [`B${i}`]: { Type: "Wait", Seconds: 9e7, ...END } })), ...END },
    }),
  {},
  { clock: "real" },
);
let made = 0;
const deep = (depth) =>
  scope({ [`D${(made += 1)}`]: depth === 0 ? PASS : { Type: "Parallel", Branches: [deep(depth - 1), deep(depth - 1)], ...END } });
add("Parallels 9 deep, two branches each", () => path(deep(9).States));

// Payloads.
add("a payload nested 100 deep, a thousand times", path({ M: { Type: "Map", ItemProcessor: scope({ P: PASS }), ...END } }), () =>
  count(1_000).map(() => JSON.parse(`${"[".repeat(100)}1${"]".repeat(100)}`)),
);
add(
  "a text of 200 KB, doubled in a loop",
  jsonata({ A: { Type: "Pass", Output: "{% $states.input & $states.input %}", Next: "A" } }),
  "x".repeat(1_000),
);
add("an array, doubled in a loop", jsonata({ A: { Type: "Pass", Output: "{% $append($states.input, $states.input) %}", Next: "A" } }), [1]);
add(
  "a variable that grows in a loop",
  jsonata({ A: { Type: "Pass", Assign: { v: "{% $append($v, [1..500]) %}" }, Next: "A" } }, "A"),
  {},
  ENDLESS,
);
add(
  "15,000 members, written into one by one",
  path({ A: { Type: "Pass", Result: 1, ResultPath: "$.n.m.o", Next: "A" } }),
  () => Object.fromEntries(count(15_000).map((i) => [`k${i}`, i])),
  { historyLimit: 20_000 },
);
add(
  "a Task with a result of 250 KB in a loop",
  path({ A: { ...TASK, End: undefined, Next: "A" } }),
  {},
  { historyLimit: 10_000, tasks: { Work: () => "x".repeat(250_000) } },
);
add("a Task that answers with 2 MB", path({ A: TASK }), {}, { tasks: { Work: () => "x".repeat(2e6) } });
add(
  "an error with a cause of 500 KB, retried for ever",
  path({ A: { ...TASK, Retry: [{ ErrorEquals: ["States.ALL"], MaxAttempts: 99_999_999, IntervalSeconds: 1, BackoffRate: 1 }] } }),
  {},
  {
    ...ENDLESS,
    tasks: {
      Work: () => {
        throw new Error("x".repeat(500_000));
      },
    },
  },
);

// Functions that cost more than a look at a value, each as often as they may be called in one state.
for (const [what, expression] of [
  ["$sort with a function", "$sort([1..20000], function($a, $b) { $a < $b })"],
  ["$sort of texts", "$sort([1..50000].$string())"],
  ["$match of a pattern that goes back", "[1..1000].$match('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', /(a+)+b/)"],
  ["$replace of every character", "[1..1000].$replace($pad('', 10000, 'a'), /a/, 'bb')"],
  ["$split of a long text", "[1..1000].$split($pad('', 10000, 'a,'), ',')"],
  ["$pad again and again", "[1..100000].$pad('x', 1000)"],
  ["$string of a large value", "($x := [1..10000]; [1..1000].$string($x))"],
  ["$formatNumber", "[1..100000].$formatNumber($, '#,##0.00')"],
  ["$fromMillis with a picture", "[1..100000].$fromMillis($, '[Y0001]-[M01]-[D01] [H01]:[m01]:[s01]')"],
  ["$toMillis with a picture", "[1..50000].$toMillis('2020-01-01', '[Y0001]-[M01]-[D01]')"],
  ["$formatInteger in words", "[1..100000].$formatInteger($, 'w')"],
  ["$parseInteger of words", "[1..50000].$parseInteger('one thousand', 'w')"],
  ["$hash", "[1..50000].$hash('x', 'SHA-512')"],
  ["$uuid", "[1..200000].$uuid()"],
  ["$random", "[1..400000].$random()"],
  ["$base64encode", "($x := $pad('', 10000, 'a'); [1..5000].$base64encode($x))"],
  ["$encodeUrl", "($x := $pad('', 10000, 'é'); [1..5000].$encodeUrl($x))"],
  ["$merge of objects", "$merge([1..50000].{$string($): $})"],
  ["$distinct", "$distinct([1..100000].$string())"],
  ["$shuffle", "[1..50].$shuffle([1..10000])"],
  ["$parse of JSON", "($x := $string([1..5000]); [1..1000].$parse($x))"],
  ["$eval again and again", "[1..100000].$eval('1+1')"],
  ["comparison of large values", "($x := [1..10000]; $y := [1..10000]; [1..1000].($x = $y))"],
  ["$contains in a long text", "($x := $pad('', 100000, 'a'); [1..10000].$contains($x, 'ab'))"],
  ["$power and $sqrt", "[1..200000].$sqrt($power($, 1.5))"],
])
  add(`${what}: ${expression}`, jsonata({ P: { Type: "Pass", Output: `{% ${`$count(${expression})`} %}`, ...END } }));

/** The definitions that are made are made here: their size is not what is measured. */
export const machines = all.map(({ definition, ...rest }) => ({
  ...rest,
  definition: typeof definition === "function" ? definition() : definition,
}));
