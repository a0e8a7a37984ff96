// Executions with much data: what the module's memory holds, and what can be read of it. `npm run bench -- --memory` measures the
// largest sizes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { chain, exported, manyEvents } from "../../benches/memory.mjs";

let memory;
const { Instance, Memory } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...given) {
    super(...given);
    memory ??= Object.values(this.exports).find((one) => one instanceof Memory);
  }
};
const stepglass = await import("stepglass");
const { deferred, turn, watchRejections } = await import("./machines.mjs");
const { Engine, StateMachine } = stepglass;

watchRejections();

const megabytes = () => memory.buffer.byteLength / 2 ** 20;
const PUT = "arn:aws:states:::s3:putObject";

test("results of tasks leave the module's memory with their events", async () => {
  const { events } = await chain(stepglass, 900);
  assert.equal(events, 900 * 7 + 4);
  assert.ok(megabytes() < 128, `${megabytes()} MiB for 180 MB of results`);
});

test("a history and a snapshot are read in pages", async () => {
  await manyEvents(stepglass, 6000);
  assert.ok(megabytes() < 128, `${megabytes()} MiB for 60 MB of history`);
});

test("an archived history equals that of the engine", async () => {
  const definition = {
    StartAt: "M",
    States: {
      M: {
        Type: "Map",
        MaxConcurrency: 1,
        ItemProcessor: {
          StartAt: "T",
          States: { T: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Work", ResultPath: null, End: true } },
        },
        ResultPath: null,
        Next: "F",
      },
      F: { Type: "Fail", Error: "Enough", Cause: "é" },
    },
  };
  const machine = new StateMachine(definition);
  const options = { seed: 3, clock: "virtual", startTime: 0, name: "e" };
  const items = Array.from({ length: 150 }, (_, n) => ({ n, text: "y".repeat(600) }));
  const answer = ({ n }) => `${n} "é\u0001`.padEnd(250_000, "x");
  const execution = machine.start(items, { ...options, tasks: { Work: answer } });
  assert.equal((await execution.result).error, "Enough");

  // Without an execution there is no archive but that of an engine: the latest steps are in the engine, all earlier ones in pages.
  const engine = new Engine(machine);
  let step = engine.start(0, items, { name: "e" }, 3);
  for (let n = 0; step.commands[0]?.type === "Invoke"; n++) step = engine.succeed(0, step.commands[0].task, answer({ n }));
  assert.deepEqual(engine.history(), execution.history());
  const events = [];
  for await (const event of execution) events.push(event);
  assert.deepEqual(events, execution.history());
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_, i) => i + 1),
  );
  assert.deepEqual(engine.history(900), events.slice(900));
  assert.equal(
    JSON.parse(events.findLast((event) => event.type === "LambdaFunctionSucceeded").lambdaFunctionSucceededEventDetails.output),
    answer({ n: 149 }),
  );

  // It continues from a snapshot, and after a redrive.
  const snapshot = execution.snapshot();
  assert.equal(snapshot.engine.executions[0].events.length, events.length);
  const again = machine.restore(snapshot, { clock: "virtual" });
  assert.equal((await again.result).error, "Enough");
  assert.deepEqual(again.history(), events);
  const redriven = machine.redrive(execution, { tasks: { Work: answer }, clock: "virtual", startTime: 5 });
  await redriven.result;
  assert.deepEqual(redriven.history().slice(0, events.length), events);
  assert.equal(redriven.history()[events.length].type, "ExecutionRedriven");
  await assert.rejects(machine.run(items, { ...options, tasks: { Work: answer } }), { state: "F", error: "Enough" });

  snapshot.engine.executions[0].events[7][1].type = "Nonsense";
  assert.throws(() => machine.restore(snapshot), { code: "RESTORE", message: /events is missing or not what was written/ });
});

test("a ResultWriter writes files while children are still running", async () => {
  const { files, bytes } = await exported(stepglass, 130, 200_000);
  assert.ok(files >= 4 && bytes > 26e6, `${files} files`);

  const gate = deferred();
  const puts = [];
  let calls = 0;
  const machine = new StateMachine({
    StartAt: "M",
    States: {
      M: {
        Type: "Map",
        MaxConcurrency: 3,
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "W",
          States: { W: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Work", End: true } },
        },
        ResultWriter: { Resource: PUT, Parameters: { Bucket: "b" }, WriterConfig: { Transformation: "COMPACT", OutputType: "JSON" } },
        End: true,
      },
    },
  });
  const tasks = {
    Work: async (n) => {
      calls += 1;
      // The first item is slow, so later results wait for their positions in the file.
      if (n === 0) await gate.promise;
      return { n, text: "é".repeat(60_000) };
    },
    "s3:putObject": async ({ Key, Body }) => void puts.push({ Key, Body, calls }),
  };
  const items = Array.from({ length: 100 }, (_, n) => n);
  const execution = machine.start(items, { tasks });
  while (calls < 100) await turn();
  assert.equal(puts.length, 0);
  gate.resolve();
  assert.equal((await execution.result).status, "SUCCEEDED");
  assert.deepEqual(
    puts.map(({ Key }) => Key.split("/").at(-1)),
    ["SUCCEEDED_0.json", "SUCCEEDED_1.json", "manifest.json"],
  );
  const written = puts.slice(0, 2).flatMap(({ Body }) => JSON.parse(Body));
  assert.deepEqual(
    written.map(({ n }) => n),
    items,
  );
  const { FAILED, SUCCEEDED } = JSON.parse(puts[2].Body).ResultFiles;
  assert.deepEqual([FAILED, SUCCEEDED], [[], puts.slice(0, 2).map(({ Key, Body }) => ({ Key, Size: Buffer.byteLength(Body) }))]);

  // In order, the first file is written while there are items left; a file that cannot be written ends the Map.
  puts.length = calls = 0;
  gate.resolve();
  await machine.run(items, { tasks });
  assert.ok(puts[0].calls < 90, `${puts[0].calls} calls before the first file`);
  const failing = machine.start(items, { tasks: { ...tasks, "s3:putObject": () => Promise.reject(new Error("disk full")) } });
  const { status, error, cause } = await failing.result;
  assert.deepEqual([status, error, cause], ["FAILED", "States.ResultWriterFailed", "disk full"]);
});

test("a run whose results are being written is stored, continues, and can be redriven", async () => {
  const machine = new StateMachine({
    StartAt: "M",
    States: {
      M: {
        Type: "Map",
        MaxConcurrency: 2,
        ToleratedFailurePercentage: 100,
        ItemProcessor: {
          ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
          StartAt: "W",
          States: { W: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Work", End: true } },
        },
        ResultWriter: { Resource: PUT, Parameters: { Bucket: "b" }, WriterConfig: { Transformation: "COMPACT", OutputType: "JSONL" } },
        End: true,
      },
    },
  });
  const items = Array.from({ length: 60 }, (_, n) => n);
  const open = [];
  const files = new Map();
  const Work = (n) => {
    if (n % 10 === 3) throw new Error("odd one");
    return { n, text: "x".repeat(200_000) };
  };
  const first = machine.start(items, { tasks: { Work, "s3:putObject": () => new Promise((resolve) => open.push(resolve)) } });
  while (open.length === 0) await turn();
  // The file was not written yet, so it is requested again.
  const snapshot = first.snapshot();
  const put = ({ Key, Body }) => void files.set(Key.split("/").at(-1), Body);
  const check = () => {
    const lines = (name) =>
      files
        .get(name)
        ?.trim()
        .split("\n")
        .map((line) => JSON.parse(line)) ?? [];
    const succeeded = [...lines("SUCCEEDED_0.jsonl"), ...lines("SUCCEEDED_1.jsonl")];
    assert.deepEqual(
      succeeded.map(({ n }) => n),
      items.filter((n) => n % 10 !== 3),
    );
    assert.equal(lines("FAILED_0.jsonl").length, 6);
    assert.equal([...files.keys()].at(-1), "manifest.json");
    files.clear();
  };
  const restored = machine.restore(snapshot, { tasks: { Work, "s3:putObject": put } });
  assert.equal((await restored.result).status, "SUCCEEDED");
  check();
  first.abort();
  await first.result;
  const redriven = machine.redrive(first, { tasks: { Work, "s3:putObject": put } });
  assert.equal((await redriven.result).status, "SUCCEEDED");
  check();
});

test("a history that exceeds JavaScript's heap throws an error that says so, and can be iterated", async () => {
  const { checkAtOnce } = await importSource("js/core/border/archive.ts");
  assert.throws(() => checkAtOnce(12e9, "the history"), {
    name: "RangeError",
    code: "HISTORY_TOO_LARGE",
    message: /^the history has more than 1\.1 GB of text \(12\.0 GB up to here\): read the events one after the other/,
  });
  checkAtOnce(2 ** 30, "the history");
});
