// Coverage of definitions by a test run: reads what processes have written, and reports totals, text and JSON.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { shortPath } from "../../language/files/short-path.ts";
import type { CoverageOptions, CoverageReport as Report, CoverageTotals, DefinitionCoverage } from "../../core/api/testing.d.ts";
import { isObject } from "../../core/base/json.ts";
import { type DefinitionUse, type Hits, addHits, collected } from "../coverage/collect.ts";
import { html } from "../coverage/html.ts";
import { lcov } from "../coverage/lcov.ts";
import { type MeasuredDefinition, WORDS, jsonOf, placesOf, totalsOf } from "../coverage/measure.ts";
import { described, percent, share, unused } from "../coverage/share.ts";
import type { Source } from "../../language/files/source.ts";
import { load, sourceOf } from "./definition.ts";
import { pathOf } from "../mocks/paths.ts";
import { TestKitError } from "../mocks/errors.ts";

/** A line that a process has written: counts, and for the first line of a definition also the definition. */
type Entry = Partial<DefinitionUse> & { digest: string; hits: Hits };

/** A definition of a report. */
type ReportedDefinition = DefinitionCoverage & MeasuredDefinition & { definition: string; text: string };

/** Returns the sum of what all processes of a run have written into a folder. */
function readCoverage(folder: string): DefinitionUse[] {
  const machines = new Map<string, DefinitionUse>();
  for (const name of filesIn(folder)) {
    const known = new Map<string, Entry>();
    for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
      // A process that was killed may have left an incomplete line.
      const entry = parsed(line);
      if (entry === undefined) continue;
      if (entry.definition !== undefined) known.set(entry.digest, entry);
      add(machines, { ...known.get(entry.digest), ...entry });
    }
  }
  return [...machines.values()];
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".ndjson"))
      .sort();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") throw new TestKitError(`${folder} is not a folder`);
    if (code === "ENOENT") throw new TestKitError(`there is no folder ${folder}: run the tests with STEPGLASS_COVERAGE=${folder} first`);
    throw new TestKitError(`cannot read the folder ${folder}: ${message}`);
  }
}

function parsed(line: string): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) && typeof entry.digest === "string" && isObject(entry.hits) ? (entry as Entry) : undefined;
  } catch {
    return undefined;
  }
}

function add(machines: Map<string, DefinitionUse>, { digest, name = "", file, definition, executions = 0, hits }: Entry): void {
  const machine = machines.get(digest);
  if (machine === undefined) {
    if (definition !== undefined) machines.set(digest, { digest, name, file, definition, executions, hits: { ...hits } });
    return;
  }
  machine.file ??= file;
  machine.executions += executions;
  addHits(machine.hits, hits);
}

/**
 * Returns the coverage of a run: of this process, or of a folder to which a whole test run has written. Files in `definitions` are
 * included even if no test has run them.
 */
export function coverageReport({ folder, definitions = [], root = process.cwd() }: CoverageOptions = {}): CoverageReport {
  const machines = new Map((folder === undefined ? collected() : readCoverage(folder)).map((machine) => [machine.digest, { ...machine }]));
  for (const path of definitions) {
    const { machine, file } = load(pathOf(path, "a definition"));
    const { digest, name, definition } = machine;
    const known = machines.get(digest);
    if (known === undefined) machines.set(digest, { digest, name, file, definition, executions: 0, hits: {} });
    else known.file ??= file;
  }
  return new CoverageReport(
    [...machines.values()].map((machine) => measured(machine, root)).sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0)),
  );
}

/** Returns one definition with its places, their counts and their lines. */
function measured({ digest, name, file: spec, definition, executions, hits }: DefinitionUse, root: string): ReportedDefinition {
  const source = spec === undefined ? undefined : readable(spec);
  const path = source?.file ?? spec;
  const file = path === undefined ? undefined : shortPath(path, root);
  const fragment = source?.id === undefined ? "" : `#${source.id}`;
  const places = placesOf(definition, hits, (pointer) => source?.line(pointer));
  return {
    title: file === undefined ? name : file + fragment,
    name,
    ...(file !== undefined && { file }),
    digest,
    executions,
    places,
    totals: totalsOf(places),
    definition,
    text: source?.text ?? definition,
  };
}

/** Reads the present file. It may have been deleted since the tests ran. */
function readable(spec: string): Source | undefined {
  try {
    return sourceOf(spec);
  } catch {
    return undefined;
  }
}

/** Coverage of one or more definitions. */
export class CoverageReport implements Report {
  /** One entry for each definition. */
  readonly machines: ReportedDefinition[];
  /** The totals. */
  readonly totals: CoverageTotals;

  constructor(machines: ReportedDefinition[]) {
    this.machines = machines;
    this.totals = totalsOf(machines.flatMap(({ places }) => places));
  }

  /** The percentage of all places that were used, from 0 to 100. */
  get percent(): number {
    return percent(this.totals.all);
  }

  /** Returns a table, followed by what was never used. */
  text({ color = false, missing = true }: { color?: boolean; missing?: boolean } = {}): string {
    if (this.machines.length === 0) return "No coverage: no execution has run.\n";
    const table = this.#table((code, text) => (color ? `\x1b[${code}m${text}\x1b[0m` : text));
    const never = missing ? this.#neverUsed() : [];
    return `${table.join("\n")}\n${never.length > 0 ? `\nNever used\n${never.join("\n")}\n` : ""}`;
  }

  #table(paint: (code: number, text: string) => string): string[] {
    const { machines, totals } = this;
    const runs = machines.reduce((sum, { executions }) => sum + executions, 0);
    const rows = machines.length > 1 ? [...machines, { title: "all", totals, executions: runs }] : machines;
    const width = Math.max(10, ...rows.map(({ title }) => title.length));
    const kinds = Object.values(WORDS);
    const cells = (texts: string[]) => texts.map((text) => text.padStart(12)).join("");
    const head = `${"".padEnd(width)}${cells([...kinds, "covered"])}${"runs".padStart(8)}`;
    const body = rows.map((row) => {
      const part = percent(row.totals.all);
      const counts = kinds.map((kind) => row.totals[kind]).map(({ covered, total }) => (total === 0 ? "–" : `${covered}/${total}`));
      const line = `${row.title.padEnd(width)}${cells([...counts, `${share(part)} %`])}${String(row.executions).padStart(8)}`;
      return paint(part === 100 ? 32 : part >= 80 ? 33 : 31, line);
    });
    return [paint(2, head), ...body];
  }

  #neverUsed(): string[] {
    return this.machines.flatMap(({ title, file, places }) =>
      unused(places).map((place) => `  ${title}${file === undefined ? "" : `:${place.line}`}  ${described(place)}`),
    );
  }

  /** Returns JSON for programs: totals, and every place with its count. */
  json(): string {
    return jsonOf(this);
  }

  /** Returns an lcov tracefile of the definitions whose files are known. */
  lcov(): string {
    return lcov(this);
  }

  /** Returns one HTML document without external resources. */
  html(options?: { title?: string }): string {
    return html(this, options);
  }
}
