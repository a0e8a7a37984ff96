// An engine whose history is read in pages. A long history is stored outside of the engine.

import * as glue from "../../../dist/glue.js";
import type { EngineSnapshot, HistoryEvent, Step } from "../api/index.d.ts";
import { type Archive, PAGE, checkAtOnce, eventsOf } from "./archive.ts";
import { EngineHandle } from "./engine.ts";
import type { EngineSettings, TimedEvent } from "./facts.ts";
import { type MachineHandle, checkItems, driven, translate } from "./instance.ts";
import { refreshViews, memorySize, payloads, receive, received, running, sendPart } from "./port.ts";

// Length of a journal's texts, in characters, at which a snapshot also replaces it, if they are longer than the last snapshot and
// what is running.
const COMPACT_BYTES = 2 ** 25;
const BYTES_OF_A_CHAIN = 2 ** 16;
// Length of the journal's texts, in characters, up to which a waiting engine is freed.
const BRIEF_TEXTS = 2 ** 16;
// Size of the payloads, in bytes, at which events go into the archive, and how much of them is moved after each fact. Moving more
// at once would block the host. This is more than a fact brings, so that the rest shrinks each time.
const ARCHIVE_BYTES = 2 ** 21;
const ARCHIVE_PAGE = 2 ** 21;
// Size of the module's memory, in bytes, up to which events stay in it. They share their payloads there, and writing them costs
// more than most states do. The memory never shrinks, so after one large execution the later ones write their events, too.
const ROOMY = 2 ** 24;
// Maximum number of events in the snapshot that replaces a journal, and the number of bytes of events that are moved out at a time
// before.
const COMPACT_EVENTS = 1000;
const COMPACT_PAGE = 2 ** 17;
// Maximum number of events that are requested without pages.
const FEW_EVENTS = 128;
// Number of parts of a long text that are fed per turn, which takes some milliseconds.
const PARTS_A_TURN = 16;

/** A long text that is being fed to an engine in parts, or has been. */
interface LongText {
  text: string;
  raw: glue.Engine;
  isWhole: boolean;
}

/** An engine with its complete history. */
export class HistoryEngine extends EngineHandle {
  #archive: Archive | undefined;
  // The number of events that were archived since the journal began. A replay of the journal repeats them.
  #repeated = 0;
  // Length of the texts in the journal, in characters.
  #texts = 0;
  #taken: LongText | undefined;

  /**
   * Creates an engine, or with `base` the one that a snapshot's text describes. Its events go into `archive` if that is given. For
   * the text of a lean snapshot, pass `new Archive(events)`: the first events are stored elsewhere, and the ids and the limit of
   * the history continue after them.
   */
  constructor(machine: MachineHandle, settings: EngineSettings, base?: string, archive?: Archive) {
    super(machine, settings, base);
    this.#archive = archive;
  }

  protected override grown(step: Step, text: unknown): void {
    if (this.#archive === undefined) return super.grown(step, text);
    step.events += this.#archive.count;
    const chains = running();
    if (payloads() >= ARCHIVE_BYTES && memorySize() >= ROOMY) this.#shelve(ARCHIVE_PAGE);
    if (typeof text === "string") this.#texts += text.length;
    // A file that is still being read would be in the snapshot as a whole.
    if (!step.more && this.#texts >= Math.max(COMPACT_BYTES, chains * BYTES_OF_A_CHAIN, 2 * this.baseLength)) this.compact();
    else this.compactInTime(chains);
  }

  protected override compactInTime(chains: number): void {
    // A snapshot with all events would block the host, so a page of events is moved out after each fact before.
    if (this.#archive !== undefined && this.isLong && this.ask("historyLength") > COMPACT_EVENTS) this.#shelve(COMPACT_PAGE);
    else super.compactInTime(chains);
  }

  protected override replayed(raw: glue.Engine): void {
    if (this.#repeated > 0) raw.forgetEvents(this.#repeated);
  }

  protected override compact(raw?: glue.Engine): boolean {
    const done = super.compact(raw);
    if (done) this.#repeated = 0;
    this.#texts = 0;
    return done;
  }

  protected override beforeRelease(raw: glue.Engine): void {
    // A replay would repeat the events of the archive.
    if (this.isRetired && this.#repeated > 0) this.compact(raw);
  }

  /** Frees the engine's memory in the instance until the next fact or query, if it is rebuilt in little time. */
  rest(): void {
    if (this.isBrief && this.#texts <= BRIEF_TEXTS && this.#taken === undefined) this.release();
  }

  /**
   * Feeds a long text of items to the instance in parts, with turns of the host in between, so that it is there when this text is
   * fed. Invalid text is refused when it is fed.
   */
  async takeIn(text: string, file: boolean, turn: () => Promise<void>): Promise<void> {
    this.#taken = undefined;
    try {
      checkItems(text, file);
    } catch {
      return;
    }
    try {
      const raw = this.raw();
      const taken: LongText = (this.#taken = { text, raw, isWhole: false });
      raw.begin(text.length);
      for (let at = 0, n = 1; at < text.length; n++) {
        at = sendPart(raw, text, at);
        if (n % PARTS_A_TURN === 0) await turn();
        if (this.#taken !== taken || this.here !== raw) return;
      }
      taken.isWhole = true;
    } catch (thrown) {
      this.#taken = undefined;
      translate(thrown, "items", text);
    }
  }

  /** Frees a text that was fed in parts and will not be used. */
  leaveOut(text: string): void {
    if (this.#taken?.text !== text) return;
    this.#taken = undefined;
    this.here?.begin(0);
  }

  protected override textOfItems(text: string): string | undefined {
    const taken = this.#taken;
    this.#taken = undefined;
    return taken?.isWhole && taken.text === text && taken.raw === this.here ? undefined : text;
  }

  /** The number of events. */
  get events(): number {
    return this.#archived + this.ask("historyLength");
  }

  get #archived(): number {
    return this.#archive?.count ?? 0;
  }

  /** Returns the parsed events from one index up to another. */
  history(from = 0, to = Infinity): HistoryEvent[] {
    if (this.#areFew(from)) return JSON.parse(this.ask("history", from - this.#archived)).slice(0, to - from);
    let events: HistoryEvent[] = [];
    for (const page of this.pages(from, to, "the history")) events = events.concat(page.map(([, event]) => event));
    return events;
  }

  /** Returns the same events as one JSON text. */
  historyText(from = 0): string {
    return this.#areFew(from) ? this.ask("history", from - this.#archived) : JSON.stringify(this.history(from));
  }

  /** Returns whether there are few events from an index on, none of which is in the archive. */
  #areFew(from: number): boolean {
    const archived = this.#archived;
    return from >= archived && this.ask("historyLength") - (from - archived) <= FEW_EVENTS;
  }

  /** Yields the same events in lists of limited size, each with its time. `whole` names what they are collected for. */
  *pages(from = 0, to = Infinity, whole?: string): Generator<TimedEvent[], void> {
    let length = 0;
    if (whole !== undefined && to === Infinity) checkAtOnce((length = this.#archive?.length(from) ?? 0), whole);
    while (from < to) {
      let events;
      if (this.#archive !== undefined && from < this.#archive.count) {
        events = this.#archive.read(from);
      } else {
        if (this.#page(from - this.#archived, false) === 0) return;
        length += payloads();
        if (whole !== undefined) checkAtOnce(length, whole);
        events = eventsOf(receive());
      }
      if (from + events.length > to) events.length = to - from;
      from += events.length;
      yield events;
    }
  }

  /** Returns the parsed snapshot. */
  snapshot(): EngineSnapshot {
    if (this.#archived === 0 && this.events <= FEW_EVENTS) return JSON.parse(this.ask("snapshot"));
    const engine: EngineSnapshot & { executions: { id: number; events: unknown[] }[] } = JSON.parse(this.ask("snapshotWithoutEvents"));
    const own = engine.executions.find(({ id }) => id === 0)!;
    for (const events of this.pages(0, Infinity, "the history in the snapshot")) own.events = own.events.concat(events);
    return engine;
  }

  /**
   * Returns the text of the snapshot without the events of the history, and the number of events, for hosts that store the history
   * separately. For an execution of 1,000 tasks it has about 1 kB, while the whole snapshot has 1.2 MB, which would be written
   * again and again.
   */
  leanSnapshot(): { text: string; events: number } {
    return { text: this.ask("snapshotWithoutEvents"), events: this.events };
  }

  /** Passes the engine to the driver in Rust. Its facts are not in the journal, so another trap ends it. */
  drive(handler: (command: string) => string | Promise<string>): Promise<string> {
    const raw = this.raw();
    return new Promise((resolve, reject) => {
      driven.add(reject);
      glue
        .drive(raw, handler)
        .then(resolve, (thrown: unknown) => reject(translate(thrown)))
        .finally(() => driven.delete(reject));
    });
  }

  /** Writes a page of the engine's events to the port. Returns how many they are. */
  #page(from: number, take: boolean, bytes = take ? ARCHIVE_PAGE : PAGE): number {
    const raw = this.raw();
    try {
      const count = raw.page(from, bytes, take);
      refreshViews();
      return count;
    } catch (thrown) {
      throw translate(thrown, "history");
    }
  }

  /** Moves a page of events into the archive. One call of `step` hardly makes more. */
  #shelve(bytes: number): void {
    try {
      const count = this.#page(0, true, bytes);
      if (count > 0) {
        this.#archive?.add([{ count, whole: payloads(), bytes: received().slice() }]);
        this.#repeated += count;
      }
    } catch {
      // Events that were taken from the engine but not stored come again with a rebuilt engine.
      this.leave();
    }
  }
}

/**
 * Converts a snapshot without events from one machine to another. Throws RestoreError if something that is running does not exist
 * in the other machine.
 */
export function migrated(from: MachineHandle, to: MachineHandle, snapshot: string): string {
  try {
    return glue.Engine.migrate(from.raw(), to.raw(), snapshot);
  } catch (thrown) {
    throw translate(thrown);
  }
}
