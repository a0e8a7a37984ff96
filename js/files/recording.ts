// Files of recorded executions: those of `stepglass fetch`, and histories as JSON.

import { basename } from "node:path";
import { messageOf } from "../base/errors.ts";
import { documentOfFetched, documentOfHistory, type RecordedDocument } from "../history/recorded.ts";
import { Unusable } from "./problem.ts";
import { read } from "./reading.ts";
import { EXTENSION, readRun } from "./sfnrun.ts";

/** Reads the recorded execution of a file. Throws Unusable. */
export function readRecording(file: string): RecordedDocument {
  try {
    if (file.endsWith(EXTENSION)) return documentOfFetched(readRun(file));
    return documentOfHistory(JSON.parse(read(file)), basename(file).replace(/\.json$/, ""));
  } catch (error) {
    if (error instanceof Unusable) throw error;
    throw new Unusable(`cannot read ${file}: ${messageOf(error)}`);
  }
}
