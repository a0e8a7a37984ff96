// @ts-nocheck: has no types yet.
// Coverage of definitions by a test run: from what processes have written to totals, text and JSON.

import { readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { load, pathOf, sourceOf } from "./definition.ts";
import { TestKitError } from "./errors.ts";
import { collected } from "../coverage/collect.ts";
import { html } from "../coverage/html.ts";
import { lcov } from "../coverage/lcov.ts";
import { WORDS, jsonOf, placesOf, totalsOf } from "../coverage/measure.ts";
import { described, percent, share, unused } from "../coverage/share.ts";

/** What all processes of a run have written into a folder, added up. */
export function readCoverage(folder) {
  let names;
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
  } catch (error) {
    if (error.code === "ENOTDIR") throw new TestKitError(`${folder} is not a folder`);
    if (error.code === "ENOENT") throw new TestKitError(`there is no folder ${folder}: run the tests with STEPGLASS_COVERAGE=${folder} first`);
    throw new TestKitError(`cannot read the folder ${folder}: ${error.message}`);
  }
  const machines = new Map();
  for (const name of names.sort()) {
    const known = new Map();
    for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
      // A process that was killed may have left half of a line.
      const entry = parsed(line);
      if (entry === undefined) continue;
      if (entry.definition !== undefined) known.set(entry.digest, entry);
      add(machines, { ...known.get(entry.digest), ...entry });
    }
  }
  return [...machines.values()];
}

function parsed(line) {
  try {
    const entry = JSON.parse(line);
    return typeof entry?.digest === "string" && typeof entry.hits === "object" ? entry : undefined;
  } catch {
    return undefined;
  }
}

function add(machines, { digest, name, file, definition, executions = 0, hits }) {
  const machine = machines.get(digest);
  if (machine === undefined) {
    if (definition !== undefined) machines.set(digest, { digest, name, file, definition, executions, hits: { ...hits } });
    return;
  }
  machine.file ??= file;
  machine.executions += executions;
  for (const [place, count] of Object.entries(hits)) machine.hits[place] = (machine.hits[place] ?? 0) + count;
}

/**
 * The coverage of a run: of what this process has collected, or of a folder that a whole test run has written to. Files named
 * in `definitions` are in it even where no test has run them.
 */
export function coverageReport({ folder, definitions = [], root = process.cwd() } = {}) {
  const machines = new Map((folder === undefined ? collected() : readCoverage(folder)).map((machine) => [machine.digest, { ...machine }]));
  for (const path of definitions) {
    const { machine, file } = load(pathOf(path, "a definition"));
    const { digest, name, definition } = machine;
    const known = machines.get(digest);
    if (known === undefined) machines.set(digest, { digest, name, file, definition, executions: 0, hits: {} });
    else known.file ??= file;
  }
  return new CoverageReport([...machines.values()].map((machine) => measured(machine, root)).sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0)));
}

/** One definition with its places, counted, and the lines on which they stand. */
function measured({ digest, name, file: spec, definition, executions, hits }, root) {
  const source = spec === undefined ? undefined : readable(spec);
  const path = source?.file ?? spec;
  const file = path === undefined ? undefined : shortest(root, path);
  const fragment = spec !== undefined && spec !== path && spec.startsWith(path) ? spec.slice(path.length) : "";
  const places = placesOf(definition, hits, (pointer) => source?.line(pointer));
  return { title: file === undefined ? name : file + fragment, name, ...(file !== undefined && { file }), digest, executions, places, totals: totalsOf(places), embedded: source?.embedded ?? false, definition, text: source?.text ?? definition };
}

/** The file as it is now: it may have gone since the tests ran. */
function readable(spec) {
  try {
    return sourceOf(spec);
  } catch {
    return undefined;
  }
}

/** A path as it is shown: relative to the root where it is below that. */
function shortest(root, path) {
  const short = relative(root, path);
  return (short.startsWith("..") ? path : short).split(sep).join("/");
}

/** Coverage of one or more definitions. */
export class CoverageReport {
  constructor(machines) {
    /** One entry for each definition. */
    this.machines = machines;
    /** The sums. */
    this.totals = totalsOf(machines.flatMap(({ places }) => places));
  }

  /** The share of all places that were used, from 0 to 100. */
  get percent() {
    return percent(this.totals.all);
  }

  /** A table, and below it what was never used. */
  text({ color = false, missing = true } = {}) {
    if (this.machines.length === 0) return "No coverage: no execution has run.\n";
    const paint = (code, text) => (color ? `\x1b[${code}m${text}\x1b[0m` : text);
    const rows = [...this.machines.map(({ title, totals, executions }) => [title, totals, executions]), ...(this.machines.length > 1 ? [["all", this.totals, this.machines.reduce((sum, { executions }) => sum + executions, 0)]] : [])];
    const width = Math.max(10, ...rows.map(([title]) => title.length));
    const columns = [...Object.values(WORDS), "all"];
    const cell = ({ covered, total }) => (total === 0 ? "–" : `${covered}/${total}`).padStart(12);
    const head = `${"".padEnd(width)}${columns.map((column) => (column === "all" ? "covered" : column).padStart(12)).join("")}${"runs".padStart(8)}`;
    const body = rows.map(([title, totals, executions]) => {
      const part = percent(totals.all);
      const line = `${title.padEnd(width)}${columns.map((column) => (column === "all" ? `${share(part)} %`.padStart(12) : cell(totals[column]))).join("")}${String(executions).padStart(8)}`;
      return paint(part === 100 ? 32 : part >= 80 ? 33 : 31, line);
    });
    const never = missing ? this.machines.flatMap(({ title, file, places }) => unused(places).map((place) => `  ${title}${file === undefined ? "" : `:${place.line}`}  ${described(place)}`)) : [];
    return `${[paint(2, head), ...body].join("\n")}\n${never.length > 0 ? `\nNever used\n${never.join("\n")}\n` : ""}`;
  }

  /** For programs: totals, and every place with its count. */
  json() {
    return jsonOf(this);
  }

  /** An lcov tracefile of the definitions whose file is known. */
  lcov() {
    return lcov(this);
  }

  /** One HTML document that needs nothing else. */
  html(options) {
    return html(this, options);
  }
}
