// The minimal IAM policy for a definition: what each integration and pattern needs, and what a definition does not say.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { policyOf, searchIntegrations, taskState } from "stepglass/integrations";
import { folderWith } from "./command.mjs";

const here = { region: "eu-west-1", account: "111122223333", name: "Orders" };
const EU = "eu-west-1:111122223333";

const machine = (state) => ({ StartAt: "A", States: { A: { Type: "Task", ...state, End: true } } });
const called = (resource, Parameters, more) => machine({ Resource: `arn:aws:states:::${resource}`, Parameters, ...more });

/** Returns a policy as lines: `actions on resources`, with the condition. */
const lines = (definition, options = here) =>
  policyOf(definition, options).policy.Statement.map(
    ({ Action, Resource, Condition }) =>
      `${Action.join(" ")} on ${Resource.join(" ")}${Condition === undefined ? "" : ` if ${JSON.stringify(Condition)}`}`,
  );
const gaps = (definition, options = here) =>
  policyOf(definition, options).unknown.map(({ pointer, reason, actions, granted }) => `${pointer} ${reason} ${actions} ${granted}`);

const rule = (name) => `events:DescribeRule events:PutRule events:PutTargets on arn:aws:events:${EU}:rule/${name}`;

describe("a policy", () => {
  test("allows functions by ARN, name, version and alias", () => {
    const arn = `arn:aws:lambda:${EU}:function:f`;
    const cases = [
      [machine({ Resource: arn }), arn],
      [machine({ Resource: `${arn}:PROD` }), `${arn}:PROD`],
      [called("lambda:invoke", { FunctionName: "f" }), arn],
      [called("lambda:invoke", { FunctionName: "f:7" }), `${arn}:7`],
      [called("lambda:invoke.waitForTaskToken", { FunctionName: "f", Qualifier: "PROD" }), `${arn}:PROD`],
      [called("lambda:invoke", { FunctionName: "444455556666:function:f" }), "arn:aws:lambda:eu-west-1:444455556666:function:f"],
      [called("aws-sdk:lambda:invoke", { FunctionName: arn }), arn],
    ];
    for (const [definition, resource] of cases) assert.deepEqual(lines(definition), [`lambda:InvokeFunction on ${resource}`]);
  });

  test("has the permissions to describe and stop a nested execution", () => {
    const StateMachineArn = `arn:aws:states:${EU}:stateMachine:Child:PROD`;
    assert.deepEqual(lines(called("states:startExecution", { StateMachineArn })), [`states:StartExecution on ${StateMachineArn}`]);
    assert.deepEqual(lines(called("states:startExecution.sync:2", { StateMachineArn })), [
      `states:StartExecution on ${StateMachineArn}`,
      `states:DescribeExecution states:StopExecution on arn:aws:states:${EU}:execution:Child:*`,
      rule("StepFunctionsGetEventsForStepFunctionsExecutionRule"),
    ]);
  });

  test("has the permissions to describe and stop a job, and to receive its events", () => {
    assert.deepEqual(lines(called("batch:submitJob.sync", { JobName: "j", JobDefinition: "d", JobQueue: "q" })), [
      `batch:SubmitJob on arn:aws:batch:${EU}:job-definition/d:* arn:aws:batch:${EU}:job-queue/q`,
      `batch:TerminateJob on arn:aws:batch:${EU}:job/*`,
      "batch:DescribeJobs on *",
      rule("StepFunctionsGetEventsForBatchJobsRule"),
    ]);
    assert.deepEqual(lines(called("glue:startJobRun.sync", { JobName: "j" })), [
      `glue:BatchStopJobRun glue:GetJobRun glue:GetJobRuns glue:StartJobRun on arn:aws:glue:${EU}:job/j`,
    ]);
    assert.deepEqual(lines(called("glue:startJobRun", { JobName: "j" })), [`glue:StartJobRun on arn:aws:glue:${EU}:job/j`]);
    const run = lines(called("ecs:runTask.sync", { TaskDefinition: "t:3" }));
    assert.ok(run.includes(`ecs:RunTask on arn:aws:ecs:${EU}:task-definition/t:3`));
    assert.ok(run.includes(rule("StepFunctionsGetEventsForECSTaskRule")));
    const ExecutionRoleArn = "arn:aws:iam::111122223333:role/job";
    assert.deepEqual(lines(called("emr-serverless:startJobRun.sync", { ApplicationId: "a", ExecutionRoleArn })), [
      `emr-serverless:StartJobRun on arn:aws:emr-serverless:${EU}:/applications/a`,
      `emr-serverless:CancelJobRun emr-serverless:GetJobRun on arn:aws:emr-serverless:${EU}:/applications/a/jobruns/*`,
      rule("StepFunctionsGetEventsForEMRServerlessJobRule"),
      `iam:PassRole on ${ExecutionRoleArn} if {"StringEquals":{"iam:PassedToService":"emr-serverless.amazonaws.com"}}`,
    ]);
  });

  test("names queues by their URLs, and buses, tables and topics", () => {
    const queue = "https://sqs.us-west-2.amazonaws.com/444455556666/orders.fifo";
    assert.deepEqual(lines(called("sqs:sendMessage", { QueueUrl: queue })), [
      "sqs:SendMessage on arn:aws:sqs:us-west-2:444455556666:orders.fifo",
    ]);
    assert.deepEqual(lines(called("events:putEvents", { Entries: [{}, { EventBusName: "shop" }] })), [
      `events:PutEvents on arn:aws:events:${EU}:event-bus/default arn:aws:events:${EU}:event-bus/shop`,
    ]);
    assert.deepEqual(lines(called("sns:publish", { PhoneNumber: "1" })), ["sns:Publish on *"]);
    const two = {
      StartAt: "A",
      States: {
        A: { Type: "Task", Resource: "arn:aws:states:::dynamodb:getItem", Parameters: { TableName: "t" }, Next: "B" },
        B: { Type: "Task", Resource: "arn:aws:states:::aws-sdk:dynamodb:query", Parameters: { TableName: "t", IndexName: "i" }, Next: "C" },
        C: { Type: "Task", Resource: "arn:aws:states:::dynamodb:putItem", Parameters: { TableName: "t" }, End: true },
      },
    };
    // Permissions for one resource are grouped.
    assert.deepEqual(lines(two), [
      `dynamodb:GetItem dynamodb:PutItem on arn:aws:dynamodb:${EU}:table/t`,
      `dynamodb:Query on arn:aws:dynamodb:${EU}:table/t/index/i`,
    ]);
  });

  test("has the permissions for the credentials of HTTP endpoints", () => {
    const ConnectionArn = `arn:aws:events:${EU}:connection/shop/1`;
    const call = { ApiEndpoint: "https://api.example.com/orders", Method: "GET", InvocationConfig: { ConnectionArn } };
    assert.deepEqual(lines(called("http:invoke", call)), [
      `states:InvokeHTTPEndpoint on arn:aws:states:${EU}:stateMachine:Orders if {"StringEquals":{"states:HTTPMethod":"GET"},"StringLike":{"states:HTTPEndpoint":"https://api.example.com/orders"}}`,
      `events:RetrieveConnectionCredentials on ${ConnectionArn}`,
      `secretsmanager:DescribeSecret secretsmanager:GetSecretValue on arn:aws:secretsmanager:${EU}:secret:events!connection/*`,
    ]);
  });

  test("uses the names of IAM actions", () => {
    const allowed = (resource, parameters) => lines(called(`aws-sdk:${resource}`, parameters));
    assert.deepEqual(allowed("s3:getObject", { Bucket: "b", Key: "k" }), ["s3:GetObject on arn:aws:s3:::b/k"]);
    assert.deepEqual(allowed("s3:listObjectsV2", { Bucket: "b" }), ["s3:ListBucket on arn:aws:s3:::b"]);
    assert.deepEqual(allowed("s3:headObject", { Bucket: "b", Key: "k", VersionId: "1" }), ["s3:GetObjectVersion on arn:aws:s3:::b/k"]);
    assert.deepEqual(allowed("s3:copyObject", { Bucket: "b", Key: "k", CopySource: "/c/o%20d" }), [
      "s3:GetObject on arn:aws:s3:::c/o d",
      "s3:PutObject on arn:aws:s3:::b/k",
    ]);
    assert.deepEqual(allowed("s3:listBuckets", {}), ["s3:ListAllMyBuckets on *"]);
    assert.deepEqual(allowed("secretsmanager:getSecretValue", { SecretId: "s" }), [
      `secretsmanager:GetSecretValue on arn:aws:secretsmanager:${EU}:secret:s-??????`,
    ]);
    assert.deepEqual(allowed("ssm:getParameter", { Name: "/a/b" }), [`ssm:GetParameter on arn:aws:ssm:${EU}:parameter/a/b`]);
    assert.deepEqual(allowed("sfn:startExecution", { StateMachineArn: "arn:aws:states:x:1:stateMachine:M" }), [
      "states:StartExecution on arn:aws:states:x:1:stateMachine:M",
    ]);
    assert.deepEqual(allowed("cloudwatch:putMetricData", {}), ["cloudwatch:PutMetricData on *"]);
    assert.deepEqual(
      allowed("dynamodb:transactWriteItems", { TransactItems: [{ Put: { TableName: "t" } }, { ConditionCheck: { TableName: "u" } }] }),
      [`dynamodb:PutItem on arn:aws:dynamodb:${EU}:table/t`, `dynamodb:ConditionCheckItem on arn:aws:dynamodb:${EU}:table/u`],
    );
    // The roles that it passes on, and resources that are named by ARN.
    const RoleArn = "arn:aws:iam::1:role/r";
    assert.deepEqual(allowed("scheduler:createSchedule", { Name: "s", RoleArn, Target: {} }), [
      "scheduler:CreateSchedule on *",
      `iam:PassRole on ${RoleArn}`,
    ]);
    assert.deepEqual(allowed("sts:assumeRole", { RoleArn }), [`sts:AssumeRole on ${RoleArn}`]);
    assert.deepEqual(allowed("states:x", {}), []);
  });
});

describe("a Distributed Map", () => {
  const map = (fields, mode = "DISTRIBUTED") => ({
    StartAt: "Each",
    States: {
      Each: {
        Type: "Map",
        Label: "orders",
        ItemProcessor: {
          ProcessorConfig: { Mode: mode, ExecutionType: "EXPRESS" },
          StartAt: "A",
          States: { A: { Type: "Task", Resource: "arn:aws:states:::sqs:sendMessage", Parameters: { QueueUrl: "q" }, End: true } },
        },
        ...fields,
        End: true,
      },
    },
  });
  const own = [
    `states:StartExecution on arn:aws:states:${EU}:stateMachine:Orders`,
    `states:DescribeExecution states:StopExecution on arn:aws:states:${EU}:execution:Orders:*`,
    `states:DescribeExecution states:RedriveExecution states:StopExecution on arn:aws:states:${EU}:execution:Orders/orders:*`,
  ];
  const inside = `sqs:SendMessage on arn:aws:sqs:${EU}:q`;

  test("has the permissions to start, describe, stop and redrive executions of its own machine", () => {
    assert.deepEqual(lines(map({})), [...own, inside]);
    assert.deepEqual(lines(map({}, "INLINE")), [inside]);
    assert.match(policyOf(map({})).unknown[0].message, /the name of the state machine/);
  });

  test("has the permissions to read items and write results", () => {
    const list = map({
      ItemReader: { Resource: "arn:aws:states:::s3:listObjectsV2", Parameters: { Bucket: "b", Prefix: "in/" } },
      ResultWriter: { Resource: "arn:aws:states:::s3:putObject", Parameters: { Bucket: "c", Prefix: "out" } },
    });
    assert.deepEqual(lines(list).slice(3, -1), [
      's3:ListBucket on arn:aws:s3:::b if {"StringLike":{"s3:prefix":["in/*"]}}',
      "s3:AbortMultipartUpload s3:GetObject s3:ListMultipartUploadParts s3:PutObject on arn:aws:s3:::c/out/*",
    ]);
    const file = map({ ItemReader: { Resource: "arn:aws:states:::s3:getObject", Parameters: { Bucket: "b", "Key.$": "$.key" } } });
    assert.deepEqual(lines(file).slice(3, -1), ["s3:GetObject on arn:aws:s3:::b/*"]);
    assert.deepEqual(gaps(file), ["/States/Each/ItemReader/Parameters/Key.$ expression s3:GetObject arn:aws:s3:::b/*"]);
  });
});

describe("resources that a definition does not name", () => {
  test("are listed with their positions, and allowed as narrowly as possible", () => {
    const at = "/States/A/Parameters/TableName";
    const any = `arn:aws:dynamodb:${EU}:table/*`;
    assert.deepEqual(gaps(called("dynamodb:getItem", { "TableName.$": "$.t" })), [`${at}.$ expression dynamodb:GetItem ${any}`]);
    assert.deepEqual(gaps(called("dynamodb:getItem", { TableName: "${Table}" })), [`${at} placeholder dynamodb:GetItem ${any}`]);
    assert.deepEqual(gaps(called("dynamodb:getItem", { TableName: { Ref: "Table" } })), [`${at} placeholder dynamodb:GetItem ${any}`]);
    assert.deepEqual(gaps(called("dynamodb:getItem", {})), [`/States/A/Parameters missing dynamodb:GetItem ${any}`]);
    assert.deepEqual(gaps(called("dynamodb:getItem", undefined)), [`/States/A expression dynamodb:GetItem ${any}`]);
    assert.deepEqual(lines(called("dynamodb:getItem", { "TableName.$": "$.t" })), [`dynamodb:GetItem on ${any}`]);
    const arn = "arn:aws:sns:${AWS::Region}:${AWS::AccountId}:orders";
    assert.deepEqual(lines(called("sns:publish", { TopicArn: arn })), ["sns:Publish on arn:aws:sns:*:*:orders"]);
  });

  test("are read from JSONata, too, if an expression is a constant string", () => {
    const jsonata = (TableName) => ({
      QueryLanguage: "JSONata",
      ...machine({ Resource: "arn:aws:states:::dynamodb:getItem", Arguments: { TableName } }),
    });
    assert.deepEqual(gaps(jsonata("{% $states.input.t %}")), [
      `/States/A/Arguments/TableName expression dynamodb:GetItem arn:aws:dynamodb:${EU}:table/*`,
    ]);
    assert.deepEqual(lines(jsonata("{% 'orders' %}")), [`dynamodb:GetItem on arn:aws:dynamodb:${EU}:table/orders`]);
    assert.deepEqual(gaps(jsonata("orders")), []);
  });

  test("never include a role: a computed role is not passed on", () => {
    const { policy, unknown } = policyOf(called("sagemaker:createModel", { ModelName: "M", "ExecutionRoleArn.$": "$.role" }), here);
    assert.ok(!JSON.stringify(policy).includes("iam:PassRole"));
    assert.deepEqual(
      unknown.map(({ actions, granted }) => [actions, granted]),
      [[["iam:PassRole"], []]],
    );
  });

  test("do not include what another role, a workgroup or Kubernetes decides", () => {
    const RoleArn = "arn:aws:iam::444455556666:role/there";
    const other = called("sqs:sendMessage", { QueueUrl: "q" }, { Credentials: { RoleArn } });
    assert.deepEqual(lines(other), [`sts:AssumeRole on ${RoleArn}`]);
    assert.deepEqual(gaps(other), ["/States/A elsewhere  "]);
    assert.match(gaps(called("athena:startQueryExecution.sync", { QueryString: "" })).join(), /elsewhere s3:/);
    assert.match(gaps(called("aws-sdk:apigateway:createApiKey", {})).join(), /unmapped/);
    assert.match(gaps(called("aws-sdk:nosuchservice:get", {})).join(), /unmapped/);
    assert.match(gaps(machine({ Resource: "${Function}" })).join(), /placeholder/);
  });
});

test("every optimized integration in every pattern has permissions", async () => {
  for (const integration of await searchIntegrations("", { limit: 1000 })) {
    for (const { pattern } of integration.patterns) {
      const state = taskState(integration, { pattern });
      const { policy, unknown } = policyOf(machine(state), here);
      const found = policy.Statement.length > 0 || unknown.length > 0 || integration.service === "apigateway";
      assert.ok(found && !unknown.some(({ reason }) => reason === "unmapped"), state.Resource);
      for (const { Action, Resource } of policy.Statement) {
        assert.ok(
          Action.every((action) => /^[a-z0-9-]+:[A-Z]\w+$/.test(action)),
          `${state.Resource} ${Action}`,
        );
        assert.ok(
          Resource.every((arn) => arn === "*" || /^arn:aws:[a-z0-9-]+:[^:]*:[^:]*:.+$/.test(arn)),
          `${state.Resource} ${Resource}`,
        );
      }
    }
  }
});

test("permissions for logs and traces are optional; activities and other states need none", () => {
  const nothing = { StartAt: "A", States: { A: { Type: "Task", Resource: `arn:aws:states:${EU}:activity:a`, End: true } } };
  assert.deepEqual(policyOf(nothing), { policy: { Version: "2012-10-17", Statement: [] }, unknown: [] });
  const [{ Action, Resource }] = policyOf(nothing, { logs: true, tracing: true }).policy.Statement;
  assert.ok(Action.includes("logs:CreateLogDelivery") && Action.includes("xray:PutTraceSegments"));
  assert.deepEqual(Resource, ["*"]);
});

test("an invalid definition is refused", () => {
  assert.throws(() => policyOf("StartAt: A"), { code: "INVALID_ARGUMENT", message: /parseYaml/ });
  assert.throws(() => policyOf(null), { code: "INVALID_ARGUMENT" });
  assert.throws(() => policyOf({}, { zone: 1 }), { code: "INVALID_OPTION" });
  assert.deepEqual(policyOf({ States: { A: 7, B: { Type: "Task" }, C: { Type: "Map", ItemReader: 1 } } }).policy.Statement, []);
});

describe("stepglass policy", () => {
  const definition = called("dynamodb:getItem", { "TableName.$": "$.t", Key: {} });
  const { stepglass } = folderWith({
    "a.asl.json": definition,
    "b.asl.yaml": "StartAt: A\nStates:\n  A:\n    Type: Succeed\n",
    "broken.asl.json": { StartAt: "A" },
  });
  const run = (...args) => stepglass("policy", ...args);

  test("prints the policy, and unknown resources on standard error", async () => {
    const { code, stdout, stderr } = await run("a.asl.json", "--region", "eu-west-1", "--account", "111122223333");
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), policyOf(definition, { region: here.region, account: here.account }).policy);
    assert.match(
      stderr,
      /1 place where the definition does not say enough:\n  A: TableName is computed \(dynamodb:GetItem on arn:aws:dynamodb:eu-west-1:111122223333:table\/\*\)\n    at \/States\/A\/Parameters\/TableName\.\$/,
    );
    assert.match((await run("b.asl.yaml")).stderr, /calls nothing that needs a permission/);
  });

  test("prints both as JSON, and fails on request if a resource is unknown", async () => {
    const { code, stdout } = await run("a.asl.json", "--json", "--strict");
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(policyOf(definition))));
    assert.equal((await run("b.asl.yaml", "--strict")).code, 0);
  });

  test("refuses unusable arguments", async () => {
    assert.equal((await run("broken.asl.json")).code, 1);
    assert.equal((await run()).code, 2);
    assert.match((await run("a.asl.json", "--account", "12")).stderr, /12 digits/);
  });
});
