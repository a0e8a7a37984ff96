// An engine that is fed facts and answers queries, and that survives a trap.

import * as glue from "../../../dist/glue.js";
import type { Step } from "../api/index.d.ts";
import { type MachineHandle, checkItems, checkSize, finished, largestFile, present, residence, translate } from "./instance.ts";
import { apply, rememberText, readStep, running, internText, internCause } from "./port.ts";
import type { EngineSettings, Fact, FactArguments, Question } from "./facts.ts";

// Length of a journal, in entries, at which it is replaced by a snapshot, and again each time it has doubled. So executions that
// run for months with a short history do not grow without bound, and the snapshots cost less than the facts that they replace.
const COMPACT_ENTRIES = 4096;
// The number of list members per fact. One flat list takes half the memory of a list for each fact.
const MEMBERS = 5;
const FACTS_OF_A_CHAIN = 16;
// Number of facts up to which a waiting engine is freed, to be rebuilt from them when it continues. A fact takes some microseconds.
const BRIEF = 64;

type Asked = Question | "history" | "historyLength" | "commandsDigest" | "deadline" | "inputOf";

/** An engine with the journal from which it can be rebuilt. */
export class EngineHandle {
  residence = residence();
  #machine: MachineHandle;
  #settings: EngineSettings;
  #base: string | undefined;
  #journal: unknown[] = [];
  #compactAt = COMPACT_ENTRIES;
  #retired = false;
  #raw: glue.Engine | undefined;
  #generation = -1;

  /** Creates an engine, or with `base` the one that a snapshot's text describes. */
  constructor(machine: MachineHandle, settings: EngineSettings, base?: string) {
    if (base !== undefined) checkSize(base, "the snapshot", largestFile());
    this.#machine = machine;
    this.#settings = settings;
    this.#base = base;
    this.raw();
  }

  /**
   * Feeds a fact, given as the engine's method and its arguments. Returns the Step. Throws InternalError after a trap; the fact is
   * then not in the journal.
   */
  feed<Method extends Fact[0]>(method: Method, now: number, ...rest: FactArguments<Method>): Step {
    return this.#feed(method, now, rest[0], rest[1], rest[2]);
  }

  /** Feeds a whole fact; see `feed`. */
  feedFact(now: number, fact: Fact): Step {
    return this.#feed(fact[0], now, fact[1], fact[2], fact[3]);
  }

  #feed(method: Fact[0], now: number, a: unknown, b: unknown, c: unknown): Step {
    if (method === "start") checkSize(a as string, "the input");
    else if (method === "items") checkItems(b as string, c as boolean);
    else if (typeof b === "string") checkSize(b, "the output");
    const raw = this.raw();
    b = internText(b);
    c = internCause(c);
    try {
      apply(raw, method, now, a, method === "items" ? this.textOfItems(b as string) : b, c);
    } catch (thrown) {
      rememberText(undefined);
      throw translate(thrown, method, method === "start" ? a : b);
    }
    const step = readStep(this.#machine);
    // A list that is made of its members has no room for more, which most executions that wait do not need.
    if (this.#journal.length === 0) this.#journal = [method, now, a, b, c];
    else this.#journal.push(method, now, a, b, c);
    this.grown(step, b);
    return step;
  }

  /** Returns the text of the items to feed. Undefined if the engine has it already. */
  protected textOfItems(text: string): string | undefined {
    return text;
  }

  /** Called when the journal has one more fact, which has made a step. */
  protected grown(_step: Step, _text: unknown): void {
    this.compactInTime(running());
  }

  /** Sends a query. Most answers are JSON texts. */
  ask(question: Question): string;
  ask(question: "history", from: number): string;
  ask(question: "frames", timed: boolean): string;
  ask(question: "historyLength" | "commandsDigest"): number;
  ask(question: "deadline"): number | undefined;
  ask(question: "inputOf", task: number, member?: string): string | undefined;
  ask(question: Asked, a?: unknown, b?: unknown): unknown {
    const raw = this.raw();
    try {
      return (raw as unknown as Record<Asked, (a?: unknown, b?: unknown) => unknown>)[question](a, b);
    } catch (thrown) {
      throw translate(thrown, question);
    }
  }

  /** Marks the engine as finished: no more facts are fed, although it may still be asked for its history. */
  retire(): void {
    this.#retired = true;
    if (this.here !== undefined) finished.use(this);
  }

  /** Whether no more facts are fed. */
  protected get isRetired(): boolean {
    return this.#retired;
  }

  /** Frees the engine's memory in the instance. The handle still answers, from its journal. */
  release(): void {
    // Recorded stages are reported once, and a replay would report them again.
    if (this.#settings.trace) return;
    if (this.here !== undefined) this.beforeRelease(this.here);
    this.leave();
  }

  /** Called before the engine in the instance is freed. */
  protected beforeRelease(_raw: glue.Engine): void {}

  /** Frees an engine that is not used any more. */
  discard(): void {
    this.leave();
    this.#journal = [];
  }

  /** Whether a replay of the journal takes less time than a few states. */
  protected get isBrief(): boolean {
    return this.#journal.length <= BRIEF * MEMBERS;
  }

  /** Drops the engine in the instance. The next call rebuilds it. */
  protected leave(): void {
    this.here?.free();
    this.#raw = undefined;
    this.#generation = -1;
  }

  /** The engine in the present instance, if there is one. */
  protected get here(): glue.Engine | undefined {
    return this.#generation === present() ? this.#raw : undefined;
  }

  /** Returns the engine in the present instance. It is rebuilt from the journal if the instance was replaced. */
  protected raw(): glue.Engine {
    if (this.#retired) finished.use(this);
    const { here } = this;
    if (here !== undefined) return here;
    const machine = this.#machine.raw();
    try {
      const raw =
        this.#base === undefined
          ? new glue.Engine(machine, this.#settings)
          : glue.Engine.restore(machine, this.#base, this.#settings.once === true);
      if (this.#settings.coverage) raw.cover();
      for (let i = 0; i < this.#journal.length; i += MEMBERS) {
        const [method, now, a, b, c] = this.#journal.slice(i, i + MEMBERS);
        apply(raw, method as Fact[0], now as number, a, b, c);
        // The output of the replay was not read.
        rememberText(undefined);
      }
      if (this.#journal.length > 0) this.replayed(raw);
      this.#raw = raw;
      this.#generation = present();
      return raw;
    } catch (thrown) {
      throw translate(thrown);
    }
  }

  /** Called after the facts of the journal were fed again. */
  protected replayed(_raw: glue.Engine): void {}

  /** The length of the snapshot at the start of the journal. */
  protected get baseLength(): number {
    return this.#base?.length ?? 0;
  }

  /** Whether the journal has many facts. */
  protected get isLong(): boolean {
    return this.#journal.length >= this.#compactAt * MEMBERS;
  }

  /** Replaces a journal with many facts by a snapshot. `chains` is the number of running chains of states. */
  protected compactInTime(chains: number): void {
    if (!this.isLong) return;
    // Many running chains make a large snapshot, so it waits for that many more facts.
    const least = chains * FACTS_OF_A_CHAIN;
    if (this.#journal.length < least * MEMBERS) this.#compactAt = least;
    else this.compact();
  }

  /** Replaces the journal by a snapshot. Returns whether that was possible. */
  protected compact(raw = this.raw()): boolean {
    try {
      this.#base = raw.snapshot();
      this.#journal = [];
      this.#compactAt = Math.max(COMPACT_ENTRIES, this.#base.length >> 6);
      return true;
    } catch (thrown) {
      translate(thrown, "snapshot");
      // The journal still has everything.
      this.#compactAt *= 2;
      return false;
    }
  }
}
