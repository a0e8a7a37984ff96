// The layer that the graph editor draws over the states: the `+` of transitions and states, the transition being dragged, and the
// lasso.

import { computed, signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { middleOf } from "../graph/Marks.tsx";
import { focused } from "../graph/focus.ts";
import { detail } from "../graph/lod.ts";
import { view } from "../graph/viewport.ts";
import { type GraphEdge, type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import { RADIUS, type Seen, clearOf, labelsOf, plusOf } from "../graph-editor/kernel/plus.ts";
import { canInsertInto, canRedirect, insertTitle, nearest, portOf, scopeAt, transitionTitle } from "../graph-editor/kernel/transitions.ts";
import { edgeMarks } from "../debugger/onGraph.ts";
import { LiveTags } from "../graph/LiveTags.tsx";
import { StopRings } from "../debugger/stopHints.tsx";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { paletteDrag } from "./paletteDrag.ts";
import { appendTo, createIn, insertOn } from "../graph-editor/kernel/adding.ts";
import { drag, startDrag } from "./drag.ts";
import { run } from "./host.ts";
import { lasso, severalByClick, startLasso } from "./lasso.ts";
import { touched } from "./touch.ts";

/** The node or the edge under the pointer. */
const over = signal<{ edge?: GraphEdge; node?: string }>({});
const scale = computed(() => view.value.k);

/** The distance at which the pointer reaches a state or a transition, in px of the screen. */
const REACH = 12;
/** Below this scale, states are so small that a `+` would cover them, so it shrinks, down to the share `LEAST` of its size. */
const SMALL = 0.6;
const LEAST = 0.6;

interface Props {
  index: GraphIndex;
  svg: RefObject<SVGSVGElement | null>;
}

/**
 * Returns what is under the pointer: a state, including its border with its signs, or a transition, including the place of its
 * `+`.
 */
function overAt(event: PointerEvent, svg: SVGSVGElement, index: GraphIndex): { edge?: GraphEdge; node?: string } {
  const named = (name: "node" | "port" | "insert"): string | undefined =>
    (event.target as Element).closest<SVGElement>(`[data-${name}]`)?.dataset[name];
  const node = named("node");
  const insert = named("insert");
  const found = (): GraphEdge | undefined => {
    if (insert !== undefined) return index.graph.edges.find(({ id }) => id === insert);
    return node === undefined ? nearest(index, ...placeIn(svg, event), REACH / view.value.k) : undefined;
  };
  const [edge, now] = [found(), node ?? named("port")];
  return { ...(edge && { edge }), ...(now !== undefined && { node: now }) };
}

/** Adds a state where the canvas is double-clicked. */
function twice(event: MouseEvent, svg: SVGSVGElement, index: GraphIndex): void {
  const target = event.target as Element;
  if (target === svg || target.closest(".backdrop, .scope"))
    void run(createIn(scopeAt(index, ...placeIn(svg, event)), { x: event.clientX, y: event.clientY }));
}

/** Adds pointer listeners to the drawing. Returns the function that removes them. */
function listen(svg: SVGSVGElement, index: GraphIndex): () => void {
  const listening = new AbortController();
  const { signal: until } = listening;
  const move = (event: PointerEvent): void => {
    if (event.pointerType !== "mouse") touched.value = true;
    if (event.pointerType !== "mouse" || event.buttons !== 0) return;
    const now = overAt(event, svg, index);
    if (now.node !== over.value.node || now.edge !== over.value.edge) over.value = now;
  };
  const down = (event: PointerEvent): void => {
    touched.value = event.pointerType !== "mouse";
    if (startLasso(event, svg, index)) event.stopImmediatePropagation();
  };
  const click = (event: MouseEvent): void => {
    if (severalByClick(event, index)) event.stopImmediatePropagation();
  };
  svg.addEventListener("pointermove", move, { signal: until });
  svg.addEventListener("pointerleave", () => (over.value = {}), { signal: until });
  svg.addEventListener("pointerdown", down, { capture: true, signal: until });
  svg.addEventListener("click", click, { capture: true, signal: until });
  svg.addEventListener("dblclick", (event) => twice(event, svg, index), { capture: true, signal: until });
  return () => listening.abort();
}

export function Layer({ index, svg }: Props) {
  useEffect(() => {
    // The graph has changed, so the element under the pointer is not known.
    over.value = {};
    return listen(svg.current!, index);
  }, [index]);
  if (analysis.inside.value || detail.value === "far") return null;
  return (
    <g class={`pen${drag.value ? " drawing" : ""}`} aria-hidden="true">
      <Ends index={index} />
      <LiveTags index={index} />
      <StopRings index={index} />
      <Inserts index={index} />
      <Ports index={index} />
      <Drawing index={index} />
      <Aimed index={index} />
      <Lasso />
    </g>
  );
}

/** Returns a point of the window in px of the drawing. */
export function placeIn(svg: SVGSVGElement, event: { clientX: number; clientY: number }): [number, number] {
  const box = svg.getBoundingClientRect();
  const { x, y, k } = view.peek();
  return [(event.clientX - box.left - x) / k, (event.clientY - box.top - y) / k];
}

/**
 * The scale of the signs to press. They have a fixed size on the screen, but shrink where states are small, so that they do not
 * cover them.
 */
const signScale = computed(() => Math.max(LEAST, Math.min(1, scale.value / SMALL)) / scale.value);

/** A `+` that has nearly the same size at any scale. */
function Plus({
  x,
  y,
  title,
  name,
  press,
  down,
}: {
  x: number;
  y: number;
  title: string;
  name: Record<string, string>;
  press(event: MouseEvent): void;
  down?(event: PointerEvent): void;
}) {
  return (
    <g
      class="plus"
      transform={`translate(${x} ${y}) scale(${signScale.value})`}
      {...name}
      onClick={(event) => {
        event.stopPropagation();
        press(event);
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        down?.(event);
      }}
    >
      <title>{title}</title>
      <circle class="hit" r="14" />
      <circle class="face" r={RADIUS} />
      <path d="M-4.5 0H4.5M0 -4.5V4.5" />
    </g>
  );
}

/** Evaluated with each render, because it depends on the graph as well as on signals. */
const asked = <T,>(of: () => T): T => of();

/** Returns the facts that the position of a `+` depends on. A click on a short line belongs to the transition itself. */
function seenNow(index: GraphIndex): Seen {
  return {
    scale: scale.value,
    labels: detail.value === "near" ? labelsOf(index.graph) : [],
    beside: (edge, short) => edgeMarks.value.has(edge.id) || (short && !touched.value),
  };
}

/** The `+` of the transitions that a state can be inserted into. */
function Inserts({ index }: { index: GraphIndex }) {
  const shown = asked(() => {
    if (drag.value) return [];
    if (touched.value) return index.graph.edges;
    const { edge, node } = over.value;
    const chosen = index.byName.get(selection.selectedState.value ?? "");
    const ways = chosen === undefined ? [] : [...index.out[chosen]!, ...index.in[chosen]!].map((e) => index.graph.edges[e]!);
    const about = node === undefined ? [] : (index.out[index.byId.get(node) ?? -1] ?? []).map((e) => index.graph.edges[e]!);
    return [...new Set([...(edge ? [edge] : []), ...about, ...ways])];
  });
  const seen = seenNow(index);
  return (
    <>
      {shown
        .filter((edge) => canInsertInto(index, edge))
        .map((edge) => {
          const [x, y] = plusOf(edge, seen);
          return (
            <Plus
              key={edge.id}
              x={x}
              y={y}
              title={insertTitle(index, edge)}
              name={{ "data-insert": edge.id }}
              press={(event) => void run(insertOn(index, edge, { x: event.clientX + 8, y: event.clientY - 8 }))}
            />
          );
        })}
    </>
  );
}

const ENDS = new Set<GraphNode["type"]>(["Succeed", "Fail"]);

function Ports({ index }: { index: GraphIndex }) {
  const touch = touched.value && detail.value === "near";
  const chosen = index.node(index.byName.get(selection.selectedState.value ?? "") ?? -1)?.id;
  const pointed = new Set([over.value.node, chosen]);
  const shown = asked(() => {
    if (drag.value) return [];
    if (touch) return index.graph.nodes.filter(isState).map(({ id }) => id);
    return [...new Set([...pointed, focused.value ?? undefined].filter((id) => id !== undefined))];
  });
  const seen = seenNow(index);
  return (
    <>
      {shown.map((id) => {
        const node = index.node(index.byId.get(id) ?? -1);
        if (!node || !isState(node) || ENDS.has(node.type)) return null;
        const [x, y] = clearOf([portOf(node, scale.value)], seen);
        return (
          <Plus
            key={id}
            x={x}
            y={y}
            title={`Add a state after ${node.name}; drag to connect it`}
            name={{ "data-port": id, ...(!touch && !pointed.has(id) && { "data-focus": "" }) }}
            press={(event) => void run(appendTo(node, { x: event.clientX + 8, y: event.clientY - 8 }))}
            down={(event) => startDrag(event, index, { from: node.id, x, y })}
          />
        );
      })}
    </>
  );
}

/**
 * The ends of the transitions near the pointer, which can be dragged to another state. A click without a drag selects the
 * transition.
 */
function Ends({ index }: { index: GraphIndex }) {
  const shown = asked(() => {
    const { edge } = over.value;
    if (drag.value || touched.value || !edge || !canRedirect(edge)) return undefined;
    return edge;
  });
  if (!shown) return null;
  const [x, y] = shown.points.at(-1)!;
  return (
    <g
      class="way-end"
      transform={`translate(${x} ${y}) scale(${signScale.value})`}
      data-end={shown.id}
      onPointerDown={(event) => {
        const [fx, fy] = shown.points[0]!;
        startDrag(event, index, { edge: shown.id, from: shown.from, x: fx, y: fy });
      }}
    >
      <title>{`${transitionTitle(index, shown)}: drag it to another state`}</title>
      <circle class="hit" r="12" />
      <circle class="face" r="5.5" />
    </g>
  );
}

/** The transition being dragged, and its possible targets. */
function Drawing({ index }: { index: GraphIndex }) {
  const now = drag.value;
  if (!now) return null;
  const target = index.node(index.byId.get(now.over ?? "") ?? -1);
  const valid = now.targets;
  return (
    <g class="leading">
      {index.graph.nodes.map((node) =>
        isState(node) ? (
          valid?.has(node.id) ? (
            <rect
              key={node.id}
              class={`target${node.id === now.over ? " hit" : ""}`}
              x={node.x - 5}
              y={node.y - 5}
              width={node.width + 10}
              height={node.height + 10}
              rx="14"
            />
          ) : node.id === now.over && node.states === 0 ? (
            <rect key={node.id} class="no-target" x={node.x - 5} y={node.y - 5} width={node.width + 10} height={node.height + 10} rx="14" />
          ) : null
        ) : null,
      )}
      <path
        class={target && !valid?.has(target.id) ? "lead not" : "lead"}
        d={`M${now.x} ${now.y}L${now.toX} ${now.toY}`}
        marker-end="url(#arrow-running)"
      />
    </g>
  );
}

/** The place where a piece from the palette would be dropped. */
function Aimed({ index }: { index: GraphIndex }) {
  const aim = paletteDrag.value?.aim;
  if (!aim) return null;
  if ("edge" in aim) {
    const [x, y] = middleOf(aim.edge);
    return (
      <g class="aimed">
        <path d={`M${aim.edge.points.map((point) => point.join(" ")).join("L")}`} />
        <circle cx={x} cy={y} r={RADIUS / scale.value} />
      </g>
    );
  }
  const node = "node" in aim ? index.node(index.byId.get(aim.node) ?? -1) : undefined;
  return node ? <rect class="target hit" x={node.x - 5} y={node.y - 5} width={node.width + 10} height={node.height + 10} rx="14" /> : null;
}

function Lasso() {
  const box = lasso.value;
  return box && <rect class="lasso" x={box.x} y={box.y} width={box.width} height={box.height} />;
}
