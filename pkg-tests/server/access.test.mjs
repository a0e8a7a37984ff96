// Access to a server: signatures of the AWS SDK, tokens, rights, prefixes and the audit log.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as sfn from "@aws-sdk/client-sfn";
import { serve } from "../../dist/server.js";
import { machine, region, role, start } from "./endpoint.mjs";

const admin = { name: "admin", accessKeyId: "AKADMIN", secretAccessKey: "admin-secret", token: "admin-token-0123456789" };
const reader = { name: "reader", accessKeyId: "AKREAD", secretAccessKey: "read-secret", token: "reader-token-0123456789", rights: "read" };
const orders = {
  name: "orders",
  accessKeyId: "AKORDERS",
  secretAccessKey: "orders-secret",
  token: "orders-token-0123456789",
  prefix: "orders-",
};
const keys = [admin, reader, orders];
const definition = machine({ Wait: { Type: "Wait", Seconds: 3600, End: true } });

/** Returns a function that sends operations with a key through the SDK. */
function sender(server, { accessKeyId, secretAccessKey }, more = {}) {
  const credentials = { accessKeyId, secretAccessKey };
  const client = new sfn.SFNClient({ endpoint: server.url, region, credentials, disableHostPrefix: true, maxAttempts: 1, ...more });
  return (name, input = {}) => client.send(new sfn[`${name}Command`](input));
}

const create = (name) => ["CreateStateMachine", { name, definition, roleArn: role }];

test("the SDK works with the right key, and not with a wrong secret, an unknown key or none", async () => {
  const server = await start({ access: { keys } });
  const { stateMachineArn } = await sender(server, admin)(...create("orders-a"));
  const { executionArn } = await sender(server, admin)("StartExecution", { stateMachineArn, input: '{"text": "ä & ? €"}' });
  assert.equal((await sender(server, reader)("DescribeExecution", { executionArn })).status, "RUNNING");
  await assert.rejects(sender(server, { ...admin, secretAccessKey: "wrong" })("ListStateMachines"), { name: "InvalidSignatureException" });
  await assert.rejects(sender(server, { ...admin, accessKeyId: "AKNOBODY" })("ListStateMachines"), { name: "UnrecognizedClientException" });
  const unsigned = await fetch(server.url, {
    method: "POST",
    headers: { "x-amz-target": "AWSStepFunctions.ListStateMachines" },
    body: "{}",
  });
  assert.equal(unsigned.status, 401);
  assert.equal((await unsigned.json()).__type, "MissingAuthenticationTokenException");
});

test("a signature counts only now, for its operation and for its body", async () => {
  const server = await start({ access: { keys } });
  const late = sender(server, admin, { systemClockOffset: -10 * 60_000 });
  await assert.rejects(late("ListStateMachines"), { name: "InvalidSignatureException", message: /expired/ });
  // A request is caught on its way and sent again in other forms.
  let caught;
  const requestHandler = {
    handle: async (request) => {
      caught = request;
      throw new Error("caught");
    },
  };
  await assert.rejects(sender(server, admin, { requestHandler })("ListStateMachines"), /caught/);
  const again = async (headers, body) => {
    const { "content-length": _, ...signed } = caught.headers;
    const answer = await fetch(server.url, { method: "POST", headers: { ...signed, ...headers }, body });
    return (await answer.json()).__type ?? answer.status;
  };
  assert.equal(await again({}, caught.body), 200);
  assert.equal(await again({ "x-amz-target": "AWSStepFunctions.ListActivities" }, caught.body), "InvalidSignatureException");
  assert.equal(await again({}, '{"maxResults": 1}'), "InvalidSignatureException");
  const { authorization } = caught.headers;
  assert.equal(
    await again({ authorization: authorization.replace("x-amz-target;", "").replace(";x-amz-target", "") }, caught.body),
    "InvalidSignatureException",
  );
  assert.equal(
    await again({ authorization: authorization.replace(/Signature=\w+/, "Signature=00") }, caught.body),
    "IncompleteSignatureException",
  );
});

test("a key that only reads changes nothing", async () => {
  const server = await start({ access: { keys } });
  const { stateMachineArn } = await sender(server, admin)(...create("orders-a"));
  const read = sender(server, reader);
  assert.equal((await read("ListStateMachines")).stateMachines.length, 1);
  await read("DescribeStateMachine", { stateMachineArn });
  for (const [name, input] of [create("other"), ["StartExecution", { stateMachineArn }], ["DeleteStateMachine", { stateMachineArn }]])
    await assert.rejects(read(name, input), { name: "AccessDeniedException" }, name);
  await assert.rejects(read("TestState", { definition: '{"Type":"Pass","End":true}', roleArn: role }), { name: "AccessDeniedException" });
});

test("a key with a prefix sees and changes only what begins with it", async () => {
  const server = await start({ access: { keys } });
  const all = sender(server, admin);
  const own = sender(server, orders);
  const { stateMachineArn: foreign } = await all(...create("billing"));
  const { stateMachineArn: mine } = await own(...create("orders-a"));
  assert.deepEqual(
    (await own("ListStateMachines")).stateMachines.map(({ name }) => name),
    ["orders-a"],
  );
  const { executionArn } = await all("StartExecution", { stateMachineArn: foreign });
  await own("StartExecution", { stateMachineArn: mine });
  const refused = [
    create("billing-2"),
    ["CreateActivity", { name: "billing" }],
    ["StartExecution", { stateMachineArn: foreign }],
    ["DescribeExecution", { executionArn }],
    ["ListExecutions", { stateMachineArn: foreign }],
    ["TagResource", { resourceArn: foreign, tags: [] }],
    ["TestState", { definition: '{"Type":"Pass","End":true}', roleArn: role }],
    ["SendTaskSuccess", { taskToken: "none", output: "{}" }],
  ];
  for (const [name, input] of refused) await assert.rejects(own(name, input), { name: "AccessDeniedException" }, name);
});

test("the pages take a token, by header or by logging in, and show what the key may see", async () => {
  const server = await start({ access: { keys } });
  const all = sender(server, admin);
  const arns = [];
  for (const name of ["billing", "orders-a"]) {
    const { stateMachineArn } = await all(...create(name));
    arns.push((await all("StartExecution", { stateMachineArn, name: `of-${name}` })).executionArn);
  }
  const [foreign, mine] = arns.map((arn) => `${server.url}/debugger/api/executions/${encodeURIComponent(arn)}`);
  const by = ({ token }, more = {}) => ({ ...more, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } });
  const json = async (path, init) => (await fetch(`${server.url}/debugger/${path}`, init)).json();
  assert.equal((await fetch(`${server.url}/debugger/api/executions`)).status, 401);
  assert.equal((await fetch(`${server.url}/metrics`)).status, 401);
  assert.equal((await fetch(`${server.url}/metrics`, by(reader))).status, 200);
  assert.equal((await fetch(`${server.url}/health`)).status, 200);
  assert.equal((await json("api/executions", by(reader))).executions.length, 2);
  assert.deepEqual(
    (await json("api/executions", by(orders))).executions.map(({ name }) => name),
    ["of-orders-a"],
  );
  assert.deepEqual((await json("api/counts", by(orders))).statuses, { RUNNING: 1 });
  assert.equal((await fetch(foreign, by(orders))).status, 404);
  assert.deepEqual(await json("api/console", by(reader)), { ...(await json("api/console", by(admin))), user: "reader", actions: [] });
  const stop = (url, key) => fetch(`${url}/stop`, by(key, { method: "POST", body: "{}" }));
  assert.equal((await stop(mine, reader)).status, 403);
  assert.equal((await stop(foreign, orders)).status, 404);
  assert.equal((await stop(mine, orders)).status, 200);

  const page = await fetch(`${server.url}/debugger/`, { headers: { accept: "text/html" } });
  assert.equal(page.status, 401);
  assert.match(await page.text(), /action="\/debugger\/login"/);
  const login = (token) =>
    fetch(`${server.url}/debugger/login`, { method: "POST", redirect: "manual", body: new URLSearchParams({ token }) });
  assert.equal((await login("wrong-token-0123456789")).status, 401);
  const answer = await login(reader.token);
  assert.equal(answer.status, 303);
  const [cookie, ...attributes] = answer.headers.get("set-cookie").split("; ");
  assert.ok(attributes.includes("HttpOnly") && attributes.includes("SameSite=Strict"));
  assert.equal((await json("api/executions", { headers: { cookie } })).executions.length, 2);
});

test("the audit log says who changed what, and what was refused", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "stepglass-audit-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const audit = join(folder, "audit.jsonl");
  const server = await start({ access: { keys, audit } });
  const { stateMachineArn } = await sender(server, admin)(...create("orders-a"));
  const { executionArn } = await sender(server, orders)("StartExecution", { stateMachineArn, name: "one" });
  await sender(server, reader)("DescribeExecution", { executionArn });
  await assert.rejects(sender(server, reader)("StopExecution", { executionArn }));
  await assert.rejects(sender(server, { ...admin, secretAccessKey: "wrong" })("StopExecution", { executionArn }));
  const headers = { authorization: `Bearer ${admin.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ action: "stop", executions: [executionArn, `${executionArn}-none`] });
  await fetch(`${server.url}/debugger/api/bulk`, { method: "POST", headers, body });
  const entries = readFileSync(audit, "utf8").trim().split("\n").map(JSON.parse);
  assert.deepEqual(
    entries.map(({ key, operation, resource, result }) => [key, operation, resource, result]),
    [
      ["admin", "CreateStateMachine", "arn:aws:states:::stateMachine:orders-a", "ok"],
      ["orders", "StartExecution", stateMachineArn, "ok"],
      ["reader", "StopExecution", executionArn, "AccessDeniedException"],
      [undefined, "StopExecution", undefined, "InvalidSignatureException"],
      ...entries.slice(4).map(({ key, operation, resource, result }) => [key, operation, resource, result]),
    ],
  );
  assert.deepEqual(
    entries
      .slice(4)
      .map(({ key, operation, resource, result }) => [key, operation, resource, result])
      .sort(),
    [
      ["admin", "stop", executionArn, "ok"],
      ["admin", "stop", `${executionArn}-none`, "ExecutionDoesNotExist"],
    ],
  );
  for (const { time, requestId, address } of entries) {
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 600_000);
    assert.match(requestId, /^[0-9a-f-]{36}$/);
    assert.equal(address, "127.0.0.1");
  }
  assert.ok(!readFileSync(audit, "utf8").includes("secret"));
});

test("keys that are not valid are refused when the server starts", async () => {
  const wrong = [
    [{ keys: [] }, /at least one key/],
    [{ keys: [{ name: "a" }] }, /needs accessKeyId and secretAccessKey, or a token/],
    [{ keys: [{ name: "a", accessKeyId: "b" }] }, /belong together/],
    [{ keys: [{ name: "a", token: "short" }] }, /at least 16 characters/],
    [{ keys: [{ ...reader, rights: "admin" }] }, /rights must be/],
    [{ keys: [reader, { ...reader, accessKeyId: "other" }] }, /two keys with the name "reader"/],
    [{ keys: [{ ...reader, role: "x" }] }, /has no option "role"/],
  ];
  for (const [access, message] of wrong) await assert.rejects(serve({ port: 0, access }), { code: "INVALID_OPTION", message });
});
