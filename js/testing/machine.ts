// @ts-nocheck: has no types yet.
// A machine under test, and its runs.

import { Handlers } from "../tasks/resource.ts";
import { load } from "./definition.ts";
import { MockError, TestKitError } from "./errors.ts";
import { loadMockConfig } from "./mock-config.ts";
import { answerer } from "./mocks.ts";
import { Outline } from "../coverage/outline.ts";
import { TestRun } from "./run.ts";
import { collectFile } from "../coverage/collect.ts";

const MACHINE_OPTIONS = ["name", "arn", "roleArn", "type", "jsonata", "substitutions"];
const RUN_OPTIONS = ["mocks", "tasks", "machines", "seed", "startTime", "name", "clock", "signal", "payloadLimit", "historyLimit", "idleTimeout"];
/** What a machine is called is not what its executions are. */
const UNNAMED = { name: undefined, arn: undefined };

// A test's fake timers are not for this.
const { setTimeout: realTimeout, clearTimeout: clearRealTimeout } = globalThis;

/** Time begins at the same instant in every run: what a history says of times is then the same, too. */
const START = Date.UTC(2025, 0, 1);

/** Makes a machine to test from a definition: a file's path or URL (JSON or YAML), JSON text, an object, a StateMachine. */
export function testMachine(source, options = {}) {
  return new TestMachine(source, options);
}

export class TestMachine {
  #options;
  #config;
  #outline;
  #definition;

  constructor(source, options) {
    check(options, [...MACHINE_OPTIONS, ...RUN_OPTIONS, "mockConfig", "input"], "testMachine()");
    const own = Object.fromEntries(MACHINE_OPTIONS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]));
    const { machine, definition, file } = load(source, own);
    /** The machine itself. */
    this.machine = machine;
    /** The file that it came from. */
    this.file = file;
    this.#definition = definition;
    this.#options = options;
    this.#config = options.mockConfig === undefined ? undefined : loadMockConfig(options.mockConfig);
    if (file !== undefined) collectFile(machine.digest, file);
  }

  /** What the definition consists of. */
  get outline() {
    return (this.#outline ??= new Outline(this.#definition));
  }

  /** The test cases of the mock configuration. */
  get testCases() {
    return this.#config === undefined ? [] : this.#config.testCases(this.#configured());
  }

  /** Runs the machine to its end. */
  async run(input = this.#options.input ?? {}, options = {}) {
    check(options, [...RUN_OPTIONS, "arn"], "run()");
    this.#named(options);
    return new Attempt(this, input, { ...this.#options, ...UNNAMED, ...options }, [options.mocks, this.#options.mocks]).result;
  }

  /** Runs a test case of the mock configuration to its end. States without mock there have the machine's own. */
  async test(testCase, input = this.#options.input ?? {}, options = {}) {
    check(options, [...RUN_OPTIONS, "arn"], "test()");
    this.#named(options);
    if (this.#config === undefined) throw new TestKitError("test() needs a mock configuration: testMachine(definition, { mockConfig: \"MockConfigFile.json\" })");
    const mocks = this.#config.mocks(this.#configured(), testCase);
    return new Attempt(this, input, { ...this.#options, ...UNNAMED, ...options }, [options.mocks, mocks, this.#options.mocks]).result;
  }

  /** A mock of a run that is for nothing is a misspelt one, unless machines that tasks start may call it. */
  #named({ mocks, machines = this.#options.machines }) {
    if (machines !== undefined || typeof mocks !== "object" || mocks === null) return;
    for (const name of mocks instanceof Map ? mocks.keys() : Object.keys(mocks)) {
      if (this.outline.calls(name) !== false) continue;
      const { tasks } = this.outline;
      throw new TestKitError(`the mock of ${JSON.stringify(name)} matches nothing in the definition; its tasks are ${tasks.slice(0, 20).join(", ") || "none"}${tasks.length > 20 ? " …" : ""}`);
    }
  }

  #configured() {
    return this.#config.nameFor(this.#options.name, this.machine.name);
  }
}

/** One run: the handlers that answer from mocks, and what they were called with. */
class Attempt {
  #machine;
  #mocks = [];
  #tasks;
  #calls = [];
  #children = [];
  #nested = [];
  #problem;
  #byToken = 0;
  #idle;
  #options;

  constructor(machine, input, options, layers) {
    this.#machine = machine;
    this.#options = options;
    for (const mocks of layers) if (mocks !== undefined) this.#mocks.push(this.#answerers(mocks));
    this.#tasks = new Handlers(options.tasks);
    const start = { clock: options.clock ?? "virtual", startTime: options.startTime ?? START, seed: options.seed ?? 1, name: options.name ?? "test", coverage: true, tasks: this.#handlers() };
    for (const name of ["arn", "machines", "signal", "payloadLimit", "historyLimit"]) if (options[name] !== undefined) start[name] = options[name];
    start.onChild = (child) => this.#children.push(child);
    if (options.machines !== undefined) start.onNested = (child) => this.#nested.push(child);
    start.onIdle = () => this.#wait();
    this.execution = machine.machine.start(input, start);
    this.result = this.#finish(input);
  }

  #answerers(mocks) {
    if (typeof mocks === "function") return this.#answerers({ "*": mocks });
    if (typeof mocks !== "object" || mocks === null) throw new TestKitError("mocks must be an object of mocks by state, function or resource, or one function");
    const entries = mocks instanceof Map ? [...mocks] : Object.entries(mocks);
    return new Handlers(new Map(entries.map(([name, mock]) => [name, answerer(name, mock, () => (this.#mocked = true))])));
  }

  #mocked = false;

  /** One handler for each state, by name, which comes before what `machines` would do, and one for all others. */
  #handlers() {
    const handle = (input, task) => this.#handle(input, task);
    const handlers = new Map([["*", handle]]);
    for (const { name, fields, type } of this.#machine.outline.states) {
      if (type !== "Task") continue;
      const { Resource: resource, Parameters, Arguments } = fields;
      const given = Parameters ?? Arguments;
      const mock = this.#find(resource, name, given);
      const real = mock === undefined ? this.#tasks.find(resource, name, given) : undefined;
      // An Activity takes its tasks itself; a machine that is started by this task runs.
      if (real !== undefined && typeof real !== "function") handlers.set(name, real);
      else if (mock !== undefined || real !== undefined || this.#options.machines === undefined || !/states:startExecution|sfn:/i.test(resource)) handlers.set(name, handle);
    }
    return handlers;
  }

  #find(resource, state, parameters) {
    for (const mocks of this.#mocks) {
      const found = mocks.find(resource, state, parameters);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #handle(input, task) {
    const call = { state: task.stateName, resource: task.resource, input, parameters: task.parameters, attempt: task.attempt, iterations: [...task.iterations], purpose: task.purpose, mocked: true };
    this.#calls.push(call);
    try {
      const mock = this.#find(task.resource, task.stateName, task.parameters);
      const handler = mock ?? this.#tasks.find(task.resource, task.stateName, task.parameters);
      if (handler === undefined) throw this.#missing(task);
      call.mocked = mock !== undefined;
      this.#mocked = false;
      const answer = handler(input, task);
      if (task.token !== undefined && !this.#mocked) this.#byToken += 1;
      if (typeof answer?.then !== "function") return this.#returned(call, answer);
      return answer.then(
        (value) => this.#returned(call, value),
        (thrown) => this.#thrown(call, task, thrown),
      );
    } catch (thrown) {
      return this.#thrown(call, task, thrown);
    }
  }

  #returned(call, value) {
    call.result = value;
    return value;
  }

  #thrown(call, task, thrown) {
    call.error = thrown?.error ?? thrown?.name ?? "Error";
    if (thrown instanceof TestKitError && this.#problem === undefined) {
      this.#problem = thrown;
      this.execution.abort(thrown.name, thrown.message);
      if (task.execution !== this.execution) task.execution.abort(thrown.name, thrown.message);
    }
    throw thrown;
  }

  #missing(task) {
    const known = this.#mocks.length === 0 ? "No mocks were given." : "";
    const message = `No mock and no handler for state ${JSON.stringify(task.stateName)}, which calls ${task.resource}. ${known} Add one: mocks: { ${JSON.stringify(task.stateName)}: returns({ … }) }, or a handler in tasks.`;
    return new MockError(message.replace("  ", " "), { state: task.stateName, resource: task.resource, invocation: 0 });
  }

  /** Nothing moves the execution: at once at an end, unless somebody may still answer by a token. */
  #wait() {
    const patience = this.#options.idleTimeout ?? (this.#byToken > 0 ? 1000 : 0);
    this.#idle?.(patience);
  }

  async #finish(input) {
    const { execution } = this;
    let timer;
    const idle = new Promise((resolve) => {
      this.#idle = (patience) => {
        clearRealTimeout(timer);
        if (patience === 0) resolve("idle");
        else timer = realTimeout(() => resolve("idle"), patience);
      };
    });
    const outcome = await Promise.race([execution.result, idle]);
    clearRealTimeout(timer);
    if (this.#problem !== undefined) throw this.#problem;
    const ended = outcome !== "idle";
    const run = new TestRun({
      machine: this.#machine,
      execution,
      input,
      outcome: ended ? outcome : { status: "RUNNING" },
      waiting: ended ? [] : execution.frames().filter(({ phase }) => phase !== "joining"),
      history: execution.history(),
      coverage: execution.coverage(),
      calls: this.#calls,
      children: this.#children,
      nested: this.#nested,
    });
    // Nobody is going to answer: what it holds is given back.
    if (!ended) execution.abort("Stepglass.Idle", "nothing can move the execution any more");
    return run;
  }
}

export function check(options, known, where) {
  if (typeof options !== "object" || options === null) throw new TestKitError(`the options of ${where} must be an object`);
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TestKitError(`${where} has no option ${JSON.stringify(name)}; it has ${known.join(", ")}`);
  }
}
