// What a debug adapter uses in Node: files, modules with handlers, test files, and servers.

import { resolve } from "node:path";
import type { AdapterHost, DebugProgram, RecordedProgram, TestProgram } from "../../core/api/dap.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { sessionMocks } from "../../debugger/dap/mocks.ts";
import { Invalid, Unusable } from "../../language/files/problem.ts";
import { read } from "../../language/files/reading.ts";
import { Source, split } from "../../language/files/source.ts";
import { loadMockConfig } from "../../testing/mocks/file.ts";
import type { ExecutionDocument } from "../../server/pages/documents.ts";
import { START } from "../../testing/kit/test-machine.ts";
import { handlersOf } from "../tasks.ts";
import { readMocks, readTestFile } from "../test-file.ts";

/** The default address of `stepglass serve`. */
const SERVER = "http://127.0.0.1:8083";

export const nodeHost = {
  readFile: (path) => read(path),
  open,
  loadTasks: handlersOf,
  readMocks: (mocks) => sessionMocks(readMocks(mocks)),
  readTest,
  readExecution,
} satisfies AdapterHost;

function open(definition: string, substitutions: Record<string, unknown>): DebugProgram {
  const source = new Source(definition, { substitutions });
  source.checkFilled((names) => `give ${names.join(", ")} in substitutions`);
  const { json, file, text, machine, type } = source;
  if (json === undefined) {
    const [problem] = source.diagnostics();
    throw problem === undefined ? new Invalid(source) : new Unusable(`${source.name}:${problem.range?.start.line}: ${problem.message}`);
  }
  return { path: resolve(file), text, definition: json, name: machine, ...(type && { type }), range: (pointer) => source.range(pointer) };
}

/** Reads a test of a test file: `FILE#NAME`, or `FILE` if it has one test. */
function readTest(spec: string): TestProgram {
  const [file, name] = split(spec);
  const { source, options, tasks, tests } = readTestFile(resolve(file));
  const test =
    name === undefined ? tests[0] : (tests.find((one) => one.name === name) ?? only(tests.filter((one) => one.name.includes(name))));
  const names = tests.map((one) => `${file}#${one.name}`).join("\n");
  if (test === undefined) throw new Unusable(`${file} has no test ${name}; it has\n${names}`);
  if (name === undefined && tests.length > 1) throw new Unusable(`${file} has ${tests.length} tests; choose one:\n${names}`);
  if (test.property !== undefined) throw new Unusable(`${test.name} makes many random runs: debug one with a fixed input instead`);
  const { mockConfig, name: machine, type, seed = 1 } = options;
  const configured = test.testCase === undefined || mockConfig === undefined ? {} : configuredMocks(mockConfig, test.testCase, machine);
  return {
    definition: source,
    mocks: sessionMocks({ ...configured, ...test.mocks }),
    input: test.input,
    seed: Number(test.seed ?? seed),
    startTime: START,
    ...(machine !== undefined && { name: machine }),
    ...(type !== undefined && { type }),
    ...(tasks !== undefined && { tasks }),
  };
}

function configuredMocks(mockConfig: unknown, testCase: string, machine: string | undefined): Record<string, unknown> {
  const config = loadMockConfig(mockConfig);
  return config.mocks(config.nameFor(machine), testCase);
}

function only<One>(found: One[]): One | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/** Reads an execution of `stepglass serve`, in the form that its debugger uses. */
async function readExecution(executionArn: string, server = SERVER): Promise<RecordedProgram> {
  const address = `${server.replace(/\/$/, "")}/debugger/api/executions/${encodeURIComponent(executionArn)}`;
  let response: Response;
  try {
    response = await fetch(address);
  } catch (error) {
    throw new Unusable(`no server answers at ${server}: ${messageOf(error instanceof Error ? (error.cause ?? error) : error)}`);
  }
  const document: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new Unusable(`${server} has no execution ${executionArn} (${response.status})`);
  if (!isObject(document) || typeof document.definition !== "string" || !Array.isArray(document.events))
    throw new Unusable(`${server} is not a server of stepglass serve`);
  // A document of this server has all requested members.
  const { definition, name, stateMachineName, type, events } = document as unknown as ExecutionDocument;
  return { definition, name, stateMachineName, type, events };
}
