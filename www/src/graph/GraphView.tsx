// The state machine as a drawing that is also a nested list: every state is a button, every scope a list. It can also be shown as
// a table.

import { type ReadonlySignal, computed, effect, untracked, useComputed, useSignalEffect } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { memo } from "../ui/memo.ts";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
// This import adds the debugger's marks to the graph.
import "../debugger/marks.ts";
import { keymap } from "../keys/keymap.ts";
import { type GraphIndex, type GraphNode, isContainer, isState } from "../model/graph.ts";
import { motion } from "../prefs.ts";
import * as prefs from "../prefs.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { lazy } from "../ui/lazy.tsx";
import { count } from "../ui/format.ts";
import { Card, dismiss, leave, rest } from "./Card.tsx";
import { openMenu } from "./menuOpen.ts";
import { loaders, graphEditor } from "./graphEditor.ts";
import { SearchBox } from "./Search.tsx";
import { overlay } from "../debugger/onGraph.ts";
import { elementOf, focusNode, focused, refocus } from "./focus.ts";
import { keyUp, keys } from "./keys.ts";
import { Edge, EdgeLabel, FarLines, Mark, boxOf } from "./lines.tsx";
import { detail, inBoxes } from "./lod.ts";
import { Head, NodeButton } from "./node.tsx";
import { over } from "./status.ts";
import { targetsInWords } from "./targets.ts";
import {
  barBelow,
  anchor,
  expectMachine,
  fit,
  follow,
  fresh,
  glide,
  kept,
  moved,
  pan,
  reveal,
  sight,
  size,
  view,
  zoomTo,
} from "./viewport.ts";

/** The number of states from which on there is a minimap. */
const MINIMAP_FROM = 80;
const GraphTools = lazy(() => import("./Tools.tsx").then((module) => module.GraphTools));
const Minimap = lazy(() => import("./Minimap.tsx").then((module) => module.Minimap));
const Legend = lazy(() => import("./Legend.tsx").then((module) => module.Legend));
const Iterations = lazy(() => import("./Iterations.tsx").then((module) => module.Iterations));
const InsidePath = lazy(() => import("../debugger/Inside.tsx").then((module) => module.InsidePath));
const IterationPath = lazy(() => import("./IterationPath.tsx").then((module) => module.IterationPath));
const LookingBack = lazy(() => import("./PastEvent.tsx").then((module) => module.PastEvent));
const Follow = lazy(() => import("./PastEvent.tsx").then((module) => module.Follow));
const Transitions = lazy(() => import("./Transitions.tsx").then((module) => module.Transitions));
const Names = lazy(() => import("./Names.tsx").then((module) => module.Names));
const Crowd = lazy(() => import("./LargeMachine.tsx").then((module) => module.LargeMachine));
const Table = lazy(() => import("./Table.tsx").then((module) => module.Table));

/** The number of nodes from which on only the visible ones are drawn. */
const CULL_FROM = 300;

export function fitGraph(): void {
  const index = analysis.graph.value;
  if (index) fit(index, glide, true);
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
  useLayoutEffect(() => {
    const element = frame.current!;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width === size.value.width && height === size.value.height) return;
      const before = size.value;
      size.value = { width, height };
      if (analysis.aspect.peek() === 0) expectMachine();
      const index = analysis.graph.value;
      if (index && !moved.value) fit(index, (to) => (view.value = to), false, kept(before));
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
  const before = useRef<{ index: GraphIndex; direction: string; aspect: number } | null>(null);
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
        before.current = now && { index: now, direction: now.graph.direction, aspect: analysis.laidOutFor };
        shift.dx = shift.dy = 0;
        if (!now) return;
        if (fresh.value || !last || last.direction !== now.graph.direction || last.aspect !== analysis.laidOutFor) {
          if (size.peek().width === 0) return;
          fresh.value = false;
          shift.dx = Infinity;
          untracked(() => fit(now, (to) => (view.value = to)));
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
    void Promise.all([import("./Signs.tsx"), import("./failing.ts")]).catch(() => {});
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

/** The parts over the graph: search, tools, minimap and the card of a state. */
function Around({ index, table, frame }: { index: GraphIndex; table: boolean; frame: Frame }) {
  const Bar = graphEditor.value?.Bar;
  const back = (): void => {
    const svg = frame.current?.querySelector<SVGSVGElement>("svg.canvas");
    if (svg && focused.value !== null) focusNode(svg, focused.value);
  };
  return (
    <>
      {!table && playback.choices.value.size > 0 && <IterationPath />}
      <div class="graph-head">
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
      {!table && <Card index={index} />}
    </>
  );
}

/** How far the drawing moved when its layout changed, so that nodes glide from their previous position on screen. */
const shift = { dx: 0, dy: 0 };

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

type Svg = RefObject<SVGSVGElement | null>;

/** Handles wheel events. They must not scroll or zoom the page, which a passive listener cannot prevent. */
function useWheel(svg: Svg): void {
  useEffect(() => {
    const element = svg.current!;
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 16 : 1;
      if (event.ctrlKey || event.metaKey) {
        const box = element.getBoundingClientRect();
        zoomTo(view.value.k * Math.exp(-event.deltaY * unit * 0.0045), { x: event.clientX - box.left, y: event.clientY - box.top });
      } else if (event.shiftKey && event.deltaX === 0) pan(-event.deltaY * unit, 0);
      else pan(-event.deltaX * unit, -event.deltaY * unit);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, []);
}

interface Point {
  x: number;
  y: number;
}

/** Handles the mouse and fingers on the canvas: one pointer moves the view, two also zoom it. */
class Pointers {
  /** Whether the last press was a drag and not a click. */
  dragged = false;
  readonly #held = new Map<number, Point>();

  constructor(private readonly svg: Svg) {}

  readonly down = (event: PointerEvent): void => {
    dismiss();
    if (inSelector(event)) return;
    if (event.button !== 0 && event.button !== 1) return;
    this.#held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#held.size === 1) this.dragged = false;
  };

  readonly move = (event: PointerEvent): void => {
    const before = this.#held.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (!this.dragged && Math.hypot(dx, dy) < 4) return;
    if (!this.dragged) {
      this.dragged = true;
      this.svg.current!.setPointerCapture(event.pointerId);
    }
    const [, other] = this.#held.size === 2 ? [...this.#held].find(([id]) => id !== event.pointerId)! : [];
    if (other) {
      this.#pinch(before, now, other);
      pan(dx / 2, dy / 2);
    } else pan(dx, dy);
    this.#held.set(event.pointerId, now);
  };

  readonly up = (event: PointerEvent): void => {
    this.#held.delete(event.pointerId);
  };

  #pinch(before: Point, now: Point, other: Point): void {
    const [from, to] = [Math.hypot(before.x - other.x, before.y - other.y), Math.hypot(now.x - other.x, now.y - other.y)];
    const box = this.svg.current!.getBoundingClientRect();
    if (from > 0) zoomTo((view.value.k * to) / from, { x: (now.x + other.x) / 2 - box.left, y: (now.y + other.y) / 2 - box.top });
  }
}

/** This module is loaded after the first graph, which has no earlier layout to glide from. */
let gliding: typeof import("./gliding.ts") | undefined;

/** Restores the focus if folding replaces the focused element, and lets nodes glide to their new positions. */
function useMotion(index: GraphIndex, svg: Svg): void {
  // The Tab key must be able to reach one node.
  useEffect(() => {
    if (focused.value === null || !index.byId.has(focused.value)) focused.value = index.graph.nodes.find(isState)?.id ?? null;
  }, [index]);
  useLayoutEffect(() => {
    if (refocus.id !== null && focusNode(svg.current!, refocus.id)) refocus.id = null;
  }, [index]);
  useEffect(() => void import("./gliding.ts").then((module) => (gliding = module)).catch(() => {}), []);
  const last = useRef(index);
  useLayoutEffect(() => {
    const old = last.current;
    last.current = index;
    if (old !== index && motion() && shift.dx !== Infinity) gliding?.glideNodes(svg.current!, old, index, shift);
  }, [index]);
}

/** Returns the node that an event belongs to. */
function hovered(event: Event): SVGGElement | null {
  return (event.target as Element).closest<SVGGElement>("[data-node]");
}

function openMenuAt(event: MouseEvent, index: GraphIndex, svg: SVGSVGElement): void {
  const over = hovered(event);
  const node = over && index.node(index.byId.get(over.dataset["node"]!) ?? -1);
  if (!node) return;
  event.preventDefault();
  dismiss();
  focused.value = node.id;
  // An event of the menu key has no position.
  const box = elementOf(svg, node.id)!.getBoundingClientRect();
  const [x, y] = event.clientX === 0 && event.clientY === 0 ? [box.left + 40, box.top + 30] : [event.clientX, event.clientY];
  openMenu(node, x, y, () => focusNode(svg, node.id));
}

function Canvas({ index }: { index: GraphIndex }) {
  const svg = useRef<SVGSVGElement>(null);
  useWheel(svg);
  useMotion(index, svg);
  const pointers = useMemo(() => new Pointers(svg), []);
  const transform = useMemo(() => computed(() => `translate(${view.value.x} ${view.value.y}) scale(${view.value.k})`), []);
  const classes = useMemo(() => computed(() => `canvas ${detail.value}${over.value ? " run-over" : ""}`), []);
  const title = index.graph.comment ?? "State machine";
  const Layer = graphEditor.value?.Layer;
  return (
    <svg
      ref={svg}
      class={classes}
      width="100%"
      height="100%"
      role="group"
      aria-roledescription="state machine graph"
      aria-label={`${title}: ${count(index.stateCount, "state")}`}
      aria-describedby="graph-keys"
      onPointerDown={pointers.down}
      onPointerMove={pointers.move}
      onPointerUp={pointers.up}
      onPointerCancel={pointers.up}
      onClick={(event) => {
        if (!pointers.dragged && event.target === svg.current) selection.selectState(null, "graph");
      }}
      onClickCapture={(event) => {
        if (pointers.dragged) event.stopPropagation();
      }}
      onKeyDown={(event) => !inSelector(event) && keys(event, index, svg.current!)}
      onKeyUp={(event) => !inSelector(event) && keyUp(event, index)}
      onPointerOver={(event) => {
        const over = hovered(event);
        if (over && event.pointerType === "mouse" && event.buttons === 0) rest(over.dataset["node"]!, over);
      }}
      onPointerOut={(event) => hovered(event) && leave()}
      onFocusIn={(event) => {
        const over = hovered(event);
        if (over?.matches(":focus-visible")) rest(over.dataset["node"]!, over);
      }}
      onFocusOut={leave}
      onContextMenu={(event) => openMenuAt(event, index, svg.current!)}
    >
      <Definitions transform={transform} />
      <rect class="backdrop" width="100%" height="100%" fill="url(#dots)" />
      <g transform={transform}>
        <Scope index={index} scope={-1} label={title} />
        {overlay.value?.drawn}
        {!inBoxes.value && <Names index={index} />}
        <Transitions index={index} svg={svg} view={view} focus={(id) => focusNode(svg.current!, id)} />
        {Layer && <Layer index={index} svg={svg} />}
      </g>
    </svg>
  );
}

/** The SVG definitions: the background, the hatching, and the arrowheads. */
function Definitions({ transform }: { transform: ReadonlySignal<string> }) {
  return (
    <defs>
      <pattern id="dots" width="24" height="24" patternUnits="userSpaceOnUse" patternTransform={transform}>
        <circle class="dots" cx="1.2" cy="1.2" r="1.2" />
      </pattern>
      <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path class="hatch" d="M0 0V7" />
      </pattern>
      {["flow", "catch", "back", "succeeded", "running", "failed"].map((kind) => (
        <marker
          key={kind}
          id={`arrow-${kind}`}
          viewBox="0 0 10 10"
          refX="9.5"
          refY="5"
          markerWidth="9"
          markerHeight="9"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path class={`head head-${kind}`} d="M1 1L9.5 5L1 9Z" />
        </marker>
      ))}
    </defs>
  );
}

/** Returns whether an event belongs to the controls in a Map's box. */
const inSelector = (event: Event): boolean => (event.target as Element).closest(".selector") !== null;

/** The contents of one `States` object: the transitions, then the states. */
const Scope = memo(function Scope({ index, scope, label }: { index: GraphIndex; scope: number; label: string }) {
  const { nodes, edges } = index.graph;
  const inside = scope < 0 ? nodes.flatMap((_, i) => (index.parent[i]! < 0 ? [i] : [])) : index.children[scope]!;
  const large = nodes.length > CULL_FROM;
  const bounds = large ? sight.value.split(" ").map(Number) : null;
  const near = (box: { x: number; y: number; width: number; height: number }): boolean =>
    bounds === null || (box.x < bounds[2]! && box.y < bounds[3]! && box.x + box.width > bounds[0]! && box.y + box.height > bounds[1]!);
  const shown = inside.filter((i) => near(nodes[i]!) || holds(index, i, focused.value));
  const far = detail.value === "far";
  const all = useMemo(() => inside.flatMap((i) => index.out[i]!), [index, scope]);
  const lines = far ? [] : all.filter((e) => near(boxOf(edges[e]!)));
  const merged = useMemo(() => all.map((e) => edges[e]!), [all]);
  const states = shown.filter((i) => nodes[i]!.type !== "Start" && nodes[i]!.type !== "End");
  return (
    <>
      <g class="lines" aria-hidden="true">
        {lines.map((e) => (
          <Edge key={edges[e]!.id} edge={edges[e]!} />
        ))}
        {far && <FarLines edges={merged} />}
        {detail.value === "near" && lines.map((e) => edges[e]!.labelBox && <EdgeLabel key={edges[e]!.id} edge={edges[e]!} />)}
      </g>
      {!far && (
        <g aria-hidden="true">
          {shown.map((i) => (nodes[i]!.type === "Start" || nodes[i]!.type === "End") && <Mark key={nodes[i]!.id} node={nodes[i]!} />)}
        </g>
      )}
      {states.length > 0 && (
        <g role="list" aria-label={label}>
          {states.map((i) => (
            <g role="listitem" key={nodes[i]!.id}>
              {isContainer(nodes[i]!) ? (
                <Container index={index} at={i} />
              ) : (
                <State node={nodes[i]!} ways={targetsInWords(index, i, 8).join(", ")} />
              )}
            </g>
          ))}
        </g>
      )}
    </>
  );
});

function holds(index: GraphIndex, at: number, id: string | null): boolean {
  if (id === null) return false;
  for (let i = index.byId.get(id) ?? -1; i >= 0; i = index.parent[i]!) if (i === at) return true;
  return false;
}

/** Returns a node without its position. The object stays the same until something else of the node changes. */
function useContent(node: GraphNode): GraphNode {
  const now = { ...node, x: 0, y: 0 };
  return useMemo(() => now, [JSON.stringify(now)]);
}

/** Places a node. Its content is drawn at the origin, so a node that only moves is not drawn again. */
function Placed({ node, children }: { node: GraphNode; children: ComponentChildren }) {
  return <g transform={`translate(${node.x} ${node.y})`}>{children}</g>;
}

/** A state, independent of its graph. If it does not change in the next graph, it is not drawn again. */
const State = memo(function State({ node, ways }: { node: GraphNode; ways: string }) {
  return (
    <Placed node={node}>
      <StateBox node={useContent(node)} ways={ways} />
    </Placed>
  );
});

const StateBox = memo(function StateBox({ node, ways }: { node: GraphNode; ways: string }) {
  const { width, height } = node;
  const run = playback.runOf(node.id);
  const cancelled = useComputed(() => run.value.status === "cancelled").value;
  return (
    <NodeButton node={node} ways={ways} run={run}>
      {node.collapsed && detail.value !== "far" && <rect class="behind" x="6" y="5" width={width - 12} height={height} rx="10" />}
      <rect class="box" width={width} height={height} rx="10" />
      {cancelled && <rect class="cancelled-hatch" width={width} height={height} rx="10" />}
      <Head node={node} />
    </NodeButton>
  );
});

const ContainerBox = memo(function ContainerBox({ node, ways }: { node: GraphNode; ways: string }) {
  return (
    <NodeButton node={node} ways={ways} run={playback.runOf(node.id)} container>
      <rect class="box" width={node.width} height={node.height} rx="10" />
      <Head node={node} />
    </NodeButton>
  );
});

/** Returns the upper edge of a container's first scope. */
function scopeTop(index: GraphIndex, at: number): number {
  const scope = index.graph.nodes[index.children[at]![0] ?? -1];
  return scope?.y ?? 0;
}

const Container = memo(function Container({ index, at }: { index: GraphIndex; at: number }) {
  const node = index.graph.nodes[at]!;
  const content = useContent(node);
  const scopes = index.children[at]!;
  return (
    <>
      {node.type === "Scope" ? (
        <rect class="scope" data-move={node.id} x={node.x} y={node.y} width={node.width} height={node.height} rx="8" />
      ) : (
        <Placed node={node}>
          <ContainerBox node={content} ways={targetsInWords(index, at, 8).join(", ")} />
        </Placed>
      )}
      {node.type === "Map" && detail.value !== "far" && (
        <foreignObject
          class="selector"
          data-move={node.id}
          x={node.x + 14}
          y={node.y + 54 + 16 * (node.lines.length - 1)}
          width={node.width - 28}
          height={Math.max(0, scopeTop(index, at) - node.y - 56 - 16 * (node.lines.length - 1))}
        >
          {/* The children get the namespace of the element that they are inserted into. */}
          <div>
            <Iterations node={node} place="graph" />
          </div>
        </foreignObject>
      )}
      {node.type === "Scope" ? (
        <Scope index={index} scope={at} label={node.name} />
      ) : (
        scopes.map((scope) => (
          <g key={index.graph.nodes[scope]!.id}>
            <rect
              class="scope"
              x={index.graph.nodes[scope]!.x}
              y={index.graph.nodes[scope]!.y}
              width={index.graph.nodes[scope]!.width}
              height={index.graph.nodes[scope]!.height}
              rx="8"
            />
            <Scope index={index} scope={scope} label={`${node.name}, ${index.graph.nodes[scope]!.name}`} />
          </g>
        ))
      )}
    </>
  );
});
