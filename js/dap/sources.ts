// The files of what is debugged, as the protocol names them.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { DebugProgram } from "../api/dap.d.ts";
import { Refused } from "./launch.ts";
import { type Place, Places } from "./places.ts";
import type { Counting } from "./threads.ts";

/** A machine with its places and its source. */
export interface Debugged {
  /** The name of the machine. */
  name: string;
  places: Places;
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
      places: new Places(program),
      source: this.#sourceOf(program, i + 1),
    }));
  }

  #sourceOf({ path, name }: DebugProgram, reference: number): DebugProtocol.Source {
    if (path === undefined) return { name: `${name}.asl.json`, sourceReference: reference };
    const written = this.#client.pathFormat === "uri" ? new URL(path.startsWith("/") ? path : `/${path}`, "file://").href : path;
    return { name: path.split(/[\\/]/).at(-1) ?? path, path: written };
  }

  /** The machine of a name. */
  of(name: string): Debugged | undefined {
    return this.machines.find((one) => one.name === name);
  }

  /** The machines that a source has. */
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

  /** The text of a definition that has no file. */
  read({ sourceReference, source }: DebugProtocol.SourceArguments): DebugProtocol.SourceResponse["body"] {
    const reference = source?.sourceReference ?? sourceReference;
    const found = this.machines.find((one) => one.source.sourceReference === reference) ?? (source && this.in(source)[0]);
    if (found === undefined) throw new Refused("there is no such source");
    return { content: found.places.program.text, mimeType: "application/json" };
  }

  /** Lines and columns as the client counts them. */
  get counting(): Counting {
    const { linesStartAt1 = true, columnsStartAt1 = true } = this.#client;
    return { line: (line) => line - (linesStartAt1 ? 0 : 1), column: (column) => column - (columnsStartAt1 ? 0 : 1) };
  }

  /** The line and column here of those of the client. */
  ours({ line, column }: { line: number; column?: number | undefined }): { line: number; column: number | undefined } {
    const { linesStartAt1 = true, columnsStartAt1 = true } = this.#client;
    return { line: line + (linesStartAt1 ? 0 : 1), column: column === undefined ? undefined : column + (columnsStartAt1 ? 0 : 1) };
  }

  /** The first line and column of a place, as the client counts them, and its end. */
  lines({ range: { start, end } }: Place): Pick<DebugProtocol.Breakpoint, "line" | "column" | "endLine" | "endColumn"> & { line: number } {
    const { line, column } = this.counting;
    return { line: line(start.line), column: column(start.column), endLine: line(end.line), endColumn: column(end.column) };
  }
}

/** Editors of Windows write a drive's letter and separators in several ways. */
function isSame(a: string, b: string): boolean {
  const plain = (path: string): string => path.replaceAll("\\", "/").replace(/^[A-Za-z]:/, (drive) => drive.toLowerCase());
  return plain(a) === plain(b);
}
