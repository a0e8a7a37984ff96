// One run on tape: the facts that the engine was fed, and all that it has told of since, in the order of its happening.
//
// Facts are enough to make the engine of any moment again: the nearest snapshot is restored and what was fed since is fed
// once more. Events are kept; the values of stages are kept as long as they are few, and made again after that.

import type { ChildExecution, Command, ExecutionResult, Frame, HistoryEvent, InvokeCommand, Step, TraceStage } from "../api/index.d.ts";
import { EngineHandle } from "../border/engine.ts";
import type { EngineSettings, Fact, FactArguments } from "../border/facts.ts";
import type { MachineHandle } from "../border/instance.ts";
import type { Chains } from "../history/chains.ts";
import { isExecutionEnd } from "../history/events.ts";
import { type Begun, ExecutionHistory, type HistoryVisit, apart, thinned } from "./history.ts";
import { type RecordedEvent, type StageEntry, StageValue, type TapeEntry, stageAt } from "./tape.ts";

/** At least so many events lie between two snapshots. */
const INTERVAL = 256;
/** Snapshots may hold so many characters together; then every other one is dropped. */
const SNAPSHOT_CHARACTERS = 12_000_000;
/** A snapshot of so many characters costs as much as an event that is fed again. */
const CHARACTERS_OF_AN_EVENT = 64;
/** Values of stages and of children's events may have taken so many characters of JSON; then the oldest are dropped. */
const KEPT_CHARACTERS = 8_000_000;
/** Children whose visits are kept once they were read. */
const WARM = 64;

/** A fact with its time: one that the engine was fed, or a change of its snapshot by hand. */
export type PastFact = FedFact | [method: "patch", now: number, snapshot: string];
type FedFact = [method: Fact[0], now: number, a?: unknown, b?: unknown, c?: unknown];

/** A fact, and where all else was when it was fed. */
export interface Recorded {
  readonly fact: PastFact;
  /** How long the tape was, and how many events there were. */
  readonly tape: number;
  readonly events: number;
  /** What the engine has commanded then. */
  commands: Command[];
}

/** An engine's snapshot as far as the debugger changes it. */
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

/** How an engine has ended, or that it has not. */
export type Status = ExecutionResult | { status: "RUNNING" | "NOT_STARTED" };

/** What an engine is at, as it can be asked. */
interface Answers {
  frames: Frame[];
  pending: InvokeCommand[];
  status: Status;
}

/** What an engine tells of a child execution: that its Map has begun it, and its events. */
interface ToldOfChild {
  child: string;
  /** Stages that were told before it, and events of the execution's own history. */
  stages: number;
  after: number;
  parent?: string;
  run: number;
  index: number;
  event?: RecordedEvent;
}

/** A stage as an engine tells of it. */
type ToldStage = Omit<TraceStage, "value"> & { event: number; after: number; child?: string; index?: number; value: StageValue };

/** What an engine tells in a list with one answer. */
interface Told {
  takeChildEvents: ToldOfChild;
  takeStages: ToldStage;
}

/** What an engine has told in answer to a question, and how many characters of the text each member has. */
function listOf<Question extends keyof Told>(question: Question, text: string): [list: Told[Question][], share: number] {
  // The first line has the stages, and the texts of their values follow. With `same` a value is that of the stage before.
  let at = text.indexOf("\n") + 1;
  const list = JSON.parse((at > 0 ? text.slice(0, at) : text) || "[]");
  if (question === "takeStages")
    for (const [i, stage] of list.entries())
      stage.value = stage.same ? list[i - 1].value : new StageValue(text.slice(at, (at += stage.units)));
  return [list, Math.ceil(text.length / list.length)];
}

export class Recording {
  facts: Recorded[] = [];
  /** Which of the facts are changes by hand. */
  patches: number[] = [];
  tape: TapeEntry[] = [];
  /** The run's own history. */
  own = new ExecutionHistory(this.tape, 0);
  /** Child executions of Distributed Maps as they began, and by their names. */
  histories: ExecutionHistory[] = [this.own];
  #children = new Map<string, ExecutionHistory>();
  /** Places of what child executions have done: their events and their ends. */
  steps: number[] = [];
  #warm: ExecutionHistory[] = [];
  /** Words of which there is one each, however often they are told. */
  #words = new Map<string, string>();
  #snapshots: { facts: number; events: number; text: string }[] = [];
  #interval = INTERVAL;
  /** Places on the tape and sizes of the values that are kept, in turn. */
  #kept: number[] = [];
  #oldest = 0;
  #keptCharacters = 0;
  #machine: MachineHandle;
  #settings: EngineSettings;
  #engine: EngineHandle;
  /** Whether the last step left states that are ready, and when time moves it. */
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
    return this.tape.length;
  }

  /** Feeds a fact; the tape is longer then by what came of it. Returns the commands. */
  feed(fact: FedFact): Command[] {
    if (this.isSnapshotDue) this.takeSnapshot();
    const [tape, events] = [this.tape.length, this.events.length];
    const step = apply(this.#engine, fact);
    // A child's history is on the tape already.
    const commands = step.commands.filter(({ type }) => type !== "ChildFinished");
    const ended = new Map<string, ChildExecution["status"]>();
    for (const command of step.commands) if (command.type === "ChildFinished") ended.set(command.name, command.status);
    this.facts.push({ fact, tape, events, commands });
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

  /** Says what the engine is at now; JSON, as `Engine.frames()` and `Engine.status` give it. */
  ask<Question extends keyof Answers>(method: Question): Answers[Question] {
    return JSON.parse(this.#engine.ask(method));
  }

  /** The frames that time moves, without their payloads. */
  timed(): Omit<Frame, "input" | "variables">[] {
    return JSON.parse(this.#engine.ask("frames", true));
  }

  /** The text of the engine's snapshot as it is now. */
  snapshot(): string {
    return this.#engine.ask("snapshot");
  }

  /** The engine as it was before a fact was fed; to be discarded after use. */
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

  /** The history that an entry of the tape belongs to. */
  historyOf(entry: TapeEntry): ExecutionHistory {
    return entry.history ?? this.own;
  }

  /** The visit of a number that `ExecutionHistory.numbered` has given. */
  visit(numbered: number): HistoryVisit | undefined {
    const [history, id] = apart(numbered);
    const found = this.histories[history];
    if (found?.begun !== undefined) this.warm(found);
    return found?.chains.visits[id];
  }

  /** Notes that a child's visits were read: those of the others are forgotten in time. */
  warm(history: ExecutionHistory): ExecutionHistory {
    const at = this.#warm.indexOf(history);
    if (at >= 0) this.#warm.splice(at, 1);
    this.#warm.push(history);
    if (this.#warm.length > WARM) this.#warm.shift()?.cool();
    return history;
  }

  /** Stages of a visit: places on the tape. */
  stagesOf(entered: number): number[] {
    return this.own.stagesOf(entered);
  }

  /** An event with its payloads. */
  eventOf(history: ExecutionHistory, id: number): RecordedEvent {
    return this.eventsOf(history, [id])[0]!;
  }

  /** Events of a history with their payloads; their ids ascend. */
  eventsOf(history: ExecutionHistory, ids: number[]): RecordedEvent[] {
    const found = ids.flatMap((id) => history.events[id - 1] ?? []);
    const thin = found.filter((event) => event.thin).map(({ id }) => history.eventAt[id - 1]!);
    if (thin.length === 0) return found;
    const told = this.#again(thin, "takeChildEvents");
    const whole = ({ id }: RecordedEvent) =>
      told.get(this.#factAt(history.eventAt[id - 1]!))?.find(({ child, event }) => child === history.child && event?.id === id)?.event;
    return found.map((event) => (event.thin ? (whole(event) ?? event) : event));
  }

  #factAt(place: number): number {
    return this.tape[place]!.fact;
  }

  /** Feeds the facts once more that entries of the tape came of, in order, and asks after each: the answers by the facts' numbers. */
  #again<Question extends keyof Told>(places: number[], question: Question): Map<number, Told[Question][]> {
    const answers = new Map<number, Told[Question][]>();
    const wanted = new Set(places.map((place) => this.#factAt(place)));
    const [first, last] = [Math.min(...wanted), Math.max(...wanted)];
    let engine = this.engineBefore(first);
    try {
      for (let fact = first; fact <= last; fact++) {
        engine = this.#replayed(engine, this.facts[fact]!);
        // What is not asked for is taken too, or it would be in the next answer.
        const text = engine.ask(question);
        if (wanted.has(fact)) answers.set(fact, listOf(question, text)[0]);
      }
      return answers;
    } finally {
      engine.discard();
    }
  }

  /** The engine after a fact of the past: another one where the fact is a change by hand. */
  #replayed(engine: EngineHandle, { fact }: Recorded): EngineHandle {
    if (fact[0] === "patch") {
      engine.discard();
      return new EngineHandle(this.#machine, this.#settings, fact[2]);
    }
    apply(engine, fact);
    return engine;
  }

  /** The value of a stage. */
  valueAt(place: number): TraceStage["value"] {
    return this.valuesAt([place])[0];
  }

  /** The values of stages, in the order of the tape. */
  valuesAt(places: number[]): TraceStage["value"][] {
    const isDropped = (entry: StageEntry | undefined) => entry !== undefined && entry.value === undefined;
    const dropped = places.filter((place) => isDropped(stageAt(this.tape, place)));
    const told = dropped.length > 0 ? this.#again(dropped, "takeStages") : undefined;
    return places.map((place) => {
      const entry = stageAt(this.tape, place);
      if (entry === undefined || entry.value !== undefined) return entry?.value?.value;
      // The stages of a fact are told in the order of the tape.
      const before = this.tape.slice(this.facts[entry.fact]!.tape, place).filter(({ kind }) => kind === "stage");
      return told?.get(entry.fact)?.[before.length]?.value.value;
    });
  }

  /**
   * A recording that begins as this one, with the first facts of it; `change` may alter the engine's snapshot (a parsed
   * object) at that moment, which then counts as a fact.
   */
  forked(facts: number, change?: (snapshot: EngineSnapshot) => void): Recording {
    const fork = new Recording(this.#machine, this.#settings);
    fork.#engine.discard();
    fork.facts = this.facts.slice(0, facts);
    fork.patches = this.patches.filter((patch) => patch < facts);
    fork.#interval = this.#interval;
    fork.#snapshots = this.#snapshots.filter((snapshot) => snapshot.facts <= facts);
    for (const entry of this.tape.slice(0, this.facts[facts]?.tape ?? this.tape.length)) fork.#append(fork.#own(entry), 0);
    fork.#engine = this.engineBefore(facts);
    const snapshot: EngineSnapshot = JSON.parse(fork.#engine.ask("snapshot"));
    if (change) {
      change(snapshot);
      fork.#changed(JSON.stringify(snapshot));
    } else fork.#standAt(snapshot);
    return fork;
  }

  /** An entry of another recording, which this one begins as. */
  #own(entry: TapeEntry): TapeEntry {
    const { history } = entry;
    if (history === undefined) return { ...entry };
    const { child, begun } = history;
    // The history that its Map is in has begun before.
    return {
      ...entry,
      history: begun === undefined ? this.own : this.#history(child!, { ...begun, parent: this.histories[begun.parent.number]! }),
    };
  }

  /** Goes on from a snapshot that was changed by hand. */
  #changed(text: string): void {
    const snapshot: EngineSnapshot = JSON.parse(text);
    this.#engine.discard();
    this.#engine = new EngineHandle(this.#machine, this.#settings, text);
    this.patches.push(this.facts.length);
    this.facts.push({ fact: ["patch", snapshot.clock, text], tape: this.tape.length, events: this.events.length, commands: [] });
    this.#standAt(snapshot);
  }

  /** Says what the engine does next, of which this is the snapshot. */
  #standAt({ frames, ready, readings = [] }: EngineSnapshot): void {
    this.more = ready.length > 0 || readings.length > 0 || frames.some(({ joining }) => joining?.starting);
    this.deadline = this.#engine.ask("deadline") ?? null;
  }

  discard(): void {
    this.#engine.discard();
  }

  /** A child execution by its name; `begun` is what has begun it. */
  #history(child: string, begun: Begun): ExecutionHistory {
    let history = this.#children.get(child);
    if (history === undefined) {
      this.#children.set(child, (history = new ExecutionHistory(this.tape, this.histories.length, child, begun)));
      this.histories.push(history);
    }
    return history;
  }

  /** Takes what the engine tells after a fact; `ended` has the results of child executions. */
  #record(engine: EngineHandle, fact: number, ended: Map<string, ChildExecution["status"]>): void {
    const events: HistoryEvent[] = JSON.parse(engine.ask("takeHistory"));
    const [told, toldShare] = listOf("takeChildEvents", engine.ask("takeChildEvents"));
    const [stages, share] = listOf("takeStages", engine.ask("takeStages"));
    const known = this.events.length;
    let next = 0;
    const upTo = (id: number) => {
      for (let event = events[next]; event !== undefined && event.id <= id; event = events[++next]) {
        // A replay after a trap tells events again.
        if (event.id > known) this.#append({ kind: "event", event, fact }, 0);
      }
    };
    const end = (child: string) => {
      const [status, history] = [ended.get(child), this.#children.get(child)];
      if (status === undefined || history === undefined) return;
      this.#append({ kind: "end", history, status, after: this.events.length, fact }, 0);
      ended.delete(child);
    };
    let heard = 0;
    const hear = (upToStage: number) => {
      for (let one = told[heard]; one !== undefined && one.stages <= upToStage; one = told[++heard]) {
        upTo(one.after);
        if (this.#hear(one, fact, toldShare)) end(one.child);
      }
    };
    for (const [i, stage] of stages.entries()) {
      hear(i);
      if (stage.child === undefined) upTo(stage.after);
      this.#append(this.#staged(stage, fact), share);
    }
    hear(Infinity);
    // Those that their Map has ended tell no event of it.
    for (const child of [...ended.keys()]) end(child);
    upTo(Infinity);
  }

  /** Takes what is told of a child execution; whether that has ended it. */
  #hear({ child, parent, run, index, event }: ToldOfChild, fact: number, characters: number): boolean {
    const history = this.#history(child, {
      parent: (parent === undefined ? undefined : this.#children.get(parent)) ?? this.own,
      run,
      index,
    });
    // A replay after a trap tells events again.
    if (event === undefined || event.id <= history.events.length) return false;
    event.type = this.#word(event.type);
    event.timestamp = this.#word(event.timestamp);
    this.#append({ kind: "child", history, event, after: this.events.length, fact }, characters);
    return isExecutionEnd(event);
  }

  #staged({ event: entered, state, stage, value, child, index }: ToldStage, fact: number): StageEntry {
    const history = (child === undefined ? undefined : this.#children.get(child)) ?? this.own;
    const about = {
      stage: this.#word(stage),
      state: this.#word(state),
      entered,
      after: this.events.length,
      ...(index !== undefined && { index }),
    };
    return { kind: "stage", history, ...about, value, fact, ...takenOf(stage, value) };
  }

  #word<Word extends string>(text: Word): Word {
    const known = this.#words.get(text);
    // Equal texts are of one type.
    if (known !== undefined) return known as Word;
    // Times are many.
    if (this.#words.size > 1000) this.#words.clear();
    this.#words.set(text, text);
    return text;
  }

  #append(entry: TapeEntry, characters: number): void {
    const place = this.tape.length;
    this.tape.push(entry);
    switch (entry.kind) {
      case "event":
        this.own.add(entry.event, place);
        return;
      case "end":
        entry.history.status = entry.status;
        this.steps.push(place);
        return;
      case "child":
        entry.history.add(entry.event, place);
        this.steps.push(place);
        break;
      default:
        entry.history.addStage(entry.entered, place);
        if (entry.value === undefined) return;
    }
    this.#keep(place, characters);
  }

  /** Keeps the value at a place, and drops the oldest ones where they are too much. */
  #keep(place: number, characters: number): void {
    this.#kept.push(place, characters);
    this.#keptCharacters += characters;
    while (this.#keptCharacters > KEPT_CHARACTERS && this.#oldest + 2 < this.#kept.length) {
      this.#drop(this.tape[this.#kept[this.#oldest]!]);
      this.#keptCharacters -= this.#kept[this.#oldest + 1]!;
      this.#oldest += 2;
    }
  }

  /** Forgets what can be made again. */
  #drop(entry: TapeEntry | undefined): void {
    if (entry?.kind === "stage") {
      entry.value = undefined;
    } else if (entry?.kind === "child") {
      entry.event = entry.history.events[entry.event.id - 1] = thinned(entry.event);
    }
  }

  /** Takes a snapshot of the engine as it is now, from which earlier moments are made again; how many characters it has. */
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

/** What a decision was for, which stays known when its value is dropped. */
function takenOf(stage: string, told: StageValue): Pick<StageEntry, "taken"> | undefined {
  if (stage === "choice") return { taken: told.value.taken };
  if (stage === "retry") return { taken: told.value.retrier };
  return stage === "catch" ? { taken: told.value.catcher } : undefined;
}

function apply(engine: EngineHandle, [method, now, ...rest]: FedFact): Step {
  // A fact of the past has the arguments of its method.
  return engine.feed(method, now, ...(rest as FactArguments<Fact[0]>));
}
