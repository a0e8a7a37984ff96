// Words for what became of an error. The interpreter decides which retrier or catcher handles it: see `ErrorFacts`.

import type { FailureInfo, Flow, FlowStage } from "./protocol.ts";

export interface Retried {
  retrier: number;
  attempt: number;
  delayMilliseconds: number;
}

export interface Caught {
  catcher: number;
  next: string;
}

export function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

export function names(of: Record<string, unknown>): string[] {
  return Array.isArray(of["ErrorEquals"]) ? (of["ErrorEquals"] as unknown[]).map(String) : [];
}

/** Returns whether one of a retrier's or catcher's errors is among the names that the interpreter matches. */
export function hasOneOf(of: Record<string, unknown>, matching: readonly string[]): boolean {
  return names(of).some((name) => matching.includes(name));
}

const CATCHING: ReadonlySet<string> = new Set(["Task", "Parallel", "Map"]);

/// What becomes of an error, in words.
export function fateOf(flow: Flow, stage: FlowStage, outer: FailureInfo["outer"]): { words: string; note?: string; open: boolean } {
  const after = flow.stages.slice(flow.stages.indexOf(stage) + 1);
  const retry = after.find((one) => one.stage === "retry");
  const caught = after.find((one) => one.stage === "catch")?.value as Caught | undefined;
  if (retry) return { words: `Retried by retrier ${(retry.value as Retried).retrier + 1}.`, open: false };
  if (caught) return { words: `Caught by catcher ${caught.catcher + 1} → ${caught.next}`, open: false };
  if (stage.failure?.kind === "runtime")
    return {
      words: "Nothing can catch this error: the execution fails.",
      note: "States.Runtime cannot be caught: no Retry or Catch matches it, not even States.ALL. Correct the expression or the data.",
      open: false,
    };
  if (outer)
    return {
      words:
        outer.retrier !== undefined
          ? `Passed to ${outer.state} and retried by its retrier ${outer.retrier + 1}.`
          : `Passed to ${outer.state} and caught by its catcher ${outer.catcher! + 1} → ${outer.next}`,
      open: false,
    };
  if (!CATCHING.has(flow.type)) {
    const note =
      flow.type === "Fail"
        ? "A Fail state ends its scope: only an enclosing Parallel or Map can catch the error."
        : `A ${flow.type} state has no Catch. Wrap it in a Parallel state, which can have one.`;
    return { words: "Nothing caught this error.", note, open: false };
  }
  return {
    words:
      flow.fields["Catch"] === undefined ? "Nothing caught this error. Add a Catch." : "Nothing caught this error: no catcher matches it.",
    open: true,
  };
}
