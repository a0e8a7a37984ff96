// An engine whose history is read in pages, and kept outside of it where it grows long.

import * as glue from "../../dist/glue.js";
import type { EngineSnapshot, HistoryEvent, Step } from "../api/index.d.ts";
import { type Archive, PAGE, checkAtOnce, eventsOf } from "./archive.ts";
import { EngineHandle } from "./engine.ts";
import type { EngineSettings, TimedEvent } from "./facts.ts";
import { type MachineHandle, checkItems, driven, translate } from "./instance.ts";
import { look, memorySize, payloads, receive, received, running, sendPart } from "./port.ts";

// A journal is also replaced by a snapshot when its texts have so many characters, and more than the last snapshot and what runs have.
const COMPACT_BYTES = 2 ** 25;
const BYTES_OF_A_CHAIN = 2 ** 16;
// Events go into the archive when so many bytes of payloads have come up, and then so many of them after each fact: to write
// more at once would hold the host up. That is more than a fact brings: the events that are left are moved each time.
const ARCHIVE_BYTES = 2 ** 21;
const ARCHIVE_PAGE = 2 ** 21;
// As long as the module's memory is no larger, events stay in it: they share their payloads there, and to write them costs more than most
// states do. It never shrinks, so one large execution has those after it write theirs.
const ROOMY = 2 ** 24;
// The most events that a snapshot in the place of a journal has, and how many bytes of them are taken out before at a time.
const COMPACT_EVENTS = 1000;
const COMPACT_PAGE = 2 ** 17;
// Events that are asked for without a page.
const FEW_EVENTS = 128;
// Parts of a long text that are taken in at once: some milliseconds.
const PARTS_A_TURN = 16;

/** A long text that comes, or has come, into an engine in parts. */
interface LongText {
  text: string;
  raw: glue.Engine;
  isWhole: boolean;
}

/** An engine with its whole history. */
export class HistoryEngine extends EngineHandle {
  #archive: Archive | undefined;
  // How many events were archived since the journal began: it makes them again.
  #repeated = 0;
  // Characters of the texts in the journal.
  #texts = 0;
  #taken: LongText | undefined;

  /**
   * A new engine, or with `base` the one that a snapshot's text describes; its events may go into the archive that is given. With
   * the text of a lean snapshot that is `new Archive(events)`: the events before are elsewhere, and ids and the limit of the
   * history go on.
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
    // A file that is still being read would go into the snapshot as a whole.
    if (!step.more && this.#texts >= Math.max(COMPACT_BYTES, chains * BYTES_OF_A_CHAIN, 2 * this.baseLength)) this.compact();
    else this.compactInTime(chains);
  }

  protected override compactInTime(chains: number): void {
    // A snapshot with all events would hold the host up: they are taken out before, a page after each fact.
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
    // A replay would make again what the archive has.
    if (this.isRetired && this.#repeated > 0) this.compact(raw);
  }

  /**
   * Takes a long text of items into the instance, with turns of the host in between: when this very text is fed, it is there. What
   * cannot be taken in is refused when it is fed.
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

  /** Gives back the memory of a text that was taken in and will not be fed. */
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

  /** How many events there are. */
  get events(): number {
    return this.#archived + this.ask("historyLength");
  }

  get #archived(): number {
    return this.#archive?.count ?? 0;
  }

  /** The events from an index on, parsed; up to another index. */
  history(from = 0, to = Infinity): HistoryEvent[] {
    if (this.#areFew(from)) return JSON.parse(this.ask("history", from - this.#archived)).slice(0, to - from);
    let events: HistoryEvent[] = [];
    for (const page of this.pages(from, to, "the history")) events = events.concat(page.map(([, event]) => event));
    return events;
  }

  /** The same as one JSON text. */
  historyText(from = 0): string {
    return this.#areFew(from) ? this.ask("history", from - this.#archived) : JSON.stringify(this.history(from));
  }

  /** Whether the events from an index on are few, and none of them is in the archive. */
  #areFew(from: number): boolean {
    const archived = this.#archived;
    return from >= archived && this.ask("historyLength") - (from - archived) <= FEW_EVENTS;
  }

  /** The same in lists of a bounded size, each event with its time. With `whole`, what they are collected for. */
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

  /** The snapshot, parsed. */
  snapshot(): EngineSnapshot {
    if (this.#archived === 0 && this.events <= FEW_EVENTS) return JSON.parse(this.ask("snapshot"));
    const engine: EngineSnapshot & { executions: { id: number; events: unknown[] }[] } = JSON.parse(this.ask("snapshotWithoutEvents"));
    const own = engine.executions.find(({ id }) => id === 0)!;
    for (const events of this.pages(0, Infinity, "the history in the snapshot")) own.events = own.events.concat(events);
    return engine;
  }

  /**
   * The snapshot's text without the events of the history, and how many there are: for hosts that keep the history apart. Of an
   * execution of 1,000 tasks it is about 1 kB, where the whole snapshot has 1.2 MB, which would be written again and again.
   */
  leanSnapshot(): { text: string; events: number } {
    return { text: this.ask("snapshotWithoutEvents"), events: this.events };
  }

  /** Hands the engine to the driver in Rust. Its facts are not in the journal: another trap ends it. */
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

  /** Leaves a page of the events that the engine has; how many it has. */
  #page(from: number, take: boolean, bytes = take ? ARCHIVE_PAGE : PAGE): number {
    const raw = this.raw();
    try {
      const count = raw.page(from, bytes, take);
      look();
      return count;
    } catch (thrown) {
      throw translate(thrown, "history");
    }
  }

  /** Moves a page of events into the archive: one call of step makes hardly more. */
  #shelve(bytes: number): void {
    try {
      const count = this.#page(0, true, bytes);
      if (count > 0) {
        this.#archive?.add([{ count, whole: payloads(), bytes: received().slice() }]);
        this.#repeated += count;
      }
    } catch {
      // What was taken and not kept comes again with a new engine.
      this.leave();
    }
  }
}

/** A snapshot of one machine, without events, as one of another. Throws RestoreError where what runs has no place there. */
export function migrated(from: MachineHandle, to: MachineHandle, snapshot: string): string {
  try {
    return glue.Engine.migrate(from.raw(), to.raw(), snapshot);
  } catch (thrown) {
    throw translate(thrown);
  }
}
