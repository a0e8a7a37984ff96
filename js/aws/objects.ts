// S3 for Distributed Maps: items are read from objects, and results are written to objects.

import type { ListedObject, ObjectStore, TaskHandler } from "../core/api/index.d.ts";
import { s3Handlers } from "../core/tasks/objects.ts";
import { callApi } from "./call.ts";
import type { ServiceClient } from "./clients.ts";
import { stateError } from "./errors.ts";

/** The handlers that a Distributed Map calls: `s3:getObject`, `s3:listObjectsV2` and `s3:putObject`. */
export function mapHandlers(client: ServiceClient, signal: AbortSignal): Record<string, TaskHandler> {
  return s3Handlers(storeOf(client, signal));
}

function storeOf(client: ServiceClient, signal: AbortSignal): ObjectStore {
  return {
    get: (bucket, key) => bytesOf(client, { Bucket: bucket, Key: key }, signal),
    async list(bucket, prefix) {
      const listed: ListedObject[] = [];
      let token: unknown;
      do {
        const request = { Bucket: bucket, Prefix: prefix, ContinuationToken: token };
        const { value } = await callApi({ client, action: "listObjectsV2", request, signal });
        for (const object of Array.isArray(value.Contents) ? (value.Contents as ListedContent[]) : []) listed.push(aboutObject(object));
        token = value.NextContinuationToken;
      } while (token !== undefined);
      return listed;
    },
    async put(bucket, key, body) {
      await callApi({ client, action: "putObject", request: { Bucket: bucket, Key: key, Body: written(body) }, signal });
    },
  };
}

/** Returns the bytes of a body. Without this, a text would be sent as its JSON. */
function written(body: string | Uint8Array): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** An object in a listing, as in SDK integrations. */
interface ListedContent {
  Key: string;
  Size?: number;
  LastModified?: string;
  ETag?: string;
}

function aboutObject({ Key, Size = 0, LastModified, ETag }: ListedContent): ListedObject {
  return {
    Key,
    Size,
    ...(LastModified !== undefined && { LastModified: Math.floor(Date.parse(LastModified) / 1000) }),
    ...(ETag !== undefined && { Etag: ETag }),
  };
}

/** Returns the bytes of an object, which may be compressed; undefined if there is no such object. */
async function bytesOf(client: ServiceClient, request: object, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const Command = client.command("getObject");
  if (Command === undefined) return undefined;
  try {
    const { Body } = await client.send(new Command(request), {}, signal);
    return await (Body as { transformToByteArray(): Promise<Uint8Array> }).transformToByteArray();
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (thrown instanceof Error && thrown.name === "NoSuchKey") return undefined;
    throw stateError(thrown, client, undefined);
  }
}
