// What a state has decided: which Choice rule, which retrier, which catcher, and why none of the others.

import type { Flow, FlowStage } from "../model/protocol.ts";
import { Icon } from "../ui/Icon.tsx";
import { duration } from "../ui/format.ts";

interface Test {
  of: string;
  value?: unknown;
  operand?: unknown;
  holds?: boolean;
}

interface Rule {
  holds?: boolean;
  cause?: string;
  tests: Test[];
}

const json = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

export function ChoiceTable({ flow, stage }: { flow: Flow; stage: FlowStage }) {
  const { rules, taken } = stage.value as { rules: Rule[]; taken: number | "default" | null };
  const written = Array.isArray(flow.fields["Choices"]) ? (flow.fields["Choices"] as Record<string, unknown>[]) : [];
  return (
    <table class="decisions" aria-label="Choice rules">
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col">Looked at</th>
          <th scope="col">Came out</th>
          <th scope="col">Next</th>
        </tr>
      </thead>
      <tbody>
        {written.map((rule, i) => {
          const seen = rules[i];
          return (
            <tr key={i} class={taken === i ? "taken" : seen ? "" : "ahead"}>
              <th scope="row">{i + 1}</th>
              <td>
                {seen ? (
                  <ul>
                    {seen.tests.map((test, n) => (
                      <li key={n}>
                        <code>{test.of}</code> {"value" in test ? <>is <code>{json(test.value)}</code></> : <span class="is-bad">has no value</span>}
                        {"operand" in test && <> {operatorOf(rule, test)} <code>{json(test.operand)}</code></>}
                        {test.holds !== undefined && <span class={test.holds ? "is-good" : "quiet"}> {test.holds ? "✓" : "✗"}</span>}
                      </li>
                    ))}
                  </ul>
                ) : (
                  <code class="quiet">{ruleText(rule)}</code>
                )}
              </td>
              <td>{!seen ? <span class="quiet">not evaluated</span> : seen.cause !== undefined ? <span class="is-bad">{seen.cause}</span> : taken === i ? <b class="is-good">✓ taken</b> : "does not hold"}</td>
              <td>{String(rule["Next"] ?? "")}</td>
            </tr>
          );
        })}
        {flow.fields["Default"] !== undefined && (
          <tr class={taken === "default" ? "taken" : "ahead"}>
            <th scope="row">Default</th>
            <td />
            <td>{taken === "default" ? <b class="is-good">✓ taken: no rule holds</b> : <span class="quiet">not needed</span>}</td>
            <td>{String(flow.fields["Default"])}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/// The operator in a rule's words, where it is plain which one a test is about.
function operatorOf(rule: Record<string, unknown>, test: Test): string {
  const found = (function find(at: Record<string, unknown>): string | undefined {
    if (at["Variable"] === test.of) return Object.keys(at).find((key) => /(Equals|Than|Matches)(Path)?$|EqualsPath$/.test(key));
    for (const inner of [at["Not"], ...[at["And"], at["Or"]].flat()]) {
      const name = typeof inner === "object" && inner !== null ? find(inner as Record<string, unknown>) : undefined;
      if (name) return name;
    }
    return undefined;
  })(rule);
  return found ?? "against";
}

function ruleText(rule: Record<string, unknown>): string {
  const { Next: _, Assign: __, Output: ___, Comment: ____, ...rest } = rule;
  return typeof rest["Condition"] === "string" ? (rest["Condition"] as string) : JSON.stringify(rest);
}

export function ErrorCard({ flow, stage }: { flow: Flow; stage: FlowStage }) {
  const { Error: error, Cause: cause } = stage.value as { Error: string | null; Cause: string | null };
  const after = flow.stages.slice(flow.stages.indexOf(stage) + 1);
  const retry = after.find((one) => one.stage === "retry");
  const caught = after.find((one) => one.stage === "catch")?.value as { catcher: number; next: string } | undefined;
  return (
    <div class="failure">
      <p class="failure-name">
        <Icon name="error" size={14} /> {error ?? "Failed"}
      </p>
      {cause && <p class="failure-cause">{cause}</p>}
      <p>
        {retry ? "A retrier takes it." : caught ? `Caught by catcher ${caught.catcher + 1}, goes on with ${caught.next}.` : error === "States.Runtime" ? "AWS lets nobody catch States.Runtime." : flow.fields["Catch"] ? "No catcher names this error." : "Nothing catches it here: a Catch would."}
      </p>
      <RetryTable flow={flow} at={flow.stages.indexOf(stage)} />
    </div>
  );
}

/// Retriers and catchers in their order, with the error of this attempt.
export function RetryTable({ flow, at }: { flow: Flow; at: number }) {
  const error = (flow.stages.slice(0, at + 1).findLast(({ stage }) => stage === "error")?.value as { Error?: string | null } | undefined)?.Error ?? null;
  const took = flow.stages.find(({ stage }) => stage === "retry")?.value as { retrier: number; attempt: number; delayMilliseconds: number } | undefined;
  const caught = flow.stages.find(({ stage }) => stage === "catch")?.value as { catcher: number; next: string } | undefined;
  const retriers = listOf(flow.fields["Retry"]);
  const catchers = listOf(flow.fields["Catch"]);
  if (retriers.length + catchers.length === 0) return null;
  const decided = took?.retrier;
  return (
    <table class="decisions" aria-label="Retriers and catchers">
      <thead>
        <tr>
          <th scope="col">Takes</th>
          <th scope="col">Errors</th>
          <th scope="col">Came out</th>
        </tr>
      </thead>
      <tbody>
        {retriers.map((retrier, i) => {
          const fits = matches(retrier, error);
          const most = typeof retrier["MaxAttempts"] === "number" ? retrier["MaxAttempts"] : 3;
          return (
            <tr key={`r${i}`} class={decided === i ? "taken" : ""}>
              <th scope="row">Retry {i + 1}</th>
              <td>{names(retrier).join(", ")}</td>
              <td>
                {decided === i ? (
                  <>
                    <b class="is-good">✓ attempt {took!.attempt} of {most}</b>, after {duration(took!.delayMilliseconds)} <span class="quiet">({backoff(retrier, took!.attempt)})</span>
                  </>
                ) : fits && decided === undefined ? (
                  `used up: ${most} of ${most} attempts`
                ) : fits ? (
                  "a retrier before it decides"
                ) : (
                  <span class="quiet">does not name {error ?? "it"}</span>
                )}
              </td>
            </tr>
          );
        })}
        {catchers.map((catcher, i) => (
          <tr key={`c${i}`} class={caught?.catcher === i ? "taken" : ""}>
            <th scope="row">Catch {i + 1}</th>
            <td>{names(catcher).join(", ")}</td>
            <td>{caught?.catcher === i ? <b class="is-good">✓ to {caught.next}</b> : took ? <span class="quiet">not looked at: it is retried</span> : matches(catcher, error) ? "a catcher before it decides" : <span class="quiet">does not name {error ?? "it"}</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function backoff(retrier: Record<string, unknown>, attempt: number): string {
  const interval = typeof retrier["IntervalSeconds"] === "number" ? retrier["IntervalSeconds"] : 1;
  const rate = typeof retrier["BackoffRate"] === "number" ? retrier["BackoffRate"] : 2;
  const jitter = retrier["JitterStrategy"] === "FULL" ? ", FULL jitter" : "";
  return `${interval} s × ${rate}^${attempt - 1}${typeof retrier["MaxDelaySeconds"] === "number" ? `, at most ${retrier["MaxDelaySeconds"]} s` : ""}${jitter}`;
}

function names(of: Record<string, unknown>): string[] {
  return Array.isArray(of["ErrorEquals"]) ? (of["ErrorEquals"] as unknown[]).map(String) : [];
}

function matches(of: Record<string, unknown>, error: string | null): boolean {
  if (error === "States.Runtime") return false;
  return names(of).some((name) => name === "States.ALL" || name === error || (name === "States.TaskFailed" && error !== "States.Timeout"));
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
