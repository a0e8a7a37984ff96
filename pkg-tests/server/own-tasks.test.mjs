// Stepglass's built-in tasks at the endpoint: signals, exposed state, cancellation and continue-as-new.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "../../dist/server.js";
import { eventually, machine, role, start } from "./endpoint.mjs";

const urn = (name, parameters, more = { End: true }) => ({
  Type: "Task",
  Resource: `urn:stepglass:${name}`,
  Parameters: parameters,
  ...more,
});
const server = await start({ tasks: { keep: (input) => input } });

let count = 0;
async function create(states, more = {}) {
  const about = { name: `M${count++}`, definition: machine(states), roleArn: role, ...more };
  return (await server.call("CreateStateMachine", about)).stateMachineArn;
}

const begin = async (stateMachineArn, more = {}) => (await server.call("StartExecution", { stateMachineArn, ...more })).executionArn;
const describe = (executionArn) => server.call("DescribeExecution", { executionArn });
const ended = (executionArn) =>
  eventually(async () => {
    const about = await describe(executionArn);
    return about.status === "RUNNING" ? undefined : about;
  });

const api = (arn) => `${server.url}/debugger/api/executions/${encodeURIComponent(arn)}`;
const document = async (arn) => (await fetch(api(arn))).json();

async function post(arn, action, body, headers = { "content-type": "application/json" }) {
  const response = await fetch(`${api(arn)}/${action}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, ...(await response.json()) };
}

const waits = await create({
  Wait: urn("waitForSignal", { Name: "approved" }, { Next: "Again" }),
  Again: urn("waitForSignal", { "Name.$": "$.next" }),
});

test("signals are buffered until a state waits for them, and a repeated id is ignored", async () => {
  const arn = await begin(waits);
  await eventually(async () => (await document(arn)).signals.waiting[0] === "approved");
  await server.signal(arn, "shipped", { n: 1 }, { id: "a" });
  await server.signal(arn, "shipped", { n: 2 }, { id: "a" });
  assert.deepEqual((await document(arn)).signals, { waiting: ["approved"], buffered: { shipped: 1 } });
  assert.deepEqual(await post(arn, "signal", { name: "approved", payload: '{"next": "shipped", "big": 12345678901234567890}' }), {
    status: 200,
  });
  const { status, output } = await ended(arn);
  assert.deepEqual([status, output], ["SUCCEEDED", '{"n":1}']);
  const { events } = await server.call("GetExecutionHistory", { executionArn: arn });
  const entered = events.find(
    ({ type, stateEnteredEventDetails }) => type === "TaskStateEntered" && stateEnteredEventDetails.name === "Again",
  );
  assert.match(entered.stateEnteredEventDetails.input, /12345678901234567890/);
});

test("signals and actions that are invalid or not allowed are refused with an error", async () => {
  const arn = await begin(waits);
  await assert.rejects(server.signal(`${arn}x`, "approved"), { type: "ExecutionDoesNotExist" });
  await assert.rejects(server.signal(arn, ""), { type: "ValidationException" });
  assert.deepEqual(await post(arn, "signal", { payload: "1" }), {
    status: 400,
    __type: "ValidationException",
    message: "A signal needs a name",
  });
  const bad = await post(arn, "signal", { name: "approved", payload: "{" });
  assert.deepEqual([bad.status, bad.message], [400, "The payload of a signal must be JSON"]);
  assert.equal((await post(arn, "signal", { name: "approved" }, { "content-type": "text/plain" })).status, 415);
  assert.equal((await post(`${arn}x`, "signal", { name: "approved" })).status, 404);
  assert.equal((await post(arn, "explode", {})).status, 404);
  const foreign = await post(arn, "stop", {}, { "content-type": "application/json", origin: "https://evil.example" });
  assert.equal(foreign.status, 403);
  assert.deepEqual(await post(arn, "stop", { error: "Enough", cause: "of it" }), { status: 200 });
  const about = await describe(arn);
  assert.deepEqual([about.status, about.error, about.cause], ["ABORTED", "Enough", "of it"]);
  await assert.rejects(server.signal(arn, "approved"), { type: "ExecutionNotRunning" });
  assert.equal((await post(arn, "stop", {})).__type, "ExecutionNotRunning");
  const { redriveDate } = await post(arn, "redrive", {});
  assert.equal(typeof redriveDate, "number");
  assert.equal((await describe(arn)).status, "RUNNING");
  assert.equal((await post(arn, "redrive", {})).__type, "ExecutionNotRedrivable");
});

test("executions signal and cancel each other, and expose a state", async () => {
  const waiting = await begin(
    await create({
      Show: urn("setState", { Value: { step: "waits" } }, { Next: "Wait", ResultPath: null }),
      Wait: urn("waitForSignal", { Name: "go" }, { Catch: [{ ErrorEquals: ["Stepglass.Cancelled"], Next: "Tidy" }], End: true }),
      Tidy: { Type: "Pass", Result: "tidied", End: true },
    }),
  );
  await eventually(async () => (await document(waiting)).signals.waiting[0] === "go");
  const other = await begin(
    await create({
      Signal: urn("signalExecution", { "ExecutionArn.$": "$.arn", Name: "other", Payload: { n: 3 } }, { ResultPath: null, Next: "Cancel" }),
      Cancel: urn("cancelExecution", { "ExecutionArn.$": "$.arn", Details: "enough" }),
    }),
    { input: JSON.stringify({ arn: waiting }) },
  );
  assert.equal((await ended(other)).status, "SUCCEEDED");
  const about = await ended(waiting);
  assert.deepEqual([about.status, about.output], ["SUCCEEDED", '"tidied"']);
  const { state } = await document(waiting);
  assert.equal(state, '{"step":"waits"}');
});

test("an execution continues as a new one", async () => {
  for (const type of ["STANDARD", "EXPRESS"]) {
    const stateMachineArn = await create(
      {
        More: { Type: "Choice", Choices: [{ Variable: "$.n", NumericLessThan: 3, Next: "Next" }], Default: "Done" },
        Next: { Type: "Pass", Parameters: { "n.$": "States.MathAdd($.n, 1)" }, Next: "Continue" },
        Continue: urn("continueAsNew", { "Input.$": "$" }),
        Done: { Type: "Succeed" },
      },
      { type },
    );
    const first = await begin(stateMachineArn, { name: "loop", input: '{"n":1}' });
    const runs = await eventually(async () => {
      const { executions } = await (await fetch(`${server.url}/debugger/api/executions?stateMachineArn=${stateMachineArn}`)).json();
      return executions.length === 3 && executions.every(({ status }) => status === "SUCCEEDED") && executions;
    });
    assert.deepEqual(
      runs.map(({ name }) => name),
      ["loop.3", "loop.2", "loop"],
    );
    assert.equal(runs[2].executionArn, first);
  }
});

test("a cancelled execution runs its clean-up", async () => {
  const arn = await begin(
    await create({
      Wait: {
        Type: "Task",
        Resource: "urn:stepglass:waitForSignal",
        Parameters: { Name: "go" },
        Catch: [{ ErrorEquals: ["Stepglass.Cancelled"], Next: "Tidy" }],
        End: true,
      },
      Tidy: { Type: "Pass", Parameters: { "why.$": "$.Cause" }, End: true },
    }),
  );
  await eventually(async () => (await document(arn)).signals.waiting.length === 1);
  assert.deepEqual(await post(arn, "cancel", { cause: "too late" }), { status: 200 });
  const { status, output } = await ended(arn);
  assert.deepEqual([status, output], ["SUCCEEDED", '{"why":"too late"}']);
  assert.equal((await post(arn, "cancel", {})).__type, "ExecutionNotRunning");
});

test("a suspended execution reports why, and continues when it is resumed", async () => {
  class Forgetful extends MemoryStore {
    durable = true;
    lost = false;
    async getDefinition(hash) {
      return this.lost ? undefined : super.getDefinition(hash);
    }
  }
  const store = new Forgetful();
  const log = [];
  const other = await start({ store, limits: { resident: 0 }, log: (level, line) => log.push(line) });
  const { stateMachineArn } = await other.call("CreateStateMachine", {
    name: "M",
    definition: machine({ Wait: urn("waitForSignal", { Name: "go" }) }),
    roleArn: role,
  });
  const { executionArn } = await other.call("StartExecution", { stateMachineArn });
  const address = `${other.url}/debugger/api/executions/${encodeURIComponent(executionArn)}`;
  const act = async (action, body = {}) => {
    const response = await fetch(`${address}/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, ...(await response.json()) };
  };
  store.lost = true;
  // The signal makes the server load the execution, which fails.
  await eventually(async () => (await act("signal", { name: "other" })).__type === "ExecutionNotRunning");
  const { suspended } = await (await fetch(address)).json();
  assert.match(suspended, /the definition of .* is not in the store/);
  assert.match(log.join("\n"), /is suspended because it cannot continue/);
  assert.match(await (await fetch(`${other.url}/debugger/executions/${encodeURIComponent(executionArn)}`)).text(), /Try again<\/button>/);
  const again = await act("resume");
  assert.deepEqual([again.status, again.__type], [400, "ExecutionSuspended"]);
  store.lost = false;
  assert.deepEqual(await act("resume"), { status: 200 });
  assert.deepEqual(await act("signal", { name: "go", payload: "7" }), { status: 200 });
  await eventually(async () => (await other.call("DescribeExecution", { executionArn })).output === "7");
});

test("the error of an unknown built-in task names those that exist", async () => {
  const { error, cause } = await ended(await begin(await create({ T: urn("explode", {}) })));
  assert.equal(error, "States.TaskFailed");
  assert.match(cause, /Stepglass has no task "urn:stepglass:explode"; it has: .*urn:stepglass:waitForSignal/);
});

test("the list of executions can be filtered", async () => {
  const stateMachineArn = await create({ P: { Type: "Pass", End: true } });
  for (const name of ["red-1", "red-2", "blue-1"]) await ended(await begin(stateMachineArn, { name }));
  const list = async (query) =>
    (await (await fetch(`${server.url}/debugger/api/executions?${query}`)).json()).executions.map(({ name }) => name);
  assert.deepEqual(await list(`stateMachineArn=${stateMachineArn}&name=red`), ["red-2", "red-1"]);
  assert.deepEqual(await list(`stateMachineArn=${stateMachineArn}&status=SUCCEEDED&limit=1`), ["blue-1"]);
  assert.deepEqual(await list(`stateMachineArn=${stateMachineArn}&status=FAILED`), []);
  assert.deepEqual(await list(`stateMachineArn=${stateMachineArn}&name=none`), []);
  // The page is the same for every filter, which its script reads.
  const page = await (await fetch(`${server.url}/debugger/?name=%22%3E%3Cscript%3Ealert`)).text();
  assert.doesNotMatch(page, /<script>alert/);
});
