// awsTasks(): which tasks it calls, requests and responses, secrets, and the end of calls that are no longer needed.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { StateMachine, TaskError } from "../../dist/node.js";
import { awsCalls, awsTasks } from "../../dist/aws.js";
import { serve } from "../../dist/server.js";
import { returns, testMachine } from "../../dist/testing.js";
import { project, skip, standIn, startLambda, startMoto } from "./emulators.mjs";

const here = process.cwd();
before(() => process.chdir(project));
after(() => process.chdir(here));

const task = (resource, parameters, more) => {
  const Resource = resource.startsWith("arn:") ? resource : `arn:aws:states:::${resource}`;
  return new StateMachine({ StartAt: "A", States: { A: { Type: "Task", Resource, Parameters: parameters, End: true, ...more } } });
};
/** The answer of SQS, with the MD5 sum that the client checks. */
const received = ({ body }) => ({
  body: { MessageId: "1", MD5OfMessageBody: createHash("md5").update(JSON.parse(body).MessageBody).digest("hex") },
});
const run = (machine, tasks, input = {}) => machine.start(input, { tasks }).result;

describe("which tasks go to AWS", () => {
  const names = (options) => Object.keys(awsTasks(options));

  test("all of AWS's services do; HTTP endpoints only with connections", () => {
    assert.ok(names().includes("sqs:*") && names().includes("aws-sdk:*") && names().includes("s3:*"));
    assert.ok(!names().includes("http:invoke"));
    assert.ok(names().includes("apigateway:*") && !names({ endpoint: "http://localhost:1" }).includes("apigateway:*"));
    assert.ok(names({ connections: { shop: {} } }).includes("http:invoke"));
  });

  test("with `only` or `endpoints` the named ones do, by their optimized and SDK integrations", () => {
    assert.deepEqual(names({ only: ["sqs:*", "states:startExecution", "aws-sdk:s3:get*", "Charge"] }), [
      "sqs:*",
      "aws-sdk:sqs:*",
      "states:startExecution",
      "aws-sdk:sfn:startExecution",
      "aws-sdk:s3:get*",
      "Charge",
    ]);
    assert.ok(names({ only: ["lambda:*"] }).includes("arn:*:lambda:*:function:*"));
    assert.deepEqual(names({ endpoints: { sqs: "http://localhost:1", events: "http://localhost:1" } }), [
      ...["sqs:*", "aws-sdk:sqs:*", "events:*", "aws-sdk:eventbridge:*"],
    ]);
  });

  test("handlers with an exact name or a more specific pattern, mocks and machines take precedence", async () => {
    const aws = awsTasks({ endpoint: "http://127.0.0.1:1" });
    const handler = () => ({ MessageId: "mine" });
    for (const name of ["sqs:sendMessage", "sqs:send*", "A", "arn:aws:states:::sqs:sendMessage"])
      assert.deepEqual((await run(task("sqs:sendMessage", {}), { [name]: handler, ...aws })).output, { MessageId: "mine" }, name);
    const mocked = await testMachine(task("sqs:sendMessage", {})).run({}, { tasks: aws, mocks: { A: returns({ MessageId: "mock" }) } });
    assert.deepEqual(mocked.output, { MessageId: "mock" });
    const child = new StateMachine({ StartAt: "P", States: { P: { Type: "Pass", Result: 7, End: true } } }, { name: "Child" });
    const parent = task("states:startExecution.sync:2", { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:Child" });
    const { output } = await parent.start({}, { tasks: aws, machines: [child] }).result;
    assert.equal(output.Output, 7);
  });

  test("invalid options are refused without revealing secrets", () => {
    const refused = [
      [{ endpont: "x" }, /endpont/],
      [{ endpoint: "localhost" }, /endpoint must be a URL/],
      [{ endpoint: "http://me:secret@localhost" }, /must not contain a user name or password/],
      [{ endpoints: { sqz: "http://localhost" } }, /there is no service "sqz"/],
      [{ only: "sqs:*" }, /only must be an array/],
      [{ credentials: { key: "x" } }, /accessKeyId/],
      [{ region: 7 }, /region/],
      [{ connections: [] }, /connections/],
      [{ load: "x" }, /load/],
    ];
    for (const [options, message] of refused) assert.throws(() => awsTasks(options), { code: /INVALID|UNKNOWN/, message });
    assert.throws(
      () => awsTasks({ endpoint: "http://me:secret@localhost" }),
      (error) => !error.message.includes("secret"),
    );
  });

  test("the error of a missing or old package says what to install", async () => {
    const { error, cause } = await run(task("aws-sdk:kinesis:listStreams", {}), awsTasks({ endpoint: "http://127.0.0.1:1" }));
    assert.equal(error, "States.Runtime");
    assert.equal(cause, "@aws-sdk/client-kinesis is not installed in this project: npm install @aws-sdk/client-kinesis");
    const old = awsTasks({ load: async () => ({ SQSClient: class {}, SendMessageCommand: class {} }) });
    assert.match((await run(task("sqs:sendMessage", {}), old)).cause, /too old.*npm install @aws-sdk\/client-sqs@latest/);
  });

  test("awsCalls lists the calls of a definition without making them", async () => {
    const definition = {
      StartAt: "Send",
      States: {
        Send: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken", Parameters: {}, Next: "Mine" },
        Mine: { Type: "Task", Resource: "arn:aws:states:::lambda:invoke", Parameters: { FunctionName: "Mine" }, Next: "Each" },
        Each: {
          Type: "Map",
          ItemReader: { Resource: "arn:aws:states:::s3:getObject", Parameters: { Bucket: "b", Key: "k" } },
          ItemProcessor: {
            ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
            StartAt: "Get",
            States: { Get: { Type: "Task", Resource: "arn:aws:states:::aws-sdk:kinesis:listStreams", End: true } },
          },
          End: true,
        },
      },
    };
    const tasks = { ...awsTasks({ endpoint: "http://127.0.0.1:1", region: "eu-west-1" }), Mine: () => 1 };
    const at = { endpoint: "http://127.0.0.1:1", region: "eu-west-1" };
    const arn = (name) => `arn:aws:states:::${name}`;
    assert.deepEqual(await awsCalls(definition, tasks), [
      {
        ...{ state: "Send", resource: arn("sqs:sendMessage.waitForTaskToken"), call: "sqs:sendMessage" },
        ...{ package: "@aws-sdk/client-sqs", installed: true, ...at },
      },
      { state: "Each", resource: arn("s3:getObject"), call: "s3:getObject", package: "@aws-sdk/client-s3", installed: true, ...at },
      {
        ...{ state: "Get", resource: arn("aws-sdk:kinesis:listStreams"), call: "aws-sdk:kinesis:listStreams" },
        ...{ package: "@aws-sdk/client-kinesis", installed: false, ...at },
      },
    ]);
  });
});

describe("requests and responses", () => {
  let wire, answer;
  before(async () => (wire = await standIn((request) => (typeof answer === "function" ? answer(request) : { body: answer }))));
  after(() => wire.close());
  const tasks = () => awsTasks({ endpoint: wire.url });
  const sent = () => JSON.parse(wire.requests.at(-1).body);

  test("JSON that an API takes as text keeps the digits of its numbers", async () => {
    answer = received;
    const { output } = await run(task("sqs:sendMessage", { QueueUrl: "q", "MessageBody.$": "$" }), tasks(), { a: 1 });
    assert.equal(output.MessageId, "1");
    assert.deepEqual(sent(), { QueueUrl: "q", MessageBody: '{"a":1}' });
    const exact = new StateMachine(
      '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","Parameters":{"QueueUrl":"q","MessageBody":{"n":12345678901234567890,"f":1.0}},"End":true}}}',
    );
    await run(exact, tasks());
    assert.equal(sent().MessageBody, '{"n":12345678901234567890,"f":1.0}');
  });

  test("requests and results of SDK integrations use the member names of the AWS SDK for Java", async () => {
    answer = { Item: { id: { S: "1" }, yes: { BOOL: true }, none: { NULL: true }, ids: { SS: ["a"] } } };
    const sdk = await run(task("aws-sdk:dynamodb:getItem", { TableName: "t", Key: { id: { s: "1" } } }), tasks());
    assert.deepEqual(sdk.output.Item, { id: { S: "1" }, yes: { Bool: true }, none: { Nul: true }, ids: { Ss: ["a"] } });
    assert.deepEqual(sent(), { TableName: "t", Key: { id: { S: "1" } } });
    const optimized = await run(task("dynamodb:getItem", { TableName: "t", Key: { id: { S: "1" } } }), tasks());
    assert.deepEqual(optimized.output.Item, answer.Item);
    const unknown = await run(task("dynamodb:getItem", { Tabel: "t" }), tasks());
    assert.deepEqual([unknown.error, unknown.cause], ["States.Runtime", 'The field "Tabel" is not supported by Step Functions.']);
  });

  test("times are text in SDK integrations and milliseconds in optimized ones", async () => {
    answer = { executionArn: "arn:e", startDate: 1700000000 };
    const parameters = { StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:M", Input: { a: 1 } };
    const sdk = await run(task("aws-sdk:sfn:startExecution", parameters), tasks());
    assert.deepEqual(sdk.output, { ExecutionArn: "arn:e", StartDate: "2023-11-14T22:13:20Z" });
    assert.equal(sent().input, '{"a":1}');
    const optimized = await run(task("states:startExecution", parameters), tasks());
    assert.equal(optimized.output.StartDate, 1700000000000);
    assert.match(sent().name, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  });

  test("events for EventBridge have the machine and its execution as resources", async () => {
    answer = { FailedEntryCount: 0, Entries: [{ EventId: "1" }] };
    const execution = task("events:putEvents", { Entries: [{ Detail: { a: 1 }, DetailType: "d", Source: "s", Resources: ["r"] }] }).start(
      {},
      { tasks: tasks() },
    );
    await execution.result;
    const [entry] = sent().Entries;
    assert.equal(entry.Detail, '{"a":1}');
    assert.deepEqual(entry.Resources, ["r", execution.arn.replace(":execution:", ":stateMachine:").replace(/:[^:]+$/, ""), execution.arn]);
  });

  test("S3 bodies are written as JSON, also texts, and no checksum is requested by default", async () => {
    answer = () => ({ headers: { etag: "e" }, body: "" });
    for (const [Body, written] of [
      ["text data", '"text data"'],
      [{ Dict: "Value" }, '{"Dict":"Value"}'],
      [false, "false"],
    ]) {
      const { status, cause } = await run(task("aws-sdk:s3:putObject", { Bucket: "b", Key: "k", Body }), tasks());
      assert.equal(status, "SUCCEEDED", cause);
      const { body, headers } = wire.requests.at(-1);
      assert.deepEqual([body, headers["content-length"]], [written, String(written.length)]);
    }
    await run(task("aws-sdk:s3:getObject", { Bucket: "b", Key: "k" }), tasks());
    assert.equal(wire.requests.at(-1).headers["x-amz-checksum-mode"], undefined);
    await run(task("aws-sdk:s3:getObject", { Bucket: "b", Key: "k", ChecksumMode: "ENABLED" }), tasks());
    assert.equal(wire.requests.at(-1).headers["x-amz-checksum-mode"], "ENABLED");
  });

  test("errors without a class in the SDK have the name of the service's general exception", async () => {
    answer = () => ({
      status: 400,
      headers: { "x-amzn-requestid": "r" },
      body: { __type: "com.amazonaws#ValidationException", message: "no" },
    });
    const optimized = await run(task("dynamodb:getItem", { TableName: "t", Key: {} }), tasks());
    assert.equal(optimized.error, "DynamoDB.AmazonDynamoDBException");
    assert.equal(
      optimized.cause,
      "no (Service: AmazonDynamoDBv2; Status Code: 400; Error Code: ValidationException; Request ID: r; Proxy: null)",
    );
    const sdk = await run(task("aws-sdk:secretsmanager:getSecretValue", { SecretId: "s" }), tasks());
    assert.equal(sdk.error, "SecretsManager.SecretsManagerException");
    assert.equal(sdk.cause, "no (Service: SecretsManager, Status Code: 400, Request ID: r) (SDK Attempt Count: 1)");
  });

  test("a service that cannot be reached fails the task with SdkClientException", async () => {
    const away = awsTasks({ endpoint: "http://127.0.0.1:9" });
    const { error, cause } = await run(task("sqs:sendMessage", { QueueUrl: "q", MessageBody: "m" }), away);
    assert.equal(error, "SQS.SdkClientException");
    assert.match(cause, /^Unable to execute HTTP request: .*(refused|bad port)/i);
  });

  test("a task with a call that is not answered times out", async () => {
    let closed;
    answer = ({ headers }) => new Promise(() => void (closed = headers));
    const machine = task("sqs:sendMessage", { QueueUrl: "q", MessageBody: "m" }, { TimeoutSeconds: 1 });
    const { error } = await run(machine, tasks());
    assert.equal(error, "States.Timeout");
    assert.ok(closed);
  });
});

describe("secrets", () => {
  const credentials = { accessKeyId: "AKIASECRETSECRET", secretAccessKey: "very/secret+key", sessionToken: "very-secret-token" };

  test("credentials do not appear in a history, result, error or snapshot, even if the service sends them back", async () => {
    const wire = await standIn(({ headers, url }) => ({
      status: url === "/" && headers["x-amz-target"]?.endsWith("GetItem") ? 200 : 403,
      headers: { "x-seen": `${headers["x-amz-security-token"]}` },
      body: {
        __type: "SignatureDoesNotMatch",
        message: `the request was ${headers.authorization} ${headers["x-amz-security-token"]} ${credentials.secretAccessKey}`,
        Item: { id: { S: String(headers["x-amz-security-token"]) } },
      },
    }));
    const tasks = awsTasks({ endpoint: wire.url, credentials });
    const logged = [];
    const write = process.stderr.write;
    process.stderr.write = (text) => (logged.push(text), true);
    try {
      for (const api of ["getItem", "putItem"]) {
        const parameters = api === "getItem" ? { TableName: "t", Key: {} } : { TableName: "t", Item: {} };
        const execution = task(`dynamodb:${api}`, parameters).start({}, { tasks });
        const snapshot = JSON.stringify(execution.snapshot());
        const outcome = await execution.result;
        assert.match(JSON.stringify(outcome), /…/);
        const all = [snapshot, JSON.stringify(outcome), JSON.stringify(execution.history()), logged.join("")].join("\n");
        for (const secret of Object.values(credentials)) assert.ok(!all.includes(secret), `${api}: ${secret}`);
      }
    } finally {
      process.stderr.write = write;
      wire.close();
    }
    assert.ok(
      wire.requests.every(({ headers }) => headers.authorization.includes(credentials.accessKeyId)),
      "the requests were signed with the credentials",
    );
  });

  test("an emulator is called with test credentials if there are no others", async (t) => {
    const wire = await standIn(() => ({ body: { Item: {} } }));
    t.after(() => wire.close());
    await run(task("dynamodb:getItem", { TableName: "t", Key: {} }), awsTasks({ endpoint: wire.url }));
    if (!process.env.AWS_ACCESS_KEY_ID && !process.env.AWS_PROFILE)
      assert.match(wire.requests[0].headers.authorization, /Credential=test\//);
  });

  test("a connection adds its secrets to the request only", async (t) => {
    const wire = await standIn(({ url, headers, body }) => ({
      status: url.startsWith("/no") ? 404 : 200,
      body: { url, sent: body, auth: headers.authorization },
    }));
    t.after(() => wire.close());
    const tasks = awsTasks({
      connections: { shop: { headers: { authorization: "Bearer top-secret-word" }, query: { key: "secret-query-key" } } },
    });
    const machine = (path, more) =>
      task("http:invoke", {
        ApiEndpoint: `${wire.url}${path}`,
        Method: "POST",
        Authentication: { ConnectionArn: "arn:aws:events:us-east-1:123456789012:connection/shop/0a" },
        RequestBody: { a: [1, 2] },
        ...more,
      });
    const execution = machine("/yes", { QueryParameters: { q: "1" } }).start({}, { tasks });
    const { output } = await execution.result;
    assert.deepEqual([output.StatusCode, output.StatusText, output.ResponseBody.sent], [200, "OK", '{"a":[1,2]}']);
    assert.equal(wire.requests[0].headers.authorization, "Bearer top-secret-word");
    assert.equal(wire.requests[0].url, "/yes?q=1&key=secret-query-key");
    assert.doesNotMatch(JSON.stringify(execution.history()), /top-secret-word|secret-query-key/);
    const failed = machine("/no", {
      Transform: { RequestBodyEncoding: "URL_ENCODED", RequestEncodingOptions: { ArrayFormat: "BRACKETS" } },
    });
    const outcome = await run(failed, tasks);
    assert.equal(outcome.error, "States.Http.StatusCode.404");
    assert.doesNotMatch(outcome.cause, /top-secret-word|secret-query-key/);
    assert.equal(wire.requests[1].body, "a%5B%5D=1&a%5B%5D=2");
    const missing = await run(machine("/", { Authentication: { ConnectionArn: "arn:aws:events:us-east-1:1:connection/none/0" } }), tasks);
    assert.match(missing.cause, /there is no connection .*connections: \{ "none"/);
  });
});

describe("functions", () => {
  let lambda;
  before(
    async () =>
      (lambda = await startLambda({
        echo: (payload) => payload,
        busy: () => {
          throw { status: 429, type: "TooManyRequestsException", message: "Rate Exceeded." };
        },
        broken: () => {
          throw Object.assign(new Error("no stock"), { name: "OutOfStock" });
        },
      })),
  );
  after(() => lambda.close());
  const tasks = () => awsTasks({ endpoints: { lambda: lambda.url } });

  test("return their payload, and their errors fail the state", async () => {
    const called = await run(task("lambda:invoke", { FunctionName: "echo", Payload: { n: 1 } }), tasks());
    assert.deepEqual([called.output.Payload, called.output.ExecutedVersion, called.output.StatusCode], [{ n: 1 }, "$LATEST", 200]);
    const direct = task("arn:aws:lambda:us-east-1:123456789012:function:echo", { n: 2 });
    assert.deepEqual((await run(direct, tasks())).output, { n: 2 });
    const sdk = await run(task("aws-sdk:lambda:invoke", { FunctionName: "echo", Payload: { n: 3 } }), tasks());
    assert.equal(sdk.output.Payload, '{"n":3}');
    const broken = await run(task("lambda:invoke", { FunctionName: "broken" }), tasks());
    assert.equal(broken.error, "OutOfStock");
    assert.equal(JSON.parse(broken.cause).errorMessage, "no stock");
  });

  test("that are throttled fail with Lambda's error, which a state can retry", async () => {
    process.env.AWS_MAX_ATTEMPTS = "1";
    try {
      const { error, cause } = await run(task("lambda:invoke", { FunctionName: "busy" }), tasks());
      assert.equal(error, "Lambda.TooManyRequestsException");
      assert.match(cause, /^Rate Exceeded\. \(Service: AWSLambda; Status Code: 429; Error Code: TooManyRequestsException;/);
    } finally {
      delete process.env.AWS_MAX_ATTEMPTS;
    }
  });
});

describe("with moto's server", { skip }, () => {
  let moto, server, tasks;
  before(async () => {
    moto = await startMoto();
    server = await serve({ port: 0, logLevel: "silent" });
    tasks = awsTasks({ endpoint: moto.url, endpoints: { states: server.url } });
  });
  after(async () => {
    moto?.close();
    await server?.close();
  });
  const ask = async (resource, parameters) => {
    const { status, output, cause } = await run(task(resource, parameters), tasks);
    assert.equal(status, "SUCCEEDED", cause);
    return output;
  };

  test("failed calls have AWS's error names", async () => {
    const KeySchema = [{ AttributeName: "id", KeyType: "HASH" }];
    const AttributeDefinitions = [{ AttributeName: "id", AttributeType: "S" }];
    await ask("aws-sdk:dynamodb:createTable", { TableName: "orders", KeySchema, AttributeDefinitions, BillingMode: "PAY_PER_REQUEST" });
    await ask("dynamodb:putItem", { TableName: "orders", Item: { id: { S: "1" } } });
    const put = { TableName: "orders", Item: { id: { S: "1" } }, ConditionExpression: "attribute_not_exists(id)" };
    const { QueueUrl } = await ask("aws-sdk:sqs:createQueue", { QueueName: "orders" });
    const failing = [
      ["dynamodb:putItem", put, "DynamoDB.ConditionalCheckFailedException"],
      ["aws-sdk:dynamodb:putItem", put, "DynamoDb.ConditionalCheckFailedException"],
      ["sqs:sendMessage", { QueueUrl: `${QueueUrl}-none`, MessageBody: "m" }, "SQS.QueueDoesNotExistException"],
      ["aws-sdk:s3:getObject", { Bucket: "none-at-all", Key: "k" }, "S3.NoSuchBucketException"],
    ];
    for (const [resource, parameters, error] of failing)
      assert.equal((await run(task(resource, parameters), tasks)).error, error, resource);
  });

  test("a catcher matches errors by these names", async () => {
    const Catch = [{ ErrorEquals: ["S3.NoSuchBucketException"], Next: "B" }];
    const { A } = JSON.parse(task("aws-sdk:s3:getObject", { Bucket: "none-at-all", Key: "k" }).definition).States;
    const machine = new StateMachine({ StartAt: "A", States: { A: { ...A, Catch }, B: { Type: "Pass", Result: "caught", End: true } } });
    assert.equal((await run(machine, tasks)).output, "caught");
  });

  test("a .sync task waits for its job and returns the service's description of it", async () => {
    const query = await ask("athena:startQueryExecution.sync", {
      QueryString: "select 1",
      ResultConfiguration: { OutputLocation: "s3://b/x" },
    });
    assert.equal(query.QueryExecution.Status.State, "SUCCEEDED");
    await ask("aws-sdk:glue:createJob", { Name: "job", Role: "r", Command: { Name: "glueetl" } });
    const job = await ask("glue:startJobRun.sync", { JobName: "job" });
    assert.equal(job.JobRunState, "SUCCEEDED");
  });

  test("polling a job counts as a heartbeat of its task", async () => {
    const { stateMachineArn: StateMachineArn } = await server.call("CreateStateMachine", {
      name: "seconds",
      definition: JSON.stringify({ StartAt: "W", States: { W: { Type: "Wait", Seconds: 2, End: true } } }),
      roleArn: "arn:aws:iam::123456789012:role/r",
    });
    const machine = task("states:startExecution.sync:2", { StateMachineArn }, { HeartbeatSeconds: 1, TimeoutSeconds: 60 });
    const { status, error } = await run(machine, tasks);
    assert.equal(status, "SUCCEEDED", error);
  });

  test("a Distributed Map reads items and writes results", async () => {
    await ask("aws-sdk:s3:createBucket", { Bucket: "orders" });
    await ask("aws-sdk:s3:putObject", { Bucket: "orders", Key: "in.json", Body: [{ id: 1 }, { id: 2 }] });
    const machine = new StateMachine({
      StartAt: "Each",
      States: {
        Each: {
          Type: "Map",
          ItemReader: {
            Resource: "arn:aws:states:::s3:getObject",
            ReaderConfig: { InputType: "JSON" },
            Parameters: { Bucket: "orders", Key: "in.json" },
          },
          ItemProcessor: {
            ProcessorConfig: { Mode: "DISTRIBUTED", ExecutionType: "STANDARD" },
            StartAt: "P",
            States: { P: { Type: "Pass", End: true } },
          },
          ResultWriter: { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "orders", Prefix: "out" } },
          End: true,
        },
      },
    });
    const { status, output, cause } = await run(machine, tasks);
    assert.equal(status, "SUCCEEDED", cause);
    const { Bucket, Key } = output.ResultWriterDetails;
    assert.match((await ask("aws-sdk:s3:getObject", { Bucket, Key })).Body, /SUCCEEDED/);
  });

  test("objects are stored as JSON, also texts, and are read without a checksum", async () => {
    await ask("aws-sdk:s3:createBucket", { Bucket: "bodies" });
    for (const [Body, stored] of [
      ["text data", '"text data"'],
      [{ Dict: "Value" }, '{"Dict":"Value"}'],
      [false, "false"],
    ]) {
      const { ETag } = await ask("aws-sdk:s3:putObject", { Bucket: "bodies", Key: "k", Body });
      assert.equal(ETag, `"${createHash("md5").update(stored).digest("hex")}"`);
      const answer = await ask("aws-sdk:s3:getObject", { Bucket: "bodies", Key: "k" });
      assert.deepEqual([answer.Body, answer.ContentLength], [stored, stored.length]);
      assert.deepEqual(
        Object.keys(answer).filter((name) => name.startsWith("Checksum")),
        [],
      );
    }
  });

  test("a machine can call several services and start a nested execution", async (t) => {
    const lambda = await startLambda({ Price: (payload) => JSON.stringify({ price: JSON.parse(payload).n * 2 }) });
    t.after(() => lambda.close());
    const all = awsTasks({ endpoint: moto.url, endpoints: { lambda: lambda.url, states: server.url } });
    const { QueueUrl } = await ask("aws-sdk:sqs:createQueue", { QueueName: "whole" });
    const { TopicArn } = await ask("aws-sdk:sns:createTopic", { Name: "whole" });
    const keys = {
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    };
    await ask("aws-sdk:dynamodb:createTable", { TableName: "whole", ...keys, BillingMode: "PAY_PER_REQUEST" });
    await ask("aws-sdk:s3:createBucket", { Bucket: "whole" });
    const { stateMachineArn: StateMachineArn } = await server.call("CreateStateMachine", {
      name: "whole",
      definition: JSON.stringify({ StartAt: "P", States: { P: { Type: "Pass", End: true } } }),
      roleArn: "arn:aws:iam::123456789012:role/r",
    });
    const steps = [
      ["lambda:invoke", { FunctionName: "Price", Payload: "{% $states.input %}" }, "{% $states.result.Payload %}"],
      ["dynamodb:putItem", { TableName: "whole", Item: { id: { S: "1" }, price: { N: "{% $string($price) %}" } } }],
      ["dynamodb:getItem", { TableName: "whole", Key: { id: { S: "1" } } }, "{% $states.result.Item.price.N %}"],
      ["sqs:sendMessage", { QueueUrl, MessageBody: { price: "{% $price %}" } }],
      ["sns:publish", { TopicArn, Message: "{% $string($price) %}" }],
      ["aws-sdk:s3:putObject", { Bucket: "whole", Key: "k", Body: { price: "{% $price %}" } }],
      ["events:putEvents", { Entries: [{ Detail: { price: "{% $price %}" }, DetailType: "priced", Source: "shop" }] }],
      ["states:startExecution.sync:2", { StateMachineArn, Input: { price: "{% $price %}" } }, "{% $states.result.Output %}"],
    ];
    const States = Object.fromEntries(
      steps.map(([resource, Arguments, Output], i) => [
        `S${i}`,
        {
          ...{ Type: "Task", Resource: `arn:aws:states:::${resource}`, Arguments, ...(Output && { Output }) },
          ...(i === 0 && { Assign: { price: "{% $states.result.Payload.price %}" } }),
          ...(i + 1 < steps.length ? { Next: `S${i + 1}` } : { End: true }),
        },
      ]),
    );
    const execution = new StateMachine({ QueryLanguage: "JSONata", StartAt: "S0", States }).start({ n: 21 }, { tasks: all });
    const { status, output, cause } = await execution.result;
    assert.equal(status, "SUCCEEDED", cause);
    assert.deepEqual(output, { price: 42 });
    const types = execution.history().map(({ type }) => type);
    const call = ["TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSucceeded", "TaskStateExited"];
    const nested = [...call.slice(0, 3), "TaskSubmitted", ...call.slice(3)];
    assert.deepEqual(types, ["ExecutionStarted", ...Array.from({ length: 7 }, () => call).flat(), ...nested, "ExecutionSucceeded"]);
    const { Messages } = await ask("aws-sdk:sqs:receiveMessage", { QueueUrl });
    assert.deepEqual(JSON.parse(Messages[0].Body), { price: 42 });
    assert.equal((await ask("aws-sdk:s3:getObject", { Bucket: "whole", Key: "k" })).Body, '{"price":42}');
  });

  test("a task token that was sent with a message can be answered", async () => {
    const { QueueUrl } = await ask("aws-sdk:sqs:createQueue", { QueueName: "tokens" });
    const parameters = { QueueUrl, MessageBody: { "token.$": "$$.Task.Token" } };
    const machine = task("sqs:sendMessage.waitForTaskToken", parameters);
    let sent;
    const submitted = new Promise((resolve) => (sent = resolve));
    const execution = machine.start({}, { tasks, onEvent: ({ type }) => type === "TaskSubmitted" && sent() });
    await submitted;
    const { Messages } = await ask("aws-sdk:sqs:receiveMessage", { QueueUrl });
    execution.succeed(JSON.parse(Messages[0].Body).token, { done: true });
    assert.deepEqual((await execution.result).output, { done: true });
  });

  test("aborting an execution stops the nested execution for which it waits", async () => {
    const { stateMachineArn } = await server.call("CreateStateMachine", {
      name: "slow",
      definition: JSON.stringify({ StartAt: "W", States: { W: { Type: "Wait", Seconds: 3600, End: true } } }),
      roleArn: "arn:aws:iam::123456789012:role/r",
    });
    let submitted;
    const known = new Promise((resolve) => (submitted = resolve));
    const execution = task("states:startExecution.sync", { StateMachineArn: stateMachineArn }).start(
      {},
      { tasks, onEvent: (event) => event.type === "TaskSubmitted" && submitted(JSON.parse(event.taskSubmittedEventDetails.output)) },
    );
    const { ExecutionArn } = await known;
    execution.abort("Enough");
    assert.equal((await execution.result).status, "ABORTED");
    const statusOf = async () => (await server.call("DescribeExecution", { executionArn: ExecutionArn })).status;
    let status = await statusOf();
    while (status === "RUNNING") {
      await turn();
      status = await statusOf();
    }
    assert.equal(status, "ABORTED");
  });

  test("virtual time stands still while a service answers", async () => {
    const machine = task("sqs:sendMessage", { QueueUrl: "", MessageBody: "m" }, { TimeoutSeconds: 1 });
    const { QueueUrl } = await ask("aws-sdk:sqs:createQueue", { QueueName: "virtual" });
    const definition = JSON.parse(machine.definition);
    definition.States.A.Parameters.QueueUrl = QueueUrl;
    const made = await testMachine(definition).run({}, { tasks });
    assert.equal(made.status, "SUCCEEDED", made.cause);
    assert.equal(made.calls[0].mocked, false);
  });
});

test("a custom handler can pass a task on to awsTasks()", async (t) => {
  const wire = await standIn(received);
  t.after(() => wire.close());
  const aws = awsTasks({ endpoint: wire.url });
  const tasks = {
    "sqs:sendMessage": (input, given) => {
      if (input.MessageBody === "no") throw new TaskError("Refused");
      return aws["sqs:*"](input, given);
    },
  };
  assert.equal((await run(task("sqs:sendMessage", { QueueUrl: "q", MessageBody: "yes" }), tasks)).output.MessageId, "1");
  assert.equal((await run(task("sqs:sendMessage", { QueueUrl: "q", MessageBody: "no" }), tasks)).error, "Refused");
});
