// The source files of the debugged machines, as the protocol names them.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { DebugProgram } from "../../core/api/dap.d.ts";
import { Refused } from "./launch.ts";
import { type SourceLocation, SourceLocations } from "./source-locations.ts";
import type { Counting } from "./threads.ts";

/** A machine with its locations and its source. */
export interface Debugged {
  /** The name of the machine. */
  name: string;
  locations: SourceLocations;
  source: DebugProtocol.Source;
}

/** How a client writes paths and counts lines. */
export type Client = Pick<DebugProtocol.InitializeRequestArguments, "linesStartAt1" | "columnsStartAt1" | "pathFormat">;

export class Sources {
  readonly machines: Debugged[];
  #client: Client;

  constructor(programs: Iterable<DebugProgram>, client: Client) {
    this.#client = client;
    this.machines = Array.from(programs, (program, i) => ({
      name: program.name,
      locations: new SourceLocations(program),
      source: this.#sourceOf(program, i + 1),
    }));
  }

  #sourceOf({ path, name }: DebugProgram, reference: number): DebugProtocol.Source {
    if (path === undefined) return { name: `${name}.asl.json`, sourceReference: reference };
    const written = this.#client.pathFormat === "uri" ? new URL(path.startsWith("/") ? path : `/${path}`, "file://").href : path;
    return { name: path.split(/[\\/]/).at(-1) ?? path, path: written };
  }

  /** Returns the machine with a name. */
  of(name: string): Debugged | undefined {
    return this.machines.find((one) => one.name === name);
  }

  /** Returns the machines that a source contains. */
  in(source: DebugProtocol.Source): Debugged[] {
    const { path, sourceReference } = source;
    return this.machines.filter(({ source: own }) =>
      own.path === undefined ? own.sourceReference === sourceReference : path !== undefined && isSame(own.path, path),
    );
  }

  get all(): DebugProtocol.Source[] {
    return this.machines
      .map(({ source }) => source)
      .filter((one, i, all) => all.findIndex(({ path }) => path === one.path) === i || one.path === undefined);
  }

  /** Returns the text of a definition that has no file. */
  read({ sourceReference, source }: DebugProtocol.SourceArguments): DebugProtocol.SourceResponse["body"] {
    const reference = source?.sourceReference ?? sourceReference;
    const found = this.machines.find((one) => one.source.sourceReference === reference) ?? (source && this.in(source)[0]);
    if (found === undefined) throw new Refused("there is no such source");
    return { content: found.locations.program.text, mimeType: "application/json" };
  }

  /** Converts lines and columns to the client's numbers. */
  get counting(): Counting {
    const { linesStartAt1 = true, columnsStartAt1 = true } = this.#client;
    return { line: (line) => line - (linesStartAt1 ? 0 : 1), column: (column) => column - (columnsStartAt1 ? 0 : 1) };
  }

  /** Converts the client's line and column to numbers from 1. */
  ours({ line, column }: { line: number; column?: number | undefined }): { line: number; column: number | undefined } {
    const { linesStartAt1 = true, columnsStartAt1 = true } = this.#client;
    return { line: line + (linesStartAt1 ? 0 : 1), column: column === undefined ? undefined : column + (columnsStartAt1 ? 0 : 1) };
  }

  /** Returns the range of a location in the client's numbers. */
  lines({
    range: { start, end },
  }: SourceLocation): Pick<DebugProtocol.Breakpoint, "line" | "column" | "endLine" | "endColumn"> & { line: number } {
    const { line, column } = this.counting;
    return { line: line(start.line), column: column(start.column), endLine: line(end.line), endColumn: column(end.column) };
  }
}

/** Editors on Windows write the letter of a drive and separators in several ways. */
function isSame(a: string, b: string): boolean {
  const plain = (path: string): string => path.replaceAll("\\", "/").replace(/^[A-Za-z]:/, (drive) => drive.toLowerCase());
  return plain(a) === plain(b);
}
