// Files of fetched executions, `*.sfnrun`: JSON, compressed with gzip. docs/aws.md describes their members.

import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { messageOf } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { FETCHED_FORMAT, FETCHED_VERSION } from "../../core/history/recorded.ts";
import { Unusable } from "./problem.ts";
import { readBytes } from "./reading.ts";

export const EXTENSION = ".sfnrun";

/** A response of the Step Functions API; times are ISO 8601 texts in files. */
export type Response = Record<string, unknown>;

/** An execution with its history. */
export interface FetchedExecution {
  /** The response of DescribeExecution. */
  execution: Response;
  /** The events of GetExecutionHistory, of all pages. */
  history: Response[];
}

/** A Map Run with its child executions. */
export interface FetchedMapRun {
  /** The response of DescribeMapRun. */
  mapRun: Response;
  executions: FetchedExecution[];
  /** Whether `--failed` or `--limit` has left out child executions. */
  partial: boolean;
}

/** An execution that a task has started, or a task of such an execution. */
export interface FetchedNested extends FetchedExecution {
  /** The ARN of the execution that has started it. */
  parent: string;
  /** The id of the event in the parent's history that names it. */
  event: number;
  /** As that of the run. */
  stateMachine?: Response;
}

/** The content of a file. */
export interface FetchedRun extends FetchedExecution {
  format: typeof FETCHED_FORMAT;
  version: number;
  /** When it was fetched, in ISO 8601. */
  fetched: string;
  /** The response of DescribeStateMachineForExecution; absent if the account withholds it. */
  stateMachine?: Response;
  mapRuns: FetchedMapRun[];
  /** The executions of Standard workflows that its tasks have started; absent in files of older releases. */
  nested?: FetchedNested[];
  /** What the account has withheld. */
  missing: { operation: string; arn: string; message: string }[];
  /** How many values each rule has replaced. */
  redacted: (RedactionRule & { values: number })[];
}

/** What was redacted: the name of a member or a path (`--redact`), or a regular expression (`--redact-values`). */
export interface RedactionRule {
  rule: string;
  /** Absent for a name or a path. */
  kind?: "pattern";
}

/** Returns what was fetched, as a file's content. */
export function fetchedRun(content: Omit<FetchedRun, "format" | "version">): FetchedRun {
  return { format: FETCHED_FORMAT, version: FETCHED_VERSION, ...content };
}

/** Writes a file completely or not at all, so that an interrupted command leaves no incomplete file. */
export function writeRun(file: string, run: FetchedRun): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, gzipSync(JSON.stringify(run)));
    renameSync(temporary, file);
  } catch (error) {
    throw new Unusable(`cannot write ${file}: ${messageOf(error)}`);
  }
}

/** Reads a file, compressed or not. Throws Unusable. */
export function readRun(file: string): FetchedRun {
  const bytes = readBytes(file);
  let value: unknown;
  try {
    value = JSON.parse((bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8"));
  } catch (error) {
    throw new Unusable(`cannot read ${file}: ${messageOf(error)}`);
  }
  if (!isObject(value) || value.format !== FETCHED_FORMAT || typeof value.version !== "number")
    throw new Unusable(`${file} is not a file of stepglass fetch`);
  if (value.version > FETCHED_VERSION)
    throw new Unusable(`${file} has version ${value.version}, and this release reads up to ${FETCHED_VERSION}: update stepglass`);
  if (!isObject(value.execution) || !Array.isArray(value.history)) throw new Unusable(`${file} has no execution or no history`);
  return value as unknown as FetchedRun;
}

/** Returns the files in a folder and below, sorted by name. */
export function runFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }).map(String);
  return names
    .filter((name) => name.endsWith(EXTENSION))
    .sort()
    .map((name) => join(folder, name));
}
