// Compares two runs: which visits differ, the first one first, and in what.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { ComparedVisit, RunInfo } from "../model/protocol.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { showAlarm } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";
import { ListBox } from "../ui/ListBox.tsx";
import { Tree } from "../values/Tree.tsx";
import { count, iterationPath } from "../ui/format.ts";
import { latestOnly } from "../ui/latestOnly.ts";
import type { Path } from "../model/stages.ts";
import { linesOf, nameOf } from "../values/diff.ts";
import { comparing, leaveComparing } from "./layers.ts";
import * as model from "./model.ts";
import { selectRun } from "./session.ts";

export function Compare() {
  const { a, b, difference } = comparing.value!;
  const all = useSignal(false);
  const chosen = useSignal(0);
  useSignalEffect(() => {
    const runs = comparing.value;
    // The runs may have more events after a stop.
    void model.stopped.value;
    if (!runs) return;
    return latestOnly(
      interpreter.query("compare", { a: runs.a, b: runs.b }),
      (found) => {
        const now = comparing.peek();
        if (now && JSON.stringify(found) !== JSON.stringify(now.difference)) comparing.value = { ...now, difference: found };
      },
      ({ message }) => {
        showAlarm(message);
        comparing.value = null;
      },
    );
  });
  const visits = difference?.visits ?? [];
  const differing = visits.filter(({ changes }) => changes.length > 0);
  const rows = all.value ? visits : differing;
  const row = rows[Math.min(chosen.value, rows.length - 1)];
  return (
    <div class="compare">
      <div class="pane-bar">
        <Pick label="Run A" value={a} other={b} set={(id) => (comparing.value = { a: id, b, difference: null })} />
        <Pick label="Run B" value={b} other={a} set={(id) => (comparing.value = { a, b: id, difference: null })} />
        <span class="quiet" role="status">
          {difference &&
            (differing.length === 0
              ? "The same in every visit."
              : `${count(differing.length, "visit")} of ${visits.length} differ. ${difference.common > 0 ? `The first ${count(difference.common, "event is", "events are")} the same.` : "They differ from the first event on."}`)}
        </span>
        <span class="gap" />
        <label class="check">
          <input type="checkbox" checked={all.value} onChange={(event) => (all.value = event.currentTarget.checked)} /> Include what is the
          same
        </label>
        <button type="button" onClick={leaveComparing}>
          <Icon name="close" size={13} /> Leave <kbd>Esc</kbd>
        </button>
      </div>
      <div class="compare-parts">
        <Rows rows={rows} chosen={chosen.value} choose={(at) => (chosen.value = at)} a={a} b={b} />
        {row && <Data key={`${a} ${b} ${row.a?.enter} ${row.b?.enter}`} row={row} a={a} b={b} />}
      </div>
    </div>
  );
}

function Pick({ label, value, other, set }: { label: string; value: number; other: number; set(id: number): void }) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => set(Number(event.currentTarget.value))}>
        {model.runs.value.map((run) => (
          <option key={run.id} value={run.id} disabled={run.id === other}>
            {run.id}: {labelOf(run)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Returns the description of a run. For a fork it includes the event after which it differs, and what was changed. */
export function labelOf({ label, parent, at, after, changed }: RunInfo): string {
  const plain = parent !== undefined && /^fork at /.test(label);
  return [
    plain ? (changed.length > 0 ? "" : "nothing changed yet") : edited(label),
    ...changed.map(edited),
    parent !== undefined && at !== undefined ? `after event ${at}${after ? `, ${after}` : ""}` : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The pencil character is replaced, because a font may not have it. */
const edited = (label: string): string => label.replace(/^✎ /, "edited ");

const WORDS: Record<ComparedVisit["changes"][number], string> = {
  only: "",
  input: "input",
  output: "output",
  variables: "variables",
  attempts: "attempts",
  end: "how it ended",
};

function wordsOf({ changes, a, b }: ComparedVisit, runA: number, runB: number): string {
  if (changes.length === 0) return "the same";
  if (!a) return `only in run ${runB}`;
  if (!b) return `only in run ${runA}`;
  return `${changes.map((change) => (change === "attempts" ? `attempts ${a.attempts} and ${b.attempts}` : change === "end" ? `${a.end} and ${b.end}` : WORDS[change])).join(", ")} ${changes.length === 1 ? "differs" : "differ"}`;
}

function Rows({ rows, chosen, choose, a, b }: { rows: ComparedVisit[]; chosen: number; choose(at: number): void; a: number; b: number }) {
  if (rows.length === 0) return <p class="quiet pad">Both runs took the same path with the same data.</p>;
  return (
    <ListBox
      id="compared"
      label="Visits of both runs"
      rows={rows.length}
      chosen={Math.min(chosen, rows.length - 1)}
      choose={(at) => {
        choose(at);
        selection.selectState(rows[at]!.state, "page");
      }}
      row={(at) => {
        const visit = rows[at]!;
        return {
          class: visit.changes.length === 0 ? "same" : "",
          content: (
            <>
              <span class={`side over-${!visit.a ? "b" : !visit.b ? "a" : "both"}`} aria-hidden="true">
                {!visit.a ? "B" : !visit.b ? "A" : visit.changes.length > 0 ? "±" : "="}
              </span>
              <b>{visit.state}</b>
              {visit.iterations.length > 0 && <span class="event-item">{iterationPath(visit.iterations)}</span>}
              <span class="quiet">{wordsOf(visit, a, b)}</span>
            </>
          ),
        };
      }}
    />
  );
}

type Side = { input?: unknown; output?: unknown; variables?: unknown };
const PARTS = ["input", "output", "variables"] as const;

/** The data of a visit in both runs. */
function Data({ row, a, b }: { row: ComparedVisit; a: number; b: number }) {
  const sides = useSignal<[Side, Side] | null>(null);
  useSignalEffect(() => {
    const side = (run: number, visit: ComparedVisit["a"]): Promise<Side> =>
      visit ? interpreter.query("visitData", { run, enter: visit.enter, exit: visit.exit }) : Promise.resolve({});
    return latestOnly(Promise.all([side(a, row.a), side(b, row.b)]), (found) => (sides.value = found));
  });
  const look = (run: number, visit: ComparedVisit["a"]) =>
    visit && (
      <button type="button" class="link" onClick={() => lookAt(run, visit.enter, row.state)}>
        See it in run {run}
      </button>
    );
  if (!sides.value) return null;
  const [one, other] = sides.value;
  return (
    <div class="compare-data" role="region" aria-label={`${row.state} in both runs`} tabIndex={0}>
      <p class="inspect-line">
        <b>{row.state}</b> <span class="quiet">{wordsOf(row, a, b)}</span> {look(a, row.a)} {look(b, row.b)}
      </p>
      {PARTS.map(
        (part) =>
          (part in one || part in other) && (
            <Part key={part} part={part} a={one} b={other} runs={[a, b]} paired={row.a !== undefined && row.b !== undefined} />
          ),
      )}
    </div>
  );
}

function Part({ part, a, b, runs, paired }: { part: (typeof PARTS)[number]; a: Side; b: Side; runs: [number, number]; paired: boolean }) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const both = paired && part in a && part in b;
  const value = part in b ? b[part] : a[part];
  const { lines } = linesOf(a[part], value, both, open.value, true);
  const same = both && lines.every(({ mark }) => mark === "");
  const unfold = (path: Path): void => {
    open.value = new Set([...open.value, nameOf(path)]);
  };
  return (
    <section>
      <p class="part-head">
        {part[0]!.toUpperCase() + part.slice(1)}{" "}
        <span class="quiet">
          {both
            ? same
              ? "the same in both"
              : `from run ${runs[0]} (−) to run ${runs[1]} (+)`
            : `only in run ${part in b ? runs[1] : runs[0]}`}
        </span>
      </p>
      <Tree label={`${part}, compared`} lines={lines} unfold={unfold} />
    </section>
  );
}

function lookAt(run: number, event: number, state: string): void {
  // The notes about the run arrive before the answer.
  void selectRun(run).then(() => playback.selectEvent(event, state, "page"));
}
