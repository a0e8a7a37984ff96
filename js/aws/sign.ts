// Signatures of requests to API Gateway: Signature Version 4 of AWS.

import { createHash, createHmac } from "node:crypto";
import type { AwsCredentials } from "../api/aws.d.ts";
import type { PlainRequest } from "./http.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";
const SERVICE = "execute-api";

/** Adds the headers of a signature. */
export function sign({ url, method, headers, body }: PlainRequest, credentials: AwsCredentials, region: string, now: Date): void {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  headers.set("host", url.host);
  headers.set("x-amz-date", time);
  if (credentials.sessionToken !== undefined) headers.set("x-amz-security-token", credentials.sessionToken);
  const signed = [...headers].sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    url.pathname.split("/").map(encoded).join("/"),
    [...url.searchParams]
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join("&"),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}`),
    "",
    names,
    digest(body ?? ""),
  ].join("\n");
  const scope = `${day}/${region}/${SERVICE}/aws4_request`;
  const key = [day, region, SERVICE, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  const signature = hmac(key, [ALGORITHM, time, scope, digest(canonical)].join("\n")).toString("hex");
  headers.set(
    "authorization",
    `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  );
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** As RFC 3986 has it, of a text that may be encoded already. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
