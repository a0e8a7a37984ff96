// Blobs in a bucket of S3, by the AWS SDK of the user's project.

import { createRequire } from "node:module";
import { join } from "node:path";
import type { S3BlobsOptions } from "../../core/api/blobs.d.ts";
import type { BlobStore } from "../../core/api/durable.d.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { StoreError } from "./errors.ts";

type Command = new (input: object) => object;

/** The part of the package that is used. */
interface S3Module {
  S3Client: new (config: object) => S3Client;
  PutObjectCommand: Command;
  GetObjectCommand: Command;
  DeleteObjectsCommand: Command;
  ListObjectsV2Command: Command;
}

interface S3Client {
  send(command: object): Promise<any>;
}

const PACKAGE = "@aws-sdk/client-s3";
/** The number of objects that a request can delete. */
const DELETED = 1000;

/** Returns a blob store in a bucket. */
export function s3Blobs(options: S3BlobsOptions): BlobStore {
  checkOptions(options, ["bucket", "prefix", "client", "load"], "s3Blobs()");
  const { bucket: Bucket, prefix = "", client, load = () => loaded() } = options;
  if (typeof Bucket !== "string" || Bucket === "") throw misuse("INVALID_OPTION", "s3Blobs(): bucket must be the name of a bucket");
  let module: Promise<S3Module> | undefined;
  let own: S3Client | undefined;
  const send = async (name: Exclude<keyof S3Module, "S3Client">, input: object): Promise<any> => {
    module ??= (load() as Promise<S3Module>).catch((error: unknown) => {
      module = undefined;
      throw error;
    });
    const s3 = await module;
    own ??= client ?? new s3.S3Client({});
    return own.send(new s3[name]({ Bucket, ...input }));
  };
  return {
    async put(key, Body) {
      await send("PutObjectCommand", { Key: `${prefix}${key}`, Body, ContentType: "application/octet-stream" });
    },
    async get(key) {
      try {
        const { Body } = await send("GetObjectCommand", { Key: `${prefix}${key}` });
        return (await Body.transformToByteArray()) as Uint8Array;
      } catch (error) {
        if ((error as Error).name === "NoSuchKey") return undefined;
        throw error;
      }
    },
    async remove(keys) {
      for (let from = 0; from < keys.length; from += DELETED) {
        const Objects = keys.slice(from, from + DELETED).map((key) => ({ Key: `${prefix}${key}` }));
        const { Errors = [] } = await send("DeleteObjectsCommand", { Delete: { Objects, Quiet: true } });
        if (Errors.length > 0) throw new StoreError("STORE_FAILED", `S3 did not delete ${Errors[0].Key}: ${Errors[0].Message}`);
      }
    },
    async *list(begin) {
      for (let ContinuationToken: string | undefined; ;) {
        const page = await send("ListObjectsV2Command", { Prefix: `${prefix}${begin}`, ContinuationToken });
        for (const { Key, LastModified } of page.Contents ?? [])
          yield { key: String(Key).slice(prefix.length), modified: (LastModified as Date).getTime() };
        if (page.IsTruncated !== true) return;
        ContinuationToken = page.NextContinuationToken;
      }
    },
  };
}

/** A plain import would make bundlers resolve the package, which is not one of our dependencies. */
async function loaded(): Promise<unknown> {
  try {
    return createRequire(join(process.cwd(), "index.js"))(PACKAGE);
  } catch (error) {
    throw new StoreError("STORE_UNAVAILABLE", `blobs in S3 need the AWS SDK in this folder: npm install ${PACKAGE}`, { cause: error });
  }
}
