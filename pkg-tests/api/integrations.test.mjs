// The table of service integrations: its search, an integration's properties, and the state that is generated from it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { validate } from "stepglass";
import { completeIntegrations, integrationOf, searchIntegrations, taskState } from "stepglass/integrations";
import { importSource } from "../../scripts/sources.mjs";
import { root } from "../../scripts/steps.mjs";

const TYPES = ["string", "number", "boolean", "array", "object", "timestamp", "blob"];

const found = async (query, limit = 3) =>
  (await searchIntegrations(query, { limit, optional: false })).map(({ resource }) => resource.replace("arn:aws:states:::", ""));

describe("the search of integrations", () => {
  test("finds services and actions by the beginnings of words, optimized integrations first", async () => {
    assert.deepEqual(await found("sqs send"), ["sqs:sendMessage", "aws-sdk:sqs:sendMessage", "aws-sdk:sqs:sendMessageBatch"]);
    assert.deepEqual(await found("put dynamo", 2), ["dynamodb:putItem", "aws-sdk:dynamodb:putItem"]);
    assert.deepEqual(await found("rds desc inst", 1), ["aws-sdk:rds:describeDBInstances"]);
    assert.deepEqual(await found("GETOBJ", 1), ["aws-sdk:s3:getObject"]);
    assert.deepEqual(await found("no such thing"), []);
  });

  test("finds services by their purpose", async () => {
    for (const [query, expected] of [
      ["queue", "sqs:sendMessage"],
      ["function", "lambda:invoke"],
      ["step functions start", "states:startExecution"],
      ["send email", "aws-sdk:sesv2:sendEmail"],
      ["secret value", "aws-sdk:secretsmanager:getSecretValue"],
      ["parameter", "aws-sdk:ssm:getParameter"],
      ["bucket", "aws-sdk:s3:headBucket"],
    ])
      assert.equal((await found(query))[0], expected, query);
  });

  test("filters by what can be waited for", async () => {
    assert.deepEqual(await found("glue sync"), ["glue:startJobRun", "databrew:startJobRun"]);
    assert.equal((await found("sns token"))[0], "sns:publish");
  });

  test("accepts a Resource with or without its pattern", async () => {
    assert.deepEqual(await found("arn:aws:states:::aws-sdk:s3:getObject", 1), ["aws-sdk:s3:getObject"]);
    assert.deepEqual(await found("sqs:sendMessage.waitForTaskToken", 1), ["sqs:sendMessage"]);
    assert.deepEqual(await found("states:startExecution.sync:2", 1), ["states:startExecution"]);
  });

  test("lists the optimized integrations for an empty query, up to the limit", async () => {
    const all = await searchIntegrations("", { limit: 1000 });
    assert.ok(all.length > 50 && all.every(({ optimized }) => optimized));
    assert.equal(all[0].resource, "arn:aws:states:::lambda:invoke");
    assert.equal((await searchIntegrations("list")).length, 20);
    assert.deepEqual(await searchIntegrations("list", { limit: 0 }), []);
  });

  test("refuses an invalid query", async () => {
    await assert.rejects(searchIntegrations(7), { code: "INVALID_ARGUMENT" });
    await assert.rejects(searchIntegrations("", { limit: -1 }), { code: "INVALID_OPTION" });
    await assert.rejects(searchIntegrations("", { most: 1 }), { code: "INVALID_OPTION" });
  });
});

describe("an integration", () => {
  test("has patterns with their Resources, and parameters with types, required ones first", async () => {
    const send = await integrationOf("arn:aws:states:::sqs:sendMessage.waitForTaskToken");
    assert.deepEqual(
      { ...send, parameters: send.parameters.slice(0, 3) },
      {
        service: "sqs",
        title: "SQS",
        action: "sendMessage",
        resource: "arn:aws:states:::sqs:sendMessage",
        optimized: true,
        patterns: [
          { pattern: "requestResponse", resource: "arn:aws:states:::sqs:sendMessage" },
          { pattern: "waitForTaskToken", resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken" },
        ],
        parameters: [
          { name: "MessageBody", type: "string", required: true },
          { name: "QueueUrl", type: "string", required: true },
          { name: "DelaySeconds", type: "number", required: false },
        ],
      },
    );
  });

  test("names parameters as Step Functions does, not as the service's model", async () => {
    const names = async (resource) => (await integrationOf(`arn:aws:states:::${resource}`)).parameters.map(({ name }) => name);
    assert.ok((await names("aws-sdk:rds:describeDBInstances")).includes("DbInstanceIdentifier"));
    assert.deepEqual((await names("batch:submitJob")).slice(0, 3), ["JobDefinition", "JobName", "JobQueue"]);
    // The SDK generates this token itself.
    const job = await integrationOf("arn:aws:states:::emr-serverless:startJobRun.sync");
    assert.equal(job.parameters.find(({ name }) => name === "ClientToken").required, false);
  });

  test("is undefined for functions, activities and unknown actions", async () => {
    for (const resource of [
      "arn:aws:lambda:us-east-1:123456789012:function:F",
      "arn:aws:states:us-east-1:123456789012:activity:A",
      "arn:aws:states:::sqs:nothing",
      "arn:aws:states:::aws-sdk:sqs:nothing",
      "",
    ])
      assert.equal(await integrationOf(resource), undefined, resource);
  });
});

describe("the state of an integration", () => {
  test("has an empty value for each required parameter", async () => {
    const put = await integrationOf("arn:aws:states:::dynamodb:putItem");
    assert.deepEqual(taskState(put), { Type: "Task", Resource: put.resource, Parameters: { Item: {}, TableName: "" } });
    assert.deepEqual(taskState(put, { queryLanguage: "JSONata" }).Arguments, { Item: {}, TableName: "" });
  });

  test("passes the task token if the service takes it", async () => {
    const send = await integrationOf("arn:aws:states:::sqs:sendMessage");
    assert.deepEqual(taskState(send, { pattern: "waitForTaskToken" }), {
      Type: "Task",
      Resource: "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
      Parameters: { MessageBody: { "TaskToken.$": "$$.Task.Token" }, QueueUrl: "" },
    });
    const run = taskState(await integrationOf("arn:aws:states:::ecs:runTask"), { pattern: "waitForTaskToken", queryLanguage: "JSONata" });
    const [{ Environment }] = run.Arguments.Overrides.ContainerOverrides;
    assert.deepEqual(Environment, [{ Name: "TASK_TOKEN", Value: "{% $states.context.Task.Token %}" }]);
  });

  test("is valid for every optimized integration, in every pattern and both query languages", async () => {
    for (const integration of await searchIntegrations("", { limit: 1000 })) {
      for (const { pattern } of integration.patterns) {
        for (const queryLanguage of ["JSONPath", "JSONata"]) {
          const state = taskState(integration, { pattern, queryLanguage });
          const diagnostics = validate({ QueryLanguage: queryLanguage, StartAt: "A", States: { A: { ...state, End: true } } });
          assert.deepEqual(
            diagnostics.filter(({ severity }) => severity === "error"),
            [],
            `${state.Resource} ${queryLanguage}`,
          );
        }
      }
    }
  });

  test("is refused for a pattern that the integration lacks", async () => {
    const put = await integrationOf("arn:aws:states:::dynamodb:putItem");
    assert.throws(() => taskState(put, { pattern: "sync" }), {
      code: "INVALID_OPTION",
      message: /has no pattern "sync"; it has requestResponse/,
    });
    assert.throws(() => taskState(put, { queryLanguage: "SQL" }), { code: "INVALID_OPTION" });
  });
});

describe("the tables", () => {
  test("have the names of the SDK for Java, which Step Functions uses", async () => {
    const { camelCased, memberName, serviceName } = await importSource("js/core/integrations/names.ts");
    assert.deepEqual(["DBInstanceIdentifier", "ETag", "ACL", "SSEKMSKeyId", "jobName", "S3Key"].map(memberName), [
      "DbInstanceIdentifier",
      "ETag",
      "Acl",
      "SsekmsKeyId",
      "JobName",
      "S3Key",
    ]);
    assert.equal(camelCased("DescribeDBInstances"), "describeDBInstances");
    assert.deepEqual(["SQS", "Cognito Identity Provider", "Directory Service", "AWS Health"].map(serviceName), [
      "sqs",
      "cognitoidentityprovider",
      "directory",
      "health",
    ]);
  });

  test("have every parameter of every action", async () => {
    const { Catalogue } = await importSource("js/core/integrations/catalogue.ts");
    const table = (name) => JSON.parse(gunzipSync(readFileSync(join(root, "js/core/integrations/tables", name))));
    const [actions, optional] = [table("actions.json.gz"), table("parameters.json.gz")];
    assert.deepEqual(
      actions.map((service) => Object.keys(service).length),
      optional.map((service) => service.length),
    );
    const catalogue = new Catalogue(actions);
    catalogue.complement(optional);
    assert.ok(catalogue.entries.length > 19_000);
    for (const entry of catalogue.entries) {
      const { parameters } = catalogue.integration(entry, true);
      assert.ok(
        parameters.every(({ name, type }) => /^[A-Z][\w.-]*$/.test(name) && TYPES.includes(type)),
        `${entry.service}:${entry.action}: ${parameters.map(({ name }) => name)}`,
      );
    }
  });
});

describe("the completion of integrations", () => {
  //
  // is the cursor.
  const at = async (text) => {
    const offset = text.indexOf("|");
    const found = await completeIntegrations(text.replace("|", ""), offset);
    return found && { replaced: text.replace("|", "").slice(found.replace.start, found.replace.end), items: found.items };
  };
  const state = (fields) => `{"StartAt":"A","States":{"A":{"Type":"Task",${fields}`;

  test("proposes Resources for what is typed, also in an unfinished text", async () => {
    for (const text of [state('"Resource":"arn:aws:states:::sqs:se|nd","End":true}}}'), state('"Resource": "sqs se|')]) {
      const { replaced, items } = await at(text);
      assert.ok(["arn:aws:states:::sqs:send", "sqs se"].includes(replaced));
      assert.deepEqual(items[0], {
        label: "arn:aws:states:::sqs:sendMessage",
        kind: "value",
        detail: "SQS",
        insert: "arn:aws:states:::sqs:sendMessage",
      });
      assert.equal(items[1].detail, "SQS, waits for the token");
    }
    assert.equal((await at(state('"Resource":"|"'))).items[0].label, "arn:aws:states:::lambda:invoke");
    assert.equal((await at(state('"Resource":"arn:aws:sta|"'))).items[0].label, "arn:aws:states:::lambda:invoke");
  });

  test("proposes missing parameters, required ones first", async () => {
    const text = state('"Resource":"arn:aws:states:::sqs:sendMessage.waitForTaskToken","Parameters":{"QueueUrl.$":"$.q","|"');
    const { items, replaced } = await at(text);
    assert.deepEqual(
      [replaced, items[0]],
      ["", { label: "MessageBody", kind: "field", detail: "string, required", insert: "MessageBody" }],
    );
    assert.ok(!items.some(({ label }) => label === "QueueUrl") && items.some(({ label }) => label === "DelaySeconds"));
    // If no name has been started, the member has an empty value.
    const { items: members } = await at(state('"Resource":"arn:aws:states:::dynamodb:getItem","Parameters":{"TableName":"t",|'));
    assert.equal(members[0].insert, '"Key": {}');
    // The Resource may come later.
    const behind = state('"Arguments":{"Tab|":1},"Resource":"arn:aws:states:::dynamodb:getItem","End":true}}}');
    assert.deepEqual(
      (await at(behind)).items.slice(0, 2).map(({ label }) => label),
      ["Key", "TableName"],
    );
  });

  test("proposes nothing elsewhere", async () => {
    const sqs = '"Resource":"arn:aws:states:::sqs:sendMessage","Parameters":';
    for (const text of [
      "|",
      state(`${sqs}{"QueueUrl":|`),
      state(`${sqs}{"QueueUrl":"q" |`),
      '{"Resource":"|"}',
      state('"Comment":"|"'),
      state('"Re|"'),
      state(`${sqs}{"QueueUrl":"|"}`),
      state(`${sqs}{"MessageAttributes":{"|":1}}`),
      state('"Parameters":{"|":1}'),
      state('"Resource":"arn:aws:states:::sqs:sendMessage"|'),
    ])
      assert.equal(await at(text), undefined, text);
    // It proposes nothing for unknown services.
    assert.deepEqual((await at(state('"Resource":"arn:aws:lambda:x:1:function:f","Parameters":{"|":1}'))).items, []);
    await assert.rejects(completeIntegrations(7), { code: "INVALID_ARGUMENT" });
  });
});
