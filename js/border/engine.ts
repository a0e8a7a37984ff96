// An engine that is fed facts and asked questions, and that a trap does not end.

import * as glue from "../../dist/glue.js";
import type { Step } from "../api/index.d.ts";
import { type MachineHandle, checkItems, checkSize, finished, largestFile, present, residence, translate } from "./instance.ts";
import { apply, know, readStep, running, shared, sharedCause } from "./port.ts";
import type { EngineSettings, Fact, FactArguments, Question } from "./facts.ts";

// A journal is replaced by a snapshot when it is this long, and then each time it has doubled: executions that run
// for months with few events kept do not grow without bound, and the snapshots cost less than the facts they replace.
const COMPACT_ENTRIES = 4096;
// A fact in a journal is five members: one list of them all is half the memory of a list each.
const MEMBERS = 5;
const FACTS_OF_A_CHAIN = 16;

type Asked = Question | "history" | "historyLength" | "commandsDigest" | "deadline" | "inputOf";

/** An engine with the journal that makes it again. */
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

  /** A new engine, or with `base` the one that a snapshot's text describes. */
  constructor(machine: MachineHandle, settings: EngineSettings, base?: string) {
    if (base !== undefined) checkSize(base, "the snapshot", largestFile());
    this.#machine = machine;
    this.#settings = settings;
    this.#base = base;
    this.raw();
  }

  /**
   * Feeds a fact, the method of the engine and what that takes; returns the Step. Throws InternalError after a trap: this fact is
   * then not in the journal.
   */
  feed<Method extends Fact[0]>(method: Method, now: number, ...rest: FactArguments<Method>): Step {
    return this.#feed(method, now, rest[0], rest[1], rest[2]);
  }

  /** The same with a fact as a whole. */
  feedFact(now: number, fact: Fact): Step {
    return this.#feed(fact[0], now, fact[1], fact[2], fact[3]);
  }

  #feed(method: Fact[0], now: number, a: unknown, b: unknown, c: unknown): Step {
    if (method === "start") checkSize(a as string, "the input");
    else if (method === "items") checkItems(b as string, c as boolean);
    else if (typeof b === "string") checkSize(b, "the output");
    const raw = this.raw();
    b = shared(b);
    c = sharedCause(c);
    try {
      apply(raw, method, now, a, method === "items" ? this.textOfItems(b as string) : b, c);
    } catch (thrown) {
      know(undefined);
      throw translate(thrown, method, method === "start" ? a : b);
    }
    const step = readStep(this.#machine);
    this.#journal.push(method, now, a, b, c);
    this.grown(step, b);
    return step;
  }

  /** The text of items that is fed; undefined where it is in the engine already. */
  protected textOfItems(text: string): string | undefined {
    return text;
  }

  /** The journal is longer by a fact, which has made a step. */
  protected grown(_step: Step, _text: unknown): void {
    this.compactInTime(running());
  }

  /** Asks; returns the answer, of most questions a JSON text. */
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

  /** There is nothing more to feed: it may be asked for its history, or never again. */
  retire(): void {
    this.#retired = true;
    if (this.here !== undefined) finished.use(this);
  }

  /** Whether there is nothing more to feed. */
  protected get isRetired(): boolean {
    return this.#retired;
  }

  /** Gives the memory in the instance back; the handle still answers, from its journal. */
  release(): void {
    // Recorded stages are told once; a replay would tell them again.
    if (this.#settings.trace) return;
    if (this.here !== undefined) this.beforeRelease(this.here);
    this.leave();
  }

  /** The engine of the instance is about to be given back. */
  protected beforeRelease(_raw: glue.Engine): void {}

  /** Gives the memory back of an engine that nobody asks any more. */
  discard(): void {
    this.leave();
    this.#journal = [];
  }

  /** Gives the engine of the instance up: the next call makes it again. */
  protected leave(): void {
    this.here?.free();
    this.#generation = -1;
  }

  /** The engine of the present instance, where it has one. */
  protected get here(): glue.Engine | undefined {
    return this.#generation === present() ? this.#raw : undefined;
  }

  /** The engine of the present instance, made again from the journal where that was replaced. */
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
        // What came out was not read.
        know(undefined);
      }
      if (this.#journal.length > 0) this.replayed(raw);
      this.#raw = raw;
      this.#generation = present();
      return raw;
    } catch (thrown) {
      throw translate(thrown);
    }
  }

  /** The facts of the journal were fed again. */
  protected replayed(_raw: glue.Engine): void {}

  /** The length of the snapshot that the journal begins with. */
  protected get baseLength(): number {
    return this.#base?.length ?? 0;
  }

  /** Whether the journal has many facts. */
  protected get isLong(): boolean {
    return this.#journal.length >= this.#compactAt * MEMBERS;
  }

  /** Puts a snapshot in the place of a journal that has many facts; so many chains of states run. */
  protected compactInTime(chains: number): void {
    if (!this.isLong) return;
    // What has many chains running makes a large snapshot: it waits for as many more facts.
    const least = chains * FACTS_OF_A_CHAIN;
    if (this.#journal.length < least * MEMBERS) this.#compactAt = least;
    else this.compact();
  }

  /** Puts a snapshot in the place of the journal. Whether that could be done. */
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
