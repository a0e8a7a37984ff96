// Executions with much data, each in a process of its own: node benches/memory.mjs [WHAT], which prints JSON.
//
// Memory is the peak of the resident set of the whole process, and what the module's memory has grown to.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const FUNCTION = "arn:aws:lambda:us-east-1:123456789012:function:Work";

/** What each run is called, and how it is run; `scale` makes it smaller. */
export const loads = {
  "70,000 items, ResultWriter": (stepglass, scale = 1) => exported(stepglass, 70_000 * scale),
  "1,000,000 items, ResultWriter": (stepglass, scale = 1) => exported(stepglass, 1_000_000 * scale),
  "25,000 events of 10 KB, history() and snapshot()": (stepglass, scale = 1) => manyEvents(stepglass, 25_000 * scale),
  "10,000 Tasks one after the other, results of 200 KB": (stepglass, scale = 1) => chain(stepglass, 10_000 * scale),
  "10,000 Tasks of a Distributed Map, results of 200 KB, ResultWriter": (stepglass, scale = 1) =>
    exported(stepglass, 10_000 * scale, 200_000),
  "an object of 100 MB, of which 1,000 items are taken": (stepglass, scale = 1) => taken(stepglass, 100_000_000 * scale),
};

/** A Distributed Map over the lines of a file, with one state for each item. */
const overFile = ({ type, one, config = {}, more = {} }) => ({
  StartAt: "Each",
  States: {
    Each: {
      Type: "Map",
      ItemReader: {
        Resource: "arn:aws:states:::s3:getObject",
        ReaderConfig: { InputType: "JSONL", ...config },
        Parameters: { Bucket: "b", Key: "k" },
      },
      ItemProcessor: {
        ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: type },
        StartAt: "One",
        States: { One: { ...one, End: true } },
      },
      ...more,
      End: true,
    },
  },
});

/** A Distributed Map with a ResultWriter; counts the records in the files and compares that with the manifest. */
export async function exported({ StateMachine }, items, size = 0) {
  const machine = new StateMachine(
    overFile({
      type: "STANDARD",
      one: size > 0 ? { Type: "Task", Resource: FUNCTION } : { Type: "Pass" },
      more: { ResultWriter: { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "b", Prefix: "p" } } },
    }),
  );
  let [records, bytes, files, manifest] = [0, 0, 0, undefined];
  const tasks = {
    Each: ({ Body, Key }, { purpose }) => {
      if (purpose === "ItemReader") return { Body: Array.from({ length: items }, (_, id) => `{"id":${id}}\n`).join("") };
      files += 1;
      if (Key.endsWith("manifest.json")) manifest = JSON.parse(Body);
      else {
        records += Body.split('"ExecutionArn"').length - 1;
        bytes += Buffer.byteLength(Body);
      }
      return {};
    },
    Work: async ({ id }) => ({ id, text: "x".repeat(size) }),
  };
  const { status, cause } = await machine.start({}, { tasks, clock: "virtual" }).result;
  const said = manifest?.ResultFiles.SUCCEEDED.reduce((sum, { Size }) => sum + Size, 0);
  if (status !== "SUCCEEDED" || records !== items || said !== bytes)
    throw new Error(`${status} ${cause}: ${records} records, ${bytes} bytes, the manifest says ${said}`);
  return { files, bytes };
}

/** A Distributed Map that takes the first items of a large object; says how long it held the event loop at once. */
export async function taken({ StateMachine }, bytes) {
  const line = JSON.stringify({ id: 1, name: "a name of some length", tags: ["x", "y"], n: 12.5 });
  const Body = Array(Math.floor(bytes / (line.length + 1)))
    .fill(line)
    .join("\n");
  const machine = new StateMachine(overFile({ type: "EXPRESS", one: { Type: "Pass" }, config: { MaxItems: 1000 } }));
  const execution = machine.start({}, { clock: "virtual", tasks: { Each: () => ({ Body }) } });
  let [hold, before, ended] = [0, performance.now(), false];
  const watch = () => {
    const now = performance.now();
    hold = Math.max(hold, now - before);
    before = now;
    if (!ended) setImmediate(watch);
  };
  setImmediate(watch);
  const { status, cause, output } = await execution.result;
  ended = true;
  if (status !== "SUCCEEDED" || output.length !== 1000) throw new Error(`${status} ${cause}: ${output?.length} items`);
  return { hold, bytes };
}

/** A loop that passes a payload on. */
export async function manyEvents({ StateMachine }, events) {
  const machine = new StateMachine({
    StartAt: "Count",
    States: {
      Count: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)", "text.$": "$.text" }, Next: "Enough" },
      Enough: {
        Type: "Choice",
        Choices: [{ Variable: "$.n", NumericGreaterThanEquals: Math.floor(events / 4) - 1, Next: "End" }],
        Default: "Count",
      },
      End: { Type: "Succeed" },
    },
  });
  const execution = machine.start({ n: 0, text: "x".repeat(10_000) }, { clock: "virtual" });
  const { status, cause } = await execution.result;
  if (status !== "SUCCEEDED") throw new Error(`${status} ${cause}`);
  const history = execution.history();
  let iterated = 0;
  for await (const event of execution) iterated += event.id > 0;
  const { engine } = execution.snapshot();
  const kept = engine.executions[0].events.length;
  if (iterated !== history.length || kept !== history.length)
    throw new Error(`${history.length} events, ${iterated} iterated, ${kept} in the snapshot`);
  const again = machine.restore(execution.snapshot(), { clock: "virtual" });
  if ((await again.result).status !== "SUCCEEDED" || again.history().length !== history.length)
    throw new Error("the restored execution is another one");
  return { events: history.length, bytes: JSON.stringify(history.slice(0, 1000)).length * (history.length / 1000) };
}

/** A chain of Tasks in a loop, each with a result of its own; reads the history event by event. */
export async function chain({ StateMachine }, count) {
  const machine = new StateMachine({
    StartAt: "Work",
    States: {
      Work: { Type: "Task", Resource: FUNCTION, Next: "Enough" },
      Enough: { Type: "Choice", Choices: [{ Variable: "$.n", NumericGreaterThanEquals: count, Next: "End" }], Default: "Work" },
      End: { Type: "Pass", Result: "done", End: true },
    },
  });
  const execution = machine.start(
    { n: 0 },
    { clock: "virtual", historyLimit: 0, tasks: { Work: async ({ n }) => ({ n: n + 1, text: String(n).padEnd(200_000, "x") }) } },
  );
  const { status, cause } = await execution.result;
  if (status !== "SUCCEEDED") throw new Error(`${status} ${cause}`);
  let [events, last] = [0, ""];
  for await (const event of execution) {
    events += 1;
    last = event.lambdaFunctionSucceededEventDetails?.output ?? last;
  }
  if (JSON.parse(last).n !== count) throw new Error(`the last result is ${last.slice(0, 20)}`);
  return { events, bytes: count * 200_000 };
}

const what = process.argv[2];
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (what === undefined) all();
  else process.stdout.write(`${JSON.stringify(await one(what))}\n`);
}

/** Runs all, prints a line for each; `[{what, seconds, rss, …}]`. */
export function all() {
  return Object.keys(loads).map((what) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), what], { encoding: "utf8" });
    if (status !== 0) {
      console.log(`✗ ${what}: ${/^\w*Error.*$/m.exec(stderr)?.[0].slice(0, 300) ?? stderr.slice(-300)}`);
      return { what, problem: stderr };
    }
    const result = JSON.parse(stdout);
    console.log(
      `✓ ${what}: ${result.seconds.toFixed(1)} s, peak resident set ${result.rss.toFixed(0)} MiB, module ${result.module.toFixed(0)} MiB, ${(result.bytes / 1e6).toFixed(0)} MB of data${result.hold === undefined ? "" : `, held the event loop for ${result.hold.toFixed(0)} ms at most`}`,
    );
    return { what, ...result };
  });
}

async function one(what) {
  let module;
  const { Memory } = WebAssembly;
  // The instance's memory, as the entry makes it.
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(...given) {
      super(...given);
      module ??= Object.values(this.exports).find((one) => one instanceof Memory);
    }
  };
  const stepglass = await import("../dist/node.js");
  const start = performance.now();
  const result = await loads[what](stepglass);
  return {
    ...result,
    seconds: (performance.now() - start) / 1000,
    rss: process.resourceUsage().maxRSS / 1024,
    module: (module?.buffer.byteLength ?? 0) / 2 ** 20,
  };
}
