// @ts-nocheck: has no types yet.
// Collects what the executions of a process use, for a report of a whole test run.
//
// Where STEPGLASS_COVERAGE names a folder, every process of a test run writes there what it has seen: test runners end
// their workers without a word, so what is new is written at once, the counts at each turn of the event loop.

import { appendFileSync, mkdirSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";

const COLLECTOR = Symbol.for("stepglass.coverage");
const STATE = Symbol.for("stepglass.coverage.state");

const { setImmediate: soon } = globalThis;

/** What this process has seen; shared by all copies of this package in it. */
function state() {
  return (globalThis[STATE] ??= { machines: new Map(), files: new Map(), folder: undefined, path: undefined, dirty: new Set(), due: false });
}

/** Begins to collect; with a folder what is seen is also written there. */
export function startCoverage({ folder } = {}) {
  const all = state();
  if (folder !== undefined && all.folder === undefined) {
    mkdirSync(folder, { recursive: true });
    all.folder = resolve(folder);
    all.path = join(all.folder, `${process.pid}-${randomBytes(6).toString("hex")}.ndjson`);
    process.on?.("exit", flush);
  }
  globalThis[COLLECTOR] ??= see;
}

/** Ends collecting; what was seen stays. */
export function stopCoverage() {
  flush();
  delete globalThis[COLLECTOR];
}

/** Forgets what this process has seen. */
export function resetCoverage() {
  state().machines.clear();
}

/** Says from which file a definition came. */
export function collectFile(digest, file) {
  const all = state();
  all.files.set(digest, file);
  const known = all.machines.get(digest);
  if (known !== undefined) known.file ??= file;
}

/** What was seen: `[{digest, name, file?, definition, hits, executions}]`. */
export function collected() {
  return [...state().machines.values()].map(({ hits, fresh, written, runs, ...rest }) => ({ ...rest, hits: { ...hits } }));
}

function see({ digest, name, definition, hits }) {
  const all = state();
  let machine = all.machines.get(digest);
  if (machine === undefined) {
    machine = { digest, name, file: all.files.get(digest), definition, executions: 0, hits: {}, fresh: {}, runs: 0 };
    all.machines.set(digest, machine);
  }
  machine.executions += 1;
  let news = false;
  for (const [place, count] of Object.entries(hits)) {
    news ||= machine.hits[place] === undefined;
    machine.hits[place] = (machine.hits[place] ?? 0) + count;
    if (all.path !== undefined) machine.fresh[place] = (machine.fresh[place] ?? 0) + count;
  }
  if (all.path === undefined) return;
  machine.runs += 1;
  all.dirty.add(machine);
  if (news || soon === undefined) flush();
  else if (!all.due) {
    all.due = true;
    soon(flush);
  }
}

/** Writes what was not written yet: a line for each machine, the first one with its definition. */
function flush() {
  const all = state();
  all.due = false;
  if (all.path === undefined || all.dirty.size === 0) return;
  const lines = [];
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
    // The tests are not to fail for want of a report.
    console.error(`stepglass: coverage cannot be written to ${all.path}: ${error.message}`);
    all.path = undefined;
  }
}
