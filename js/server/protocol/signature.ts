// Verifies signatures of AWS (Signature Version 4), as the AWS SDKs create them.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ALGORITHM, type CanonicalRequest, type Hashing, type ScopeParts, signatureOf } from "../../core/base/signature-v4.ts";
import { ApiError } from "./errors.ts";

const HASHING: Hashing<Buffer> = {
  digest: (data) => createHash("sha256").update(data).digest("hex"),
  hmac: (key, text) => createHmac("sha256", key).update(text).digest(),
};
/** How far the time of a request may be from the server's, in milliseconds, as on AWS. */
const TOLERANCE = 5 * 60_000;
/** The headers that a signature must cover if the request has them. The target decides which operation is called. */
const COVERED = ["host", "x-amz-date", "x-amz-target", "x-amz-security-token", "x-amz-content-sha256"];

/** The parts of an Authorization header. */
interface Authorization {
  accessKeyId: string;
  scope: ScopeParts;
  signedHeaders: readonly string[];
  signature: string;
}

type Signed = Pick<IncomingMessage, "method" | "url" | "headers">;

/** Returns the parts of an Authorization header; undefined if it is no signature of AWS. */
export function authorizationOf(header: string | undefined): Authorization | undefined {
  if (header === undefined || !header.startsWith(`${ALGORITHM} `)) return undefined;
  const parts = new Map(
    header
      .slice(ALGORITHM.length)
      .split(",")
      .map((part): [string, string] => {
        const at = part.indexOf("=");
        return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
      }),
  );
  const [accessKeyId, day, region, service, end, ...more] = (parts.get("Credential") ?? "").split("/");
  const signedHeaders = (parts.get("SignedHeaders") ?? "").split(";");
  const signature = parts.get("Signature") ?? "";
  if (!accessKeyId || !day || !region || !service || !end || more.length > 0) throw incomplete("Credential");
  if (!/^[0-9a-f]{64}$/.test(signature)) throw incomplete("Signature");
  return { accessKeyId, scope: [day, region, service, end], signedHeaders, signature };
}

/** Throws an ApiError if a request was not signed with this secret, or not now. `now` is in milliseconds since 1970. */
export function checkSignature(request: Signed, body: Uint8Array, authorization: Authorization, secret: string, now: number): void {
  const { scope, signedHeaders, signature } = authorization;
  const [day, , service, end] = scope;
  if (service !== "states" || end !== "aws4_request") throw invalid("Credential should be scoped to correct service: 'states'.");
  for (const name of COVERED)
    if (request.headers[name] !== undefined && !signedHeaders.includes(name)) throw invalid(`the header ${name} must be signed`);
  const date = request.headers["x-amz-date"];
  const at = typeof date === "string" ? timeOf(date) : Number.NaN;
  if (typeof date !== "string" || Number.isNaN(at) || !date.startsWith(day))
    throw invalid("X-Amz-Date must be a time of the credential's day");
  if (Math.abs(now - at) > TOLERANCE)
    throw invalid(`Signature expired: ${date} is more than 5 minutes from ${new Date(now).toISOString()}`);
  const hash = HASHING.digest(body);
  const declared = request.headers["x-amz-content-sha256"];
  if (declared !== undefined && declared !== hash) throw invalid("X-Amz-Content-Sha256 is not the hash of the body");
  const expected = signatureOf(canonical(request, signedHeaders, hash), scope, date, secret, HASHING);
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex")))
    throw invalid(
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.",
    );
}

/** Returns the parts of a request that its signature covers. */
function canonical({ method = "POST", url = "/", headers }: Signed, signedHeaders: readonly string[], bodyHash: string): CanonicalRequest {
  const [path = "/", query = ""] = url.split("?", 2);
  const covered = signedHeaders.map((name): [string, string] => {
    const value = headers[name];
    if (value === undefined) throw invalid(`the signed header ${name} is missing`);
    return [name, String(value)];
  });
  return { method, path, query: new URLSearchParams(query), headers: covered, bodyHash };
}

/** Returns the time of `20261128T093000Z`, in milliseconds since 1970. */
function timeOf(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

function invalid(message: string): ApiError {
  return new ApiError("InvalidSignatureException", message, { status: 403 });
}

function incomplete(part: string): ApiError {
  return new ApiError("IncompleteSignatureException", `Authorization header requires '${part}' parameter.`, { status: 403 });
}
