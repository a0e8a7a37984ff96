// eks:call and eks:runJob with a stand-in for a cluster's Kubernetes API. Parameters, results and errors are those of the Developer Guide.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { StateMachine } from "../../dist/node.js";
import { awsTasks } from "../../dist/aws.js";
import { cert, key } from "./certificate.mjs";
import { standIn } from "./emulators.mjs";

const CREDENTIALS = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG", sessionToken: "a-session-token" };
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const status = (code, reason) => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: reason, reason, code },
});

let answers;
let cluster;
before(async () => {
  cluster = await standIn((request) => answers(request), { key, cert });
});
after(() => cluster.close());

const run = (resource, parameters, { tasks = awsTasks({ credentials: CREDENTIALS, region: "us-east-1" }), ...options } = {}) => {
  const Parameters = {
    ClusterName: "Shop",
    CertificateAuthority: Buffer.from(cert).toString("base64"),
    Endpoint: cluster.url,
    ...parameters,
  };
  const Resource = `arn:aws:states:::${resource}`;
  const machine = new StateMachine({ StartAt: "A", States: { A: { Type: "Task", Resource, Parameters, End: true } } });
  cluster.requests.length = 0;
  return machine.start({}, { tasks, ...options });
};

describe("eks:call", () => {
  test("calls the cluster with a signed token, and returns its answer with all digits", async () => {
    answers = () => ({ body: '{"items":[1.0,12345678901234567890]}' });
    const execution = run("eks:call", { Method: "GET", Path: PODS, QueryParameters: { labelSelector: ["a=b,c", "d"] } });
    assert.equal((await execution.result).status, "SUCCEEDED");
    const { output } = execution.history().at(-1).executionSucceededEventDetails;
    assert.equal(output, '{"ResponseBody":{"items":[1.0,12345678901234567890]},"StatusCode":200,"StatusText":"OK"}');
    const [{ method, url, headers }] = cluster.requests;
    assert.deepEqual([method, url], ["GET", `${PODS}?labelSelector=a%3Db%2Cc&labelSelector=d`]);
    const token = /^Bearer k8s-aws-v1\.(.+)$/.exec(headers.authorization)[1];
    const signed = new URL(Buffer.from(token, "base64url").toString());
    assert.equal(signed.origin, "https://sts.us-east-1.amazonaws.com");
    assert.equal(signed.searchParams.get("X-Amz-SignedHeaders"), "host;x-k8s-aws-id");
    assert.match(signed.searchParams.get("X-Amz-Signature"), /^[0-9a-f]{64}$/);
  });

  test("sends bodies as JSON, as a merge or as a JSON Patch", async () => {
    answers = () => ({ status: 201, body: "{}" });
    const bodies = [
      ["POST", { kind: "ConfigMap" }, "application/json"],
      ["POST", '{"kind":"ConfigMap"}', "application/json"],
      ["PATCH", { data: {} }, "application/merge-patch+json"],
      ["PATCH", [{ op: "remove", path: "/data" }], "application/json-patch+json"],
    ];
    for (const [Method, RequestBody, type] of bodies) {
      assert.equal((await run("eks:call", { Method, Path: "/x", RequestBody }).result).output.StatusCode, 201);
      const [{ method, headers, body }] = cluster.requests;
      assert.deepEqual([method, headers["content-type"]], [Method, type]);
      assert.deepEqual(JSON.parse(body), typeof RequestBody === "string" ? JSON.parse(RequestBody) : RequestBody);
    }
  });

  test("fails with the HTTP status as the error, as AWS documents it", async () => {
    answers = () => status(401, "Unauthorized");
    const { error, cause } = await run("eks:call", { Method: "GET", Path: "/" }).result;
    assert.equal(error, "EKS.401");
    assert.deepEqual(JSON.parse(cause), {
      ResponseBody: status(401, "Unauthorized").body,
      StatusCode: 401,
      StatusText: "Unauthorized",
    });
  });

  test("trusts only the given certificate", async () => {
    answers = () => ({ body: "{}" });
    const without = await run("eks:call", { Method: "GET", Path: "/", CertificateAuthority: "ANPAJ2UCCR6DPCEXAMPLE" }).result;
    assert.deepEqual([without.error, without.cause], ["States.Runtime", "CertificateAuthority is not the Base64 text of a certificate"]);
    const elsewhere = await run("eks:call", { Method: "GET", Path: "/", Endpoint: cluster.url.replace("127.0.0.1", "localhost") }).result;
    assert.equal(elsewhere.error, "EKS.SdkClientException");
    const nobody = await run("eks:call", { Method: "GET", Path: "/", Endpoint: "http://127.0.0.1:1" }).result;
    assert.deepEqual(
      [nobody.error, nobody.cause],
      ["EKS.SdkClientException", "Unable to execute HTTP request: Connect to 127.0.0.1:1 failed: Connection refused"],
    );
    assert.equal(cluster.requests.length, 0);
  });

  test("does not reveal the token or the credentials in the history or a snapshot", async () => {
    answers = ({ headers }) => ({ body: { echoed: headers.authorization, also: CREDENTIALS.secretAccessKey } });
    const execution = run("eks:call", { Method: "GET", Path: "/" });
    await execution.result;
    const recorded = JSON.stringify(execution.history()) + JSON.stringify(execution.snapshot());
    const token = cluster.requests[0].headers.authorization.slice("Bearer ".length);
    for (const secret of [token, ...Object.values(CREDENTIALS)]) assert.ok(!recorded.includes(secret));
  });

  test("does not call a cluster beside an emulator unless `only` names it", async () => {
    answers = () => ({ body: "{}" });
    const options = { credentials: CREDENTIALS, endpoint: "http://127.0.0.1:1" };
    const refused = await run("eks:call", { Method: "GET", Path: "/" }, { tasks: awsTasks(options) }).result;
    assert.equal(refused.error, "States.Runtime");
    assert.match(refused.cause, /would leave the emulator .* only: \["eks:call"\]/);
    assert.equal(cluster.requests.length, 0);
    const named = await run("eks:call", { Method: "GET", Path: "/" }, { tasks: awsTasks({ ...options, only: ["eks:call"] }) }).result;
    assert.equal(named.status, "SUCCEEDED");
  });
});

describe("eks:runJob", () => {
  const Job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "pi" }, spec: {} };
  const job = (...conditions) => ({ ...Job, status: { conditions: conditions.map((type) => ({ type, status: "True" })) } });

  test("starts a job", async () => {
    answers = () => ({ status: 201, body: Job });
    const { output } = await run("eks:runJob", { Job, Namespace: "night shift" }).result;
    assert.deepEqual(output, { ResponseBody: Job, StatusCode: 201, StatusText: "Created" });
    assert.deepEqual([cluster.requests[0].method, cluster.requests[0].url], ["POST", "/apis/batch/v1/namespaces/night%20shift/jobs"]);
  });

  /** A cluster whose job is still running at the first poll and has ended at the second. */
  const working = (end) => {
    let polls = 0;
    return ({ method, url }) => {
      const [path, query = ""] = url.split("?");
      if (method === "POST") return { status: 201, body: Job };
      if (path === `${JOBS}/pi`) return { body: polls++ === 0 ? job() : job(end) };
      if (path === PODS) return { body: { items: [{ metadata: { name: "pi-1" }, spec: { containers: [{ name: "a" }, { name: "b" }] } }] } };
      return query.includes("container=a") ? { body: '{ "pi": 3.14 }' } : status(404, "NotFound");
    };
  };

  test(".sync waits for the end of the job and reads its logs; a log that cannot be read has an error", async () => {
    answers = working("Complete");
    const LogOptions = { RetrieveLogs: true, LogParameters: { tailLines: ["6"] } };
    const execution = run("eks:runJob.sync", { Job: JSON.stringify(Job), LogOptions });
    const { output } = await execution.result;
    const cause = JSON.stringify({ ResponseBody: status(404, "NotFound").body, StatusCode: 404, StatusText: "Not Found" });
    const containers = { a: { log: { pi: 3.14 } }, b: { error: "EKS.404", cause } };
    assert.deepEqual(output, { ...job("Complete"), logs: { pods: { "pi-1": { containers } } } });
    const types = execution.history().map(({ type }) => type);
    assert.deepEqual(types.slice(2, 6), ["TaskScheduled", "TaskStarted", "TaskSubmitted", "TaskSucceeded"]);
    assert.ok(cluster.requests.some(({ url }) => url === `${PODS}?labelSelector=job-name%3Dpi`));
    assert.ok(cluster.requests.some(({ url }) => url === `${PODS}/pi-1/log?tailLines=6&container=a`));
    answers = working("Complete");
    const raw = await run("eks:runJob.sync", { Job, LogOptions: { ...LogOptions, RawLogs: true } }).result;
    assert.equal(raw.output.logs.pods["pi-1"].containers.a.log, '{ "pi": 3.14 }');
  });

  test(".sync fails with the failed job as its cause, and reads logs only if LogOptions ask for them", async () => {
    answers = working("Failed");
    const { error, cause } = await run("eks:runJob.sync", { Job }).result;
    assert.equal(error, "States.TaskFailed");
    assert.deepEqual(JSON.parse(cause), job("Failed"));
    assert.ok(!cluster.requests.some(({ url }) => url.startsWith(PODS)));
  });

  test("aborting the execution deletes the job and its pods", async () => {
    const seen = deferred();
    const gone = deferred();
    answers = ({ method, url }) => {
      if (method === "POST") return { status: 201, body: Job };
      if (method === "DELETE") gone.resolve(url);
      else seen.resolve();
      return { body: job() };
    };
    const execution = run("eks:runJob.sync", { Job });
    await seen.promise;
    execution.abort();
    assert.equal((await execution.result).status, "ABORTED");
    assert.equal(await gone.promise, `${JOBS}/pi?propagationPolicy=Foreground`);
  });
});

function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}
