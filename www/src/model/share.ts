// A workspace as links, drafts and sessions keep it.

import type { SavedSession } from "stepglass/debug";
import type { ClockMode, Config, Machine, Mock } from "./runReport.ts";

export interface Workspace {
  title: string;
  format: "json" | "yaml";
  definition: string;
  input: string;
  tasks: string;
  clock: ClockMode;
  seed: number;
  /** The inputs to choose from; `input` is the selected one. */
  inputs?: NamedInput[];
  /** The breakpoints of a run. */
  breakpoints?: SharedBreakpoint[];
  /** The mocks of tasks, by state. */
  mocks?: Record<string, Mock>;
  /** The state machines that tasks can start. */
  machines?: Machine[];
  /** The selected state. */
  selected?: string;
  /** The selected iterations, by the Map's pointer. */
  iterations?: Record<string, number>;
  /** The runs of a session file, in the package's format. */
  runs?: SavedSession;
  /** The options of an execution, besides its input. */
  config?: Config;
}

export interface NamedInput {
  name: string;
  text: string;
}

/** A breakpoint as examples, links and session files have it. Its members are those of the debugger. */
export interface SharedBreakpoint {
  kind: (typeof KINDS)[number];
  /** The state. If it is absent, the breakpoint applies to every state. */
  state?: string;
  /** The name of the machine, if it is one that tasks start. */
  machine?: string;
  /** With `stage`: the stage, and whether to stop before or after it. */
  stage?: string;
  when?: string;
  /** An expression, and its query language if that is not JSONata. */
  condition?: string;
  language?: string;
  /** The hit condition: `= n`, `>= n` or `% n`. */
  hit?: string;
  /** A text that is logged instead of stopping. */
  log?: string;
  /** With `transition`: the states that it leads from and to. */
  from?: string;
  to?: string;
  /** With `iteration`: the indices, and whether to stop at the start or the end. */
  indices?: string;
  at?: string;
  /** With `change`: the path of the watched value. */
  path?: string;
  /** With `error`: stops only for these errors, or only for errors that nothing handles. */
  errors?: string[];
  uncaught?: boolean;
  enabled?: boolean;
}

const KINDS = ["entry", "exit", "stage", "error", "retry", "catch", "transition", "iteration", "change"] as const;
const CLOCKS = new Set<unknown>(["real", "x10", "x60", "x3600", "manual"]);

/** Returns the workspace with the short names of links and drafts. Absent and default values are left out. */
export function packedOf({
  title,
  format,
  definition,
  input,
  tasks,
  clock,
  seed,
  inputs = [],
  breakpoints = [],
  mocks = {},
  machines = [],
  selected,
  iterations = {},
  config = {},
}: Workspace): Record<string, unknown> {
  return {
    t: title,
    f: format,
    d: definition,
    i: input,
    k: tasks,
    c: clock,
    s: seed,
    ...(inputs.length > 0 ? { n: inputs.map(({ name, text }) => [name, text]) } : {}),
    ...(breakpoints.length > 0 ? { b: breakpoints } : {}),
    ...(Object.keys(mocks).length > 0 ? { m: mocks } : {}),
    ...(machines.length > 0
      ? { x: machines.map(({ name, type, definition }) => [name, definition, ...(type === "EXPRESS" ? [type] : [])]) }
      : {}),
    ...(selected === undefined ? {} : { p: selected }),
    ...(Object.keys(iterations).length > 0 ? { q: iterations } : {}),
    ...(Object.keys(config).length > 0 ? { o: config } : {}),
  };
}

/** Validates a value from outside and fills in defaults. */
export function workspaceOf(value: unknown): Workspace {
  if (typeof value !== "object" || value === null) throw new Error("The link contains no workspace.");
  const from = value as Record<string, unknown>;
  const text = (key: string): string => {
    const held = from[key] ?? "";
    if (typeof held !== "string") throw new Error("The link contains no workspace: one of its fields has the wrong type.");
    return held;
  };
  const clock = from["c"];
  const seed = from["s"];
  const inputs = namedOf(from["n"]);
  const breakpoints = breakpointsOf(from["b"]);
  const mocks = mocksOf(from["m"]);
  const machines = machinesOf(from["x"]);
  const selected = from["p"];
  const config = configOf(from["o"]);
  const looked = from["q"];
  const iterations =
    typeof looked === "object" && looked !== null
      ? Object.fromEntries(Object.entries(looked).filter(([, index]) => Number.isSafeInteger(index)))
      : {};
  return {
    ...(Object.keys(iterations).length > 0 ? { iterations } : {}),
    ...(inputs.length > 0 ? { inputs } : {}),
    ...(breakpoints.length > 0 ? { breakpoints } : {}),
    ...(Object.keys(mocks).length > 0 ? { mocks } : {}),
    ...(machines.length > 0 ? { machines } : {}),
    ...(typeof selected === "string" ? { selected } : {}),
    ...(Object.keys(config).length > 0 ? { config } : {}),
    title: text("t").slice(0, 200) || "Untitled",
    format: from["f"] === "yaml" ? "yaml" : "json",
    definition: text("d"),
    input: text("i"),
    tasks: text("k"),
    clock: CLOCKS.has(clock) ? (clock as ClockMode) : "skip",
    seed: typeof seed === "number" && Number.isSafeInteger(seed) && seed >= 0 ? seed : 1,
  };
}

function configOf(value: unknown): Config {
  if (typeof value !== "object" || value === null) return {};
  const { name, arn, startTime, type, payload, events, strict } = value as Record<string, unknown>;
  return {
    ...(typeof name === "string" && name !== "" && { name: name.slice(0, 80) }),
    ...(typeof arn === "string" && arn !== "" && { arn: arn.slice(0, 300) }),
    ...(typeof startTime === "number" && Math.abs(startTime) <= 8.64e15 && { startTime }),
    ...(type === "EXPRESS" && { type }),
    ...(payload === false && { payload }),
    ...(events === false && { events }),
    ...(strict === true && { strict }),
  };
}

function namedOf(value: unknown): NamedInput[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 100).flatMap((entry) => {
    const [name, text] = Array.isArray(entry) ? (entry as unknown[]) : [];
    return typeof name === "string" && typeof text === "string" ? [{ name: name.slice(0, 200), text }] : [];
  });
}

function machinesOf(value: unknown): Machine[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 50).flatMap((entry) => {
    const [name, definition, type] = Array.isArray(entry) ? (entry as unknown[]) : [];
    return typeof name === "string" && typeof definition === "string"
      ? [{ name: name.slice(0, 300), definition, type: type === "EXPRESS" ? type : "STANDARD" }]
      : [];
  });
}

const isText = (value: unknown): boolean => typeof value === "string";
const isList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null);
/** The required member of each mode, and its check. */
const MODES: Record<Mock["mode"], [string, (value: unknown) => boolean] | undefined> = {
  ask: undefined,
  echo: undefined,
  result: undefined,
  handler: undefined,
  error: ["error", isText],
  script: ["steps", isList],
  expression: ["expression", isText],
  javascript: ["code", isText],
  recorded: ["answers", isList],
};

/** Returns the mocks of a value from outside. Invalid ones are left out. */
export function mocksOf(value: unknown): Record<string, Mock> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const fits = (mock: unknown): mock is Mock => {
    if (typeof mock !== "object" || mock === null || JSON.stringify(mock).length > 300_000) return false;
    const from = mock as Record<string, unknown>;
    const mode = String(from["mode"]);
    if (!Object.hasOwn(MODES, mode)) return false;
    const needs = MODES[mode as Mock["mode"]];
    return needs === undefined || needs[1](from[needs[0]]);
  };
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 500)
      .filter((entry): entry is [string, Mock] => entry[0] !== "__proto__" && fits(entry[1])),
  );
}

/** Returns the breakpoints of a value from outside. Invalid ones are left out. */
export function breakpointsOf(value: unknown): SharedBreakpoint[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 500).flatMap((entry): SharedBreakpoint[] => {
    if (typeof entry !== "object" || entry === null) return [];
    const from = entry as Record<string, unknown>;
    const kind = KINDS.find((known) => known === from["kind"]);
    if (kind === undefined) return [];
    const breakpoint: SharedBreakpoint = { kind };
    for (const key of [
      "state",
      "machine",
      "stage",
      "when",
      "condition",
      "language",
      "hit",
      "log",
      "from",
      "to",
      "indices",
      "at",
      "path",
    ] as const) {
      const text = from[key];
      if (typeof text === "string" && text.length <= 10_000) breakpoint[key] = text;
    }
    if (from["enabled"] === false) breakpoint.enabled = false;
    if (from["uncaught"] === true) breakpoint.uncaught = true;
    const errors = from["errors"];
    if (Array.isArray(errors)) breakpoint.errors = errors.filter((name) => typeof name === "string").slice(0, 100);
    return [breakpoint];
  });
}
