// Evaluates an expression while it is typed, with the data that the stage has read, and writes it to the definition on request.

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { Evaluated, Flow } from "../model/protocol.ts";
import { type Leaf, type StageField, inner, isExpression, leavesOf, pathText } from "../model/stages.ts";
import * as interpreter from "../store/interpreter.ts";
import { showToast } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";
import { duration } from "../ui/format.ts";
import { latestOnly } from "../ui/latestOnly.ts";
import { change } from "./apply.ts";
import { nameOf } from "../values/diff.ts";

type Dialect = "jsonata" | "jsonpath" | "template";

/** The stage whose data the expression is evaluated with. */
interface Tried {
  flow: Flow;
  at: number;
  value: unknown;
  /** The expression of the stage that it would replace. */
  leaf: Leaf | undefined;
}

/** Loads the result of the expression while it is typed. */
function useAnswer(tried: Tried, question: Signal<string>, dialect: Signal<Dialect>): { found: Evaluated; took: number } | null {
  const answer = useSignal<{ found: Evaluated; took: number } | null>(null);
  const on = useSignal(tried);
  if (on.peek().flow !== tried.flow || on.peek().at !== tried.at || on.peek().leaf !== tried.leaf) on.value = tried;
  useSignalEffect(() => {
    const { flow, at: stage, value, leaf } = on.value;
    const [text, language] = [question.value, dialect.value];
    const begun = performance.now();
    // An expression of the stage reads the stage's data. Any other expression reads the displayed value.
    const asked = leaf
      ? interpreter.query("tryField", { visit: flow.visit, attempt: flow.attempt, stage, item: flow.item, language, text })
      : interpreter.query("evaluate", { question: text, language, visit: flow.visit, input: value });
    return latestOnly(asked, (found) => (answer.value = { found, took: performance.now() - begun }));
  });
  return answer.value;
}

export function Scratch({ flow, at, made, value }: { flow: Flow; at: number; made: StageField | undefined; value: unknown }) {
  const leaves = made ? leavesOf(made) : [];
  const chosen = useSignal<string>(leaves[0] ? nameOf(leaves[0].path) : "");
  const leaf = leaves.find(({ path }) => nameOf(path) === chosen.value);
  const question = useSignal(leaf ? inner(leaf.text) : "$");
  const dialect = useSignal<Dialect>(flow.language === "JSONata" ? "jsonata" : "jsonpath");
  const answer = useAnswer({ flow, at, value, leaf }, question, dialect);
  const put = useSignal("");
  const select = (name: string): void => {
    const next = leaves.find(({ path }) => nameOf(path) === name);
    chosen.value = name;
    put.value = "";
    if (next) {
      question.value = inner(next.text);
      dialect.value = flow.language === "JSONata" ? "jsonata" : "jsonpath";
    }
  };
  const found = answer?.found;
  const bad = found?.message !== undefined;
  const text = found === undefined ? "" : (found.message ?? (found.nothing ? "nothing" : JSON.stringify(found.value, null, 2)));
  return (
    <div class="scratch">
      {leaves.length > 0 && <Field made={made!} leaves={leaves} chosen={chosen.value} choose={select} />}
      <Written question={question} dialect={dialect} typed={() => (put.value = "")} />
      {bad && found.offset !== undefined && <Underlined text={question.value} offset={found.offset} />}
      <pre class={bad ? "is-bad" : ""} role="status" aria-label="Value of the expression">
        {text}
      </pre>
      <p class="inspect-line quiet">
        {answer && duration(answer.took)}
        {leaf && made && (
          <button
            type="button"
            class="small"
            disabled={bad || found === undefined || question.value.trim() === inner(leaf.text)}
            onClick={() =>
              void putIn(flow, made, leaf, question.value).then(
                (problem) => (put.value = problem ?? "The expression is in the definition. Apply the definition, or run again."),
              )
            }
          >
            Put into definition
          </button>
        )}
        {!bad && <CopyExpression text={question.value} dialect={dialect.value} />}
      </p>
      {put.value && <p role="status">{put.value}</p>}
    </div>
  );
}

/** Selects the expression of the stage to replace, or none. */
function Field({
  made,
  leaves,
  chosen,
  choose,
}: {
  made: StageField;
  leaves: readonly Leaf[];
  chosen: string;
  choose(name: string): void;
}) {
  return (
    <label class="inspect-line">
      <span class="quiet">Of</span>
      <select aria-label="Field to try" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {leaves.map((one) => (
          <option key={nameOf(one.path)} value={nameOf(one.path)}>
            {fieldOf(made, one)}
          </option>
        ))}
        <option value="">The value shown</option>
      </select>
    </label>
  );
}

/** The expression field, and its language. */
function Written({ question, dialect, typed }: { question: Signal<string>; dialect: Signal<Dialect>; typed(): void }) {
  return (
    <p class="inspect-line">
      <textarea
        class="mono"
        rows={2}
        aria-label="Expression"
        spellcheck={false}
        value={question.value}
        onInput={(event) => ((question.value = event.currentTarget.value), typed())}
      />
      <select aria-label="Language" value={dialect.value} onChange={(event) => (dialect.value = event.currentTarget.value as Dialect)}>
        <option value="jsonata">JSONata</option>
        <option value="jsonpath">JSONPath</option>
        <option value="template">Template</option>
      </select>
    </p>
  );
}

function CopyExpression({ text, dialect }: { text: string; dialect: Dialect }) {
  return (
    <button
      type="button"
      class="link"
      onClick={() =>
        void navigator.clipboard
          .writeText(dialect === "jsonata" ? `{% ${text} %}` : text)
          .then(() => showToast("Copied for the definition."))
      }
    >
      <Icon name="copy" size={12} /> Copy for the definition
    </button>
  );
}

function fieldOf(made: StageField, leaf: Leaf): string {
  const [first, ...rest] = made.path;
  return pathText([...rest, ...leaf.path], String(first));
}

function putIn(flow: Flow, made: StageField, leaf: Leaf, text: string): Promise<string | undefined> {
  const value = isExpression(leaf.text) ? `{% ${text.trim()} %}` : text.trim();
  return change((at) => interpreter.query("put", { ...at, state: flow.state, path: [...made.path, ...leaf.path], value }));
}

/** A text in which the part with a problem is underlined. */
export function Underlined({ text, offset, end }: { text: string; offset: number; end?: number }) {
  const from = Math.max(0, Math.min(offset, Math.max(0, text.length - 1)));
  // If the end of the problem is not known, the rest of the word is underlined.
  const to = end ?? from + Math.max(1, /^[\w$.'`]*/.exec(text.slice(from))![0].length);
  return (
    <code class="underlined">
      {text.slice(0, from)}
      <u>{text.slice(from, to)}</u>
      {text.slice(to)}
    </code>
  );
}
