// The pane of the state machine: the drawing or the table, and everything around it.

import { computed, effect, untracked, useSignalEffect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
// This import adds the debugger's marks to the graph.
import "../debugger/marks.ts";
import { keyHint, keymap } from "../keys/keymap.ts";
import type { GraphIndex } from "../model/graph.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as panes from "../store/panes.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { lazy } from "../ui/lazy.tsx";
import { Canvas, shift } from "./Canvas.tsx";
import { loaders, graphEditor } from "./graphEditor.ts";
import { SearchBox } from "./Search.tsx";
import { overlay } from "../debugger/onGraph.ts";
import { focusNode, focused, refocus } from "./focus.ts";
import { card } from "./resting.ts";
import {
  anchor,
  barBelow,
  expectMachine,
  fit,
  fitOrWhole,
  follow,
  fresh,
  kept,
  moved,
  reshape,
  reveal,
  setView,
  size,
} from "./viewport.ts";

/** The number of states from which on there is a minimap. */
const MINIMAP_FROM = 80;
const GraphTools = lazy(() => import("./Tools.tsx").then((module) => module.GraphTools));
const Card = lazy(() => import("./Card.tsx").then((module) => module.Card));
const Minimap = lazy(() => import("./Minimap.tsx").then((module) => module.Minimap));
const Legend = lazy(() => import("./Legend.tsx").then((module) => module.Legend));
const InsidePath = lazy(() => import("../debugger/Inside.tsx").then((module) => module.InsidePath));
const IterationPath = lazy(() => import("./IterationPath.tsx").then((module) => module.IterationPath));
const LookingBack = lazy(() => import("./PastEvent.tsx").then((module) => module.PastEvent));
const Follow = lazy(() => import("./PastEvent.tsx").then((module) => module.Follow));
const Crowd = lazy(() => import("./LargeMachine.tsx").then((module) => module.LargeMachine));
const Table = lazy(() => import("./Table.tsx").then((module) => module.Table));

export function fitGraph(): void {
  const index = analysis.graph.value;
  if (index) fitOrWhole(index);
}

/** Returns the current keys of the graph in words, for screen readers. */
function keysInWords(): string {
  const of = (id: string): string => keymap.value?.shown(id)[0] ?? "no key";
  return `The graph is one stop of the Tab key. Arrow keys go along transitions and to neighbours, ${of("graphInto")} goes into Parallel and Map states or renames others, ${of("graphText")} goes to the definition, ${of("graphOut")} goes out, ${of("unfold")} and ${of("fold")} unfold and fold, ${of("graphSearch")} searches, ${of("iterationBefore")} and ${of("iterationAfter")} go through the iterations of a Map, ${of("graphMenu")} opens the menu, the arrow keys with Space held move the view.`;
}

const shownMachine = computed(() => analysis.inside.value?.machine);

type Frame = RefObject<HTMLDivElement | null>;

/** Tracks the size of the pane. A graph that the user has not moved is fitted again. */
function useSize(frame: Frame): void {
  const arranged = useRef(panes.layout.peek());
  useLayoutEffect(() => {
    const element = frame.current!;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width === size.value.width && height === size.value.height) return;
      const before = size.value;
      size.value = { width, height };
      if (analysis.aspect.peek() === 0) expectMachine();
      else if (arranged.current !== panes.layout.peek()) reshape();
      arranged.current = panes.layout.peek();
      const index = analysis.graph.value;
      if (index && !moved.value) fit(index, setView, false, kept(before));
    };
    measure();
    const observer = new ResizeObserver(() => requestAnimationFrame(measure));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

/**
 * Fits the graph of a new workspace. A graph that changes during editing keeps its position, relative to the selected node. This
 * runs in a layout effect and not after the next painting, because the layout on screen and the view must change together.
 */
function useFitting(): void {
  const before = useRef<{ index: GraphIndex; direction: string; shape: string } | null>(null);
  useLayoutEffect(
    () =>
      effect(() => {
        void workspace.generation.value;
        void shownMachine.value;
        untracked(expectMachine);
      }),
    [],
  );
  useLayoutEffect(
    () =>
      effect(() => {
        const now = analysis.graph.value;
        const last = before.current;
        before.current = now && { index: now, direction: now.graph.direction, shape: analysis.laidOutFor };
        shift.dx = shift.dy = 0;
        if (!now) return;
        const other = last?.shape !== analysis.laidOutFor && !moved.peek();
        if (fresh.value || !last || last.direction !== now.graph.direction || other) {
          if (size.peek().width === 0) return;
          fresh.value = false;
          shift.dx = Infinity;
          untracked(() => fit(now, setView));
          return;
        }
        const selected = now.byName.get(selection.selectedState.peek() ?? "");
        const { dx, dy } = anchor(last.index, now, [
          refocus.id,
          selected === undefined ? null : now.graph.nodes[selected]!.id,
          focused.peek(),
        ]);
        [shift.dx, shift.dy] = [dx, dy];
      }),
    [],
  );
}

/** A Parallel or Map with more states than this is not unfolded when a run passes through it. */
const MOST_UNFOLDED = 1000;

/** Moves the view to what happens in the run, and to what is selected elsewhere. */
function useFollowing(): void {
  // A replay begins.
  useSignalEffect(() => {
    if (playback.live.value && playback.cursor.value === 0) follow.value = true;
  });
  useSignalEffect(() => {
    if (execution.run.value?.phase !== "starting") return;
    follow.value = true;
    // These chunks are needed when the first state is entered.
    void Promise.all([import("./Signs.tsx"), import("./failing.ts"), import("./tokens.ts")]).catch(() => {});
  });
  useSignalEffect(() => {
    const id = playback.active.value;
    if (!playback.live.value || execution.run.value === null || id === null || !follow.value) return;
    const index = analysis.graph.peek();
    let near = id;
    while (near !== "" && !index?.byId.has(near)) near = near.slice(0, near.lastIndexOf("/"));
    // A container stays folded while a run passes through it if the user has folded it or if it is too large to be shown as a
    // whole. If the run stops inside, it is unfolded.
    const { states = 0 } = index?.node(index.byId.get(near) ?? -1) ?? {};
    const stays = states > MOST_UNFOLDED || analysis.collapsed.peek().has(near);
    if (near === id || (execution.run.peek()?.phase !== "paused" && stays)) reveal(near);
    else {
      // This is untracked because it changes a signal that it reads. The position of the state is known with the next graph.
      untracked(() => analysis.unfoldTo(id));
      void analysis.graph.value;
    }
  });
  useSignalEffect(() => {
    const state = selection.selectedState.value;
    const origin = selection.selectionOrigin.value;
    if (state === null || origin === "graph") return;
    const at = analysis.graph.peek()?.byName.get(state);
    if (at === undefined) return;
    const node = analysis.graph.peek()!.graph.nodes[at]!;
    focused.value = node.id;
    reveal(node.id);
  });
}

export function GraphView() {
  const frame = useRef<HTMLDivElement>(null);
  const index = analysis.graph.value;
  const table = prefs.graphMode.value === "table";
  const { Bar, Below } = graphEditor.value ?? {};
  useSize(frame);
  useFitting();
  useFollowing();
  return (
    <>
      {analysis.inside.value && <InsidePath />}
      <div class={`graph-frame${analysis.stale.value ? " stale" : ""}${table ? " as-table" : ""}`} ref={frame}>
        {!index ? <EmptyGraph /> : table ? <Table index={index} /> : <Canvas index={index} />}
        {analysis.stale.value && index && (
          <p class="banner warn" role="status">
            <Icon name="warning" />
            <span>The definition cannot be read right now. The graph shows the last valid version.</span>
          </p>
        )}
        {analysis.latest.value?.crowded && !table && <Crowd />}
        {execution.run.value !== null && <LookingBack />}
        {overlay.value && <Legend />}
        {index && <Around index={index} table={table} frame={frame} />}
        <p class="unseen" id="graph-keys">
          {keysInWords()} {graphEditor.value?.words()}
        </p>
      </div>
      {index && (
        <div class="graph-below">
          {Below && <Below />}
          {!table && Bar && barBelow.value && <Bar />}
        </div>
      )}
    </>
  );
}

/** Gives the graph the window, or returns to all panes. */
function RoomButton() {
  const wide = panes.layout.value !== "write";
  const title = wide ? "Show all panes" : "Room for the graph";
  return (
    <button
      type="button"
      class="square"
      aria-pressed={wide}
      aria-label="Room for the graph"
      title={`${title}${keyHint("room")}`}
      onClick={panes.toggleLayout}
    >
      <Icon name="room" size={14} />
    </button>
  );
}

/** The parts over the graph: search, tools, minimap and the card of a state. */
function Around({ index, table, frame }: { index: GraphIndex; table: boolean; frame: Frame }) {
  const Bar = graphEditor.value?.Bar;
  const back = (): void => {
    const svg = frame.current?.querySelector<HTMLElement>(".canvas");
    if (svg && focused.value !== null) focusNode(svg, focused.value);
  };
  return (
    <>
      {!table && playback.choices.value.size > 0 && <IterationPath />}
      <div class="graph-head">
        {prefs.layoutSize() !== "narrow" && <RoomButton />}
        {!table && <SearchBox back={back} />}
        <div class="segments" role="group" aria-label="View of the state machine">
          <button type="button" aria-pressed={!table} title="Graph" onClick={() => (prefs.graphMode.value = "graph")}>
            <Icon name="graph" size={14} /> <span class="label">Graph</span>
          </button>
          <button type="button" aria-pressed={table} title="Table" onClick={() => (prefs.graphMode.value = "table")}>
            <Icon name="table" size={14} /> <span class="label">Table</span>
          </button>
        </div>
      </div>
      {!table && Bar && !barBelow.value && <Bar />}
      {!table && (
        <div class="graph-foot">
          {execution.run.value !== null && <Follow />}
          {index.stateCount >= MINIMAP_FROM && prefs.layoutSize() !== "narrow" && <Minimap index={index} />}
          <GraphTools index={index} />
        </div>
      )}
      {!table && card.value && <Card index={index} />}
    </>
  );
}

function EmptyGraph() {
  const Beginning = graphEditor.value?.Beginning;
  // The loader is read while rendering, because the first view is rendered before the page sets it, and the first load must not
  // include the editing.
  const { graphEditor: load } = loaders;
  useEffect(() => void load(), []);
  if (interpreter.engine.value === "broken") {
    return (
      <div class="empty">
        <Icon name="error" size={28} />
        <h2>The interpreter could not be loaded</h2>
        <p>{interpreter.engineMessage.value}</p>
        <button type="button" class="primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
  if (interpreter.engine.value === "loading") {
    return (
      <div class="empty">
        <span class="spinner" />
        <p>Loading the interpreter…</p>
      </div>
    );
  }
  return (
    <div class="empty">
      <Icon name="graph" size={28} />
      <h2>No states yet</h2>
      {analysis.stale.value ? <p>The definition cannot be read. The problems below the editor say why.</p> : Beginning && <Beginning />}
    </div>
  );
}
