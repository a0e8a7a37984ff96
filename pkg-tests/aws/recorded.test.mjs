// The calls of recorded AWS executions are made again with emulators. They have the same events, and results and errors of the same shape.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { recordings } from "../../scripts/recordings.mjs";
import { StateMachine } from "../../dist/node.js";
import { awsTasks } from "../../dist/aws.js";
import { serve } from "../../dist/server.js";
import { project, skip as noEmulator, standIn, startLambda, startMoto } from "./emulators.mjs";

const { file, skip: noRecordings } = recordings("aws-recorded.jsonl");
const skip = noEmulator || noRecordings;

/** Calls that an emulator answers in another way than AWS: the service, a part of the recording's name, and the reason. */
const DIFFERENT = [
  ["sqs", "test_send_message_no_such_queue", "with an endpoint, the host of a queue's URL is not called"],
  ["sns", "test_fifo_message_attribute[input_params0", "moto takes a message without group"],
];
/** The errors that AWS sends where moto sends others: the service, a part of the recording's name, the status and the error's type. */
const ON_THE_WIRE = [
  ["sqs", "test_send_message_empty_body", 400, "com.amazon.coral.service#MissingParameter"],
  ["dynamodb", "test_put_item_invalid_table_name", 400, "com.amazon.coral.validate#ValidationException"],
  ["aws-sdk:dynamodb", "test_dynamodb_invalid_param", 400, "com.amazon.coral.validate#ValidationException"],
  ["aws-sdk:secretsmanager", "test_invalid_secret_name", 400, "ValidationException"],
];
/** Members that only AWS sends, and below those that only emulators send. */
const ONLY_AWS = new Set([
  "ServerSideEncryption",
  "ChecksumType",
  "SequenceNumber",
  "RedriveCount",
  "RedriveStatus",
  "RedriveStatusReason",
]);
const ONLY_HERE = new Set(["RedriveCount", "RedriveStatus", "RedriveStatusReason", "ChecksumCRC32", "ConsumedCapacity"]);

const OF_TASKS = /^Task(Scheduled|Started|Submitted|Succeeded|Failed)$/;

const isEnd = ({ type }) => type === "TaskSucceeded" || type === "TaskFailed";

const parsed = (text) => {
  try {
    return typeof text === "string" ? JSON.parse(text) : text;
  } catch {
    return text;
  }
};

/** The calls of all recordings: `{ name, resource, parameters, events }`. */
function calls() {
  const found = [];
  const rows = readFileSync(file, "utf8").trim().split("\n");
  for (const { name, kind, aws_validated: real, expected } of rows.map((line) => JSON.parse(line))) {
    if (!["execution", "express_sync"].includes(kind) || !real) continue;
    const history = expected.history ?? [];
    for (const event of history) {
      const about = event.taskScheduledEventDetails;
      if (event.type !== "TaskScheduled" || about?.resource === undefined) continue;
      const events = [event];
      if (event.previousEventId === undefined) continue;
      for (const other of history) {
        const before = events.at(-1);
        if (isEnd(before)) break;
        if (other.previousEventId === before.id && OF_TASKS.test(other.type)) events.push(other);
      }
      const last = events.at(-1);
      if (!isEnd(last)) continue;
      found.push({
        name,
        service: about.resourceType,
        resource: `${about.resourceType}:${about.resource}`,
        parameters: parsed(about.parameters),
        events,
      });
    }
  }
  return found;
}

const detailsOf = (event) => Object.entries(event).find(([member]) => member.endsWith("EventDetails"))?.[1] ?? {};
const outputOf = (event) => parsed(detailsOf(event).output);

/** The item that a call has read. */
const itemOf = (event) => outputOf(event)?.Item ?? outputOf(event)?.Items?.[0];

describe("calls that AWS has recorded", { skip }, () => {
  let moto, lambda, server, wire, tasks, wireTasks;
  const functions = {};
  const nested = {};
  let answer;
  /** The task token of the present run. */
  let current;

  before(async () => {
    process.chdir(project);
    moto = await startMoto();
    lambda = await startLambda(functions);
    server = await serve({ port: 0, logLevel: "silent" });
    wire = await standIn(() => answer);
    tasks = awsTasks({ endpoint: moto.url, endpoints: { lambda: lambda.url, states: server.url } });
    wireTasks = awsTasks({ endpoint: wire.url });
  });
  after(async () => {
    moto?.close();
    lambda?.close();
    wire?.close();
    await server?.close();
  });

  async function run(resource, parameters, handlers, complete) {
    current = {};
    const state = { Type: "Task", Resource: `arn:aws:states:::${resource}`, Parameters: parameters, End: true };
    const machine = new StateMachine({ StartAt: "Call", States: { Call: state } });
    const noted = Object.fromEntries(
      Object.entries(handlers).map(([pattern, handler]) => [
        pattern,
        (input, task) => ((current.token = task.token), handler(input, task)),
      ]),
    );
    const execution = machine.start({}, { tasks: noted, onEvent: (event) => event.type === "TaskSubmitted" && complete?.(execution) });
    await execution.result;
    return execution.history().filter(({ type }) => OF_TASKS.test(type));
  }

  const ask = async (resource, parameters) => outputOf((await run(resource, parameters, tasks)).at(-1));

  /** Functions by service that create the resources of a recorded call in the emulator, and return the parameters with their names. */
  const prepare = {
    async sqs({ MessageBody, ...others }, { resource }) {
      const { QueueUrl } = await ask("aws-sdk:sqs:createQueue", { QueueName: "recorded" });
      const token = resource.endsWith("waitForTaskToken") ? { "TaskToken.$": "$$.Task.Token" } : {};
      const body =
        typeof MessageBody === "object" && MessageBody !== null ? { ...MessageBody, TaskToken: undefined, ...token } : MessageBody;
      return { ...others, QueueUrl, MessageBody: body };
    },
    async sns({ Message, ...others }, { name, resource }) {
      const fifo = name.includes("fifo");
      const attributes = fifo ? { Attributes: { FifoTopic: "true" } } : {};
      const { TopicArn } = await ask("aws-sdk:sns:createTopic", { Name: fifo ? "recorded.fifo" : "recorded", ...attributes });
      const token = resource.endsWith("waitForTaskToken") ? { "TaskToken.$": "$$.Task.Token" } : {};
      const message = typeof Message === "object" && Message !== null ? { ...Message, TaskToken: undefined, ...token } : Message;
      return { ...others, TopicArn: name.includes("error_topic_arn") ? `${TopicArn}-none` : TopicArn, Message: message };
    },
    async dynamodb(given, { name, events }) {
      const KeySchema = [{ AttributeName: "id", KeyType: "HASH" }];
      const AttributeDefinitions = [{ AttributeName: "id", AttributeType: "S" }];
      await ask("aws-sdk:dynamodb:createTable", { TableName: "recorded", KeySchema, AttributeDefinitions, BillingMode: "PAY_PER_REQUEST" });
      await ask("dynamodb:putItem", { TableName: "recorded", Item: itemOf(events.at(-1)) ?? { id: { S: "id1" } } });
      return { ...given, TableName: name.includes("no_such_table") ? "none" : "recorded" };
    },
    async s3(given, { name, events }) {
      if (name.includes("no_such_bucket")) return given;
      await ask("aws-sdk:s3:createBucket", { Bucket: "recorded" });
      const { Body } = outputOf(events.at(-1)) ?? {};
      // The object is written without the SDK integration, which would write a text as JSON.
      const headers = { "content-type": "binary/octet-stream" };
      if (Body !== undefined) await fetch(`${moto.url}/recorded/${given.Key}`, { method: "PUT", body: Body, headers });
      return { ...given, Bucket: "recorded" };
    },
    lambda(given, { name, events }) {
      const last = events.at(-1);
      const { Payload } = outputOf(last) ?? {};
      const { error, cause } = detailsOf(last);
      delete functions.recorded;
      if (name.includes("data_limit_exceeded")) functions.recorded = () => JSON.stringify("é".repeat(200_000));
      else if (last.type === "TaskSucceeded") functions.recorded = () => JSON.stringify(Payload);
      else if (!error.startsWith("Lambda.")) {
        functions.recorded = () => {
          throw Object.assign(new Error(parsed(cause).errorMessage), { name: error });
        };
      }
      return { ...given, FunctionName: "recorded" };
    },
    async states(given, { events }) {
      const { error, cause } = detailsOf(events.at(-1));
      if (error === "StepFunctions.StateMachineDoesNotExistException")
        return { ...given, StateMachineArn: "arn:aws:states:us-east-1:123456789012:stateMachine:none" };
      const failure = error === undefined ? undefined : parsed(cause);
      const result = outputOf(events.at(-1))?.Output ?? {};
      const key = failure?.Error ?? Object.keys(result).join("-");
      const state =
        failure === undefined ? { Type: "Pass", Result: result, End: true } : { Type: "Fail", Error: failure.Error, Cause: failure.Cause };
      nested[key] ??= await server.call("CreateStateMachine", {
        name: `recorded-${key}`,
        definition: JSON.stringify({ StartAt: "End", States: { End: state } }),
        roleArn: "arn:aws:iam::123456789012:role/r",
      });
      const { Name, ...others } = given;
      return { ...others, StateMachineArn: nested[key].stateMachineArn };
    },
    sfn: (given, call) => (given.StateMachineArn === undefined ? given : prepare.states(given, call)),
  };

  /** The part of a result that is compared: names and types of members. HTTP headers differ from server to server. */
  function shape(value, other) {
    if (Array.isArray(value)) return value.map((item, i) => shape(item, other?.[i]));
    if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([member]) => !(ONLY_AWS.has(member) || ONLY_HERE.has(member)) || Object.hasOwn(other ?? {}, member))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([member, item]) => [
          member,
          member === "SdkHttpMetadata" ? httpShape(item) : MASKED.has(member) ? "any" : shape(item, other?.[member]),
        ]),
    );
  }
  /** Members whose values the recordings replace by a placeholder. */
  const MASKED = new Set(["StartDate", "StopDate", "LastModified"]);

  function httpShape({ AllHttpHeaders, HttpHeaders, HttpStatusCode }) {
    assert.deepEqual(Object.keys(AllHttpHeaders).sort(), Object.keys(HttpHeaders).sort());
    for (const text of Object.values(HttpHeaders)) assert.equal(typeof text, "string");
    return { AllHttpHeaders: "headers", HttpHeaders: "headers", HttpStatusCode };
  }

  /** A cause without the parts that differ in each call. */
  const causeShape = (cause) => {
    const details = parsed(cause);
    if (details === undefined) return undefined;
    if (typeof details === "object")
      return shape({ ...details, stackTrace: [], ...(details.ExecutionArn && { Cause: "", Name: "", StopDate: "" }) });
    return String(cause)
      .replace(/Request ID: [^;,)]+/g, "Request ID: …")
      .replace(/ \(SDK Attempt Count: \d+\)/, "")
      .replace(/, Extended Request ID: [^;,)]+/, "")
      .replace(/^.*? \(Service/s, "… (Service")
      .replace("'lambda'", "'…'");
  };

  const compared = (events) =>
    events.map((event) => {
      const { error, cause, resource, resourceType } = detailsOf(event);
      return { type: event.type, resource, resourceType, ...(error !== undefined && { error, cause: causeShape(cause) }) };
    });

  const all = skip
    ? []
    : calls().filter(({ service }) => /^(aws-sdk:)?(sqs|sns|dynamodb|s3|lambda|events|states|sfn|secretsmanager)$/.test(service));

  test("cover all services with recordings", () => {
    assert.ok(all.length > 70, `${all.length} calls`);
    assert.deepEqual([...new Set(all.map(({ service }) => service))].sort(), [
      "aws-sdk:dynamodb",
      "aws-sdk:s3",
      "aws-sdk:secretsmanager",
      "aws-sdk:sfn",
      "dynamodb",
      "events",
      "lambda",
      "sns",
      "sqs",
      "states",
    ]);
  });

  for (const call of all) {
    const { name, service, resource, parameters, events } = call;
    const is = ([of, part]) => service === of && name.includes(part);
    const [, , because] = DIFFERENT.find(is) ?? [];
    const [, , status, type] = ON_THE_WIRE.find(is) ?? [];
    test(`${resource}: ${name}`, { skip: because ?? false }, async () => {
      const last = events.at(-1);
      const failed = detailsOf(last);
      let got;
      if (status !== undefined || failed.error === "EventBridge.FailedEntry") {
        const message = String(failed.cause).split(" (Service")[0];
        answer =
          status === undefined
            ? { headers: { "x-amzn-requestid": "r" }, body: failed.cause }
            : {
                status,
                headers: { "x-amzn-requestid": "r", "content-type": "application/x-amz-json-1.0" },
                body: { __type: type, message },
              };
        got = await run(resource, parameters, wireTasks);
      } else {
        const of = service.replace("aws-sdk:", "");
        const given = (await prepare[of]?.(parameters, call)) ?? parameters;
        got = await run(resource, given, tasks, (execution) => {
          if (!resource.endsWith("waitForTaskToken")) return;
          const { token } = current;
          if (last.type === "TaskSucceeded") execution.succeed(token, outputOf(last));
          else execution.fail(token, failed);
        });
      }
      assert.deepEqual(compared(got), compared(events));
      for (const [i, event] of events.entries()) {
        const [expected, actual] = [outputOf(event), outputOf(got[i])];
        assert.deepEqual(shape(actual, expected), shape(expected, actual), event.type);
      }
    });
  }
});
