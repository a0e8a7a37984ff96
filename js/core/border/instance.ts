// The instance of the WebAssembly module. Only this folder calls into it. Others import the functions that they need by name, so
// that bundles contain only those.
//
// A Rust panic, exhausted memory or an exhausted stack ends in a trap, after which nothing in that instance can be trusted. So no
// object of the public API holds a raw object of the instance: handles can rebuild theirs in a new instance, a machine from its
// text and an engine from its journal of facts. One execution's trap costs the others nothing but that replay.

import * as glue from "../../../dist/glue.js";
import { InternalError, messageOf, misuse } from "../base/errors.ts";
import { shown } from "../base/shown.ts";
import type { InitOptions, ModuleSource } from "../api/index.d.ts";
import type { CompileSettings } from "./facts.ts";
import { isRefusal, refused, reset } from "./port.ts";

/** Maximum size of the module's memory, in bytes: `--max-memory` of .cargo/config.toml. */
export const MEMORY = 2 ** 30;
let memory = MEMORY;

// Maximum length of a payload, in bytes. It exists as text and as a value, in the history, and once more on its way out, and fits
// up to this length.
export const LARGEST = 2 ** 24;
/** Maximum length of a file of items, in bytes. It is larger because the items are read one by one. */
export const largestFile = (): number => memory * (3 / 8);

/** Declares that the module's memory is limited to fewer bytes than usual. */
export function limitMemory(bytes: number): void {
  memory = bytes;
}

let loaded = false;
let loading: Promise<void> | undefined;
let loader: Loader | undefined;
let restNeeded = false;
let generation = 0;

/** How an entry that loads by itself gets the module, in one file or two. */
interface Loader {
  /** Returns the file that runs machines, or the whole module. */
  first(): ModuleSource | Promise<ModuleSource>;
  /** Loads what the first file lacks. */
  rest(): Promise<void>;
  /** Returns false if a function that needs the rest could not wait for it. */
  canWait(): boolean;
  /** Returns true if the first file turned out to be the whole module. */
  hasAll(): boolean;
}

/** Callbacks that end, with an error, the runs of engines that the driver in Rust has. */
export const driven = new Set<(reason: unknown) => void>();

/** Returns the number of the present instance. Raw objects of earlier ones are invalid. */
export function present(): number {
  return generation;
}

/** Compiles and starts the module synchronously, from its bytes or a compiled `WebAssembly.Module`. */
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

/** Sets how `init()` without a source loads the module. */
export function setLoader(load: Loader): void {
  loader = load;
}

/** Declares that the program uses something that the first file lacks. `init()` then loads both files. */
export function needRest(): void {
  restNeeded = true;
}

/** Marks an export of an entry that needs the rest. Bundlers leave out the call if a program does not use the export. */
export function ofRest<Export>(it: Export): Export {
  needRest();
  return it;
}

/** Loads the module once. `source` is a URL, Request, Response, bytes or a compiled module, or says how much to load. */
export async function init(source?: ModuleSource | InitOptions | { module_or_path: ModuleSource }): Promise<void> {
  const parts = partsOf(source);
  const given = parts === undefined ? (source as Exclude<typeof source, InitOptions>) : undefined;
  // Both files are requested at once.
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

/** Returns how much of the module is requested, or undefined if `source` does not say it. */
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

/** Returns the error for a file that could not be loaded. */
export function notLoaded(where: string, cause: unknown): Error {
  return Object.assign(new Error(`the WebAssembly module could not be loaded${where}: ${messageOf(cause)}`, { cause }), {
    code: "LOAD_FAILED",
  });
}

/**
 * Calls a function of the module that keeps no state. The arguments are evaluated before, so that their errors stay those of the
 * caller.
 */
export function call<Given extends readonly unknown[], Answer>(ask: (...given: Given) => Answer, ...given: Given): Answer {
  for (const one of given) if (typeof one === "string") checkSize(one, "the text");
  return guarded(() => ask(...given));
}

/** Throws for a text that is too large for the module's memory, before it is copied there. */
export function checkSize(text: string, what: string, largest = LARGEST): void {
  // A UTF-16 unit of a JavaScript string takes at most three bytes.
  if (text.length * 3 <= largest) return;
  const size = byteLength(text);
  if (size <= largest) return;
  throw misuse(
    "PAYLOAD_TOO_LARGE",
    `${what} is ${mega(size)}; the interpreter's memory (${mega(memory)}) takes at most ${mega(largest)} at once`,
    RangeError,
  );
}

/** Checks the size of a Map's items: a file, which is read item by item, or a list in JSON. */
export function checkItems(text: string, file: boolean): void {
  checkSize(text, file ? "the file" : "the list of items", file ? largestFile() : LARGEST);
}

const mega = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function byteLength(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Each half of a surrogate pair counts for two of the four bytes.
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

/** A handle that can free its memory in the instance. */
interface Resident {
  residence: number;
  release(): void;
}

/**
 * A limited number of handles that have memory in the instance. Each may be used again, or never. Beyond the limit, the handle that
 * was used longest ago frees its memory, and rebuilds it when it is used. The garbage collector sees only small objects, and would
 * let the instance grow to its limit first.
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
/** Engines that have finished. */
export const finished = new Residents(16);
let residences = 0;

/** Returns a number that no other handle has. */
export function residence(): number {
  return residences++;
}

/** A compiled machine. It is compiled again from its text if the instance was replaced. */
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

  /** Returns the object of the present instance, for immediate use. Throws `{diagnostics}` for a definition with errors. */
  raw(): glue.Machine {
    if (this.#raw === undefined || this.#generation !== generation) {
      this.#raw = guarded(() => glue.Machine.compile(this.#text, this.#settings));
      this.#generation = generation;
    }
    machines.use(this);
    return this.#raw;
  }

  /** Returns the Task state with a number. */
  task(state: number): { state: string; resource: string } {
    return (this.#tasks[state] ??= JSON.parse(this.raw().taskOf(state)));
  }

  /** Frees its memory in the instance. */
  release(): void {
    if (this.#generation === generation) this.#raw?.free();
    this.#generation = -1;
  }
}

// Memory use, in bytes, above which a trap counts as a failed allocation. Both end in the same trap.
const full = (): number => memory * (3 / 8);
// What needed more memory, by method.
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

/**
 * Returns how much memory the instance used at a trap that was most likely caused by a failed allocation. Undefined for other
 * traps.
 */
function memoryOf(trap: unknown): { used: number; most: number } | undefined {
  try {
    const used = (glue.sharedMemory() as WebAssembly.Memory).buffer.byteLength;
    return trap instanceof WebAssembly.RuntimeError && used > full() ? { used, most: memory } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Converts an error of the module, thrown by a method with the argument `given`. Rust throws plain objects with a `code`. An Error
 * is a trap or worse, after which this instance is replaced.
 */
export function translate(thrown: unknown, method?: string, given?: unknown): unknown {
  const { code } = (thrown ?? {}) as { code?: unknown };
  if (thrown instanceof InternalError || code === "NOT_LOADED" || isRefusal(thrown)) return thrown;
  // The compiler's errors have diagnostics instead of a message, and the caller converts them.
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
