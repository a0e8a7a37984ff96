// The debugger's signals.

import { computed, signal } from "@preact/signals";
import type { Breakpoint, Exceptions, LargePayload, Mock, Position, RunInfo } from "../model/protocol.ts";
import type { BreakpointMark } from "../editor/marks.ts";
import * as analysis from "../store/analysis.ts";

export const breakpoints = signal<Breakpoint[]>([]);
/** Whether breakpoints are enabled. */
export const stops = signal(true);
export const exceptions = signal<Exceptions>("none");
export const mocks = signal<Record<string, Mock>>({});
export const watches = signal<{ question: string; language: "jsonata" | "jsonpath" }[]>([]);
export const runs = signal<RunInfo[]>([]);

/** The position of a paused run; null while it runs and before it starts. */
export const position = signal<Position | null>(null);
/** A counter that grows with every stop. Effects that query the interpreter subscribe to it. */
export const stopped = signal(0);
/** The id of the breakpoint that is being edited. */
export const editing = signal<number | null>(null);

/** The name of the paused state. */
export const pausedState = computed(() => position.value?.stack[0]?.state ?? null);

/** Whether the run is paused before the state, after it, or within it. */
export const pausedWords = computed(() => {
  const at = position.value;
  const [top] = at?.stack ?? [];
  return !top
    ? ""
    : at!.left
      ? "paused after it"
      : top.stage
        ? `paused after ${stageName(top.stage)}`
        : at!.event > top.event
          ? "paused in it"
          : "paused before it";
});

/** The breakpoints of the machine whose graph is shown. */
export const here = computed(() => breakpoints.value.filter(({ machine }) => machine === analysis.inside.value?.machine));

/** The breakpoints by state, for marks. */
export const byState = computed(() => {
  const found = new Map<string, Breakpoint[]>();
  for (const one of here.value) {
    // A breakpoint on a transition belongs to no state.
    const state = one.kind === "transition" ? undefined : one.state;
    if (state === undefined || state === "") continue;
    const list = found.get(state);
    if (list) list.push(one);
    else found.set(state, [one]);
  }
  return found;
});

/** The full description of the stop: "before Charge · item #2 · attempt 2". */
export const stopWords = computed(() => {
  const at = position.value;
  if (!at) return "";
  const [top] = at.stack;
  // If another run or an earlier position is shown, the description of the stop does not name the place.
  const where =
    (at.stop.reason === "goto" ? "" : at.stop.description.replace(/^from /, "on the transition from ")) ||
    (top ? (top.stage ? `after ${stageName(top.stage)} of ${top.state}` : `before ${top.state}`) : "before the first state");
  return `${where}${analysis.inside.value ? ` · ${analysis.inside.value.machine}` : ""}${top && top.iterations.length > 0 ? ` · item ${top.iterations.map((index) => `#${index}`).join(" › ")}` : ""}${top && top.attempt > 0 ? ` · attempt ${top.attempt + 1}` : ""}`;
});

/** Returns the mark of a state's breakpoints, and its meaning. */
export function markOf(state: string): BreakpointMark | null {
  const there = byState.value.get(state);
  if (!there) return null;
  const active = stops.value ? there.filter(({ enabled }) => enabled !== false) : [];
  const title = there.map(describe).join("\n");
  const first = active[0] ?? there[0]!;
  const form = first.log ? "log" : first.condition || first.hit ? "condition" : "plain";
  return { kind: active.length > 0 ? form : "off", form, title };
}

const WHERE: Record<Breakpoint["kind"], (one: Breakpoint) => string> = {
  entry: () => "before it",
  exit: () => "after it",
  stage: ({ stage, when }) => `${when ?? "after"} ${stage || "a stage"}`,
  error: ({ errors, uncaught }) => `on ${uncaught ? "uncaught errors" : errors?.length ? errors.join(", ") : "any error"}`,
  retry: () => "before a retry",
  catch: () => "when an error is caught",
  transition: ({ from, to }) => `on the transition from ${from ?? "?"} to ${to ?? "?"}`,
  iteration: ({ indices, at }) => `at the ${at ?? "start"} of ${indices ? `iterations ${indices}` : "each iteration"}`,
  change: ({ path }) => `when ${path || "data"} changes`,
};

/** Returns the description of a breakpoint, without its state. */
export function describe(one: Breakpoint): string {
  const parts = [WHERE[one.kind](one)];
  if (one.condition) parts.push(`if ${one.condition}`);
  if (one.hit) parts.push(`at hit ${one.hit}`);
  if (one.log) parts.push("writes to the console");
  return parts.join(", ");
}

/** The name of the mock for each state's task, if there are rules for several tasks. */
export const ruled = signal<ReadonlyMap<string, string>>(new Map());

/** Returns the mock of a state's tasks, if they have one. */
export function mockOf(state: string): Mock | undefined {
  const mock = mocks.value[ruled.value.get(state) ?? state];
  return mock === undefined || mock.mode === "handler" ? undefined : mock;
}

/** Returns whether the tasks of a state have a mock other than their handlers. */
export const isMocked = (state: string): boolean => mockOf(state) !== undefined;

/** Returns the name of a stage for use after "after": `afterInputPath` → `InputPath`. */
export function stageName(stage: string): string {
  if (stage === "assignedVariables") return "Assign";
  return stage === "choice" || stage === "result" || stage === "output" ? `the ${stage}` : stage.replace(/^after/, "");
}

/** The payloads of the run that are close to AWS's limit, in the order of their events. */
export const large = signal<LargePayload[]>([]);
