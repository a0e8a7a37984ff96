// Load for a server of the Step Functions API, from a process of its own:
//
//   node benches/server-load.mjs '{"url": "http://127.0.0.1:8083", "total": 5000, "inFlight": 500, "wait": 0}'
//
// Registers a machine of 20 states, keeps up to `inFlight` executions under way, which `starters` callers start, until
// `total` have been started, and waits until all have ended. Prints one line of JSON: how long it took, how long
// StartExecution took, and what has become of each.
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";

const { url, total, inFlight, wait = 0, patience = 300_000, poll = 50, starters = 16, machine = "Load" } = JSON.parse(process.argv[2]);
const { hostname, port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

function call(operation, input) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(input);
    const headers = {
      "content-type": "application/x-amz-json-1.0",
      "content-length": Buffer.byteLength(body),
      "x-amz-target": `AWSStepFunctions.${operation}`,
      authorization: "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/states/aws4_request, SignedHeaders=host, Signature=any",
    };
    const sent = request({ hostname, port, method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (data) => (text += data));
      response.on("end", () => {
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${operation}: ${response.statusCode} ${text.slice(0, 500)}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Twenty states: what most machines do, without a task, whose cost would be the handler's. */
function definition() {
  const States = {};
  for (let i = 0; i < 18; i++) {
    const Next = `S${i + 1}`;
    if (i % 6 === 5)
      States[`S${i}`] = { Type: "Choice", Choices: [{ Variable: "$.n", NumericGreaterThanEquals: 0, Next }], Default: "S19" };
    else if (i % 6 === 2)
      States[`S${i}`] = { Type: "Pass", Parameters: { "n.$": "$.n", "name.$": "States.Format('order-{}', $.n)" }, Next };
    else States[`S${i}`] = { Type: "Pass", Result: { step: i }, ResultPath: "$.last", Next };
  }
  States.S18 = { Type: "Wait", Seconds: wait, Next: "S19" };
  States.S19 = { Type: "Pass", End: true };
  return JSON.stringify({ StartAt: "S0", States });
}

const { stateMachineArn } = await call("CreateStateMachine", {
  name: machine,
  definition: definition(),
  roleArn: "arn:aws:iam::123456789012:role/any",
});
const latencies = [];
const open = new Map();
let started = 0;
let most = 0;
const began = performance.now();
const giveUp = began + patience;

async function startOne() {
  const n = started++;
  const from = performance.now();
  const { executionArn } = await call("StartExecution", { stateMachineArn, name: `e${n}`, input: JSON.stringify({ n }) });
  latencies.push(performance.now() - from);
  open.set(executionArn, n);
}

async function running() {
  const arns = new Set();
  for (let nextToken; ;) {
    const page = await call("ListExecutions", {
      stateMachineArn,
      statusFilter: "RUNNING",
      maxResults: 1000,
      ...(nextToken && { nextToken }),
    });
    for (const { executionArn } of page.executions) arns.add(executionArn);
    if (!page.nextToken) return arns;
    ({ nextToken } = page);
  }
}

while ((started < total || open.size > 0) && performance.now() < giveUp) {
  // What was started before the list was asked for and is not in it has ended.
  const asked = [...open.keys()];
  const still = await running();
  most = Math.max(most, still.size);
  for (const arn of asked) if (!still.has(arn)) open.delete(arn);
  let due = Math.min(total - started, inFlight - open.size);
  const idle = due === 0;
  const starter = async () => {
    while (due-- > 0) await startOne();
  };
  await Promise.all(Array.from({ length: starters }, starter));
  if (idle) await new Promise((resolve) => setTimeout(resolve, poll));
}
const seconds = (performance.now() - began) / 1000;

// What has become of each.
const statuses = {};
let seen = 0;
for (let nextToken; ;) {
  const page = await call("ListExecutions", { stateMachineArn, maxResults: 1000, ...(nextToken && { nextToken }) });
  for (const { status } of page.executions) statuses[status] = (statuses[status] ?? 0) + 1;
  seen += page.executions.length;
  if (!page.nextToken) break;
  ({ nextToken } = page);
}
let wrong = 0;
for (let n = 0; n < started; n += Math.ceil(started / 100)) {
  const { output } = await call("DescribeExecution", { executionArn: `${stateMachineArn.replace(":stateMachine:", ":execution:")}:e${n}` });
  if (JSON.parse(output ?? "null")?.name !== `order-${n}`) wrong += 1;
}
agent.destroy();
latencies.sort((a, b) => a - b);
const at = (share) => Number((latencies[Math.min(Math.floor(latencies.length * share), latencies.length - 1)] ?? 0).toFixed(1));
console.log(
  JSON.stringify({
    started,
    seen,
    statuses,
    stuck: open.size,
    wrong,
    mostRunning: most,
    seconds: Number(seconds.toFixed(2)),
    perSecond: Number((started / seconds).toFixed(1)),
    start: { p50: at(0.5), p99: at(0.99), max: at(1) },
  }),
);
