// A debugger of one machine: it plays runs, looks into them, changes and compares them.

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
} from "../api/debug.d.ts";
import type { Definition, ExecutionResult, Frame, HistoryEvent, StateMachine, TaskHandlers } from "../api/index.d.ts";
import { dispose } from "../base/dispose.ts";
import { misuse } from "../base/errors.ts";
import { checkOptions } from "../base/options.ts";
import { seedOf } from "../base/random.ts";
import { shown } from "../base/shown.ts";
import { detailsOf } from "../history/events.ts";
import { argumentText } from "../tasks/integration.ts";
import { listOf, startedIn } from "./children.ts";
import { hitsOf, outlineOf } from "./coverage.ts";
import { differenceOf } from "./difference.ts";
import { answered, changeOf, madeAgain } from "./editing.ts";
import { type Execution, TASKS } from "./execution.ts";
import { ask } from "./expressions.ts";
import { checkBreakpoints, checkClock, guard } from "./arguments.ts";
import { answerOf } from "./mocks.ts";
import { Player } from "./player.ts";
import { ProgramHost } from "./program.ts";
import type { Run } from "./run.ts";
import { type ExecutionHistory, type HistoryVisit, apart } from "./history.ts";
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

/** For saving: what plays the runs of a session, and what is around them. */
export let inside: (session: DebugSession) => { player: Player; host: ProgramHost };

export class DebugSession implements PublicSession {
  static {
    inside = (session) => ({ player: session.#player, host: session.#host });
  }

  #host: ProgramHost;
  #player: Player;
  #listeners = new Map<string, Set<Listener>>(NAMES.map((name) => [name, new Set()]));

  /** Begins paused, before the first state. */
  constructor(definition: Definition | StateMachine, options: DebugOptions = {}) {
    checkOptions(options, OPTIONS, "new DebugSession()");
    this.#host = new ProgramHost(options, (...answer) => this.answerToken(...answer));
    this.#player = new Player(this.#host, (name, what) => this.#tell(name, what));
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

  /** Calls a listener for one of the events; returns what ends that. */
  on<Name extends keyof DebugEvents>(name: Name, listener: (what: DebugEvents[Name]) => void): () => void {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) throw misuse("INVALID_ARGUMENT", `there is no event ${shown(name)}; the events are ${NAMES.join(", ")}`);
    // It hears of this event only.
    listeners.add(listener as Listener);
    return () => listeners.delete(listener as Listener);
  }

  #tell(name: keyof DebugEvents, what: unknown): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(what);
      } catch (thrown) {
        console.error(`stepglass: a listener of ${name} threw an error`, thrown);
      }
    }
  }

  // Where it stands.

  /** "running", "paused", or "ended" where all has been seen. */
  get status(): PublicSession["status"] {
    return this.#player.status;
  }

  /** Why it is paused. */
  get stopped(): Stop {
    return this.#player.stopped;
  }

  /** How the execution has ended, as soon as that has been seen. */
  get outcome(): ExecutionResult | undefined {
    return this.#player.outcome;
  }

  /** The execution's time, in milliseconds since 1970: of what is looked at while it is paused. */
  get now(): number {
    return this.#player.now;
  }

  /** The place on the tape of events and stages that is looked at. */
  get position(): number {
    return this.#at.position;
  }

  /** Whether all is seen that has happened: nothing of it is to come before something new does. */
  get atRest(): boolean {
    return this.#player.atEnd;
  }

  /** The last event that has happened there; 0 before the first. */
  get event(): number {
    return this.#player.event;
  }

  /** How many events have been seen at all. */
  get events(): number {
    return this.#player.events;
  }

  /**
   * The events that have been seen, from an index on, of the execution that is looked at; with a run or an execution's number,
   * of another.
   */
  history(from = 0, run?: number, execution: number = run === undefined ? this.execution : 0): HistoryEvent[] {
    return this.#player.history(from, this.#executionOf(run === undefined ? this.#player.run : this.#found(run), execution));
  }

  /**
   * What child executions of Distributed Maps were seen to do, from an index on. Events that happened long ago may be without their
   * payloads.
   */
  childSteps(from = 0): ChildStep[] {
    const { recording, frontier } = this.#at;
    const { steps, facts, tape } = recording;
    const found: ChildStep[] = [];
    for (let i = from; i < steps.length && steps[i]! < frontier; i++) {
      const place = steps[i]!;
      const entry = tape[place]!;
      if (entry.kind !== "child" && entry.kind !== "end") continue;
      // Both are of children, which have names and were begun by something.
      const child = entry.history.child!;
      const { parent, run, index } = entry.history.begun!;
      const about = { place, after: entry.after, time: facts[entry.fact]!.fact[1], child };
      const begun = entry.event?.id === 1 ? { ...(parent.child !== undefined && { parent: parent.child }), run, index } : undefined;
      found.push(entry.kind === "end" ? { ...about, status: entry.status } : { ...about, ...begun, event: entry.event });
    }
    return found;
  }

  /** The definition of the execution that is looked at. */
  get definition(): Definition | StateMachine {
    return this.#at.definition;
  }

  /** The definition of an execution of this run, by its number. */
  definitionOf(execution: number): Definition | StateMachine {
    return this.#executionOf(this.#player.run, execution).definition;
  }

  /** The number of the execution that is looked at: 0 is the run's own. */
  get execution(): number {
    return this.#at.number;
  }

  /** The run's own execution and those that its tasks have started, in turn, as far as they were seen. */
  executions(): DebugExecution[] {
    return listOf(this.#player.run);
  }

  /** Looks at another execution of the run, at the same moment; a run that goes on goes on. */
  selectExecution(id: number): void {
    const execution = this.#executionOf(this.#player.run, id);
    if (execution === this.#at) return;
    this.#player.turnTo(execution);
    if (this.status !== "running") this.#player.stopAt({ reason: "goto", description: execution.name });
  }

  /** The runs by their forks. */
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

  /** Goes on to the next breakpoint or the end; with `ignoreBreakpoints` to the end. */
  continue({ ignoreBreakpoints = false }: { ignoreBreakpoints?: boolean } = {}): void {
    this.#player.continue(ignoreBreakpoints);
  }

  /** Stops before anything more happens. */
  pause(): void {
    this.#player.pause();
  }

  /** Goes on to the next state of the same scope; what a Parallel, a Map or a started execution does inside is done whole. */
  next(thread?: number): void {
    this.#player.next(thread === undefined ? undefined : this.#openIn(thread));
  }

  /**
   * Goes into a Parallel or Map, or into the execution that a Task starts; in any other state to its first stage, and from
   * there on to the next state.
   */
  stepIn(thread?: number): void {
    this.#player.stepIn(thread === undefined ? undefined : this.#openIn(thread));
  }

  /** Finishes the branch or iteration; where there is none the execution, back to the task that has started it. */
  stepOut(thread?: number): void {
    this.#player.stepOut(thread === undefined ? undefined : this.#openIn(thread));
  }

  /** Goes on by one stage of the data's flow, or by one event where there is none. */
  stepStage(): void {
    this.#player.stepStage();
  }

  /** Goes back to the event before, of the same branch; out of the middle of a state to its last event. */
  stepBack(): void {
    this.#player.stepBack();
  }

  /** Goes back to where a breakpoint would have stopped, or to the beginning. */
  reverseContinue(): void {
    const player = this.#player;
    const { run, breakpoints } = player;
    for (let row = run.position - 1; row > 0; row--) {
      const { execution, place } = run.entryAt(row - 1);
      const { stop } = breakpoints.check(execution, place, () => valuesAt(execution, place + 1), false);
      if (!stop) continue;
      player.turnTo(execution);
      return player.look(row, stop);
    }
    player.turnTo(run.first);
    player.look(0, { reason: "step", description: "before the first state" });
  }

  /** Looks at the moment after an event, the last of which is the present. */
  goto(event: number): void {
    this.#player.goto(event);
  }

  /** Looks at the moment after a stage of a state: one of those that `stages()` tells of. */
  gotoPlace(place: number): void {
    const at = this.#at;
    const row = place >= at.frontier ? this.#player.present(at) : this.#player.run.placeAfter(at, Math.max(0, place));
    this.#player.look(row, { reason: "goto", description: "a stage" });
  }

  /**
   * Begins anew, with the same input, and with a definition's text if one is given. The other options stand from here on in
   * place of those that the session began with.
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

  /** Goes on until a state of the machine that is looked at is entered. */
  runTo(state: string): void {
    const { stateMachineName } = this.#at.info;
    this.#player.go(
      (entry, at) => at.info.stateMachineName === stateMachineName && isEntering(entry) && detailsOf(entry.event!).name === state,
    );
  }

  /** Ends the execution as ABORTED, and all that its tasks have started. */
  stop(error = "Stopped", cause = "Stopped by hand."): void {
    const { run } = this.#player;
    if (run.over) return;
    run.stop(error, cause);
    this.#player.look(run.length);
    this.#player.continue(true);
  }

  /** Ends everything: no task is called any more. */
  dispose(): void {
    this.#player.dispose();
  }

  [dispose](): void {
    this.dispose();
  }

  // What stops it.

  /** Puts breakpoints in place of all there are; returns them with their ids and hits. */
  setBreakpoints(breakpoints: Breakpoint[]): ReturnType<PublicSession["setBreakpoints"]> {
    checkBreakpoints(breakpoints);
    return this.#player.breakpoints.set(breakpoints).map((one) => ({ ...one }));
  }

  get breakpoints(): Breakpoint[] {
    return this.#player.breakpoints.list.map((one) => ({ ...one }));
  }

  /** Errors to stop at: "none", "uncaught", "all", or a list of names. */
  setExceptionBreakpoints(filter: NonNullable<DebugOptions["exceptions"]>): void {
    this.#player.breakpoints.exceptions = filter;
  }

  /** Whether breakpoints count at all. */
  set breakpointsEnabled(enabled: boolean) {
    if (typeof enabled !== "boolean") throw misuse("INVALID_ARGUMENT", `breakpointsEnabled must be true or false, not ${shown(enabled)}`);
    this.#player.breakpoints.enabled = enabled;
  }

  // The world.

  /** The handlers of tasks that are called from now on. */
  setTasks(tasks: TaskHandlers): void {
    this.#host.setTasks(tasks);
  }

  /** The machines that tasks may start from now on, by name or ARN. */
  setMachines(machines: DebugOptions["machines"]): void {
    this.#host.setMachines(machines);
  }

  /** The mocks of tasks from now on: by state, function or resource. */
  setMocks(mocks: NonNullable<DebugOptions["mocks"]>): void {
    this.#host.setMocks(mocks);
  }

  /** "skip", "manual", or how many times as fast as real time. */
  setClock(clock: NonNullable<DebugOptions["clock"]>): void {
    checkClock(clock);
    this.#player.setClock(clock);
  }

  /** Lets so many milliseconds pass, or the time until something happens. False where nothing is to come. */
  advance(milliseconds?: number): boolean {
    return this.#player.advance(milliseconds);
  }

  /** Lets so many milliseconds pass in which nobody was there to work on tasks. False where all has ended. */
  recovered(milliseconds = 0): boolean {
    const { run } = this.#player;
    if (run.over) return false;
    run.jump(run.now() + milliseconds);
    for (const { ended, inbox, recording } of run.executions) {
      if (ended || recording.facts.length === 0) continue;
      // All who work on tasks are a part of the session.
      inbox.unshift(["recovered", recording.ask("pending").map(({ task }) => task)]);
    }
    return true;
  }

  /** When things happen by themselves, the next first. */
  timers(): ReturnType<PublicSession["timers"]> {
    return this.#player.timers();
  }

  /** When something happens by itself next, or null. */
  get due(): number | null {
    return this.#player.atEnd ? this.#player.run.due() : null;
  }

  /** The tasks that wait for somebody's answer. */
  waiting(): ReturnType<PublicSession["waiting"]> {
    return this.#player.waiting();
  }

  /** Answers a task. */
  answer(task: number, answer: TaskAnswer): boolean {
    return this.#player.answer(task, answer);
  }

  /** Takes an activity's task as a worker of that name. */
  take(task: number, { workerName }: { workerName?: string } = {}): boolean {
    return this.#player.heard(this.#player.run.executions[Math.floor(task / TASKS)]?.take(task % TASKS, workerName));
  }

  /**
   * The calls of the run's own tasks and what they were answered, as `replayHistory()` tells of a recording's: also those of a
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

  /** Executions that tasks have started. */
  children(): ChildExecution[] {
    return startedIn(this.#player.run);
  }

  /** The events of an execution that a task has started. */
  childHistory(arn: string): HistoryEvent[] | undefined {
    return this.#player.run.executions.find((execution) => execution.number > 0 && execution.arn === arn)?.recording.events;
  }

  /** Answers the task that a token names: "succeed" with an output, "fail" with `{error, cause}`, or "heartbeat". */
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

  /** Chains of states that are not over, the outer ones first. */
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
   * Threads in child executions of Distributed Maps, a page at a time: those of at least `count` threads from a place on, and the place
   * of the next page.
   */
  childThreads({ start = 0, count = 100 }: { start?: number; count?: number } = {}): { threads: DebugThread[]; next?: number } {
    const { recording, position } = this.#at;
    const threads: DebugThread[] = [];
    let number = start + 1;
    for (; number < recording.histories.length && threads.length < count; number++) {
      const history: ExecutionHistory = recording.histories[number]!;
      const seen = history.eventsAt(position);
      // Those that are over need not be read.
      if (seen === 0 || (history.status !== undefined && seen === history.events.length)) continue;
      recording.warm(history);
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
      event: mainEvent(this.#at.recording.tape, history, visit.enter),
    };
  }

  /** The innermost state of a thread, also of a child execution. */
  #openIn(thread: number): HistoryVisit | undefined {
    const { recording, position } = this.#at;
    const [number, id] = apart(thread);
    const history: ExecutionHistory | undefined = recording.histories[number];
    if (history === undefined) return undefined;
    if (history.begun !== undefined) recording.warm(history);
    return history.chains.openAt(history.eventsAt(position)).findLast((visit) => visit.thread === id);
  }

  /**
   * The states that lie around each other, the innermost first; of what is looked at, or of a thread. Behind those of a started
   * execution come those around the task that has started it.
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

  /** The variables in reach of a visit, each with its value and who assigned it. */
  scopes(visit?: number): Record<string, Variable> {
    const at = this.#player.visit(visit);
    return at === undefined ? {} : variablesOf(this.#at.recording, at, this.#at.position);
  }

  /**
   * The stages of a visit that were seen; of its last attempt or the given one, and how many there are. Of the stages that a Map has
   * for each item, the one of `item` or the last; `items` says how many there are.
   */
  stages(visit?: number, attempt?: number, options?: { all?: boolean; item?: number }): ReturnType<PublicSession["stages"]> {
    return this.#player.stages(visit, attempt, options);
  }

  /** Visits of a state that were seen. */
  visits(state: string): ReturnType<PublicSession["visits"]> {
    return this.#player.visits(state);
  }

  /**
   * Visits of a state in child executions of Distributed Maps that were seen, the last ones. `iterations` are the indices that they
   * are to have in the Maps around; undefined ones may be any.
   */
  childVisits(state: string, options?: { iterations?: (number | undefined)[]; most?: number }): ChildVisit[] {
    return childVisits(this.#at, state, options);
  }

  /** The events of the history that a visit is in, as far as they have been seen; a child's with the last of the run before it. */
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
        const entry = recording.tape[history.eventAt[i]!];
        return { ...event, after: entry?.kind === "child" ? entry.after : undefined };
      });
  }

  /** All visits of a history by their entering, of the execution's own or of that which a visit is in. */
  visitsInOrder(of?: number): ReturnType<PublicSession["visitsInOrder"]> {
    const { recording, frontier } = this.#at;
    const history = this.#historyOf(of);
    return visitsOf(recording, history, history.eventsAt(frontier), (thread) => this.#threadName(thread, history));
  }

  /** The history that a visit is in; without one, the execution's own. */
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

  /** Evaluates in "jsonata", "jsonpath" or "template" where one looks, or in a visit: `{value}`, `{nothing}` or `{message}`. */
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

  /** What expressions see where one looks. */
  values(visit?: number): Values {
    return valuesAt(this.#at, this.#at.position, visit === undefined ? undefined : this.#player.visit(visit));
  }

  /** Frames of the engine as they were where one looks, from the nearest snapshot on. */
  frames(): Frame[] {
    const { recording, position } = this.#at;
    const { tape } = recording;
    if (position === recording.length) return recording.ask("frames");
    const last = position === 0 ? 0 : tape[position - 1]!.fact;
    const engine = recording.engineBefore(last + (position > 0 && tape[position]!.fact !== last ? 1 : 0));
    try {
      return JSON.parse(engine.ask("frames"));
    } finally {
      engine.discard();
    }
  }

  // Other runs.

  /** A run that is as this one was up to an event, and goes on from there by itself. */
  fork(options?: { event?: number; label?: string }): void {
    this.#player.fork(options);
  }

  /** Sets an input, a task's result or a variable where one looks, which is a fork. */
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

  /** As DAP has it. */
  setVariable(name: string, value: unknown): void {
    this.setValue({ target: "variable", name, value });
  }

  /**
   * Takes another definition while paused: the run is made again from its start, with the answers that tasks gave, up to
   * where one looks. Returns `{same: true}`, or `{event, was, now}` with the first event that is another; the run is then
   * paused there. Throws DefinitionError and changes nothing where the definition has errors.
   */
  applyDefinition(definition: Definition): EditReport {
    const player = this.#player;
    const before = player.run;
    const { first, start, id: parent } = before;
    const at = eventAt(first.recording, first.position);
    const run = player.newRun(definition, { input: first.input, seed: first.seed, start, label: "edited definition", parent, at });
    const { focus, position, report } = madeAgain(run, before, at);
    player.halt();
    player.begin(run);
    player.turnTo(focus);
    run.position = position;
    run.frontier = Math.max(run.position, run.frontier);
    const description = report.same
      ? "the new definition takes the same path"
      : `diverged at event ${report.event}: ${report.now} (was ${report.was})`;
    player.stopAt({ reason: "edit", description });
    return report;
  }

  /** Looks at another run. */
  selectRun(id: number): void {
    this.#player.select(this.#found(id));
  }

  /** Forgets a run that is not looked at; its forks stay, as runs without a parent. */
  removeRun(id: number): void {
    const player = this.#player;
    const run = this.#found(id);
    if (run === player.run) throw misuse("INVALID_ARGUMENT", "the run on screen cannot be removed");
    run.discard();
    player.runs = player.runs.filter((one) => one !== run);
    for (const fork of player.runs) if (fork.parent === id) fork.parent = fork.at = undefined;
  }

  /**
   * How often each part of its definition a run has used, as far as it was seen: `{pointer: count}`. A fork counts from where
   * it left its parent on, so that the sum over all runs counts nothing twice; with `whole` from the beginning.
   */
  coverage(id: number = this.run, { whole = false }: { whole?: boolean } = {}): Record<string, number> {
    const run = this.#found(id);
    return hitsIn(run, whole ? 0 : run.first.own);
  }

  /** Two runs beside each other. */
  compare(a: number, b: number): RunDifference {
    return differenceOf(seenOf(this.#found(a)), seenOf(this.#found(b)));
  }

  // Inside.

  /** The execution that is looked at. */
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

/** What a run has used of its definition from a place on. */
function hitsIn({ first: { recording, frontier } }: Run, from: number): Record<string, number> {
  return hitsOf(recording, outlineOf(recording.machine), from, frontier);
}

/** What was seen of a run. */
function seenOf(run: Run): Parameters<typeof differenceOf>[0] {
  const { recording, frontier } = run.first;
  return { recording, events: eventAt(recording, frontier), hits: hitsIn(run, 0) };
}
