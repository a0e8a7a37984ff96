// @ts-nocheck: has no types yet.
// The only file that calls into the WebAssembly module; others name its functions, so that bundles hold those that are named.
//
// A Rust panic, exhausted memory or an exhausted stack ends in a trap, after which nothing in that instance can be
// trusted. So no object of the public API holds a raw object of the instance: handles know how to make theirs again
// in a new instance, a machine from its text and an engine from its journal of facts. One execution's trap costs the
// others nothing but that replay.

import * as glue from "../../dist/glue.js";
import { PAGE, checkAtOnce, eventsOf } from "./archive.ts";
import { InternalError, misuse, refusal } from "../base/errors.ts";
import type { EngineSnapshot, HistoryEvent, ModuleSource, Step } from "../api/index.d.ts";
import type { Archive } from "./archive.ts";
import type { CompileSettings, EngineSettings, Fact, FactArguments, Question, TimedEvent } from "./facts.ts";

/** Bytes that the module's memory may have: `--max-memory` of .cargo/config.toml. */
export const MEMORY = 2 ** 30;
let memory = MEMORY;

// A payload is there as text and as a value, in the history, and once more on its way out: of so many bytes it fits.
const LARGEST = 2 ** 24;
/** A file of items is read item by item. */
const largestFile = () => memory * (3 / 8);

/** Says that the module's memory may have fewer bytes than usual. */
export function limitMemory(bytes: number): void {
  memory = bytes;
}

let loaded = false;
let loading;
let loader;
let generation = 0;
const driven = new Set();

/** Compiles and starts the module at once, from its bytes or a compiled `WebAssembly.Module`. */
export function initSync(source: ArrayBuffer | ArrayBufferView | object): void {
  if (!loaded) {
    try {
      glue.initSync({ module: source?.module ?? source });
    } catch (error) {
      throw Object.assign(new Error(`the WebAssembly module could not be loaded: ${error?.message ?? error}`, { cause: error }), { code: "LOAD_FAILED" });
    }
    loaded = true;
  }
}

/** Says where `init()` without arguments finds the module. */
export function setLoader(load: () => ModuleSource): void {
  loader = load;
}

/** Loads the module once; `source` is a URL, Request, Response, bytes or a compiled module. */
export function init(source?: ModuleSource | { module_or_path: ModuleSource }): Promise<void> {
  if (loaded) return Promise.resolve();
  loading ??= (async () => {
    const from = await (source?.module_or_path ?? source ?? loader?.());
    if (from === undefined) {
      throw misuse("NOT_LOADED", 'this entry does not load the WebAssembly module by itself: call init(source) with a URL, a Response, the bytes or the module of "stepglass/stepglass.wasm"');
    }
    try {
      await glue.default({ module_or_path: from });
    } catch (error) {
      const where = typeof from === "string" || from instanceof URL ? ` from ${from}` : "";
      throw Object.assign(new Error(`the WebAssembly module could not be loaded${where}: ${error?.message ?? error}`, { cause: error }), { code: "LOAD_FAILED" });
    }
    loaded = true;
  })().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Whether synchronous functions can be called. */
export function isLoaded(): boolean {
  return loaded;
}

/** Calls a function of the module that leaves nothing behind there. What is given is made before: its errors are the caller's. */
export function call<Given extends readonly unknown[], Answer>(ask: (...given: Given) => Answer, ...given: Given): Answer {
  for (const one of given) if (typeof one === "string") checkSize(one, "the text");
  return guarded(() => ask(...given));
}

/** Throws for a text that the module's memory cannot hold, before it is taken there. */
export function checkSize(text: string, what: string, largest = LARGEST): void {
  // No character of a JavaScript string has more than three bytes.
  if (text.length * 3 <= largest) return;
  const size = byteLength(text);
  if (size <= largest) return;
  throw misuse("PAYLOAD_TOO_LARGE", `${what} is ${mega(size)}; the interpreter's memory (${mega(memory)}) takes at most ${mega(largest)} at once`, RangeError);
}

const mega = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

function byteLength(text) {
  let size = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Half of a pair has two units of the four bytes.
    if (unit > 0x7f) size += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return size;
}

function guarded(run) {
  if (!loaded) throw misuse("NOT_LOADED", "the WebAssembly module is not loaded yet: call `await init()` first", Error);
  try {
    return run();
  } catch (thrown) {
    throw translate(thrown);
  }
}

/**
 * Handles that hold memory in the instance and may be asked again, or never. Beyond a number of them the one not used
 * for longest gives its memory back, and makes it anew when it is asked: the garbage collector, which sees only small
 * objects, would let the instance grow to its limit first.
 */
class Residents {
  #limit;
  #handles = new Map();

  constructor(limit) {
    this.#limit = limit;
  }

  use(handle) {
    const { residence } = handle;
    const known = this.#handles.get(residence);
    if (known !== undefined) this.#handles.delete(residence);
    this.#handles.set(residence, known ?? new WeakRef(handle));
    if (this.#handles.size <= this.#limit) return;
    const [[first, oldest]] = this.#handles;
    this.#handles.delete(first);
    oldest.deref()?.release();
  }
}

const machines = new Residents(256);
const finished = new Residents(16);
let residences = 0;

/** A compiled machine, made anew from its text where the instance was replaced. */
export class MachineHandle {
  residence = residences++;
  #text;
  #options;
  #raw;
  #generation = -1;
  #tasks = [];

  constructor(text: string, options: CompileSettings) {
    checkSize(text, "the definition");
    this.#text = text;
    this.#options = options;
    this.raw();
  }

  /** The definition's JSON text. */
  get text(): string {
    return this.#text;
  }

  /** The object of the present instance, to be used at once. Throws `{diagnostics}` for a definition with errors. */
  raw(): glue.Machine {
    if (this.#generation !== generation) {
      this.#raw = guarded(() => glue.Machine.compile(this.#text, this.#options));
      this.#generation = generation;
    }
    machines.use(this);
    return this.#raw;
  }

  /** `{state, resource}` of the Task state with this number. */
  task(state: number): { state: string; resource: string } {
    return (this.#tasks[state] ??= JSON.parse(this.raw().taskOf(state)));
  }

  /** Gives the memory in the instance back. */
  release(): void {
    if (this.#generation === generation) this.#raw.free();
    this.#generation = -1;
  }
}

// The port: src/wasm/port.rs says what stands where.

const [KIND, TEXT_AT, TEXT_LENGTH, DEADLINE, EVENTS, MORE, TASK, STATE, ATTEMPT, RUNNING, KNOWN, PAYLOADS, NUMBERS] = Array(13).keys();
const [NOTHING, INVOKE, COMMANDS, , ECHO] = Array(5).keys();
const encoder = new TextEncoder();
// Of a text of more characters the bytes are counted first: room for the most that they could be is three times as much.
const LONG = 2 ** 20;
// Safari's decoder stops working after two gigabytes.
const DECODER_BYTES = 2 ** 31 - 2 ** 20;
let decoder;
let decoded = Infinity;
let head;
let bytes;
// The inbox of usual size; a text that comes in as a whole takes it with it.
const USUAL = 2 ** 12;
let inbox;
// The JSON text that crossed last, where the instance has its value still: it does not cross again.
const AGAIN = -1;
let known;
// The failure that crossed last, which the instance has still.
const SAME = -2;
const NONE = -1;
let failed = {};
// How often the known text was read, and what it says, from the second time on: to copy that is much faster than to read.
let reads = 0;
let said;

/** Views of the instance's memory: growing it takes the old ones away. */
function look() {
  if (bytes !== undefined && bytes.byteLength > 0) return;
  const { buffer } = glue.sharedMemory();
  bytes = new Uint8Array(buffer);
  head = new Float64Array(buffer, glue.headAddress(), NUMBERS);
}

/** Feeds a fact to a raw engine. */
function apply(raw, method, now, a, b, c) {
  if (method === "succeed") raw.succeed(now, a, sendValue(b));
  else if (method === "submitted") raw.submitted(now, a, sendValue(b));
  else if (method === "fail") sendFailure(raw, now, a, b, c);
  else if (method === "tick") raw.tick(now);
  else if (method === "items") {
    know(undefined);
    const length = send(b);
    inbox = undefined;
    raw.items(now, a, length, c);
  } else raw[method](now, a, b, c);
}

/** Remembers the JSON text that crosses. */
function know(text) {
  known = text;
  reads = 0;
  said = undefined;
}

/** Writes a JSON text into the inbox, unless its value is known; its length in bytes. */
function sendValue(text) {
  if (text === known) return AGAIN;
  know(text);
  return send(text);
}

/** Writes a text into the inbox; its length in bytes. */
function send(text) {
  if (text.length <= LONG) return encoder.encodeInto(text, room(text.length * 3)).written;
  const long = encoder.encode(text);
  room(long.length).set(long);
  return long.length;
}

/** Feeds a failure: both texts, each of which may be missing, follow one another in the inbox, unless they are known. */
function sendFailure(raw, now, task, error, cause) {
  if (error === failed.error && cause === failed.cause) {
    raw.fail(now, task, SAME, SAME);
    return;
  }
  failed = { error, cause };
  const [name, reason] = [error ?? "", cause ?? ""];
  const view = room((name.length + reason.length) * 3);
  const first = encoder.encodeInto(name, view).written;
  const second = encoder.encodeInto(reason, view.subarray(first)).written;
  raw.fail(now, task, error === undefined || error === null ? NONE : first, cause === undefined || cause === null ? NONE : second);
}

/** The inbox, with room for so many bytes at least. One of a usual size stays where it is, as long as the memory does. */
function room(most) {
  if (inbox !== undefined && inbox.length >= most && inbox.length > 0) return inbox;
  const length = Math.max(most, USUAL);
  const at = glue.inbox(length);
  look();
  const view = bytes.subarray(at, at + length);
  inbox = length > USUAL ? undefined : view;
  return view;
}

/** The text that a call has left. */
function receive() {
  const length = head[TEXT_LENGTH];
  decoded += length;
  if (decoded > DECODER_BYTES) {
    decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    decoded = length;
  }
  return decoder.decode(bytes.subarray(head[TEXT_AT], head[TEXT_AT] + length));
}

/** The step that a fact has left: `{commands, more, deadline, events}`. Throws the reason why the fact was refused. */
function readStep(machine) {
  look();
  let commands = [];
  switch (head[KIND]) {
    case NOTHING:
      break;
    case INVOKE:
      know(receive());
    // falls through
    case ECHO: {
      const { state, resource } = machine.task(head[STATE]);
      // Which may have asked the instance.
      look();
      commands = [{ type: "Invoke", task: head[TASK], state, resource, input: read(), attempt: head[ATTEMPT] }];
      break;
    }
    case COMMANDS:
      commands = JSON.parse(receive());
      break;
    default:
      know(undefined);
      throw translate(JSON.parse(receive()));
  }
  if (head[KNOWN] === 0) know(undefined);
  return { commands, more: head[MORE] === 1, deadline: head[DEADLINE] < 0 ? null : head[DEADLINE], events: head[EVENTS] };
}

/** What the known text says, made anew: it is the handler's own. */
function read() {
  reads += 1;
  if (reads === 1) return JSON.parse(known);
  said ??= JSON.parse(known);
  return typeof said === "object" && said !== null ? copy(said) : said;
}

/** A copy of what JSON.parse has made; as deep as the instance lets payloads be. */
function copy(whole) {
  if (Array.isArray(whole)) {
    const items = whole.slice();
    for (let i = 0; i < items.length; i++) {
      const part = items[i];
      if (typeof part === "object" && part !== null) items[i] = copy(part);
    }
    return items;
  }
  const members = { ...whole };
  for (const name in members) {
    const part = members[name];
    if (typeof part !== "object" || part === null) continue;
    // An assignment would set the prototype.
    if (name === "__proto__") Object.defineProperty(members, name, { value: copy(part), configurable: true, enumerable: true, writable: true });
    else members[name] = copy(part);
  }
  return members;
}

// A journal is replaced by a snapshot when it is this long, and then each time it has doubled: executions that run
// for months with few events kept do not grow without bound, and the snapshots cost less than the facts they replace.
const COMPACT_ENTRIES = 4096;
// A fact in a journal is five members: one list of them all is half the memory of a list each.
const MEMBERS = 5;
const FACTS_OF_A_CHAIN = 16;
// So it is when its texts have so many characters, and more than the last snapshot and what runs have.
const COMPACT_BYTES = 2 ** 25;
const BYTES_OF_A_CHAIN = 2 ** 16;
// Events go into the archive when so many bytes of payloads have come up: to write more at once would hold the host up.
const ARCHIVE_BYTES = 2 ** 19;
// Events that are asked for without a page.
const FEW_EVENTS = 128;

/** An engine with the journal that makes it again. */
export class EngineHandle {
  residence = residences++;
  #retired = false;
  #machine;
  #options;
  #base;
  #journal = [];
  #compactAt = COMPACT_ENTRIES;
  // Characters of the texts in the journal.
  #texts = 0;
  #archive;
  // How many events were archived since the journal began: it makes them again.
  #repeated = 0;
  #raw;
  #generation = -1;

  /** A new engine, or with `base` the one that a snapshot's text describes; its events may go into the archive that is given. */
  constructor(machine: MachineHandle, options: EngineSettings, base?: string, archive?: Archive) {
    if (base !== undefined) checkSize(base, "the snapshot", largestFile());
    this.#archive = archive;
    this.#machine = machine;
    this.#options = options;
    this.#base = base;
    this.#alive();
  }

  /** Feeds a fact; returns the Step. Throws InternalError after a trap: this fact is then not in the journal. */
  feed<Method extends Fact[0]>(method: Method, now: number, ...rest: FactArguments<Method>): Step;
  feed(method, now, a, b, c) {
    if (method === "start") checkSize(a, "the input");
    else if (method === "items") checkSize(b, c ? "the file" : "the list of items", c ? largestFile() : LARGEST);
    else if (typeof b === "string") checkSize(b, "the output");
    const raw = this.#alive();
    // A journal of equal texts is one of one text.
    if (b === known) b = known;
    if (c === failed.cause) c = failed.cause;
    try {
      apply(raw, method, now, a, b, c);
    } catch (thrown) {
      know(undefined);
      throw translate(thrown, method, method === "start" ? a : b);
    }
    const step = readStep(this.#machine);
    this.#journal.push(method, now, a, b, c);
    if (this.#archive !== undefined) {
      step.events += this.#archive.count;
      const running = head[RUNNING];
      if (head[PAYLOADS] >= ARCHIVE_BYTES) this.#shelve();
      if (typeof b === "string") this.#texts += b.length;
      if (this.#texts >= Math.max(COMPACT_BYTES, running * BYTES_OF_A_CHAIN, 2 * (this.#base?.length ?? 0))) this.#compact();
      else if (this.#journal.length >= this.#compactAt * MEMBERS) this.#compactUnless(running);
      return step;
    }
    if (this.#journal.length >= this.#compactAt * MEMBERS) this.#compactUnless(head[RUNNING]);
    return step;
  }

  /** Asks; returns the text. */
  ask(question: Question): string;
  ask(question: "history", from: number): string;
  ask(question: "historyLength"): number;
  ask(question: "deadline"): number | undefined;
  ask(question: "inputOf", task: number, member?: string): string | undefined;
  ask(method, a, b) {
    const raw = this.#alive();
    try {
      return raw[method](a, b);
    } catch (thrown) {
      throw translate(thrown, method);
    }
  }

  /** How many events there are. */
  get events() {
    return this.#archived + this.ask("historyLength");
  }

  get #archived() {
    return this.#archive?.count ?? 0;
  }

  /** The events from an index on, parsed; up to another index. */
  history(from?: number, to?: number): HistoryEvent[];
  history(from = 0, to = Infinity) {
    if (from >= this.#archived && this.ask("historyLength") - (from - this.#archived) <= FEW_EVENTS) {
      return JSON.parse(this.ask("history", from - this.#archived)).slice(0, to - from);
    }
    let events = [];
    for (const page of this.pages(from, to, "the history")) events = events.concat(page.map(([, event]) => event));
    return events;
  }

  /** The same as one JSON text. */
  historyText(from?: number): string;
  historyText(from = 0) {
    const few = from >= this.#archived && this.ask("historyLength") - (from - this.#archived) <= FEW_EVENTS;
    return few ? this.ask("history", from - this.#archived) : JSON.stringify(this.history(from));
  }

  /** The same in lists of a bounded size: `[milliseconds, event]`. With `whole`, what they are collected for. */
  pages(from?: number, to?: number, whole?: string): Generator<TimedEvent[], void, undefined>;
  *pages(from = 0, to = Infinity, whole = undefined) {
    let length = 0;
    if (whole !== undefined && to === Infinity) checkAtOnce((length = this.#archive?.length(from) ?? 0), whole);
    while (from < to) {
      let events;
      if (from < this.#archived) {
        events = this.#archive.read(from);
      } else {
        if (this.#page(from - this.#archived, false) === 0) return;
        length += head[PAYLOADS];
        if (whole !== undefined) checkAtOnce(length, whole);
        events = eventsOf(receive());
      }
      if (from + events.length > to) events.length = to - from;
      from += events.length;
      yield events;
    }
  }

  /** The snapshot, parsed. */
  snapshot(): EngineSnapshot;
  snapshot() {
    if (this.#archived === 0 && this.events <= FEW_EVENTS) return JSON.parse(this.ask("snapshot"));
    const engine = JSON.parse(this.ask("snapshotWithoutEvents"));
    const own = engine.executions.find(({ id }) => id === 0);
    for (const events of this.pages(0, Infinity, "the history in the snapshot")) own.events = own.events.concat(events);
    return engine;
  }

  /** Leaves a page of the events that the engine has; how many it has. */
  #page(from, take) {
    const raw = this.#alive();
    try {
      const count = raw.page(from, take ? ARCHIVE_BYTES : PAGE, take);
      look();
      return count;
    } catch (thrown) {
      throw translate(thrown, "history");
    }
  }

  /** There is nothing more to feed: it may be asked for its history, or never again. */
  retire(): void {
    this.#retired = true;
    if (this.#generation === generation) finished.use(this);
  }

  /** Hands the engine to the driver in Rust. Its facts are not in the journal: another trap ends it. */
  drive(handler: (command: string) => string | Promise<string>): Promise<string> {
    const raw = this.#alive();
    return new Promise((resolve, reject) => {
      driven.add(reject);
      glue.drive(raw, handler).then(resolve, (thrown) => reject(translate(thrown))).finally(() => driven.delete(reject));
    });
  }

  /** Gives the memory in the instance back; the handle still answers, from its journal. */
  release(): void {
    // Recorded stages are told once; a replay would tell them again.
    if (this.#options.trace) return;
    // A replay would make again what the archive has.
    if (this.#generation === generation && this.#retired && this.#repeated > 0) this.#compact(this.#raw);
    if (this.#generation === generation) this.#raw.free();
    this.#generation = -1;
  }

  /** Gives the memory back of an engine that nobody asks any more. */
  discard(): void {
    if (this.#generation === generation) this.#raw.free();
    this.#generation = -1;
    this.#journal = [];
  }

  #alive() {
    if (this.#retired) finished.use(this);
    if (this.#generation === generation) return this.#raw;
    const machine = this.#machine.raw();
    try {
      const raw = this.#base === undefined ? new glue.Engine(machine, this.#options) : glue.Engine.restore(machine, this.#base, this.#options.once === true);
      if (this.#options.coverage) raw.cover();
      for (let i = 0; i < this.#journal.length; i += MEMBERS) {
        apply(raw, ...this.#journal.slice(i, i + MEMBERS));
        // What came out was not read.
        know(undefined);
      }
      if (this.#repeated > 0) raw.forgetEvents(this.#repeated);
      this.#raw = raw;
      this.#generation = generation;
      return raw;
    } catch (thrown) {
      throw translate(thrown);
    }
  }

  #compactUnless(running) {
    // What has many chains running makes a large snapshot: it waits for as many more facts.
    if (this.#journal.length < running * FACTS_OF_A_CHAIN * MEMBERS) this.#compactAt = running * FACTS_OF_A_CHAIN;
    else this.#compact();
  }

  /** Moves the events into the archive: they are not many more than one call of step makes. */
  #shelve() {
    try {
      for (let count = this.#page(0, true); count > 0; count = this.#page(0, true)) {
        this.#archive.add([{ count, whole: head[PAYLOADS], bytes: bytes.slice(head[TEXT_AT], head[TEXT_AT] + head[TEXT_LENGTH]) }]);
        this.#repeated += count;
      }
    } catch {
      // What was taken and not kept comes again with a new engine.
      if (this.#generation === generation) this.#raw.free();
      this.#generation = -1;
    }
  }

  /** Puts a snapshot in the place of the journal. */
  #compact(raw = this.#alive()) {
    try {
      this.#base = raw.snapshot();
      this.#journal = [];
      this.#repeated = 0;
      this.#texts = 0;
      this.#compactAt = Math.max(COMPACT_ENTRIES, this.#base.length >> 6);
    } catch (thrown) {
      translate(thrown, "snapshot");
      // The journal still has everything.
      this.#compactAt *= 2;
      this.#texts = 0;
    }
  }
}

// An allocation that fails ends in the same trap as any other bug, with the memory as good as full.
const full = () => memory * (3 / 8);
// What more was needed for.
const NEEDS = { __proto__: null, start: "the input", succeed: "the result of a task", submitted: "the answer of a service", items: "the items of a Map", history: "the history", takeHistory: "the history", snapshot: "the snapshot", snapshotWithoutEvents: "the snapshot" };

/** How much memory the instance had at a trap that a failed allocation has most likely caused; undefined for other traps. */
function memoryOf(trap) {
  try {
    const used = glue.sharedMemory().buffer.byteLength;
    return trap instanceof WebAssembly.RuntimeError && used > full() ? { used, most: memory } : undefined;
  } catch {
    return undefined;
  }
}

// Errors that are no trap: made of what the module has refused with.
const refused = new WeakSet();

/** Rust throws plain objects with a `code`; every Error that comes out of the module is a trap or worse. */
function translate(thrown, method, given) {
  if (thrown instanceof InternalError || thrown?.code === "NOT_LOADED") return thrown;
  if (refused.has(thrown)) return thrown;
  if (!(thrown instanceof Error)) {
    // The compiler's has diagnostics instead of a message: who asked makes the error of it.
    if (thrown?.code === "DEFINITION") return thrown;
    const error = refusal(thrown);
    refused.add(error);
    return error;
  }
  const used = memoryOf(thrown);
  generation += 1;
  head = bytes = inbox = known = undefined;
  failed = {};
  glue.__wbg_reset_state();
  const needed = NEEDS[method] ?? "the next step";
  const error = new InternalError(thrown, used && { ...used, needed: typeof given === "string" ? `${needed} (${mega(byteLength(given))})` : needed });
  for (const reject of driven) reject(error);
  driven.clear();
  return error;
}
