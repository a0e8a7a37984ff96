// All breakpoints that the client has set, of every kind, and the breakpoints of the session that implement them.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Breakpoint, DebugSession } from "../../core/api/debug.d.ts";
import type { Debugged, Sources } from "./sources.ts";
import { type Resolved, namesIn, onData, onLocation, onState } from "./stops.ts";

/** The reason of a stop at a breakpoint, as the protocol names it. */
type BreakpointReason = "breakpoint" | "function breakpoint" | "data breakpoint" | "exception";

/** A breakpoint of the client as it was answered, and the breakpoints of the session for it. */
interface Row {
  answer: DebugProtocol.Breakpoint;
  breakpoints: Breakpoint[];
  reason: BreakpointReason;
  /** Describes where it stops, in the words of the definition. */
  at?: string;
}

export class BreakpointTable {
  #sources: Sources;
  #session: DebugSession;
  #ids = new Map<string, number>();
  #asked: Map<string, DebugProtocol.SetBreakpointsArguments>;
  #functions: DebugProtocol.FunctionBreakpoint[];
  #data: DebugProtocol.DataBreakpoint[];
  #names: string[];
  #filter: "none" | "uncaught" | "all";
  #rows: Row[] = [];
  /** The client's breakpoint for each id of a breakpoint of the session. */
  #owners = new Map<number, Row>();

  /** `before` is the table of the run before a restart. */
  constructor(sources: Sources, session: DebugSession, before?: BreakpointTable) {
    this.#sources = sources;
    this.#session = session;
    this.#asked = before ? before.#asked : new Map();
    this.#functions = before ? before.#functions : [];
    this.#data = before ? before.#data : [];
    this.#names = before ? before.#names : [];
    this.#filter = before ? before.#filter : "none";
    if (before) this.#ids = before.#ids;
    this.#apply();
  }

  setSource(given: DebugProtocol.SetBreakpointsArguments): DebugProtocol.SetBreakpointsResponse["body"] {
    const key = keyOf(given.source);
    this.#asked.set(key, given);
    this.#apply();
    return { breakpoints: this.#answers(key) };
  }

  setFunctions({ breakpoints }: DebugProtocol.SetFunctionBreakpointsArguments): DebugProtocol.SetBreakpointsResponse["body"] {
    this.#functions = breakpoints;
    this.#apply();
    return { breakpoints: this.#answers("function") };
  }

  setData({ breakpoints }: DebugProtocol.SetDataBreakpointsArguments): DebugProtocol.SetBreakpointsResponse["body"] {
    this.#data = breakpoints;
    this.#apply();
    return { breakpoints: this.#answers("data") };
  }

  setExceptions({ filters, filterOptions = [] }: DebugProtocol.SetExceptionBreakpointsArguments): object {
    const all = new Set([...filters, ...filterOptions.map(({ filterId }) => filterId)]);
    this.#filter = all.has("all") ? "all" : all.has("uncaught") ? "uncaught" : "none";
    this.#names = filterOptions.filter(({ filterId }) => filterId === "named").flatMap(({ condition }) => namesIn(condition));
    this.#apply();
    const verified = (filterId: string): boolean => filterId !== "named" || this.#names.length > 0;
    return {
      breakpoints: [...filters, ...filterOptions.map(({ filterId }) => filterId)].map((filter) => ({
        verified: verified(filter),
        ...(!verified(filter) && { message: "give the names of errors, separated by commas" }),
      })),
    };
  }

  /** Returns the possible breakpoint locations in some lines. */
  locations(given: DebugProtocol.BreakpointLocationsArguments): DebugProtocol.BreakpointLocationsResponse["body"] {
    const from = this.#sources.ours({ line: given.line }).line;
    const to = this.#sources.ours({ line: given.endLine ?? given.line }).line;
    const locations = this.#sources.in(given.source).flatMap(({ locations: { all } }) => all);
    const within = locations.filter(({ range: { start } }) => start.line >= from && start.line <= to);
    return { breakpoints: within.map((location) => this.#sources.lines(location)) };
  }

  /** Returns why a breakpoint of the session stops the run, and the client's breakpoint that it implements. */
  ownerOf(id: number): { reason: BreakpointReason; answer: DebugProtocol.Breakpoint; at?: string } | undefined {
    return this.#owners.get(id);
  }

  /** The present answers for all breakpoints. */
  get all(): DebugProtocol.Breakpoint[] {
    return this.#rows.map(({ answer }) => answer);
  }

  #answers(prefix: string): DebugProtocol.Breakpoint[] {
    const ids = new Set([...this.#ids].filter(([key]) => key.startsWith(`${prefix}\n`)).map(([, id]) => id));
    return this.#rows.filter(({ answer }) => ids.has(answer.id ?? -1)).map(({ answer }) => answer);
  }

  #idOf(...parts: unknown[]): number {
    const key = parts.join("\n");
    let id = this.#ids.get(key);
    if (id === undefined) this.#ids.set(key, (id = this.#ids.size + 1));
    return id;
  }

  #apply(): void {
    const own = [...this.#asked].flatMap(([key, { source, breakpoints = [] }]) =>
      breakpoints.map((one) => this.#inSource(key, source, one)),
    );
    const functions = this.#functions.map((one) => this.#onFunction(one));
    const language = this.#sources.machines[0]?.locations.language ?? "JSONPath";
    const data = this.#data.map((one) => {
      const id = this.#idOf("data", one.dataId);
      return rowOf(id, [onData(one.dataId, one, language)], "data breakpoint");
    });
    this.#rows = [...own, ...functions, ...data];
    const named: Row[] =
      this.#names.length > 0
        ? [{ answer: { verified: true }, breakpoints: [{ kind: "error", errors: this.#names }], reason: "exception" }]
        : [];
    this.#owners.clear();
    const all: Breakpoint[] = [];
    for (const row of [...this.#rows, ...named]) {
      for (const [i, breakpoint] of row.breakpoints.entries()) {
        // A stable id keeps the hit count of a breakpoint that is set again.
        const id = this.#idOf(
          "session",
          row.answer.id ?? "named",
          i,
          breakpoint.kind,
          breakpoint.state,
          breakpoint.stage,
          breakpoint.machine,
        );
        this.#owners.set(id, row);
        all.push({ ...breakpoint, id });
      }
    }
    this.#session.setBreakpoints(all);
    this.#session.setExceptionBreakpoints(this.#filter);
  }

  #inSource(key: string, source: DebugProtocol.Source, asked: DebugProtocol.SourceBreakpoint): Row {
    const { line, column } = this.#sources.ours(asked);
    const id = this.#idOf(key, asked.line, asked.column);
    const machines = this.#sources.in(source);
    for (const machine of machines) {
      const location = machine.locations.at(line, column);
      if (location === undefined) continue;
      const row = rowOf(id, [onLocation(location, machine.locations, asked, machine.name)], "breakpoint");
      return { ...row, answer: { ...row.answer, source: machine.source, ...this.#sources.lines(location) } };
    }
    const message = machines.length === 0 ? "this file does not belong to the program that is being debugged" : "no state is on this line";
    return { answer: { id, verified: false, message, line: asked.line }, breakpoints: [], reason: "breakpoint" };
  }

  #onFunction(asked: DebugProtocol.FunctionBreakpoint): Row {
    const id = this.#idOf("function", asked.name);
    const machines: Debugged[] = this.#sources.machines.filter(({ locations }) => locations.states.has(asked.name));
    const [first] = machines;
    if (first === undefined) {
      const names = this.#sources.machines.flatMap(({ locations }) => [...locations.states.keys()]);
      const message = `there is no state ${asked.name}; the states are ${names.slice(0, 10).join(", ")}${names.length > 10 ? " …" : ""}`;
      return { answer: { id, verified: false, message }, breakpoints: [], reason: "function breakpoint" };
    }
    const resolved = machines.map(({ name, locations }) => onState(asked.name, locations, asked, name));
    const row = rowOf(id, resolved, "function breakpoint");
    const location = first.locations.states.get(asked.name);
    return { ...row, answer: { ...row.answer, source: first.source, ...(location && this.#sources.lines(location)) } };
  }
}

function keyOf({ path, sourceReference }: DebugProtocol.Source): string {
  return path ?? `reference ${sourceReference}`;
}

function rowOf(id: number, resolved: readonly Resolved[], reason: BreakpointReason): Row {
  const [first] = resolved;
  if (first === undefined || "message" in first)
    return { answer: { id, verified: false, message: first?.message ?? "" }, breakpoints: [], reason };
  const breakpoints = resolved.flatMap((one) => ("message" in one ? [] : [one.breakpoint]));
  const { at, breakpoint } = first;
  return { answer: { id, verified: true, message: `stops ${at}` }, breakpoints, reason, ...(breakpoint.kind === "stage" && { at }) };
}
