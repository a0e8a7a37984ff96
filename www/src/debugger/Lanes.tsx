// The visits of a run over time. There is a lane for each branch or iteration, long pauses are folded, and the view can be
// zoomed.

import { type Signal, signal, useSignal, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Bar, Lane } from "../model/protocol.ts";
import { textSize } from "../prefs.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { say } from "../store/notifications.ts";
import { Icon } from "../ui/Icon.tsx";
import { count as counted, duration } from "../ui/format.ts";
import { debounced } from "../ui/latestOnly.ts";
import { type Scale, type View, scaleOf } from "../model/scale.ts";

/** The minimum number of events in view. */
const LEAST = 4;

/** The part of the run that is in view. */
class Window {
  /** The zoomed range. Null means all events, including later ones. */
  readonly zoomed: Signal<View | null> = signal(null);

  get all(): number {
    return execution.eventCount.value;
  }

  get view(): View {
    return this.zoomed.value ?? { from: 1, to: this.all };
  }

  get words(): string {
    const shown = this.zoomed.value;
    return shown ? `Events ${shown.from} to ${shown.to} of ${this.all}` : "All events";
  }

  readonly zoom = (from: number, to: number): void => {
    const size = Math.max(Math.min(LEAST, this.all), to - from + 1);
    const begin = Math.max(1, Math.min(from, this.all - size + 1));
    const next = { from: begin, to: Math.min(this.all, begin + size - 1) };
    this.zoomed.value = next.from <= 1 && next.to >= this.all ? null : next;
    say(this.words);
  };

  /** Zooms around the selected event, or else around the middle. */
  zoomBy(factor: number): void {
    const { from, to } = this.view;
    const cursor = playback.cursor.value;
    const size = to - from + 1;
    const middle = cursor >= from && cursor <= to && cursor > 0 ? cursor : (from + to) / 2;
    const next = Math.max(LEAST, Math.round(size * factor));
    const begin = Math.round(middle - ((middle - from) / size) * next);
    this.zoom(begin, begin + next - 1);
  }

  moveBy(part: number): void {
    const { from, to } = this.view;
    const step = Math.max(1, Math.round((to - from + 1) * Math.abs(part))) * Math.sign(part);
    this.zoom(from + step, to + step);
  }

  /** Handles a key. Returns whether it was one of the time line's. */
  key({ key, shiftKey }: KeyboardEvent, pane: HTMLElement): boolean {
    if (key === "+" || key === "=") this.zoomBy(0.5);
    else if (key === "-") this.zoomBy(2);
    else if (key === "0") this.zoomed.value = null;
    else if (shiftKey && key === "ArrowLeft") this.moveBy(-0.5);
    else if (shiftKey && key === "ArrowRight") this.moveBy(0.5);
    else return (key.startsWith("Arrow") || key === "Home" || key === "End") && walk(pane, key);
    return true;
  }
}

/** Returns the lanes in view, and the last loaded lanes of all events. */
function useLanes({ zoomed }: Window, pane: RefObject<HTMLDivElement | null>): { lanes: Lane[]; whole: Lane[] } {
  const lanes = useSignal<Lane[]>([]);
  const whole = useSignal<Lane[]>([]);
  useSignalEffect(() => {
    void execution.run.value?.id;
    zoomed.value = null;
  });
  useSignalEffect(() => {
    const count = execution.eventCount.value;
    const run = execution.run.value;
    const view = zoomed.value ?? { from: 0, to: count };
    if (!run || run.id === 0) {
      lanes.value = [];
      return;
    }
    return debounced(
      60,
      () => interpreter.query("lanes", { ...view, width: Math.max(200, (pane.current?.clientWidth ?? 1000) - NAMES - EDGE) }),
      (found) => {
        lanes.value = found;
        if (zoomed.peek() === null) whole.value = found;
      },
    );
  });
  return { lanes: lanes.value, whole: whole.value };
}

export function Lanes() {
  const part = useMemo(() => new Window(), []);
  const pane = useRef<HTMLDivElement>(null);
  const { lanes, whole } = useLanes(part, pane);
  if (lanes.length === 0) {
    return (
      <div class="empty small">
        <p>No run yet. Run the state machine to see a lane for each branch and iteration, with attempts and pauses.</p>
      </div>
    );
  }
  return (
    <div class="lanes">
      <div class="lanes-head">
        <span class="quiet" id="lanes-view">
          {part.words}
        </span>
        <ZoomButtons part={part} />
        <Overview lanes={whole} count={part.all} view={part.zoomed} zoom={part.zoom} />
      </div>
      <Tracks part={part} pane={pane} lanes={lanes} />
    </div>
  );
}

function ZoomButtons({ part }: { part: Window }) {
  const { view, all } = part;
  const isWhole = part.zoomed.value === null;
  return (
    <span class="segments" role="group" aria-label="Part of the timeline">
      <button
        type="button"
        title="Zoom in (+)"
        aria-label="Zoom in on the timeline"
        disabled={view.to - view.from + 1 <= LEAST}
        onClick={() => part.zoomBy(0.5)}
      >
        +
      </button>
      <button type="button" title="Zoom out (-)" aria-label="Zoom out of the timeline" disabled={isWhole} onClick={() => part.zoomBy(2)}>
        −
      </button>
      <button type="button" title="Earlier (Shift ←)" aria-label="Earlier" disabled={view.from <= 1} onClick={() => part.moveBy(-0.5)}>
        <Icon name="left" size={12} />
      </button>
      <button type="button" title="Later (Shift →)" aria-label="Later" disabled={view.to >= all} onClick={() => part.moveBy(0.5)}>
        <Icon name="right" size={12} />
      </button>
      <button type="button" title="All events (0)" disabled={isWhole} onClick={() => (part.zoomed.value = null)}>
        All
      </button>
    </span>
  );
}

/** The lanes. Dragging over them selects a range. */
function Tracks({ part, pane, lanes }: { part: Window; pane: RefObject<HTMLDivElement | null>; lanes: Lane[] }) {
  /** The positions of the start and the end of the drag, from 0 to 1. */
  const drag = useSignal<{ from: number; to: number } | null>(null);
  const scale = scaleOf(part.view, playback.timeOf);
  const placeOf = (event: PointerEvent): number => {
    const track = pane.current!.querySelector(".lane-track")!.getBoundingClientRect();
    return Math.max(0, Math.min(1, (event.clientX - track.left) / track.width));
  };
  const { from = 0, to = 0 } = drag.value ?? {};
  const chosen = Math.abs(to - from) > CLICK ? { from: Math.min(from, to), to: Math.max(from, to) } : undefined;
  return (
    <div
      class="lanes-scroll scroll"
      ref={pane}
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || !part.key(event, pane.current!)) return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={(event) => {
        if (event.button !== 0 || !(event.target instanceof Element) || !event.target.closest(".lane-track")) return;
        const at = placeOf(event);
        drag.value = { from: at, to: at };
      }}
      onPointerMove={(event) => {
        if (!drag.value) return;
        drag.value = { from: drag.value.from, to: placeOf(event) };
        if (Math.abs(drag.value.to - drag.value.from) > CLICK) event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerUp={() => {
        if (chosen) part.zoom(scale.nearest(chosen.from), scale.nearest(chosen.to));
        drag.value = null;
      }}
      onPointerCancel={() => (drag.value = null)}
    >
      <div class="lanes-inner">
        {scale.gaps.map(({ at, length }) => (
          <span key={at} class="lane-gap" style={{ insetInlineStart: placeIn(at) }} title={`${duration(length)} without an event`}>
            {duration(length)}
          </span>
        ))}
        {inView(scale.at(playback.cursor.value)) && (
          <span class="lane-cursor" style={{ insetInlineStart: placeIn(scale.at(playback.cursor.value)) }} />
        )}
        {chosen && (
          <span
            class="lane-range"
            style={{ insetInlineStart: placeIn(chosen.from), width: `calc((100% - ${NAMES + EDGE}px) * ${chosen.to - chosen.from})` }}
          />
        )}
        {lanes.map((lane, i) => (
          <LaneRow key={i} lane={lane} scale={scale} first={i === 0} zoom={part.zoom} />
        ))}
      </div>
    </div>
  );
}

/** A drag over less than this part of the width is a click. */
const CLICK = 0.01;
/** The widths of the names on the left and of the margin on the right, in px. */
const NAMES = 132 * textSize;
const EDGE = 12 * textSize;

function placeIn(at: number): string {
  return `calc(${NAMES}px + (100% - ${NAMES + EDGE}px) * ${at})`;
}

function inView(place: number): boolean {
  return place >= 0 && place <= 1;
}

const MEANS = {
  run: "",
  task: "task",
  wait: "wait",
  backoff: "back-off before the next attempt",
  attempt: "failed attempt",
  failed: "failed",
} as const;

/** Returns the description of a bar: what it stands for, its outcome, and its duration. */
function wordsOf({ state, kind, bars, failed, critical, from, to }: Bar): string {
  const took = duration(playback.timeOf(to) - playback.timeOf(from));
  if (bars !== undefined)
    return `${counted(bars, "visit")} of ${state || "several states"}${failed ? `, ${counted(failed, "failure")}` : ""}, ${took}. Click to zoom in`;
  return `${state || "several states"}${MEANS[kind] ? `, ${MEANS[kind]}` : ""}, ${took}${critical ? ", on the critical path" : ""}`;
}

function LaneRow({ lane, scale, first, zoom }: { lane: Lane; scale: Scale; first: boolean; zoom(from: number, to: number): void }) {
  return (
    <div class="lane" role="group" aria-label={lane.name}>
      <span class="lane-name">{lane.name}</span>
      <span class="lane-track">
        {lane.bars.map((bar, i) => {
          const from = Math.max(0, scale.at(bar.from));
          const width = Math.max(Math.min(1, scale.at(bar.to)) - from, 0.003);
          const words = wordsOf(bar);
          return (
            <button
              key={i}
              type="button"
              class={`lane-bar lane-${bar.kind}${bar.state !== "" && selection.selectedState.value === bar.state ? " chosen" : ""}${bar.critical ? " critical" : ""}`}
              style={{ insetInlineStart: `${from * 100}%`, width: `${width * 100}%` }}
              title={words}
              aria-label={words}
              tabIndex={first && i === 0 ? 0 : -1}
              onClick={() =>
                bar.bars === undefined ? playback.selectEvent(bar.from, bar.state || null, "events") : zoom(bar.from, bar.to)
              }
            >
              {width > 0.05 && <span>{bar.state}</span>}
            </button>
          );
        })}
      </span>
    </div>
  );
}

/** The whole run as a strip, with the part that is in view. */
function Overview({
  lanes,
  count,
  view,
  zoom,
}: {
  lanes: Lane[];
  count: number;
  view: Signal<View | null>;
  zoom(from: number, to: number): void;
}) {
  const scale = scaleOf({ from: 1, to: count }, playback.timeOf);
  const shown = view.value;
  const [left, right] = shown ? [scale.at(shown.from), scale.at(shown.to)] : [0, 1];
  return (
    <svg
      class="lanes-overview"
      viewBox="0 0 1000 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={
        shown ? `Overview: events ${shown.from} to ${shown.to} of ${count} are in view` : `Overview: all ${count} events are in view`
      }
      onClick={(event) => {
        if (!shown) return;
        const box = event.currentTarget.getBoundingClientRect();
        const at = scale.nearest((event.clientX - box.left) / box.width);
        const half = Math.floor((shown.to - shown.from) / 2);
        zoom(at - half, at - half + shown.to - shown.from);
      }}
    >
      {KINDS.map((kind) => (
        <path
          key={kind}
          class={`lane-${kind}`}
          d={lanes
            .map((lane, i) =>
              lane.bars
                .filter((bar) => bar.kind === kind)
                .map((bar) => rectangle(scale, bar, i, lanes.length))
                .join(""),
            )
            .join("")}
        />
      ))}
      <rect class="in-view" x={left * 1000} width={Math.max(4, (right - left) * 1000)} y="0" height="20" />
    </svg>
  );
}

const KINDS = ["run", "task", "wait", "backoff", "attempt", "failed"] as const;

/** Returns the path of a bar in the overview, whose lanes share its height. */
function rectangle(scale: Scale, { from, to }: Bar, lane: number, lanes: number): string {
  const x = scale.at(from) * 1000;
  const height = Math.min(3, 18 / lanes);
  return `M${x.toFixed(1)} ${(1 + lane * height).toFixed(2)}h${Math.max(1, scale.at(to) * 1000 - x).toFixed(1)}v${(height * 0.8).toFixed(2)}H${x.toFixed(1)}z`;
}

/** Moves the focus along a lane or to the next lane. Returns whether it has moved. */
function walk(pane: HTMLElement, key: string): boolean {
  const now = document.activeElement;
  const lane = now?.closest(".lane");
  if (!(now instanceof HTMLElement) || !lane) return false;
  const bars = [...lane.querySelectorAll<HTMLElement>(".lane-bar")];
  let to: HTMLElement | undefined;
  if (key === "ArrowRight" || key === "ArrowLeft") to = bars[bars.indexOf(now) + (key === "ArrowRight" ? 1 : -1)];
  else if (key === "Home" || key === "End") to = key === "Home" ? bars[0] : bars.at(-1);
  else {
    const lanes = [...pane.querySelectorAll(".lane")];
    const x = now.getBoundingClientRect().left;
    const beside = lanes[lanes.indexOf(lane) + (key === "ArrowDown" ? 1 : -1)]?.querySelectorAll<HTMLElement>(".lane-bar") ?? [];
    to = [...beside].sort((a, b) => Math.abs(a.getBoundingClientRect().left - x) - Math.abs(b.getBoundingClientRect().left - x))[0];
  }
  if (!to) return true;
  for (const bar of pane.querySelectorAll<HTMLElement>('.lane-bar[tabindex="0"]')) bar.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
  to.scrollIntoView({ block: "nearest" });
  return true;
}
