// The entry `stepglass/blobs`: places for the long payloads of executions.

export { folderBlobs } from "../runtime/store/blob-folder.ts";
export { postgresBlobs } from "../runtime/store/blob-table.ts";
export { s3Blobs } from "../runtime/store/blob-s3.ts";
