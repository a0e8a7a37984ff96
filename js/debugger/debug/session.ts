// The public debugger of one machine: it plays runs, inspects, edits and compares them.

import type {
  Breakpoint,
  ChildExecution,
  ChildStep,
  ChildVisit,
  DebugEvents,
  DebugExecution,
  DebugOptions,
  DebugSession as PublicSession,
  DebugThread,
  EditReport,
  Evaluated,
  RunDifference,
  StackFrame,
  Stop,
  TaskAnswer,
  Values,
  Variable,
} from "../../core/api/debug.d.ts";
import type { Definition, ExecutionResult, Frame, HistoryEvent, StateMachine, TaskHandlers } from "../../core/api/index.d.ts";
import { dispose } from "../../core/base/dispose.ts";
import { misuse } from "../../core/base/errors.ts";
import { checkOptions } from "../../core/base/options.ts";
import { seedOf } from "../../core/base/random.ts";
import { shown } from "../../core/base/shown.ts";
import { detailsOf } from "../../core/history/events.ts";
import { argumentText } from "../../core/tasks/integration.ts";
import { executionsOf, startedIn } from "./children.ts";
import { hitsOf, outlineOf } from "./hits.ts";
import { differenceOf } from "./difference.ts";
import { answered, changeOf, repeatRun } from "./editing.ts";
import { type Execution, TASKS } from "./execution.ts";
import { ask } from "./expressions.ts";
import { checkBreakpoints, checkClock, guard } from "./arguments.ts";
import { answerOf } from "./mocks.ts";
import { Player } from "./player.ts";
import { ProgramHost } from "./program.ts";
import type { Run } from "./run.ts";
import { type ExecutionHistory, type HistoryVisit, splitId } from "./execution-history.ts";
import { eventAt, isEntering, mainEvent, stackOf, valuesAt, variablesOf } from "./view.ts";
import { childVisits, visitsOf } from "./visits.ts";

const OPTIONS = [
  "input",
  "name",
  "arn",
  "seed",
  "startTime",
  "tasks",
  "machines",
  "mocks",
  "ask",
  "clock",
  "breakpoints",
  "exceptions",
  "type",
  "jsonata",
  "substitutions",
  "payloadLimit",
  "historyLimit",
  "recorded",
];
const NAMES = ["stopped", "continued", "terminated", "output", "tasks", "run", "execution", "progress"] as const;

type Listener = (what: unknown) => void;

/** Gives `saving.ts` access to the player and the host of a session. */
export let internals: (session: DebugSession) => { player: Player; host: ProgramHost };

export class DebugSession implements PublicSession {
  static {
    internals = (session) => ({ player: session.#player, host: session.#host });
  }

  #host: ProgramHost;
  #player: Player;
  #listeners = new Map<string, Set<Listener>>(NAMES.map((name) => [name, new Set()]));

  /** Creates a session that is paused before the first state. */
  constructor(definition: Definition | StateMachine, options: DebugOptions = {}) {
    checkOptions(options, OPTIONS, "new DebugSession()");
    this.#host = new ProgramHost(options, (...answer) => this.answerToken(...answer));
    this.#player = new Player(this.#host, (name, what) => this.#notify(name, what));
    this.setMachines(options.machines);
    this.#host.setTasks(options.tasks);
    this.#host.setMocks(options.mocks);
    this.setClock(options.clock ?? "skip");
    if (options.breakpoints) this.setBreakpoints(options.breakpoints);
    if (options.exceptions) this.setExceptionBreakpoints(options.exceptions);
    const input = options.input === undefined ? "{}" : argumentText(options.input, "the input");
    const seed = seedOf(options.seed ?? 0);
    this.#player.begin(this.#player.newRun(definition, { input, seed, start: options.startTime ?? Date.now(), label: "Run" }));
  }

  /** Calls a listener for an event. Returns a function that removes the listener. */
  on<Name extends keyof DebugEvents>(name: Name, listener: (what: DebugEvents[Name]) => void): () => void {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) throw misuse("INVALID_ARGUMENT", `there is no event ${shown(name)}; the events are ${NAMES.join(", ")}`);
    // The listener gets this event only.
    listeners.add(listener as Listener);
    return () => listeners.delete(listener as Listener);
  }

  #notify(name: keyof DebugEvents, what: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(what);
      } catch (thrown) {
        console.error(`stepglass: a listener of ${name} threw an error`, thrown);
      }
    }
  }

  // Where it stands.

  /** "running", "paused", or "ended" once everything has been reached. */
  get status(): PublicSession["status"] {
    return this.#player.status;
  }

  /** Why it is paused. */
  get stopped(): Stop {
    return this.#player.stopped;
  }

  /** The result of the execution, once its end has been reached. */
  get outcome(): ExecutionResult | undefined {
    return this.#player.outcome;
  }

  /** The time of the execution, in milliseconds since 1970. While it is paused, it is the time at the current position. */
  get now(): number {
    return this.#player.now;
  }

  /** The current position in the recording of events and stages. */
  get position(): number {
    return this.#at.position;
  }

  /** Whether the position is at the last event, so that there is nothing to play until another event happens. */
  get atRest(): boolean {
    return this.#player.atEnd;
  }

  /** The last event before the current position; 0 before the first. */
  get event(): number {
    return this.#player.event;
  }

  /** The number of events that have been reached. */
  get events(): number {
    return this.#player.events;
  }

  /**
   * Returns the reached events, from an index on, of the selected execution. With a run or an execution's number, returns those of
   * that execution.
   */
  history(from = 0, run?: number, execution: number = run === undefined ? this.execution : 0): HistoryEvent[] {
    return this.#player.history(from, this.#executionOf(run === undefined ? this.#player.run : this.#found(run), execution));
  }

  /**
   * Returns the reached events and ends of child executions of Distributed Maps, from an index on. Events that happened long ago
   * may have no payloads.
   */
  childSteps(from = 0): ChildStep[] {
    const { recording, frontier } = this.#at;
    const { steps, facts, entries } = recording;
    const found: ChildStep[] = [];
    for (let i = from; i < steps.length && steps[i]! < frontier; i++) {
      const place = steps[i]!;
      const entry = entries[place]!;
      if (entry.kind !== "child" && entry.kind !== "end") continue;
      // Both kinds of entries belong to children, which have a name and an origin.
      const child = entry.history.child!;
      const { parent, run, index } = entry.history.begun!;
      const about = { place, after: entry.after, time: facts[entry.fact]!.fact[1], child };
      const begun = entry.event?.id === 1 ? { ...(parent.child !== undefined && { parent: parent.child }), run, index } : undefined;
      found.push(entry.kind === "end" ? { ...about, status: entry.status } : { ...about, ...begun, event: entry.event });
    }
    return found;
  }

  /** The definition of the selected execution. */
  get definition(): Definition | StateMachine {
    return this.#at.definition;
  }

  /** Returns the definition of an execution of this run, by its number. */
  definitionOf(execution: number): Definition | StateMachine {
    return this.#executionOf(this.#player.run, execution).definition;
  }

  /** The number of the selected execution; 0 is the main execution. */
  get execution(): number {
    return this.#at.number;
  }

  /** Returns the executions that were reached: the main execution, then the nested ones. */
  executions(): DebugExecution[] {
    return executionsOf(this.#player.run);
  }

  /** Selects another execution of the run, at the same moment. A running run continues. */
  selectExecution(id: number): void {
    const execution = this.#executionOf(this.#player.run, id);
    if (execution === this.#at) return;
    this.#player.selectExecution(execution);
    if (this.status !== "running") this.#player.stopAt({ reason: "goto", description: execution.name });
  }

  /** Returns all runs. A fork comes after its parent. */
  runs(): ReturnType<PublicSession["runs"]> {
    return this.#player.runs.map((run) => {
      const { id, parent, at, label, first, atExecution, outcome } = run;
      return {
        id,
        parent,
        at,
        label,
        current: run === this.#player.run,
        events: eventAt(first.recording, first.frontier),
        ...(atExecution && { atExecution }),
        ...(outcome && { outcome }),
      };
    });
  }

  get run(): number {
    return this.#player.run.id;
  }

  // Commands.

  /** Continues to the next breakpoint or the end. With `ignoreBreakpoints`, continues to the end. */
  continue({ ignoreBreakpoints = false }: { ignoreBreakpoints?: boolean } = {}): void {
    this.#player.continue(ignoreBreakpoints);
  }

  /** Pauses before the next entry. */
  pause(): void {
    this.#player.pause();
  }

  /** Steps to the next state of the same scope. What a Parallel, a Map or a nested execution does inside is run in one step. */
  next(thread?: number): void {
    this.#player.next(thread === undefined ? undefined : this.#openIn(thread));
  }

  /**
   * Steps into a Parallel or Map, or into the execution that a Task starts. In any other state, steps to its first stage, and from
   * there to the next state.
   */
  stepIn(thread?: number): void {
    this.#player.stepIn(thread === undefined ? undefined : this.#openIn(thread));
  }

  /**
   * Steps to the end of the branch or iteration. If the visit is in none, steps to the end of the execution, back to the task that
   * started it.
   */
  stepOut(thread?: number): void {
    this.#player.stepOut(thread === undefined ? undefined : this.#openIn(thread));
  }

  /** Steps by one stage of the data flow, or by one event if the state has no more stages. */
  stepStage(): void {
    this.#player.stepStage();
  }

  /** Steps back to the previous event of the same branch. From the middle of a state, it steps back to the state's last event. */
  stepBack(): void {
    this.#player.stepBack();
  }

  /** Goes back to the last position at which a breakpoint would have stopped, or to the beginning. */
  reverseContinue(): void {
    const player = this.#player;
    const { run, breakpoints } = player;
    for (let at = run.position - 1; at > 0; at--) {
      const { execution, position } = run.entryAt(at - 1);
      const { stop } = breakpoints.check(execution, position, () => valuesAt(execution, position + 1), false);
      if (!stop) continue;
      player.selectExecution(execution);
      return player.moveTo(at, stop);
    }
    player.selectExecution(run.first);
    player.moveTo(0, { reason: "step", description: "before the first state" });
  }

  /** Goes to the position after an event. After the last event, that is the end of the reached part. */
  goto(event: number): void {
    this.#player.goto(event);
  }

  /** Goes to the position after a stage of a state, one of those that `stages()` returns. */
  gotoPlace(place: number): void {
    const at = this.#at;
    const position = place >= at.frontier ? this.#player.present(at) : this.#player.run.positionAfter(at, Math.max(0, place));
    this.#player.moveTo(position, { reason: "goto", description: "a stage" });
  }

  /**
   * Runs again with the same input, and with a definition's text if one is given. Options that are given replace those of the
   * session from here on.
   */
  restart(
    definition: Definition | StateMachine = this.#player.run.definition,
    { input, label = "Run", ...options }: DebugOptions & { label?: string } = {},
  ): void {
    checkOptions(options, OPTIONS, "restart()");
    const host = this.#host;
    const before = host.options;
    const { seed, start, input: given } = this.#player.run.first;
    host.options = { ...before, ...options };
    let run;
    try {
      run = this.#player.newRun(definition, {
        input: input === undefined ? given : argumentText(input, "the input"),
        seed: options.seed === undefined ? seed : seedOf(options.seed),
        start: options.startTime ?? start,
        label,
        named: options.name !== undefined || options.arn !== undefined,
      });
    } catch (thrown) {
      host.options = before;
      throw thrown;
    }
    if (options.machines !== undefined) this.setMachines(options.machines);
    if (options.tasks !== undefined) this.setTasks(options.tasks);
    if (options.mocks !== undefined) this.setMocks(options.mocks);
    if (options.clock !== undefined) this.setClock(options.clock);
    if (options.breakpoints !== undefined) this.setBreakpoints(options.breakpoints);
    if (options.exceptions !== undefined) this.setExceptionBreakpoints(options.exceptions);
    this.#player.startOver(run);
  }

  /** Continues until a state of the selected machine is entered. */
  runTo(state: string): void {
    const { stateMachineName } = this.#at.info;
    this.#player.go(
      (entry, at) => at.info.stateMachineName === stateMachineName && isEntering(entry) && detailsOf(entry.event!).name === state,
    );
  }

  /** Ends the execution and its nested executions as ABORTED. */
  stop(error = "Stopped", cause = "Stopped by hand."): void {
    const { run } = this.#player;
    if (run.over) return;
    run.stop(error, cause);
    this.#player.moveTo(run.length);
    this.#player.continue(true);
  }

  /** Ends the session. No more tasks are called. */
  dispose(): void {
    this.#player.dispose();
  }

  [dispose](): void {
    this.dispose();
  }

  // What stops it.

  /** Replaces all breakpoints. Returns them with their ids and hits. */
  setBreakpoints(breakpoints: Breakpoint[]): ReturnType<PublicSession["setBreakpoints"]> {
    checkBreakpoints(breakpoints);
    return this.#player.breakpoints.set(breakpoints).map((one) => ({ ...one }));
  }

  get breakpoints(): Breakpoint[] {
    return this.#player.breakpoints.list.map((one) => ({ ...one }));
  }

  /** Sets the errors to stop at: "none", "uncaught", "all", or a list of names. */
  setExceptionBreakpoints(filter: NonNullable<DebugOptions["exceptions"]>): void {
    this.#player.breakpoints.exceptions = filter;
  }

  /** Enables or disables all breakpoints. */
  set breakpointsEnabled(enabled: boolean) {
    if (typeof enabled !== "boolean") throw misuse("INVALID_ARGUMENT", `breakpointsEnabled must be true or false, not ${shown(enabled)}`);
    this.#player.breakpoints.enabled = enabled;
  }

  // The world.

  /** Sets the handlers that are used for tasks from now on. */
  setTasks(tasks: TaskHandlers): void {
    this.#host.setTasks(tasks);
  }

  /** Sets the machines that tasks may start from now on, by name or ARN. */
  setMachines(machines: DebugOptions["machines"]): void {
    this.#host.setMachines(machines);
  }

  /** Sets the mocks of tasks from now on, by state, function or resource. */
  setMocks(mocks: NonNullable<DebugOptions["mocks"]>): void {
    this.#host.setMocks(mocks);
  }

  /** Sets the clock: "skip", "manual", or a factor of real time. */
  setClock(clock: NonNullable<DebugOptions["clock"]>): void {
    checkClock(clock);
    this.#player.setClock(clock);
  }

  /** Advances the clock by `milliseconds`, or to the next timer. Returns false if there is none. */
  advance(milliseconds?: number): boolean {
    return this.#player.advance(milliseconds);
  }

  /** Advances the clock as if the process had been down, so that nobody worked on tasks. Returns false if everything has ended. */
  recovered(milliseconds = 0): boolean {
    const { run } = this.#player;
    if (run.over) return false;
    run.jump(run.now() + milliseconds);
    for (const { ended, inbox, recording } of run.executions) {
      if (ended || recording.facts.length === 0) continue;
      // Everybody who works on tasks is part of the session, so all pending tasks are called again.
      inbox.unshift(["recovered", recording.ask("pending").map(({ task }) => task)]);
    }
    return true;
  }

  /** Returns the timers, the next one first. */
  timers(): ReturnType<PublicSession["timers"]> {
    return this.#player.timers();
  }

  /** When the next timer or scheduled answer is due, or null. */
  get due(): number | null {
    return this.#player.atEnd ? this.#player.run.due() : null;
  }

  /** Returns the tasks that wait for an answer by a person. */
  waiting(): ReturnType<PublicSession["waiting"]> {
    return this.#player.waiting();
  }

  /** Answers a task. */
  answer(task: number, answer: TaskAnswer): boolean {
    return this.#player.answer(task, answer);
  }

  /** Takes the task of an activity as a worker with that name. */
  take(task: number, { workerName }: { workerName?: string } = {}): boolean {
    return this.#player.continueIf(this.#player.run.executions[Math.floor(task / TASKS)]?.take(task % TASKS, workerName));
  }

  /**
   * Returns the calls of the main execution's tasks and their answers, in the form of `replayHistory()`. It includes the calls of a
   * Distributed Map's children.
   */
  calls(): ReturnType<PublicSession["calls"]> {
    return answered(this.#player.run.first).map(({ command: { state, iterations = [], attempt, resource }, facts }) => ({
      state,
      iterations,
      attempt,
      resource,
      ...answerOf(facts),
    }));
  }

  /** Returns the executions that tasks have started. */
  children(): ChildExecution[] {
    return startedIn(this.#player.run);
  }

  /** Returns the events of an execution that a task has started. */
  childHistory(arn: string): HistoryEvent[] | undefined {
    return this.#player.run.executions.find((execution) => execution.number > 0 && execution.arn === arn)?.recording.events;
  }

  /** Answers the task with a given token: "succeed" with an output, "fail" with `{error, cause}`, or "heartbeat". */
  answerToken(token: string, method: "succeed" | "fail" | "heartbeat", value?: unknown): boolean {
    const execution = this.#player.run.executions.find((one) => one.callOf(token) !== undefined);
    const call = execution?.callOf(token);
    if (execution === undefined || call === undefined) return false;
    call.answered = true;
    const task = execution.number * TASKS + call.command.task;
    if (method === "heartbeat") return this.answer(task, { kind: "heartbeat" });
    const { error, cause } = (value ?? {}) as { error?: string; cause?: string };
    return this.answer(task, method === "fail" ? { kind: "fail", error, cause } : { kind: "succeed", output: value });
  }

  // Looking into things.

  /** Returns the active threads (chains of states), the outer ones first. */
  threads(): DebugThread[] {
    const { recording, position } = this.#at;
    const { chains } = recording;
    const last = new Map(chains.openAt(eventAt(recording, position)).map((visit) => [visit.thread, visit]));
    return [...last.values()].map((visit) => {
      const { id, iterations, slot } = chains.threadOf(visit);
      return {
        id,
        name: this.#threadName(id),
        state: visit.state,
        type: visit.type,
        iterations,
        slot,
        visit: visit.id,
        event: visit.enter,
      };
    });
  }

  /**
   * Returns a page of the threads in child executions of Distributed Maps: at least `count` threads from `start` on, if there are
   * as many, and where the next page starts.
   */
  childThreads({ start = 0, count = 100 }: { start?: number; count?: number } = {}): { threads: DebugThread[]; next?: number } {
    const { recording, position } = this.#at;
    const threads: DebugThread[] = [];
    let number = start + 1;
    for (; number < recording.histories.length && threads.length < count; number++) {
      const history: ExecutionHistory = recording.histories[number]!;
      const seen = history.eventsAt(position);
      // The events of a child that has ended need not be read.
      if (seen === 0 || (history.status !== undefined && seen === history.events.length)) continue;
      recording.touch(history);
      const open = new Map(history.chains.openAt(seen).map((visit) => [visit.thread, visit]));
      for (const visit of open.values()) threads.push(this.#childThread(visit, history));
    }
    return { threads, ...(number < recording.histories.length && { next: number - 1 }) };
  }

  #childThread(visit: HistoryVisit, history: ExecutionHistory): DebugThread {
    const { id, isIteration, slot } = history.chains.threadOf(visit);
    return {
      id: history.numbered(id),
      name: this.#threadName(id, history),
      state: visit.state,
      type: visit.type,
      iterations: history.iterationsOf(id),
      slot: isIteration || history.chains.visits[visit.around] !== undefined ? slot : (history.begun?.index ?? slot),
      visit: history.numbered(visit.id),
      event: mainEvent(this.#at.recording.entries, history, visit.enter),
    };
  }

  /** Returns the innermost state of a thread, which may be in a child execution. */
  #openIn(thread: number): HistoryVisit | undefined {
    const { recording, position } = this.#at;
    const [number, id] = splitId(thread);
    const history: ExecutionHistory | undefined = recording.histories[number];
    if (history === undefined) return undefined;
    if (history.begun !== undefined) recording.touch(history);
    return history.chains.openAt(history.eventsAt(position)).findLast((visit) => visit.thread === id);
  }

  /**
   * Returns the call stack, the innermost state first, at the current position or of a thread. For a nested execution, the states
   * around the task that started it follow.
   */
  stackTrace(thread?: number): StackFrame[] {
    const own = this.#at;
    const visit = thread === undefined ? this.#player.visit() : this.#openIn(thread);
    const frames: StackFrame[] = [];
    let from = visit;
    for (let at: Execution | undefined = own; at !== undefined; from = at.parent?.recording.visit(at.visit!), at = at.parent) {
      const { number: execution, recording, position } = at;
      if (from !== undefined) frames.push(...stackOf(recording, from, position).map((frame) => ({ ...frame, execution })));
    }
    return frames;
  }

  /** Returns the variables in scope of a visit, each with its value and the state that assigned it. */
  scopes(visit?: number): Record<string, Variable> {
    const at = this.#player.visit(visit);
    return at === undefined ? {} : variablesOf(this.#at.recording, at, this.#at.position);
  }

  /**
   * Returns the reached stages of a visit's last attempt, or of a given attempt, and the number of attempts. For stages that a Map
   * has once per item, returns those of `item` or of the last item; `items` counts them.
   */
  stages(visit?: number, attempt?: number, options?: { all?: boolean; item?: number }): ReturnType<PublicSession["stages"]> {
    return this.#player.stages(visit, attempt, options);
  }

  /** Returns the reached visits of a state. */
  visits(state: string): ReturnType<PublicSession["visits"]> {
    return this.#player.visits(state);
  }

  /**
   * Returns the last reached visits of a state in child executions of Distributed Maps. `iterations` filters by the indices in the
   * surrounding Maps; an undefined index matches any.
   */
  childVisits(state: string, options?: { iterations?: (number | undefined)[]; most?: number }): ChildVisit[] {
    return childVisits(this.#at, state, options);
  }

  /**
   * Returns the reached events of the history that a visit is in. Each event of a child has the last event of the main history
   * before it as `after`.
   */
  historyOf(visit?: number): ReturnType<PublicSession["historyOf"]> {
    const { recording, frontier } = this.#at;
    const history = this.#historyOf(visit);
    const events = history.events.slice(0, history.eventsAt(frontier));
    if (history.begun === undefined) return events;
    return recording
      .eventsOf(
        history,
        events.map(({ id }) => id),
      )
      .map((event, i) => {
        const entry = recording.entries[history.eventAt[i]!];
        return { ...event, after: entry?.kind === "child" ? entry.after : undefined };
      });
  }

  /** Returns all visits of a history in the order in which they were entered: the history of `of`, or the main history. */
  visitsInOrder(of?: number): ReturnType<PublicSession["visitsInOrder"]> {
    const { recording, frontier } = this.#at;
    const history = this.#historyOf(of);
    return visitsOf(recording, history, history.eventsAt(frontier), (thread) => this.#threadName(thread, history));
  }

  /** Returns the history that a visit is in, or the main history. */
  #historyOf(visit: number | undefined): ExecutionHistory {
    const { recording } = this.#at;
    return (visit === undefined ? undefined : recording.visit(visit)?.history) ?? recording.own;
  }

  #threadName(id: number, { chains, begun, around: map }: ExecutionHistory = this.#at.recording.own): string {
    const { around, slot, isIteration } = chains.threads[id]!;
    const outer = chains.visits[around];
    if (outer !== undefined) return isIteration ? `${outer.state} #${slot}` : `${outer.state} branch ${slot + 1}`;
    return begun === undefined ? "Execution" : `${map?.state} #${begun.index}`;
  }

  /**
   * Evaluates "jsonata", "jsonpath" or "template" at the current position or in a visit. Returns `{value}`, `{nothing}` or
   * `{message}`.
   */
  evaluate(
    question: string,
    {
      language = "jsonata",
      visit,
      values = this.values(visit),
    }: { language?: "jsonata" | "jsonpath" | "template"; visit?: number; values?: Values } = {},
  ): Evaluated {
    return ask(language, question, values);
  }

  /** Returns the values in scope of expressions at the current position. */
  values(visit?: number): Values {
    return valuesAt(this.#at, this.#at.position, visit === undefined ? undefined : this.#player.visit(visit));
  }

  /** Returns the frames of the engine at the current position, rebuilt from the nearest snapshot. */
  frames(): Frame[] {
    const { recording, position } = this.#at;
    const { entries } = recording;
    if (position === recording.length) return recording.ask("frames");
    const last = position === 0 ? 0 : entries[position - 1]!.fact;
    const engine = recording.engineBefore(last + (position > 0 && entries[position]!.fact !== last ? 1 : 0));
    try {
      return JSON.parse(engine.ask("frames"));
    } finally {
      engine.discard();
    }
  }

  // Other runs.

  /** Makes a run that equals this one up to an event, and that continues on its own from there. */
  fork(options?: { event?: number; label?: string }): void {
    this.#player.fork(options);
  }

  /** Sets an input, a task's result or a variable at the current position. This makes a fork. */
  setValue({ target, name, value, visit }: Parameters<PublicSession["setValue"]>[0]): void {
    argumentText(value, "the value");
    const execution = this.#at;
    const at = this.#player.visit(visit);
    if (at === undefined) {
      if (target === "input" && execution.parent === undefined) return this.restart(this.#player.run.definition, { input: value });
      throw misuse("NOT_SETTABLE", "no state has been entered yet", Error);
    }
    this.#player.branch(execution, changeOf(execution, at, { target, name, value }));
  }

  /** Sets a variable, as `setVariable` of the Debug Adapter Protocol does. */
  setVariable(name: string, value: unknown): void {
    this.setValue({ target: "variable", name, value });
  }

  /**
   * Replaces the definition while paused: repeats the run from its start, with the answers that tasks gave, up to the current
   * position. Returns `{same: true}`, or `{event, was, now}` with the first event that differs; the run is then paused there.
   * Throws DefinitionError and changes nothing if the definition has errors.
   */
  applyDefinition(definition: Definition): EditReport {
    const player = this.#player;
    const before = player.run;
    const { first, start, id: parent } = before;
    const at = eventAt(first.recording, first.position);
    const run = player.newRun(definition, { input: first.input, seed: first.seed, start, label: "edited definition", parent, at });
    const { focus, position, report } = repeatRun(run, before, at);
    player.halt();
    player.begin(run);
    player.selectExecution(focus);
    run.position = position;
    run.frontier = Math.max(run.position, run.frontier);
    const description = report.same
      ? "the new definition takes the same path"
      : `diverged at event ${report.event}: ${report.now} (was ${report.was})`;
    player.stopAt({ reason: "edit", description });
    return report;
  }

  /** Selects a run. */
  selectRun(id: number): void {
    this.#player.select(this.#found(id));
  }

  /** Removes a run that is not selected. Its forks stay, as runs without a parent. */
  removeRun(id: number): void {
    const player = this.#player;
    const run = this.#found(id);
    if (run === player.run) throw misuse("INVALID_ARGUMENT", "the run on screen cannot be removed");
    run.discard();
    player.runs = player.runs.filter((one) => one !== run);
    for (const fork of player.runs) if (fork.parent === id) fork.parent = fork.at = undefined;
  }

  /**
   * Returns how often a run has used each part of its definition, as far as it was reached: `{pointer: count}`. A fork counts from
   * the event at which it left its parent, so that the sum over all runs counts nothing twice. With `whole`, it counts from the
   * beginning.
   */
  coverage(id: number = this.run, { whole = false }: { whole?: boolean } = {}): Record<string, number> {
    const run = this.#found(id);
    return hitsIn(run, whole ? 0 : run.first.own);
  }

  /** Compares two runs. */
  compare(a: number, b: number): RunDifference {
    return differenceOf(seenOf(this.#found(a)), seenOf(this.#found(b)));
  }

  // Inside.

  /** The selected execution. */
  get #at(): Execution {
    return this.#player.at;
  }

  #found(id: number): Run {
    const run = this.#player.runs.find((one) => one.id === id);
    if (run === undefined) throw misuse("INVALID_ARGUMENT", `there is no run ${id}`, RangeError);
    return run;
  }

  #executionOf(run: Run, id: number): Execution {
    const execution = run.executions[id];
    if (execution === undefined) throw misuse("INVALID_ARGUMENT", `there is no execution ${id} in this run`, RangeError);
    return execution;
  }
}

guard(DebugSession);

/** Returns the hits of a run from a position on. */
function hitsIn({ first: { recording, frontier } }: Run, from: number): Record<string, number> {
  return hitsOf(recording, outlineOf(recording.machine), from, frontier);
}

/** Returns the reached part of a run. */
function seenOf(run: Run): Parameters<typeof differenceOf>[0] {
  const { recording, frontier } = run.first;
  return { recording, events: eventAt(recording, frontier), hits: hitsIn(run, 0) };
}
