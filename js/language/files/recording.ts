// Files of recorded executions: those of `stepglass fetch`, and histories as JSON.

import { basename } from "node:path";
import { messageOf } from "../../core/base/errors.ts";
import { documentOfFetched, documentOfHistory, type RecordedDocument } from "../../core/history/recorded.ts";
import { Unusable } from "./problem.ts";
import { read } from "./reading.ts";
import { EXTENSION, readRun, type FetchedRun } from "./sfnrun.ts";

/** Reads the recorded execution of a file. Throws Unusable. */
export function readRecording(file: string): RecordedDocument {
  if (file.endsWith(EXTENSION)) return documentOfRun(readRun(file), file);
  try {
    return documentOfHistory(JSON.parse(read(file)), basename(file).replace(/\.json$/, ""));
  } catch (error) {
    if (error instanceof Unusable) throw error;
    throw new Unusable(`cannot read ${file}: ${messageOf(error)}`);
  }
}

/** Returns the recorded execution of a file's content. Throws Unusable. */
export function documentOfRun(run: FetchedRun, file: string): RecordedDocument {
  try {
    return documentOfFetched(run);
  } catch (error) {
    throw new Unusable(`cannot read ${file}: ${messageOf(error)}`);
  }
}
