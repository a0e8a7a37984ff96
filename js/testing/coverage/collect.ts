// Collects what the executions of a process use, for the report of a whole test run.
//
// If STEPGLASS_COVERAGE names a folder, every process of a test run writes its coverage there. Test runners can end their workers
// without notice, so places that were not used before are written at once, and counts at each turn of the event loop.

import { appendFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "../../core/base/errors.ts";
import { randomKey } from "../../core/base/random.ts";

const COLLECTOR = Symbol.for("stepglass.coverage");
const STATE = Symbol.for("stepglass.coverage.state");

const { setImmediate: soon } = globalThis;

/** How often the places of a definition were used, by JSON Pointer. */
export type Hits = Record<string, number>;

/** The uses of an execution that has ended. */
interface Use {
  digest: string;
  name: string;
  /** The definition's JSON text. */
  definition: string;
  hits: Hits;
}

/** The uses of all executions of a definition. */
export interface DefinitionUse extends Use {
  file: string | undefined;
  executions: number;
}

/** The uses of a definition, with the part that was not written yet. */
interface Counted extends DefinitionUse {
  fresh: Hits;
  /** The number of executions that were not written yet. */
  runs: number;
  /** Whether the definition was written. */
  written?: boolean;
}

/** The coverage of a process, and where it is written. */
interface Seen {
  machines: Map<string, Counted>;
  /** The file of each definition, by its digest. */
  files: Map<string, string>;
  folder: string | undefined;
  /** The file of this process in the folder. */
  path: string | undefined;
  /** Definitions with counts that were not written yet. */
  dirty: Set<Counted>;
  /** Whether they are going to be written in this turn of the event loop. */
  due: boolean;
}

/** All copies of this package in a process share these. */
const shared = globalThis as typeof globalThis & { [STATE]?: Seen; [COLLECTOR]?: (use: Use) => void };

function state(): Seen {
  return (shared[STATE] ??= { machines: new Map(), files: new Map(), folder: undefined, path: undefined, dirty: new Set(), due: false });
}

/** Starts the collection. With a folder, the coverage is also written there. */
export function startCoverage({ folder }: { folder?: string } = {}): void {
  const all = state();
  if (folder !== undefined && all.folder === undefined) {
    mkdirSync(folder, { recursive: true });
    all.folder = resolve(folder);
    all.path = join(all.folder, `${process.pid}-${randomKey().slice(0, 12)}.ndjson`);
    process.on?.("exit", flush);
  }
  shared[COLLECTOR] ??= see;
}

/** Ends the collection. The coverage stays. */
export function stopCoverage(): void {
  flush();
  delete shared[COLLECTOR];
}

/** Resets the coverage of this process. */
export function resetCoverage(): void {
  state().machines.clear();
}

/** Records from which file a definition was read. */
export function collectFile(digest: string, file: string): void {
  const all = state();
  all.files.set(digest, file);
  const known = all.machines.get(digest);
  if (known !== undefined) known.file ??= file;
}

/** Returns the coverage of this process, by definition. */
export function collected(): DefinitionUse[] {
  return [...state().machines.values()].map(({ hits, fresh, written, runs, ...rest }) => ({ ...rest, hits: { ...hits } }));
}

/** Adds counts to others. */
export function addHits(sums: Hits, hits: Hits): void {
  for (const [place, count] of Object.entries(hits)) sums[place] = (sums[place] ?? 0) + count;
}

function see({ digest, name, definition, hits }: Use): void {
  const all = state();
  let machine = all.machines.get(digest);
  if (machine === undefined) {
    machine = { digest, name, file: all.files.get(digest), definition, executions: 0, hits: {}, fresh: {}, runs: 0 };
    all.machines.set(digest, machine);
  }
  machine.executions += 1;
  const { hits: before } = machine;
  const isNews = Object.keys(hits).some((place) => before[place] === undefined);
  addHits(before, hits);
  if (all.path === undefined) return;
  addHits(machine.fresh, hits);
  machine.runs += 1;
  all.dirty.add(machine);
  if (isNews || soon === undefined) flush();
  else if (!all.due) {
    all.due = true;
    soon(flush);
  }
}

/** Writes what was not written yet: a line for each machine, the first one with its definition. */
function flush(): void {
  const all = state();
  all.due = false;
  if (all.path === undefined || all.dirty.size === 0) return;
  const lines: string[] = [];
  for (const machine of all.dirty) {
    const { digest, name, definition, written } = machine;
    const about = written ? {} : { name, file: machine.file ?? all.files.get(digest), definition };
    lines.push(`${JSON.stringify({ digest, executions: machine.runs, hits: machine.fresh, ...about })}\n`);
    machine.written = true;
    machine.fresh = {};
    machine.runs = 0;
  }
  all.dirty.clear();
  try {
    appendFileSync(all.path, lines.join(""));
  } catch (error) {
    // A missing report must not fail the tests.
    console.error(`stepglass: coverage cannot be written to ${all.path}: ${messageOf(error)}`);
    all.path = undefined;
  }
}
