// Which iteration of a Map is looked at: the failed ones first.

import { useSignal, useSignalEffect } from "@preact/signals";
import { keyHint } from "../keys/keymap.ts";
import type { Iteration, Iterations as Found } from "../model/protocol.ts";
import * as store from "../store.ts";
import { Icon } from "../ui/Icon.tsx";
import * as model from "./model.ts";

type Status = Iteration["status"];

const NAMES: Record<Status, string> = { failed: "Failed", running: "Running", done: "Done", aborted: "Cancelled" };
const CELLS = 200;

/// The iteration of the selected state that `[` and `]` move from.
let present: { list: Iteration[]; at: number; go(to: number): void } | null = null;

export function stepIteration(by: number): boolean {
  if (!present || present.list.length === 0) return false;
  present.go((present.at + by + present.list.length) % present.list.length);
  return true;
}

/// `enter` is the visit that is looked at, whose iteration is `index`.
export function Iterations({ state, enter, index, choose }: { state: string; enter: number | undefined; index: number | undefined; choose(enter: number): void }) {
  const found = useSignal<Found | null>(null);
  const filter = useSignal<Status | "all">("all");
  const wanted = useSignal({ state, enter });
  if (wanted.peek().state !== state || wanted.peek().enter !== enter) wanted.value = { state, enter };
  useSignalEffect(() => {
    const { state: name, enter: visit } = wanted.value;
    store.cursor.value;
    model.stopped.value;
    const run = store.run.value;
    if (!run || run.id === 0 || run.recorded !== undefined) return;
    let stale = false;
    const timer = setTimeout(() => store.query("iterations", { state: name, ...(visit !== undefined && { enter: visit }) }).then((some) => !stale && (found.value = some), () => {}), 30);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  });
  const all = found.value;
  if (!all || all.list.length === 0) {
    present = null;
    return null;
  }
  const rank: Record<Status, number> = { failed: 0, running: 1, aborted: 2, done: 3 };
  const list = all.list.filter(({ status }) => filter.value === "all" || status === filter.value).sort((a, b) => rank[a.status] - rank[b.status] || a.index - b.index);
  const counts = new Map<Status, number>();
  for (const { status } of all.list) counts.set(status, (counts.get(status) ?? 0) + 1);
  const at = list.findIndex((one) => one.index === index);
  const pick = (one: Iteration | undefined): void => {
    if (!one) return;
    if (one.enter !== undefined && state !== all.map) choose(one.enter);
    else store.selectEvent(one.event, null, "inspector");
  };
  const byIndex = all.list;
  present = { list: byIndex, at: byIndex.findIndex((one) => one.index === index), go: (to) => pick(byIndex[to]) };
  return (
    <section class="iterations" aria-label={`Iterations of ${all.map}`}>
      <div class="visit-nav" role="group" aria-label="Iteration">
        <button type="button" class="plain square small" aria-label="Iteration before" title={`Iteration before${keyHint("iterationBefore")}`} onClick={() => stepIteration(-1)}>
          <Icon name="left" size={14} />
        </button>
        <label>
          #
          <input
            type="number"
            class="index"
            aria-label={`Iteration of ${all.map}`}
            min={0}
            max={Math.max(0, all.total - 1)}
            value={index ?? ""}
            onChange={(event) => pick(all.list.find((one) => one.index === event.currentTarget.valueAsNumber))}
          />{" "}
          of {all.total}
        </label>
        <button type="button" class="plain square small" aria-label="Next iteration" title={`Next iteration${keyHint("iterationAfter")}`} onClick={() => stepIteration(1)}>
          <Icon name="right" size={14} />
        </button>
      </div>
      <div class="chips-row" role="group" aria-label="Which iterations">
        {(["failed", "running", "done", "aborted"] as const).map((status) => {
          const n = counts.get(status) ?? 0;
          if (n === 0) return null;
          return (
            <button key={status} type="button" class={`chip-button it-${status}`} aria-pressed={filter.value === status} onClick={() => { filter.value = filter.value === status ? "all" : status; pick(all.list.find((one) => one.status === status)); }}>
              {NAMES[status]} {n}
            </button>
          );
        })}
      </div>
      <div class="strip-cells" role="list" aria-label="All iterations">
        {list.slice(0, CELLS).map((one, i) => (
          <span role="listitem" key={one.index}>
            <button type="button" class={`cell it-${one.status}${i === at ? " chosen" : ""}`} title={`#${one.index}: ${NAMES[one.status].toLowerCase()}`} aria-label={`Iteration ${one.index}, ${NAMES[one.status].toLowerCase()}`} aria-current={i === at} onClick={() => pick(one)} />
          </span>
        ))}
        {list.length > CELLS && <span class="quiet">and {list.length - CELLS} more</span>}
      </div>
    </section>
  );
}
