// Every example in the types runs in its context, and does what its comments say. docs/api.md shows the examples.
// testing-docs.test.mjs runs those of the test kit.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
// The folder is inside the package, so that `import "stepglass"` resolves as in a user's project.
const folder = join(root, "pkg-tests/.cache/examples-in-types");
const examples = readdirSync(join(root, "js/core/api"))
  .filter((name) => name.endsWith(".d.ts") && name !== "testing.d.ts")
  .flatMap((file) => {
    const text = readFileSync(join(root, "js/core/api", file), "utf8");
    return [...text.matchAll(/@example\n *\* ```(\w+)\n([^]*?)\n *\* ```/g)].map(({ index, 1: language, 2: lines }) => ({
      where: `${file}:${text.slice(0, index).split("\n").length}`,
      language,
      text: lines.replaceAll(/^ *\* ?/gm, ""),
    }));
  });

// The declarations that all examples may use.
const COMMON = `
import assert from "node:assert/strict";
import * as stepglass from "stepglass";
import * as debug from "stepglass/debug";
import { serve } from "stepglass/server";
const machineOf = (name, fields = {}) => ({ StartAt: name, States: { [name]: { Type: "Task", Resource: "arn:aws:lambda:us-east-1:123456789012:function:" + name.toLowerCase(), End: true, ...fields } } });
const sessionOf = async (definition, options) => {
  const session = new debug.DebugSession(definition, options);
  const ended = new Promise((done) => session.on("terminated", done));
  session.continue();
  await ended;
  return session;
};
const charge = () => ({ paid: 42 });
`;

/** For a part of an example: the code before it, and the assertions after it. */
const SURROUNDINGS = {
  "interceptors: [timing]": [
    `import { MemoryStore, Runtime } from "stepglass/durable";
     const store = new MemoryStore(); const machines = { Charge: machineOf("Charge", { Resource: "charge" }) }; const tasks = { charge };
     const said = []; console.log = (text) => said.push(text);`,
    `await runtime.open(); assert.deepEqual(await runtime.run("Charge"), { paid: 42 }); assert.match(said[0], /^Charge: [\\d.]+ ms$/);`,
  ],
  "await runtime.counts(": [
    `import { Runtime } from "stepglass/durable"; const runtime = await new Runtime({ machines: { Charge: machineOf("Charge", { Resource: "charge" }) }, tasks: { charge } }).open(); await runtime.run("Charge");`,
    `assert.deepEqual(lastDay.map(({ status, count }) => [status, count]), [["SUCCEEDED", 1]]); await runtime.close();`,
  ],
  'runtime.list({ attributes: { customer: "c-7"': [
    `import { Runtime } from "stepglass/durable"; const runtime = await new Runtime({ machines: { Charge: machineOf("Charge", { Resource: "charge" }) }, tasks: { charge } }).open();
     const attributes = { customer: "c-7", amount: 120, due: "2026-11-30" }; await runtime.start("Charge", { name: "one", attributes });`,
    `assert.deepEqual(items.map(({ name }) => name), ["one"]); await runtime.close();`,
  ],
  "serveConsole(runtime": [
    `import { Runtime } from "stepglass/durable"; const runtime = await new Runtime({ machines: { Charge: machineOf("Charge", { Resource: "charge" }) }, tasks: { charge } }).open();`,
    `assert.match(board.url, /^http:/); await runtime.close();`,
  ],
  "const retention = [": [
    `import { Runtime } from "stepglass/durable";`,
    `const machines = { Charge: machineOf("Charge", { Resource: "charge" }) };
     const runtime = await new Runtime({ machines, tasks: { charge }, retention }).open(); assert.deepEqual(await runtime.prune(), []);`,
  ],
  "const startLimits = [": [
    `import { Runtime } from "stepglass/durable";`,
    `const machines = { Charge: machineOf("Charge", { Resource: "charge" }) };
     const runtime = await new Runtime({ machines, tasks: { charge }, startLimits }).open();
     assert.deepEqual(await runtime.run("Charge"), { paid: 42 }); await runtime.close();`,
  ],
  "const taskOptions = { Charge: { queue: (": [
    `import { Runtime } from "stepglass/durable";`,
    `const machines = { Charge: machineOf("Charge", { Resource: "charge" }) };
     const runtime = await new Runtime({ machines, versions: { Charge: "2" }, tasks: { charge }, taskOptions }).open();
     runtime.worker({ queue: "eu-2" });
     assert.deepEqual(await runtime.run("Charge", { input: { region: "eu" } }), { paid: 42 }); await runtime.close();`,
  ],
  // pkg-tests/store/transactional.test.mjs runs such handlers.
  'await transaction.query("INSERT INTO booking': "database",
  'database.prepare("INSERT INTO app_booking': "database",
  "const lines = exportExecutions(": [
    `import { MemoryStore } from "stepglass/durable";
     const [sqliteStore, postgresStore] = [new MemoryStore(), new MemoryStore()];
     for (const store of [sqliteStore, postgresStore]) await store.open({ owner: "example" });`,
    `assert.equal(imported, 0);`,
  ],
  // Their stores need a driver; pkg-tests/store and docs/durable.md run them.
  'encoded(sqlite("orders.db"), [gzip()': "database",
  'encoded(sqlite("orders.db"), codecs)': "database",
  'encoded(sqlite("orders.db"), [offloaded(': "database",
  "const execution = await runtime.start(": [
    `import { MemoryStore } from "stepglass/durable";
     const store = new MemoryStore(); const definition = machineOf("Charge", { Resource: "charge" });
     const pay = async (paid, { key }) => ({ paid, by: key.slice(0, 3) });`,
    `assert.deepEqual(await execution.result, { status: "SUCCEEDED", output: { paid: 12, by: "arn" } });`,
  ],
  'from "stepglass/debug";\n\nconst session': [
    `const definition = { StartAt: "Each", States: { Each: { Type: "Map", ItemsPath: "$.orders", ItemProcessor: { StartAt: "Charge", States: machineOf("Charge").States }, End: true } } };
     const said = []; console.log = (...words) => said.push(words);`,
    `while (session.status === "running") await new Promise((done) => setImmediate(done));
     assert.equal(said[0][0], "breakpoint"); assert.match(said[0][1], /Charge/); assert.equal(session.status, "paused");`,
  ],
  "vscode.debug.registerDebugAdapterDescriptorFactory": [
    `const registered = []; const fs = { readFile: async () => new Uint8Array() };
     const vscode = { workspace: { fs }, Uri: { file: String }, DebugAdapterInlineImplementation: class { constructor(adapter) { this.adapter = adapter; } },
       debug: { registerDebugAdapterDescriptorFactory: (...given) => registered.push(given) } };`,
    `const [[type, factory]] = registered; assert.equal(type, "stepglass"); assert.ok(factory.createDebugAdapterDescriptor().adapter.handleMessage);`,
  ],
  "new DebugAdapter({ readFile: (path) => files[path] })": [
    `import { DebugAdapter } from "stepglass/dap"; const files = {}; let answered;
     const answer = new Promise((done) => (answered = done)); const connection = { send: (text) => answered(JSON.parse(text)) };`,
    `connection.onmessage({ data: JSON.stringify({ seq: 1, type: "request", command: "initialize", arguments: {} }) });
     assert.equal((await answer).body.supportsStepBack, true);`,
  ],
  'textProgram("template.yaml", text, { id: "OrderMachine" })': [
    `import { textProgram } from "stepglass/dap"; const Definition = machineOf("Charge");
     const text = JSON.stringify({ Resources: { OrderMachine: { Type: "AWS::StepFunctions::StateMachine", Properties: { Definition } } } }, null, 2);`,
    `assert.equal(program.name, "OrderMachine"); assert.match(text.split("\\n")[program.range("/States/Charge").start.line - 1], /Charge/);`,
  ],
  "= policyOf(definition": [
    `const definition = machineOf("Charge"); const said = []; console.log = (...words) => said.push(words.join(" "));`,
    `assert.match(said[0], /lambda:InvokeFunction/); assert.equal(said.length, 1);`,
  ],
  "(await completeIntegrations(text, offset))": [
    `const text = '{"States":{"A":{"Type":"Task","Resource":"'; const offset = text.length;`,
    `assert.equal(items[0].label, "arn:aws:states:::lambda:invoke"); assert.equal(replace.start, offset);`,
  ],
  "= findServiceModels();": [
    `const definition = { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", End: true }; const roleArn = "arn:aws:iam::123456789012:role/r"; console.log = () => {};`,
    ``,
  ],
  'await searchIntegrations("sqs send")': [
    ``,
    `assert.equal(send.resource, "arn:aws:states:::sqs:sendMessage"); assert.equal(send.parameters[1].name, "QueueUrl");`,
  ],
  "withServiceSigns(renderSvg(definition))": [
    `const definition = { StartAt: "A", States: { A: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", End: true } } };`,
    `assert.notEqual(svg, renderSvg(definition));`,
  ],
  'from "stepglass/yaml"': [
    ``,
    `assert.equal(language.apply(text, edited.edits), "StartAt: Begin\\nStates:\\n  Begin: # the only one\\n    Type: Pass\\n    End: true\\n");`,
  ],
  "const mocks = {": [
    ``,
    `const definition = { StartAt: "Charge", States: { Charge: { ...machineOf("Charge").States.Charge, Retry: [{ ErrorEquals: ["Busy"] }] } } };
     assert.deepEqual((await sessionOf(definition, { mocks })).outcome.output, { paid: true });`,
  ],
  "in ${execution.machine}": [
    `const { DebugSession } = debug; const said = []; console.log = (...words) => said.push(words);
     const payment = machineOf("Charge"); const order = machineOf("Pay", { Resource: "arn:aws:states:::states:startExecution.sync:2", Parameters: { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Payment", Input: {} } });`,
    `session.continue(); while (said.length === 0) await new Promise((done) => setImmediate(done));
     assert.match(said[0][0], /^in Payment, /); assert.equal(said[0][1][0].state, "Charge");`,
  ],
  "new JsonText(": [
    `const { JsonText, StateMachine } = stepglass; const machine = new StateMachine({ StartAt: "A", States: { A: { Type: "Pass", End: true } } });
     const said = []; console.log = (word) => said.push(word);`,
    `assert.deepEqual(said, ['{"orderId":12345678901234567890}']);`,
  ],
  "session.calls();": [
    `const session = await sessionOf(machineOf("Charge"), { tasks: { charge } });`,
    `assert.deepEqual(session.calls(), [{ state: "Charge", iterations: [], attempt: 0, resource: "arn:aws:lambda:us-east-1:123456789012:function:charge", after: 0, output: { paid: 42 } }]);`,
  ],
  "session.coverage();": [
    `const session = await sessionOf({ StartAt: "Enough", States: { Enough: { Type: "Choice", Choices: [{ Variable: "$", IsPresent: true, Next: "Ship" }] }, Ship: { Type: "Pass", Next: "Done" }, Done: { Type: "Succeed" } } }, {});`,
    `const counts = session.coverage(); for (const pointer of ["/States/Ship", "/States/Ship/Next", "/States/Enough/Choices/0"]) assert.equal(counts[pointer], 1);`,
  ],
  "mockFor({": [
    `const { mockFor } = debug;`,
    `assert.equal(mockFor({ "lambda:*": { mode: "echo" } }, { state: "Charge", resource: "arn:aws:states:::lambda:invoke" }), "lambda:*");`,
  ],
  "localStorage.session": [
    `const { restoreSession, saveSession } = debug; const localStorage = {}; const breakpoints = []; const session = await sessionOf(machineOf("Charge"), { tasks: { charge } });`,
    `assert.deepEqual(later.outcome.output, { paid: 42 });`,
  ],
  "places.filter": [
    `const { measureCoverage } = debug; const definition = machineOf("Charge", { Retry: [{ ErrorEquals: ["Busy"] }] }); const session = await sessionOf(definition, { tasks: { charge } });`,
    `assert.ok(percent > 0 && percent < 100); assert.equal(never.length, 1); assert.match(never[0], /^Charge: /);`,
  ],
  "exampleInput(definition)": [
    `const { exampleInput } = debug; const definition = { StartAt: "A", States: { A: { Type: "Pass", Parameters: { "id.$": "$.order.id", "total.$": "States.MathAdd($.order.total, 1)", "items.$": "$.items" }, Next: "M" }, M: { Type: "Map", ItemsPath: "$.items", ItemProcessor: { StartAt: "P", States: { P: { Type: "Pass", InputPath: "$.sku", End: true } } }, End: true } } };`,
    `assert.deepEqual(exampleInput(definition), { order: { id: "id", total: 1 }, items: [{ sku: "sku" }] });`,
  ],
  "exampleResults(definition)": [
    `const { exampleResults } = debug;
     const definition = { StartAt: "GetJob", States: {
       GetJob: { ...machineOf("GetJob").States.GetJob, End: undefined, ResultPath: "$.job", Next: "Done?" },
       "Done?": { Type: "Choice", Choices: [{ Variable: "$.job.status", StringEquals: "SUCCEEDED", Next: "Price" }], Default: "GetJob" },
       Price: { ...machineOf("Price").States.Price, ResultSelector: { "a.$": "States.MathAdd($.amount, 1)", "c.$": "$.currency" } } } };`,
    `assert.deepEqual(exampleResults(definition), { GetJob: { status: "SUCCEEDED" }, Price: { amount: 1, currency: "currency" } });`,
  ],
  "= await createPool({": [
    `import { writeFileSync } from "node:fs"; import { fileURLToPath } from "node:url";
     writeFileSync(fileURLToPath(new URL("./handlers.js", import.meta.url)), "export const charge = ({ order }) => ({ paid: order });");
     const definition = machineOf("Charge");`,
    `assert.deepEqual(output, { paid: 17 });`,
  ],
  "machine.each(orders)": [
    `import { createPool } from "stepglass/pool"; const pool = await createPool({ threads: 1 }); const said = []; console.log = (word) => said.push(word);
     const machine = pool.machine({ StartAt: "P", States: { P: { Type: "Pass", End: true } } }); const orders = [1, 2];`,
    `assert.deepEqual(said, ["SUCCEEDED", "SUCCEEDED"]); await pool.close();`,
  ],
  "await element.attach": "browser",
  'indexedDB("orders");': "browser",
  "() => new pg.Client(": "database",
  "new RestateClient(": "database",
  "<stepglass-debugger": "browser",
  'folder("./data")': [
    `import { mkdirSync, writeFileSync } from "node:fs"; mkdirSync("data/in", { recursive: true }); writeFileSync("data/in/orders.json", "[1, 2]");
     const machine = new stepglass.StateMachine({ StartAt: "M", States: { M: { Type: "Map", ItemReader: { Resource: "arn:aws:states:::s3:getObject", ReaderConfig: { InputType: "JSON" }, Parameters: { Bucket: "in", Key: "orders.json" } }, ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, StartAt: "P", States: { P: { Type: "Pass", End: true } } }, End: true } } });`,
    ``,
  ],
  "readDefinition(": [
    `import { writeFileSync } from "node:fs"; writeFileSync("order.asl.yaml", "StartAt: Charge\\nStates:\\n  Charge: { Type: Wait, Seconds: \${Timeout}, End: true }");`,
    `assert.equal(name, "order"); assert.equal(machine.name, "order"); assert.equal(JSON.parse(definition).States.Charge.Seconds, 30);`,
  ],
  "parseYaml(": [``, `assert.deepEqual(await machine.run({ id: 7 }), { id: 7 });`],
  "// 3": [``, `assert.equal(sum, 3);`],
  "of validate(text)": [
    `const { validate } = stepglass; const said = []; console.log = (line) => said.push(line); const text = '{"StartAt": "A", "States": {"A": {"Type": "Pass"}}}';`,
    `assert.match(said[0], /^1:\\d+ error\\[[\\w-]+\\]: /);`,
  ],
  "task.sleep(90_000)": [
    ``,
    `const outcome = await new stepglass.StateMachine(machineOf("Charge", { TimeoutSeconds: 60 })).start({}, { tasks, clock: "virtual" }).result; assert.equal(outcome.error, "States.Timeout");`,
  ],
  "idempotencyKey: task.idempotencyKey": [
    `const keys = new Set(); const payments = { charge: async (order, { idempotencyKey }) => { if (keys.size > 0) return { keys: keys.add(idempotencyKey).size }; keys.add(idempotencyKey); throw new Error("lost"); } };`,
    `const outcome = await new stepglass.StateMachine(machineOf("Charge", { Retry: [{ ErrorEquals: ["States.ALL"] }] })).start({}, { tasks, clock: "virtual" }).result; assert.deepEqual(outcome.output, { keys: 1 });`,
  ],
  "new Activity()": [
    `const { Activity } = stepglass; const machine = new stepglass.StateMachine(machineOf("Review", { Resource: "arn:aws:states:us-east-1:123456789012:activity:review" }));`,
    `assert.deepEqual((await execution.result).output, { page: 1, ok: true });`,
  ],
  "const objects = {": [
    `const { s3Handlers } = stepglass;
     const machine = new stepglass.StateMachine({ StartAt: "M", States: { M: { Type: "Map", ItemReader: { Resource: "arn:aws:states:::s3:getObject", ReaderConfig: { InputType: "CSV", CSVHeaderLocation: "FIRST_ROW" }, Parameters: { Bucket: "in", Key: "orders.csv" } }, ItemProcessor: { ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" }, StartAt: "Charge", States: machineOf("Charge").States }, ResultWriter: { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "out" } }, End: true } } });`,
    `const names = Object.keys(objects); assert.ok(names.some((name) => /^out\\/.*\\/manifest\\.json$/.test(name)) && names.some((name) => /^out\\/.*\\/SUCCEEDED_0\\.json$/.test(name)), names.join());`,
  ],
  "throw new TaskError": [
    `const { TaskError } = stepglass; const outcome = await new stepglass.StateMachine(machineOf("Charge")).start({}, { tasks: { charge() {`,
    `} } }).result; assert.deepEqual([outcome.error, outcome.cause], ["Payment.Declined", "insufficient funds"]);`,
  ],
  "for await (const event of execution)": [
    `const said = []; console.log = (line) => said.push(line); const machine = new stepglass.StateMachine(machineOf("Charge")); const tasks = { charge };`,
    `assert.equal(said[0], "ExecutionStarted"); assert.deepEqual(said.at(-1), { paid: 42 });`,
  ],
  "const report = simulate(": [
    `const { simulate } = stepglass; const definition = machineOf("Charge", { Retry: [{ ErrorEquals: ["Busy"] }] });`,
    ``,
  ],
  "replayHistory(definition, events)": [
    `import { readFile, writeFile } from "node:fs/promises"; const { replayHistory } = stepglass; const definition = machineOf("Charge");
     const execution = new stepglass.StateMachine(definition).start({}, { tasks: { charge } }); await execution.result; await writeFile("history.json", JSON.stringify({ events: execution.history() }));`,
    `assert.equal(matches, true);`,
  ],
  'from "stepglass/asl-validator"': [
    `const said = []; console.log = (...words) => said.push(words);`,
    `assert.equal(said[0][0], false); assert.match(said[0][1], /^MISSING_TRANSITION_TARGET: there is no state .B. here/);`,
  ],
  "compare(deployed, changed)": [
    `const { compare } = stepglass; const deployed = machineOf("Charge"); const changed = machineOf("Charge", { TimeoutSeconds: 60 });`,
    `assert.equal(compatible, true);`,
  ],
  '...awsTasks({ endpoint: "http://localhost:4566"': [
    `const definition = machineOf("ChargeCard");`,
    `assert.deepEqual(output, { paid: true });`,
  ],
  "awsCalls(definition, awsTasks(": [
    `const { awsCalls, awsTasks } = await import("stepglass/aws"); const definition = machineOf("Send", { Resource: "arn:aws:states:::sqs:sendMessage" });
     const told =`,
    `const [{ state, call }] = await told; assert.deepEqual([state, call], ["Send", "sqs:sendMessage"]);`,
  ],
  'const store = sqlite("orders.db")': [``, `assert.equal(store.durable, true);`],
  'import Database from "libsql"': [``, `await assert.rejects(store.open({ owner: "example" }), /libsql was asked for orders.db/);`],
  "hostTests({ name:": "host",
  "await server.close()": [
    `const credentials = {}; class SFNClient { constructor({ endpoint }) { assert.match(endpoint, /^http:/); } }`,
    ``,
  ],
};

before(() => {
  // The driver is installed for the tests of stores only. pkg-tests/packed/documentation.test.mjs runs the example with it.
  const driver = join(folder, "node_modules/libsql");
  mkdirSync(driver, { recursive: true });
  writeFileSync(
    join(driver, "index.js"),
    "module.exports = class { constructor(path) { throw new Error(`libsql was asked for ${path}`); } };",
  );
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("there is a context for each example, and an example for each context", () => {
  assert.ok(examples.length >= 20);
  for (const { where, text } of examples)
    assert.equal(Object.keys(SURROUNDINGS).filter((part) => text.includes(part)).length, 1, `${where}\n${text}`);
  for (const part of Object.keys(SURROUNDINGS)) assert.equal(examples.filter(({ text }) => text.includes(part)).length, 1, part);
});

for (const { where, language, text } of examples) {
  const surroundings = Object.entries(SURROUNDINGS).find(([part]) => text.includes(part))?.[1];
  // These run elsewhere: pkg-tests/packed/component.test.mjs has a page for the element, pkg-tests/store and pkg-tests/restate have
  // servers, and pkg-tests/hosts has hosts.
  if (["browser", "database", "host"].includes(surroundings)) continue;
  test(`${where} runs`, async () => {
    assert.equal(language, "js");
    const [given, then] = surroundings;
    // An example's own import replaces the common one.
    const imported = /import \{ serve \}/.test(text) ? COMMON.replace(/^import \{ serve .*$/m, "") : COMMON;
    const file = join(folder, `${where.replaceAll(/\W/g, "-")}.mjs`);
    writeFileSync(file, `${imported}\n${given}\n${text}\n${then}\nprocess.exit(0);\n`);
    const { NODE_TEST_CONTEXT, ...env } = process.env;
    const child = spawn(process.execPath, [file], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (data) => (output += data));
    assert.equal(await new Promise((done) => child.on("close", done)), 0, `${text}\n${output}`);
  });
}
