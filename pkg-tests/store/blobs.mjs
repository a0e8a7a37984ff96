// Blob stores for tests: one in memory, and a service with the interface of S3.
import { createServer } from "node:http";
import { once } from "node:events";

/** A blob store in memory. `blobs` has its contents, with the time at which each was written. */
export class MemoryBlobs {
  blobs = new Map();

  async put(key, bytes) {
    this.blobs.set(key, { bytes: bytes.slice(), modified: Date.now() });
  }

  async get(key) {
    return this.blobs.get(key)?.bytes;
  }

  async remove(keys) {
    for (const key of keys) this.blobs.delete(key);
  }

  async *list(prefix) {
    for (const [key, { modified }] of [...this.blobs]) if (key.startsWith(prefix)) yield { key, modified };
  }
}

/** Starts a service that has the five requests of S3 that a blob store sends. A page of a list has two objects. */
export async function startS3() {
  const objects = new Map();
  const requests = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url, "http://s3");
    const [, bucket, ...parts] = decodeURIComponent(url.pathname).split("/");
    const key = parts.join("/");
    requests.push(`${request.method} ${bucket}`);
    const send = (status, text = "") => response.writeHead(status, { "content-type": "application/xml" }).end(text);
    if (request.method === "PUT") return void (objects.set(key, body), send(200));
    if (request.method === "POST") {
      for (const [, one] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(one);
      return send(200, "<DeleteResult/>");
    }
    if (url.searchParams.has("list-type")) {
      const after = url.searchParams.get("continuation-token") ?? "";
      const keys = [...objects.keys()].filter((one) => one.startsWith(url.searchParams.get("prefix") ?? "") && one > after).sort();
      const contents = keys
        .slice(0, 2)
        .map((one) => `<Contents><Key>${one}</Key><LastModified>2026-01-05T10:00:00.000Z</LastModified></Contents>`);
      const more = keys.length > 2 ? `<NextContinuationToken>${keys[1]}</NextContinuationToken>` : "";
      return send(200, `<ListBucketResult><IsTruncated>${keys.length > 2}</IsTruncated>${more}${contents.join("")}</ListBucketResult>`);
    }
    const found = objects.get(key);
    if (found === undefined) return send(404, "<Error><Code>NoSuchKey</Code><Message>none</Message></Error>");
    response.writeHead(200).end(found);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { endpoint: `http://127.0.0.1:${server.address().port}`, objects, requests, stop: () => server.close() };
}
