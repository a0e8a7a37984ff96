// Plays runs of a machine: forwards to breakpoints and the ends of steps, back through what was reached, and on from there.

import type { DebugEvents, DebugOptions, DebugSession, Stop, TaskAnswer } from "../../core/api/debug.d.ts";
import type { Definition, ExecutionResult, HistoryEvent, StateMachine } from "../../core/api/index.d.ts";
import { messageOf } from "../../core/base/errors.ts";
import { inTime, later } from "../../core/driver/scheduler.ts";
import { detailsOf } from "../../core/history/events.ts";
import { Breakpoints } from "./breakpoints.ts";
import { type Execution, TASKS, withoutTime } from "./execution.ts";
import type { Host } from "./host.ts";
import type { Fork } from "./model.ts";
import { Run } from "./run.ts";
import { stepsInto, stepsOut, stepsOver, stepsStage } from "./steps.ts";
import type { HistoryVisit } from "./execution-history.ts";
import type { RecordingEntry } from "./entries.ts";
import { eventAt, ofOneItem, parsed, stagesOf, valuesAt, visitAt } from "./view.ts";

// Maximum delay of setTimeout, in milliseconds.
const LONGEST = 2 ** 31 - 1;
/** Size of a snapshot, in characters, above which it takes as long as the rest of a turn. */
const LONG = 262_144;
const NOTHING = { stop: undefined, logs: [] };

/** Returns for each reached entry whether a step ends there. */
type Goal = (entry: RecordingEntry, execution: Execution, position: number) => boolean;
type Clock = NonNullable<DebugOptions["clock"]>;

/** The properties of a new run. */
export interface Beginning {
  /** The input as JSON text. */
  input: string;
  seed: bigint;
  /** The start time in milliseconds since 1970. */
  start: number;
  label: string;
  /** For a run that is derived from another one: that run, and its event at which they part. */
  parent?: number;
  at?: number;
  /** Whether the execution gets new names instead of those of the current run. */
  named?: boolean;
}

export class Player {
  readonly host: Host;
  /** All runs. A fork comes after the run that it was made from. */
  runs: Run[] = [];
  /** The selected run. */
  run!: Run;
  readonly breakpoints = new Breakpoints();
  /** Why the player is paused. */
  stopped: Stop = { reason: "start", description: "before the first state" };
  #lastRun = 0;
  #clock: Clock = "skip";
  #running = false;
  #goal: Goal | undefined;
  #ignoring = false;
  #queued = false;
  #pumping = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notify: <Name extends keyof DebugEvents>(name: Name, what: DebugEvents[Name]) => void;
  #disposed = false;

  /** `notify` is called for each event of the session. */
  constructor(host: Host, notify: <Name extends keyof DebugEvents>(name: Name, what: DebugEvents[Name]) => void) {
    this.host = host;
    this.#notify = notify;
    host.changed = (run) => {
      if (run !== this.run) return;
      this.#notify("tasks", undefined);
      this.#pumpSoon();
    };
  }

  // Where it stands.

  get status(): DebugSession["status"] {
    if (this.#running) return "running";
    return this.run.over && this.atEnd ? "ended" : "paused";
  }

  /** The result of the execution, once its end has been reached. */
  get outcome(): ExecutionResult | undefined {
    const { first } = this.run;
    return first.position === first.recording.length ? first.outcome : undefined;
  }

  /** The time of the execution, in milliseconds since 1970. While it is paused, it is the time at the current position. */
  get now(): number {
    if (this.atEnd) return this.run.now();
    for (let at = this.run.position - 1; at >= 0; at--) {
      const { execution, position } = this.run.entryAt(at);
      const entry = execution.recording.entries[position]!;
      if (entry.kind !== "event") continue;
      const time = Date.parse(String(entry.event.timestamp));
      // A Date does not parse a year of five digits.
      return Number.isNaN(time) ? execution.recording.facts[entry.fact]!.fact[1] : time;
    }
    return this.run.start;
  }

  /** The selected execution. */
  get at(): Execution {
    return this.run.focus;
  }

  /** Whether the current position is the end of the run. */
  get atEnd(): boolean {
    return this.run.position === this.run.length;
  }

  /** The last event before the current position; 0 before the first. */
  get event(): number {
    return eventAt(this.at.recording, this.at.position);
  }

  /** The number of events that have been reached. */
  get events(): number {
    return eventAt(this.at.recording, this.at.frontier);
  }

  /** Returns the reached events of an execution, from an index on. */
  history(from = 0, { recording, frontier }: Execution = this.at): HistoryEvent[] {
    return recording.events.slice(from, eventAt(recording, frontier));
  }

  /** Returns the visit with an id, or the visit at the current position. Undefined if there is none. */
  visit(number?: number): HistoryVisit | undefined {
    const { recording, position } = this.at;
    return number === undefined ? visitAt(recording, position) : recording.visit(number);
  }

  /** Returns the reached visits of a state. */
  visits(state: string): ReturnType<DebugSession["visits"]> {
    const { chains } = this.at.recording;
    const { events } = this;
    const seen = chains.visitsOf(state).filter(({ enter }) => enter <= events);
    return seen.map(({ id, enter, exit, end, thread, attempts }) => {
      const { iterations, slot } = chains.threads[thread]!;
      return { id, enter, exit: exit <= events ? exit : 0, end: end <= events ? end : 0, iterations, slot, attempts };
    });
  }

  /**
   * Returns the reached stages of a visit's last attempt, or of a given attempt, and the number of attempts. For stages that a Map
   * has once per item, returns those of `item` or of the last item; `items` counts them.
   */
  stages(
    visit?: number,
    attempt?: number,
    { all = false, item }: { all?: boolean; item?: number } = {},
  ): ReturnType<DebugSession["stages"]> {
    const { recording, position, frontier } = this.at;
    const at = this.visit(visit);
    if (at === undefined) return { attempts: 0, stages: [], items: {} };
    const found = stagesOf(recording, at, all ? frontier : position, attempt);
    const { positions, items } = ofOneItem(recording, found.positions, item, position);
    const values = recording.valuesAt(positions);
    const stages = positions.flatMap((place, i) => {
      const entry = recording.entries[place];
      if (entry?.kind !== "stage") return [];
      const { stage, after, index, failure } = entry;
      return [{ place, stage, value: values[i], after, ...(index !== undefined && { index }), ...(failure && { failure }) }];
    });
    return { attempts: found.attempt + 1, input: parsed(detailsOf(recording.eventOf(at.history, at.enter)).input), stages, items };
  }

  // Commands.

  /** Continues to the next breakpoint or the end. With `ignoring`, continues to the end. */
  continue(ignoring = false): void {
    this.go(undefined, ignoring);
  }

  /** Pauses before the next entry. */
  pause(): void {
    if (this.#running) this.halt({ reason: "pause", description: "by hand" });
  }

  /** Steps to the next state in the scope of a visit, by default of the current visit. */
  next(visit = this.visit()): void {
    this.go(stepsOver(this.at, visit));
  }

  /** Steps into a Parallel or Map, or into the execution that a Task starts. In any other state, steps to its first stage. */
  stepIn(visit = this.visit()): void {
    this.go(stepsInto(this.at, visit, visit !== undefined && this.host.starts(this.at, visit)));
  }

  /** Steps to the end of the branch or iteration, or of the execution if the visit is in none. */
  stepOut(visit = this.visit()): void {
    this.go(stepsOut(this.at, visit));
  }

  /** Steps by one stage of the data flow, or by one event if the state has no more stages. */
  stepStage(): void {
    this.go(stepsStage(this.at, this.visit()));
  }

  /** Steps back to the previous event of the same branch. From the middle of a state, it steps back to the state's last event. */
  stepBack(): void {
    const { at, run } = this;
    const { recording, position } = at;
    const history = this.visit()?.history ?? recording.own;
    const seen = history.eventsAt(position);
    if (history.begun !== undefined && seen > 0) {
      const behind = history.eventAt[seen - 1]! + 1;
      const before = behind < position ? seen : history.events[seen - 1]!.previousEventId;
      if (before > 0) return this.moveTo(run.positionAfter(at, history.eventAt[before - 1]! + 1), { reason: "step", description: "back" });
    }
    const last = this.event;
    const after = last === 0 ? 0 : recording.eventAt[last - 1]! + 1;
    const to = after < position ? last : (recording.events[last - 1]?.previousEventId ?? 0);
    // The task that has started a nested execution precedes its first event.
    if (to === 0 && at.parent) this.selectExecution(at.parent);
    this.moveTo(run.positionAfter(at, to === 0 ? 0 : recording.eventAt[to - 1]! + 1), { reason: "step", description: "back" });
  }

  /** Goes to the position after an event. After the last event, that is the end of the reached part. */
  goto(event: number): void {
    const { at, events } = this;
    const to = Math.max(0, Math.min(event, events));
    const position = to === events ? this.present(at) : this.run.positionAfter(at, to === 0 ? 0 : at.recording.eventAt[to - 1]! + 1);
    this.moveTo(position, { reason: "goto", description: `event ${to} of ${events}` });
  }

  /** Returns the last position that was reached in an execution, which can be in the middle of a state. */
  present(at: Execution): number {
    return at.parent && at.ended ? this.run.positionAfter(at, at.frontier) : this.run.frontier;
  }

  /** Starts a new run with the same beginning as the selected run. */
  restart(): void {
    const { seed, start, input, definition } = this.run.first;
    this.startOver(this.newRun(definition, { input, seed, start, label: "Run" }));
  }

  /** Starts a run with hit counts of zero. */
  startOver(run: Run): void {
    this.halt();
    this.breakpoints.reset();
    this.begin(run);
  }

  /** Ends the player. No more tasks are called. */
  dispose(): void {
    this.#disposed = true;
    this.halt();
    for (const run of this.runs) run.discard();
  }

  // The world.

  /** Sets the clock: "skip", "manual", or a factor of real time. */
  setClock(clock: Clock): void {
    this.#clock = clock;
    if (this.#running) {
      this.#flow();
      this.#pumpSoon();
    }
  }

  /** Advances the clock by `milliseconds`, or to the next timer. Returns false if there is none. */
  advance(milliseconds?: number): boolean {
    const { run } = this;
    if (!this.atEnd) return false;
    run.perform();
    const to = milliseconds === undefined ? run.due() : run.now() + milliseconds;
    if (to === null) return false;
    run.jump(to);
    if (this.#running) this.#pumpSoon();
    else this.go(undefined);
    return true;
  }

  /** Returns the timers, the next one first. */
  timers(): ReturnType<DebugSession["timers"]> {
    if (!this.atEnd) return [];
    return this.run.executions
      .filter(({ ended }) => !ended)
      .flatMap((execution) => execution.timers())
      .sort((a, b) => a.at - b.at);
  }

  /** Returns the tasks that wait for an answer by a person. */
  waiting(): ReturnType<DebugSession["waiting"]> {
    return this.run.executions.flatMap((execution) => execution.waiting()).sort((a, b) => a.since - b.since);
  }

  /** Answers a task. */
  answer(task: number, answer: TaskAnswer): boolean {
    return this.continueIf(this.run.executions[Math.floor(task / TASKS)]?.answer(task % TASKS, answer));
  }

  /** Continues the run if a task accepted an answer. Returns `accepted`. */
  continueIf(accepted = false): boolean {
    if (accepted) {
      this.#notify("tasks", undefined);
      this.#pumpSoon();
    }
    return accepted;
  }

  // Runs.

  /** Makes a run that equals this one up to an event, and that continues on its own from there. */
  fork({ event = this.event, label = `fork at ${event}` }: { event?: number; label?: string } = {}): void {
    const { at } = this;
    const { recording } = at;
    const last = Math.min(event, this.events);
    if (last <= 0 && at.parent === undefined) return this.restart();
    if (last <= 0) return this.branch(at, { fact: 0, label, event: 0, position: 0 });
    const position = recording.eventAt[last - 1]!;
    const { fact } = recording.entries[position]!;
    this.branch(at, { fact, feed: withoutTime(recording.facts[fact]!.fact), label, event, position: position + 1 });
  }

  /** Creates a run of a definition, without selecting it. */
  newRun(definition: Definition | StateMachine, { input, seed, start, label, parent, at, named }: Beginning): Run {
    const id = this.#lastRun + 1;
    const machine = this.host.machine(definition);
    const info = (named ? undefined : this.run?.first.info) ?? this.host.names(id, machine.name);
    this.host.check(info.name, input);
    return this.host.prepared(new Run({ id, parent, at, label, start, host: this.host }, { ...machine, definition, info, seed, input }));
  }

  begin(run: Run): void {
    this.runs.push(run);
    this.#lastRun = run.id;
    this.run = run;
    this.#notify("run", { run: run.id });
    this.stopAt({ reason: "start", description: run.position > 0 ? "" : "before the first state" });
  }

  /** Makes a fork of the selected run that leaves it before a fact of an execution. */
  branch(of: Execution, { fact, change, feed, label, event, position }: Fork): void {
    const old = this.run;
    this.halt();
    const about = { id: this.#lastRun + 1, parent: old.id, at: event, label };
    const run = this.host.prepared(old.forked(about, of.order[fact] ?? old.fed, { of, change }));
    const execution = run.executions[of.number]!;
    if (of.number > 0) run.atExecution = of.number;
    if (feed) {
      run.jump(of.recording.facts[fact]!.fact[1]);
      run.feed({ execution, fact: feed[0] === "start" ? execution.ready()! : feed });
    }
    run.focus = execution;
    run.position = run.positionAfter(execution, Math.min(position, execution.recording.length));
    run.frontier = run.own = run.position;
    this.begin(run);
  }

  /** Replaces all runs, and selects one of them. */
  adopt(runs: Run[], current: Run): void {
    this.runs = runs;
    this.#lastRun = runs.at(-1)!.id;
    this.select(current);
  }

  /** Selects a run. */
  select(run: Run): void {
    this.halt();
    this.run = run;
    this.#notify("run", { run: run.id });
    this.stopAt({ reason: "goto", description: run.label });
  }

  /** Selects an execution of the run. */
  selectExecution(execution: Execution): void {
    if (execution === this.at) return;
    this.run.focus = execution;
    this.#notify("execution", { execution: execution.number });
  }

  // Playing.

  /** Continues until the goal or a breakpoint is reached. */
  go(goal: Goal | undefined, ignoring = false): void {
    if (this.status === "ended" || this.#disposed) return;
    this.#goal = goal;
    this.#ignoring = ignoring;
    if (!this.#running) {
      this.#running = true;
      this.#flow();
      this.#notify("continued", undefined);
    }
    // Most steps end at once.
    this.#pump();
  }

  /** Moves to a position of the run. Listeners are notified if `stop` is given. */
  moveTo(position: number, stop?: Stop): void {
    this.halt();
    this.run.position = position;
    if (stop) this.stopAt(stop);
  }

  /** Pauses, and stops the clock. */
  halt(stop?: Stop): void {
    clearTimeout(this.#timer);
    this.run?.flow(0);
    const ran = this.#running;
    this.#running = false;
    this.#goal = undefined;
    if (ran && stop) this.stopAt(stop);
  }

  stopAt(stop: Stop): void {
    const { number: id, name, info } = this.at;
    this.stopped = id === 0 ? stop : { ...stop, execution: { id, name, machine: info.stateMachineName } };
    this.#notify("stopped", this.stopped);
  }

  #flow(): void {
    const live = this.#running && this.atEnd;
    this.run.flow(live && typeof this.#clock === "number" ? this.#clock : 0);
  }

  #pumpSoon(): void {
    if (this.#queued || !this.#running) return;
    this.#queued = true;
    later(() => {
      this.#queued = false;
      this.#pump();
    });
  }

  /** Moves forward in the recording, and runs the engine at its end. */
  #pump(): void {
    if (this.#pumping || !this.#running) return;
    this.#pumping = true;
    try {
      this.#play();
    } catch (thrown) {
      // The interpreter has a bug, or it refused a fact. What was reached before remains available.
      this.halt({ reason: "exception", description: messageOf(thrown) });
    } finally {
      this.#pumping = false;
    }
  }

  #play(): void {
    const { run } = this;
    let stepped = false;
    let fed = false;
    // Starts the time slice of this turn before the first fact, which may use all of it.
    inTime();
    while (this.#running && run === this.run) {
      if (run.position < run.length) {
        this.#playEntry();
        continue;
      }
      if (!stepped) this.#flow();
      stepped = true;
      run.perform();
      const due = run.snapshotDue;
      if (due !== undefined) {
        // A snapshot of megabytes gets a turn of its own.
        if (!fed && due.takeSnapshot() < LONG) continue;
        this.#notify("progress", undefined);
        return this.#pumpSoon();
      }
      const next = run.next();
      if (next !== undefined) {
        run.feed(next);
        fed = true;
        if (!inTime()) {
          this.#notify("progress", undefined);
          return this.#pumpSoon();
        }
        continue;
      }
      this.#notify("progress", undefined);
      if (run.ended && (!run.isEndReported || run.over)) {
        this.#finish(run);
        continue;
      }
      this.#notify("tasks", undefined);
      if (!this.#wait(run)) return;
    }
    this.#notify("progress", undefined);
  }

  /** Moves past the next entry of the run. Stops after it at a breakpoint or at the goal. */
  #playEntry(): void {
    const { run } = this;
    const { execution, position } = run.entryAt(run.position++);
    const isNew = run.position > run.frontier;
    if (isNew) run.frontier = run.position;
    const { stop, logs } = this.#ignoring
      ? NOTHING
      : this.breakpoints.check(execution, position, () => valuesAt(execution, position + 1), isNew);
    for (const log of logs) {
      this.#notify("output", {
        ...log,
        event: eventAt(execution.recording, position + 1),
        ...(execution.number > 0 && { execution: execution.number }),
      });
    }
    const reached = this.#goal?.(execution.recording.entries[position]!, execution, position);
    if (stop || reached) {
      this.selectExecution(execution);
      this.halt(stop ?? { reason: "step", description: "" });
    }
  }

  /**
   * Handles the end of the main execution. Other executions may still run. They continue with the next command, or at once if one
   * of them is selected.
   */
  #finish(run: Run): void {
    if (run.over || this.at === run.first) this.halt();
    const first = !run.isEndReported;
    run.isEndReported = true;
    if (!run.over || first) {
      if (!this.#running) {
        this.stopped = { reason: "end", description: "" };
        this.selectExecution(run.first);
      }
      this.#notify("terminated", run.outcome!);
    } else this.stopAt({ reason: "end", description: "all executions have ended" });
  }

  /** Waits until the next timer. Returns whether the clock was advanced instead. */
  #wait(run: Run): boolean {
    const due = run.due();
    if (due === null) return false;
    if (this.#clock === "skip") {
      if (run.busy) return false;
      run.jump(due);
      return true;
    }
    if (this.#clock === "manual") return false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#pump(), Math.min(Math.max(0, (due - run.now()) / this.#clock) + 1, LONGEST));
    return false;
  }
}
