// The instance of the WebAssembly module. Only this room calls into it; others name its functions, so that bundles hold those
// that are named.
//
// A Rust panic, exhausted memory or an exhausted stack ends in a trap, after which nothing in that instance can be
// trusted. So no object of the public API holds a raw object of the instance: handles know how to make theirs again
// in a new instance, a machine from its text and an engine from its journal of facts. One execution's trap costs the
// others nothing but that replay.

import * as glue from "../../dist/glue.js";
import { InternalError, messageOf, misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import type { InitOptions, ModuleSource } from "../api/index.d.ts";
import type { CompileSettings } from "./facts.ts";
import { isRefusal, refused, reset } from "./port.ts";

/** Bytes that the module's memory may have: `--max-memory` of .cargo/config.toml. */
export const MEMORY = 2 ** 30;
let memory = MEMORY;

// A payload is there as text and as a value, in the history, and once more on its way out: of so many bytes it fits.
export const LARGEST = 2 ** 24;
/** A file of items is read item by item. */
export const largestFile = (): number => memory * (3 / 8);

/** Says that the module's memory may have fewer bytes than usual. */
export function limitMemory(bytes: number): void {
  memory = bytes;
}

let loaded = false;
let loading: Promise<void> | undefined;
let loader: Loader | undefined;
let restNeeded = false;
let generation = 0;

/** Where an entry that loads by itself has the module, in one file or two. */
interface Loader {
  /** What runs machines, or all of it. */
  first(): ModuleSource | Promise<ModuleSource>;
  /** Loads what the first file lacks. */
  rest(): Promise<void>;
  /** False where a function that lacks the rest could not wait for it. */
  canWait(): boolean;
  /** True if all of the module was found in the place of the first file. */
  hasAll(): boolean;
}

/** Ends the runs of engines that the driver in Rust has, with an error. */
export const driven = new Set<(reason: unknown) => void>();

/** The number of the present instance: raw objects of another one are gone. */
export function present(): number {
  return generation;
}

/** Compiles and starts the module at once, from its bytes or a compiled `WebAssembly.Module`. */
export function initSync(source: ArrayBuffer | ArrayBufferView | object): void {
  if (!loaded) {
    try {
      glue.initSync({ module: ((source as { module?: unknown } | undefined)?.module ?? source) as glue.SyncInitInput });
    } catch (error) {
      throw notLoaded("", error);
    }
    loaded = true;
  }
}

/** Says how `init()` without a source loads the module. */
export function setLoader(load: Loader): void {
  loader = load;
}

/** Says that the program has something that the first file lacks: `init()` then loads both. */
export function needRest(): void {
  restNeeded = true;
}

/** Marks an export of an entry that needs the rest. Bundlers leave the call out where a program does not use the export. */
export function ofRest<Export>(it: Export): Export {
  needRest();
  return it;
}

/** Loads the module once; `source` is a URL, Request, Response, bytes or a compiled module, or says how much to load. */
export async function init(source?: ModuleSource | InitOptions | { module_or_path: ModuleSource }): Promise<void> {
  const parts = partsOf(source);
  const given = parts === undefined ? (source as Exclude<typeof source, InitOptions>) : undefined;
  // Both files are on the way at once.
  const rest =
    given === undefined && loader !== undefined && (parts === "all" || (parts === undefined && restNeeded) || !loader.canWait())
      ? loader.rest()
      : undefined;
  rest?.catch(() => {});
  await (loading ??= load(given).catch((error) => {
    loading = undefined;
    throw error;
  }));
  if (!loader?.hasAll()) await rest;
}

/** How much of the module somebody wants; undefined where nothing is said of that. */
function partsOf(source: unknown): InitOptions["parts"] | undefined {
  if (typeof source !== "object" || source === null || Object.getPrototypeOf(source) !== Object.prototype || !("parts" in source))
    return undefined;
  const { parts } = source;
  if (parts === "first" || parts === "all") return parts;
  throw misuse("INVALID_OPTION", `init(): parts must be "first" or "all", not ${shown(parts)}`);
}

async function load(source: ModuleSource | { module_or_path: ModuleSource } | undefined): Promise<void> {
  if (loaded) return;
  const from = await ((source as { module_or_path?: ModuleSource } | undefined)?.module_or_path ?? source ?? loader?.first());
  if (from === undefined) {
    throw misuse(
      "NOT_LOADED",
      'this entry does not load the WebAssembly module by itself: call init(source) with a URL, a Response, the bytes or the module of "stepglass/stepglass.wasm"',
    );
  }
  try {
    await glue.default({ module_or_path: from as unknown as glue.InitInput });
  } catch (error) {
    const where = typeof from === "string" || from instanceof URL ? ` from ${from}` : "";
    throw notLoaded(where, error);
  }
  loaded = true;
}

/** The error for what could not be loaded. */
export function notLoaded(where: string, cause: unknown): Error {
  return Object.assign(new Error(`the WebAssembly module could not be loaded${where}: ${messageOf(cause)}`, { cause }), {
    code: "LOAD_FAILED",
  });
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
  throw misuse(
    "PAYLOAD_TOO_LARGE",
    `${what} is ${mega(size)}; the interpreter's memory (${mega(memory)}) takes at most ${mega(largest)} at once`,
    RangeError,
  );
}

/** The same for the items of a Map: a file, which is read item by item, or a list in JSON. */
export function checkItems(text: string, file: boolean): void {
  checkSize(text, file ? "the file" : "the list of items", file ? largestFile() : LARGEST);
}

const mega = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function byteLength(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Half of a pair has two units of the four bytes.
    if (unit > 0x7f) size += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return size;
}

function guarded<Answer>(run: () => Answer): Answer {
  if (!loaded) throw misuse("NOT_LOADED", "the WebAssembly module is not loaded yet: call `await init()` first", Error);
  try {
    return run();
  } catch (thrown) {
    throw translate(thrown);
  }
}

/** A handle that can give its memory in the instance back. */
interface Resident {
  residence: number;
  release(): void;
}

/**
 * Handles that hold memory in the instance and may be asked again, or never. Beyond a number of them the one not used
 * for longest gives its memory back, and makes it anew when it is asked: the garbage collector, which sees only small
 * objects, would let the instance grow to its limit first.
 */
class Residents {
  #limit: number;
  #handles = new Map<number, WeakRef<Resident>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  use(handle: Resident): void {
    const { residence } = handle;
    const known = this.#handles.get(residence);
    if (known !== undefined) this.#handles.delete(residence);
    this.#handles.set(residence, known ?? new WeakRef(handle));
    if (this.#handles.size <= this.#limit) return;
    for (const [first, oldest] of this.#handles) {
      this.#handles.delete(first);
      oldest.deref()?.release();
      return;
    }
  }
}

const machines = new Residents(256);
/** Engines that have nothing more to do. */
export const finished = new Residents(16);
let residences = 0;

/** A number that no other handle has. */
export function residence(): number {
  return residences++;
}

/** A compiled machine, made anew from its text where the instance was replaced. */
export class MachineHandle {
  residence = residence();
  #text: string;
  #settings: CompileSettings;
  #raw: glue.Machine | undefined;
  #generation = -1;
  #tasks: { state: string; resource: string }[] = [];

  constructor(text: string, settings: CompileSettings) {
    checkSize(text, "the definition");
    this.#text = text;
    this.#settings = settings;
    this.raw();
  }

  /** The definition's JSON text. */
  get text(): string {
    return this.#text;
  }

  /** The object of the present instance, to be used at once. Throws `{diagnostics}` for a definition with errors. */
  raw(): glue.Machine {
    if (this.#raw === undefined || this.#generation !== generation) {
      this.#raw = guarded(() => glue.Machine.compile(this.#text, this.#settings));
      this.#generation = generation;
    }
    machines.use(this);
    return this.#raw;
  }

  /** The Task state with this number. */
  task(state: number): { state: string; resource: string } {
    return (this.#tasks[state] ??= JSON.parse(this.raw().taskOf(state)));
  }

  /** Gives the memory in the instance back. */
  release(): void {
    if (this.#generation === generation) this.#raw?.free();
    this.#generation = -1;
  }
}

// An allocation that fails ends in the same trap as any other bug, with the memory as good as full.
const full = (): number => memory * (3 / 8);
// What more was needed for.
const NEEDS = new Map([
  ["start", "the input"],
  ["succeed", "the result of a task"],
  ["submitted", "the answer of a service"],
  ["items", "the items of a Map"],
  ["history", "the history"],
  ["takeHistory", "the history"],
  ["snapshot", "the snapshot"],
  ["snapshotWithoutEvents", "the snapshot"],
]);

/** How much memory the instance had at a trap that a failed allocation has most likely caused; undefined for other traps. */
function memoryOf(trap: unknown): { used: number; most: number } | undefined {
  try {
    const used = (glue.sharedMemory() as WebAssembly.Memory).buffer.byteLength;
    return trap instanceof WebAssembly.RuntimeError && used > full() ? { used, most: memory } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The error for what came out of the module, by a method that was `given` something. Rust throws plain objects with a `code`;
 * every Error that comes out is a trap or worse, after which another instance takes the place of this one.
 */
export function translate(thrown: unknown, method?: string, given?: unknown): unknown {
  const { code } = (thrown ?? {}) as { code?: unknown };
  if (thrown instanceof InternalError || code === "NOT_LOADED" || isRefusal(thrown)) return thrown;
  // The compiler's has diagnostics instead of a message: who asked makes the error of it.
  if (!(thrown instanceof Error)) return code === "DEFINITION" ? thrown : refused(thrown as { code?: string; message: string });
  const used = memoryOf(thrown);
  generation += 1;
  reset();
  glue.__wbg_reset_state();
  const needed = NEEDS.get(method ?? "") ?? "the next step";
  const error = new InternalError(
    thrown,
    used && { ...used, needed: typeof given === "string" ? `${needed} (${mega(byteLength(given))})` : needed },
  );
  for (const reject of driven) reject(error);
  driven.clear();
  return error;
}
