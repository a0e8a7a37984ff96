// Reads launch and attach requests into the options of a debug session.

import type { AdapterHost, DebugProgram } from "../../core/api/dap.d.ts";
import type { DebugOptions, Mock } from "../../core/api/debug.d.ts";
import type { HistoryEvent, MachineType } from "../../core/api/index.d.ts";
import { DefinitionError, messageOf } from "../../core/base/errors.ts";
import { isObject } from "../../core/base/json.ts";
import { valueOf } from "../../language/files/document.ts";
import { exampleInput, exampleResults } from "../debug/examples.ts";
import { validate } from "../../core/definition/definition.ts";
import { StateMachine } from "../../core/execution/machine.ts";
import { replayHistory } from "../../core/execution/recorded.ts";
import { Chains } from "../../core/history/chains.ts";
import { MockConfig } from "../../testing/mocks/config.ts";
import { sessionMocks } from "./mocks.ts";
import { textProgram } from "./program.ts";

/** A request that is refused for a reason that the user can do something about. */
export class Refused extends Error {}

/** The debugged machine, the machines that its tasks start, and the options of the session. */
export interface Launch {
  program: DebugProgram;
  machine: StateMachine;
  /** The programs by the names of their machines. */
  programs: Map<string, DebugProgram>;
  options: DebugOptions;
  /** The number of recorded events. Undefined if no recorded execution is debugged. */
  recorded?: number;
  stopOnEntry: boolean;
  stopOnEnd: boolean;
}

/** The arguments of a launch or attach request. Others, such as those of the editor itself, are ignored. */
const ARGUMENTS: Readonly<Record<string, [words: string, allows: (value: unknown) => boolean]>> = {
  definition: ["a file, FILE#ID for a template, or an object", (value) => typeof value === "string" || isObject(value)],
  test: ["FILE#NAME of a test", isText],
  input: ["a JSON value, or @FILE", () => true],
  tasks: ["the path of a module", isText],
  mocks: ['an object, a file, or "generated"', (value) => typeof value === "string" || isObject(value)],
  machines: ["a list of files", (value) => Array.isArray(value) && value.every(isText)],
  clock: ['"skip", "manual", "real" or a number above 0', isClock],
  seed: ["a whole number", Number.isSafeInteger],
  startTime: ["milliseconds since 1970 or an ISO 8601 time", (value) => Number.isFinite(startOf(value))],
  history: ["a file, or a recorded history", () => true],
  stopOnEntry: ["true or false", isFlag],
  stopOnEnd: ["true or false", isFlag],
  ask: ["true or false", isFlag],
  noDebug: ["true or false", isFlag],
  machineType: ["STANDARD or EXPRESS", (value) => value === "STANDARD" || value === "EXPRESS"],
  executionName: ["a string", isText],
  jsonata: ["2.0.6 or 2.1", (value) => value === "2.0.6" || value === "2.1"],
  substitutions: ["an object of values by name", isObject],
  executionArn: ["an ARN", isText],
  server: ["an address", isText],
};

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function isClock(value: unknown): boolean {
  return ["skip", "manual", "real"].includes(String(value)) || (typeof value === "number" && Number.isFinite(value) && value > 0);
}

function startOf(value: unknown): number {
  return typeof value === "number" ? value : Date.parse(String(value));
}

/** The checked arguments of a request. */
type Given = Record<string, unknown> & {
  definition?: string | object;
  test?: string;
  tasks?: string;
  mocks?: string | Record<string, unknown>;
  machines?: string[];
  machineType?: MachineType;
  substitutions?: Record<string, unknown>;
  executionArn?: string;
  server?: string;
};

function checked(given: unknown): Given {
  if (!isObject(given)) throw new Refused("the configuration must be an object");
  for (const [name, [words, allows]] of Object.entries(ARGUMENTS)) {
    const value: unknown = given[name];
    if (value !== undefined && value !== null && !allows(value))
      throw new Refused(`${name} must be ${words}, not ${JSON.stringify(value)?.slice(0, 80)}`);
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Given;
}

/** Reads a launch request. */
export async function readLaunch(host: AdapterHost, request: unknown): Promise<Launch> {
  const reader = new Reader(host, checked(request));
  return reader.launch();
}

/** Reads an attach request: an execution of a server or a Runtime, in its present state. */
export async function readAttach(host: AdapterHost, request: unknown): Promise<Launch> {
  const given = checked(request);
  const { executionArn, server } = given;
  if (executionArn === undefined) throw new Refused("attach needs an executionArn");
  if (host.readExecution === undefined) throw new Refused("this adapter cannot attach: it has no server or Runtime to ask");
  const found = await orRefuse(() => host.readExecution?.(executionArn, server));
  if (found === undefined) throw new Refused(`there is no execution ${executionArn}`);
  const { definition, events, stateMachineName: name = "StateMachine", type, name: executionName } = found;
  const own = given.definition ?? pretty(definition, name);
  const about = { ...(type && { machineType: type }), ...(executionName && { executionName }) };
  // Tasks without a recorded answer wait, as on the server.
  return new Reader(host, { ask: true, stopOnEnd: true, ...about, ...given, definition: own, history: events }, name).launch(executionArn);
}

function pretty(definition: string, name: string): DebugProgram {
  const { path: _, ...program } = textProgram("definition", JSON.stringify(JSON.parse(definition), null, 2));
  return { ...program, name };
}

/** Runs a function of the host. Throws Refused with the message of its error. */
async function orRefuse<Result>(act: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw new Refused(messageOf(error));
  }
}

class Reader {
  #host: AdapterHost;
  #given: Given;
  #name: string | undefined;
  #values = new Map<string, Promise<unknown>>();

  constructor(host: AdapterHost, given: Given, name?: string) {
    this.#host = host;
    this.#given = given;
    this.#name = name;
  }

  async launch(arn?: string): Promise<Launch> {
    const test = await this.#test();
    const { definition = test?.definition ?? (await this.#fetchedDefinition()), stopOnEntry, stopOnEnd, noDebug } = this.#given;
    if (definition === undefined) throw new Refused("the configuration needs a definition: a file, or FILE#ID for a template");
    const program = await this.#open(definition, this.#name ?? test?.name);
    const type = this.#given.machineType ?? test?.type ?? program.type;
    const others = await Promise.all((this.#given.machines ?? []).map((one) => this.#open(one)));
    const recorded = await this.#recorded(program, arn);
    const tasks = this.#given.tasks ?? test?.tasks;
    const mocks = await this.#mocks(program, recorded !== undefined);
    const options: DebugOptions = {
      // `stepglass test` gives its executions this name.
      ...(test && { name: "test" }),
      ...this.#settings(),
      ...(test?.seed !== undefined && this.#given.seed === undefined && { seed: test.seed }),
      ...(test?.startTime !== undefined && this.#given.startTime === undefined && { startTime: test.startTime }),
      ...(type && { type }),
      ...(tasks !== undefined && { tasks: await this.#loaded(tasks) }),
      ...(others.length > 0 && { machines: others.map((one) => machineOf(one)) }),
      mocks: { ...test?.mocks, ...mocks },
      ...recorded?.options,
      ...(arn !== undefined && { arn }),
    };
    const input = await this.#input(test, program);
    if (input !== undefined) options.input = input;
    return {
      program,
      machine: machineOf(program, type),
      programs: new Map([program, ...others].map((one) => [one.name, one])),
      options,
      ...(recorded && { recorded: recorded.events }),
      stopOnEntry: stopOnEntry === true && noDebug !== true,
      stopOnEnd: stopOnEnd === true && noDebug !== true,
    };
  }

  #settings(): DebugOptions {
    const { clock, seed, startTime, ask, jsonata, executionName } = this.#given as Record<string, any>;
    return {
      clock: clock === "real" ? 1 : (clock ?? "skip"),
      ...(seed !== undefined && { seed }),
      ...(startTime !== undefined && { startTime: startOf(startTime) }),
      ...(ask !== undefined && { ask }),
      ...(jsonata !== undefined && { jsonata }),
      ...(executionName !== undefined && { name: executionName }),
    };
  }

  async #open(definition: string | object, name?: string): Promise<DebugProgram> {
    if (typeof definition !== "string") {
      if ("range" in definition) return definition as DebugProgram;
      return pretty(JSON.stringify(definition), name ?? "StateMachine");
    }
    const { substitutions = {} } = this.#given;
    const program = await orRefuse(async () => {
      if (this.#host.open) return this.#host.open(definition, substitutions);
      const [file, id] = splitId(definition);
      return textProgram(file, await this.#read(file), { substitutions, ...(id !== undefined && { id }) });
    });
    return name === undefined ? program : { ...program, name };
  }

  async #read(path: string): Promise<string> {
    if (this.#host.readFile === undefined) throw new Refused(`this adapter cannot read files, so not ${path}`);
    return orRefuse(async () => (await this.#host.readFile?.(path)) ?? "");
  }

  /** Reads and parses a file in JSON or YAML. */
  /** Reads a value from a file, once: a recorded execution gives the definition and the history. */
  #value(path: string): Promise<unknown> {
    let value = this.#values.get(path);
    if (value === undefined) this.#values.set(path, (value = this.#parsed(path)));
    return value;
  }

  async #parsed(path: string): Promise<unknown> {
    const value = valueOf(path, await this.#read(path));
    if (value === undefined) throw new Refused(`${path} is neither JSON nor YAML`);
    return value;
  }

  async #test() {
    const { test } = this.#given;
    if (test === undefined) return undefined;
    if (this.#host.readTest === undefined) throw new Refused("this adapter cannot read test files");
    return orRefuse(() => this.#host.readTest?.(test));
  }

  async #loaded(path: string) {
    if (this.#host.loadTasks === undefined) throw new Refused("this adapter cannot load modules, so tasks need mocks");
    return (await orRefuse(() => this.#host.loadTasks?.(path))) ?? {};
  }

  async #input(test: { input?: unknown } | undefined, program: DebugProgram): Promise<unknown> {
    const { input, mocks, history } = this.#given;
    if (typeof input === "string" && input.startsWith("@")) return this.#value(input.slice(1));
    if (input !== undefined) return input;
    if (test?.input !== undefined) return test.input;
    const isGenerated = mocks === "generated" || (isObject(mocks) && mocks["*"] === "generated");
    return isGenerated && history === undefined ? exampleInput(program.definition) : undefined;
  }

  async #mocks(program: DebugProgram, hasRecording: boolean): Promise<Record<string, Mock>> {
    const { mocks } = this.#given;
    if (mocks === undefined) return {};
    if (mocks === "generated") return generatedMocks(program, hasRecording);
    if (typeof mocks !== "string") {
      const { "*": others, ...named } = mocks;
      if (others !== "generated") return this.#mocksOf(mocks);
      return { ...generatedMocks(program, hasRecording), ...(await this.#mocksOf(named)) };
    }
    const [file, testCase] = splitId(mocks);
    const value = await this.#value(file);
    if (!isObject(value)) throw new Refused(`${file} has no mocks: it must hold an object`);
    if (!isObject(value.StateMachines)) return this.#mocksOf(isObject(value.mocks) ? value.mocks : value);
    const config = await orRefuse(() => new MockConfig(value, file));
    return orRefuse(() => {
      const name = config.nameFor(program.name);
      if (testCase === undefined) throw new Refused(`${file} has test cases: choose one, for example ${file}#${config.testCases(name)[0]}`);
      return sessionMocks(config.mocks(name, testCase));
    });
  }

  /** Reads mocks, in the form of a session or of test files. */
  async #mocksOf(mocks: Record<string, unknown>): Promise<Record<string, Mock>> {
    const isOurs = (mock: unknown): boolean => isObject(mock) && typeof mock.mode === "string";
    const entries = Object.entries(mocks);
    const own = Object.fromEntries(entries.filter(([, mock]) => isOurs(mock))) as Record<string, Mock>;
    const others = Object.fromEntries(entries.filter(([, mock]) => !isOurs(mock)));
    if (Object.keys(others).length === 0) return own;
    if (this.#host.readMocks === undefined)
      throw new Refused(`the mock of ${Object.keys(others)[0]} needs a mode, for example {"mode": "result", "result": {}}`);
    return { ...own, ...(await orRefuse(() => this.#host.readMocks?.(others))) };
  }

  /** Returns the definition that a fetched execution (`*.sfnrun`) contains. */
  async #fetchedDefinition(): Promise<object | undefined> {
    const { history } = this.#given;
    if (history === undefined) return undefined;
    const document = typeof history === "string" ? await this.#value(history) : history;
    if (!isObject(document) || !isObject(document.stateMachine)) return undefined;
    const { definition, name } = document.stateMachine;
    if (typeof definition !== "string") return undefined;
    return orRefuse(() => pretty(definition, typeof name === "string" ? name : "StateMachine"));
  }

  async #recorded(program: DebugProgram, arn?: string): Promise<{ options: DebugOptions; events: number } | undefined> {
    const { history } = this.#given;
    if (history === undefined) return undefined;
    const document = typeof history === "string" ? await this.#value(history) : history;
    const events = isObject(document) && Array.isArray(document.history) ? document.history : document;
    const replayed = await orRefuse(() => replayHistory(program.definition, JSON.stringify(events), { ...(arn !== undefined && { arn }) }));
    const { input, startTime, tasks, recorded } = replayed;
    // Tasks of an execution that still runs have no answer yet, but may get one here.
    const open = arn === undefined ? new Set<number>() : openTasks(events as HistoryEvent[]);
    const answered = tasks.filter(({ event, never }) => !(never === true && open.has(event)));
    return {
      options: { recorded: answered, ...(input !== undefined && { input }), ...(startTime !== undefined && { startTime }) },
      events: recorded,
    };
  }
}

/** Makes up results of the tasks from what the definition reads. */
function generatedMocks(program: DebugProgram, hasRecording: boolean): Record<string, Mock> {
  const results = Object.entries(exampleResults(program.definition));
  const named = results.map(([state, result]): [string, Mock] => [state, { mode: "result", result }]);
  // Without a recording, all other tasks get an empty result. With one, such a mock would take precedence over the recorded answers.
  return Object.fromEntries([...named, ...(hasRecording ? [] : [["*", { mode: "result", result: {} }] as [string, Mock]])]);
}

/** Returns the events of the states that are still open at the end of a history. */
function openTasks(events: readonly HistoryEvent[]): Set<number> {
  const chains = new Chains(() => ({}));
  for (const event of events) chains.add(event);
  return new Set(events.map(({ id }) => id).filter((id) => chains.visitOf(id)?.end === 0));
}

/** Splits `FILE#ID`. */
function splitId(text: string): [file: string, id: string | undefined] {
  const at = text.lastIndexOf("#");
  return at < 1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Compiles the machine of a program. Its errors contain their locations in the file. */
function machineOf(program: DebugProgram, type = program.type): StateMachine {
  try {
    return new StateMachine(program.definition, { name: program.name, ...(type && { type }) });
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw new Refused(messageOf(error));
    const errors = validate(program.definition, type ? { type } : {}).filter(({ severity }) => severity === "error");
    const lines = errors.slice(0, 10).map(({ pointer, message }) => {
      const { line, column } = program.range(pointer).start;
      return `${program.path ?? program.name}:${line}:${column}: ${message}`;
    });
    throw new Refused(`the definition has ${errors.length} error${errors.length === 1 ? "" : "s"}\n${lines.join("\n")}`);
  }
}
