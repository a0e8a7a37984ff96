// Reads the mock configuration of Step Functions Local, for the test kit, the command, the server and the page.

import type { LocalResult, MockConfig as MockConfiguration } from "../../core/api/testing.d.ts";
import { isObject } from "../../core/base/json.ts";
import { brief } from "./display.ts";
import { TestKitError } from "./errors.ts";
import { plan } from "./answers.ts";

/** A mocked response: results by the number of the call, such as "0" or "1-2". */
type Response = Record<string, LocalResult>;

/** A test case: the names of mocked responses, by state. */
type TestCase = Record<string, string>;

/** A mock configuration: state machines, their test cases, and the responses to which these refer. */
export class MockConfig implements MockConfiguration {
  /** Test cases by name, by state machine. */
  #machines = new Map<string, Map<string, TestCase>>();
  #responses = new Map<string, Response>();
  /** The name of the configuration in messages. */
  #where: string;
  /** Messages about ignored members. Step Functions Local and related tools define additional ones. */
  readonly warnings: string[] = [];

  constructor(config: unknown, where = "the mock configuration") {
    this.#where = where;
    if (!isObject(config)) throw this.#wrong(": it must be a JSON object with StateMachines and MockedResponses");
    this.#passOver(config, ["StateMachines", "MockedResponses"], "");
    const { StateMachines, MockedResponses = {} } = config;
    if (!isObject(StateMachines)) throw this.#wrong(": StateMachines must be an object");
    if (!isObject(MockedResponses)) throw this.#wrong(": MockedResponses must be an object");
    for (const [name, response] of Object.entries(MockedResponses)) this.#responses.set(name, this.#responseOf(name, response));
    for (const [machine, body] of Object.entries(StateMachines)) this.#machines.set(machine, this.#testCasesOf(machine, body));
  }

  #wrong(message: string): TestKitError {
    return new TestKitError(`${this.#where}${message}`);
  }

  #passOver(members: object, known: readonly string[], place: string): void {
    for (const key of Object.keys(members))
      if (!known.includes(key))
        this.warnings.push(`${this.#where}: ${place}${JSON.stringify(key)} is passed over; the members here are ${known.join(" and ")}`);
  }

  #responseOf(name: string, response: unknown): Response {
    const wrong = (message: string) => this.#wrong(`: MockedResponses/${name}${message}`);
    if (!isObject(response) || Object.keys(response).length === 0) throw wrong(' must be an object of results by number: "0", "1-2"');
    const results: Response = {};
    for (const [number, result] of Object.entries(response)) {
      if (!/^\d+(-\d+)?$/.test(number)) throw wrong(`: ${JSON.stringify(number)} is not the number of an invocation, such as "0" or "1-2"`);
      const all = isObject(result) ? Object.entries(result) : [];
      const [key, ...others] = all.filter(([name]) => name === "Return" || name === "Throw");
      if (key === undefined || others.length > 0) throw wrong(`/${number} must have either Return or Throw`);
      this.#passOver(Object.fromEntries(all), ["Return", "Throw"], `MockedResponses/${name}/${number}/`);
      results[number] = Object.fromEntries([key]) as unknown as LocalResult;
      if (key[0] === "Throw" && !(isObject(key[1]) && typeof key[1].Error === "string")) throw wrong(`/${number}/Throw must have an Error`);
    }
    plan(results, name);
    return results;
  }

  #testCasesOf(machine: string, body: unknown): Map<string, TestCase> {
    if (!isObject(body) || !isObject(body.TestCases)) throw this.#wrong(`: StateMachines/${machine} must have an object called TestCases`);
    this.#passOver(body, ["TestCases"], `StateMachines/${machine}/`);
    const cases = new Map<string, TestCase>();
    for (const [test, states] of Object.entries(body.TestCases)) {
      if (!isObject(states)) throw this.#wrong(`: StateMachines/${machine}/TestCases/${test} must be an object of states`);
      for (const [state, response] of Object.entries(states)) {
        if (typeof response !== "string" || !this.#responses.has(response)) {
          throw this.#wrong(
            `: StateMachines/${machine}/TestCases/${test}/${state}: there is no mocked response ${brief(response)}${known(this.#responses)}`,
          );
        }
      }
      cases.set(test, states as TestCase);
    }
    return cases;
  }

  /** The names of the state machines. */
  get stateMachines(): string[] {
    return [...this.#machines.keys()];
  }

  /** Returns the names of a state machine's test cases. */
  testCases(machine: string): string[] {
    return [...this.#casesOf(machine).keys()];
  }

  /** Returns the mocks of a test case by state, for the option `mocks`. */
  mocks(machine: string, testCase: string): Record<string, Response> {
    const cases = this.#casesOf(machine);
    const states = cases.get(testCase);
    if (states === undefined) throw this.#wrong(`: the state machine ${brief(machine)} has no test case ${brief(testCase)}${known(cases)}`);
    // The constructor has checked that each response exists.
    return Object.fromEntries(Object.entries(states).map(([state, response]) => [state, this.#responses.get(response) as Response]));
  }

  /** Returns the state machine under test: the first of these names that the configuration contains, or the only one there. */
  nameFor(...candidates: (string | undefined)[]): string {
    const names = candidates.filter((name) => name !== undefined);
    const found = names.find((name) => this.#machines.has(name)) ?? (this.#machines.size === 1 ? this.stateMachines[0] : undefined);
    if (found !== undefined) return found;
    const named = names.map((name) => JSON.stringify(name)).join(" or ");
    throw this.#wrong(
      `: there is no state machine ${named}${known(this.#machines)}; pass the machine's name: testMachine(definition, { name, mockConfig })`,
    );
  }

  #casesOf(machine: string): Map<string, TestCase> {
    const cases = this.#machines.get(machine);
    if (cases === undefined) throw this.#wrong(`: there is no state machine ${brief(machine)}${known(this.#machines)}`);
    return cases;
  }
}

function known(map: ReadonlyMap<string, unknown>): string {
  const names = [...map.keys()];
  return names.length === 0
    ? ""
    : `; there ${names.length === 1 ? "is" : "are"} ${names.slice(0, 10).join(", ")}${names.length > 10 ? " …" : ""}`;
}
