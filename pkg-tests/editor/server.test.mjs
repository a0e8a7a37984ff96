// The extension's server: as a process, and as the worker of a web editor, which has no files of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import protocol from "vscode-languageserver-protocol/node";

const { AbstractMessageReader, AbstractMessageWriter, StreamMessageReader, StreamMessageWriter, createProtocolConnection } = protocol;
const dist = resolve(import.meta.dirname, "../../editors/vscode/dist");

const ORDER = JSON.stringify({
  StartAt: "Charge",
  States: {
    Charge: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:Charge", Next: "Done" },
    Done: { Type: "Succeed" },
  },
});
const TESTS = `definition: order.asl.json
tests:
  - name: it is charged
    mocks: { Charge: { return: { amount: 1 } } }
    expect: { path: [Charge, Done] }
  - name: it costs two
    mocks: { Charge: { return: { amount: 1 } } }
    expect:
      output: { amount: 2 }
`;
const TEMPLATE = `Transform: AWS::Serverless-2016-10-31
Resources:
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition:
        StartAt: Charge
        States:
          Charge:
            Type: Task
            Resource: arn:aws:lambda:us-east-1:123456789012:function:Charge
            Next: Done
          Done: { Type: Succeed }
`;
const FILES = { "order.asl.json": ORDER, "order.stepglass.yaml": TESTS };

async function initialized(connection) {
  connection.onRequest("workspace/configuration", ({ items }) => items.map(() => null));
  connection.onRequest("client/registerCapability", () => {});
  connection.listen();
  await connection.sendRequest("initialize", { processId: null, rootUri: null, capabilities: { textDocument: { diagnostic: {} } } });
  await connection.sendNotification("initialized", {});
  return connection;
}

/** Starts the server as a process, with a folder of files. */
async function onDesktop(files) {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-editor-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const child = spawn(process.execPath, [join(dist, "server.js"), "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  after(() => {
    child.kill();
    rmSync(folder, { recursive: true });
  });
  const connection = await initialized(
    createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin)),
  );
  return { connection, uriOf: (name) => pathToFileURL(join(folder, name)).href };
}

/** What a worker has in a browser, in a thread of Node. */
const BROWSER = `
  const { parentPort } = require("node:worker_threads");
  globalThis.self = globalThis;
  globalThis.postMessage = (message) => parentPort.postMessage(message);
  const target = new EventTarget();
  globalThis.addEventListener = target.addEventListener.bind(target);
  globalThis.removeEventListener = target.removeEventListener.bind(target);
  parentPort.on("message", (data) => {
    globalThis.onmessage?.({ data });
    target.dispatchEvent(Object.assign(new Event("message"), { data }));
  });
`;

class FromWorker extends AbstractMessageReader {
  constructor(worker) {
    super();
    this.worker = worker;
  }
  listen(take) {
    this.worker.on("message", take);
    return { dispose() {} };
  }
}

class ToWorker extends AbstractMessageWriter {
  constructor(worker) {
    super();
    this.worker = worker;
  }
  async write(message) {
    this.worker.postMessage(message);
  }
  end() {}
}

/** Starts the server as a worker. It asks for files; \`asked\` are their URIs. */
async function onWeb(files) {
  const worker = new Worker(`${BROWSER}\n${readFileSync(join(dist, "server-worker.js"), "utf8")}`, { eval: true });
  after(() => worker.terminate());
  const ready = new Promise((done) => worker.once("message", done));
  worker.postMessage(new Uint8Array(readFileSync(join(dist, "stepglass.wasm"))));
  assert.equal(await ready, "ready");
  const connection = createProtocolConnection(new FromWorker(worker), new ToWorker(worker));
  const uriOf = (name) => `file:///vscode-test-web%2Bmount/${name}`;
  const asked = [];
  connection.onRequest("stepglass/readFile", ({ uri }) => {
    asked.push(uri);
    return files[uri.split("/").at(-1)] ?? null;
  });
  await initialized(connection);
  return { connection, uriOf, asked };
}

for (const [where, begin] of [
  ["on a desktop", onDesktop],
  ["in a web editor", onWeb],
]) {
  test(`${where}, the tests of a file are listed with their lines`, async () => {
    const { connection, uriOf } = await begin(FILES);
    assert.deepEqual(await connection.sendRequest("stepglass/listTests", { uri: uriOf("order.stepglass.yaml") }), {
      tests: [
        { name: "it is charged", line: 3 },
        { name: "it costs two", line: 6 },
      ],
    });
  });

  test(`${where}, a failed test has its line and both values`, async () => {
    const { connection, uriOf } = await begin(FILES);
    const uri = uriOf("order.stepglass.yaml");
    const all = await connection.sendRequest("stepglass/runTests", { uri, modules: false });
    assert.deepEqual(
      all.tests.map(({ name, status }) => [name, status]),
      [
        ["it is charged", "passed"],
        ["it costs two", "failed"],
      ],
    );
    const [failure] = all.tests[1].failures;
    assert.deepEqual([failure.line, failure.actual, failure.expected], [9, { amount: 1 }, { amount: 2 }]);
    const one = await connection.sendRequest("stepglass/runTests", { uri, names: ["it is charged"], modules: false });
    assert.deepEqual(
      one.tests.map(({ name }) => name),
      ["it is charged"],
    );
  });

  test(`${where}, coverage has the counts and the lines of states`, async () => {
    const { connection, uriOf } = await begin(FILES);
    const given = { uri: uriOf("order.stepglass.yaml"), modules: false };
    const { coverage } = await connection.sendRequest("stepglass/runTests", { ...given, coverage: true });
    assert.equal(coverage.length, 1);
    assert.match(coverage[0].uri, /order\.asl\.json$/);
    const states = coverage[0].places.filter(({ kind }) => kind === "state");
    assert.deepEqual(
      states.map(({ state, count, line }) => [state, count, line]),
      [
        ["Charge", 2, 1],
        ["Done", 2, 1],
      ],
    );
    const again = await connection.sendRequest("stepglass/runTests", { ...given, names: ["it is charged"], coverage: true });
    assert.equal(again.coverage[0].places[0].count, 1);
    assert.equal((await connection.sendRequest("stepglass/runTests", given)).coverage, undefined);
  });

  test(`${where}, a test file whose tasks are in a module is refused unless modules are allowed`, async () => {
    const { connection, uriOf } = await begin({ ...FILES, "tasks.stepglass.yaml": `tasks: tasks.mjs\n${TESTS}` });
    const { problem } = await connection.sendRequest("stepglass/runTests", { uri: uriOf("tasks.stepglass.yaml"), modules: false });
    assert.match(problem, /tasks\.mjs/);
  });

  test(`${where}, a test can be read for the debug adapter`, async () => {
    const { connection, uriOf } = await begin(FILES);
    const found = await connection.sendRequest("stepglass/readTest", { uri: uriOf("order.stepglass.yaml"), name: "it is charged" });
    assert.match(found.definition, /order\.asl\.json$/);
    assert.ok(found.mocks.Charge);
  });

  test(`${where}, the graph of a machine in a template is edited in the template`, async () => {
    const { connection, uriOf } = await begin(FILES);
    const uri = uriOf("template.yaml");
    const text = TEMPLATE;
    await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "yaml", version: 1, text } });
    const [{ id, json }] = await connection.sendRequest("stepglass/definitions", { uri });
    assert.deepEqual([id, JSON.parse(json).StartAt], ["Orders", "Charge"]);
    const start = json.indexOf('"Done"', json.indexOf('"Next"'));
    const edits = [{ start, end: start + 6, text: '"Gift"' }];
    const [edit, ...others] = await connection.sendRequest("stepglass/editDefinition", { uri, id, before: json, edits });
    assert.deepEqual(others, []);
    const { line } = edit.range.start;
    assert.match(text.split("\n")[line], /Next: Done/);
    assert.match(edit.newText, /Gift/);
    assert.equal(await connection.sendRequest("stepglass/editDefinition", { uri, id, before: "{}", edits }), null);
    assert.match(await connection.sendRequest("stepglass/mermaid", { uri, id }), /Charge/);
  });

  test(`${where}, the problems of an open definition are reported`, async () => {
    const { connection, uriOf } = await begin(FILES);
    const uri = uriOf("open.asl.json");
    const text = ORDER.replace('"Next":"Done"', '"Next":"Nowhere"');
    await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "asl", version: 1, text } });
    const { items } = await connection.sendRequest("textDocument/diagnostic", { textDocument: { uri } });
    assert.ok(items.some(({ message }) => message.includes("Nowhere")));
  });
}

test("a web editor is asked for a file once, and again after it has changed", async () => {
  const files = { ...FILES };
  const { connection, uriOf, asked } = await onWeb(files);
  const uri = uriOf("order.stepglass.yaml");
  const list = async () => (await connection.sendRequest("stepglass/listTests", { uri })).tests.length;
  assert.equal(await list(), 2);
  assert.equal(await list(), 2);
  assert.equal(asked.filter((one) => one.endsWith("order.stepglass.yaml")).length, 1);
  files["order.stepglass.yaml"] = TESTS.split("  - name: it costs two")[0];
  await connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [{ uri, type: 2 }] });
  assert.equal(await list(), 1);
});
