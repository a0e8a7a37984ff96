// The graph editor over a component's drawing: its signs, and states that move.

import { labelsOf } from "../graph-editor/kernel/plus.ts";
import type { EditorHost, Spot } from "../graph-editor/kernel/plan.ts";
import { type Over, outlines } from "../graph-editor/kernel/signs.ts";
import { statesOf } from "../graph-editor/kernel/state.ts";
import { Layer } from "../graph-editor/view/layer.ts";
import type { GraphIndex, GraphNode } from "../model/graph.ts";
import { svg } from "../ui/dom.ts";
import type { Drawing } from "./drawing.ts";

/** Whether touch is used on this page. It has no hover, so everything that can be pressed is shown. */
let touched = matchMedia("(hover: none) and (pointer: coarse)").matches;

/** Returns the layer of a drawing. */
export function layerOver(index: GraphIndex, drawing: Drawing, host: EditorHost, menu: (over: Over, at: Spot) => void): Layer {
  const { element } = drawing;
  const group = svg("g", { class: "edit-layer", "aria-hidden": "true" });
  element.append(group);
  const labels = labelsOf(index.graph);
  const selected = (): string[] => statesOf(host.state()).map(({ id }) => id);
  return new Layer(
    {
      index,
      svg: element,
      group,
      sight: () => ({
        scale: element.getScreenCTM()?.a || 1,
        labels,
        // A click on a short line belongs to the transition itself.
        beside: (_, short) => short && !touched,
        selected: selected(),
        focused: undefined,
        ports: touched,
      }),
      more() {
        const ids = selected();
        return outlines(index, ids.length > 1 ? ids : []);
      },
      place(event) {
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(element.getScreenCTM()!.inverse());
        return [x, y];
      },
      touched: () => touched,
      touch: (on) => void (touched = on),
      selects: () => host.state().multiSelect,
      focus: (id) => drawing.focus(id),
      menu,
    },
    host,
  );
}

/** Animates the states that have moved since the last drawing. */
export function glide(before: ReadonlyMap<string, GraphNode>, { graph }: GraphIndex, drawing: Drawing): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const { id, name, x, y } of graph.nodes) {
    const was = before.get(name);
    const [dx, dy] = [(was?.x ?? x) - x, (was?.y ?? y) - y];
    if (dx !== 0 || dy !== 0)
      drawing
        .group(id)
        ?.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], { duration: 160, easing: "ease-out" });
  }
}
