// What a state has decided: which Choice rule, which retrier, which catcher, and why none of the others.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FailureInfo, Flow, FlowStage, Operand } from "../model/protocol.ts";
import * as interpreter from "../store/interpreter.ts";
import { Icon } from "../ui/Icon.tsx";
import { JsonView } from "../values/JsonView.tsx";
import { Tree } from "../values/Tree.tsx";
import { duration } from "../ui/format.ts";
import { change } from "./apply.ts";
import { linesOf } from "../values/diff.ts";
import { Underlined } from "./Scratch.tsx";

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
  const read = useOperands(
    flow,
    stage,
    written.slice(0, rules.length).map((rule) => textsOf(rule)),
  );
  return (
    <table class="decisions" aria-label="Choice rules">
      <thead>
        <tr>
          <th scope="col">Rule</th>
          <th scope="col">Tested</th>
          <th scope="col">Result</th>
          <th scope="col">Next</th>
        </tr>
      </thead>
      <tbody>
        {written.map((rule, i) => {
          const seen = rules[i];
          const operands = new Map(read[i]?.map((one) => [one.text, one]));
          const jsonata = typeof rule["Condition"] === "string";
          return (
            <tr key={i} class={taken === i ? "taken" : seen ? "" : "ahead"}>
              <th scope="row">{i + 1}</th>
              <td>
                {!seen || jsonata ? <code class={seen ? "" : "quiet"}>{ruleText(rule)}</code> : null}
                {seen && jsonata && <Operands list={read[i] ?? []} />}
                {seen && !jsonata && (
                  <ul>
                    {seen.tests.map((test, n) => (
                      <li key={n}>
                        <code>{test.of}</code>{" "}
                        {"value" in test ? (
                          <>
                            is <code>{json(test.value)}</code>
                          </>
                        ) : (
                          <span class="is-bad">has no value</span>
                        )}
                        {"operand" in test ? (
                          <>
                            {" "}
                            · {operatorOf(rule, test)} <code>{json(test.operand)}</code>
                          </>
                        ) : (
                          "value" in test && test.holds !== undefined && <> · {operatorOf(rule, test)}</>
                        )}
                        {test.holds !== undefined && (
                          <span class={test.holds ? "is-good" : "quiet"}>
                            {" "}
                            <Icon name={test.holds ? "check" : "cross"} size={11} />
                          </span>
                        )}
                        {!("value" in test) && operands.get(test.of)?.missing !== undefined && (
                          <p class="quiet">{operands.get(test.of)!.missing}</p>
                        )}
                        {"value" in test && test.holds === undefined && (
                          <Operands list={[...operands.values()].filter(({ missing }) => missing !== undefined)} />
                        )}
                      </li>
                    ))}
                  </ul>
                )}
              </td>
              <td>
                {!seen ? (
                  <span class="quiet">not evaluated</span>
                ) : seen.cause !== undefined ? (
                  <span class="is-bad">{plainCause(seen.cause)}</span>
                ) : taken === i ? (
                  <b class="is-good">
                    <Icon name="check" size={11} /> taken
                  </b>
                ) : (
                  "does not hold"
                )}
              </td>
              <td>{String(rule["Next"] ?? "")}</td>
            </tr>
          );
        })}
        {flow.fields["Default"] !== undefined && (
          <tr class={taken === "default" ? "taken" : "ahead"}>
            <th scope="row">Default</th>
            <td />
            <td>
              {taken === "default" ? (
                <b class="is-good">
                  <Icon name="check" size={11} /> taken: no rule holds
                </b>
              ) : (
                <span class="quiet">not needed</span>
              )}
            </td>
            <td>{String(flow.fields["Default"])}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Operands({ list }: { list: readonly Operand[] }) {
  if (list.length === 0) return null;
  return (
    <ul>
      {list.map(({ text, value, missing }) => (
        <li key={text}>
          <code>{text}</code>{" "}
          {missing === undefined ? (
            <>
              is <code>{json(value)}</code>
            </>
          ) : (
            <span class="is-bad">{missing}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/// The paths of a rule, or its condition.
function textsOf(rule: Record<string, unknown>): string[] {
  if (typeof rule["Condition"] === "string") return [rule["Condition"]];
  const found: string[] = [];
  const walk = (at: Record<string, unknown>, depth: number): void => {
    for (const [key, value] of Object.entries(at)) {
      if (typeof value === "string" && value.startsWith("$") && (key === "Variable" || key.endsWith("Path"))) found.push(value);
      if (depth < 40 && ["And", "Or", "Not"].includes(key))
        for (const inner of [value].flat())
          if (typeof inner === "object" && inner !== null) walk(inner as Record<string, unknown>, depth + 1);
    }
  };
  walk(rule, 0);
  return found;
}

function useOperands(flow: Flow, stage: FlowStage, texts: string[][]): Operand[][] {
  const found = useSignal<Operand[][]>([]);
  const key = JSON.stringify([flow.visit, flow.attempt, texts]);
  useEffect(() => {
    let stale = false;
    interpreter
      .query("operands", { visit: flow.visit, attempt: flow.attempt, stage: flow.stages.indexOf(stage), texts: texts.flat() })
      .then(
        (all) => {
          if (stale) return;
          let n = 0;
          found.value = texts.map((own) => own.flatMap(() => all[n++] ?? []));
        },
        () => {},
      );
    return () => {
      stale = true;
    };
  }, [key]);
  return found.value;
}

/// AWS's words without those that only name the state.
function plainCause(cause: string): string {
  return cause.replace(/^An error occurred while executing the state '[^]*?' \(entered at the event id #\d+\)\. /, "");
}

/// The operator in a rule's words, where it is plain which one a test is about.
function operatorOf(rule: Record<string, unknown>, test: Test): string {
  const found = (function find(at: Record<string, unknown>): string | undefined {
    if (at["Variable"] === test.of)
      return Object.entries(at).flatMap(([key, value]) =>
        key.startsWith("Is") ? [`${key} ${String(value)}`] : /(Equals|Than|Matches)(Path)?$/.test(key) ? [key] : [],
      )[0];
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

/// What went wrong, where in which expression, what that saw, and who takes it.
export function ErrorCard({ flow, stage }: { flow: Flow; stage: FlowStage }) {
  const { Error: error, Cause: cause } = stage.value as { Error: string | null; Cause: string | null };
  const info = useSignal<FailureInfo | null>(null);
  const done = useSignal("");
  const at = flow.stages.indexOf(stage);
  useEffect(() => {
    let stale = false;
    interpreter.query("failure", { visit: flow.visit, attempt: flow.attempt }).then(
      (found) => !stale && (info.value = found),
      () => {},
    );
    return () => {
      stale = true;
    };
  }, [flow.visit, flow.attempt]);
  const found = info.value;
  const fate = fateOf(flow, stage, found?.outer);
  const words = found?.said ?? cause;
  return (
    <div class="failure" role="group" aria-label="Error">
      <p class="failure-name">
        <Icon name="error" size={14} /> {error ?? "Failed"}
      </p>
      {words &&
        (isJson(words) ? (
          <JsonView label="Cause" text={words} />
        ) : (
          <p class="failure-cause">{words.length > 2000 ? `${words.slice(0, 2000)}…` : words}</p>
        ))}
      {found?.expression !== undefined && (
        <p class="failure-where">
          <span class="quiet">{found.field}</span>{" "}
          {found.from !== undefined ? (
            <Underlined text={found.expression} offset={found.from} {...(found.to !== undefined && { end: found.to })} />
          ) : (
            <code class="underlined">{found.expression}</code>
          )}
        </p>
      )}
      {found?.why && <p class="failure-why">{found.why}</p>}
      <p class="failure-fate">{fate.words}</p>
      {fate.note && <p class="quiet">{fate.note}</p>}
      {fate.open && (
        <p class="inspect-line">
          <button
            type="button"
            class="small"
            onClick={() =>
              void change((where) => interpreter.query("addCatch", { ...where, state: flow.state, error: error ?? "States.ALL" })).then(
                (problem) => (done.value = problem ?? `Added a catcher to ${flow.state}. Apply the definition, or run again.`),
              )
            }
          >
            <Icon name="bulb" size={13} /> Add a Catch
          </button>
          <span role="status">{done.value}</span>
        </p>
      )}
      {found?.saw.map(({ label, value }) => (
        <figure key={label} class="pane-value">
          <figcaption>
            Data at that point <b>{label}</b>
          </figcaption>
          <Tree label={`Data at that point: ${label}`} lines={linesOf(undefined, value, false, "all").lines} />
        </figure>
      ))}
      <RetryTable flow={flow} at={at} />
    </div>
  );
}

/// The last error of a state, for the card on its node.
export function NodeFailure({ state }: { state: string }) {
  const flow = useSignal<Flow | null>(null);
  const info = useSignal<FailureInfo | null>(null);
  useEffect(() => {
    let stale = false;
    interpreter.query("flow", { state }).then(
      async (found) => {
        if (!found || stale) return;
        const failure = await interpreter.query("failure", { visit: found.visit, attempt: found.attempt });
        if (stale) return;
        flow.value = found;
        info.value = failure;
      },
      () => {},
    );
    return () => {
      stale = true;
    };
  }, [state]);
  const stage = flow.value?.stages.findLast((one) => one.stage === "error");
  if (!flow.value || !stage) return null;
  const { Error: error, Cause: cause } = stage.value as { Error: string | null; Cause: string | null };
  const words = info.value?.said ?? cause ?? "";
  return (
    <div class="node-failure">
      <b class="is-bad">
        <Icon name="cross" size={11} /> {error ?? "Failed"}
      </b>
      {words && <p>{words.length > 160 ? `${words.slice(0, 160)}…` : words}</p>}
      <p>{fateOf(flow.value, stage, info.value?.outer).words}</p>
    </div>
  );
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const CATCHING: ReadonlySet<string> = new Set(["Task", "Parallel", "Map"]);

/// What becomes of an error, in words.
function fateOf(flow: Flow, stage: FlowStage, outer: FailureInfo["outer"]): { words: string; note?: string; open: boolean } {
  const { Error: error } = stage.value as { Error: string | null };
  const after = flow.stages.slice(flow.stages.indexOf(stage) + 1);
  const retry = after.find((one) => one.stage === "retry");
  const caught = after.find((one) => one.stage === "catch")?.value as { catcher: number; next: string } | undefined;
  if (retry) return { words: `Retried by retrier ${(retry.value as { retrier: number }).retrier + 1}.`, open: false };
  if (caught) return { words: `Caught by catcher ${caught.catcher + 1} → ${caught.next}`, open: false };
  if (error === "States.Runtime")
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
  const limit =
    error === "States.DataLimitExceeded" ? "States.ALL does not match States.DataLimitExceeded. Name the error in ErrorEquals." : undefined;
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
    ...(limit && { note: limit }),
    open: true,
  };
}

/// Retriers and catchers in their order, with the error of this attempt.
export function RetryTable({ flow, at }: { flow: Flow; at: number }) {
  const error =
    (flow.stages.slice(0, at + 1).findLast(({ stage }) => stage === "error")?.value as { Error?: string | null } | undefined)?.Error ??
    null;
  const took = flow.stages.find(({ stage }) => stage === "retry")?.value as Retried | undefined;
  const caught = flow.stages.find(({ stage }) => stage === "catch")?.value as { catcher: number; next: string } | undefined;
  const retriers = listOf(flow.fields["Retry"]);
  const catchers = listOf(flow.fields["Catch"]);
  if (retriers.length + catchers.length === 0) return null;
  const deciding = took?.retrier ?? retriers.findIndex((retrier) => matches(retrier, error));
  const catching = caught?.catcher ?? catchers.findIndex((catcher) => matches(catcher, error));
  const stranger = error === "States.Runtime" ? "nothing matches States.Runtime" : `does not match ${error ?? "it"}`;
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
        {retriers.map((retrier, i) => {
          const most = numberOf(retrier["MaxAttempts"], 3);
          const used = flow.retries.filter((one) => one.retrier === i).length;
          return (
            <tr key={`r${i}`} class={took?.retrier === i ? "taken" : ""}>
              <th scope="row">Retry {i + 1}</th>
              <td>{names(retrier).join(", ")}</td>
              <td>
                {used} of {most}
              </td>
              <td>
                {took?.retrier === i ? (
                  <>
                    <b class="is-good">
                      <Icon name="check" size={11} /> retry {took.attempt}
                    </b>{" "}
                    {backoff(retrier, took.attempt, took.delayMilliseconds)}
                  </>
                ) : !matches(retrier, error) ? (
                  <span class="quiet">{stranger}</span>
                ) : i !== deciding ? (
                  "an earlier retrier matches"
                ) : (
                  `used up: ${used} of ${most}`
                )}
                {used < most && error !== "States.Runtime" && <p class="quiet">next: {backoff(retrier, used + 1)}</p>}
              </td>
            </tr>
          );
        })}
        {catchers.map((catcher, i) => (
          <tr key={`c${i}`} class={caught?.catcher === i ? "taken" : ""}>
            <th scope="row">Catch {i + 1}</th>
            <td>{names(catcher).join(", ")}</td>
            <td />
            <td>
              {caught?.catcher === i ? (
                <b class="is-good">
                  <Icon name="check" size={11} /> to {caught.next}
                </b>
              ) : took ? (
                <span class="quiet">not evaluated: the error is retried</span>
              ) : !matches(catcher, error) ? (
                <span class="quiet">{stranger}</span>
              ) : i !== catching ? (
                "an earlier catcher matches"
              ) : (
                "matches"
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Retried {
  retrier: number;
  attempt: number;
  delayMilliseconds: number;
}

/// `back-off 4.0 s (2 × 2¹), FULL jitter → 2.7 s`: the nth retry of a retrier, and how long it has waited.
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

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
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
