// Lists what tests would call, without running them.

import type { AwsCall } from "../core/api/aws.d.ts";
import type { TaskHandler } from "../core/api/index.d.ts";
import type { TestMachineOptions } from "../core/api/testing.d.ts";
import { Unusable } from "../language/files/problem.ts";
import { loadMockConfig } from "../testing/mocks/file.ts";
import { Handlers } from "../core/tasks/resource.ts";
import { testMachine, type TestMachine } from "../testing/kit/test-machine.ts";
import { handlersOf } from "./tasks.ts";
import { readTestFile, type FileTest } from "./test-file.ts";
import { isChosen, problemOf, type TestFileOptions } from "./test-run.ts";

/** Returns the calls of each test's tasks that have no mock. Throws Unusable for a file that cannot be used. */
export async function callsOfTests(
  file: string,
  { filter, shown = file, complement = (tasks) => tasks }: TestFileOptions,
): Promise<{ test: string; calls: AwsCall[] }[]> {
  const { callsBy } = await import("./aws.ts");
  try {
    const { tests, tasks, source, options } = readTestFile(file);
    const machine = testMachine(source, options);
    const handlers = new Handlers<TaskHandler>(complement(await handlersOf(tasks)));
    const chosen = tests.filter(({ name }) => isChosen(`${shown} > ${name}`, filter));
    const listed = chosen.map(async (test) => {
      const mocks = new Handlers<TaskHandler>(namesOf({ ...options.mocks, ...casesOf(machine, options, test), ...test.mocks }));
      return { test: `${shown} > ${test.name}`, calls: await callsBy(machine.outline.definition, handlers, mocks) };
    });
    return await Promise.all(listed);
  } catch (error) {
    throw new Unusable(problemOf(error, shown));
  }
}

/** Returns the mocks of a test's case in the mock configuration. */
function casesOf(machine: TestMachine, { mockConfig, name }: TestMachineOptions, { testCase }: FileTest): object {
  if (mockConfig === undefined || testCase === undefined) return {};
  const config = loadMockConfig(mockConfig);
  return config.mocks(config.nameFor(name, machine.machine.name), testCase);
}

/** Returns handlers under these names. They are never called. */
function namesOf(mocks: object): Map<string, TaskHandler> {
  return new Map(Object.keys(mocks).map((name) => [name, () => undefined]));
}
