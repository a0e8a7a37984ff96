// Plays runs of a machine: forwards to breakpoints and the ends of steps, back along what was seen, and from there on again.

import type { DebugEvents, DebugOptions, DebugSession, Stop, TaskAnswer } from "../api/debug.d.ts";
import type { Definition, ExecutionResult, HistoryEvent, StateMachine } from "../api/index.d.ts";
import { messageOf } from "../base/errors.ts";
import type { Fact } from "../border/facts.ts";
import { inTime, later } from "../driver/scheduler.ts";
import { detailsOf } from "../history/events.ts";
import { Breakpoints } from "./breakpoints.ts";
import { type Execution, TASKS, withoutTime } from "./execution.ts";
import type { Host } from "./host.ts";
import type { EngineSnapshot } from "./recording.ts";
import { Run } from "./run.ts";
import { stepsInto, stepsOut, stepsOver, stepsStage } from "./steps.ts";
import type { HistoryVisit } from "./history.ts";
import type { TapeEntry } from "./tape.ts";
import { eventAt, ofOneItem, parsed, stagesOf, valuesAt, visitAt } from "./view.ts";

// The longest delay of setTimeout.
const LONGEST = 2 ** 31 - 1;
/** A snapshot of more characters takes as long as the rest of a turn. */
const LONG = 262_144;
const NOTHING = { stop: undefined, logs: [] };

/** Says of each entry that is seen whether a step ends there. */
type Goal = (entry: TapeEntry, execution: Execution, place: number) => boolean;
type Clock = NonNullable<DebugOptions["clock"]>;

/** What a run begins with. */
export interface Beginning {
  /** JSON text. */
  input: string;
  seed: bigint;
  /** Milliseconds since 1970. */
  start: number;
  label: string;
  /** Of a run that comes of another: that one, and its event at which they part. */
  parent?: number;
  at?: number;
  /** Whether the execution gets names of its own, and not those of the run before. */
  named?: boolean;
}

/** Where a fork leaves a run, and how it goes on. */
export interface Fork {
  /** The number of the fact of the execution before which it leaves. */
  fact: number;
  /** What is changed by hand there, in the engine's snapshot. */
  change?: (snapshot: EngineSnapshot) => void;
  /** The fact that the execution is fed then, which happens at the time of the one before which the fork leaves. */
  feed?: Fact;
  label: string;
  event: number;
  /** Where on the execution's tape one looks then. */
  position: number;
}

export class Player {
  readonly host: Host;
  /** All runs; a fork comes after the run that it comes of. */
  runs: Run[] = [];
  /** The one that is looked at. */
  run!: Run;
  readonly breakpoints = new Breakpoints();
  /** Why it is paused. */
  stopped: Stop = { reason: "start", description: "before the first state" };
  #lastRun = 0;
  #clock: Clock = "skip";
  #running = false;
  #goal: Goal | undefined;
  #ignoring = false;
  #queued = false;
  #pumping = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tell: <Name extends keyof DebugEvents>(name: Name, what: DebugEvents[Name]) => void;
  #disposed = false;

  /** `tell` is called with all that happens. */
  constructor(host: Host, tell: <Name extends keyof DebugEvents>(name: Name, what: DebugEvents[Name]) => void) {
    this.host = host;
    this.#tell = tell;
    host.changed = (run) => {
      if (run !== this.run) return;
      this.#tell("tasks", undefined);
      this.#pumpSoon();
    };
  }

  // Where it stands.

  get status(): DebugSession["status"] {
    if (this.#running) return "running";
    return this.run.over && this.atEnd ? "ended" : "paused";
  }

  /** How the execution has ended, as soon as that has been seen. */
  get outcome(): ExecutionResult | undefined {
    const { first } = this.run;
    return first.position === first.recording.length ? first.outcome : undefined;
  }

  /** The execution's time, in milliseconds since 1970: of what is looked at while it is paused. */
  get now(): number {
    if (this.atEnd) return this.run.now();
    for (let at = this.run.position - 1; at >= 0; at--) {
      const { execution, place } = this.run.entryAt(at);
      const entry = execution.recording.tape[place]!;
      if (entry.kind !== "event") continue;
      const told = Date.parse(String(entry.event.timestamp));
      // A Date does not read a year of five digits.
      return Number.isNaN(told) ? execution.recording.facts[entry.fact]!.fact[1] : told;
    }
    return this.run.start;
  }

  /** The execution that is looked at. */
  get at(): Execution {
    return this.run.focus;
  }

  /** Whether all is seen that has happened. */
  get atEnd(): boolean {
    return this.run.position === this.run.length;
  }

  /** The last event that has happened there; 0 before the first. */
  get event(): number {
    return eventAt(this.at.recording, this.at.position);
  }

  /** How many events have been seen at all. */
  get events(): number {
    return eventAt(this.at.recording, this.at.frontier);
  }

  /** The events of an execution that have been seen, from an index on. */
  history(from = 0, { recording, frontier }: Execution = this.at): HistoryEvent[] {
    return recording.events.slice(from, eventAt(recording, frontier));
  }

  /** The visit of a number, or that which is looked at; undefined where there is none. */
  visit(number?: number): HistoryVisit | undefined {
    const { recording, position } = this.at;
    return number === undefined ? visitAt(recording, position) : recording.visit(number);
  }

  /** Visits of a state that were seen. */
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
   * The stages of a visit that were seen, of its last attempt or the given one, and how many attempts there are. Of the stages that
   * a Map has for each item, the one of `item` or the last; `items` says how many there are.
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
    const { places, items } = ofOneItem(recording, found.places, item, position);
    const values = recording.valuesAt(places);
    const stages = places.flatMap((place, i) => {
      const entry = recording.tape[place];
      if (entry?.kind !== "stage") return [];
      const { stage, after, index } = entry;
      return [{ place, stage, value: values[i], after, ...(index !== undefined && { index }) }];
    });
    return { attempts: found.attempt + 1, input: parsed(detailsOf(recording.eventOf(at.history, at.enter)).input), stages, items };
  }

  // Commands.

  /** Goes on to the next breakpoint or the end; with `ignoring` to the end. */
  continue(ignoring = false): void {
    this.go(undefined, ignoring);
  }

  /** Stops before anything more happens. */
  pause(): void {
    if (this.#running) this.halt({ reason: "pause", description: "by hand" });
  }

  /** Goes on to the next state of the scope of a visit: that which is looked at, or another one. */
  next(visit = this.visit()): void {
    this.go(stepsOver(this.at, visit));
  }

  /** Goes into a Parallel or Map, or into the execution that a Task starts; in any other state to its first stage. */
  stepIn(visit = this.visit()): void {
    this.go(stepsInto(this.at, visit, visit !== undefined && this.host.starts(this.at, visit)));
  }

  /** Finishes the branch or iteration; where there is none the execution. */
  stepOut(visit = this.visit()): void {
    this.go(stepsOut(this.at, visit));
  }

  /** Goes on by one stage of the data's flow, or by one event where there is none. */
  stepStage(): void {
    this.go(stepsStage(this.at, this.visit()));
  }

  /** Goes back to the event before, of the same branch; out of the middle of a state to its last event. */
  stepBack(): void {
    const { at, run } = this;
    const { recording, position } = at;
    const history = this.visit()?.history ?? recording.own;
    const seen = history.eventsAt(position);
    if (history.begun !== undefined && seen > 0) {
      const behind = history.eventAt[seen - 1]! + 1;
      const before = behind < position ? seen : history.events[seen - 1]!.previousEventId;
      if (before > 0) return this.look(run.placeAfter(at, history.eventAt[before - 1]! + 1), { reason: "step", description: "back" });
    }
    const last = this.event;
    const place = last === 0 ? 0 : recording.eventAt[last - 1]! + 1;
    const to = place < position ? last : (recording.events[last - 1]?.previousEventId ?? 0);
    // Before the first event of a started execution is the task that has started it.
    if (to === 0 && at.parent) this.turnTo(at.parent);
    this.look(run.placeAfter(at, to === 0 ? 0 : recording.eventAt[to - 1]! + 1), { reason: "step", description: "back" });
  }

  /** Looks at the moment after an event, the last of which is the present. */
  goto(event: number): void {
    const { at, events } = this;
    const to = Math.max(0, Math.min(event, events));
    const place = to === events ? this.present(at) : this.run.placeAfter(at, to === 0 ? 0 : at.recording.eventAt[to - 1]! + 1);
    this.look(place, { reason: "goto", description: `event ${to} of ${events}` });
  }

  /** The last that was seen of an execution: where the run stands, also in the middle of a state. */
  present(at: Execution): number {
    return at.parent && at.ended ? this.run.placeAfter(at, at.frontier) : this.run.frontier;
  }

  /** Begins anew, as the run that is looked at began. */
  restart(): void {
    const { seed, start, input, definition } = this.run.first;
    this.startOver(this.newRun(definition, { input, seed, start, label: "Run" }));
  }

  /** Begins a run from which hits of breakpoints are counted. */
  startOver(run: Run): void {
    this.halt();
    this.breakpoints.reset();
    this.begin(run);
  }

  /** Ends everything: no task is called any more. */
  dispose(): void {
    this.#disposed = true;
    this.halt();
    for (const run of this.runs) run.discard();
  }

  // The world.

  /** "skip", "manual", or how many times as fast as real time. */
  setClock(clock: Clock): void {
    this.#clock = clock;
    if (this.#running) {
      this.#flow();
      this.#pumpSoon();
    }
  }

  /** Lets so many milliseconds pass, or the time until something happens. False where nothing is to come. */
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

  /** When things happen by themselves, the next first. */
  timers(): ReturnType<DebugSession["timers"]> {
    if (!this.atEnd) return [];
    return this.run.executions
      .filter(({ ended }) => !ended)
      .flatMap((execution) => execution.timers())
      .sort((a, b) => a.at - b.at);
  }

  /** The tasks that wait for somebody's answer. */
  waiting(): ReturnType<DebugSession["waiting"]> {
    return this.run.executions.flatMap((execution) => execution.waiting()).sort((a, b) => a.since - b.since);
  }

  /** Answers a task. */
  answer(task: number, answer: TaskAnswer): boolean {
    return this.heard(this.run.executions[Math.floor(task / TASKS)]?.answer(task % TASKS, answer));
  }

  /** Goes on where somebody was `found` who has heard an answer. */
  heard(found = false): boolean {
    if (found) {
      this.#tell("tasks", undefined);
      this.#pumpSoon();
    }
    return found;
  }

  // Runs.

  /** A run that is as this one was up to an event, and goes on from there by itself. */
  fork({ event = this.event, label = `fork at ${event}` }: { event?: number; label?: string } = {}): void {
    const { at } = this;
    const { recording } = at;
    const last = Math.min(event, this.events);
    if (last <= 0 && at.parent === undefined) return this.restart();
    if (last <= 0) return this.branch(at, { fact: 0, label, event: 0, position: 0 });
    const place = recording.eventAt[last - 1]!;
    const { fact } = recording.tape[place]!;
    this.branch(at, { fact, feed: withoutTime(recording.facts[fact]!.fact), label, event, position: place + 1 });
  }

  /** A new run of a definition, which nobody looks at yet. */
  newRun(definition: Definition | StateMachine, { input, seed, start, label, parent, at, named }: Beginning): Run {
    const id = this.#lastRun + 1;
    const machine = this.host.machine(definition);
    const info = (named ? undefined : this.run?.first.info) ?? this.host.names(id, machine.name);
    this.host.check(info.name, input);
    return this.host.equipped(new Run({ id, parent, at, label, start, host: this.host }, { ...machine, definition, info, seed, input }));
  }

  begin(run: Run): void {
    this.runs.push(run);
    this.#lastRun = run.id;
    this.run = run;
    this.#tell("run", { run: run.id });
    this.stopAt({ reason: "start", description: run.position > 0 ? "" : "before the first state" });
  }

  /** Begins a run that is as this one was before a fact of an execution. */
  branch(of: Execution, { fact, change, feed, label, event, position }: Fork): void {
    const old = this.run;
    this.halt();
    const about = { id: this.#lastRun + 1, parent: old.id, at: event, label };
    const run = this.host.equipped(old.forked(about, of.order[fact] ?? old.fed, { of, change }));
    const execution = run.executions[of.number]!;
    if (of.number > 0) run.atExecution = of.number;
    if (feed) {
      run.jump(of.recording.facts[fact]!.fact[1]);
      run.feed({ execution, fact: feed[0] === "start" ? execution.ready()! : feed });
    }
    run.focus = execution;
    run.position = run.placeAfter(execution, Math.min(position, execution.recording.length));
    run.frontier = run.own = run.position;
    this.begin(run);
  }

  /** Takes runs in the place of those that there are, and looks at one of them. */
  adopt(runs: Run[], current: Run): void {
    this.runs = runs;
    this.#lastRun = runs.at(-1)!.id;
    this.select(current);
  }

  /** Looks at another run. */
  select(run: Run): void {
    this.halt();
    this.run = run;
    this.#tell("run", { run: run.id });
    this.stopAt({ reason: "goto", description: run.label });
  }

  /** Looks at another execution of the run. */
  turnTo(execution: Execution): void {
    if (execution === this.at) return;
    this.run.focus = execution;
    this.#tell("execution", { execution: execution.number });
  }

  // Playing.

  /** Goes on until the goal or a breakpoint is reached. */
  go(goal: Goal | undefined, ignoring = false): void {
    if (this.status === "ended" || this.#disposed) return;
    this.#goal = goal;
    this.#ignoring = ignoring;
    if (!this.#running) {
      this.#running = true;
      this.#flow();
      this.#tell("continued", undefined);
    }
    // A step is mostly done at once.
    this.#pump();
  }

  /** Looks at a place of the run; without a reason to tell, nobody hears of it. */
  look(place: number, stop?: Stop): void {
    this.halt();
    this.run.position = place;
    if (stop) this.stopAt(stop);
  }

  /** Freezes time and everything. */
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
    this.#tell("stopped", this.stopped);
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

  /** Moves along the tape, and makes more of it. */
  #pump(): void {
    if (this.#pumping || !this.#running) return;
    this.#pumping = true;
    try {
      this.#moveOn();
    } catch (thrown) {
      // A bug of the interpreter, or a fact that it refuses: all that was seen before stays to be looked at.
      this.halt({ reason: "exception", description: messageOf(thrown) });
    } finally {
      this.#pumping = false;
    }
  }

  #moveOn(): void {
    const { run } = this;
    let stepped = false;
    let fed = false;
    // The turn's time begins before the first fact, which may take all of it.
    inTime();
    while (this.#running && run === this.run) {
      if (run.position < run.length) {
        this.#see();
        continue;
      }
      if (!stepped) this.#flow();
      stepped = true;
      run.perform();
      const due = run.snapshotDue;
      if (due !== undefined) {
        // One of megabytes has a turn of its own.
        if (!fed && due.takeSnapshot() < LONG) continue;
        this.#tell("progress", undefined);
        return this.#pumpSoon();
      }
      const next = run.next();
      if (next !== undefined) {
        run.feed(next);
        fed = true;
        if (!inTime()) {
          this.#tell("progress", undefined);
          return this.#pumpSoon();
        }
        continue;
      }
      this.#tell("progress", undefined);
      if (run.ended && (!run.told || run.over)) {
        this.#finish(run);
        continue;
      }
      this.#tell("tasks", undefined);
      if (!this.#wait(run)) return;
    }
    this.#tell("progress", undefined);
  }

  /** Sees the next entry of the run, and stops behind it where a breakpoint or the goal is. */
  #see(): void {
    const { run } = this;
    const { execution, place } = run.entryAt(run.position++);
    const isNew = run.position > run.frontier;
    if (isNew) run.frontier = run.position;
    const { stop, logs } = this.#ignoring ? NOTHING : this.breakpoints.check(execution, place, () => valuesAt(execution, place + 1), isNew);
    for (const log of logs) {
      this.#tell("output", {
        ...log,
        event: eventAt(execution.recording, place + 1),
        ...(execution.number > 0 && { execution: execution.number }),
      });
    }
    const reached = this.#goal?.(execution.recording.tape[place]!, execution, place);
    if (stop || reached) {
      this.turnTo(execution);
      this.halt(stop ?? { reason: "step", description: "" });
    }
  }

  /**
   * The run's own execution has ended. Others may be left, which go on with the next command, or at once where one of them is
   * looked at.
   */
  #finish(run: Run): void {
    if (run.over || this.at === run.first) this.halt();
    const first = !run.told;
    run.told = true;
    if (!run.over || first) {
      if (!this.#running) {
        this.stopped = { reason: "end", description: "" };
        this.turnTo(run.first);
      }
      this.#tell("terminated", run.outcome!);
    } else this.stopAt({ reason: "end", description: "all executions have ended" });
  }

  /** Nothing is to be done at once. Whether time was moved. */
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
