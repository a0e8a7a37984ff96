// @ts-nocheck: has no types yet.
// One run on tape: the facts that the engine was fed, and all that it has told of since, in the order of its happening.
//
// Facts are enough to make the engine of any moment again: the nearest snapshot is restored and what was fed since is fed
// once more. Events are kept; the values of stages are kept as long as they are few, and made again after that.

import { EngineHandle } from "../border/instance.ts";
import { Strand, apart, thinned } from "./strand.ts";

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

export class Recording {
  /** `{fact: [method, now, a, b, c], tape, events, commands}`: how long tape and history were before it. */
  facts = [];
  /**
   * `{kind: "event", event, fact}` of the run's own history, `{kind: "child", strand, event, after, fact}` of a child execution's,
   * `{kind: "end", strand, status, after, fact}` where one has ended, and `{kind: "stage", strand, stage, state, entered, after,
   * index?, value, fact, taken?}`.
   */
  tape = [];
  /** The run's own history. */
  own = new Strand(this.tape, 0);
  /** Child executions of Distributed Maps as they began, and by their names. */
  strands = [this.own];
  #children = new Map();
  /** Places of what child executions have done: their events and their ends. */
  steps = [];
  #warm = [];
  /** Words of which there is one each, however often they are told. */
  #words = new Map();
  #snapshots = [];
  #interval = INTERVAL;
  /** Places on the tape and sizes of the values that are kept, in turn. */
  #kept = [];
  #oldest = 0;
  #keptCharacters = 0;
  #machine;
  #settings;
  #engine;
  /** Whether the last step left states that are ready, and when time moves it. */
  more = false;
  deadline = null;

  constructor(machine, settings) {
    this.#machine = machine;
    this.#settings = { ...settings, trace: true, once: true, childHistories: true };
    this.#engine = new EngineHandle(machine, this.#settings);
  }

  get machine() {
    return this.#machine;
  }

  get length() {
    return this.tape.length;
  }

  /** Feeds a fact; the tape is longer then by what came of it. Returns the commands. */
  feed(fact) {
    const snapshot = this.#snapshots.at(-1);
    const due = Math.max(this.#interval, (snapshot?.text.length ?? 0) / CHARACTERS_OF_AN_EVENT);
    if (this.events.length - (snapshot?.events ?? 0) >= due) this.#takeSnapshot();
    const entry = { fact, tape: this.tape.length, events: this.events.length, commands: [] };
    const step = apply(this.#engine, fact);
    this.facts.push(entry);
    // A child's history is on the tape already.
    const isEnd = ({ type }) => type === "ChildFinished";
    entry.commands = step.commands.filter((command) => !isEnd(command));
    this.more = step.more;
    this.deadline = step.deadline;
    this.#record(this.#engine, this.facts.length - 1, new Map(step.commands.filter(isEnd).map(({ name, status }) => [name, status])));
    return entry.commands;
  }

  /** Feeds a fact of another recording, which may be a change by hand. */
  repeat(fact) {
    if (fact[0] !== "patch") return this.feed(fact);
    this.#begun(undefined, fact[2]);
  }

  /** Says what the engine is at now; JSON, as `Engine.frames()` and `Engine.status` give it. */
  ask(method) {
    return JSON.parse(this.#engine.ask(method));
  }

  /** The text of the engine's snapshot as it is now. */
  snapshot() {
    return this.#engine.ask("snapshot");
  }

  /** The engine as it was before a fact was fed; to be discarded after use. */
  engineBefore(fact) {
    let base = this.#snapshots.length - 1;
    while (base >= 0 && this.#snapshots[base].facts > fact) base -= 1;
    let from = 0;
    let engine;
    if (base >= 0) {
      from = this.#snapshots[base].facts;
      engine = new EngineHandle(this.#machine, this.#settings, this.#snapshots[base].text);
    } else {
      engine = new EngineHandle(this.#machine, this.#settings);
    }
    for (let i = from; i < fact; i++) {
      const next = replayed(engine, this.facts[i].fact, this.#machine, this.#settings);
      if (next !== engine) engine.discard();
      engine = next;
    }
    engine.ask("takeHistory");
    engine.ask("takeChildEvents");
    engine.ask("takeTrace");
    return engine;
  }

  get events() {
    return this.own.events;
  }

  get eventAt() {
    return this.own.eventAt;
  }

  get chains() {
    return this.own.chains;
  }

  /** The history that an entry of the tape belongs to. */
  strandOf(entry) {
    return entry.strand ?? this.own;
  }

  /** The visit of a number that `Strand.numbered` has given. */
  visit(numbered) {
    const [strand, id] = apart(numbered);
    const found = this.strands[strand];
    if (found?.begun !== undefined) this.warm(found);
    return found?.chains.visits[id];
  }

  /** Notes that a child's visits were read: those of the others are forgotten in time. */
  warm(strand) {
    const at = this.#warm.indexOf(strand);
    if (at >= 0) this.#warm.splice(at, 1);
    this.#warm.push(strand);
    if (this.#warm.length > WARM) this.#warm.shift().cool();
    return strand;
  }

  /** Stages of a visit: places on the tape. */
  stagesOf(entered) {
    return this.own.stagesOf(entered);
  }

  /** An event with its payloads. */
  eventOf(strand, id) {
    return this.eventsOf(strand, [id])[0];
  }

  /** Events of a history with their payloads; their ids ascend. */
  eventsOf(strand, ids) {
    const found = ids.map((id) => strand.events[id - 1]);
    const thin = ids.filter((id, i) => found[i]?.thin);
    if (thin.length === 0) return found;
    const told = this.#again(thin.map((id) => strand.eventAt[id - 1]), "takeChildEvents");
    return found.map((event) => (event?.thin ? (told.get(this.#factAt(strand.eventAt[event.id - 1])).find((one) => one.child === strand.child && one.event?.id === event.id)?.event ?? event) : event));
  }

  #factAt(place) {
    return this.tape[place].fact;
  }

  /** Feeds the facts once more that entries of the tape came of, in order, and asks after each: `{fact: answer}`. */
  #again(places, method) {
    const answers = new Map();
    const wanted = [...new Set(places.map((place) => this.#factAt(place)))];
    let engine = this.engineBefore(wanted[0]);
    try {
      for (let fact = wanted[0]; fact <= wanted.at(-1); fact++) {
        const next = replayed(engine, this.facts[fact].fact, this.#machine, this.#settings);
        if (next !== engine) engine.discard();
        engine = next;
        // What is not asked for is taken too, or it would be in the next answer.
        const text = engine.ask(method);
        if (wanted.includes(fact)) answers.set(fact, listOf(text)[0]);
      }
      return answers;
    } finally {
      engine.discard();
    }
  }

  /** The value of a stage. */
  valueAt(place) {
    return this.valuesAt([place])[0];
  }

  /** The values of stages, in the order of the tape. */
  valuesAt(places) {
    const dropped = places.filter((place) => this.tape[place]?.dropped);
    const told = dropped.length > 0 ? this.#again(dropped, "takeTrace") : undefined;
    return places.map((place) => {
      const entry = this.tape[place];
      if (!entry?.dropped) return entry?.value;
      let n = 0;
      for (let i = this.facts[entry.fact].tape; i < place; i++) if (this.tape[i].kind === "stage") n += 1;
      return told.get(entry.fact)[n]?.value;
    });
  }

  /**
   * A recording that begins as this one, with the first facts of it; `change` may alter the engine's snapshot (a parsed
   * object) at that moment, which then counts as a fact.
   */
  forked(facts, change) {
    const fork = new Recording(this.#machine, this.#settings);
    fork.#engine.discard();
    const cut = this.facts[facts];
    const tape = cut ? cut.tape : this.tape.length;
    fork.facts = this.facts.slice(0, facts);
    fork.#interval = this.#interval;
    fork.#snapshots = this.#snapshots.filter((snapshot) => snapshot.facts <= facts);
    for (const entry of this.tape.slice(0, tape)) {
      const { strand } = entry;
      const begun = strand?.begun && { ...strand.begun, parent: fork.strands[strand.begun.parent.number] };
      fork.#append({ ...entry, strand: begun === undefined ? fork.own : fork.#strand(strand.child, begun) }, 0);
    }
    fork.#engine = this.engineBefore(facts);
    return fork.#begun(change);
  }

  #begun(change, given) {
    const engine = JSON.parse(given ?? this.#engine.ask("snapshot"));
    if (change ?? given) {
      change?.(engine);
      const text = given ?? JSON.stringify(engine);
      const now = engine.clock;
      this.#engine.discard();
      this.#engine = new EngineHandle(this.#machine, this.#settings, text);
      this.facts.push({ fact: ["patch", now, text], tape: this.tape.length, events: this.events.length, commands: [] });
    }
    this.more = engine.ready.length > 0;
    this.deadline = this.#engine.ask("deadline") ?? null;
    return this;
  }

  discard() {
    this.#engine.discard();
  }

  /** A child execution by its name; `begun` is what has begun it. */
  #strand(child, begun) {
    let strand = this.#children.get(child);
    if (strand === undefined) {
      this.#children.set(child, (strand = new Strand(this.tape, this.strands.length, child, begun)));
      this.strands.push(strand);
    }
    return strand;
  }

  /** `ended` is what has become of child executions. */
  #record(engine, fact, ended) {
    const events = JSON.parse(engine.ask("takeHistory"));
    const [told, toldShare] = listOf(engine.ask("takeChildEvents"));
    const [stages, share] = listOf(engine.ask("takeTrace"));
    const known = this.events.length;
    let next = 0;
    const upTo = (id) => {
      // A replay after a trap tells events again.
      for (; next < events.length && events[next].id <= id; next++) if (events[next].id > known) this.#append({ kind: "event", event: events[next], fact }, 0);
    };
    const end = (strand) => {
      const status = ended.get(strand.child);
      if (status === undefined) return;
      this.#append({ kind: "end", strand, status, after: this.events.length, fact }, 0);
      ended.delete(strand.child);
    };
    let heard = 0;
    const hear = (upToStage) => {
      for (; heard < told.length && told[heard].stages <= upToStage; heard++) {
        const { child, after, parent, run, index, event } = told[heard];
        upTo(after);
        const strand = this.#strand(child, { parent: this.#children.get(parent) ?? this.own, run, index });
        // A replay after a trap tells events again.
        if (event === undefined || event.id <= strand.events.length) continue;
        event.type = this.#word(event.type);
        event.timestamp = this.#word(event.timestamp);
        this.#append({ kind: "child", strand, event, after: this.events.length, fact }, toldShare);
        if (LAST.test(event.type)) end(strand);
      }
    };
    stages.forEach(({ event: entered, state, stage, value, after, child, index }, i) => {
      hear(i);
      if (child === undefined) upTo(after);
      const strand = child === undefined ? this.own : this.#children.get(child);
      this.#append({ kind: "stage", strand, stage: this.#word(stage), state: this.#word(state), entered, after: this.events.length, ...(index !== undefined && { index }), value, fact, dropped: false, ...takenOf(stage, value) }, share);
    });
    hear(Infinity);
    // Those that their Map has ended tell no event of it.
    for (const child of [...ended.keys()]) end(this.#children.get(child));
    upTo(Infinity);
  }

  #word(text) {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    // Times are many.
    if (this.#words.size > 1000) this.#words.clear();
    this.#words.set(text, text);
    return text;
  }

  #append(entry, characters) {
    const place = this.tape.length;
    this.tape.push(entry);
    const { kind, strand } = entry;
    if (kind === "event") {
      this.own.add(entry.event, place);
      return;
    }
    if (kind === "end") {
      strand.status = entry.status;
      this.steps.push(place);
      return;
    }
    if (kind === "child") {
      strand.add(entry.event, place);
      this.steps.push(place);
    } else {
      strand.addStage(entry.entered, place);
      if (entry.dropped) return;
    }
    this.#kept.push(place, characters);
    this.#keptCharacters += characters;
    while (this.#keptCharacters > KEPT_CHARACTERS && this.#oldest + 2 < this.#kept.length) {
      this.#drop(this.tape[this.#kept[this.#oldest]]);
      this.#keptCharacters -= this.#kept[this.#oldest + 1];
      this.#oldest += 2;
    }
  }

  /** Forgets what can be made again. */
  #drop(entry) {
    if (entry.kind === "stage") {
      entry.value = undefined;
      entry.dropped = true;
      return;
    }
    const { strand, event } = entry;
    entry.event = strand.events[event.id - 1] = thinned(event);
  }

  #takeSnapshot() {
    this.#snapshots.push({ facts: this.facts.length, events: this.events.length, text: this.#engine.ask("snapshot") });
    let characters = 0;
    for (const { text } of this.#snapshots) characters += text.length;
    if (characters <= SNAPSHOT_CHARACTERS) return;
    this.#snapshots = this.#snapshots.filter((_, i) => i % 2 === 1);
    this.#interval *= 2;
  }
}

/** What a decision was for, which stays known when its value is dropped. */
function takenOf(stage, value) {
  if (stage === "choice") return { taken: value.taken };
  if (stage === "retry") return { taken: value.retrier };
  return stage === "catch" ? { taken: value.catcher } : undefined;
}

/** The events that end an execution. */
const LAST = /^Execution(?:Succeeded|Failed|Aborted|TimedOut)$/;

/** A list and how many characters of its text each member has. */
function listOf(text) {
  if (text.length <= 2) return [[], 0];
  const list = JSON.parse(text);
  return [list, Math.ceil(text.length / list.length)];
}

function apply(engine, [method, now, a, b, c]) {
  return engine.feed(method, now, a, b, c);
}

/** The engine after a fact: another one where the fact is a change by hand. */
function replayed(engine, fact, machine, settings) {
  if (fact[0] === "patch") return new EngineHandle(machine, settings, fact[2]);
  apply(engine, fact);
  return engine;
}
