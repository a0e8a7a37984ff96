// Builds a test of a Choice rule in JSONPath: a comparison, or several joined ones.

import { pointerTo } from "stepglass/pointer";
import {
  FRESH,
  type Fields,
  type Kind,
  OPERATORS,
  type Operator,
  besideOf,
  isFields,
  kindOf,
  listOf,
  operatorNamed,
  operatorOf,
  testOf,
  withKind,
  withOperator,
} from "../model/rule.ts";
import { Icon } from "../ui/Icon.tsx";
import { type Given, InputRow, TextRow, WordsRow } from "./controls.tsx";
import { JsonRow } from "./Json.tsx";
import { Expression } from "./Expression.tsx";
import { Tool, afterwards } from "./Items.tsx";
import { idOf } from "./Row.tsx";
import { typedNumber } from "./values.ts";
import { change, reportRefusal } from "./write.ts";

const KINDS: readonly [Kind, string][] = [
  ["compare", "A comparison"],
  ["And", "All of these"],
  ["Or", "Any of these"],
  ["Not", "Not this"],
];

const MOST_DEEP = 12;

interface Props {
  test: Fields;
  /** The pointer of the rule, or of a test inside it. */
  at: string;
  /** Whether this is the rule itself, which has further fields besides its test. */
  outermost?: boolean;
  depth?: number;
  /** Removes the test from its list. */
  remove?: (() => void) | undefined;
}

export function Builder({ test, at, outermost = false, depth = 0, remove }: Props) {
  const own = outermost ? testOf(test) : test;
  const kind = kindOf(own);
  // The test comes first, as in most hand-written rules.
  const write = (next: Fields): void =>
    void reportRefusal(change({ kind: "set", at, value: outermost ? { ...next, ...besideOf(test) } : next }));
  if (depth > MOST_DEEP) return <JsonRow at={at} name="Test" value={test} />;
  const name = outermost ? "Test" : "Part";
  return (
    <div class={`builder builder-${kind}`} role="group" aria-label={name}>
      <div class="form-line">
        <select
          aria-label="Kind of test"
          id={`${idOf(at)}-kind`}
          value={kind}
          onChange={(event) => write(withKind(own, event.currentTarget.value as Kind))}
        >
          {KINDS.map(([id, words]) => (
            <option key={id} value={id}>
              {words}
            </option>
          ))}
        </select>
        {remove && <Tool icon="close" label="Remove this part" run={remove} />}
      </div>
      {kind === "compare" && <Comparison test={own} at={at} write={write} />}
      {kind === "Not" &&
        (isFields(own["Not"]) ? (
          <Builder test={own["Not"]} at={pointerTo(at, "Not")} depth={depth + 1} />
        ) : (
          <JsonRow at={pointerTo(at, "Not")} name="Not" value={own["Not"]} />
        ))}
      {(kind === "And" || kind === "Or") && <Parts list={own[kind]} at={pointerTo(at, kind)} kind={kind} depth={depth} />}
    </div>
  );
}

function Parts({ list, at, kind, depth }: { list: unknown; at: string; kind: "And" | "Or"; depth: number }) {
  if (!Array.isArray(list)) return <JsonRow at={at} name={kind} value={list} />;
  const parts = listOf(list);
  return (
    <>
      {parts.map((part, i) =>
        isFields(part) ? (
          <Builder
            key={i}
            test={part}
            at={pointerTo(at, i)}
            depth={depth + 1}
            remove={
              parts.length > 1
                ? () => {
                    const held = document.activeElement?.closest(".builder")?.parentElement;
                    void reportRefusal(change({ kind: "remove", at: pointerTo(at, i) }));
                    afterwards(() => held?.querySelector<HTMLElement>(".form-add")?.focus());
                  }
                : undefined
            }
          />
        ) : (
          <JsonRow key={i} at={pointerTo(at, i)} name={`${kind} ${i + 1}`} value={part} />
        ),
      )}
      <button
        type="button"
        class="form-add small"
        onClick={() => void reportRefusal(change({ kind: "set", at: pointerTo(at, "-"), value: FRESH }))}
      >
        <Icon name="plus" size={12} /> {kind === "And" ? "And" : "Or"}
      </button>
    </>
  );
}

function Comparison({ test, at, write }: { test: Fields; at: string; write(next: Fields): void }) {
  const operator = operatorOf(test);
  const id = `${idOf(at)}-operator`;
  return (
    <div class="comparison">
      <Expression at={pointerTo(at, "Variable")} name="Variable" value={test["Variable"]} form="path" />
      <div class="form-row">
        <div class="form-name">
          <label for={id}>Comparison</label>
        </div>
        <select id={id} value={operator?.name ?? ""} onChange={(event) => write(withOperator(test, event.currentTarget.value))}>
          {!operator && <option value="">Choose a comparison</option>}
          {OPERATORS.map(({ title, operators }) => (
            <optgroup key={title} label={title}>
              {operators.map(({ name, words }) => (
                <option key={name} value={name}>
                  {words} ({name})
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </div>
      {operator && <Operand key={operator.name} operator={operator} value={test[operator.name]} at={pointerTo(at, operator.name)} />}
    </div>
  );
}

function Operand({ operator, value, at }: { operator: Operator; value: unknown; at: string }) {
  const given: Given = { at, name: operator.name, value };
  switch (operatorNamed(operator.name)?.operand) {
    case "path":
      return <Expression at={at} name={operator.name} value={value} form="path" />;
    case "number":
      return (
        <InputRow {...given} read={(text) => (text.trim() === "" ? { problem: "Enter a number." } : typedNumber(text, false))} numeric />
      );
    case "boolean":
    case "yes":
      return <TruthRow {...given} />;
    case "text":
      return <InputRow {...given} read={(text) => ({ value: text })} absent="empty text" />;
    default:
      return <TextRow {...given} absent="2030-01-01T00:00:00Z" />;
  }
}

function TruthRow({ at, name, value }: Given) {
  const words = value === undefined || typeof value === "boolean" ? ["true", "false"] : ["true", "false", String(value)];
  return (
    <WordsRow
      at={at}
      name={name}
      value={value === undefined ? undefined : String(value)}
      words={words}
      required
      write={(next) => void reportRefusal(change({ kind: "set", at, value: next === "true" }))}
    />
  );
}
