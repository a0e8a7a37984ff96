// One run on tape: the facts that the engine was fed, and all that it has told of since, in the order of its happening.
//
// Facts are enough to make the engine of any moment again: the nearest snapshot is restored and what was fed since is fed
// once more. Events are kept; the values of stages are kept as long as they are few, and made again after that.

import { EngineHandle } from "../instance.js";
import { Chains } from "./chains.js";

/** At least so many events lie between two snapshots. */
const INTERVAL = 256;
/** Snapshots may hold so many characters together; then every other one is dropped. */
const SNAPSHOT_CHARACTERS = 24_000_000;
/** Values of stages may have taken so many characters of JSON; then the oldest are dropped. */
const STAGE_CHARACTERS = 64_000_000;

export class Recording {
  /** `{fact: [method, now, a, b, c], tape, events, commands}`: how long tape and history were before it. */
  facts = [];
  /** `{kind: "event", event, fact}` and `{kind: "stage", stage, state, entered, child, after, value, fact, taken?}`. */
  tape = [];
  events = [];
  chains = new Chains();
  /**
   * What child executions of Distributed Maps have done, which no event tells: `{place, after, child, state, entered, stage, fact}`
   * for each stage, and `{place, after, child, status, fact}` where one has ended.
   */
  steps = [];
  /** Where on the tape each event stands. */
  eventAt = [];
  /** Where on the tape the stages of a visit stand, by the event that entered it (and the child execution). */
  #stages = new Map();
  /** Names of child executions. */
  #children = new Set();
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
    if (this.events.length - (snapshot?.events ?? 0) >= this.#interval) this.#takeSnapshot();
    const entry = { fact, tape: this.tape.length, events: this.events.length, commands: [] };
    const step = apply(this.#engine, fact);
    this.facts.push(entry);
    // A child's history is not kept: its stages are.
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
    engine.ask("takeTrace");
    return engine;
  }

  /** Stages of a visit: places on the tape. */
  stagesOf(entered, child) {
    return this.#stages.get(keyOf(entered, child)) ?? [];
  }

  /** The value of a stage. */
  valueAt(place) {
    const entry = this.tape[place];
    if (entry === undefined || entry.kind !== "stage") return undefined;
    if (!entry.dropped) return entry.value;
    const { tape } = this.facts[entry.fact];
    const engine = this.engineBefore(entry.fact);
    try {
      apply(engine, this.facts[entry.fact].fact);
      const stages = JSON.parse(engine.ask("takeTrace"));
      let n = 0;
      for (let i = tape; i < place; i++) if (this.tape[i].kind === "stage") n += 1;
      return stages[n]?.value;
    } finally {
      engine.discard();
    }
  }

  /**
   * A recording that begins as this one, with the first facts of it; `change` may alter the engine's snapshot (a parsed
   * object) at that moment, which then counts as a fact.
   */
  forked(facts, change) {
    const fork = new Recording(this.#machine, this.#settings);
    fork.#engine.discard();
    const cut = this.facts[facts];
    const [tape, events] = cut ? [cut.tape, cut.events] : [this.tape.length, this.events.length];
    fork.facts = this.facts.slice(0, facts);
    fork.#interval = this.#interval;
    fork.#snapshots = this.#snapshots.filter((snapshot) => snapshot.facts <= facts);
    for (const entry of this.tape.slice(0, tape)) fork.#append({ ...entry }, 0);
    fork.events.length = events;
    fork.#children = new Set(this.#children);
    fork.steps = this.steps.filter(({ fact }) => fact < facts);
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

  /** `ended` is what has become of child executions. */
  #record(engine, fact, ended) {
    const events = JSON.parse(engine.ask("takeHistory"));
    const text = engine.ask("takeTrace");
    const stages = text.length > 2 ? JSON.parse(text) : [];
    const share = stages.length > 0 ? Math.ceil(text.length / stages.length) : 0;
    const known = this.events.length;
    let next = 0;
    const upTo = (id) => {
      // A replay after a trap tells events again.
      for (; next < events.length && events[next].id <= id; next++) if (events[next].id > known) this.#append({ kind: "event", event: events[next], fact }, 0);
    };
    const last = new Map();
    stages.forEach(({ child }, i) => child !== undefined && ended.has(child) && last.set(child, i));
    const end = (child) => {
      this.steps.push({ place: Math.max(0, this.tape.length - 1), after: this.events.length, child, status: ended.get(child), fact });
      ended.delete(child);
    };
    stages.forEach(({ event: entered, state, stage, value, after, child }, i) => {
      if (child === undefined) upTo(after);
      else if (!this.#children.has(child)) {
        // Its Map Run has begun by now.
        this.#children.add(child);
        const run = events.findIndex(({ type }, at) => at >= next && type === "MapRunStarted");
        if (run >= 0) upTo(events[run].id);
      }
      this.#append({ kind: "stage", stage, state, entered, child, after: this.events.length, value, fact, dropped: false, ...takenOf(stage, value) }, share);
      if (last.get(child) === i) end(child);
    });
    // Those that time or their Map has ended.
    for (const child of [...ended.keys()]) end(child);
    upTo(Infinity);
  }

  #append(entry, characters) {
    const place = this.tape.length;
    this.tape.push(entry);
    if (entry.kind === "event") {
      this.events.push(entry.event);
      this.eventAt.push(place);
      this.chains.add(entry.event);
      return;
    }
    if (entry.child !== undefined) {
      const { after, child, state, entered, stage, fact } = entry;
      this.steps.push({ place, after, child, state, entered, stage, fact });
    }
    const key = keyOf(entry.entered, entry.child);
    const list = this.#stages.get(key);
    if (list) list.push(place);
    else this.#stages.set(key, [place]);
    if (entry.dropped) return;
    this.#kept.push(place, characters);
    this.#keptCharacters += characters;
    while (this.#keptCharacters > STAGE_CHARACTERS && this.#oldest + 2 < this.#kept.length) {
      const old = this.tape[this.#kept[this.#oldest]];
      old.value = undefined;
      old.dropped = true;
      this.#keptCharacters -= this.#kept[this.#oldest + 1];
      this.#oldest += 2;
    }
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

function keyOf(entered, child) {
  return child === undefined ? entered : `${child} ${entered}`;
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
