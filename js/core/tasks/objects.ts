// A replacement for S3: handlers that read and write objects of the host, for Distributed Maps and for tasks.

import { TaskError, messageOf, misuse } from "../base/errors.ts";
import type { ListedObject, ObjectBody, ObjectStore, Task, TaskHandler } from "../api/index.d.ts";

const encoder = new TextEncoder();

/** A request for an object, as it is in the parameters of a task. */
interface ObjectRequest {
  Bucket: string;
  Key: string;
}

interface ListRequest {
  Bucket: string;
  Prefix?: string;
}

interface PutRequest extends ObjectRequest {
  Body?: unknown;
}

/**
 * Returns handlers for `s3:getObject`, `s3:listObjectsV2` and `s3:putObject`, also of the SDK integrations. `source` is an object
 * or Map from "bucket/key" to the object's body, or a store with `get`, `list` and `put`.
 */
export function s3Handlers(source: Record<string, ObjectBody> | Map<string, ObjectBody> | ObjectStore): Record<string, TaskHandler> {
  const store = storeOf(source);
  const handlers = {
    getObject: async ({ Bucket, Key }: ObjectRequest, task: Task) => {
      const found = await store.get(Bucket, Key);
      if (found === undefined || found === null) throw refused("NoSuchKey", "The specified key does not exist.", 404);
      const body = await content(found, Key);
      // An ItemReader can use a JSON value as it is, so it is not converted to text.
      if (task.purpose === "ItemReader") return { Body: body };
      const text = textOf(body);
      return { Body: text, ContentLength: encoder.encode(text).length, ETag: etag(text) };
    },
    listObjectsV2: async ({ Bucket, Prefix = "" }: ListRequest, task: Task) => {
      if (store.list === undefined) throw refused("AccessDenied", "This store cannot be listed.", 403);
      const listed: ListedObject[] = [];
      for await (const object of await store.list(Bucket, Prefix)) if (object.Key.startsWith(Prefix)) listed.push(object);
      listed.sort((a, b) => order(a.Key, b.Key));
      const reader = task.purpose === "ItemReader";
      const Contents = listed.map(({ Key, Size = 0, LastModified = 0, Etag = etag(`${Key} ${Size} ${LastModified}`) }) => {
        const about = { Key, Size, StorageClass: "STANDARD" };
        return reader
          ? { Etag, LastModified, ...about }
          : { ETag: Etag, LastModified: new Date(LastModified * 1000).toISOString(), ...about };
      });
      return { Contents, IsTruncated: false, KeyCount: Contents.length, Name: Bucket, Prefix };
    },
    putObject: async ({ Bucket, Key, Body = "" }: PutRequest) => {
      if (store.put === undefined) throw refused("AccessDenied", "This store cannot be written.", 403);
      const text = textOf(Body);
      await store.put(Bucket, Key, text);
      return { ETag: etag(text) };
    },
  };
  return Object.fromEntries(
    Object.entries(handlers).flatMap(([api, handler]) => [
      [`s3:${api}`, handler],
      [`aws-sdk:s3:${api}`, handler],
    ]),
  );
}

function storeOf(source: Parameters<typeof s3Handlers>[0]): ObjectStore {
  if (source instanceof Map) {
    return memory({ get: (path) => source.get(path), paths: () => [...source.keys()], set: (path, body) => source.set(path, body) });
  }
  if (typeof source !== "object" || source === null)
    throw misuse("INVALID_ARGUMENT", "s3Handlers() takes an object or Map of objects by bucket/key, or a store with get()");
  if (isStore(source)) return source;
  return memory({
    get: (path) => (Object.hasOwn(source, path) ? source[path] : undefined),
    paths: () => Object.keys(source),
    set: (path, body) => Object.defineProperty(source, path, { value: body, configurable: true, enumerable: true, writable: true }),
  });
}

/** Returns whether a source is a store. An object whose member "get" is a body is none. */
function isStore(source: Record<string, ObjectBody> | ObjectStore): source is ObjectStore {
  return typeof source.get === "function";
}

/** The bodies of objects, by "bucket/key". */
interface Bodies {
  get(path: string): ObjectBody | undefined;
  paths(): string[];
  set(path: string, body: string): void;
}

/** Returns a store of objects that have paths. */
function memory({ get, paths, set }: Bodies): ObjectStore {
  return {
    get: (bucket, key) => get(`${bucket}/${key}`),
    list: (bucket, prefix) => {
      const start = `${bucket}/`;
      const keys = paths()
        .filter((path) => path.startsWith(start + prefix))
        .map((path) => path.slice(start.length));
      return keys.map((Key) => ({ Key, ...about(get(start + Key)) }));
    },
    put: (bucket, key, body) => void set(`${bucket}/${key}`, body),
  };
}

/** Returns the size and the time of a body, as far as they are known without reading it. */
function about(body: ObjectBody | undefined): Pick<ListedObject, "Size" | "LastModified" | "Etag"> {
  if (body instanceof Blob) {
    const { lastModified } = body as Partial<File>;
    return { Size: body.size, ...(lastModified !== undefined && { LastModified: Math.floor(lastModified / 1000) }) };
  }
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return { Size: body.byteLength };
  if (body instanceof URL) return {};
  const text = textOf(body);
  return { Size: encoder.encode(text).length, Etag: etag(text) };
}

/** Returns the content of an object: its text, or the JSON value that was given. */
async function content(body: ObjectBody, key: string): Promise<unknown> {
  if (body instanceof URL) {
    const response = await fetch(body);
    if (!response.ok)
      throw refused(
        response.status === 404 ? "NoSuchKey" : "S3",
        `${body} answers ${response.status} ${response.statusText}`.trim(),
        response.status,
      );
    return content(await response.blob(), key);
  }
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return content(new Blob([body as BlobPart]), key);
  if (!(body instanceof Blob)) return body;
  if (/\.(zst|zstd)$/.test(key)) throw refused("S3", `${key}: Zstandard is not supported; decompress the file first`, 400);
  const stream = key.endsWith(".gz") ? body.stream().pipeThrough(new DecompressionStream("gzip")) : body.stream();
  try {
    return await new Response(stream).text();
  } catch (error) {
    throw refused("S3", `${key} cannot be read: ${messageOf(error)}`, 400);
  }
}

function textOf(body: unknown): string {
  if (typeof body === "string") return body;
  const text: string | undefined = JSON.stringify(body);
  return text ?? "";
}

function refused(code: string, message: string, status: number): TaskError {
  return new TaskError(`S3.${code}Exception`, `${message} (Service: S3, Status Code: ${status}, Request ID: 0000000000000000)`);
}

/** Compares keys by code points. This is the order of their UTF-8 bytes, in which S3 lists them. */
function order(a: string, b: string): number {
  const x = Array.from(a, codePoint);
  const y = Array.from(b, codePoint);
  const differs = x.findIndex((point, i) => point !== y[i]);
  if (differs < 0) return x.length - y.length;
  return (x[differs] ?? -1) - (y[differs] ?? -1);
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Returns an ETag for a content. It is not the MD5 hash, but S3's own ETag of an object that was uploaded in parts is not either. */
function etag(text: string): string {
  const parts = [0x811c9dc5, 0x1000193, 0x9e3779b9, 0x85ebca6b].map((basis) => {
    let hash = basis;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, "0");
  });
  return `"${parts.join("")}"`;
}
