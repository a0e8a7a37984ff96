// The debugged run. It carries out requests and sends events.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { DebugSession as Session, StackFrame, Stop } from "../../core/api/debug.d.ts";
import type { ExecutionResult } from "../../core/api/index.d.ts";
import { DebugSession } from "../debug/session.ts";
import { detailsOf, isStateEntered } from "../../core/history/events.ts";
import { BreakpointTable } from "./breakpoint-table.ts";
import { parseTarget } from "./evaluation.ts";
import { Inspection } from "./inspection.ts";
import { type Launch, Refused } from "./launch.ts";
import { Marks } from "./marks.ts";
import { Progress } from "./progress.ts";
import { Sources } from "./sources.ts";
import { FIELDS } from "./stops.ts";
import { brief, typeOf, withValue } from "./values.ts";
import { refusedChange, valueOfText } from "./variables.ts";

type Emit = (event: string, body?: object) => void;

/** The protocol's names of the debugger's stop reasons. */
const REASONS: Readonly<Record<Stop["reason"], string>> = {
  start: "entry",
  step: "step",
  breakpoint: "breakpoint",
  exception: "exception",
  pause: "pause",
  goto: "goto",
  edit: "goto",
  end: "end",
};

export class Debuggee {
  readonly session: Session;
  readonly inspection: Inspection;
  sources: Sources;
  stops: BreakpointTable;
  #launch: Launch;
  #client: DebugProtocol.InitializeRequestArguments;
  #emit: Emit;
  #progress: Progress;
  #marks: Marks;
  /** Stops are not reported while the adapter itself moves the run. */
  #isSilent = false;
  /** The reason of the next stop, if the debugger does not know it. */
  #nextReason: { reason: string; description: string } | undefined;
  /** Whether the run is being played to the end of its recorded part. */
  #catchingUp = false;
  #isOver = false;
  /** Tasks that the user was asked to answer. */
  #askedTasks = new Set<number>();
  #targets = new Map<number, { event?: number; place?: number }>();

  constructor(launch: Launch, client: DebugProtocol.InitializeRequestArguments, emit: Emit, before?: BreakpointTable) {
    this.#launch = launch;
    this.#client = client;
    this.#emit = emit;
    this.session = new DebugSession(launch.machine, launch.options);
    this.sources = new Sources(launch.programs.values(), client);
    this.stops = new BreakpointTable(this.sources, this.session, before);
    this.inspection = new Inspection(this.session, this.sources, (act) => this.#silently(act));
    this.#marks = new Marks(this.session);
    this.#progress = new Progress(this.session, client.supportsProgressReporting === true, emit);
    this.#listen();
  }

  #listen(): void {
    const { session } = this;
    session.on("stopped", (stop) => this.#stopped(stop));
    session.on("terminated", (result) => this.#ended(result));
    session.on("output", ({ breakpoint, text }) => {
      const { source, line, column } = this.stops.ownerOf(breakpoint)?.answer ?? {};
      this.#emit("output", { category: "console", output: `${text}\n`, ...(source && { source, line, column }) });
    });
    session.on("tasks", () => this.#reportTasks());
    session.on("progress", () => this.#progress.moved());
  }

  dispose(): void {
    this.#isOver = true;
    this.#progress.end();
    this.session.dispose();
  }

  // ---------------------------------------------------------------------------------------- beginning and end

  start(): void {
    const { recorded, stopOnEntry, options } = this.#launch;
    if (recorded !== undefined && options.arn !== undefined) {
      // A remote execution is shown at its present position.
      this.#catchingUp = true;
      return this.session.continue({ ignoreBreakpoints: true });
    }
    this.#progress.begin();
    if (!stopOnEntry) return this.session.continue();
    this.#nextReason = { reason: "entry", description: "Paused at the start" };
    this.session.next();
  }

  terminate(): void {
    if (this.session.status === "ended" || this.#isOver) return this.#finish(this.session.outcome);
    this.#launch.stopOnEnd = false;
    this.session.stop("Terminated", "Ended by the debugger.");
  }

  #ended(result: ExecutionResult): void {
    if (this.#catchingUp) return this.#endCatchUp();
    this.#progress.end();
    if (!this.#launch.stopOnEnd) return this.#finish(result);
    this.#reportStop({ reason: "end", description: `the execution has ended: ${result.status}` });
  }

  #finish(result: ExecutionResult | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#progress.end();
    if (result !== undefined) {
      const hasOutput = result.status === "SUCCEEDED";
      const { status, output: value, error, cause }: { status: string; output?: unknown; error?: string; cause?: string } = result;
      const why = [error, cause].filter(Boolean).join(": ");
      const output = hasOutput ? `${JSON.stringify(value, null, 2)}\n` : `${status}${why && `: ${why}`}\n`;
      this.#emit("output", { category: hasOutput ? "stdout" : "stderr", output });
    }
    this.#emit("exited", { exitCode: result?.status === "SUCCEEDED" ? 0 : 1 });
    this.#emit("terminated");
  }

  /** Stops after everything that was recorded has been played. */
  #endCatchUp(): void {
    if (!this.#catchingUp) return;
    this.#catchingUp = false;
    // The debugger is in the middle of a turn and must finish it first.
    queueMicrotask(() => {
      if (this.#isOver) return;
      this.#silently(() => this.session.pause());
      this.#nextReason = { reason: "entry", description: "Attached to the execution as it is now" };
      this.session.goto(this.#launch.recorded ?? 0);
    });
  }

  #reportTasks(): void {
    if (this.#isSilent) return;
    const waiting = this.session.waiting();
    if (this.#catchingUp) {
      const { events, due } = this.session;
      if (waiting.length > 0 || due === null || events >= (this.#launch.recorded ?? 0)) this.#endCatchUp();
      return;
    }
    const unknown = waiting.filter(({ task, kind }) => kind !== "token" && !this.#askedTasks.has(task));
    for (const { task } of unknown) this.#askedTasks.add(task);
    const [first] = unknown;
    if (first === undefined) return;
    const others = unknown.length > 1 ? ` (and ${unknown.length - 1} more ${unknown.length === 2 ? "task" : "tasks"})` : "";
    const output = `${first.state} waits for an answer${others}. In the debug console: .answer {"some": "result"} or .fail ErrorName\n`;
    this.#emit("output", { category: "important", output });
  }

  // ---------------------------------------------------------------------------------------- stops

  #silently<Result>(act: () => Result): Result {
    const before = this.#isSilent;
    this.#isSilent = true;
    try {
      return act();
    } finally {
      this.#isSilent = before;
    }
  }

  #stopped(stop: Stop): void {
    if (this.#isSilent || this.#isOver || this.#catchingUp) return;
    this.#reportStop(stop);
  }

  #reportStop(stop: Stop): void {
    this.#forget();
    this.#progress.end();
    const because = this.#nextReason;
    this.#nextReason = undefined;
    const owner = stop.breakpoint === undefined ? undefined : this.stops.ownerOf(stop.breakpoint);
    const { id } = owner?.answer ?? {};
    const reason = owner?.reason ?? REASONS[stop.reason];
    const where = this.#where();
    const what = stop.reason === "step" || stop.description === "" ? where : stop.description;
    const own = stop.reason === "breakpoint" || stop.reason === "exception" || stop.reason === "end";
    this.#emit("stopped", {
      reason: own ? reason : (because?.reason ?? reason),
      description: own || !because?.description ? descriptionOf(stop, owner?.at ?? what) : because.description,
      threadId: this.inspection.threadsOf.idOf(this.inspection.threadsOf.current),
      allThreadsStopped: true,
      ...(own && { text: what }),
      ...(id !== undefined && { hitBreakpointIds: [id] }),
    });
    this.#emit("stepglass/graph", this.graph());
  }

  /** Describes the current position: `at Charge, after Parameters`. */
  #where(): string {
    const [frame] = this.session.stackTrace();
    if (frame === undefined) return "before the first state";
    const field = FIELDS[frame.stage ?? ""]?.find(
      (one) => this.inspection.locationsOf(frame)?.states.get(frame.state)?.fields[one] !== undefined,
    );
    return `at ${frame.state}${field === undefined ? "" : `, after ${field}`}`;
  }

  #forget(): void {
    this.inspection.invalidate();
    this.#targets.clear();
  }

  graph(): object {
    const { session } = this;
    const frames = session.stackTrace();
    return {
      machine: this.inspection.machineOf(session.execution),
      execution: session.execution,
      run: session.run,
      event: session.event,
      events: session.events,
      current: frames.filter(({ execution }) => execution === session.execution).map(({ state }) => state),
      states: this.#marks.all,
    };
  }

  // ---------------------------------------------------------------------------------------- moving

  /** Continues the run. At the very end, ends the session instead. */
  resume<Body>(act: (session: Session) => void, body?: Body): Body | undefined {
    if (this.session.status === "ended") this.#finish(this.session.outcome);
    else {
      this.#progress.begin();
      act(this.session);
    }
    return body;
  }

  step(kind: "next" | "stepIn" | "stepOut", { threadId, granularity }: DebugProtocol.NextArguments): void {
    const key = this.inspection.threadsOf.keyOf(threadId);
    const { current } = this.inspection.threadsOf;
    const isCurrent = key === undefined || (key.execution === current.execution && key.thread === current.thread);
    if (key !== undefined && key.execution !== this.session.execution) this.#silently(() => this.session.selectExecution(key.execution));
    this.resume((session) => {
      if (granularity === "instruction" && kind !== "stepOut") return session.stepStage();
      if (kind === "stepIn" && isCurrent && this.#isInside()) return session.stepStage();
      session[kind](isCurrent ? undefined : key.thread);
    });
  }

  /** Returns whether a step-in goes by stages: at a position in the middle of a state that contains no states. */
  #isInside(): boolean {
    const [frame] = this.session.stackTrace();
    if (frame === undefined || frame.stage === undefined) return false;
    return frame.type !== "Map" && frame.type !== "Parallel" && (frame.type !== "Task" || this.#launch.options.machines === undefined);
  }

  back(act: (session: Session) => void): void {
    // Neither of these resumes the run.
    this.#nextReason = { reason: "step", description: "" };
    act(this.session);
    this.#nextReason = undefined;
  }

  /** Steps back to where a state of the same scope was entered, or by one event if the granularity is `instruction`. */
  stepBack({ granularity }: DebugProtocol.StepBackArguments): void {
    this.back((session) => {
      if (granularity === "instruction") return session.stepBack();
      this.#silently(() => {
        const here = new Set(session.stackTrace().map(({ execution, thread }) => `${execution}:${thread}`));
        const isThere = (): boolean => {
          const [frame] = session.stackTrace();
          return frame === undefined || (here.has(`${frame.execution}:${frame.thread}`) && this.#hasEntered(frame));
        };
        let before: number;
        do {
          before = session.position;
          session.stepBack();
        } while (session.position !== before && !isThere());
      });
      this.#reportStop({ reason: "step", description: "" });
    });
  }

  /** Returns whether the last event entered a state. In child executions, every event counts. */
  #hasEntered({ state, child }: StackFrame): boolean {
    const [last] = this.session.history(Math.max(0, this.session.event - 1));
    return child !== undefined || (last !== undefined && isStateEntered(last) && detailsOf(last).name === state);
  }

  pause(): void {
    if (this.session.status === "running") this.session.pause();
    else this.#reportStop({ reason: "pause", description: "by hand" });
  }

  gotoTargets(given: DebugProtocol.GotoTargetsArguments): DebugProtocol.GotoTargetsResponse["body"] {
    const { line, column } = this.sources.ours(given);
    const machine = this.inspection.machineOf(this.session.execution);
    const found = this.sources.in(given.source).find(({ name }) => name === machine);
    const location = found?.locations.at(line, column);
    if (location === undefined) return { targets: [] };
    const lines = this.sources.lines(found?.locations.states.get(location.state) ?? location);
    const add = (label: string, target: { event?: number; place?: number }): DebugProtocol.GotoTarget => {
      this.#targets.set(this.#targets.size + 1, target);
      return { id: this.#targets.size, label, ...lines };
    };
    const own = this.session
      .visits(location.state)
      .map(({ enter }, i) => add(`${location.state}, visit ${i + 1} (event ${enter})`, { event: enter }));
    const inner = this.session.childVisits(location.state, { most: 100 });
    return { targets: [...own, ...inner.map(({ child, place: at }) => add(`${location.state} in ${child}`, { place: at }))] };
  }

  goto({ targetId }: DebugProtocol.GotoArguments): void {
    const target = this.#targets.get(targetId);
    if (target === undefined) throw new Refused("the run has moved on: ask for the targets again");
    if (target.event !== undefined) this.session.goto(target.event);
    else this.session.gotoPlace(target.place ?? 0);
  }

  /** Goes to an event by its number, or to the last visit of a state before the current position. */
  gotoEvent({ event, state }: { event?: number; state?: string }): void {
    const visits = state === undefined ? [] : this.session.visits(state);
    const target = event ?? (visits.findLast(({ enter }) => enter < this.session.event) ?? visits[0])?.enter ?? -1;
    if (!Number.isSafeInteger(target) || target < 0) throw new Refused(event === undefined ? `${state} was not visited` : "no such event");
    this.session.goto(target);
  }

  restartFrame({ frameId }: DebugProtocol.RestartFrameArguments): void {
    const { execution, event, state, child } = this.inspection.frameOf(frameId);
    if (child !== undefined) throw new Refused(`${state} is in a child execution of a Distributed Map: only the whole Map can run again`);
    const { session } = this;
    this.#silently(() => {
      if (session.execution !== execution) session.selectExecution(execution);
      session.fork({ event, label: `again from ${state}` });
    });
    this.#nextReason = { reason: "restart", description: `Paused before ${state} runs again` };
    this.#reportStop({ reason: "goto", description: `before ${state} runs again` });
  }

  /** Applies a changed definition. The client is notified of breakpoints that have moved. */
  apply(launch: Launch): object {
    const report = this.#silently(() => this.session.applyDefinition(launch.program.definition));
    this.#launch = { ...launch, options: this.#launch.options };
    this.sources = new Sources(launch.programs.values(), this.#client);
    this.inspection.take(this.sources);
    this.stops = new BreakpointTable(this.sources, this.session, this.stops);
    for (const breakpoint of this.stops.all) this.#emit("breakpoint", { reason: "changed", breakpoint });
    this.#reportStop(this.session.stopped);
    return report;
  }

  setVariable({ variablesReference, name, value }: DebugProtocol.SetVariableArguments): DebugProtocol.SetVariableResponse["body"] {
    const frame = this.inspection.variablesOf.frameOf(variablesReference);
    const given = valueOfText(value, (text) => this.inspection.valueOf(text, frame).value);
    const { change } = this.inspection.variablesOf.change(variablesReference, name, given);
    return this.#changed(change, frame, given);
  }

  setExpression({ expression, value, frameId }: DebugProtocol.SetExpressionArguments): DebugProtocol.SetExpressionResponse["body"] {
    const frame = frameId === undefined ? this.inspection.threadsOf.frame(undefined) : this.inspection.frameOf(frameId);
    const given = valueOfText(value, (text) => this.inspection.valueOf(text, frame).value);
    const { target, name, path } = parseTarget(expression);
    const { execution = this.session.execution, visit } = frame ?? {};
    const whole = this.inspection.threadsOf.within(execution, () =>
      target === "input" ? this.session.stages(visit).input : this.session.scopes(visit)[name ?? ""]?.value,
    );
    const change = {
      target,
      value: withValue(whole, path, given),
      ...(name !== undefined && { name }),
      ...(visit !== undefined && { visit }),
    };
    return this.#changed(change, frame, given);
  }

  #changed(
    change: Parameters<Session["setValue"]>[0],
    frame: StackFrame | undefined,
    value: unknown,
  ): DebugProtocol.SetVariableResponse["body"] {
    const { session } = this;
    try {
      this.#silently(() => {
        if (frame !== undefined && frame.execution !== session.execution) session.selectExecution(frame.execution);
        session.setValue(change);
      });
    } catch (error) {
      throw refusedChange(error);
    }
    this.#emit("output", { category: "console", output: `${session.runs().at(-1)?.label}: run ${session.run} goes on from here\n` });
    if (this.#client.supportsInvalidatedEvent) this.#emit("invalidated", { areas: ["all"] });
    this.#emit("stepglass/graph", this.graph());
    return { value: brief(value), type: typeOf(value) };
  }
}

function descriptionOf({ reason }: Stop, what: string): string {
  return reason === "end" ? `${what.charAt(0).toUpperCase()}${what.slice(1)}` : `Paused ${what}`;
}
