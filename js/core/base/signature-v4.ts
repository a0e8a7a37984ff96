// What signing and verifying a request with AWS Signature Version 4 share: the canonical request, the text that is signed, and the key.

export const ALGORITHM = "AWS4-HMAC-SHA256";

/** The parts of a credential's scope: the day as `YYYYMMDD`, the region, the service, and a constant. */
export type ScopeParts = readonly [day: string, region: string, service: string, end: string];

/** The hash functions of a platform. `digest` returns hexadecimal digits. */
export interface Hashing<Key> {
  digest(data: Uint8Array | string): string;
  hmac(key: Key | string, text: string): Key;
}

/** A request as it is signed. */
export interface CanonicalRequest {
  method: string;
  /** The encoded path. */
  path: string;
  /** The names and values of the query, decoded. */
  query: Iterable<readonly [name: string, value: string]>;
  /** The signed headers: names in lower case, in the order in which the signature lists them. */
  headers: readonly (readonly [name: string, value: string])[];
  /** The SHA-256 of the body, in hexadecimal digits. */
  bodyHash: string;
}

/** Returns the signature of a request. `time` is the text of `X-Amz-Date`, such as `20261128T093000Z`. */
export function signatureOf<Key>(request: CanonicalRequest, scope: ScopeParts, time: string, secret: string, hashing: Hashing<Key>): Key {
  const { digest, hmac } = hashing;
  const [day, ...others] = scope;
  const key = others.reduce<Key>((made, part) => hmac(made, part), hmac(`AWS4${secret}`, day));
  return hmac(key, [ALGORITHM, time, scope.join("/"), digest(canonical(request))].join("\n"));
}

/** Returns the canonical form of a request, whose hash is signed. */
function canonical({ method, path, query, headers, bodyHash }: CanonicalRequest): string {
  return [
    method,
    path,
    [...query]
      .map(([name, value]) => `${uriEncoded(name)}=${uriEncoded(value)}`)
      .sort()
      .join("&"),
    ...headers.map(([name, value]) => `${name}:${value.trim().replace(/\s+/g, " ")}`),
    "",
    headers.map(([name]) => name).join(";"),
    bodyHash,
  ].join("\n");
}

/** Encodes a text as RFC 3986 requires. AWS signs an encoded path encoded once more. */
export function uriEncoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
