// Watch expressions. They are evaluated again whenever the displayed position changes.

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Evaluated } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import { Icon } from "../ui/Icon.tsx";
import { iterationPath } from "../ui/format.ts";
import { latestOnly } from "../ui/latestOnly.ts";
import * as model from "./model.ts";

/** Returns the frames of the displayed position, and the other branches. Expressions can be evaluated in each. */
function framesOf(at: typeof model.position.value): { visit: number; name: string; here: boolean }[] {
  const stack = (at?.stack ?? []).map(({ visit, state, isIteration, iterations }, i) => ({
    visit,
    name: isIteration ? `${state} ${iterationPath(iterations)}` : state,
    here: i === 0,
  }));
  const others = (at?.threads ?? []).filter((thread) => !stack.some(({ visit }) => visit === thread.visit)).slice(0, 100);
  return [...stack, ...others.map(({ visit, name, state }) => ({ visit, name: `${name}: ${state}`, here: false }))];
}

export function Watch() {
  const list = model.watches.value;
  const visit = useSignal<number | undefined>(undefined);
  const frames = framesOf(model.position.value);
  // When the run has continued, its frames are different.
  if (visit.value !== undefined && !frames.some((frame) => frame.visit === visit.value)) visit.value = undefined;
  return (
    <div class="watch scroll">
      <Add>
        {frames.length > 1 && (
          <label class="field">
            <span class="label">In</span>
            <select
              aria-label="Frame to evaluate in"
              value={visit.value ?? ""}
              onChange={(event) => (visit.value = event.currentTarget.value === "" ? undefined : Number(event.currentTarget.value))}
            >
              {frames.map(({ visit: id, name, here }) => (
                <option key={id} value={here ? "" : id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </Add>
      {list.length === 0 ? (
        <div class="empty small">
          <p>
            Add an expression to see its value at the event shown. $ is the data at that point. $states, variables, $attempt, $iteration and
            $error are available.
          </p>
        </div>
      ) : (
        <ul>
          {list.map((watch, i) => (
            <Watched
              key={`${watch.language} ${watch.question} ${i}`}
              {...watch}
              visit={visit}
              remove={() => (model.watches.value = list.filter((_, at) => at !== i))}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

const EXAMPLES = {
  jsonata: "$sum($.items.price), $states.input, $total",
  jsonpath: "$.items[0].price, States.ArrayLength($.items)",
};

/** The field for a new expression. */
function Add({ children }: { children: ComponentChildren }) {
  const text = useSignal("");
  const language = useSignal<"jsonata" | "jsonpath">("jsonata");
  return (
    <form
      class="pane-bar"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.value.trim() === "") return;
        model.watches.value = [...model.watches.value, { question: text.value.trim(), language: language.value }];
        text.value = "";
      }}
    >
      <input
        class="grow mono"
        aria-label="Expression to watch"
        placeholder={EXAMPLES[language.value]}
        spellcheck={false}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <select
        aria-label="Language"
        value={language.value}
        onChange={(event) => (language.value = event.currentTarget.value as "jsonata" | "jsonpath")}
      >
        <option value="jsonata">JSONata</option>
        <option value="jsonpath">JSONPath</option>
      </select>
      <button type="submit">
        <Icon name="plus" size={13} /> Watch
      </button>
      {children}
    </form>
  );
}

function Watched({
  question,
  language,
  visit,
  remove,
}: {
  question: string;
  language: "jsonata" | "jsonpath";
  visit: Signal<number | undefined>;
  remove(): void;
}) {
  const answer = useSignal<Evaluated | null>(null);
  useSignalEffect(() => {
    void model.stopped.value;
    const frame = visit.value;
    if (!execution.run.value || execution.run.value.phase === "running" || execution.run.value.id === 0) return;
    return latestOnly(
      interpreter.query("evaluate", { question, language, ...(frame !== undefined && { visit: frame }) }),
      (found) => (answer.value = found),
      ({ message }) => (answer.value = { message }),
    );
  });
  const found = answer.value;
  return (
    <li class="watched">
      <code>{question}</code>
      <span class={found?.message !== undefined ? "is-bad" : ""}>
        {found === null ? (
          "not evaluated yet"
        ) : found.message !== undefined ? (
          `cannot be evaluated: ${found.message}`
        ) : found.nothing ? (
          "nothing"
        ) : (
          <code>{JSON.stringify(found.value).slice(0, 2000)}</code>
        )}
      </span>
      <button type="button" class="plain square small" aria-label={`Stop watching ${question}`} onClick={remove}>
        <Icon name="close" size={13} />
      </button>
    </li>
  );
}
