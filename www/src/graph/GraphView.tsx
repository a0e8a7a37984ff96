// The state machine as a drawing that is also a nested list: every state a button, every scope a list.

import { type Signal, computed, signal, useSignal, useSignalEffect } from "@preact/signals";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { goToDefinition } from "../editor/place.ts";
import { type GraphEdge, type GraphIndex, type GraphNode, isContainer, isState } from "../model/graph.ts";
import { type NodeRun, STATUS_TEXT } from "../model/log.ts";
import { motion } from "../prefs.ts";
import * as store from "../store.ts";
import { save } from "../ui/save.ts";
import { GLYPHS, Icon, STATUS_ICON, iconPath } from "../ui/Icon.tsx";
import { MOD, count } from "../ui/format.ts";
import { fit, moved, pan, showing, sight, size, view, zoomTo } from "./viewport.ts";

/// The one node that the Tab key reaches.
const focused = signal<string | null>(null);
/// From how many nodes on only those in sight are drawn.
const CULL_FROM = 300;

let gliding = 0;
function glide(to: { x: number; y: number; k: number }): void {
  cancelAnimationFrame(gliding);
  if (!motion() || size.value.width === 0) {
    view.value = to;
    return;
  }
  const from = view.value;
  const begun = performance.now();
  const step = (now: number): void => {
    const t = Math.min(1, (now - begun) / 180);
    const ease = 1 - (1 - t) ** 3;
    const mix = (a: number, b: number): number => a + (b - a) * ease;
    view.value = { x: mix(from.x, to.x), y: mix(from.y, to.y), k: mix(from.k, to.k) };
    if (t < 1) gliding = requestAnimationFrame(step);
  };
  gliding = requestAnimationFrame(step);
}

export function fitGraph(): void {
  const graph = store.graph.value?.graph;
  if (graph) fit(graph, glide, true);
}

export function GraphView() {
  const frame = useRef<HTMLDivElement>(null);
  const index = store.graph.value;
  const first = useRef(true);

  useLayoutEffect(() => {
    const element = frame.current!;
    const measure = (): void => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width === size.value.width && height === size.value.height) return;
      size.value = { width, height };
      const graph = store.graph.value?.graph;
      if (graph && !moved.value) fit(graph, (to) => (view.value = to));
    };
    measure();
    const observer = new ResizeObserver(() => requestAnimationFrame(measure));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // A new workspace is fitted; a graph that changes under the keys stays where it is.
  useSignalEffect(() => {
    store.generation.value;
    moved.value = false;
    first.current = true;
  });
  useSignalEffect(() => {
    const graph = store.graph.value?.graph;
    if (!graph) return;
    if (first.current && size.value.width > 0) {
      first.current = false;
      fit(graph, (to) => (view.value = to));
    } else if (!moved.peek()) fit(graph, glide);
  });

  // Follow what happens, and what is selected elsewhere.
  useSignalEffect(() => {
    const id = store.active.value;
    if (!store.live.value || store.run.value?.phase !== "running" || id === null || moved.peek()) return;
    reveal(id);
  });
  useSignalEffect(() => {
    const state = store.selectedState.value;
    const origin = store.selectionOrigin.value;
    if (state === null || origin === "graph") return;
    const at = store.graph.peek()?.byName.get(state);
    if (at === undefined) return;
    const node = store.graph.peek()!.graph.nodes[at]!;
    focused.value = node.id;
    reveal(node.id);
  });

  return (
    <div class={`graph-frame${store.stale.value ? " stale" : ""}`} ref={frame}>
      {index ? <Canvas index={index} /> : <EmptyGraph />}
      {store.stale.value && index && (
        <p class="banner warn" role="status">
          <Icon name="warning" />
          <span>The definition cannot be read right now. This is its last good graph.</span>
        </p>
      )}
      <LookingBack />
      {index && <GraphTools index={index} />}
      <p class="unseen" id="graph-keys">
        Arrow keys go along transitions and to neighbours, Enter goes into Parallel and Map states or to the definition, Escape goes out, plus and minus
        unfold and fold.
      </p>
    </div>
  );
}

function reveal(id: string): void {
  const index = store.graph.peek();
  const node = index?.node(index.byId.get(id) ?? -1);
  if (!node || size.peek().width === 0) return;
  const box = isContainer(node) ? { ...node, height: Math.min(node.height, 90) } : node;
  const to = showing(box);
  const now = view.peek();
  if (Math.abs(to.x - now.x) > 1 || Math.abs(to.y - now.y) > 1) glide(to);
}

function LookingBack() {
  if (store.run.value === null || store.live.value || store.cursor.value === store.eventCount.value) return null;
  return (
    <p class="banner info">
      <span>
        Event <b>{store.cursor.value}</b> of {store.eventCount.value}
      </span>
      <button type="button" class="link" onClick={store.returnToLive}>
        Return to the end
      </button>
    </p>
  );
}

function EmptyGraph() {
  if (store.engine.value === "broken") {
    return (
      <div class="empty">
        <Icon name="error" size={28} />
        <h3>The interpreter could not be loaded</h3>
        <p>{store.engineMessage.value}</p>
        <button type="button" class="primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
  if (store.engine.value === "loading") {
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
      <h3>No states yet</h3>
      <p>{store.stale.value ? "The definition cannot be read. The problems below the editor say why." : "Write a definition, or begin with an example."}</p>
      <button type="button" class="primary" onClick={() => (store.dialog.value = "examples")}>
        Open an example
      </button>
    </div>
  );
}

function GraphTools({ index }: { index: GraphIndex }) {
  return (
    <div class="graph-tools" role="toolbar" aria-label="Graph view">
      <button type="button" class="square" aria-label="Zoom out" title={`Zoom out (${MOD} −)`} onClick={() => zoomTo(view.value.k / 1.25)}>
        <Icon name="minus" />
      </button>
      <button type="button" class="zoom" title="To 100 % (Shift 0)" onClick={() => zoomTo(1)}>
        <span class="unseen">Zoom </span>
        {computed(() => `${Math.round(view.value.k * 100)} %`)}
      </button>
      <button type="button" class="square" aria-label="Zoom in" title={`Zoom in (${MOD} +)`} onClick={() => zoomTo(view.value.k * 1.25)}>
        <Icon name="plus" />
      </button>
      <button type="button" class="square" aria-label="Fit the graph" title="Fit (Shift 1)" onClick={() => fit(index.graph, glide, true)}>
        <Icon name="fit" />
      </button>
      <button
        type="button"
        class="square"
        aria-label={store.direction.value === "TB" ? "Lay out from left to right" : "Lay out from top to bottom"}
        title={store.direction.value === "TB" ? "Lay out from left to right" : "Lay out from top to bottom"}
        onClick={() => {
          moved.value = false;
          store.direction.value = store.direction.value === "TB" ? "LR" : "TB";
        }}
      >
        <Icon name="turn" />
      </button>
      <button type="button" class="square" aria-label="Save the graph as SVG" title="Save the graph as SVG" onClick={() => void saveSvg()}>
        <Icon name="download" />
      </button>
    </div>
  );
}

async function saveSvg(): Promise<void> {
  try {
    const svg = await store.query("svg", { text: store.definition.value, format: store.format.value, collapsed: [...store.collapsed.value], direction: store.direction.value });
    save(`${store.title.value}.svg`, svg, "image/svg+xml");
  } catch (error) {
    store.shout(`The graph could not be saved: ${(error as Error).message}`);
  }
}

function Canvas({ index }: { index: GraphIndex }) {
  const svg = useRef<SVGSVGElement>(null);
  const { nodes } = index.graph;

  // Someone must be reachable by the Tab key.
  useEffect(() => {
    if (focused.value === null || !index.byId.has(focused.value)) focused.value = nodes.find(isState)?.id ?? null;
  }, [index]);

  // Wheel events must be stopped from scrolling and zooming the page, which passive listeners cannot.
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

  // Folding replaces the element that has the focus.
  useLayoutEffect(() => {
    if (refocus === null) return;
    if (focusNode(svg.current!, refocus)) refocus = null;
  }, [index]);

  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const dragged = useRef(false);
  const down = (event: PointerEvent): void => {
    if (event.button !== 0 && event.button !== 1) return;
    pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.current.size === 1) dragged.current = false;
  };
  const move = (event: PointerEvent): void => {
    const held = pointers.current.get(event.pointerId);
    if (!held) return;
    const dx = event.clientX - held.x;
    const dy = event.clientY - held.y;
    if (!dragged.current && Math.hypot(dx, dy) < 4) return;
    if (!dragged.current) {
      dragged.current = true;
      svg.current!.setPointerCapture(event.pointerId);
    }
    if (pointers.current.size === 2) {
      const [a, b] = [...pointers.current.entries()].map(([id, at]) => (id === event.pointerId ? { x: event.clientX, y: event.clientY } : at));
      const other = [...pointers.current.entries()].find(([id]) => id !== event.pointerId)![1];
      const before = Math.hypot(held.x - other.x, held.y - other.y);
      const after = Math.hypot(a!.x - b!.x, a!.y - b!.y);
      const box = svg.current!.getBoundingClientRect();
      if (before > 0) zoomTo((view.value.k * after) / before, { x: (a!.x + b!.x) / 2 - box.left, y: (a!.y + b!.y) / 2 - box.top });
      pan(dx / 2, dy / 2);
    } else pan(dx, dy);
    pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  const up = (event: PointerEvent): void => {
    pointers.current.delete(event.pointerId);
  };

  const transform = useMemo(() => computed(() => `translate(${view.value.x} ${view.value.y}) scale(${view.value.k})`), []);
  const detail = useMemo(() => computed(() => (view.value.k < 0.25 ? "canvas far" : view.value.k < 0.4 ? "canvas middle" : "canvas")), []);
  const title = index.graph.comment ?? "State machine";

  return (
    <svg
      ref={svg}
      class={detail}
      width="100%"
      height="100%"
      role="group"
      aria-roledescription="state machine graph"
      aria-label={`${title}: ${count(index.stateCount, "state")}`}
      aria-describedby="graph-keys"
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
      onClick={(event) => {
        if (!dragged.current && event.target === svg.current) store.selectState(null, "graph");
      }}
      onClickCapture={(event) => {
        if (dragged.current) event.stopPropagation();
      }}
      onKeyDown={(event) => keys(event, index, svg.current!)}
    >
      <defs>
        <pattern id="dots" width="24" height="24" patternUnits="userSpaceOnUse" patternTransform={transform}>
          <circle class="dots" cx="1.2" cy="1.2" r="1.2" />
        </pattern>
        {["flow", "catch", "back", "taken"].map((kind) => (
          <marker key={kind} id={`arrow-${kind}`} viewBox="0 0 10 10" refX="9.5" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">
            <path class={`head head-${kind}`} d="M1 1L9.5 5L1 9Z" />
          </marker>
        ))}
      </defs>
      <rect class="backdrop" width="100%" height="100%" fill="url(#dots)" />
      <g transform={transform}>
        <Scope index={index} scope={-1} label={title} />
      </g>
    </svg>
  );
}

/// Everything within one `States` object: the transitions, then the states.
const Scope = memo(function Scope({ index, scope, label }: { index: GraphIndex; scope: number; label: string }) {
  const { nodes, edges } = index.graph;
  const inside = scope < 0 ? nodes.flatMap((_, i) => (index.parent[i]! < 0 ? [i] : [])) : index.children[scope]!;
  const large = nodes.length > CULL_FROM;
  const bounds = large ? sight.value.split(" ").map(Number) : null;
  const near = (box: { x: number; y: number; width: number; height: number }): boolean =>
    bounds === null || (box.x < bounds[2]! && box.y < bounds[3]! && box.x + box.width > bounds[0]! && box.y + box.height > bounds[1]!);
  const shown = inside.filter((i) => near(nodes[i]!) || holds(index, i, focused.value));
  const lines = inside.flatMap((i) => index.out[i]!).filter((e) => near(boxOf(edges[e]!)));
  const states = shown.filter((i) => nodes[i]!.type !== "Start" && nodes[i]!.type !== "End");
  return (
    <>
      <g aria-hidden="true">
        {lines.map((e) => (
          <Edge key={edges[e]!.id} edge={edges[e]!} />
        ))}
        {lines.map((e) => edges[e]!.labelBox && <EdgeLabel key={edges[e]!.id} edge={edges[e]!} />)}
        {shown.map((i) => (nodes[i]!.type === "Start" || nodes[i]!.type === "End") && <Mark key={nodes[i]!.id} node={nodes[i]!} />)}
      </g>
      {states.length > 0 && (
        <g role="list" aria-label={label}>
          {states.map((i) => (
            <g role="listitem" key={nodes[i]!.id}>
              {isContainer(nodes[i]!) ? <Container index={index} at={i} /> : <State index={index} at={i} />}
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

const boxes = new WeakMap<GraphEdge, { x: number; y: number; width: number; height: number }>();
function boxOf(edge: GraphEdge) {
  let box = boxes.get(edge);
  if (!box) {
    const xs = edge.points.map(([x]) => x);
    const ys = edge.points.map(([, y]) => y);
    const x = Math.min(...xs);
    const y = Math.min(...ys);
    boxes.set(edge, (box = { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }));
  }
  return box;
}

function lineKind(edge: GraphEdge): "flow" | "catch" | "back" {
  return edge.kind === "catch" ? "catch" : edge.back ? "back" : "flow";
}

const Edge = memo(function Edge({ edge }: { edge: GraphEdge }) {
  const taken = store.takenOf(edge.id);
  const before = useRef(taken.peek());
  const pulse = useSignal(0);
  useSignalEffect(() => {
    const now = taken.value;
    if (now > before.current && motion() && store.live.peek()) pulse.value = now;
    else if (now < before.current) pulse.value = 0;
    before.current = now;
  });
  const kind = lineKind(edge);
  const used = taken.value > 0;
  return (
    <>
      <path class={`line line-${kind} line-of-${edge.kind}${used ? " taken" : ""}`} d={edge.path} marker-end={`url(#arrow-${used && kind !== "catch" ? "taken" : kind})`} />
      {pulse.value > 0 && <path key={pulse.value} class="pulse" d={edge.path} pathLength={100} />}
    </>
  );
});

const EdgeLabel = memo(function EdgeLabel({ edge }: { edge: GraphEdge }) {
  const box = edge.labelBox!;
  const taken = store.takenOf(edge.id).value;
  return (
    <g class={`edge-label edge-label-${lineKind(edge)}${taken > 0 ? " taken" : ""}`}>
      <title>{edge.title ?? edge.label}</title>
      <rect x={box.x} y={box.y + 1} width={box.width} height={box.height - 2} rx="8" />
      <text x={box.x + box.width / 2} y={box.y + box.height / 2 + 4}>
        {edge.label}
      </text>
    </g>
  );
});

const Mark = memo(function Mark({ node }: { node: GraphNode }) {
  const { x, y, width, height } = node;
  const end = node.type === "End";
  if (width > 20) {
    return (
      <g class={end ? "mark mark-end" : "mark"}>
        <rect x={x} y={y} width={width} height={height} rx={height / 2} />
        <text x={x + width / 2} y={y + height / 2 + 4}>
          {node.name}
        </text>
      </g>
    );
  }
  return (
    <g class={end ? "mark mark-end" : "mark"}>
      <circle cx={x + width / 2} cy={y + height / 2} r={width / 2 - 1} />
      {end && <circle class="mark-dot" cx={x + width / 2} cy={y + height / 2} r="3" />}
    </g>
  );
});

interface At {
  index: GraphIndex;
  at: number;
}

const State = memo(function State({ index, at }: At) {
  const node = index.graph.nodes[at]!;
  const run = store.runOf(node.id);
  return (
    <NodeButton index={index} at={at} run={run}>
      {node.collapsed && <rect class="behind" x={node.x + 6} y={node.y + 5} width={node.width - 12} height={node.height} rx="10" />}
      <rect class="box" x={node.x} y={node.y} width={node.width} height={node.height} rx="10" />
      <Head node={node} />
    </NodeButton>
  );
});

const Container = memo(function Container({ index, at }: At) {
  const node = index.graph.nodes[at]!;
  const run = store.runOf(node.id);
  const scopes = index.children[at]!;
  return (
    <>
      {node.type === "Scope" ? (
        <rect class="scope" x={node.x} y={node.y} width={node.width} height={node.height} rx="8" />
      ) : (
        <NodeButton index={index} at={at} run={run} container>
          <rect class="box" x={node.x} y={node.y} width={node.width} height={node.height} rx="10" />
          <Head node={node} />
        </NodeButton>
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

function NodeButton({ index, at, run, container = false, children }: At & { run: Signal<NodeRun>; container?: boolean; children: preact.ComponentChildren }) {
  const node = index.graph.nodes[at]!;
  const { status } = run.value;
  const selected = isState(node) && store.selectedState.value === node.name;
  const classes = [
    container ? "node container" : "node",
    `type-${node.type.toLowerCase()}`,
    `is-${status}`,
    selected ? "selected" : "",
    node.reachable ? "" : "unreached",
    node.type === "Missing" ? "missing" : "",
  ];
  const bad = problemsAt(node.pointer);
  return (
    <g class={classes.filter(Boolean).join(" ")}>
    <g
      class="node-button"
      role="button"
      data-node={node.id}
      tabIndex={focused.value === node.id ? 0 : -1}
      aria-label={nameOf(index, node, run.value, bad)}
      aria-pressed={selected}
      onFocus={() => (focused.value = node.id)}
      onClick={() => choose(node)}
      onDblClick={() => isState(node) && goToDefinition(node.name)}
    >
      {selected && <rect class="selection" x={node.x - 4} y={node.y - 4} width={node.width + 8} height={node.height + 8} rx="13" />}
      {children}
      <rect class="focus-ring" x={node.x - 4} y={node.y - 4} width={node.width + 8} height={node.height + 8} rx="13" />
    </g>
      <Badges node={node} run={run} />
      {(node.type === "Parallel" || node.type === "Map") && <FoldButton node={node} />}
      {bad > 0 && (
        <g class="problem-badge" aria-hidden="true" transform={`translate(${node.x - 7} ${node.y - 7})`}>
          <title>{count(bad, "problem")}</title>
          <circle cx="8" cy="8" r="8" />
          <path d="M8 3.8V8.8M8 11.4V11.5" />
        </g>
      )}
    </g>
  );
}

/// For the mouse; the keys are plus and minus.
function FoldButton({ node }: { node: GraphNode }) {
  const x = node.x + node.width - 24 - (node.retries ? 16 : 0);
  return (
    <g class="fold" aria-hidden="true" transform={`translate(${x} ${node.y + (node.collapsed ? 8 : 12)})`} onClick={() => store.toggleFold(node.pointer)}>
      <title>{node.collapsed ? "Unfold (+)" : "Fold (−)"}</title>
      <rect x="-6" y="-4" width="24" height="24" rx="6" />
      <path d={node.collapsed ? "M1 8H11M6 3V13" : "M1 8H11"} />
    </g>
  );
}

function choose(node: GraphNode): void {
  if (isState(node)) store.selectState(node.name, "graph");
}

/// What is drawn is also what the accessible name begins with.
function Head({ node }: { node: GraphNode }) {
  const { x, y } = node;
  return (
    <>
      <rect class="tile" x={x + 11} y={y + 12} width="30" height="30" rx="7" />
      <path class="glyph" transform={`translate(${x + 16} ${y + 17})`} d={GLYPHS[node.type]} />
      {node.lines.map((line, i) => (
        <text class="name" key={i} x={x + 52} y={y + 39 + 16 * i}>
          {`${line} `}
        </text>
      ))}
      <text class="caption" x={x + 52} y={y + 22}>
        {node.caption}
      </text>
      {node.retries && <path class="retries" transform={`translate(${x + node.width - 21} ${y + 9})`} d="M10.6 6A4.6 4.6 0 1 1 9.2 2.7M9.6 .4V3.2H6.8" />}
    </>
  );
}

function Badges({ node, run }: { node: GraphNode; run: Signal<NodeRun> }) {
  const { x, y } = node;
  const now = run.value;
  const badges: string[] = [];
  if (now.entered > 1) badges.push(`×${now.entered}`);
  if (now.iterations > 0) badges.push(`${now.iterationsDone + now.iterationsFailed}/${now.iterations}`);
  if (now.failures > 0 && now.status !== "failed") badges.push(`↻${now.failures}`);
  const icon = STATUS_ICON[now.status];
  return (
    <g class="badges" aria-hidden="true">
      {icon && (
        <g class="status" transform={`translate(${x + node.width - 12} ${y + node.height - 10})`}>
          <circle r="10" />
          {now.status === "running" ? <circle class="ring" r="5" /> : <path transform="translate(-6.5 -6.5) scale(.65)" d={iconPath(icon)} />}
        </g>
      )}
      {badges.length > 0 && (
        <g class="count" transform={`translate(${x + node.width - (icon ? 26 : 10)} ${y + node.height})`}>
          <rect x={-badges.join(" ").length * 6.6 - 12} y="-9" width={badges.join(" ").length * 6.6 + 12} height="18" rx="9" />
          <text x={-badges.join(" ").length * 3.3 - 6} y="4">
            {badges.join(" ")}
          </text>
        </g>
      )}
    </g>
  );
}

const problemCounts = computed(() => {
  const counts = new Map<string, number>();
  const index = store.graph.value;
  if (!index) return counts;
  for (const { pointer } of store.problems.value) {
    // The innermost state that holds the place.
    for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      if (!index.byId.has(at)) continue;
      counts.set(at, (counts.get(at) ?? 0) + 1);
      break;
    }
  }
  return counts;
});

function problemsAt(pointer: string): number {
  return problemCounts.value.get(pointer) ?? 0;
}

function nameOf(index: GraphIndex, node: GraphNode, run: NodeRun, problems: number): string {
  const drawn = node.lines.join(" ");
  const parts = [`${drawn} ${node.caption || node.type}`];
  if (drawn !== node.name) parts.push(node.name);
  if (node.type === "Missing") return [...parts, "missing state"].join(", ");
  parts.push(STATUS_TEXT[run.status]);
  if (run.entered > 1) parts.push(`entered ${run.entered} times`);
  if (run.iterations > 0) parts.push(`${run.iterationsDone} of ${run.iterations} items done${run.iterationsFailed ? `, ${run.iterationsFailed} failed` : ""}`);
  if (run.failures > 0) parts.push(count(run.failures, "failed attempt"));
  if (node.retries) parts.push("has retries");
  if (node.collapsed) parts.push("folded");
  if (!node.reachable) parts.push("nothing leads here");
  if (problems > 0) parts.push(count(problems, "problem"));
  const ways = (index.out[index.byId.get(node.id)!] ?? []).slice(0, 8).map((e) => {
    const edge = index.graph.edges[e]!;
    const to = index.node(index.byId.get(edge.to) ?? -1)?.name ?? "?";
    switch (edge.kind) {
      case "end":
        return "ends";
      case "choice":
        return `to ${to} if ${edge.title ?? edge.label ?? ""}`;
      case "default":
        return `else to ${to}`;
      case "catch":
        return `on ${edge.title ?? edge.label ?? "error"} to ${to}`;
      default:
        return `goes to ${to}`;
    }
  });
  return [...parts, ...ways].join(", ");
}

// Keys.

function keys(event: KeyboardEvent, index: GraphIndex, svg: SVGSVGElement): void {
  if (event.altKey) return;
  const command = event.ctrlKey || event.metaKey;
  if (command && (event.key === "=" || event.key === "+")) zoomTo(view.value.k * 1.25);
  else if (command && event.key === "-") zoomTo(view.value.k / 1.25);
  else if (command) return;
  else if (event.shiftKey && event.code === "Digit1") fit(index.graph, glide, true);
  else if (event.shiftKey && event.code === "Digit0") zoomTo(1);
  else {
    const at = index.byId.get(focused.value ?? "") ?? -1;
    const node = index.node(at);
    if (!node) return;
    if (event.shiftKey && event.key.startsWith("Arrow")) {
      const by = { ArrowUp: [0, 60], ArrowDown: [0, -60], ArrowLeft: [60, 0], ArrowRight: [-60, 0] }[event.key];
      if (by) pan(by[0]!, by[1]!);
    } else if (event.key === "Enter" || event.key === " ") {
      const into = event.key === "Enter" && isContainer(node) ? firstInside(index, at) : -1;
      if (into >= 0) go(index, into, svg);
      else {
        choose(node);
        if (event.key === "Enter" && isState(node)) goToDefinition(node.name);
      }
    } else if (event.key === "Escape") {
      const out = index.stateAround(at);
      if (out < 0) return;
      go(index, out, svg);
    } else if (event.key === "-" || event.key === "+" || event.key === "=") {
      if (node.type !== "Parallel" && node.type !== "Map") return;
      if (node.collapsed !== (event.key !== "-")) return;
      refocus = node.id;
      store.toggleFold(node.pointer);
    } else if (event.key === "Home") go(index, index.graph.nodes.findIndex(isState), svg);
    else if (event.key.startsWith("Arrow")) {
      const to = neighbour(index, at, event.key);
      if (to < 0) return event.preventDefault();
      go(index, to, svg);
    } else if (event.key.length === 1 && /\p{L}|\p{N}/u.test(event.key) && !event.shiftKey) {
      const to = byLetter(index, at, event.key.toLowerCase());
      if (to < 0) return;
      go(index, to, svg);
    } else return;
  }
  event.preventDefault();
  event.stopPropagation();
}

function go(index: GraphIndex, to: number, svg: SVGSVGElement): void {
  const node = index.node(to);
  if (!node) return;
  focused.value = node.id;
  choose(node);
  reveal(node.id);
  // The element is there after the next painting at the latest, also where it was out of sight.
  if (!focusNode(svg, node.id)) requestAnimationFrame(() => focusNode(svg, node.id));
}

let refocus: string | null = null;

function focusNode(svg: SVGSVGElement, id: string): boolean {
  const element = [...svg.querySelectorAll<SVGGElement>("[data-node]")].find((candidate) => candidate.dataset["node"] === id);
  element?.focus({ preventScroll: true });
  return element !== undefined;
}

function firstInside(index: GraphIndex, at: number): number {
  return index.statesInside(at).sort((a, b) => a - b)[0] ?? -1;
}

/// Along the transitions in the direction of the graph, to the nearest box across it.
function neighbour(index: GraphIndex, at: number, key: string): number {
  const { nodes, edges, direction } = index.graph;
  const [forward, backward] = direction === "TB" ? ["ArrowDown", "ArrowUp"] : ["ArrowRight", "ArrowLeft"];
  if (key === forward || key === backward) {
    const ways = (key === forward ? index.out[at]! : index.in[at]!)
      .map((e) => edges[e]!)
      .filter((edge) => !edge.back)
      .map((edge) => index.byId.get(key === forward ? edge.to : edge.from)!)
      .filter((to) => to !== at && nodes[to]!.type !== "Start" && nodes[to]!.type !== "End");
    if (ways.length > 0) return ways[0]!;
  }
  const from = nodes[at]!;
  const middle = (node: GraphNode) => ({ x: node.x + node.width / 2, y: node.y + Math.min(node.height, 54) / 2 });
  const origin = middle(from);
  let best = -1;
  let least = Infinity;
  nodes.forEach((node, i) => {
    if (i === at || node.parent !== from.parent || !(isState(node) || node.type === "Missing")) return;
    const { x, y } = middle(node);
    const [along, across] =
      key === "ArrowDown" ? [y - origin.y, x - origin.x]
      : key === "ArrowUp" ? [origin.y - y, x - origin.x]
      : key === "ArrowRight" ? [x - origin.x, y - origin.y]
      : [origin.x - x, y - origin.y];
    if (along <= 8) return;
    const distance = along + 2 * Math.abs(across);
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}

function byLetter(index: GraphIndex, at: number, letter: string): number {
  const { nodes } = index.graph;
  for (let step = 1; step <= nodes.length; step++) {
    const i = (at + step) % nodes.length;
    if (isState(nodes[i]!) && nodes[i]!.name.toLowerCase().startsWith(letter)) return i;
  }
  return -1;
}
