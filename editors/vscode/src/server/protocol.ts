// The requests between the extension and its server, besides those of the Language Server Protocol.

import type { TestProgram } from "../../../../js/core/api/dap.d.ts";
import type { CoveredPlace } from "../../../../js/core/api/testing.d.ts";
import type { FileResult } from "../../../../js/cli/test-run.ts";

export type { CoveredPlace, FileResult, TestProgram };

/** A test in a test file. The line counts from 1. */
interface ListedTest {
  name: string;
  line: number;
}

/** The tests of a test file, or the reason why it cannot be read. */
export interface ListedTests {
  tests: ListedTest[];
  problem?: string;
}

/** Asks which tests a test file has. */
export const LIST_TESTS = "stepglass/listTests";
export interface ListTests {
  uri: string;
}

/** Runs tests of a test file: all, or those with these names. */
export const RUN_TESTS = "stepglass/runTests";
export interface RunTests {
  uri: string;
  names?: string[];
  /** Whether a module with task handlers may be loaded. */
  modules: boolean;
  /** Whether the answer has the coverage of the definitions that were run. */
  coverage?: boolean;
}

/** What of a file's definitions the tests have used. Lines count from 1. */
export interface Covered {
  uri: string;
  places: CoveredPlace[];
}

export interface RanTests extends FileResult {
  coverage?: Covered[];
}

/** Reads a test so that the debug adapter can launch it. */
export const READ_TEST = "stepglass/readTest";
export interface ReadTest {
  uri: string;
  name: string;
}

/** Asks for the definitions in an open document, as JSON. Those of a template have their logical ids. */
export const DEFINITIONS = "stepglass/definitions";
export interface FoundDefinition {
  id?: string;
  json: string;
}

/** Converts edits of the JSON of a template's definition to edits of the template. The answer is null if that is not possible. */
export const EDIT_DEFINITION = "stepglass/editDefinition";
export interface EditDefinition {
  uri: string;
  id: string;
  /** The JSON that the edits are of. */
  before: string;
  edits: { start: number; end: number; text: string }[];
}

/** Draws a definition as a Mermaid diagram. */
export const MERMAID = "stepglass/mermaid";
export interface DrawMermaid {
  uri: string;
  id?: string;
}

/** Asks the extension for the text of a file. Only a server without a file system does so. The answer is null if there is none. */
export const READ_FILE = "stepglass/readFile";
export interface ReadFile {
  uri: string;
}
