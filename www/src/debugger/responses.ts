// Short examples of service responses, as the initial value of a mock or of an answer by hand.

const ID = "7c9d2f10-0000-4000-8000-000000000001";

/** The examples by integration, without `.sync` and `.waitForTaskToken`. */
const EXAMPLES: Record<string, unknown> = {
  "athena:startQueryExecution": { QueryExecution: { QueryExecutionId: ID, Status: { State: "SUCCEEDED" } } },
  "batch:submitJob": { JobId: ID, JobName: "job", Status: "SUCCEEDED" },
  "bedrock:invokeModel": { Body: { content: [{ type: "text", text: "Hello" }] }, ContentType: "application/json" },
  "codebuild:startBuild": { Build: { Id: `project:${ID}`, BuildStatus: "SUCCEEDED" } },
  "dynamodb:getItem": { Item: { id: { S: "1" } } },
  "dynamodb:putItem": { SdkHttpMetadata: { HttpStatusCode: 200 } },
  "dynamodb:updateItem": { Attributes: { id: { S: "1" } } },
  "dynamodb:deleteItem": { SdkHttpMetadata: { HttpStatusCode: 200 } },
  "ecs:runTask": { Tasks: [{ LastStatus: "STOPPED", Containers: [{ ExitCode: 0 }] }], Failures: [] },
  "events:putEvents": { Entries: [{ EventId: ID }], FailedEntryCount: 0 },
  "glue:startJobRun": { JobRunId: "jr_1", JobRunState: "SUCCEEDED" },
  "sns:publish": { MessageId: ID },
  "sqs:sendMessage": { MessageId: ID, MD5OfMessageBody: "5d41402abc4b2a76b9719d911017c592" },
  "aws-sdk:s3:getObject": { Body: "{}", ContentType: "application/json", ContentLength: 2 },
};

/**
 * Returns a likely result of a task. For functions and machines it is their own result, without what the service adds around it.
 */
export function exampleFor(resource: string): unknown {
  if (resource.endsWith(".waitForTaskToken")) return { approved: true };
  const name = serviceOf(resource);
  return EXAMPLES[name] ?? (name.startsWith("aws-sdk:") ? {} : { ok: true });
}

/** Returns a typical response in which the parts that a definition reads replace the typical ones. */
export function filledIn(usual: unknown, read: unknown): unknown {
  if (read === undefined) return usual;
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(read)) return read;
  // A placeholder result that no state reads is dropped.
  if (!isObject(usual) || (Object.keys(usual).length === 1 && (usual["ok"] === true || usual["approved"] === true))) return read;
  return { ...usual, ...Object.fromEntries(Object.entries(read).map(([name, value]) => [name, filledIn(usual[name], value)])) };
}

/**
 * Returns the service and action of a Resource without its suffix, such as `sqs:sendMessage`; empty for a function or an
 * activity.
 */
export function serviceOf(resource: string): string {
  return (/^arn:[^:]*:states:[^:]*:[^:]*:(?!activity:)(.+?)(?:\.sync(?::2)?|\.waitForTaskToken)?$/.exec(resource) ?? [])[1] ?? "";
}

/** Returns whether the service wraps a task's result, so that the whole response has more members. */
export function isWrapped(resource: string): boolean {
  return /^(?:lambda:invoke|states:startExecution|http:invoke)$/.test(serviceOf(resource)) && !resource.endsWith(".waitForTaskToken");
}

/** AWS's maximum size of a state's output, in bytes. */
export const PAYLOAD_LIMIT = 262_144;

/** Returns a remark about a result: that it is too large, or does not have the service's format. */
export function remarkOn(resource: string, value: unknown, whole: boolean): string {
  const bytes = new Blob([JSON.stringify(value) ?? ""]).size;
  if (bytes > PAYLOAD_LIMIT)
    return `${Math.ceil(bytes / 1024)} KiB: more than the limit of 256 KiB, so the run will fail with States.DataLimitExceeded.`;
  if (serviceOf(resource) !== "lambda:invoke" || resource.endsWith(".waitForTaskToken")) return "";
  const payload = typeof value === "object" && value !== null && "Payload" in value;
  if (whole && !payload) return "A lambda:invoke response has the function's result in Payload, which is missing.";
  if (!whole && payload)
    return "The result is put into Payload automatically. Write only the function's result, or mark this as the whole response.";
  return "";
}
