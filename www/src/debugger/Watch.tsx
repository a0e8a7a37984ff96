// Expressions that are asked again wherever the run is looked at.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Evaluated } from "../model/protocol.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";
import * as model from "./model.ts";

export function Watch() {
  const text = useSignal("");
  const language = useSignal<"jsonata" | "jsonpath">("jsonata");
  const list = model.watches.value;
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
        <input class="grow mono" aria-label="Expression to watch" placeholder={language.value === "jsonata" ? "$sum($.items.price), $states.input, $total" : "$.items[0].price, States.ArrayLength($.items)"} spellcheck={false} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
        <select aria-label="Language" value={language.value} onChange={(event) => (language.value = event.currentTarget.value as "jsonata" | "jsonpath")}>
          <option value="jsonata">JSONata</option>
          <option value="jsonpath">JSONPath</option>
        </select>
        <button type="submit">
          <Icon name="plus" size={13} /> Watch
        </button>
      </form>
      {list.length === 0 ? (
        <div class="empty small">
          <p>Expressions are evaluated where the run is paused or looked at. $ is the data there; $states, the variables, $attempt, $iteration and $error are known.</p>
        </div>
      ) : (
        <ul>
          {list.map((watch, i) => (
            <Watched key={`${watch.language} ${watch.question} ${i}`} {...watch} remove={() => (model.watches.value = list.filter((_, at) => at !== i))} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Watched({ question, language, remove }: { question: string; language: "jsonata" | "jsonpath"; remove(): void }) {
  const answer = useSignal<Evaluated | null>(null);
  useSignalEffect(() => {
    model.stopped.value;
    if (!store.run.value || store.run.value.phase === "running" || store.run.value.id === 0) return;
    let stale = false;
    store.query("evaluate", { question, language }).then((found) => !stale && (answer.value = found), () => {});
    return () => {
      stale = true;
    };
  });
  const found = answer.value;
  return (
    <li class="watched">
      <code>{question}</code>
      <span class={found?.message !== undefined ? "is-bad" : ""}>{found === null ? "…" : found.message !== undefined ? found.message : found.nothing ? "nothing" : <code>{JSON.stringify(found.value).slice(0, 2000)}</code>}</span>
      <button type="button" class="plain square small" aria-label={`Do not watch ${question}`} onClick={remove}>
        <Icon name="close" size={13} />
      </button>
    </li>
  );
}
