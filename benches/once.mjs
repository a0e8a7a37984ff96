// What needs a process of its own, measured once and printed as JSON: node benches/once.mjs WHAT
const what = process.argv[2];
const cpuMicroseconds = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

if (what === "bare") print({ cpu: cpuMicroseconds() });
else if (what.startsWith("idle-")) await idle(what.slice("idle-".length));
else if (what.startsWith("map-run-")) await mapRun(what.slice("map-run-".length));
else await cold(what);

function print(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** Import, one machine, one run. */
async function cold(name) {
  const side = await import(`./sides/${name}.mjs`);
  const definition = {
    StartAt: "T",
    States: { T: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Add", End: true } },
  };
  const output = await side.run(side.prepare({ definition, input: { a: 1, b: 2 } }), { T: async ({ a, b }) => a + b });
  if (output !== 3) throw new Error(`wrong output: ${output}`);
  print({ cpu: cpuMicroseconds() });
}

/** Executions that wait for a day. */
async function idle(name) {
  const COUNT = 5000;
  const side = await import(`./sides/${name}.mjs`);
  const definition = { StartAt: "W", States: { W: { Type: "Wait", Seconds: 86400, End: true } } };
  const start = side.idle(definition);
  const kept = [start({ n: 0 })];
  const settle = async () => {
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
    return process.memoryUsage();
  };
  const before = await settle();
  for (let n = 1; n <= COUNT; n++) kept.push(start({ n }));
  const after = await settle();
  print({ executions: COUNT, rss: (after.rss - before.rss) / COUNT, heap: (after.heapUsed - before.heapUsed) / COUNT });
  process.exit(kept.length === COUNT + 1 ? 0 : 1);
}

/**
 * A Distributed Map over 100,000 items that a handler reads, two states each: `pass` has no Tasks, `task` has one, `child`
 * is that with `onChild`, `lines` reads the items from the text of a file, `again` is `task` twice in one process.
 */
async function mapRun(kind) {
  const ITEMS = 100_000;
  const { StateMachine } = await import("../dist/node.js");
  const work = kind !== "pass" ? { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Work" } : { Type: "Pass" };
  const machine = new StateMachine({
    StartAt: "Each",
    States: {
      Each: {
        Type: "Map",
        ItemReader: {
          Resource: "arn:aws:states:::s3:getObject",
          ReaderConfig: { InputType: kind === "lines" ? "JSONL" : "JSON" },
          Parameters: { Bucket: "b", Key: "k" },
        },
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "One",
          States: { One: { ...work, Next: "Two" }, Two: { Type: "Pass", Parameters: { "id.$": "$.id", done: true }, End: true } },
        },
        ResultPath: null,
        End: true,
      },
    },
  });
  let calls = 0;
  let children = 0;
  const items = () => Array.from({ length: ITEMS }, (_, id) => ({ id, name: `item ${id}` }));
  const tasks = {
    Each: () =>
      kind === "lines"
        ? {
            Body: items()
              .map((item) => `${JSON.stringify(item)}\n`)
              .join(""),
          }
        : items(),
    Work: async (input) => {
      calls += 1;
      return input;
    },
  };
  const onChild = kind === "child" ? ({ status, history }) => void (children += status === "SUCCEEDED" && history.length > 5) : undefined;
  let seconds;
  for (let run = 0; run < (kind === "again" ? 2 : 1); run++) {
    calls = 0;
    const start = performance.now();
    const outcome = await machine.start({}, { tasks, clock: "virtual", ...(onChild && { onChild }) }).result;
    seconds = (performance.now() - start) / 1000;
    const counted = (kind === "pass" || calls === ITEMS) && (!onChild || children === ITEMS);
    if (outcome.status !== "SUCCEEDED" || !counted)
      throw new Error(`${JSON.stringify(outcome).slice(0, 500)}, ${calls} calls, ${children} children`);
  }
  print({ items: ITEMS, seconds, cpu: cpuMicroseconds() / 1e6, rss: process.resourceUsage().maxRSS / 1024 });
}
