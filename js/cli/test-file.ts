// @ts-nocheck: has no types yet.
// Test files: YAML or JSON that says what to run and what to expect, without any JavaScript.

import { dirname, resolve } from "node:path";
import { LineCounter, isAlias, isMap, isScalar, isSeq } from "yaml";
import { milliseconds } from "../base/duration.ts";
import { rangeOf } from "../mocks/answers.ts";
import { eachIteration, iterations, never, responds, returns, throws } from "../mocks/results.ts";
import { meant } from "./main.ts";
import { read, valueOfDocument, yamlDocument } from "../files/source.ts";

const STATUSES = ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED", "RUNNING"];

/** A test file that cannot be used, with all its problems: `{message, line, column}`. */
export class BadTestFile extends Error {
  constructor(file, problems) {
    super(problems.map(({ message, line, column }) => `${file}:${line}:${column}: ${message}`).join("\n"));
    this.problems = problems;
  }
}

/** What a test file says: `{file, machine: {source, options}, files, tests}`. Throws BadTestFile. */
export function readTestFile(file) {
  return new TestFile(file, read(file)).content();
}

class TestFile {
  #file;
  #lines = new LineCounter();
  #document;
  #problems = [];
  #files;

  constructor(file, text) {
    this.#file = file;
    this.#files = [file];
    this.#document = yamlDocument(text, { lineCounter: this.#lines, merge: true, prettyErrors: false });
    for (const { message, pos } of this.#document.errors) this.#problems.push({ message, ...this.#position(pos[0]) });
  }

  content() {
    if (this.#problems.length === 0) {
      const content = this.#read(valueOfDocument(this.#document, this.#file));
      if (this.#problems.length === 0) return content;
    }
    throw new BadTestFile(this.#file, this.#problems.sort((a, b) => a.line - b.line || a.column - b.column));
  }

  #read(value) {
    if (!this.#fields(value, [], "a test file", { $schema: this.#text, definition: this.#definition, name: this.#text, type: this.#oneOf("STANDARD", "EXPRESS"), mockConfig: this.#text, tasks: this.#text, input: any, mocks: this.#mocks, seed: this.#whole, tests: any })) return undefined;
    if (value.definition === undefined) this.#wrong([], "a test file needs a definition: its path, or the definition itself");
    if (value.tests === undefined) return this.#wrong([], "a test file needs tests: a list, or a map by name");
    const { definition, mockConfig, tasks } = value;
    const options = {};
    for (const name of ["name", "type", "seed"]) if (value[name] !== undefined) options[name] = value[name];
    if (mockConfig !== undefined) options.mockConfig = this.#near(mockConfig);
    const source = typeof definition === "string" ? this.#near(definition) : definition;
    const mocks = this.#mocksOf(value.mocks, ["mocks"]);
    return { file: this.#file, source, options, tasks: tasks === undefined ? undefined : this.#near(tasks), files: this.#files, tests: this.#tests(value.tests, { input: Object.hasOwn(value, "input") ? value.input : {}, mocks }) };
  }

  #tests(tests, common) {
    if (Array.isArray(tests)) return tests.map((test, i) => this.#test(test, ["tests", i], undefined, common));
    if (isObject(tests)) return Object.entries(tests).map(([name, test]) => this.#test(test ?? {}, ["tests", name], name, common));
    this.#wrong(["tests"], "tests must be a list, or a map by name");
    return [];
  }

  #test(test, path, key, common) {
    const known = { name: this.#text, input: any, testCase: this.#text, mocks: this.#mocks, seed: this.#whole, skip: this.#boolean, only: this.#boolean, expect: any, property: any };
    if (!this.#fields(test, path, "a test", known)) return undefined;
    const name = test.name ?? key ?? test.testCase;
    if (name === undefined) this.#wrong(path, "a test needs a name");
    const expect = test.expect === undefined && test.property === undefined ? { status: "SUCCEEDED" } : this.#expect(test.expect ?? {}, [...path, "expect"]);
    const property = test.property === undefined ? undefined : this.#property(test.property, [...path, "property"]);
    if (property !== undefined && test.testCase !== undefined) this.#wrong([...path, "property"], "a property generates the outcomes of tasks: it cannot have a testCase");
    const own = this.#mocksOf(test.mocks, [...path, "mocks"]);
    return {
      name: String(name),
      line: this.#place(path).line,
      input: Object.hasOwn(test, "input") ? test.input : common.input,
      testCase: test.testCase,
      mocks: own === undefined ? common.mocks : { ...common.mocks, ...own },
      ...(test.seed !== undefined && { seed: test.seed }),
      skip: test.skip === true,
      only: test.only === true,
      expect,
      property,
      lineOf: (field) => this.#place([...path, "expect", field]).line,
    };
  }

  #expect(expect, path) {
    const fields = {
      status: this.#oneOf(...STATUSES), output: any, outputMatches: any, error: this.#text, cause: this.#text, path: this.#names, passedThrough: this.#names, entered: this.#counts, neverEntered: this.#names,
      calls: this.#calls, neverCalled: this.#names, retries: this.#counts, waits: this.#durations, lasted: this.#duration, caught: this.#errors,
    };
    if (!this.#fields(expect, path, "expect", fields)) return {};
    const out = { ...expect };
    for (const field of ["error", "cause"]) if (out[field] !== undefined) out[field] = this.#pattern(out[field], [...path, field]);
    if (out.caught !== undefined && isObject(out.caught)) out.caught = Object.fromEntries(Object.entries(out.caught).map(([state, error]) => [state, this.#pattern(error, [...path, "caught", state])]));
    return out;
  }

  #property(property, path) {
    const fields = { runs: this.#whole, seed: this.#whole, inputs: this.#list, outputs: this.#object, errors: any, timeouts: this.#oneOf("declared", "all", "none"), delays: this.#list, failures: any, allow: this.#names, schedule: this.#object };
    return this.#fields(property, path, "property", fields) ? { ...property } : {};
  }

  /** A text between slashes is a regular expression. */
  #pattern(text, path) {
    const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
    if (source === undefined) return text;
    try {
      return new RegExp(source, flags);
    } catch (error) {
      this.#wrong(path, error.message);
      return text;
    }
  }

  // ------------------------------------------------------------------------------------------------ mocks

  #mocksOf(value, path) {
    if (!isObject(value)) return undefined;
    return Object.fromEntries(Object.entries(value).map(([name, mock]) => [name, this.#mock(mock, [...path, name])]));
  }

  #mock(value, path) {
    if (Array.isArray(value)) return value.map((item, i) => this.#answer(item, [...path, i]));
    if (isObject(value)) {
      const keys = Object.keys(value);
      if (keys.length === 1 && keys[0] === "eachIteration") return eachIteration(this.#mock(value.eachIteration, [...path, "eachIteration"]));
      if (keys.length === 1 && keys[0] === "iterations") return this.#iterations(value.iterations, [...path, "iterations"]);
      if (keys.length > 0 && keys.every((key) => rangeOf(key) !== undefined)) return Object.fromEntries(keys.map((key) => [key, this.#answer(value[key], [...path, key])]));
    }
    return this.#answer(value, path);
  }

  #iterations(value, path) {
    if (Array.isArray(value)) return iterations(value.map((mock, i) => this.#mock(mock, [...path, i])));
    if (!isObject(value)) return this.#wrong(path, 'iterations must be a list of mocks, or a map by index: "0", "1-3", "*"');
    for (const key of Object.keys(value)) if (key !== "*" && rangeOf(key) === undefined) this.#wrong([...path, key], `an iteration must be "0", "1-3" or "*", not ${JSON.stringify(key)}`, true);
    return iterations(Object.fromEntries(Object.entries(value).map(([key, mock]) => [key, this.#mock(mock, [...path, key])])));
  }

  #answer(value, path) {
    if (value === "never") return never();
    const forms = "a mock must be {return: …}, {respond: …}, {throw: Error, cause: …}, never, a list of these, or a map by number of the call";
    if (!isObject(value)) return this.#wrong(path, `${forms}, not ${JSON.stringify(value)}`);
    const keys = Object.keys(value);
    if (keys.length === 1 && (keys[0] === "Return" || (keys[0] === "Throw" && typeof value.Throw?.Error === "string"))) return value;
    const known = ["return", "respond", "throw", "cause", "never", "after"];
    const kinds = keys.filter((key) => ["return", "respond", "throw", "never"].includes(key));
    const unknown = keys.find((key) => !known.includes(key));
    const near = unknown === undefined ? "" : meant(unknown, known);
    if (unknown !== undefined && (kinds.length > 0 || near !== "")) return this.#wrong([...path, unknown], `a mock has no field ${JSON.stringify(unknown)}${near}`, true);
    if (kinds.length !== 1) return this.#wrong(path, forms);
    if (value.after !== undefined && milliseconds(value.after) === undefined) return this.#wrong([...path, "after"], `after must be a duration with its unit, such as 90 s or 1h 30m, not ${JSON.stringify(value.after)}`);
    if (kinds[0] === "never") return never();
    if (kinds[0] === "throw" && typeof value.throw !== "string") return this.#wrong([...path, "throw"], "throw must be the error's name");
    if (value.cause !== undefined && kinds[0] !== "throw") return this.#wrong([...path, "cause"], "only throw can have a cause", true);
    const result = kinds[0] === "throw" ? throws(value.throw, value.cause) : kinds[0] === "return" ? returns(value.return) : responds(value.respond);
    return value.after === undefined ? result : result.after(value.after);
  }

  // --------------------------------------------------------------------------------------------- checking

  /** Whether a value is an object with known fields, each as it should be. */
  #fields(value, path, what, known) {
    if (!isObject(value)) {
      this.#wrong(path, `${what} must be a map with the fields ${Object.keys(known).filter((name) => !name.startsWith("$")).join(", ")}`);
      return false;
    }
    for (const [key, item] of Object.entries(value)) {
      if (!Object.hasOwn(known, key)) {
        const names = Object.keys(known);
        const near = meant(key, names);
        this.#wrong([...path, key], `${what} has no field ${JSON.stringify(key)}${near || `; it has ${names.join(", ")}`}`, true);
      } else if (known[key] !== any) {
        const problem = known[key].call(this, item, [...path, key]);
        if (typeof problem === "string") this.#wrong([...path, key], `${key} ${problem}`);
      }
    }
    return true;
  }

  #text(value) {
    return typeof value === "string" ? undefined : "must be a string";
  }

  #whole(value) {
    return Number.isInteger(value) ? undefined : "must be a whole number";
  }

  #boolean(value) {
    return typeof value === "boolean" ? undefined : "must be true or false";
  }

  #list(value) {
    return Array.isArray(value) ? undefined : "must be a list";
  }

  #object(value) {
    return isObject(value) ? undefined : "must be a map";
  }

  #names(value) {
    return Array.isArray(value) && value.every((name) => typeof name === "string") ? undefined : "must be a list of names";
  }

  #counts(value) {
    const list = Array.isArray(value) && value.every((name) => typeof name === "string");
    return list || (isObject(value) && Object.values(value).every((count) => Number.isInteger(count) && count >= 0)) ? undefined : "must be a map of names to numbers, or a list of names";
  }

  #calls(value) {
    return isObject(value) && Object.values(value).every((calls) => Array.isArray(calls) || (Number.isInteger(calls) && calls >= 0)) ? undefined : "must be a map of names to numbers of calls, or to lists of their inputs";
  }

  #duration(value) {
    return milliseconds(value) === undefined ? `must be a duration with its unit, such as 90 s or 1h 30m, not ${JSON.stringify(value)}` : undefined;
  }

  #durations(value, path) {
    if (!isObject(value)) return "must be a map of states to durations";
    for (const [state, duration] of Object.entries(value)) if (milliseconds(duration) === undefined) this.#wrong([...path, state], `a duration must be a text with its unit, such as 90 s or 1h 30m, not ${JSON.stringify(duration)}`);
    return undefined;
  }

  #errors(value) {
    return isObject(value) && Object.values(value).every((error) => typeof error === "string") ? undefined : "must be a map of states to errors";
  }

  #definition(value) {
    return typeof value === "string" || isObject(value) ? undefined : "must be the path of a definition, or the definition itself";
  }

  #mocks(value) {
    return isObject(value) ? undefined : "must be a map of mocks by state, function or resource";
  }

  #oneOf(...words) {
    return (value) => (words.includes(value) ? undefined : `must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}${typeof value === "string" ? meant(value, words) : ""}`);
  }

  // ---------------------------------------------------------------------------------------------- places

  /** A path that is written relative to the test file. */
  #near(path) {
    const file = resolve(dirname(this.#file), path);
    this.#files.push(file.replace(/#[^#]*$/, ""));
    return file;
  }

  #wrong(path, message, atKey = false) {
    this.#problems.push({ message, ...this.#place(path, atKey) });
    return undefined;
  }

  /** Line and column of a value, or with `atKey` of its name. */
  #place(path, atKey = false) {
    let node = this.#document.contents;
    let offset = node?.range?.[0] ?? 0;
    for (const [i, part] of path.entries()) {
      if (isAlias(node)) node = node.resolve(this.#document);
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === String(part));
        if (pair === undefined) break;
        node = pair.value;
        offset = ((atKey && i === path.length - 1) || !node?.range ? pair.key : node).range?.[0] ?? offset;
        // A block begins on the line after its name; its name is what is looked for.
        if (isMap(node) || isSeq(node)) offset = pair.key.range?.[0] ?? offset;
      } else if (isSeq(node)) {
        node = node.items[Number(part)];
        offset = node?.range?.[0] ?? offset;
      } else break;
    }
    return this.#position(offset);
  }

  #position(offset) {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }
}

/** A field that may be anything. */
const any = () => undefined;

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
