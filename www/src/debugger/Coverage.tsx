// The coverage of the definition by all runs together.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Covered } from "../model/protocol.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { ListBox } from "../ui/ListBox.tsx";
import { count, grouped } from "../ui/format.ts";
import { save } from "../ui/save.ts";
import { debounced } from "../ui/latestOnly.ts";
import { coverageShown } from "./layers.ts";
import * as model from "./model.ts";

type Place = Covered["places"][number];

const KINDS: Record<Place["kind"], string> = {
  state: "state",
  transition: "transition",
  rule: "Choice rule",
  retry: "retrier",
  catch: "catcher",
};
const SUMS = [
  ["states", "states"],
  ["transitions", "transitions"],
  ["rules", "Choice rules"],
  ["retries", "retriers"],
  ["catches", "catchers"],
] as const;

/** Loads the coverage of the current definition, or the reason why there is none. */
function useCovered(): { covered: Covered | null; problem: string } {
  const covered = useSignal<Covered | null>(null);
  const problem = useSignal("");
  useSignalEffect(() => {
    void execution.eventCount.value;
    void execution.run.value?.phase;
    void model.stopped.value;
    void model.runs.value;
    const [text, format] = [workspace.definition.value, workspace.format.value];
    return debounced(
      120,
      () => interpreter.query("coverage", { text, format }),
      (found) => {
        covered.value = found;
        problem.value = "";
        if (coverageShown.peek()) coverageShown.value = found;
      },
      () => (problem.value = "The definition cannot be read right now."),
    );
  });
  return { covered: covered.value, problem: problem.value };
}

async function saveAs(form: "json" | "lcov"): Promise<void> {
  const { value: title } = workspace.title;
  const { value: format } = workspace.format;
  const file = `${title}.asl.${format}`;
  const text = await interpreter.query("coverageFile", { text: workspace.definition.value, format, file, form });
  save(`${title}.coverage.${form === "json" ? "json" : "lcov"}`, text, form === "json" ? "application/json" : "text/plain");
}

export function Coverage() {
  const { covered, problem } = useCovered();
  const unused = useSignal(false);
  const chosen = useSignal(-1);
  if (!covered) return <p class="quiet pad">{problem || "Counting…"}</p>;
  const rows = unused.value ? covered.places.filter((place) => place.count === 0) : covered.places;
  return (
    <div class="coverage">
      <Bar
        covered={covered}
        unused={unused.value}
        choose={(only) => {
          unused.value = only;
          chosen.value = -1;
        }}
      />
      <Totals covered={covered} />
      {rows.length === 0 ? (
        <p class="quiet pad">Everything was used.</p>
      ) : (
        <ListBox
          id="covered"
          label={unused.value ? "Parts that were never used" : "Parts of the definition"}
          rows={rows.length}
          chosen={chosen.value}
          choose={(at) => {
            chosen.value = at;
            selection.selectState(rows[at]!.state, "page");
          }}
          row={(at) => rowOf(rows[at]!)}
        />
      )}
    </div>
  );
}

function Bar({ covered, unused, choose }: { covered: Covered; unused: boolean; choose(only: boolean): void }) {
  const { runs, others, percent } = covered;
  const { total, covered: used } = covered.totals.all;
  const shown = coverageShown.value !== null;
  return (
    <div class="pane-bar">
      <b>{percentOf(percent)}</b>
      <span class="quiet">
        of {count(total, "part")} used in {count(runs, "run")}
        {others > 0 && `; ${count(others, "run")} of another definition ${others === 1 ? "does" : "do"} not count`}
      </span>
      <span class="gap" />
      <div class="segments" role="group" aria-label="Which parts">
        {[false, true].map((only) => (
          <button key={String(only)} type="button" aria-pressed={unused === only} onClick={() => choose(only)}>
            {only ? `Never used (${total - used})` : "All"}
          </button>
        ))}
      </div>
      <button type="button" aria-pressed={shown} onClick={() => (coverageShown.value = shown ? null : covered)}>
        <Icon name="graph" size={13} /> Show on the graph
      </button>
      <button type="button" onClick={() => void saveAs("json")}>
        Save JSON
      </button>
      <button type="button" onClick={() => void saveAs("lcov")}>
        Save LCOV
      </button>
    </div>
  );
}

function Totals({ covered: { totals } }: { covered: Covered }) {
  return (
    <ul class="coverage-sums" aria-label="Totals">
      {SUMS.filter(([key]) => totals[key].total > 0).map(([key, word]) => (
        <li key={key}>
          <meter min={0} max={totals[key].total} value={totals[key].covered} aria-label={word} /> {totals[key].covered} of{" "}
          {totals[key].total} {word}
        </li>
      ))}
    </ul>
  );
}

function rowOf({ kind, state, label, line, count: times }: Place) {
  return {
    class: `coverage-row of-${kind}${times === 0 ? " never" : ""}`,
    content: (
      <>
        <span class="coverage-count">{times === 0 ? "never" : `${grouped(times)}×`}</span>
        {kind === "state" ? (
          <b>{state}</b>
        ) : (
          <span>
            <span class="unseen">{state}: </span>
            {label}
          </span>
        )}
        <span class="quiet">
          {KINDS[kind]}, line {line}
        </span>
      </>
    ),
  };
}

/** Returns the percentage, rounded down so that it is 100 only if everything is covered. */
function percentOf(part: number): string {
  return `${part === 100 ? 100 : Math.floor(part * 10) / 10} %`;
}
