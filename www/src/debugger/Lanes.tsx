// The visits of a run over time: a lane for each branch or iteration, long pauses folded.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Lane } from "../model/protocol.ts";
import * as store from "../store.ts";
import { duration } from "../ui/format.ts";
import { type Scale, scaleOf } from "./scale.ts";

export function Lanes() {
  const lanes = useSignal<Lane[]>([]);
  useSignalEffect(() => {
    store.eventCount.value;
    const run = store.run.value;
    if (!run || run.id === 0 || run.recorded !== undefined) {
      lanes.value = [];
      return;
    }
    let stale = false;
    const timer = setTimeout(() => store.query("lanes", {}).then((found) => !stale && (lanes.value = found), () => {}), 60);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  });
  const all = lanes.value;
  if (all.length === 0) {
    return (
      <div class="empty small">
        <p>Run the machine, and each branch and iteration has a lane here, with its attempts and pauses.</p>
      </div>
    );
  }
  const scale = scaleOf(store.eventCount.value, store.timeOf);
  return (
    <div class="lanes scroll">
      <div class="lanes-inner">
        {scale.gaps.map((gap) => (
          <span key={gap.at} class="lane-gap" style={{ insetInlineStart: `calc(132px + (100% - 144px) * ${gap.at})` }} title={`${duration(gap.length)} without an event`}>
            {duration(gap.length)}
          </span>
        ))}
        <span class="lane-cursor" style={{ insetInlineStart: `calc(132px + (100% - 144px) * ${scale.at(store.cursor.value)})` }} />
        {all.map((lane, i) => (
          <LaneRow key={i} lane={lane} scale={scale} />
        ))}
      </div>
    </div>
  );
}

const MEANS = { run: "", task: "task", wait: "wait", backoff: "back-off before the next attempt", failed: "failed" } as const;

function LaneRow({ lane, scale }: { lane: Lane; scale: Scale }) {
  return (
    <div class="lane" role="group" aria-label={lane.name}>
      <span class="lane-name">{lane.name}</span>
      <span class="lane-track">
        {lane.bars.map((bar, i) => {
          const from = scale.at(bar.from);
          const width = Math.max(scale.at(bar.to) - from, 0.003);
          const words = `${bar.state}${MEANS[bar.kind] ? `, ${MEANS[bar.kind]}` : ""}, ${duration(store.timeOf(bar.to) - store.timeOf(bar.from))}`;
          return (
            <button
              key={i}
              type="button"
              class={`lane-bar lane-${bar.kind}${store.selectedState.value === bar.state ? " chosen" : ""}`}
              style={{ insetInlineStart: `${from * 100}%`, width: `${width * 100}%` }}
              title={words}
              aria-label={words}
              onClick={() => store.selectEvent(bar.from, bar.state, "events")}
            >
              {width > 0.05 && <span>{bar.state}</span>}
            </button>
          );
        })}
      </span>
    </div>
  );
}
