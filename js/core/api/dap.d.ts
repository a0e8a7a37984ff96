/**
 * A debug adapter for state machines: the Debug Adapter Protocol on top of `stepglass/debug`, without Node. `stepglass dap` is the
 * same adapter on standard input and output.
 *
 * @example
 * ```js
 * // In an extension for VS Code, also on the web: an adapter in the extension's own process.
 * import { DebugAdapter } from "stepglass/dap";
 *
 * const read = async (path) => new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.file(path)));
 * vscode.debug.registerDebugAdapterDescriptorFactory("stepglass", {
 *   createDebugAdapterDescriptor: () => new vscode.DebugAdapterInlineImplementation(new DebugAdapter({ readFile: read })),
 * });
 * ```
 *
 * @packageDocumentation
 */

import type { Mock } from "./debug.js";
import type { HistoryEvent, MachineType, Range, TaskHandlers } from "./index.js";

/** A message of the Debug Adapter Protocol: a request, a response or an event. */
export interface ProtocolMessage {
  seq: number;
  type: string;
  [member: string]: any;
}

/** A definition that is debugged, and where it is written. */
export interface DebugProgram {
  /** The file, as breakpoints name it; undefined for a definition without one, whose text the editor asks the adapter for. */
  path?: string;
  /** The text of the file. */
  text: string;
  /** The definition as JSON text, with values for its placeholders. */
  definition: string;
  /** The machine's name. */
  name: string;
  /** Default: `STANDARD`. */
  type?: MachineType;
  /** Returns the range in the text of the value at a JSON Pointer into the definition, including its name. */
  range(pointer: string): Range;
}

/** One test of a test file, as the launch argument `test` names it. */
export interface TestProgram {
  /** The definition, or the name of its file. */
  definition: string | object;
  /** The machine's name and type, if the test file sets them. */
  name?: string;
  type?: MachineType;
  input?: unknown;
  seed?: number;
  /** Milliseconds since 1970. */
  startTime?: number;
  mocks: Record<string, Mock>;
  /** The path of a module with handlers. */
  tasks?: string;
}

/** An execution to attach to, in its present state. */
export interface RecordedProgram {
  /** The definition as JSON text. */
  definition: string;
  name?: string;
  stateMachineName?: string;
  type?: MachineType;
  events: HistoryEvent[];
}

/**
 * What surrounds an adapter. Each member makes something possible; if it is missing, a launch that needs it fails and says so. Errors
 * that a member throws are shown to the user.
 */
export interface AdapterHost {
  /** Returns the text of a file. Enough for definitions in JSON and YAML and for templates that contain them. */
  readFile?(path: string): string | Promise<string>;
  /** Opens a definition: `FILE`, or `FILE#ID` in a template. Default: by `readFile`. */
  open?(definition: string, substitutions: Record<string, unknown>): DebugProgram | Promise<DebugProgram>;
  /** Loads the module with task handlers that the argument `tasks` names. */
  loadTasks?(path: string): TaskHandlers | Promise<TaskHandlers>;
  /** Turns mocks as test files have them (`{return: …}`, `{throw: …}`) into mocks of a debug session. */
  readMocks?(mocks: Record<string, unknown>): Record<string, Mock>;
  /** Reads a test of a test file: `FILE#NAME`. */
  readTest?(test: string): TestProgram | Promise<TestProgram>;
  /** Reads an execution of a server or of a Runtime, by its ARN. `server` is the argument of the same name. */
  readExecution?(executionArn: string, server: string | undefined): RecordedProgram | Promise<RecordedProgram>;
}

/**
 * An adapter for one debug session. It has the methods that VS Code expects of an inline debug adapter. The requests that it does not
 * support are absent from its capabilities; docs/debug-adapter.md lists everything.
 *
 * @example
 * ```js
 * const adapter = new DebugAdapter({ readFile: (path) => files[path] });
 * adapter.onDidSendMessage((message) => connection.send(JSON.stringify(message)));
 * connection.onmessage = ({ data }) => adapter.handleMessage(JSON.parse(data));
 * ```
 */
export class DebugAdapter {
  constructor(host?: AdapterHost);
  /** Calls a listener with every message for the client. */
  onDidSendMessage(listener: (message: ProtocolMessage) => void): { dispose(): void };
  /** Takes a message of the client. Requests are answered in their order. */
  handleMessage(message: ProtocolMessage): void;
  /** Ends the session. */
  dispose(): void;
}

/**
 * Makes a program from a text in JSON or YAML: a definition, or a template that contains it. `id` chooses a state machine of a template
 * by its logical id. Definitions in files beside a template are not found.
 *
 * Throws an Error if the text cannot be parsed or has no such state machine.
 *
 * @example
 * ```js
 * const program = textProgram("template.yaml", text, { id: "OrderMachine" });
 * program.range("/States/Charge").start.line; // 14
 * ```
 */
export function textProgram(path: string, text: string, options?: { id?: string; substitutions?: Record<string, unknown> }): DebugProgram;
