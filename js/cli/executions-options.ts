// The options of `stepglass executions`.

import type { Options, Values } from "./command.ts";

const STATUSES = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"];

export const options = {
  data: { type: "string", file: true },
  store: { type: "string", file: true },
  status: { type: "string", values: STATUSES },
  machine: { type: "string" },
  limit: { type: "string" },
  error: { type: "string" },
  cause: { type: "string" },
  payload: { type: "string" },
  id: { type: "string" },
  codecs: { type: "string", file: true },
  move: { type: "boolean" },
  copies: { type: "boolean" },
  check: { type: "boolean" },
  "older-than": { type: "string" },
  keep: { type: "string" },
  bytes: { type: "string" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
} as const satisfies Options;

/** The given options. */
export type Given = Values<typeof options>;
