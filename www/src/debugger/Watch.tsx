// Expressions that are asked again wherever the run is looked at.

import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { Evaluated } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import { Icon } from "../ui/Icon.tsx";
import { iterationPath } from "../ui/format.ts";
import * as model from "./model.ts";

export function Watch() {
  const text = useSignal("");
  const language = useSignal<"jsonata" | "jsonpath">("jsonata");
  const list = model.watches.value;
  const visit = useSignal<number | undefined>(undefined);
  const at = model.position.value;
  // The frames around where one looks, and the other branches: each may be asked instead.
  const frames = [
    ...(at?.stack ?? []).map((frame, i) => ({
      visit: frame.visit,
      name: `${frame.state}${frame.isIteration ? ` ${iterationPath(frame.iterations)}` : ""}`,
      here: i === 0,
    })),
    ...(at?.threads ?? [])
      .filter((thread) => !at!.stack.some((frame) => frame.visit === thread.visit))
      .slice(0, 100)
      .map((thread) => ({ visit: thread.visit, name: `${thread.name}: ${thread.state}`, here: false })),
  ];
  // Where the run has gone on, its frames are others.
  if (visit.value !== undefined && !frames.some((frame) => frame.visit === visit.value)) visit.value = undefined;
  return (
    <div class="watch scroll">
      <form
        class="pane-bar"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.value.trim() === "") return;
          model.watches.value = [...list, { question: text.value.trim(), language: language.value }];
          text.value = "";
        }}
      >
        <input
          class="grow mono"
          aria-label="Expression to watch"
          placeholder={
            language.value === "jsonata" ? "$sum($.items.price), $states.input, $total" : "$.items[0].price, States.ArrayLength($.items)"
          }
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
      </form>
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
    let stale = false;
    interpreter.query("evaluate", { question, language, ...(frame !== undefined && { visit: frame }) }).then(
      (found) => !stale && (answer.value = found),
      (error: Error) => !stale && (answer.value = { message: error.message }),
    );
    return () => {
      stale = true;
    };
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
