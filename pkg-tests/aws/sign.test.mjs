// Our signatures of requests are the same as those of the SDK.
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { importSource } from "../../scripts/sources.mjs";
import { root } from "../../scripts/steps.mjs";
import { project } from "./emulators.mjs";

const skip = existsSync(join(root, "js/aws")) ? false : "the sources are not here";

class Sha256 {
  #hash;
  constructor(secret) {
    this.#hash =
      secret === undefined ? createHash("sha256") : createHmac("sha256", typeof secret === "string" ? secret : Buffer.from(secret));
  }
  update(data) {
    this.#hash.update(data);
  }
  async digest() {
    return new Uint8Array(this.#hash.digest());
  }
}

test("a signature in the headers equals the SDK's", { skip }, async () => {
  const { sign } = await importSource("js/aws/sign.ts");
  const { SignatureV4 } = createRequire(join(project, "index.js"))("@smithy/signature-v4");
  const credentials = { accessKeyId: "AKIA", secretAccessKey: "secret", sessionToken: "token" };
  const [region, signingDate] = ["eu-west-1", new Date("2025-01-02T03:04:05Z")];
  const host = "https://abc.execute-api.eu-west-1.amazonaws.com";
  const requests = [
    [`${host}/`, undefined],
    [`${host}/prod/a%20b/c?x=1&a=b%20c&a=a`, '{"a":1}'],
    [`${host}/prod/(a)*?q=!'()`, "é"],
  ];
  for (const [address, body] of requests) {
    const url = new URL(address);
    const given = body === undefined ? {} : { "content-type": "application/json" };
    const request = { url, method: body === undefined ? "GET" : "POST", headers: new Headers(given), body };
    sign(request, credentials, region, signingDate);
    const query = {};
    for (const [name, value] of url.searchParams) (query[name] ??= []).push(value);
    const signer = new SignatureV4({ service: "execute-api", region, credentials, sha256: Sha256, applyChecksum: false });
    const about = { method: request.method, protocol: "https:", hostname: url.host, path: url.pathname, query, body };
    const { headers } = await signer.sign({ ...about, headers: { host: url.host, ...given } }, { signingDate });
    assert.equal(request.headers.get("authorization"), headers.authorization, address);
  }
});

test("a signature in the query equals the SDK's", { skip }, async () => {
  const { presigned } = await importSource("js/aws/sign.ts");
  const { SignatureV4 } = createRequire(join(project, "index.js"))("@smithy/signature-v4");
  const [scope, signingDate] = [{ region: "eu-west-1", service: "sts" }, new Date("2025-01-02T03:04:05Z")];
  for (const sessionToken of [undefined, "to/ken=="]) {
    const credentials = { accessKeyId: "AKIA", secretAccessKey: "secret", ...(sessionToken !== undefined && { sessionToken }) };
    const url = new URL("https://sts.eu-west-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15");
    const given = { host: url.host, "x-k8s-aws-id": "My cluster" };
    presigned({ url, method: "GET", headers: new Headers(given) }, credentials, scope, signingDate, 60);
    const signer = new SignatureV4({ ...scope, credentials, sha256: Sha256, applyChecksum: false });
    const query = { Action: "GetCallerIdentity", Version: "2011-06-15" };
    const about = { method: "GET", protocol: "https:", hostname: url.host, path: "/", query, headers: given };
    const options = { signingDate, expiresIn: 60, unhoistableHeaders: new Set(["x-k8s-aws-id"]) };
    const expected = await signer.presign(about, options);
    assert.deepEqual(Object.fromEntries(url.searchParams), expected.query);
  }
});
