// AWS Signature Version 4 for requests that no SDK client sends.

import { createHash, createHmac } from "node:crypto";
import type { AwsCredentials } from "../core/api/aws.d.ts";
import { ALGORITHM, type Hashing, type ScopeParts, signatureOf, uriEncoded } from "../core/base/signature-v4.ts";
import type { PlainRequest } from "./http.ts";

const HASHING: Hashing<Buffer> = {
  digest: (data) => createHash("sha256").update(data).digest("hex"),
  hmac: (key, text) => createHmac("sha256", key).update(text).digest(),
};

/** The region and the service for which a signature is valid. */
export interface Scope {
  region: string;
  service: string;
}

/** Adds the headers of a signature for API Gateway. */
export function sign(request: PlainRequest, credentials: AwsCredentials, region: string, now: Date): void {
  const { url, headers } = request;
  const time = timeOf(now);
  headers.set("host", url.host);
  headers.set("x-amz-date", time);
  if (credentials.sessionToken !== undefined) headers.set("x-amz-security-token", credentials.sessionToken);
  const scope = { region, service: "execute-api" };
  const signature = signed(request, credentials, scope, time);
  headers.set(
    "authorization",
    `${ALGORITHM} Credential=${credentialOf(credentials, scope, time)}, SignedHeaders=${namesOf(headers)}, Signature=${signature}`,
  );
}

/** Adds a signature to the query of a URL that another program will request within `seconds` seconds. */
export function presigned(request: PlainRequest, credentials: AwsCredentials, scope: Scope, now: Date, seconds: number): void {
  const { url, headers } = request;
  const time = timeOf(now);
  const query = url.searchParams;
  query.set("X-Amz-Algorithm", ALGORITHM);
  query.set("X-Amz-Credential", credentialOf(credentials, scope, time));
  query.set("X-Amz-Date", time);
  query.set("X-Amz-Expires", String(seconds));
  query.set("X-Amz-SignedHeaders", namesOf(headers));
  if (credentials.sessionToken !== undefined) query.set("X-Amz-Security-Token", credentials.sessionToken);
  query.set("X-Amz-Signature", signed(request, credentials, scope, time));
}

function timeOf(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d{3}/g, "");
}

/** Returns the parts of a scope. `time` begins with the date. */
function partsOf({ region, service }: Scope, time: string): ScopeParts {
  return [time.slice(0, 8), region, service, "aws4_request"];
}

function credentialOf({ accessKeyId }: AwsCredentials, scope: Scope, time: string): string {
  return [accessKeyId, ...partsOf(scope, time)].join("/");
}

function namesOf(headers: Headers): string {
  return [...headers.keys()].sort().join(";");
}

/** Returns the signature in hexadecimal digits. */
function signed({ url, method, headers, body }: PlainRequest, { secretAccessKey }: AwsCredentials, scope: Scope, time: string): string {
  const request = {
    method,
    path: url.pathname.split("/").map(uriEncoded).join("/"),
    query: url.searchParams,
    headers: [...headers].sort(([a], [b]) => (a < b ? -1 : 1)),
    bodyHash: HASHING.digest(body ?? ""),
  };
  return signatureOf(request, partsOf(scope, time), time, secretAccessKey, HASHING).toString("hex");
}
