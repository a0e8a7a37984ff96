// The state machine as a drawing that is also a nested list: every state is a button, every scope a list.

import { type ReadonlySignal, computed, effect, useComputed } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { memo } from "../ui/memo.ts";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type GraphIndex, type GraphNode, isContainer, isState } from "../model/graph.ts";
import { motion } from "../prefs.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { lazy } from "../ui/lazy.tsx";
import { count } from "../ui/format.ts";
import { dismiss, leave, rest } from "./resting.ts";
import { openMenu } from "./menuOpen.ts";
import { graphEditor } from "./graphEditor.ts";
import { overlay } from "../debugger/onGraph.ts";
import { elementOf, focusNode, focused, refocus } from "./focus.ts";
import { keyUp, keys } from "./keys.ts";
import { type Pane, Pointers, inSelector, useWheel } from "./pointing.ts";
import { boxOf } from "./edgeBox.ts";
import { Edge, EdgeLabel, FarLines, Mark } from "./lines.tsx";
import { detail, inBoxes } from "./lod.ts";
import { Head, NodeButton } from "./node.tsx";
import { over } from "./status.ts";
import { targetsInWords } from "./targets.ts";
import { beyond, painted, sight, view } from "./viewport.ts";

const Iterations = lazy(() => import("./Iterations.tsx").then((module) => module.Iterations));
const Transitions = lazy(() => import("./Transitions.tsx").then((module) => module.Transitions));
const Names = lazy(() => import("./Names.tsx").then((module) => module.Names));

/** The number of nodes from which on only the visible ones are drawn. */
const CULL_FROM = 300;

/** How far the drawing moved when its layout changed, so that nodes glide from their previous position on screen. */
export const shift = { dx: 0, dy: 0 };

/** This module is loaded after the first graph, which has no earlier layout to glide from. */
let gliding: typeof import("./gliding.ts") | undefined;

/** Restores the focus if folding replaces the focused element, and lets nodes glide to their new positions. */
function useMotion(index: GraphIndex, pane: Pane): void {
  // The Tab key must be able to reach one node.
  useEffect(() => {
    if (focused.value === null || !index.byId.has(focused.value)) focused.value = index.graph.nodes.find(isState)?.id ?? null;
  }, [index]);
  useLayoutEffect(() => {
    if (refocus.id !== null && focusNode(pane.current!, refocus.id)) refocus.id = null;
  }, [index]);
  useEffect(() => void import("./gliding.ts").then((module) => (gliding = module)).catch(() => {}), []);
  const last = useRef(index);
  useLayoutEffect(() => {
    const old = last.current;
    last.current = index;
    if (old !== index && motion() && shift.dx !== Infinity) gliding?.glideNodes(pane.current!, old, index, shift);
  }, [index]);
}

/** Returns the node that an event belongs to. */
function hovered(event: Event): SVGGElement | null {
  return (event.target as Element).closest<SVGGElement>("[data-node]");
}

function openMenuAt(event: MouseEvent, index: GraphIndex, pane: HTMLElement): void {
  const over = hovered(event);
  const node = over && index.node(index.byId.get(over.dataset["node"]!) ?? -1);
  if (!node) return;
  event.preventDefault();
  dismiss();
  focused.value = node.id;
  // An event of the menu key has no position.
  const box = elementOf(pane, node.id)!.getBoundingClientRect();
  const [x, y] = event.clientX === 0 && event.clientY === 0 ? [box.left + 40, box.top + 30] : [event.clientX, event.clientY];
  openMenu(node, x, y, () => focusNode(pane, node.id));
}

/**
 * Moves and scales the painted drawing while the view moves. This changes only the style of one element that the browser draws as a
 * layer of its own: neither the states nor their styles are looked at.
 */
function useLayer(layer: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(
    () =>
      effect(() => {
        const [to, from] = [view.value, painted.value];
        const { style } = layer.current!;
        if (to === from) return void (style.transform = "");
        const ratio = to.k / from.k;
        style.transform = `translate(${to.x - from.x * ratio}px, ${to.y - from.y * ratio}px) scale(${ratio})`;
      }),
    [],
  );
  useLayoutEffect(
    () =>
      effect(() => {
        const { x, y } = beyond();
        const { style } = layer.current!;
        style.inset = `${-y}px ${-x}px`;
        style.transformOrigin = `${x}px ${y}px`;
      }),
    [],
  );
}

export function Canvas({ index }: { index: GraphIndex }) {
  const pane = useRef<HTMLDivElement>(null);
  useWheel(pane);
  useMotion(index, pane);
  const pointers = useMemo(() => new Pointers(pane), []);
  const classes = useMemo(() => computed(() => `canvas ${detail.value}${over.value ? " run-over" : ""}`), []);
  const title = index.graph.comment ?? "State machine";
  return (
    <div
      ref={pane}
      class={classes}
      role="group"
      aria-roledescription="state machine graph"
      aria-label={`${title}: ${count(index.stateCount, "state")}`}
      aria-describedby="graph-keys"
      onPointerDown={pointers.down}
      onPointerMove={pointers.move}
      onPointerUp={pointers.up}
      onPointerCancel={pointers.up}
      onClick={(event) => {
        if (!pointers.dragged && (event.target as Element).matches(".drawing")) selection.selectState(null, "graph");
      }}
      onClickCapture={(event) => {
        if (pointers.dragged) event.stopPropagation();
      }}
      onKeyDown={(event) => !inSelector(event) && keys(event, index, pane.current!)}
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
      onContextMenu={(event) => openMenuAt(event, index, pane.current!)}
    >
      <Drawing index={index} pane={pane} label={title} />
    </div>
  );
}

/** The painted drawing, and the marks that move over it. */
function Drawing({ index, pane, label }: { index: GraphIndex; pane: Pane; label: string }) {
  const layer = useRef<HTMLDivElement>(null);
  useLayer(layer);
  const transform = useMemo(
    () => computed(() => `translate(${painted.value.x + beyond().x} ${painted.value.y + beyond().y}) scale(${painted.value.k})`),
    [],
  );
  const place = useComputed(
    () => `translate(${painted.value.x + beyond().x}px, ${painted.value.y + beyond().y}px) scale(${painted.value.k})`,
  ).value;
  const Layer = graphEditor.value?.Layer;
  return (
    <div class="canvas-layer" ref={layer}>
      <svg class="drawing" width="100%" height="100%">
        <Definitions transform={transform} />
        <rect class="backdrop" width="100%" height="100%" fill="url(#dots)" />
        <g transform={transform}>
          <Scope index={index} scope={-1} label={label} />
          {overlay.value?.drawn}
          {!inBoxes.value && <Names index={index} />}
          <Transitions index={index} pane={pane} view={view} focus={(id) => focusNode(pane.current!, id)} />
          {Layer && <Layer index={index} pane={pane} />}
        </g>
      </svg>
      <div class="tokens" aria-hidden="true" style={{ transform: place }} />
    </div>
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

/** The minimum height of the choice of an iteration, in px of the drawing. */
const LEAST_ROOM = 20;

/** Returns the upper edge of a container's first scope. */
function scopeTop(index: GraphIndex, at: number): number {
  const scope = index.graph.nodes[index.children[at]![0] ?? -1];
  return scope?.y ?? 0;
}

const Container = memo(function Container({ index, at }: { index: GraphIndex; at: number }) {
  const node = index.graph.nodes[at]!;
  const content = useContent(node);
  const scopes = index.children[at]!;
  // Before the first run there is no room for the choice of an iteration.
  const room = node.type === "Map" ? scopeTop(index, at) - node.y - 56 - 16 * (node.lines.length - 1) : 0;
  return (
    <>
      {node.type === "Scope" ? (
        <rect class="scope" data-move={node.id} x={node.x} y={node.y} width={node.width} height={node.height} rx="8" />
      ) : (
        <Placed node={node}>
          <ContainerBox node={content} ways={targetsInWords(index, at, 8).join(", ")} />
        </Placed>
      )}
      {room > LEAST_ROOM && detail.value !== "far" && (
        <foreignObject
          class="selector"
          data-move={node.id}
          x={node.x + 14}
          y={node.y + 54 + 16 * (node.lines.length - 1)}
          width={node.width - 28}
          height={room}
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
