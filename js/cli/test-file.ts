// Test files: YAML or JSON that says what to run and what to expect, without any JavaScript.

import { dirname, resolve } from "node:path";
import type { IterationMock, Mock, MockAnswer, PropertyOptions, TestMachineOptions } from "../core/api/testing.d.ts";
import { messageOf } from "../core/base/errors.ts";
import { isObject } from "../core/base/json.ts";
import { read } from "../language/files/reading.ts";
import { milliseconds } from "../core/base/duration.ts";
import { rangeOf } from "../testing/mocks/answers.ts";
import { eachIteration, iterations, never, responds, returns, throws } from "../testing/mocks/results.ts";
import { BadFile, CheckedYaml, type Path } from "./checked-yaml.ts";
import { didYouMean } from "./did-you-mean.ts";
import * as is from "./test-fields.ts";

const STATUSES = ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED", "RUNNING"] as const;

/** Names, or the number of times for each name. */
export type Counts = string[] | Record<string, number>;

/** The expectations of a test. */
export interface Expected {
  status: (typeof STATUSES)[number];
  output: unknown;
  outputMatches: unknown;
  error: string | RegExp;
  cause: string | RegExp;
  path: string[];
  passedThrough: string[];
  entered: Counts;
  neverEntered: string[];
  calls: Record<string, number | unknown[]>;
  neverCalled: string[];
  retries: Counts;
  waits: Record<string, string>;
  lasted: string;
  caught: Record<string, string | RegExp>;
}

const EXPECTED: is.Checks<Expected> = {
  status: is.oneOf(...STATUSES),
  output: is.any,
  outputMatches: is.any,
  error: is.text,
  cause: is.text,
  path: is.names,
  passedThrough: is.names,
  entered: is.counts,
  neverEntered: is.names,
  calls: is.calls,
  neverCalled: is.names,
  retries: is.counts,
  waits: is.durations,
  lasted: is.duration,
  caught: is.errors,
};

/** The options of a property test. */
type Property = Required<
  Pick<PropertyOptions, "runs" | "seed" | "inputs" | "outputs" | "errors" | "timeouts" | "delays" | "failures" | "allow" | "schedule">
>;

const PROPERTY: is.Checks<Property> = {
  runs: is.whole,
  seed: is.whole,
  inputs: is.list,
  outputs: is.object,
  errors: is.any,
  timeouts: is.oneOf("declared", "all", "none"),
  delays: is.list,
  failures: is.any,
  allow: is.names,
  schedule: is.object,
};

/** Mocks by state, function or resource. */
type Mocks = Record<string, Mock>;

/** A test in its written form. */
interface TestFields {
  name: string;
  input: unknown;
  testCase: string;
  mocks: Record<string, unknown>;
  seed: number;
  skip: boolean;
  only: boolean;
  expect: unknown;
  property: unknown;
}

const TEST: is.Checks<TestFields> = {
  name: is.text,
  input: is.any,
  testCase: is.text,
  mocks: is.mocks,
  seed: is.whole,
  skip: is.boolean,
  only: is.boolean,
  expect: is.any,
  property: is.any,
};

/** A test file in its written form. */
interface FileFields {
  $schema: string;
  definition: string | object;
  name: string;
  type: "STANDARD" | "EXPRESS";
  mockConfig: string;
  tasks: string;
  input: unknown;
  mocks: Record<string, unknown>;
  seed: number;
  tests: unknown;
}

const FILE: is.Checks<FileFields> = {
  $schema: is.text,
  definition: is.definition,
  name: is.text,
  type: is.oneOf("STANDARD", "EXPRESS"),
  mockConfig: is.text,
  tasks: is.text,
  input: is.any,
  mocks: is.mocks,
  seed: is.whole,
  tests: is.any,
};

/** A test of a test file. */
export interface FileTest {
  name: string;
  line: number;
  input: unknown;
  /** A test case of the mock configuration. */
  testCase: string | undefined;
  mocks: Mocks | undefined;
  seed: number | undefined;
  skip: boolean;
  only: boolean;
  expect: Partial<Expected>;
  /** The options of random runs. */
  property: Partial<Property> | undefined;
  /** Returns the line of an expectation. */
  lineOf: (field: string) => number;
}

/** The content of a test file. */
export interface TestFileContent {
  /** The definition, or the path of its file. */
  source: string | object;
  options: TestMachineOptions;
  /** The module with task handlers. */
  tasks: string | undefined;
  /** All files that the tests depend on. */
  files: string[];
  tests: FileTest[];
}

export { BadFile };

/** Reads a test file, or a text that is not in a file. Throws BadFile. */
export function readTestFile(file: string, text = read(file)): TestFileContent {
  return new TestFile(file, text).content();
}

/** Reads mocks in the form of a test file. Throws BadFile; its positions are meaningless. */
export function readMocks(mocks: Record<string, unknown>): Record<string, Mock> {
  const [only] = readTestFile("mocks", JSON.stringify({ definition: {}, mocks, tests: { run: {} } })).tests;
  return only?.mocks ?? {};
}

class TestFile {
  #file: string;
  #yaml: CheckedYaml;
  #files: string[];

  constructor(file: string, text: string) {
    this.#file = file;
    this.#files = [file];
    this.#yaml = new CheckedYaml(file, text);
  }

  content(): TestFileContent {
    return this.#yaml.read((value) => this.#read(value));
  }

  #read(value: unknown): TestFileContent | undefined {
    const fields = this.#yaml.fields(value, [], "a test file", FILE);
    if (fields === undefined || !isObject(value)) return undefined;
    if (value.definition === undefined) this.#yaml.wrong([], "a test file needs a definition: its path, or the definition itself");
    if (value.tests === undefined) this.#yaml.wrong([], "a test file needs tests: a list, or a map by name");
    const { definition, name, type, seed, mockConfig, tasks } = fields;
    if (value.tests === undefined) return undefined;
    const tests = this.#tests(value.tests, {
      input: Object.hasOwn(value, "input") ? value.input : {},
      mocks: this.#mocksOf(fields.mocks, ["mocks"]),
    });
    if (definition === undefined) return undefined;
    const options: TestMachineOptions = {};
    if (name !== undefined) options.name = name;
    if (type !== undefined) options.type = type;
    if (seed !== undefined) options.seed = seed;
    if (mockConfig !== undefined) options.mockConfig = this.#near(mockConfig);
    return {
      source: typeof definition === "string" ? this.#near(definition) : definition,
      options,
      tasks: tasks === undefined ? undefined : this.#near(tasks),
      tests,
      files: this.#files,
    };
  }

  #tests(tests: unknown, common: Common): FileTest[] {
    if (Array.isArray(tests)) return tests.flatMap((test, i) => this.#test(test, ["tests", i], undefined, common) ?? []);
    if (isObject(tests))
      return Object.entries(tests).flatMap(([name, test]) => this.#test(test ?? {}, ["tests", name], name, common) ?? []);
    this.#yaml.wrong(["tests"], "tests must be a list, or a map by name");
    return [];
  }

  #test(value: unknown, path: Path, key: string | undefined, common: Common): FileTest | undefined {
    const test = this.#yaml.fields(value, path, "a test", TEST);
    if (test === undefined) return undefined;
    const name = test.name ?? key ?? test.testCase;
    if (name === undefined) this.#yaml.wrong(path, "a test needs a name");
    const expect =
      test.expect === undefined && test.property === undefined
        ? { status: "SUCCEEDED" as const }
        : this.#expect(test.expect ?? {}, [...path, "expect"]);
    const property =
      test.property === undefined ? undefined : this.#yaml.fields(test.property, [...path, "property"], "property", PROPERTY);
    if (property !== undefined && test.testCase !== undefined)
      this.#yaml.wrong([...path, "property"], "a property generates the outcomes of tasks: it cannot have a testCase");
    const own = this.#mocksOf(test.mocks, [...path, "mocks"]);
    return {
      name: String(name),
      line: this.#yaml.place(path).line,
      input: Object.hasOwn(test, "input") ? test.input : common.input,
      testCase: test.testCase,
      mocks: own === undefined ? common.mocks : { ...common.mocks, ...own },
      seed: test.seed,
      skip: test.skip === true,
      only: test.only === true,
      expect,
      property,
      lineOf: (field) => this.#yaml.place([...path, "expect", field]).line,
    };
  }

  #expect(value: unknown, path: Path): Partial<Expected> {
    const expect = this.#yaml.fields(value, path, "expect", EXPECTED) ?? {};
    const { error, cause, caught } = expect;
    if (error !== undefined) expect.error = this.#pattern(error, [...path, "error"]);
    if (cause !== undefined) expect.cause = this.#pattern(cause, [...path, "cause"]);
    if (caught !== undefined)
      expect.caught = Object.fromEntries(
        Object.entries(caught).map(([state, name]) => [state, this.#pattern(name, [...path, "caught", state])]),
      );
    return expect;
  }

  /** Parses a text between slashes as a regular expression. */
  #pattern(text: string | RegExp, path: Path): string | RegExp {
    const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(String(text)) ?? [];
    if (source === undefined) return text;
    try {
      return new RegExp(source, flags);
    } catch (error) {
      this.#yaml.wrong(path, messageOf(error));
      return text;
    }
  }

  // ------------------------------------------------------------------------------------------------ mocks

  #mocksOf(value: Record<string, unknown> | undefined, path: Path): Mocks | undefined {
    return value && this.#each(value, path, (mock, at) => this.#mock(mock, at));
  }

  /** Reads each member of an object. */
  #each<Result>(value: Record<string, unknown>, path: Path, one: (value: unknown, path: Path) => Result): Record<string, Result> {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item, [...path, key])]));
  }

  #mock(value: unknown, path: Path): Mock {
    if (Array.isArray(value)) return value.map((item, i) => this.#answer(item, [...path, i]));
    if (isObject(value)) {
      const [key, ...others] = Object.keys(value);
      if (key === "eachIteration" && others.length === 0) return eachIteration(this.#mock(value.eachIteration, [...path, key]));
      if (key === "iterations" && others.length === 0) return this.#iterations(value.iterations, [...path, key]);
      if (key !== undefined && [key, ...others].every((one) => rangeOf(one) !== undefined))
        return this.#each(value, path, (item, at) => this.#answer(item, at));
    }
    return this.#answer(value, path);
  }

  #iterations(value: unknown, path: Path): IterationMock | MockAnswer {
    if (Array.isArray(value)) return iterations(value.map((mock, i) => this.#mock(mock, [...path, i])));
    if (!isObject(value)) return this.#noMock(path, 'iterations must be a list of mocks, or a map by index: "0", "1-3", "*"');
    for (const key of Object.keys(value)) {
      if (key !== "*" && rangeOf(key) === undefined)
        this.#yaml.wrong([...path, key], `an iteration must be "0", "1-3" or "*", not ${JSON.stringify(key)}`, true);
    }
    return iterations(this.#each(value, path, (mock, at) => this.#mock(mock, at)));
  }

  #answer(value: unknown, path: Path): MockAnswer {
    if (value === "never") return never();
    const forms =
      "a mock must be {return: …}, {respond: …}, {throw: Error, cause: …}, never, a list of these, or a map by number of the call";
    if (!isObject(value)) return this.#noMock(path, `${forms}, not ${JSON.stringify(value)}`);
    const keys = Object.keys(value);
    if (isConfigured(value, keys)) return value;
    const known = ["return", "respond", "throw", "cause", "never", "after"];
    const [kind, ...others] = keys.filter((key) => ["return", "respond", "throw", "never"].includes(key));
    const unknown = keys.find((key) => !known.includes(key));
    const near = unknown === undefined ? "" : didYouMean(unknown, known);
    if (unknown !== undefined && (kind !== undefined || near !== ""))
      return this.#noMock([...path, unknown], `a mock has no field ${JSON.stringify(unknown)}${near}`, true);
    if (kind === undefined || others.length > 0) return this.#noMock(path, forms);
    const { after, cause } = value;
    if (after !== undefined && milliseconds(after) === undefined) {
      return this.#noMock(
        [...path, "after"],
        `after must be a duration with its unit, such as 90 s or 1h 30m, not ${JSON.stringify(after)}`,
      );
    }
    if (kind === "never") return never();
    if (kind === "throw" && typeof value.throw !== "string") return this.#noMock([...path, "throw"], "throw must be the error's name");
    if (cause !== undefined && kind !== "throw") return this.#noMock([...path, "cause"], "only throw can have a cause", true);
    const result =
      kind === "throw" ? throws(String(value.throw), cause) : kind === "return" ? returns(value.return) : responds(value.respond);
    return typeof after === "string" ? result.after(after) : result;
  }

  /** Reports a mistake in a mock, and returns a placeholder. Nothing will be run. */
  #noMock(path: Path, message: string, atKey = false): MockAnswer {
    this.#yaml.wrong(path, message, atKey);
    return never();
  }

  /** Resolves a path that is relative to the test file. */
  #near(path: string): string {
    const file = resolve(dirname(this.#file), path);
    this.#files.push(file.replace(/#[^#]*$/, ""));
    return file;
  }
}

/** The parts that the tests of a file share. */
interface Common {
  input: unknown;
  mocks: Mocks | undefined;
}

/** Returns whether a result has the form of a mock configuration of Step Functions Local. */
function isConfigured(
  value: Record<string, unknown>,
  [key, ...others]: string[],
): value is { Return: unknown } | { Throw: { Error: string } } {
  if (others.length > 0) return false;
  return key === "Return" || (key === "Throw" && isObject(value.Throw) && typeof value.Throw.Error === "string");
}
