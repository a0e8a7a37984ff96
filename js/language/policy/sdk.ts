// The permissions for AWS SDK integrations: the action of IAM, which mostly has the name of the API's action, and its resources.

import { isObject } from "../../core/base/json.ts";
import { sdkServices } from "../../core/integrations/catalogue.ts";
import type { Call, Found } from "./call.ts";
import { bucketAndKey, s3Arn } from "./names.ts";
import { functionNamed, putEvents, queue, type Rule, startExecution, table } from "./optimized.ts";

/** IAM prefixes that are not in the models (Service Authorization Reference). */
const PREFIXES: Readonly<Record<string, string>> = {
  cloudwatch: "cloudwatch",
  iotdataplane: "iot",
  iotjobsdataplane: "iotjobsdata",
  mturk: "mechanicalturk",
  resourcegroupstaggingapi: "tag",
  s3control: "s3",
};

/**
 * APIs of S3 whose permission has another name ("Required permissions for Amazon S3 API operations"), with the kind of their
 * resource.
 */
const S3: Readonly<Record<string, [action: string, on: "bucket" | "object" | "all"]>> = {
  abortMultipartUpload: ["AbortMultipartUpload", "object"],
  completeMultipartUpload: ["PutObject", "object"],
  createMultipartUpload: ["PutObject", "object"],
  deleteObject: ["DeleteObject", "object"],
  deleteObjects: ["DeleteObject", "object"],
  deleteObjectTagging: ["DeleteObjectTagging", "object"],
  getObject: ["GetObject", "object"],
  getObjectAcl: ["GetObjectAcl", "object"],
  getObjectAttributes: ["GetObject", "object"],
  getObjectTagging: ["GetObjectTagging", "object"],
  headBucket: ["ListBucket", "bucket"],
  headObject: ["GetObject", "object"],
  listBuckets: ["ListAllMyBuckets", "all"],
  listMultipartUploads: ["ListBucketMultipartUploads", "bucket"],
  listObjects: ["ListBucket", "bucket"],
  listObjectsV2: ["ListBucket", "bucket"],
  listObjectVersions: ["ListBucketVersions", "bucket"],
  listParts: ["ListMultipartUploadParts", "object"],
  putObject: ["PutObject", "object"],
  putObjectAcl: ["PutObjectAcl", "object"],
  putObjectTagging: ["PutObjectTagging", "object"],
  restoreObject: ["RestoreObject", "object"],
  selectObjectContent: ["GetObject", "object"],
  uploadPart: ["PutObject", "object"],
};

/** Returns the resource of a call, by service. Undefined if the parameters do not contain it. */
const RESOURCES: Readonly<Record<string, (call: Call, action: string) => Found | undefined>> = {
  dynamodb: (call, action) => (call.has("TableName") ? withIndexes(call, action) : undefined),
  kms: (call) =>
    call.has("KeyId") && !call.value("KeyId").text?.startsWith("alias/") ? call.find("KeyId", "kms", (id) => `key/${id}`) : undefined,
  lambda: (call) => (call.has("FunctionName") ? functionNamed(call) : undefined),
  secretsmanager: (call) => (call.has("SecretId") ? secret(call, "SecretId") : call.has("Name") ? secret(call, "Name") : undefined),
  sns: (call) => (call.has("TopicArn") ? call.find("TopicArn", "sns", (name) => name) : undefined),
  sqs: (call) => (call.has("QueueUrl") ? queue(call) : undefined),
  ssm: (call) => parameters(call),
};

/** Returns the rule for a call of the AWS SDK. `action` is the name in the Resource. */
export function sdkRule(service: string, action: string): Rule {
  const operation = action.charAt(0).toUpperCase() + action.slice(1);
  if (service === "s3") return (call) => s3(call, action, operation);
  if (service === "sfn" && action === "startExecution") return startExecution;
  if ((service === "eventbridge" || service === "cloudwatchevents") && action === "putEvents") return putEvents;
  if (service === "lambda" && action.startsWith("invoke")) return (call) => call.allow("lambda:InvokeFunction", functionNamed(call));
  if (service === "apigateway" || service === "apigatewayv2")
    return (call) => call.lacks([], "unmapped", `IAM permissions of API Gateway are by HTTP method and path: add those of ${operation}`);
  if (service === "dynamodb" && /^(transact|batch|execute)/.test(action)) return (call) => batched(call, action, operation);
  return (call) => {
    const prefix = PREFIXES[service] ?? sdkServices.find(({ name }) => name === service.replace(/service$/, ""))?.prefix;
    if (prefix === undefined) {
      call.lacks([], "unmapped", `the service ${service} and its IAM prefix are not known`);
      return;
    }
    call.allow(`${prefix}:${operation}`, RESOURCES[service]?.(call, action) ?? byArns(call, prefix, service, operation));
    for (const name of call.members) if (/(^|[a-z])Role(Arn)?$/.test(name) && service !== "sts") call.passes(name);
  };
}

/** Returns the resources that parameters name by ARNs of the service itself, or all resources if none does. */
function byArns(call: Call, prefix: string, service: string, operation: string): Found {
  const known = call.members.map((name) => call.value(name));
  const own = known.flatMap(({ text, reason }) => (reason === undefined && text?.split(":")[2] === prefix ? [text] : []));
  // The resources of AssumeRole are roles of IAM.
  if (service === "sts" && call.has("RoleArn")) return call.find("RoleArn", "iam", (name) => `role/${name}`);
  if (own.length > 0) return { resources: own };
  const message = `the resources of ${prefix}:${operation} are not known, so all are allowed`;
  return { resources: ["*"], gap: { reason: "unmapped", pointer: call.pointer, message } };
}

function s3(call: Call, action: string, operation: string): void {
  const [permission, on] = S3[action] ?? [operation, operation.includes("Object") ? "object" : "bucket"];
  const version =
    call.has("VersionId") && /^(Get|Delete)Object/.test(permission) ? permission.replace("Object", "ObjectVersion") : permission;
  if (on === "all") {
    call.allow(`s3:${version}`, "*");
    return;
  }
  if (action === "copyObject") {
    call.allow(
      "s3:GetObject",
      call.resource(["CopySource"], (source) => objectArn(call, decoded(source).replace(/^\//, "").split("?")[0] ?? "*")),
    );
    call.allow("s3:PutObject", objectOf(call));
    return;
  }
  call.allow(`s3:${version}`, on === "object" ? objectOf(call) : bucketOf(call));
}

/** Returns the bucket of a request. */
export function bucketOf(call: Call): Found {
  return call.resource(["Bucket"], (name) => (name.startsWith("arn:") ? name : s3Arn(call, name)));
}

/** Returns the object of a request, or all objects of its bucket if the key is unknown. */
export function objectOf(call: Call, key = "Key"): Found {
  const bucket = bucketOf(call);
  const name = call.value(key);
  const gap =
    bucket.gap ??
    (name.reason && name.reason !== "missing" ? { reason: name.reason, pointer: name.pointer, message: `${key} is not known` } : undefined);
  return { resources: bucket.resources.map((arn) => `${arn}/${name.text ?? "*"}`), ...(gap && { gap }) };
}

function objectArn(call: Call, source: string): string {
  const { bucket, key } = bucketAndKey(source);
  return s3Arn(call, `${bucket}/${key || "*"}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a table, and the index that is read. */
function withIndexes(call: Call, action: string): Found {
  const found = table(call);
  if ((action !== "query" && action !== "scan") || !call.has("IndexName")) return found;
  const index = call.value("IndexName").text ?? "*";
  return { ...found, resources: found.resources.map((arn) => `${arn}/index/${index}`) };
}

/** Adds permissions for calls of DynamoDB with several items. IAM checks each item separately. */
function batched(call: Call, action: string, operation: string): void {
  if (action === "batchGetItem" || action === "batchWriteItem") {
    const tables = call.request("RequestItems");
    if (isObject(tables) && Object.keys(tables).every((name) => !name.endsWith(".$") && !name.includes("${")))
      call.allow(
        `dynamodb:${operation}`,
        Object.keys(tables).map((name) => (name.startsWith("arn:") ? name : call.arn("dynamodb", `table/${name}`))),
      );
    else
      call.allow(
        `dynamodb:${operation}`,
        call.find("RequestItems", "dynamodb", () => "table/*"),
      );
    return;
  }
  const items = call.list("TransactItems");
  if (items === undefined || action.startsWith("execute")) {
    const transaction = action === "transactGetItems" ? ["GetItem"] : ["ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem"];
    const partiql = ["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"];
    const names = action.startsWith("execute") || action === "batchExecuteStatement" ? partiql : transaction;
    const gap = {
      reason: "expression" as const,
      pointer: call.pointer,
      message: "it is not known which tables and which of these actions are needed",
    };
    call.allow(
      names.map((name) => `dynamodb:${name}`),
      { resources: [call.arn("dynamodb", "table/*")], gap },
    );
    return;
  }
  items.forEach((item, i) => {
    for (const [kind, request] of isObject(item) ? Object.entries(item) : [])
      call.allow(
        `dynamodb:${kind === "ConditionCheck" ? "ConditionCheckItem" : `${kind}Item`}`,
        table(call.within(request, `TransactItems/${i}/${kind}`)),
      );
  });
}

/** Returns a secret by its name. Secrets Manager adds six characters to it. */
function secret(call: Call, parameter: string): Found {
  return call.find(parameter, "secretsmanager", (name) => `secret:${name}-??????`);
}

/** Returns the parameters of Systems Manager that a request names. */
function parameters(call: Call): Found | undefined {
  const arn = (name: string) => (name.startsWith("arn:") ? name : call.arn("ssm", `parameter/${name.replace(/^\//, "")}`));
  if (call.has("Name") && !call.has("DocumentName")) return call.resource(["Name"], arn);
  const names = call.list("Names");
  if (names?.every((name): name is string => typeof name === "string" && !/^\{%|\$\{/.test(name))) return { resources: names.map(arn) };
  return call.has("Path") ? call.resource(["Path"], (path) => `${arn(path.replace(/\/$/, ""))}/*`) : undefined;
}
