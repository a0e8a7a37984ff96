// @ts-nocheck: has no types yet.
// The mock configuration file of Step Functions Local, read as it is.

import { basename } from "node:path";
import { pathOf, readText } from "./definition.ts";
import { brief } from "./compare.ts";
import { TestKitError } from "./errors.ts";
import { plan } from "./mocks.ts";

/** A mock configuration: state machines, their test cases, and the responses that these name. */
export class MockConfig {
  #machines;
  #responses;
  #where;

  constructor(config, where = "the mock configuration") {
    this.#where = where;
    const wrong = (message) => new TestKitError(`${where}: ${message}`);
    if (!isObject(config)) throw wrong("it must be a JSON object with StateMachines and MockedResponses");
    for (const key of Object.keys(config)) {
      if (key !== "StateMachines" && key !== "MockedResponses") throw wrong(`there is no field ${JSON.stringify(key)}; the fields are StateMachines and MockedResponses`);
    }
    if (!isObject(config.StateMachines)) throw wrong("StateMachines must be an object");
    if (config.MockedResponses !== undefined && !isObject(config.MockedResponses)) throw wrong("MockedResponses must be an object");
    this.#responses = new Map(Object.entries(config.MockedResponses ?? {}));
    for (const [name, response] of this.#responses) this.#check(name, response);
    this.#machines = new Map();
    for (const [machine, body] of Object.entries(config.StateMachines)) {
      if (!isObject(body?.TestCases)) throw wrong(`StateMachines/${machine} must have an object called TestCases`);
      const cases = new Map();
      for (const [test, states] of Object.entries(body.TestCases)) {
        if (!isObject(states)) throw wrong(`StateMachines/${machine}/TestCases/${test} must be an object of states`);
        for (const [state, response] of Object.entries(states)) {
          if (typeof response !== "string" || !this.#responses.has(response)) {
            throw wrong(`StateMachines/${machine}/TestCases/${test}/${state}: there is no mocked response ${brief(response)}${known(this.#responses)}`);
          }
        }
        cases.set(test, states);
      }
      this.#machines.set(machine, cases);
    }
  }

  #check(name, response) {
    const wrong = (message) => new TestKitError(`${this.#where}: MockedResponses/${name}${message}`);
    if (!isObject(response) || Object.keys(response).length === 0) throw wrong(' must be an object of results by number: "0", "1-2"');
    for (const [number, result] of Object.entries(response)) {
      if (!/^\d+(-\d+)?$/.test(number)) throw wrong(`: ${JSON.stringify(number)} is not the number of an invocation, such as "0" or "1-2"`);
      const keys = isObject(result) ? Object.keys(result) : [];
      if (keys.length !== 1 || (keys[0] !== "Return" && keys[0] !== "Throw")) throw wrong(`/${number} must have either Return or Throw`);
      if (keys[0] === "Throw" && typeof result.Throw?.Error !== "string") throw wrong(`/${number}/Throw must have an Error`);
    }
    plan(response, name);
  }

  /** The names of the state machines. */
  get stateMachines() {
    return [...this.#machines.keys()];
  }

  /** The names of a state machine's test cases. */
  testCases(machine) {
    return [...this.#casesOf(machine).keys()];
  }

  /** The mocks of a test case, by state: for `mocks`. */
  mocks(machine, testCase) {
    const cases = this.#casesOf(machine);
    const states = cases.get(testCase);
    if (states === undefined) throw new TestKitError(`${this.#where}: the state machine ${brief(machine)} has no test case ${brief(testCase)}${known(cases)}`);
    return Object.fromEntries(Object.entries(states).map(([state, response]) => [state, this.#responses.get(response)]));
  }

  /** The state machine that a machine to test is: by name, or the only one. */
  nameFor(...candidates) {
    const found = candidates.find((name) => name !== undefined && this.#machines.has(name));
    if (found !== undefined) return found;
    if (this.#machines.size === 1) return this.stateMachines[0];
    const named = candidates.filter((name) => name !== undefined).map((name) => JSON.stringify(name)).join(" or ");
    throw new TestKitError(`${this.#where}: there is no state machine ${named}${known(this.#machines)}; pass the machine's name: testMachine(definition, { name, mockConfig })`);
  }

  #casesOf(machine) {
    const cases = this.#machines.get(machine);
    if (cases === undefined) throw new TestKitError(`${this.#where}: there is no state machine ${brief(machine)}${known(this.#machines)}`);
    return cases;
  }
}

/** Reads a mock configuration file of Step Functions Local, or takes its contents. */
export function loadMockConfig(source) {
  if (source instanceof MockConfig) return source;
  if (typeof source === "object" && source !== null && !(source instanceof URL)) return new MockConfig(source);
  const file = pathOf(source, "a mock configuration");
  const text = readText(file);
  try {
    return new MockConfig(JSON.parse(text), basename(file));
  } catch (error) {
    if (error instanceof SyntaxError) throw new TestKitError(`${file} is not JSON: ${error.message}`);
    throw error;
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function known(map) {
  const names = [...map.keys()];
  return names.length === 0 ? "" : `; there ${names.length === 1 ? "is" : "are"} ${names.slice(0, 10).join(", ")}${names.length > 10 ? " …" : ""}`;
}
