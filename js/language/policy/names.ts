// Converts names of services to ARNs.

import type { Call } from "./call.ts";

/** Returns the ARN for a function's name, partial ARN or ARN, with or without a qualifier. */
export function functionArn(call: Call, name: string): string {
  if (name.startsWith("arn:")) return name;
  const partial = /^(?:([a-z]{2}[a-z0-9-]*-\d):)?(\d{12}):function:(.+)$/.exec(name);
  if (partial) return call.arn("lambda", `function:${partial[3]}`, { account: partial[2]!, ...(partial[1] && { region: partial[1] }) });
  return call.arn("lambda", `function:${name}`);
}

/** Returns the ARN for a queue's URL: https://sqs.REGION.amazonaws.com/ACCOUNT/NAME, or an older form. */
export function queueArn(call: Call, url: string): string {
  if (url.startsWith("arn:")) return url;
  const parts = /^https?:\/\/(?:sqs\.([^./]+)\.|([^./]+)\.queue\.|)[^/]*\/([^/]+)\/([^/]+)$/.exec(url);
  if (!parts) return call.arn("sqs", /^[\w*-]+(?:\.fifo)?$/.test(url) ? url : "*");
  const region = parts[1] ?? parts[2];
  return call.arn("sqs", parts[4]!, { account: parts[3]!, ...(region !== undefined && { region }) });
}

/** Returns the bucket and the key of `s3://bucket/key`. */
export function bucketAndKey(uri: string): { bucket: string; key: string } {
  const [, bucket = "*", key = ""] = /^(?:s3:\/\/|arn:[^:]*:s3:::)?([^/]+)\/?(.*)$/.exec(uri) ?? [];
  return { bucket, key };
}

/** Returns the ARN of a bucket or an object. It has neither region nor account. */
export function s3Arn(call: Call, path: string): string {
  return call.arn("s3", path, { region: "", account: "" });
}
