// The dock: the time line, and under it events, the result, waiting tasks, and the console.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import * as debug from "../debugger/model.ts";
import { keyHint, keymap } from "../keys/keymap.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { outcomeTone, outcomeWord } from "../model/log.ts";
import { TONE_ICON } from "../ui/tone.ts";
import { Icon, type IconName } from "../ui/Icon.tsx";
import { GroupedTabs, type Tab, type TabGroup } from "../ui/Tabs.tsx";
import { lazy } from "../ui/lazy.tsx";
import { duration, elapsed, grouped } from "../ui/format.ts";

/** A panel: its tab and its contents. The badge is evaluated when the dock is rendered. */
interface Panel {
  label: string;
  /** Returns the badge beside the label, if there is one. */
  badge?: () => Partial<Tab<panes.DockTab>> | undefined;
  View: ComponentType;
}

const counted = (count: number, words: string, from = 1): Partial<Tab<panes.DockTab>> | undefined =>
  count < from ? undefined : { badge: count, badgeText: words };

/** Returns the badge for the status of the run, or for a run that did not start. */
function resultBadge(): Partial<Tab<panes.DockTab>> | undefined {
  const { refused, result } = execution.run.value ?? {};
  if (refused) return { badge: "!", tone: "bad", badgeText: "not started" };
  if (!result) return undefined;
  const tone = outcomeTone(result.status);
  return {
    badge: <Icon name={TONE_ICON[tone]} size={11} />,
    ...(tone !== "" && { tone }),
    badgeText: outcomeWord(result.status).toLowerCase(),
  };
}

function eventsBadge(): Partial<Tab<panes.DockTab>> | undefined {
  const count = execution.eventCount.value;
  return count > 0 ? { badge: grouped(count), badgeText: "events" } : undefined;
}

function waitingBadge(): Partial<Tab<panes.DockTab>> | undefined {
  const tasks = execution.waiting.value.length;
  return tasks > 0 ? { badge: tasks, tone: "accent", badgeText: "waiting" } : undefined;
}

/** Returns the number of enabled breakpoints. */
const stops = () => (debug.stops.value ? debug.breakpoints.value.filter(({ enabled }) => enabled !== false).length : 0);

/** All panels. `panes.DOCK` has the order of their tabs. */
const PANELS: Record<panes.DockTab, Panel> = {
  events: { label: "Events", badge: eventsBadge, View: lazy(() => import("./Events.tsx").then((module) => module.Events)) },
  result: { label: "Result", badge: resultBadge, View: lazy(() => import("./Outcome.tsx").then((module) => module.Result)) },
  waiting: { label: "Waiting tasks", badge: waitingBadge, View: lazy(() => import("./Answer.tsx").then((module) => module.Waiting)) },
  timeline: { label: "Timeline", View: lazy(() => import("../debugger/Lanes.tsx").then((module) => module.Lanes)) },
  breakpoints: {
    label: "Breakpoints",
    badge: () => counted(stops(), "breakpoints"),
    View: lazy(() => import("../debugger/Breakpoints.tsx").then((module) => module.Breakpoints)),
  },
  watch: {
    label: "Watch",
    badge: () => counted(debug.watches.value.length, "expressions"),
    View: lazy(() => import("../debugger/Watch.tsx").then((module) => module.Watch)),
  },
  console: {
    label: "Console",
    badge: () => counted(execution.console.value.length, "lines"),
    View: lazy(() => import("./Outcome.tsx").then((module) => module.Console)),
  },
  runs: {
    label: "Runs",
    badge: () => counted(debug.runs.value.length, "runs", 2),
    View: lazy(() => import("../debugger/Runs.tsx").then((module) => module.Runs)),
  },
  executions: { label: "Executions", View: lazy(() => import("./Executions.tsx").then((module) => module.Executions)) },
  coverage: { label: "Coverage", View: lazy(() => import("../debugger/Coverage.tsx").then((module) => module.Coverage)) },
};

const KeptRun = lazy(() => import("./KeptRun.tsx").then((module) => module.KeptRun));
/** The panels that are empty without a run on the screen. */
const OF_RUN: ReadonlySet<panes.DockTab> = new Set(["events", "result", "timeline"]);
const LABELS: Record<panes.DockGroup, string> = { run: "Run", history: "History" };

/** Returns whether a panel has a tab. That of the waiting tasks is there while a task waits. */
const hasTab = (id: panes.DockTab): boolean => id !== "waiting" || execution.waiting.value.length > 0 || panes.dockTab.value === "waiting";

function groups(): TabGroup<panes.DockGroup, panes.DockTab>[] {
  return (Object.keys(panes.DOCK) as panes.DockGroup[]).map((id) => ({
    id,
    label: LABELS[id],
    tabs: panes.DOCK[id].filter(hasTab).map((tab) => ({ id: tab, label: PANELS[tab].label, ...PANELS[tab].badge?.() })),
  }));
}

/** Until there is a run or the user opens it, the dock is closed and the graph has its space. */
export function Dock({ whole = false }: { whole?: boolean }) {
  const open = whole || panes.dockOpen.value;
  const shown = panes.dockTab.value;
  const { View } = PANELS[shown];
  const all = groups();
  const { tabs } = all.find(({ id }) => id === panes.dockGroupOf(shown))!;
  return (
    <section class="pane dock" id="dock" aria-label="Run">
      <div class="dock-head">
        <GroupedTabs
          label="Run and history"
          prefix="dock"
          groups={all}
          chosen={shown}
          chooseGroup={panes.chooseDockGroup}
          choose={panes.chooseDock}
        />
        {open && <Timeline />}
      </div>
      {tabs.map(({ id }) => (
        <div key={id} class="panel" id={`dock-${id}`} role="tabpanel" aria-labelledby={`dock-tab-${id}`} hidden={id !== shown || !open}>
          {id === shown && open && execution.run.value === null && OF_RUN.has(id) && <KeptRun />}
          {id === shown && open && <View />}
        </div>
      ))}
    </section>
  );
}

/** Returns the description of the event at the cursor. It is loaded after the event's number is shown. */
function useBrief(): string {
  const about = useSignal<{ at: number; words: string }>({ at: 0, words: "" });
  useSignalEffect(() => {
    const at = playback.cursor.value;
    if (at > 0)
      interpreter.query("brief", { id: at }).then(
        (found) => (about.value = { at, words: found ? [found.type, found.state].filter(Boolean).join(", ") : "" }),
        () => {},
      );
  });
  return about.value.at === playback.cursor.value ? about.value.words : "";
}

function Timeline() {
  const total = execution.eventCount.value;
  const cursor = playback.cursor.value;
  const off = total === 0;
  const playing = playback.live.value && cursor < total;
  const play = playing ? "Pause the replay" : "Play again";
  return (
    <div class="timeline" role="group" aria-label="Timeline">
      <Go icon="first" label="To the beginning" off={off} go={() => playback.goTo(0)} />
      <Go icon="back" label="One event back" command="back" off={off || cursor === 0} go={() => playback.goTo(cursor - 1)} />
      <Go icon={playing ? "pause" : "replay"} label={play} off={off} go={() => (playing ? playback.pausePlayback() : playback.replay())} />
      <Go icon="forward" label="One event forward" command="forward" off={off || cursor === total} go={() => playback.goTo(cursor + 1)} />
      <Go icon="last" label="To the end" off={off || cursor === total} go={playback.returnToLive} />
      <Scrubber />
      <output class="timeline-text">
        {off ? (
          <span class="quiet">No run on screen</span>
        ) : (
          <>
            <b>{cursor}</b> / {total} <span class="quiet">{elapsed(playback.timeOf(cursor))}</span>
          </>
        )}
      </output>
    </div>
  );
}

interface GoProps {
  icon: IconName;
  label: string;
  /** The id of the same command in the table, for its keys. */
  command?: string;
  off: boolean;
  go(): void;
}

function Go({ icon, label, command, off, go }: GoProps) {
  const title = command === undefined ? label : `${label}${keyHint(command)}`;
  return (
    <button type="button" class="plain square" aria-label={label} title={title} disabled={off} onClick={go}>
      <Icon name={icon} />
    </button>
  );
}

function Scrubber() {
  const total = execution.eventCount.value;
  const cursor = playback.cursor.value;
  const words = useBrief();
  const event = `Event ${cursor} of ${total}, ${words && `${words}, `}${elapsed(playback.timeOf(cursor))}`;
  const text = cursor === 0 ? `Before event 1 of ${total}` : event;
  return (
    <input
      type="range"
      aria-label="Event shown"
      aria-valuetext={total === 0 ? "No events" : text}
      min={0}
      max={Math.max(total, 1)}
      value={cursor}
      disabled={total === 0}
      style={{ "--done": `${total === 0 ? 0 : (cursor / total) * 100}%` }}
      onInput={(event) => {
        selection.forgetEvent();
        playback.goTo(event.currentTarget.valueAsNumber);
      }}
      onKeyDown={(event) => {
        const command = keymap.value?.find(event, "timeline");
        if (!command) return;
        event.preventDefault();
        command.run?.();
      }}
    />
  );
}

/** The time until the next timer. It counts down while the clock flows. */
export function Countdown() {
  const now = useSignal(0);
  const timer = execution.timer.value;
  useEffect(() => {
    const tick = setInterval(() => (now.value = performance.now()), 250);
    return () => clearInterval(tick);
  }, []);
  if (!timer || timer.due === null) return null;
  const passed = Math.max(0, now.value - timer.heard) * timer.speed;
  return <span class="countdown">next timer in {duration(Math.max(0, timer.due - timer.now - passed))}</span>;
}
