// The tool test.

import { isAbsolute, relative } from "node:path";
import { Unusable } from "../../language/files/problem.ts";
import type { TestFileContent } from "../test-file.ts";
import { runTestFile } from "../test-run.ts";
import { checkInside } from "./folder.ts";
import { LISTED, VALUE } from "./limits.ts";
import { array, boolean, int, object, oneOf, string } from "./protocol.ts";
import { cutMember, defineTool } from "./tool.ts";

/** Maximum number of runs of one property. */
const MOST_RUNS = 1_000;

export const testTool = defineTool({
  name: "test",
  title: "Run tests of a state machine",
  description:
    "Runs the tests of a test file (*.stepglass.yaml or .json): what a machine is to do with an input and mocks of its tasks. Takes the file, or the text of one; paths in a text are relative to the server's folder.",
  input: {
    file: string().optional().describe("Path of a test file in the server's folder."),
    content: string().optional().describe("The text of a test file instead of file, in YAML or JSON."),
    filter: string().optional().describe("Runs only the tests whose names contain this."),
    limit: int().min(1).max(1000).optional().describe(`The largest number of tests to list; failed ones come first. Default: ${LISTED}.`),
  },
  output: {
    ok: boolean().describe("Whether no test has failed."),
    passed: int(),
    failed: int(),
    skipped: int(),
    tests: array(
      object({
        name: string(),
        line: int(),
        status: oneOf(["passed", "failed", "skipped"]),
        failures: array(object({ message: string(), line: int(), field: string().optional() })),
        story: string().optional().describe("What happened in a run that failed."),
      }),
    ),
    ...cutMember,
  },
  async call({ file, content, filter, limit = LISTED }, { cut, limits, signal, modules }) {
    if ((file === undefined) === (content === undefined)) throw new Unusable("give either file or content");
    const name = file ?? "tests.stepglass.yaml";
    if (file !== undefined) checkInside(process.cwd(), file);
    const timer = AbortSignal.timeout(limits.seconds * 1000);
    const { problem, tests } = await runTestFile(name, {
      filter,
      text: content,
      allow: (read) => checkFiles(read, modules),
      signal: AbortSignal.any([signal, timer]),
    });
    if (problem !== undefined) throw new Unusable(problem);
    if (timer.aborted) cut.note(`the tests were ended after ${limits.seconds} seconds of real time`);
    const of = (wanted: string) => tests.filter(({ status }) => status === wanted);
    const [failed, passed, skipped] = [of("failed"), of("passed"), of("skipped")];
    const shown = cut.list([...failed, ...passed, ...skipped], limit, "test").map(({ name, line, status, failures, story }) => ({
      name,
      line,
      status,
      failures: failures.map(({ message, line, field }) => ({
        message: cut.text(message, VALUE, `a failure of ${name}`),
        line,
        ...(field !== undefined && { field }),
      })),
      ...(story !== undefined && { story: cut.text(story, VALUE, `the story of ${name}`) }),
    }));
    const lines = shown.map(({ name, status, failures }) =>
      [`${status}: ${name}`, ...failures.map(({ message }) => `  ${message}`)].join("\n"),
    );
    const text = [`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`, ...lines].join("\n");
    return {
      text: cut.text(text, limits.characters, "the text"),
      data: { ok: failed.length === 0, passed: passed.length, failed: failed.length, skipped: skipped.length, tests: shown },
    };
  },
});

/** A test file must not refer to files outside of the server's folder, and to code only if that is allowed. */
function checkFiles({ files, tasks, tests }: TestFileContent, modules: boolean): void {
  for (const file of files.slice(1)) checkInside(process.cwd(), file);
  const long = tests.find(({ property }) => (property?.runs ?? 0) > MOST_RUNS);
  if (long !== undefined) throw new Unusable(`${long.name}: this server runs a property at most ${MOST_RUNS.toLocaleString("en")} times`);
  if (tasks === undefined || modules) return;
  const shown = relative(process.cwd(), tasks);
  throw new Unusable(
    `the tests need the code of ${isAbsolute(shown) ? tasks : shown}, and this server runs no code: start it with --modules, or use mocks instead of tasks`,
  );
}
