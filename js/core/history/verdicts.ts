// Words for what the interpreter has decided about an error: see `ErrorFacts`.

import type { CatcherFacts, RetrierFacts } from "../api/index.d.ts";

const NOT_RETRIED: Readonly<Record<Exclude<RetrierFacts["verdict"], "retries" | "maxAttempts">, string>> = {
  earlier: "an earlier retrier matches",
  notNamed: "does not match %",
  notByAll: "States.ALL does not retry %: name it in ErrorEquals",
  uncatchable: "nothing matches States.Runtime",
};

/** Returns why a retrier has not retried an error, in words. */
export function whyNotRetried({ verdict, used, maxAttempts }: RetrierFacts, error: string | null | undefined): string {
  if (verdict === "maxAttempts") return `used up: ${used} of ${maxAttempts}`;
  return verdict === "retries" ? "retries" : NOT_RETRIED[verdict].replace("%", () => error ?? "it");
}

const NOT_CAUGHT: Readonly<Record<CatcherFacts["verdict"], string>> = {
  catches: "matches",
  retried: "not evaluated: the error is retried",
  earlier: "an earlier catcher matches",
  notNamed: "does not match %",
  uncatchable: "nothing matches States.Runtime",
};

/** Returns why a catcher has not caught an error, in words. */
export function whyNotCaught({ verdict }: CatcherFacts, error: string | null | undefined): string {
  return NOT_CAUGHT[verdict].replace("%", () => error ?? "it");
}
