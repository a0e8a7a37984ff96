// What is measured, once for all who run it: us through WebAssembly, us natively, and the peer.
//
// A case: `id`, `title`, `definition`, `input`, `expect` (of the output), `transitions` (states entered), and for
// Tasks `failures`, how often the handler of a state fails before it gives its input back, or `counts`: it gives back
// something new, its input with `n` one higher. All handlers are async.

const LAMBDA = "arn:aws:lambda:us-east-1:123456789012:function:";

/** A machine whose states follow one another. */
export function chain(count, state) {
  const States = {};
  for (let i = 1; i <= count; i++) States[`S${i}`] = { ...state(i), ...(i < count ? { Next: `S${i + 1}` } : { End: true }) };
  return { StartAt: "S1", States };
}

const record = { n: 7, tag: "blue", items: [1, 2, 3] };
const templated = { "n.$": "$.n", "tag.$": "$.tag", "items.$": "$.items", fixed: "text", nested: { "again.$": "$.tag" } };
const big = { rows: Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}`, text: "x".repeat(160), ok: id % 2 === 0 })), step: 0 };

export const cases = [
  {
    id: "pass",
    title: "1,000 Pass",
    definition: chain(1000, () => ({ Type: "Pass" })),
    input: record,
    transitions: 1000,
    target: 5,
    expect: (output) => output.n === 7 && output.items.length === 3,
  },
  {
    id: "pass-parameters",
    title: "1,000 Pass with Parameters",
    definition: chain(1000, () => ({ Type: "Pass", Parameters: templated })),
    input: record,
    transitions: 1000,
    target: 5,
    expect: (output) => output.fixed === "text" && output.nested.again === "blue",
  },
  {
    id: "choice-loop",
    title: "Choice loop to 10,000, States.MathAdd",
    definition: {
      StartAt: "Add",
      States: {
        Add: { Type: "Pass", Parameters: { "i.$": "States.MathAdd($.i, 1)" }, Next: "Enough" },
        Enough: { Type: "Choice", Choices: [{ Variable: "$.i", NumericLessThan: 10000, Next: "Add" }], Default: "Done" },
        Done: { Type: "Succeed" },
      },
    },
    input: { i: 0 },
    transitions: 20001,
    target: 10,
    expect: (output) => output.i === 10000,
  },
  {
    id: "map",
    title: "Map of 1,000 × 3 Pass",
    definition: {
      StartAt: "Each",
      States: {
        Each: {
          Type: "Map",
          ItemsPath: "$.items",
          ItemProcessor: {
            ProcessorConfig: { Mode: "INLINE" },
            ...chain(3, (i) => (i === 2 ? { Type: "Pass", Parameters: { "n.$": "$.n", seen: true } } : { Type: "Pass" })),
          },
          End: true,
        },
      },
    },
    input: { items: Array.from({ length: 1000 }, (_, n) => ({ n })) },
    transitions: 3001,
    target: 10,
    expect: (output) => output.length === 1000 && output[999].n === 999 && output[0].seen === true,
  },
  {
    id: "parallel",
    title: "Parallel of 100",
    definition: {
      StartAt: "All",
      States: {
        All: {
          Type: "Parallel",
          Branches: Array.from({ length: 100 }, (_, i) => ({ StartAt: `B${i}`, States: { [`B${i}`]: { Type: "Pass", End: true } } })),
          End: true,
        },
      },
    },
    input: record,
    transitions: 101,
    expect: (output) => output.length === 100 && output[99].n === 7,
  },
  {
    id: "retries",
    title: "1,000 retries of one Task",
    definition: {
      StartAt: "T",
      States: {
        T: {
          Type: "Task",
          Resource: `${LAMBDA}Flaky`,
          Retry: [{ ErrorEquals: ["Again"], IntervalSeconds: 1, BackoffRate: 1, MaxAttempts: 1000 }],
          End: true,
        },
      },
    },
    input: record,
    failures: 1000,
    transitions: 1001,
    target: 10,
    expect: (output) => output.n === 7,
  },
  {
    id: "tasks",
    title: "1,000 Tasks, async handlers",
    definition: chain(1000, () => ({ Type: "Task", Resource: `${LAMBDA}Echo` })),
    input: record,
    transitions: 1000,
    target: 2,
    expect: (output) => output.n === 7,
  },
  {
    id: "tasks-counting",
    title: "1,000 Tasks that change what they get",
    definition: chain(1000, () => ({ Type: "Task", Resource: `${LAMBDA}Count` })),
    input: record,
    counts: true,
    transitions: 1000,
    target: 2,
    expect: (output) => output.n === 1007,
  },
  {
    id: "payload",
    title: "100 KB through 50 states",
    definition: chain(50, (i) => ({ Type: "Pass", Result: i, ResultPath: "$.step" })),
    input: big,
    transitions: 50,
    expect: (output) => output.step === 50 && output.rows.length === 500,
  },
];

/** An async handler for every Task state of a case, made anew for each run. */
export function handlersOf(one) {
  const handlers = {};
  for (const [name, state] of Object.entries(one.definition.States)) {
    if (state.Type !== "Task") continue;
    let failures = one.failures ?? 0;
    handlers[name] = async (input) => {
      if (failures-- > 0) throw new Again();
      return one.counts ? { ...input, n: input.n + 1 } : input;
    };
  }
  return handlers;
}

// Without a stack trace: neither side is to be timed for V8's writing one.
class Again extends Error {
  name = "Again";
  constructor() {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super("not yet");
    Error.stackTraceLimit = limit;
  }
}
