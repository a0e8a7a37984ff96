// The retriers and catchers of a state, and how each handled an error.

import type { CatcherFacts, RetrierFacts } from "stepglass";
import type { Flow } from "../model/protocol.ts";
import { whyNotCaught, whyNotRetried } from "../../../js/core/history/verdicts.ts";
import { type Caught, type Retried, names, numberOf } from "../model/retries.ts";
import { listOf } from "../model/rule.ts";
import { Icon } from "../ui/Icon.tsx";
import { duration } from "../ui/format.ts";

/** The retriers and catchers in order, with the error of this attempt. */
export function RetryTable({ flow, at }: { flow: Flow; at: number }) {
  const raised = flow.stages.slice(0, at + 1).findLast(({ stage }) => stage === "error");
  const error = (raised?.value as { Error?: string | null } | undefined)?.Error ?? null;
  const took = flow.stages.find(({ stage }) => stage === "retry")?.value as Retried | undefined;
  const caught = flow.stages.find(({ stage }) => stage === "catch")?.value as Caught | undefined;
  const retriers = listOf<Record<string, unknown>>(flow.fields["Retry"]);
  const catchers = listOf<Record<string, unknown>>(flow.fields["Catch"]);
  if (retriers.length + catchers.length === 0) return null;
  return (
    <table class="decisions" aria-label="Retriers and catchers">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Errors</th>
          <th scope="col">Used</th>
          <th scope="col">Result</th>
        </tr>
      </thead>
      <tbody>
        {retriers.map((retrier, i) => (
          <RetrierRow key={`r${i}`} at={i} retrier={retrier} error={error} took={took} facts={raised?.failure?.retriers[i]} />
        ))}
        {catchers.map((catcher, i) => (
          <CatcherRow key={`c${i}`} at={i} catcher={catcher} error={error} caught={caught} facts={raised?.failure?.catchers[i]} />
        ))}
      </tbody>
    </table>
  );
}

interface RetrierRowProps {
  at: number;
  retrier: Record<string, unknown>;
  error: string | null;
  /** The retry that was made. */
  took: Retried | undefined;
  /** The interpreter's decision about it. Absent if no error precedes. */
  facts: RetrierFacts | undefined;
}

function RetrierRow({ at, retrier, error, took, facts }: RetrierRowProps) {
  const isTaken = took?.retrier === at;
  const used = (facts?.used ?? 0) + (isTaken ? 1 : 0);
  const most = facts?.maxAttempts ?? numberOf(retrier["MaxAttempts"], 3);
  return (
    <tr class={isTaken ? "taken" : ""}>
      <th scope="row">Retry {at + 1}</th>
      <td>{names(retrier).join(", ")}</td>
      <td>
        {used} of {most}
      </td>
      <td>
        {isTaken ? (
          <>
            <b class="is-good">
              <Icon name="check" size={11} /> retry {took.attempt}
            </b>{" "}
            {backoff(retrier, took.attempt, took.delayMilliseconds)}
          </>
        ) : (
          facts && <span class="quiet">{whyNotRetried(facts, error)}</span>
        )}
        {used < most && facts?.verdict !== "uncatchable" && <p class="quiet">next: {backoff(retrier, used + 1)}</p>}
      </td>
    </tr>
  );
}

interface CatcherRowProps {
  at: number;
  catcher: Record<string, unknown>;
  error: string | null;
  caught: Caught | undefined;
  facts: CatcherFacts | undefined;
}

function CatcherRow({ at, catcher, error, caught, facts }: CatcherRowProps) {
  const isTaken = caught?.catcher === at;
  return (
    <tr class={isTaken ? "taken" : ""}>
      <th scope="row">Catch {at + 1}</th>
      <td>{names(catcher).join(", ")}</td>
      <td />
      <td>
        {isTaken ? (
          <b class="is-good">
            <Icon name="check" size={11} /> to {caught.next}
          </b>
        ) : (
          facts && <span class="quiet">{whyNotCaught(facts, error)}</span>
        )}
      </td>
    </tr>
  );
}

/** Returns the text of a retrier's nth retry with its actual delay: `back-off 4.0 s (2 × 2¹), FULL jitter → 2.7 s`. */
function backoff(retrier: Record<string, unknown>, nth: number, waited?: number): string {
  const interval = numberOf(retrier["IntervalSeconds"], 1);
  const rate = numberOf(retrier["BackoffRate"], 2);
  const most = numberOf(retrier["MaxDelaySeconds"], Infinity);
  const whole = interval * rate ** (nth - 1);
  const full = Math.min(whole, most) * 1000;
  const jitter = retrier["JitterStrategy"] === "FULL";
  return `back-off ${duration(full)} (${interval} × ${rate}${raised(nth - 1)}${whole > most ? `, at most ${most} s` : ""})${jitter ? `, FULL jitter → ${waited === undefined ? `0 s to ${duration(full)}` : duration(waited)}` : ""}`;
}

function raised(n: number): string {
  return [...String(n)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
}
