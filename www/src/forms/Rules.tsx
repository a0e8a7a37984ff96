// The rules of a Choice. Each shows a sentence, its result in the last run, and its builder.

import { useSignal, useSignalEffect } from "@preact/signals";
import { pointerTo } from "stepglass/pointer";
import type { Decided, DecidedRule } from "../model/form.ts";
import { type Fields, isFields, listOf, sentenceOf } from "../model/rule.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { Builder } from "./Builder.tsx";
import { newRule } from "./additions.ts";
import { useForm } from "./context.ts";
import type { Given } from "./controls.tsx";
import { JsonRow } from "./Json.tsx";
import { Expression } from "./Expression.tsx";
import { RULE } from "./fields.ts";
import { Optional } from "./Fields.tsx";
import { Add, Items } from "./Items.tsx";
import { Row } from "./Row.tsx";
import { brief } from "./values.ts";
import { change, reportRefusal } from "./write.ts";

export function RulesRow(given: Given) {
  const { formed } = useForm();
  const { at, name, value } = given;
  const rules = listOf(value);
  const decided = useDecided(formed.pointer, formed.language, rules);
  if (value !== undefined && !Array.isArray(value)) return <JsonRow {...given} />;
  const jsonata = formed.language === "JSONata";
  const taken = decided?.rules.findIndex((rule) => rule.holds === true) ?? -1;
  return (
    <Row at={at} name={name} deep={false}>
      <div class="form-items">
        {decided && <Seen decided={decided} taken={taken} />}
        <Items
          at={at}
          noun="Rule"
          values={rules}
          fixed={() => (rules.length === 1 ? "A Choice needs a rule" : undefined)}
          head={(one, index) => (
            <>
              <b>If {sentenceOf(one)}</b>
              <span class="form-edge">→ {isFields(one) ? String(one["Next"] ?? "nowhere yet") : ""}</span>
              <Verdict rule={decided?.rules[index]} taken={taken === index} after={taken >= 0 && index > taken} />
            </>
          )}
          body={(one, index) =>
            isFields(one) ? (
              <RuleBody rule={one} at={pointerTo(at, index)} jsonata={jsonata} />
            ) : (
              <JsonRow at={pointerTo(at, index)} name={`Rule ${index + 1}`} value={one} />
            )
          }
        />
        <Add label="Rule" run={() => reportRefusal(change(newRule(formed)))} />
      </div>
    </Row>
  );
}

const TESTS = ["Variable", "And", "Or", "Not", "Condition"];

function RuleBody({ rule, at, jsonata }: { rule: Fields; at: string; jsonata: boolean }) {
  const tests = Object.keys(rule).filter((name) => TESTS.includes(name) || /^(String|Numeric|Boolean|Timestamp|Is)[A-Z]/.test(name));
  return (
    <>
      {jsonata ? (
        <Expression at={pointerTo(at, "Condition")} name="Condition" value={rule["Condition"]} form="condition" />
      ) : (
        <Builder test={rule} at={at} outermost />
      )}
      <Optional fields={RULE} always={["Next"]} of={rule} at={at} besides={tests} />
    </>
  );
}

/** The run whose data the rules are evaluated with. */
function Seen({ decided, taken }: { decided: Decided; taken: number }) {
  if (decided.lacks) return <p class="form-hint quiet">After a run, each rule shows here whether it matched, and why.</p>;
  const whose =
    decided.from === "input"
      ? "the input"
      : decided.from === "example"
        ? "the example data"
        : decided.run === undefined
          ? "the recording"
          : `run ${decided.run}`;
  return (
    <p class="form-hint" role="status">
      On the data of {whose}: <b>{taken < 0 ? "no rule matches, so Default is taken" : `rule ${taken + 1} matches`}.</b>
    </p>
  );
}

function Verdict({ rule, taken, after }: { rule: DecidedRule | undefined; taken: boolean; after: boolean }) {
  if (!rule || (rule.holds === undefined && rule.cause === undefined)) return null;
  const good = rule.holds === true;
  return (
    <div class={`form-verdict ${rule.cause !== undefined ? "is-bad" : good ? "is-good" : "quiet"}`}>
      <span class="verdict-word">
        <Icon name={rule.cause !== undefined ? "warning" : good ? "check" : "cross"} size={12} />{" "}
        {rule.cause !== undefined
          ? "Fails"
          : good
            ? taken
              ? "Matched"
              : "Would match, but an earlier rule does"
            : after
              ? "Does not match"
              : "Not matched"}
      </span>
      {rule.cause !== undefined && <span>{rule.cause}</span>}
      {rule.tests.map(({ text, value, missing }) => (
        <span key={text}>
          <code>{text}</code>{" "}
          {missing === undefined ? (
            <>
              is <code>{brief(value)}</code>
            </>
          ) : missing === "has no value" ? (
            missing
          ) : (
            `: ${missing}`
          )}
        </span>
      ))}
    </div>
  );
}

/** Evaluates the rules with the last data, whenever one of them changes. */
function useDecided(state: string, language: "JSONPath" | "JSONata", rules: readonly unknown[]): Decided | null {
  const found = useSignal<Decided | null>(null);
  const asked = useSignal({ key: "", state, language, rules });
  const key = JSON.stringify([state, language, rules]);
  if (asked.peek().key !== key) asked.value = { key, state, language, rules };
  useSignalEffect(() => {
    const { state: of, language: dialect, rules: all } = asked.value;
    void execution.run.value?.phase;
    void execution.run.value?.id;
    void analysis.latest.value;
    const input = workspace.input.value;
    let stale = false;
    interpreter
      .query("decide", {
        text: workspace.definition.peek(),
        format: workspace.format.peek(),
        state: of,
        language: dialect,
        rules: [...all],
        input,
      })
      .then(
        (decided) => !stale && (found.value = decided),
        () => !stale && (found.value = null),
      );
    return () => {
      stale = true;
    };
  });
  return found.value;
}
