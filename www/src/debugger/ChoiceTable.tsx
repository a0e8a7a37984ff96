// Shows which rule of a Choice state matched, and why the others did not.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Rule, type Test, ruleText, textsOf } from "../model/choices.ts";
import type { Flow, FlowStage, Operand } from "../model/protocol.ts";
import * as interpreter from "../store/interpreter.ts";
import { Icon } from "../ui/Icon.tsx";
import { latestOnly } from "../ui/latestOnly.ts";

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
        {written.map((rule, i) => (
          <RuleRow key={i} nth={i + 1} rule={rule} seen={rules[i]} isTaken={taken === i} read={read[i] ?? []} />
        ))}
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

interface RuleRowProps {
  nth: number;
  /** The rule as the definition has it. */
  rule: Record<string, unknown>;
  /** The result of the rule in the execution. */
  seen: Rule | undefined;
  isTaken: boolean;
  read: readonly Operand[];
}

function RuleRow({ nth, rule, seen, isTaken, read }: RuleRowProps) {
  const operands = new Map(read.map((one) => [one.text, one]));
  const jsonata = typeof rule["Condition"] === "string";
  return (
    <tr class={isTaken ? "taken" : seen ? "" : "ahead"}>
      <th scope="row">{nth}</th>
      <td>
        {!seen || jsonata ? <code class={seen ? "" : "quiet"}>{ruleText(rule)}</code> : null}
        {seen && jsonata && <Operands list={read} />}
        {seen && !jsonata && (
          <ul>
            {seen.tests.map((test, n) => (
              <Tested key={n} test={test} operands={operands} />
            ))}
          </ul>
        )}
      </td>
      <td>
        <Result rule={seen} taken={isTaken} />
      </td>
      <td>{String(rule["Next"] ?? "")}</td>
    </tr>
  );
}

/** A comparison with the values of its operands and its result. */
function Tested({ test, operands }: { test: Test; operands: ReadonlyMap<string, Operand> }) {
  return (
    <li>
      <code>{test.of}</code>{" "}
      {"value" in test ? (
        <>
          is <code>{json(test.value)}</code>
        </>
      ) : (
        <span class="is-bad">has no value</span>
      )}
      {test.operator !== undefined && ("value" in test || "operand" in test) && (
        <>
          {" "}
          · {test.operator} <code>{"operand" in test ? json(test.operand) : test.path}</code>
        </>
      )}
      {test.holds !== undefined && (
        <span class={test.holds ? "is-good" : "quiet"}>
          {" "}
          <Icon name={test.holds ? "check" : "cross"} size={11} />
        </span>
      )}
      {!("value" in test) && operands.get(test.of)?.missing !== undefined && <p class="quiet">{operands.get(test.of)!.missing}</p>}
      {"value" in test && test.holds === undefined && (
        <Operands list={[...operands.values()].filter(({ missing }) => missing !== undefined)} />
      )}
    </li>
  );
}

function Result({ rule, taken }: { rule: Rule | undefined; taken: boolean }) {
  if (!rule) return <span class="quiet">not evaluated</span>;
  if (rule.cause !== undefined) return <span class="is-bad">{rule.message ?? rule.cause}</span>;
  if (!taken) return <>does not hold</>;
  return (
    <b class="is-good">
      <Icon name="check" size={11} /> taken
    </b>
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

function useOperands(flow: Flow, stage: FlowStage, texts: string[][]): Operand[][] {
  const found = useSignal<Operand[][]>([]);
  const key = JSON.stringify([flow.visit, flow.attempt, texts]);
  useEffect(() => {
    const asked = { visit: flow.visit, attempt: flow.attempt, stage: flow.stages.indexOf(stage), texts: texts.flat() };
    return latestOnly(interpreter.query("operands", asked), (all) => {
      let n = 0;
      found.value = texts.map((own) => own.flatMap(() => all[n++] ?? []));
    });
  }, [key]);
  return found.value;
}
