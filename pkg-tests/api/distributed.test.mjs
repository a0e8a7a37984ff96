// Distributed Maps from objects to results: readers, batches, tolerated failures, writers, child executions.
import assert from "node:assert/strict";
import { mkdtemp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { StateMachine, s3Handlers } from "stepglass";
import { folder } from "stepglass/node";
import { turn, watchRejections } from "./machines.mjs";

watchRejections();

const GET = "arn:aws:states:::s3:getObject";
const LIST = "arn:aws:states:::s3:listObjectsV2";
const PUT = "arn:aws:states:::s3:putObject";
const OPTIONS = { clock: "virtual", seed: 7, startTime: Date.UTC(2025, 0, 1) };

/** A Distributed Map "M" whose children pass their item on, or do `work`. */
function map(fields, work = { Type: "Pass", End: true }) {
  const ItemProcessor = { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, StartAt: "W", States: { W: work } };
  return new StateMachine(
    {
      StartAt: "M",
      States: {
        M: { Type: "Map", ItemProcessor, Label: "Run", ...fields, End: true },
        ...(fields.Catch && { Caught: { Type: "Succeed" } }),
      },
    },
    { name: "Big" },
  );
}

const reader = (ReaderConfig, Key = "k", Resource = GET) => ({
  ItemReader: {
    Resource,
    Parameters: Resource === GET ? { Bucket: "b", Key } : { Bucket: "b", Prefix: Key },
    ...(ReaderConfig && { ReaderConfig }),
  },
});
const CSV = { InputType: "CSV", CSVHeaderLocation: "FIRST_ROW" };

const reads = [
  [
    "CSV",
    { "b/k": 'id,name\n1,"A, B"\n2,C\n' },
    reader(CSV),
    [
      { id: "1", name: "A, B" },
      { id: "2", name: "C" },
    ],
  ],
  [
    "CSV with given headers and tabs",
    { "b/k": "1\t2\n" },
    reader({ InputType: "CSV", CSVHeaderLocation: "GIVEN", CSVHeaders: ["x", "y"], CSVDelimiter: "TAB" }),
    [{ x: "1", y: "2" }],
  ],
  [
    "CSV in bytes, with a limit",
    { "b/k": new TextEncoder().encode("n\n1\n2\n3\n") },
    reader({ ...CSV, MaxItems: 2 }),
    [{ n: "1" }, { n: "2" }],
  ],
  ["CSV, compressed", { "b/k.gz": gzipSync("n\né\n") }, reader(CSV, "k.gz"), [{ n: "é" }]],
  ["a File", { "b/k": new Blob(["n\n5\n"]) }, reader(CSV), [{ n: "5" }]],
  ["a URL", { "b/k": new URL("data:text/csv,n%0A6%0A") }, reader(CSV), [{ n: "6" }]],
  ["JSON", { "b/k": "[1,[2],null]" }, reader({ InputType: "JSON" }), [1, [2], null]],
  ["JSON at a pointer", { "b/k": '{"a":{"b":[1,2]}}' }, reader({ InputType: "JSON", ItemsPointer: "/a/b" }), [1, 2]],
  [
    "the members of an object",
    { "b/k": { x: 1, y: 2 } },
    reader({ InputType: "JSON" }),
    [
      { Key: "x", Value: 1 },
      { Key: "y", Value: 2 },
    ],
  ],
  ["an array as it is", { "b/k": [{ a: 1 }, "two"] }, reader({ InputType: "JSON" }), [{ a: 1 }, "two"]],
  ["JSONL", { "b/k": '{"n":1}\n\n[2]\n' }, reader({ InputType: "JSONL" }), [{ n: 1 }, [2]]],
  [
    "all files of a listing",
    { "b/p/1": "[1]", "b/p/2": "[2,3]", "b/q": "[4]" },
    reader({ Transformation: "LOAD_AND_FLATTEN", InputType: "JSON" }, "p/", LIST),
    [1, 2, 3],
  ],
  [
    "an inventory",
    {
      "b/m.json": JSON.stringify({ destinationBucket: "arn:aws:s3:::inv", fileSchema: "Bucket, Key", files: [{ key: "1.csv.gz" }] }),
      "inv/1.csv.gz": gzipSync('"src","a.txt"\n'),
    },
    reader({ InputType: "MANIFEST" }, "m.json"),
    [{ Bucket: "src", Key: "a.txt" }],
  ],
  [
    "an Athena manifest",
    { "b/m.csv": '"s3://o/1.jsonl"\n"s3://o/2.jsonl"\n', "o/1.jsonl": "1\n", "o/2.jsonl": "2\n" },
    reader({ ManifestType: "ATHENA_DATA", InputType: "JSONL" }, "m.csv"),
    [1, 2],
  ],
];
for (const [what, objects, fields, expected] of reads) {
  test(`items are read from ${what}`, async () => {
    for (const source of [objects, new Map(Object.entries(objects))]) {
      assert.deepEqual(await map(fields).run({}, { ...OPTIONS, tasks: s3Handlers(source) }), expected);
    }
  });
}

test("a listing has the keys in the order of S3, with the fields that AWS gives", async () => {
  const objects = { "b/p/\u{1f600}": "12", "b/p/\uff5e": "1", "b/p/a": "é", "c/p/x": "", "b/other": "" };
  const items = await map(reader(undefined, "p/", LIST)).run({}, { ...OPTIONS, tasks: s3Handlers(objects) });
  assert.deepEqual(
    items.map(({ Key, Size }) => [Key, Size]),
    [
      ["p/a", 2],
      ["p/\uff5e", 1],
      ["p/\u{1f600}", 2],
    ],
  );
  assert.deepEqual(Object.keys(items[0]), ["Etag", "LastModified", "Key", "Size", "StorageClass"]);
  const source = await map({ ...reader(undefined, "p/", LIST), ItemSelector: { "from.$": "$$.Map.Item.Source" } }).run(
    {},
    { ...OPTIONS, tasks: s3Handlers(objects) },
  );
  assert.equal(source[0].from, "S3://b");
});

for (const [what, objects, fields, cause] of [
  ["no such object", {}, reader(CSV), /^The specified key does not exist/],
  ["a scalar", { "b/k": "7" }, reader({ InputType: "JSON" }), /^Attempting to map over non-iterable node\.$/],
  ["twice the same header", { "b/k": "a,a\n" }, reader(CSV), /^CSV headers cannot contain duplicates\.$/],
  ["no JSON", { "b/k": "[1," }, reader({ InputType: "JSON" }), /not valid JSON/],
  ["what is not compressed", { "b/k.gz": new Uint8Array([1, 2, 3]) }, reader(CSV, "k.gz"), /^k\.gz cannot be read/],
  ["Zstandard", { "b/k.zst": new Uint8Array([1, 2, 3]) }, reader(CSV, "k.zst"), /decompress the file first/],
  ["a store that cannot be listed", { get: () => undefined }, reader(undefined, "p", LIST), /cannot be listed/],
]) {
  test(`the reader fails on ${what}, and the Map can catch the error`, async () => {
    const execution = map(fields).start({}, { ...OPTIONS, tasks: s3Handlers(objects) });
    const result = await execution.result;
    assert.equal(result.error, "States.ItemReaderFailed");
    assert.match(result.cause, cause);
    assert.ok(execution.history().some(({ type }) => type === "MapRunFailed"));
    const caught = map({ ...fields, Catch: [{ ErrorEquals: ["States.ItemReaderFailed"], Next: "Caught" }] });
    assert.match((await caught.run({}, { ...OPTIONS, tasks: s3Handlers(objects) })).Cause, cause);
  });
}

test("a batch gives children the configured number of items, and the common input", async () => {
  const fields = {
    ...reader({ InputType: "JSON" }),
    ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { "by.$": "$.who" } },
    ItemSelector: { "n.$": "$$.Map.Item.Value" },
  };
  const output = await map(fields).run({ who: "me" }, { ...OPTIONS, tasks: s3Handlers({ "b/k": [1, 2, 3] }) });
  assert.deepEqual(output, [
    { BatchInput: { by: "me" }, Items: [{ n: 1 }, { n: 2 }] },
    { BatchInput: { by: "me" }, Items: [{ n: 3 }] },
  ]);
});

const odd = { Type: "Task", Resource: "odd", End: true };
const tasks = {
  odd: (n) => {
    if (n % 2 === 0) throw Object.assign(new Error(`${n} is even`), { name: "Even" });
    return n * 10;
  },
};

test("failures are tolerated up to the limit", async () => {
  for (const [fields, succeeds] of [
    [{ ToleratedFailureCount: 2 }, true],
    [{ ToleratedFailureCount: 1 }, false],
    [{ ToleratedFailurePercentage: 40 }, true],
    [{ ToleratedFailurePercentage: 39.5 }, false],
    [{}, false],
  ]) {
    const result = await map(fields, odd).start([1, 2, 3, 4, 5], { ...OPTIONS, tasks }).result;
    if (succeeds) assert.deepEqual(result, { status: "SUCCEEDED", output: [10, 30, 50] });
    else
      assert.deepEqual(result, {
        status: "FAILED",
        error: "States.ExceedToleratedFailureThreshold",
        cause: "The specified tolerated failure threshold was exceeded",
      });
  }
});

test("results are written in AWS's files, and the output says where", async () => {
  const objects = {};
  const fields = { ToleratedFailureCount: 9, ResultWriter: { Resource: PUT, Parameters: { Bucket: "out", Prefix: "p" } } };
  const output = await map(fields, odd).run([1, 2, 3], { ...OPTIONS, tasks: { ...tasks, ...s3Handlers(objects) } });
  const { Bucket, Key } = output.ResultWriterDetails;
  const at = (name) => JSON.parse(objects[`${Bucket}/${Key.replace("manifest.json", name)}`]);
  const manifest = at("manifest.json");
  assert.deepEqual([manifest.DestinationBucket, manifest.MapRunArn], ["out", output.MapRunArn]);
  assert.equal(manifest.ResultFiles.SUCCEEDED[0].Size, Buffer.byteLength(objects[`out/${manifest.ResultFiles.SUCCEEDED[0].Key}`]));
  assert.deepEqual(
    at("SUCCEEDED_0.json").map(({ Input, Output, Status }) => [Input, Output, Status]),
    [
      ["1", "10", "SUCCEEDED"],
      ["3", "30", "SUCCEEDED"],
    ],
  );
  assert.deepEqual(
    at("FAILED_0.json").map(({ Input, Error, Status }) => [Input, Error, Status]),
    [["2", "Even", "FAILED"]],
  );
  assert.equal(Object.keys(objects).length, 3);

  const lines = {};
  const flat = {
    ResultWriter: {
      Resource: PUT,
      Parameters: { Bucket: "out", Prefix: "" },
      WriterConfig: { Transformation: "FLATTEN", OutputType: "JSONL" },
    },
  };
  const where = await map(flat).run([[1, 2], [3]], { ...OPTIONS, tasks: s3Handlers(lines) });
  assert.equal(lines[`out/${where.ResultWriterDetails.Key.replace("manifest.json", "SUCCEEDED_0.jsonl")}`], "1\n2\n3\n");
});

test("the writer calls S3: one PutObject for each file, the manifest last", async () => {
  const asked = [];
  const fields = {
    ToleratedFailureCount: 9,
    ResultWriter: { Resource: PUT, Parameters: { Bucket: "out", Prefix: "p/", ExpectedBucketOwner: "123456789012" } },
  };
  const put = async (request, { purpose, parameters }) => {
    assert.equal(purpose, "ResultWriter");
    assert.deepEqual(parameters, request);
    asked.push(request);
    return { ETag: '"1"' };
  };
  const machine = map(fields, odd);
  const output = await machine.run([1, 2], { ...OPTIONS, tasks: { ...tasks, "s3:putObject": put } });
  assert.deepEqual(
    asked.map((request) => Object.keys(request)),
    Array(3).fill(["Bucket", "ExpectedBucketOwner", "Key", "Body"]),
  );
  const folder = output.ResultWriterDetails.Key.replace("manifest.json", "");
  assert.match(folder, /^p\/[-0-9a-f]{36}\/$/);
  assert.deepEqual(
    asked.map(({ Key }) => Key.replace(folder, "")),
    ["FAILED_0.json", "SUCCEEDED_0.json", "manifest.json"],
  );
  assert.deepEqual(output.ResultWriterDetails, { Bucket: "out", Key: asked[2].Key });

  // An error in between ends the Map; a redrive writes all files again.
  let left = 1;
  const failing = machine.start([1, 2], {
    ...OPTIONS,
    tasks: {
      ...tasks,
      "s3:putObject": () => {
        if (left-- === 0) throw new Error("disk full");
      },
    },
  });
  assert.equal((await failing.result).error, "States.ResultWriterFailed");
  asked.length = 0;
  assert.equal((await machine.redrive(failing, { tasks: { ...tasks, "s3:putObject": put } }).result).status, "SUCCEEDED");
  assert.equal(asked.length, 3);
});

test("a writer that fails, fails the Map", async () => {
  for (const store of [
    { get: () => undefined },
    { get: () => undefined, put: () => Promise.reject(new Error("disk full")) },
    Object.freeze({}),
  ]) {
    const result = await map({ ResultWriter: { Resource: PUT, Parameters: { Bucket: "out" } } }).start([1], {
      ...OPTIONS,
      tasks: s3Handlers(store),
    }).result;
    assert.equal(result.error, "States.ResultWriterFailed");
  }
});

test("tasks read and write the same objects through the SDK", async () => {
  const task = (api, Parameters, Next) => ({
    Type: "Task",
    Resource: `arn:aws:states:::aws-sdk:s3:${api}`,
    Parameters,
    ...(Next ? { Next } : { End: true }),
  });
  const machine = new StateMachine({
    StartAt: "Put",
    States: {
      Put: task("putObject", { Bucket: "b", Key: "k", Body: { n: 1 } }, "List"),
      List: { ...task("listObjectsV2", { Bucket: "b" }, "Get"), ResultPath: "$.list" },
      Get: { ...task("getObject", { Bucket: "b", Key: "k" }), ResultPath: "$.got" },
    },
  });
  const output = await machine.run({}, { ...OPTIONS, tasks: s3Handlers(new Map()) });
  assert.deepEqual([output.got.Body, output.got.ContentLength, output.list.KeyCount, output.list.Contents[0].Size], ['{"n":1}', 7, 1, 7]);
  assert.equal(output.list.Contents[0].ETag, output.got.ETag);
  const missing = new StateMachine({ StartAt: "Get", States: { Get: task("getObject", { Bucket: "b", Key: "__proto__" }) } });
  assert.equal((await missing.start({}, { tasks: s3Handlers({}) }).result).error, "S3.NoSuchKeyException");
});

const root = await mkdtemp(join(tmpdir(), "stepglass-"));
after(() => rm(root, { recursive: true }));

test("a folder serves as a store: its subfolders are the buckets", async () => {
  await mkdir(join(root, "b/p"), { recursive: true });
  await writeFile(join(root, "b/p/1.csv.gz"), gzipSync("n\n1\n"));
  await writeFile(join(root, "b/p/2.csv"), "n\n2\n");
  const fields = {
    ...reader({ Transformation: "LOAD_AND_FLATTEN", ...CSV }, "p/", LIST),
    ResultWriter: {
      Resource: PUT,
      Parameters: { Bucket: "out", Prefix: "deep/er" },
      WriterConfig: { Transformation: "COMPACT", OutputType: "JSON" },
    },
  };
  const { ResultWriterDetails } = await map(fields).run({}, { ...OPTIONS, tasks: s3Handlers(folder(root)) });
  const written = join(root, "out", ResultWriterDetails.Key, "..");
  assert.deepEqual((await readdir(written)).sort(), ["SUCCEEDED_0.json", "manifest.json"]);
  assert.deepEqual(JSON.parse(await readFile(join(written, "SUCCEEDED_0.json"), "utf8")), [{ n: "1" }, { n: "2" }]);
  const listed = await map(reader(undefined, "p/", LIST)).run({}, { ...OPTIONS, tasks: s3Handlers(folder(root)) });
  assert.deepEqual(
    listed.map(({ Key, Size }) => [Key, Size > 3]),
    [
      ["p/1.csv.gz", true],
      ["p/2.csv", true],
    ],
  );
});

test("no bucket and no key can leave the folder", async () => {
  const store = folder(join(root, "b"));
  await writeFile(join(root, "secret"), "x");
  for (const [bucket, key] of [
    ["..", "secret"],
    ["p", "../../secret"],
    [".", "x"],
    ["", "x"],
    ["/", "etc/passwd"],
    ["p", "../../b2/x"],
  ]) {
    await assert.rejects(async () => store.get(bucket, key), RangeError, `${bucket} ${key}`);
    await assert.rejects(async () => store.put(bucket, key, "x"), RangeError, `${bucket} ${key}`);
  }
  assert.equal(await store.get("p", "missing"), undefined);
});

test("a redrive of a Map Run repeats what has not succeeded", async () => {
  const children = [];
  const options = { onChild: ({ input, status, redriveCount }) => children.push([input, status, redriveCount]) };
  const machine = map({ MaxConcurrency: 1 }, odd);
  const failed = machine.start([1, 2, 3], { tasks, ...options });
  assert.equal((await failed.result).error, "States.ExceedToleratedFailureThreshold");
  const redriven = machine.redrive(failed, { tasks: { odd: (n) => n * 100 }, ...options });
  assert.deepEqual(await redriven.result, { status: "SUCCEEDED", output: [10, 200, 300] });
  assert.deepEqual(children, [
    [1, "SUCCEEDED", undefined],
    [2, "FAILED", undefined],
    [2, "SUCCEEDED", 1],
    [3, "SUCCEEDED", undefined],
  ]);
  const runs = redriven.history().filter(({ type }) => type.startsWith("MapRun"));
  assert.deepEqual(
    runs.map(({ type }) => type),
    ["MapRunStarted", "MapRunFailed", "MapRunRedriven", "MapRunSucceeded"],
  );
  const { mapRunArn } = runs[0].mapRunStartedEventDetails;
  assert.deepEqual(runs[2].mapRunRedrivenEventDetails, { mapRunArn, redriveCount: 1 });
});

test("children are reported with their history, and counted while they run", async () => {
  const children = [];
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const execution = map({ ToleratedFailureCount: 9, MaxConcurrency: 2 }, odd).start([1, 2, 3, 4], {
    tasks: {
      odd: async (n) => {
        if (n > 2) await gate;
        return tasks.odd(n);
      },
    },
    onChild: (child, by) => children.push([child, by]),
  });
  await turn();
  await turn();
  const { mapRun } = execution.frames()[0];
  const counts = { pending: 0, running: 2, succeeded: 1, failed: 1, timedOut: 0, aborted: 0, total: 4, pendingRedrive: 0 };
  assert.deepEqual([mapRun.itemCounts, mapRun.executionCounts], [counts, counts]);
  assert.match(mapRun.mapRunArn, /:mapRun:Big\/Run:/);
  release();
  await execution.result;
  assert.deepEqual(
    children.map(([{ input, output, error, status }]) => [input, output ?? error, status]),
    [
      [1, 10, "SUCCEEDED"],
      [2, "Even", "FAILED"],
      [3, 30, "SUCCEEDED"],
      [4, "Even", "FAILED"],
    ],
  );
  assert.ok(children.every(([, by]) => by === execution));
  assert.deepEqual(
    children[0][0].history.map(({ type }) => type),
    ["ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSucceeded", "TaskStateExited", "ExecutionSucceeded"],
  );
  assert.match(children[0][0].arn, /:execution:Big\/Run:[0-9a-f-]{36}$/);
});

test("children that are stopped are reported as aborted", async () => {
  const wait = { Type: "Wait", SecondsPath: "$.s", Next: "F" };
  const machine = (fields) =>
    new StateMachine({
      StartAt: "M",
      States: {
        M: {
          Type: "Map",
          ItemProcessor: {
            ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
            StartAt: "W",
            States: { W: wait, F: { Type: "Fail", Error: "Late" } },
          },
          ...fields,
          End: true,
        },
      },
    });
  for (const [end, expected] of [
    [() => {}, ["FAILED", "ABORTED"]],
    [(execution) => setImmediate(() => execution.abort()), ["ABORTED", "ABORTED"]],
  ]) {
    const told = [];
    const real = end.length > 0;
    const execution = machine({}).start([{ s: 30 }, { s: 60 }], {
      ...OPTIONS,
      clock: real ? "real" : "virtual",
      onChild: (child) => told.push(child),
    });
    end(execution);
    await execution.result;
    assert.deepEqual(
      told.map(({ status }) => status),
      expected,
    );
    assert.equal(told[1].history.at(-1).type, "ExecutionAborted");
  }
});
