// The layer of the graph editor over the page's drawing.

import { computed, effect } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { edgeMarks } from "../debugger/onGraph.ts";
import { StopRings } from "../debugger/stopHints.tsx";
import { LiveTags } from "../graph/LiveTags.tsx";
import { focused } from "../graph/focus.ts";
import { detail } from "../graph/lod.ts";
import { pan, size, view } from "../graph/viewport.ts";
import { labelsOf } from "../graph-editor/kernel/plus.ts";
import { aimSigns } from "../graph-editor/kernel/signs.ts";
import { Layer as Signs } from "../graph-editor/view/layer.ts";
import type { GraphIndex } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { host } from "./host.ts";
import { paletteDrag } from "./paletteDrag.ts";
import { multiSelect } from "./selectedStates.ts";
import { touched } from "./touch.ts";

/** The distance from the pane's edge within which a drag scrolls the view, and how far it scrolls, in px. */
const EDGE = 28;
const STEP = 8;

const scale = computed(() => view.value.k);
const hidden = computed(() => analysis.inside.value !== null || detail.value === "far");
/** Whether the palette is over a transition or a state. */
const aim = computed(() => {
  const now = paletteDrag.value?.aim;
  return now && !("scope" in now) ? now : null;
});

/** Returns a point of the window in px of the drawing. */
function placeIn(svg: SVGSVGElement, event: { clientX: number; clientY: number }): [number, number] {
  const box = svg.getBoundingClientRect();
  const { x, y, k } = view.peek();
  return [(event.clientX - box.left - x) / k, (event.clientY - box.top - y) / k];
}

/** Scrolls the view while a drag is near the edge of the pane. */
function scrollNear(svg: SVGSVGElement, event: PointerEvent): void {
  const box = svg.getBoundingClientRect();
  const along = (here: number, length: number): number => (here < EDGE ? STEP : here > length - EDGE ? -STEP : 0);
  const [dx, dy] = [along(event.clientX - box.left, size.peek().width), along(event.clientY - box.top, size.peek().height)];
  if (dx !== 0 || dy !== 0) pan(dx, dy);
}

/** Returns the layer of a drawing, which is drawn again when what it depends on changes. */
function mount(index: GraphIndex, svg: SVGSVGElement, group: SVGGElement): () => void {
  const labels = labelsOf(index.graph);
  const signs = new Signs(
    {
      index,
      svg,
      group,
      sight() {
        const [marks, touch, chosen, close] = [edgeMarks.value, touched.value, selection.selectedState.value, detail.value === "near"];
        const state = index.node(index.byName.get(chosen ?? "") ?? -1)?.id;
        return hidden.value
          ? null
          : {
              scale: scale.value,
              labels: close ? labels : [],
              // A click on a short line belongs to the transition itself.
              beside: (edge, short) => marks.has(edge.id) || (short && !touch),
              selected: state === undefined ? [] : [state],
              focused: focused.value ?? undefined,
              ports: touch && close,
            };
      },
      more: () => (aim.value ? aimSigns(index, aim.value, scale.value) : []),
      place: (event) => placeIn(svg, event),
      touched: () => touched.value,
      touch: (on) => void (touched.value = on),
      selects: () => multiSelect.peek(),
      focus: (id) => void (focused.value = id),
      near: (event) => scrollNear(svg, event),
    },
    host,
  );
  const stop = effect(() => signs.draw());
  return () => {
    stop();
    signs.dispose();
  };
}

export function Layer({ index, svg }: { index: GraphIndex; svg: RefObject<SVGSVGElement | null> }) {
  const group = useRef<SVGGElement>(null);
  useEffect(() => mount(index, svg.current!, group.current!), [index]);
  return (
    <g class="edit-layer" aria-hidden="true">
      {!hidden.value && (
        <>
          <LiveTags index={index} />
          <StopRings index={index} />
        </>
      )}
      <g ref={group} />
    </g>
  );
}
