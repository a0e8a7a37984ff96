// The debug adapter. It answers the requests of the Debug Adapter Protocol in the order in which they come.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { AdapterHost, DebugAdapter as PublicAdapter, ProtocolMessage } from "../../core/api/dap.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { CAPABILITIES } from "./capabilities.ts";
import { Debuggee } from "./debuggee.ts";
import { type Launch, Refused, readAttach, readLaunch } from "./launch.ts";

type Handler = (given: any) => unknown;

/** An adapter for one debug session of an editor. */
export class DebugAdapter implements PublicAdapter {
  #host: AdapterHost;
  #listeners = new Set<(message: ProtocolMessage) => void>();
  #sequence = 0;
  #queue: Promise<void> = Promise.resolve();
  /** Events that are sent after the response to the current request. Undefined outside of a request. */
  #deferred: ProtocolMessage[] | undefined;
  #client: DebugProtocol.InitializeRequestArguments = { adapterID: "stepglass" };
  #debuggee: Debuggee | undefined;
  /** How the run was started, for a restart. */
  #start: (() => Promise<Launch>) | undefined;
  #isConfigured = false;
  #handlers: Readonly<Record<string, Handler>>;

  constructor(host: AdapterHost = {}) {
    this.#host = host;
    this.#handlers = this.#table();
  }

  onDidSendMessage(listener: (message: ProtocolMessage) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  handleMessage(message: ProtocolMessage): void {
    if (message.type !== "request") return;
    this.#queue = this.#queue.then(() => this.#answer(message as DebugProtocol.Request));
  }

  dispose(): void {
    this.#debuggee?.dispose();
    this.#debuggee = undefined;
  }

  async #answer({ seq, command, arguments: given }: DebugProtocol.Request): Promise<void> {
    this.#deferred = [];
    const response = { type: "response", request_seq: seq, command };
    let isDone = false;
    try {
      const handler = Object.hasOwn(this.#handlers, command) ? this.#handlers[command] : undefined;
      if (handler === undefined) throw new Refused(`stepglass does not support the request ${command}`);
      const body = await handler(given ?? {});
      this.#send({ ...response, success: true, ...(body !== undefined && { body }) });
      isDone = true;
    } catch (error) {
      const isExpected = error instanceof Refused;
      const message = isExpected ? error.message : `internal error in Stepglass, please report it: ${messageOf(error)}`;
      const isQuiet = command === "evaluate" && given?.context !== "repl";
      this.#send({
        ...response,
        success: false,
        message,
        body: { error: { id: isExpected ? 1 : 2, format: message, showUser: !isQuiet } },
      });
    }
    const events = this.#deferred;
    this.#deferred = undefined;
    for (const event of events) this.#send(event);
    // The client can set breakpoints only now, because their locations depend on the definition.
    if (isDone && (command === "launch" || command === "attach")) this.#event("initialized");
  }

  #send(message: Omit<ProtocolMessage, "seq">): void {
    this.#sequence += 1;
    const whole: ProtocolMessage = { ...message, seq: this.#sequence } as ProtocolMessage;
    for (const listener of this.#listeners) listener(whole);
  }

  #event(event: string, body?: object): void {
    const message = { type: "event", event, ...(body && { body }) } as unknown as ProtocolMessage;
    if (this.#deferred) this.#deferred.push(message);
    else this.#send(message);
  }

  /** The debugged run. Throws if nothing was launched. */
  get #at(): Debuggee {
    if (this.#debuggee === undefined) throw new Refused("nothing is debugged: launch or attach comes first");
    return this.#debuggee;
  }

  #table(): Record<string, Handler> {
    return {
      initialize: (given) => {
        this.#client = given;
        return CAPABILITIES;
      },
      launch: (given) => this.#begin(() => readLaunch(this.#host, given)),
      attach: (given) => this.#begin(() => readAttach(this.#host, given)),
      configurationDone: () => {
        this.#isConfigured = true;
        this.#at.start();
      },
      restart: (given) => this.#restart(given),
      disconnect: () => this.dispose(),
      terminate: () => this.#at.terminate(),
      setBreakpoints: (given) => this.#at.stops.setSource(given),
      setFunctionBreakpoints: (given) => this.#at.stops.setFunctions(given),
      setDataBreakpoints: (given) => this.#at.stops.setData(given),
      setExceptionBreakpoints: (given) => this.#at.stops.setExceptions(given),
      breakpointLocations: (given) => this.#at.stops.locations(given),
      dataBreakpointInfo: (given) => this.#at.inspection.dataInfo(given),
      exceptionInfo: () => this.#at.inspection.exceptionInfo(),
      continue: () => this.#at.resume((session) => session.continue(), { allThreadsContinued: true }),
      next: (given) => this.#at.step("next", given),
      stepIn: (given) => this.#at.step("stepIn", given),
      stepOut: (given) => this.#at.step("stepOut", given),
      stepBack: (given) => this.#at.stepBack(given),
      reverseContinue: () => this.#at.back((session) => session.reverseContinue()),
      pause: () => this.#at.pause(),
      gotoTargets: (given) => this.#at.gotoTargets(given),
      goto: (given) => this.#at.goto(given),
      restartFrame: (given) => this.#at.restartFrame(given),
      threads: () => this.#at.inspection.threads(),
      stackTrace: (given) => this.#at.inspection.stackTrace(given),
      scopes: (given) => this.#at.inspection.scopes(given),
      variables: (given) => this.#at.inspection.variables(given),
      setVariable: (given) => this.#at.setVariable(given),
      setExpression: (given) => this.#at.setExpression(given),
      evaluate: (given) => this.#at.inspection.evaluate(given),
      completions: (given) => this.#at.inspection.completions(given),
      source: (given) => this.#at.sources.read(given),
      loadedSources: () => ({ sources: this.#at.sources.all }),
      "stepglass/threads": (given) => this.#at.inspection.threads(given),
      "stepglass/marks": () => this.#at.graph(),
      "stepglass/goto": (given) => this.#at.gotoEvent(given),
      "stepglass/applyDefinition": () => this.#edit(),
    };
  }

  async #begin(start: () => Promise<Launch>): Promise<void> {
    const launch = await start();
    this.dispose();
    this.#start = start;
    this.#debuggee = new Debuggee(launch, this.#client, (event, body) => this.#event(event, body));
  }

  /** Runs again from the start, with the present definition. Breakpoints stay. */
  async #restart({ arguments: given }: DebugProtocol.RestartArguments & { arguments?: any }): Promise<void> {
    const before = this.#at;
    const start = this.#start;
    const again = given?.request === "attach" ? () => readAttach(this.#host, given) : () => readLaunch(this.#host, given);
    const launch = await (given === undefined || given === null ? start : again)?.();
    if (launch === undefined) throw new Refused("nothing is debugged: launch or attach comes first");
    if (given) this.#start = again;
    this.#debuggee = new Debuggee(launch, this.#client, (event, body) => this.#event(event, body), before.stops);
    before.dispose();
    if (this.#isConfigured) this.#debuggee.start();
  }

  /** Applies the present text of the definition's file. The run stays at its position if the path to it is the same. */
  async #edit(): Promise<unknown> {
    const debuggee = this.#at;
    const launch = await this.#start?.();
    return launch && debuggee.apply(launch);
  }
}
