// The retriers and catchers of a state, and how each handled an error.

import type { Flow } from "../model/protocol.ts";
import { type Caught, type Retried, matches, names, numberOf } from "../model/retries.ts";
import { listOf } from "../model/rule.ts";
import { Icon } from "../ui/Icon.tsx";
import { duration } from "../ui/format.ts";

/** The retriers and catchers in order, with the error of this attempt. */
export function RetryTable({ flow, at }: { flow: Flow; at: number }) {
  const error =
    (flow.stages.slice(0, at + 1).findLast(({ stage }) => stage === "error")?.value as { Error?: string | null } | undefined)?.Error ??
    null;
  const took = flow.stages.find(({ stage }) => stage === "retry")?.value as Retried | undefined;
  const caught = flow.stages.find(({ stage }) => stage === "catch")?.value as Caught | undefined;
  const retriers = listOf<Record<string, unknown>>(flow.fields["Retry"]);
  const catchers = listOf<Record<string, unknown>>(flow.fields["Catch"]);
  if (retriers.length + catchers.length === 0) return null;
  const used = (retrier: number): number => flow.retries.filter((one) => one.retrier === retrier).length;
  const deciding = took?.retrier ?? retriers.findIndex((retrier) => matches(retrier, error));
  const catching = caught?.catcher ?? catchers.findIndex((catcher) => matches(catcher, error));
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
          <RetrierRow key={`r${i}`} at={i} retrier={retrier} error={error} took={took} used={used(i)} decides={i === deciding} />
        ))}
        {catchers.map((catcher, i) => (
          <CatcherRow key={`c${i}`} at={i} catcher={catcher} error={error} caught={caught} isRetried={!!took} decides={i === catching} />
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
  /** How many of its retries were made. */
  used: number;
  /** Whether it is the first that matches. */
  decides: boolean;
}

function RetrierRow({ at, retrier, error, took, used, decides }: RetrierRowProps) {
  const most = numberOf(retrier["MaxAttempts"], 3);
  const isTaken = took?.retrier === at;
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
        ) : !matches(retrier, error) ? (
          <Stranger error={error} />
        ) : !decides ? (
          "an earlier retrier matches"
        ) : (
          `used up: ${used} of ${most}`
        )}
        {used < most && error !== "States.Runtime" && <p class="quiet">next: {backoff(retrier, used + 1)}</p>}
      </td>
    </tr>
  );
}

interface CatcherRowProps {
  at: number;
  catcher: Record<string, unknown>;
  error: string | null;
  caught: Caught | undefined;
  isRetried: boolean;
  decides: boolean;
}

function CatcherRow({ at, catcher, error, caught, isRetried, decides }: CatcherRowProps) {
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
        ) : isRetried ? (
          <span class="quiet">not evaluated: the error is retried</span>
        ) : !matches(catcher, error) ? (
          <Stranger error={error} />
        ) : !decides ? (
          "an earlier catcher matches"
        ) : (
          "matches"
        )}
      </td>
    </tr>
  );
}

/** The remark for a retrier or catcher that does not match. */
function Stranger({ error }: { error: string | null }) {
  return <span class="quiet">{error === "States.Runtime" ? "nothing matches States.Runtime" : `does not match ${error ?? "it"}`}</span>;
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
