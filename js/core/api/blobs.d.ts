/**
 * Places for the long payloads of executions: the entry `stepglass/blobs`, for Node, Deno and Bun. `offloaded()` of `stepglass/durable`
 * moves payloads there.
 *
 * @example
 * ```js
 * import { encoded, offloaded } from "stepglass/durable";
 * import { folderBlobs } from "stepglass/blobs";
 * import { sqlite } from "stepglass/sqlite";
 *
 * const store = encoded(sqlite("orders.db"), [offloaded(folderBlobs("./blobs"))]);
 * ```
 *
 * @packageDocumentation
 */
import type { BlobStore } from "./durable.js";
import type { PlatformUrl } from "./index.js";
import type { PostgresClient } from "./postgres.js";

/** Keeps blobs as files of a folder, which is created if it does not exist. A written blob is synced to the disk. */
export function folderBlobs(path: string | PlatformUrl): BlobStore;

/**
 * Keeps blobs in a bucket of Amazon S3, or of a service with its interface, by the package `@aws-sdk/client-s3` of your project. The
 * bucket must exist. Its credentials need `s3:PutObject`, `s3:GetObject`, `s3:DeleteObject` and `s3:ListBucket`.
 */
export function s3Blobs(options: S3BlobsOptions): BlobStore;

/** Options of {@link s3Blobs}. */
export interface S3BlobsOptions {
  bucket: string;
  /** The beginning of all keys, such as `"orders/"`. Default: none. */
  prefix?: string;
  /** An `S3Client`, with its region, endpoint and credentials. Default: `new S3Client({})`. It is not closed with the store. */
  client?: { send(command: any): Promise<any> };
  /** Loads the package, for programs that bundle it: `() => import("@aws-sdk/client-s3")`. Default: from the working directory. */
  load?: () => Promise<unknown>;
}

/**
 * Keeps blobs in the table `blob` of a schema of a PostgreSQL database, on a connection of its own. The schema and the table are created
 * if they do not exist; the schema can be that of the store. A blob has at most 1 GB.
 */
export function postgresBlobs(options: {
  /** Makes a client that is not connected yet: `() => new pg.Client(…)`. */
  client: () => PostgresClient | Promise<PostgresClient>;
  /** Default: `"stepglass"`. */
  schema?: string;
}): BlobStore;
