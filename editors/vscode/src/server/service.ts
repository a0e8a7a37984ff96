// The extension's server: the language server of `stepglass lsp`, and the tests of test files.

import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { LanguageServer, pathOf } from "../../../../js/cli/lsp/server.ts";
import type { Connection } from "../../../../js/cli/lsp/protocol.ts";
import { nodeHost } from "../../../../js/cli/dap/host.ts";
import { renderMermaid } from "../../../../js/core/definition/definition.ts";
import { readTestFile } from "../../../../js/cli/test-file.ts";
import { problemOf, runTestFile } from "../../../../js/cli/test-run.ts";
import { Unusable } from "../../../../js/language/files/problem.ts";
import { resetCoverage, startCoverage, stopCoverage } from "../../../../js/testing/coverage/collect.ts";
import { coverageReport } from "../../../../js/testing/kit/coverage-report.ts";
import {
  DEFINITIONS,
  EDIT_DEFINITION,
  LIST_TESTS,
  MERMAID,
  READ_TEST,
  RUN_TESTS,
  type Covered,
  type DrawMermaid,
  type EditDefinition,
  type FileResult,
  type ListTests,
  type ListedTests,
  type RanTests,
  type ReadTest,
  type RunTests,
  type TestProgram,
} from "./protocol.ts";

/** The files of a server without a file system. */
interface FetchedFiles {
  /** Loads the files that were read in vain since the last call. Resolves to whether there is a new one. */
  fetchMissing(): Promise<boolean>;
  forget(paths: string[]): void;
}

/** Serves an editor on a connection. */
export function serve(connection: Connection, files?: FetchedFiles): void {
  const server = new LanguageServer(connection, files && { forget: (paths) => files.forget(paths) });
  connection.onRequest(LIST_TESTS, (given: ListTests) => complete(files, () => listed(pathOf(given.uri))));
  connection.onRequest(RUN_TESTS, (given: RunTests) => complete(files, () => ran(given)));
  connection.onRequest(READ_TEST, (given: ReadTest) => complete(files, () => program(given)));
  connection.onRequest(DEFINITIONS, ({ uri }: { uri: string }) => server.definitionsIn(uri));
  connection.onRequest(EDIT_DEFINITION, (given: EditDefinition) => server.editsOf(given) ?? null);
  connection.onRequest(MERMAID, ({ uri, id }: DrawMermaid) => {
    const found = server.definitionsIn(uri).find((one) => one.id === id);
    return found === undefined ? null : renderMermaid(found.json);
  });
  connection.listen();
  if (files === undefined) return;
  // The problems of a template depend on files that it includes.
  const look = async (): Promise<void> => {
    if (await files.fetchMissing()) server.refresh();
    setTimeout(() => void look(), 300);
  };
  void look();
}

/** Returns the result of `act`, which is called again as long as it reads files that are not loaded yet. */
async function complete<Result>(files: FetchedFiles | undefined, act: () => Result | Promise<Result>): Promise<Result> {
  for (;;) {
    let result: Result | undefined;
    let failure: unknown;
    try {
      result = await act();
    } catch (error) {
      failure = error;
    }
    if (files !== undefined && (await files.fetchMissing())) continue;
    if (failure !== undefined) throw failure;
    return result as Result;
  }
}

function listed(file: string): ListedTests {
  try {
    return { tests: readTestFile(file).tests.map(({ name, line }) => ({ name, line })) };
  } catch (error) {
    return { tests: [], problem: problemOf(error, nameOf(file)) };
  }
}

async function ran({ uri, names, modules, coverage = false }: RunTests): Promise<RanTests> {
  const file = pathOf(uri);
  resetCoverage();
  if (coverage) startCoverage();
  let result: FileResult;
  try {
    result = await runTestFile(file, {
      shown: nameOf(file),
      names: names && new Set(names),
      allow: ({ tasks }) => {
        if (tasks !== undefined && !modules)
          throw new Unusable(`it loads ${nameOf(tasks)}, which runs only in a trusted folder on a desktop; give its tasks mocks instead`);
      },
    });
  } finally {
    stopCoverage();
  }
  return coverage ? { ...result, coverage: coveredBy(result, dirname(file)) } : result;
}

function coveredBy({ definition }: FileResult, folder: string): Covered[] {
  const { machines } = coverageReport({ definitions: definition === undefined ? [] : [definition], root: folder });
  return machines.flatMap(({ file, places }) => (file === undefined ? [] : [{ uri: pathToFileURL(resolve(folder, file)).href, places }]));
}

function program({ uri, name }: ReadTest): TestProgram {
  return nodeHost.readTest(`${pathOf(uri)}#${name}`);
}

function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
