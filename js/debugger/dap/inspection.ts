// Answers a client's requests about the state of a run: threads, frames, scopes, variables, and the values of expressions.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { DebugSession as Session, StackFrame } from "../../core/api/debug.d.ts";
import { isObject } from "../../core/base/json.ts";
import { runCommand, completionsAt, evaluate } from "./evaluation.ts";
import { Refused } from "./launch.ts";
import type { SourceLocations } from "./source-locations.ts";
import type { Sources } from "./sources.ts";
import { Threads, protocolFrame } from "./threads.ts";
import { brief, counts, typeOf } from "./values.ts";
import { Variables } from "./variables.ts";

export class Inspection {
  readonly threadsOf: Threads;
  readonly variablesOf: Variables;
  #session: Session;
  #sources: Sources;

  /** `silently` runs a function without sending events to the client. */
  constructor(session: Session, sources: Sources, silently: <Result>(act: () => Result) => Result) {
    this.#session = session;
    this.#sources = sources;
    this.threadsOf = new Threads(session, silently);
    this.variablesOf = new Variables(session);
  }

  /** Replaces the definitions. */
  take(sources: Sources): void {
    this.#sources = sources;
  }

  /** Invalidates all references after the run has moved. */
  invalidate(): void {
    this.threadsOf.invalidate();
    this.variablesOf.invalidate();
  }

  threads(given: { start?: number; count?: number } = {}): object {
    const { threads, next } = this.threadsOf.list(given);
    return { threads: threads.map(({ id, name }) => ({ id, name })), ...(next !== undefined && { next }) };
  }

  stackTrace({ threadId, startFrame = 0, levels = 0 }: DebugProtocol.StackTraceArguments): DebugProtocol.StackTraceResponse["body"] {
    const frames = this.threadsOf.framesOf(threadId);
    const shown = frames.slice(startFrame, levels > 0 ? startFrame + levels : undefined);
    const stackFrames = shown.map((one, i) => {
      const found = this.#sources.of(this.machineOf(one.frame.execution));
      const location = found && this.threadsOf.locationOf(one.frame, found.locations, startFrame + i === 0);
      return protocolFrame(one, location, found?.source, this.#sources.counting);
    });
    return { stackFrames, totalFrames: frames.length };
  }

  machineOf(execution: number): string {
    return this.#session.executions().find(({ id }) => id === execution)?.machine ?? this.#sources.machines[0]?.name ?? "";
  }

  locationsOf({ execution }: StackFrame): SourceLocations | undefined {
    return this.#sources.of(this.machineOf(execution))?.locations;
  }

  frameOf(id: number): StackFrame {
    const frame = this.threadsOf.frame(id);
    if (frame === undefined) throw new Refused("the run has moved on: ask for the stack again");
    return frame;
  }

  #languageOf(frame: StackFrame | undefined): SourceLocations["language"] {
    const locations = frame && this.locationsOf(frame);
    return locations?.states.get(frame?.state ?? "")?.language ?? this.#sources.machines[0]?.locations.language ?? "JSONPath";
  }

  scopes({ frameId }: DebugProtocol.ScopesArguments): DebugProtocol.ScopesResponse["body"] {
    const frame = this.frameOf(frameId);
    return { scopes: this.threadsOf.within(frame.execution, () => this.variablesOf.scopes(frame, this.locationsOf(frame))) };
  }

  variables(given: DebugProtocol.VariablesArguments): DebugProtocol.VariablesResponse["body"] {
    const { execution = this.#session.execution } = this.variablesOf.frameOf(given.variablesReference) ?? {};
    return { variables: this.threadsOf.within(execution, () => this.variablesOf.list(given)) };
  }

  evaluate({ expression, frameId, context }: DebugProtocol.EvaluateArguments): DebugProtocol.EvaluateResponse["body"] {
    const done = context === "repl" ? runCommand(this.#session, expression) : undefined;
    if (done !== undefined) return { result: done, variablesReference: 0 };
    const frame = frameId === undefined ? this.threadsOf.frame(undefined) : this.frameOf(frameId);
    const { value, nothing } = this.valueOf(expression, frame);
    // The word under the mouse may not be an expression.
    if (nothing && context === "hover") throw new Refused(`${expression} has no value here`);
    if (nothing) return { result: "undefined", type: "undefined", variablesReference: 0 };
    const isWhole = context === "clipboard" || (context === "repl" && typeof value === "string");
    return {
      result: isWhole ? JSON.stringify(value, null, 2) : brief(value),
      type: typeOf(value),
      variablesReference: frame === undefined ? 0 : this.variablesOf.referTo(value, frame),
      ...counts(value),
    };
  }

  valueOf(expression: string, frame: StackFrame | undefined) {
    const { execution = this.#session.execution, visit } = frame ?? {};
    return this.threadsOf.within(execution, () => evaluate(this.#session, expression, visit, this.#languageOf(frame)));
  }

  completions({ text, column, line = 1, frameId }: DebugProtocol.CompletionsArguments): DebugProtocol.CompletionsResponse["body"] {
    const frame = frameId === undefined ? this.threadsOf.frame(undefined) : this.frameOf(frameId);
    const { column: at = 1 } = this.#sources.ours({ line, column });
    const execution = frame?.execution ?? this.#session.execution;
    const targets = this.threadsOf.within(execution, () => completionsAt(this.#session, text, at - 1, frame, this.#languageOf(frame)));
    return { targets };
  }

  dataInfo({ variablesReference, name }: DebugProtocol.DataBreakpointInfoArguments): DebugProtocol.DataBreakpointInfoResponse["body"] {
    const path = variablesReference ? this.variablesOf.dataPath(variablesReference, name) : /^\$[\w.$[\]'"]+$/.exec(name.trim())?.[0];
    if (path === undefined) return { dataId: null, description: `${name} has no place in the data that could change` };
    return { dataId: path, description: `${path}, after each state`, accessTypes: ["write"], canPersist: true };
  }

  exceptionInfo(): DebugProtocol.ExceptionInfoResponse["body"] {
    const { stages } = this.#session.stages();
    const error: unknown = stages.findLast(({ stage }) => stage === "error")?.value;
    if (!isObject(error)) throw new Refused("the run has not stopped at an error");
    const isUncaught = this.#session.stopped.uncaught === true;
    const description = typeof error.Cause === "string" ? error.Cause : "";
    return { exceptionId: String(error.Error), breakMode: isUncaught ? "unhandled" : "always", ...(description && { description }) };
  }
}
