// The recording of one execution: the facts that the engine was fed, and everything that it reported since, in order.
//
// The engine of any earlier moment can be rebuilt from the facts: the nearest snapshot is restored, and the later facts are fed
// again. Events stay in memory. The values of stages stay while they are small, and are computed again afterwards.

import type {
  ChildExecution,
  Command,
  ExecutionResult,
  Frame,
  HistoryEvent,
  InvokeCommand,
  Step,
  TraceStage,
} from "../../core/api/index.d.ts";
import { EngineHandle } from "../../core/border/engine.ts";
import type { EngineSettings, Fact, FactArguments } from "../../core/border/facts.ts";
import type { MachineHandle } from "../../core/border/instance.ts";
import type { Chains } from "../../core/history/chains.ts";
import { isExecutionEnd } from "../../core/history/events.ts";
import { type RecordedEvent, type Begun, ExecutionHistory, type HistoryVisit, splitId, thinned } from "./execution-history.ts";
import { type StageEntry, StageValue, type RecordingEntry, stageAt } from "./entries.ts";

/** Minimum number of events between two snapshots. */
const INTERVAL = 256;
/** Maximum size of all snapshots together, in characters. Above it, every other snapshot is dropped. */
const SNAPSHOT_CHARACTERS = 12_000_000;
/** Size of a snapshot, in characters, that costs as much as feeding one event again. */
const CHARACTERS_OF_AN_EVENT = 64;
/** Maximum size of the cached values of stages and of children's events, in characters of JSON. The oldest are dropped first. */
const CACHED_CHARACTERS = 8_000_000;
/** Maximum number of children whose visits stay in memory. */
const CACHED_CHILDREN = 64;

/** A fact with its time: one that the engine was fed, or a change of its snapshot by hand. */
export type PastFact = FedFact | [method: "patch", now: number, snapshot: string];
type FedFact = [method: Fact[0], now: number, a?: unknown, b?: unknown, c?: unknown];

/** A recorded fact, with the sizes of the recording when it was fed. */
export interface Recorded {
  readonly fact: PastFact;
  /** The number of entries and of events before the fact. */
  readonly entries: number;
  readonly events: number;
  /** The commands with which the engine answered. */
  commands: Command[];
}

/** The parts of an engine's snapshot that the debugger changes. */
export interface EngineSnapshot {
  /** Milliseconds since 1970. */
  clock: number;
  frames: {
    id: number;
    input: unknown;
    variables: Record<string, unknown>;
    enteredEvent: number;
    phase: string;
    execution: number;
    joining?: { starting: boolean };
  }[];
  /** Ids of the frames that are ready. */
  ready: number[];
  /** Answers of ItemReaders that are being read. */
  readings?: unknown[];
}

/** The result of an engine, or that it has none yet. */
export type Status = ExecutionResult | { status: "RUNNING" | "NOT_STARTED" };

/** The answers of an engine to queries about its present state. */
interface Answers {
  frames: Frame[];
  pending: InvokeCommand[];
  status: Status;
}

/** A report of the engine about a child execution: that its Map has begun it, or one of its events. */
interface ChildReport {
  child: string;
  /** How many stages, and how many events of the main history, were reported before it. */
  stages: number;
  after: number;
  parent?: string;
  run: number;
  index: number;
  event?: RecordedEvent;
}

/** A stage as the engine reports it. */
type StageReport = Omit<TraceStage, "value"> & { event: number; after: number; child?: string; index?: number; value: StageValue };

/** The lists that an engine returns, by the query. */
interface Reports {
  takeChildEvents: ChildReport;
  takeStages: StageReport;
}

/** Parses the answer to a query. Returns the list, and the average number of characters per item. */
function listOf<Question extends keyof Reports>(question: Question, text: string): [list: Reports[Question][], share: number] {
  // The first line has the stages, and the texts of their values follow. With `same`, the value is that of the stage before.
  let at = text.indexOf("\n") + 1;
  const list = JSON.parse((at > 0 ? text.slice(0, at) : text) || "[]");
  if (question === "takeStages")
    for (const [i, stage] of list.entries())
      stage.value = stage.same ? list[i - 1].value : new StageValue(text.slice(at, (at += stage.units)));
  return [list, Math.ceil(text.length / list.length)];
}

export class Recording {
  facts: Recorded[] = [];
  /** The indices of the facts that are changes by hand. */
  patches: number[] = [];
  entries: RecordingEntry[] = [];
  readonly #enteredAt = (position: number): number | undefined => stageAt(this.entries, position)?.entered;
  /** The main history. */
  own = new ExecutionHistory(this.#enteredAt, 0);
  /** The main history, then the histories of child executions of Distributed Maps in the order in which they began. */
  histories: ExecutionHistory[] = [this.own];
  #children = new Map<string, ExecutionHistory>();
  /** The positions of child executions' events and ends. */
  steps: number[] = [];
  #recentChildren: ExecutionHistory[] = [];
  /** One string for each frequent word, so that equal strings share memory. */
  #interned = new Map<string, string>();
  #snapshots: { facts: number; events: number; text: string }[] = [];
  #interval = INTERVAL;
  /** Position and size of each cached value, alternately. */
  #cached: number[] = [];
  #oldest = 0;
  #cachedCharacters = 0;
  #machine: MachineHandle;
  #settings: EngineSettings;
  #engine: EngineHandle;
  /** Whether states are ready after the last step, and when the next timer is due. */
  more = false;
  deadline: number | null = null;

  constructor(machine: MachineHandle, settings: EngineSettings) {
    this.#machine = machine;
    this.#settings = { ...settings, trace: true, once: true, childHistories: true };
    this.#engine = new EngineHandle(machine, this.#settings);
  }

  get machine(): MachineHandle {
    return this.#machine;
  }

  get length(): number {
    return this.entries.length;
  }

  /** Feeds a fact, and appends what came of it. Returns the commands. */
  feed(fact: FedFact): Command[] {
    if (this.isSnapshotDue) this.takeSnapshot();
    const [entries, events] = [this.entries.length, this.events.length];
    const step = apply(this.#engine, fact);
    // The recording has the history of the child already.
    const commands = step.commands.filter(({ type }) => type !== "ChildFinished");
    const ended = new Map<string, ChildExecution["status"]>();
    for (const command of step.commands) if (command.type === "ChildFinished") ended.set(command.name, command.status);
    this.facts.push({ fact, entries, events, commands });
    this.more = step.more;
    this.deadline = step.deadline;
    this.#record(this.#engine, this.facts.length - 1, ended);
    return commands;
  }

  /** Whether a snapshot is taken before the next fact is fed. */
  get isSnapshotDue(): boolean {
    const snapshot = this.#snapshots.at(-1);
    const due = Math.max(this.#interval, (snapshot?.text.length ?? 0) / CHARACTERS_OF_AN_EVENT);
    return this.events.length - (snapshot?.events ?? 0) >= due;
  }

  /** Feeds a fact of another recording, which may be a change by hand. */
  repeat(fact: PastFact): void {
    if (fact[0] === "patch") this.#changed(fact[2]);
    else this.feed(fact);
  }

  /** Queries the present state of the engine. Returns JSON as `Engine.frames()` and `Engine.status` do. */
  ask<Question extends keyof Answers>(method: Question): Answers[Question] {
    return JSON.parse(this.#engine.ask(method));
  }

  /** Returns the frames that wait for a timer, without their payloads. */
  timed(): Omit<Frame, "input" | "variables">[] {
    return JSON.parse(this.#engine.ask("frames", true));
  }

  /** Returns the present snapshot of the engine as text. */
  snapshot(): string {
    return this.#engine.ask("snapshot");
  }

  /** Returns the engine as it was before a fact was fed. The caller discards it after use. */
  engineBefore(fact: number): EngineHandle {
    const base = this.#snapshots.findLast(({ facts }) => facts <= fact);
    let engine = new EngineHandle(this.#machine, this.#settings, base?.text);
    for (const past of this.facts.slice(base?.facts ?? 0, fact)) engine = this.#replayed(engine, past);
    engine.ask("takeHistory");
    engine.ask("takeChildEvents");
    engine.ask("takeStages");
    return engine;
  }

  get events(): RecordedEvent[] {
    return this.own.events;
  }

  get eventAt(): number[] {
    return this.own.eventAt;
  }

  get chains(): Chains<{ history: ExecutionHistory }> {
    return this.own.chains;
  }

  /** Returns the history that an entry belongs to. */
  historyOf(entry: RecordingEntry): ExecutionHistory {
    return entry.history ?? this.own;
  }

  /** Returns the visit with an id of `ExecutionHistory.numbered`. */
  visit(numbered: number): HistoryVisit | undefined {
    const [history, id] = splitId(numbered);
    const found = this.histories[history];
    if (found?.begun !== undefined) this.touch(found);
    return found?.chains.visits[id];
  }

  /** Records that a child's visits were read. The visits of the children that were read longest ago are dropped. */
  touch(history: ExecutionHistory): ExecutionHistory {
    const at = this.#recentChildren.indexOf(history);
    if (at >= 0) this.#recentChildren.splice(at, 1);
    this.#recentChildren.push(history);
    if (this.#recentChildren.length > CACHED_CHILDREN) this.#recentChildren.shift()?.dropVisits();
    return history;
  }

  /** Returns the positions of a visit's stages. */
  stagesOf(entered: number): number[] {
    return this.own.stagesOf(entered);
  }

  /** Returns an event with its payloads. */
  eventOf(history: ExecutionHistory, id: number): RecordedEvent {
    return this.eventsOf(history, [id])[0]!;
  }

  /** Returns events of a history with their payloads. `ids` must be ascending. */
  eventsOf(history: ExecutionHistory, ids: number[]): RecordedEvent[] {
    const found = ids.flatMap((id) => history.events[id - 1] ?? []);
    const thin = found.filter((event) => event.thin).map(({ id }) => history.eventAt[id - 1]!);
    if (thin.length === 0) return found;
    const answers = this.#replay(thin, "takeChildEvents");
    const whole = ({ id }: RecordedEvent) =>
      answers.get(this.#factAt(history.eventAt[id - 1]!))?.find(({ child, event }) => child === history.child && event?.id === id)?.event;
    return found.map((event) => (event.thin ? (whole(event) ?? event) : event));
  }

  #factAt(position: number): number {
    return this.entries[position]!.fact;
  }

  /** Feeds the facts of some entries again, in order, and sends a query after each. Returns the answers by the facts' indices. */
  #replay<Question extends keyof Reports>(positions: number[], question: Question): Map<number, Reports[Question][]> {
    const answers = new Map<number, Reports[Question][]>();
    const wanted = new Set(positions.map((position) => this.#factAt(position)));
    const [first, last] = [Math.min(...wanted), Math.max(...wanted)];
    let engine = this.engineBefore(first);
    try {
      for (let fact = first; fact <= last; fact++) {
        engine = this.#replayed(engine, this.facts[fact]!);
        // The answer is also taken if it is not wanted. Otherwise it would be part of the next answer.
        const text = engine.ask(question);
        if (wanted.has(fact)) answers.set(fact, listOf(question, text)[0]);
      }
      return answers;
    } finally {
      engine.discard();
    }
  }

  /** Returns the engine after a recorded fact. A change by hand makes a new engine. */
  #replayed(engine: EngineHandle, { fact }: Recorded): EngineHandle {
    if (fact[0] === "patch") {
      engine.discard();
      return new EngineHandle(this.#machine, this.#settings, fact[2]);
    }
    apply(engine, fact);
    return engine;
  }

  /** Returns the value of a stage. */
  valueAt(position: number): TraceStage["value"] {
    return this.valuesAt([position])[0];
  }

  /** Returns the values of stages. The positions must be ascending. */
  valuesAt(positions: number[]): TraceStage["value"][] {
    const isDropped = (entry: StageEntry | undefined) => entry !== undefined && entry.value === undefined;
    const dropped = positions.filter((position) => isDropped(stageAt(this.entries, position)));
    const answers = dropped.length > 0 ? this.#replay(dropped, "takeStages") : undefined;
    return positions.map((position) => {
      const entry = stageAt(this.entries, position);
      if (entry === undefined || entry.value !== undefined) return entry?.value?.value;
      // The engine reports the stages of a fact in the order of the recording.
      const before = this.entries.slice(this.facts[entry.fact]!.entries, position).filter(({ kind }) => kind === "stage");
      return answers?.get(entry.fact)?.[before.length]?.value.value;
    });
  }

  /**
   * Returns a recording that begins with the first facts of this one. `change` may alter the parsed snapshot of the engine at that
   * moment; the change is then recorded as a fact.
   */
  forked(facts: number, change?: (snapshot: EngineSnapshot) => void): Recording {
    const fork = new Recording(this.#machine, this.#settings);
    fork.#engine.discard();
    fork.facts = this.facts.slice(0, facts);
    fork.patches = this.patches.filter((patch) => patch < facts);
    fork.#interval = this.#interval;
    fork.#snapshots = this.#snapshots.filter((snapshot) => snapshot.facts <= facts);
    for (const entry of this.entries.slice(0, this.facts[facts]?.entries ?? this.entries.length)) fork.#append(fork.#copyOf(entry), 0);
    fork.#engine = this.engineBefore(facts);
    const snapshot: EngineSnapshot = JSON.parse(fork.#engine.ask("snapshot"));
    if (change) {
      change(snapshot);
      fork.#changed(JSON.stringify(snapshot));
    } else fork.#standAt(snapshot);
    return fork;
  }

  /** Returns a copy of another recording's entry for this recording, which begins with the same entries. */
  #copyOf(entry: RecordingEntry): RecordingEntry {
    const { history } = entry;
    if (history === undefined) return { ...entry };
    const { child, begun } = history;
    // The history of the Map was added before those of its children.
    return {
      ...entry,
      history: begun === undefined ? this.own : this.#history(child!, { ...begun, parent: this.histories[begun.parent.number]! }),
    };
  }

  /** Continues from a snapshot that was changed by hand. */
  #changed(text: string): void {
    const snapshot: EngineSnapshot = JSON.parse(text);
    this.#engine.discard();
    this.#engine = new EngineHandle(this.#machine, this.#settings, text);
    this.patches.push(this.facts.length);
    this.facts.push({ fact: ["patch", snapshot.clock, text], entries: this.entries.length, events: this.events.length, commands: [] });
    this.#standAt(snapshot);
  }

  /** Sets what the engine does next, according to its snapshot. */
  #standAt({ frames, ready, readings = [] }: EngineSnapshot): void {
    this.more = ready.length > 0 || readings.length > 0 || frames.some(({ joining }) => joining?.starting);
    this.deadline = this.#engine.ask("deadline") ?? null;
  }

  discard(): void {
    this.#engine.discard();
  }

  /** Returns the history of a child execution by its name, and creates it on first use with the origin `begun`. */
  #history(child: string, begun: Begun): ExecutionHistory {
    let history = this.#children.get(child);
    if (history === undefined) {
      this.#children.set(child, (history = new ExecutionHistory(this.#enteredAt, this.histories.length, child, begun)));
      this.histories.push(history);
    }
    return history;
  }

  /** Appends what the engine reports after a fact. `ended` has the results of child executions. */
  #record(engine: EngineHandle, fact: number, ended: Map<string, ChildExecution["status"]>): void {
    const events: HistoryEvent[] = JSON.parse(engine.ask("takeHistory"));
    const [reports, reportShare] = listOf("takeChildEvents", engine.ask("takeChildEvents"));
    const [stages, share] = listOf("takeStages", engine.ask("takeStages"));
    const known = this.events.length;
    let next = 0;
    const appendEvents = (id: number) => {
      for (let event = events[next]; event !== undefined && event.id <= id; event = events[++next]) {
        // After a trap, the engine reports the events of its replay again.
        if (event.id > known) this.#append({ kind: "event", event, fact }, 0);
      }
    };
    const end = (child: string) => {
      const [status, history] = [ended.get(child), this.#children.get(child)];
      if (status === undefined || history === undefined) return;
      this.#append({ kind: "end", history, status, after: this.events.length, fact }, 0);
      ended.delete(child);
    };
    let nextReport = 0;
    const appendReports = (upToStage: number) => {
      for (let report = reports[nextReport]; report !== undefined && report.stages <= upToStage; report = reports[++nextReport]) {
        appendEvents(report.after);
        if (this.#appendChildReport(report, fact, reportShare)) end(report.child);
      }
    };
    for (const [i, stage] of stages.entries()) {
      appendReports(i);
      if (stage.child === undefined) appendEvents(stage.after);
      this.#append(this.#staged(stage, fact), share);
    }
    appendReports(Infinity);
    // A child that its Map has ended has no event of its end.
    for (const child of [...ended.keys()]) end(child);
    appendEvents(Infinity);
  }

  /** Appends a report about a child execution. Returns whether the child has ended. */
  #appendChildReport({ child, parent, run, index, event }: ChildReport, fact: number, characters: number): boolean {
    const history = this.#history(child, {
      parent: (parent === undefined ? undefined : this.#children.get(parent)) ?? this.own,
      run,
      index,
    });
    // After a trap, the engine reports the events of its replay again.
    if (event === undefined || event.id <= history.events.length) return false;
    event.type = this.#intern(event.type);
    event.timestamp = this.#intern(event.timestamp);
    this.#append({ kind: "child", history, event, after: this.events.length, fact }, characters);
    return isExecutionEnd(event);
  }

  #staged({ event: entered, state, stage, value, child, index, failure }: StageReport, fact: number): StageEntry {
    const history = (child === undefined ? undefined : this.#children.get(child)) ?? this.own;
    const about = {
      stage: this.#intern(stage),
      state: this.#intern(state),
      entered,
      after: this.events.length,
      ...(index !== undefined && { index }),
      ...(failure !== undefined && { failure }),
    };
    return { kind: "stage", history, ...about, value, fact, ...takenOf(stage, value) };
  }

  #intern<Word extends string>(text: Word): Word {
    const known = this.#interned.get(text);
    // Equal texts have one type.
    if (known !== undefined) return known as Word;
    // Timestamps are rarely equal and would fill the map.
    if (this.#interned.size > 1000) this.#interned.clear();
    this.#interned.set(text, text);
    return text;
  }

  #append(entry: RecordingEntry, characters: number): void {
    const position = this.entries.length;
    this.entries.push(entry);
    switch (entry.kind) {
      case "event":
        this.own.add(entry.event, position);
        return;
      case "end":
        entry.history.status = entry.status;
        this.steps.push(position);
        return;
      case "child":
        entry.history.add(entry.event, position);
        this.steps.push(position);
        break;
      default:
        entry.history.addStage(entry.entered, position);
        if (entry.value === undefined) return;
    }
    this.#cache(position, characters);
  }

  /** Registers the cached value at a position, and drops the oldest values if the limit is exceeded. */
  #cache(position: number, characters: number): void {
    this.#cached.push(position, characters);
    this.#cachedCharacters += characters;
    while (this.#cachedCharacters > CACHED_CHARACTERS && this.#oldest + 2 < this.#cached.length) {
      this.#drop(this.entries[this.#cached[this.#oldest]!]);
      this.#cachedCharacters -= this.#cached[this.#oldest + 1]!;
      this.#oldest += 2;
    }
  }

  /** Drops the value of a stage, or the payloads of an event. Both can be computed again. */
  #drop(entry: RecordingEntry | undefined): void {
    if (entry?.kind === "stage") {
      entry.value = undefined;
    } else if (entry?.kind === "child") {
      entry.event = entry.history.events[entry.event.id - 1] = thinned(entry.event);
    }
  }

  /** Takes a snapshot of the present engine, from which earlier moments can be rebuilt. Returns its size in characters. */
  takeSnapshot(): number {
    const text = this.#engine.ask("snapshot");
    this.#snapshots.push({ facts: this.facts.length, events: this.events.length, text });
    const characters = this.#snapshots.reduce((sum, snapshot) => sum + snapshot.text.length, 0);
    if (characters > SNAPSHOT_CHARACTERS) {
      this.#snapshots = this.#snapshots.filter((_, i) => i % 2 === 1);
      this.#interval *= 2;
    }
    return text.length;
  }
}

/** Returns which rule, retrier or catcher a decision was for. It stays available when the value of the stage is dropped. */
function takenOf(stage: string, stageValue: StageValue): Pick<StageEntry, "taken"> | undefined {
  if (stage === "choice") return { taken: stageValue.value.taken };
  if (stage === "retry") return { taken: stageValue.value.retrier };
  return stage === "catch" ? { taken: stageValue.value.catcher } : undefined;
}

function apply(engine: EngineHandle, [method, now, ...rest]: FedFact): Step {
  // A recorded fact has the arguments of its method.
  return engine.feed(method, now, ...(rest as FactArguments<Fact[0]>));
}
