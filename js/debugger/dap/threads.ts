// Maps branches, iterations and nested executions to threads of the protocol, and enclosing states to their frames.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { DebugSession, StackFrame } from "../../core/api/debug.d.ts";
import { detailsOf } from "../../core/history/events.ts";
import { isObject } from "../../core/base/json.ts";
import type { SourceLocation, SourceLocations } from "./source-locations.ts";
import { FIELDS } from "./stops.ts";

/** Maximum number of threads in child executions of Distributed Maps that are listed at once. */
const PAGE = 100;

/** A thread of an execution. */
interface ThreadKey {
  execution: number;
  thread: number;
}

/** A listed thread. */
export interface Listed extends ThreadKey {
  id: number;
  name: string;
}

export class Threads {
  #session: DebugSession;
  #silently: <Result>(act: () => Result) => Result;
  #ids = new Map<string, number>();
  #keys = new Map<number, ThreadKey>();
  #frames = new Map<number, StackFrame>();
  #lastFrame = 0;

  /** `silently` runs a function without sending events to the client. */
  constructor(session: DebugSession, silently: <Result>(act: () => Result) => Result) {
    this.#session = session;
    this.#silently = silently;
    this.idOf({ execution: 0, thread: 0 });
  }

  /** Invalidates all frames after the run has moved. Threads keep their ids. */
  invalidate(): void {
    this.#frames.clear();
  }

  idOf({ execution, thread }: ThreadKey): number {
    const key = `${execution}:${thread}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#ids.size + 1;
      this.#ids.set(key, id);
      this.#keys.set(id, { execution, thread });
    }
    return id;
  }

  /** The thread in which the run has stopped. */
  get current(): ThreadKey {
    const [frame] = this.#session.stackTrace();
    return { execution: frame?.execution ?? this.#session.execution, thread: frame?.thread ?? 0 };
  }

  keyOf(id: number): ThreadKey | undefined {
    return this.#keys.get(id);
  }

  /** Runs a function while another execution is selected, and restores the selection. */
  within<Result>(execution: number, act: () => Result): Result {
    const session = this.#session;
    const before = session.execution;
    if (before === execution) return act();
    return this.#silently(() => {
      session.selectExecution(execution);
      try {
        return act();
      } finally {
        session.selectExecution(before);
      }
    });
  }

  /** Returns the threads, with a page of those of child executions. `next` is the start of the following page. */
  list({ start = 0, count = PAGE }: { start?: number | undefined; count?: number | undefined } = {}): { threads: Listed[]; next?: number } {
    const session = this.#session;
    const selected = session.execution;
    const running = session.executions().filter(({ id, status }) => id === selected || status === "RUNNING");
    const threads: Listed[] = [];
    for (const { id, name, machine } of running) {
      this.within(id, () => {
        for (const one of session.threads()) {
          const shown = id === 0 ? one.name : one.name === "Execution" ? `${name} (${machine})` : `${name}: ${one.name}`;
          threads.push(this.#listed({ execution: id, thread: one.id }, shown));
        }
      });
    }
    const children = session.childThreads({ start, count });
    for (const { id, name } of children.threads) threads.push(this.#listed({ execution: selected, thread: id }, name));
    const { current } = this;
    if (!threads.some(({ id }) => id === this.idOf(current))) threads.unshift(this.#listed(current, this.#currentName()));
    return { threads, ...(children.next !== undefined && { next: children.next }) };
  }

  #listed(key: ThreadKey, name: string): Listed {
    return { ...key, id: this.idOf(key), name };
  }

  /** Returns the name of the current thread if it has ended or has not begun, and is shown nevertheless. */
  #currentName(): string {
    const frames = this.#session.stackTrace();
    const [inner, outer] = frames;
    if (inner === undefined || outer === undefined || inner.execution !== outer.execution) return "Execution";
    return inner.isIteration ? `${outer.state} #${inner.slot}` : `${outer.state} branch ${inner.slot + 1}`;
  }

  /** Returns the frames of a thread, the innermost first. */
  framesOf(id: number): { id: number; frame: StackFrame }[] {
    const key = this.#keys.get(id);
    if (key === undefined) return [];
    const { current } = this;
    const isCurrent = current.execution === key.execution && current.thread === key.thread;
    const frames = this.within(key.execution, () => this.#session.stackTrace(isCurrent ? undefined : key.thread));
    return frames.map((frame) => {
      this.#lastFrame += 1;
      this.#frames.set(this.#lastFrame, frame);
      return { id: this.#lastFrame, frame };
    });
  }

  /** Returns a listed frame. Without an id, returns the innermost frame at the current position. */
  frame(id: number | undefined): StackFrame | undefined {
    return id === undefined ? this.#session.stackTrace()[0] : this.#frames.get(id);
  }

  /** Returns the current location of a frame. For the innermost frame, it is the field of its last stage. */
  locationOf(frame: StackFrame, locations: SourceLocations, isInnermost: boolean): SourceLocation | undefined {
    if (!isInnermost) return locations.of(frame.state);
    if (this.#hasLeft(frame))
      return locations.of(frame.state, "Next") === locations.of(frame.state)
        ? locations.of(frame.state, "End")
        : locations.of(frame.state, "Next");
    const { stage = "" } = frame;
    if (stage === "error") return this.#failedField(frame, locations);
    const field = FIELDS[stage]?.find((one) => locations.states.get(frame.state)?.fields[one] !== undefined);
    if (field === undefined) return locations.of(frame.state);
    if (stage !== "choice" && stage !== "retry" && stage !== "catch") return locations.of(frame.state, field);
    const { stages } = this.within(frame.execution, () => this.#session.stages(frame.visit));
    const decided: unknown = stages.findLast((one) => one.stage === stage)?.value;
    const taken = isObject(decided) ? (decided.taken ?? decided.retrier ?? decided.catcher) : undefined;
    return taken === "default" ? locations.of(frame.state, "Default") : locations.of(frame.state, field, Number(taken));
  }

  /** Returns the location of the field that an error arose in. Errors of tasks are those of the whole state. */
  #failedField(frame: StackFrame, locations: SourceLocations): SourceLocation | undefined {
    const { stages } = this.within(frame.execution, () => this.#session.stages(frame.visit));
    return locations.within(frame.state, stages.findLast(({ stage }) => stage === "error")?.failure?.pointer);
  }

  /** Returns whether the last event is that the state was left. */
  #hasLeft({ execution, state, child }: StackFrame): boolean {
    const session = this.#session;
    if (child !== undefined || execution !== session.execution || session.event === 0) return false;
    const [last] = session.history(session.event - 1);
    return last !== undefined && last.type.endsWith("StateExited") && detailsOf(last).name === state;
  }
}

/** Converts lines and columns to the client's numbers. */
export interface Counting {
  line: (line: number) => number;
  column: (column: number) => number;
}

/** Converts a frame to the protocol's form. */
export function protocolFrame(
  { id, frame }: { id: number; frame: StackFrame },
  location: SourceLocation | undefined,
  source: DebugProtocol.Source | undefined,
  { line, column }: Counting,
): DebugProtocol.StackFrame {
  const { state, attempt, child } = frame;
  const { start, end } = location?.range ?? {};
  return {
    id,
    name: attempt > 0 ? `${state} (attempt ${attempt + 1})` : state,
    ...(source && { source }),
    line: start === undefined ? 0 : line(start.line),
    column: start === undefined ? 0 : column(start.column),
    ...(end && { endLine: line(end.line), endColumn: column(end.column) }),
    canRestart: child === undefined,
  };
}
