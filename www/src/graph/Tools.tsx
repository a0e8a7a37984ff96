// The tools of the drawing: zoom, direction, and export. They have a single tab stop.

import { computed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { keyHint } from "../keys/keymap.ts";
import type { GraphIndex } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import * as interpreter from "../store/interpreter.ts";
import { showAlarm } from "../store/notifications.ts";
import * as workspace from "../store/workspace.ts";
import { Icon } from "../ui/Icon.tsx";
import { useRoving } from "../ui/roving.ts";
import { save } from "../ui/save.ts";
import { fit, glide, moved, view, zoomTo } from "./viewport.ts";

export function GraphTools({ index }: { index: GraphIndex }) {
  const bar = useRef<HTMLDivElement>(null);
  useRoving(bar);
  return (
    <div ref={bar} class="graph-tools" role="toolbar" aria-label="Graph view">
      <button
        type="button"
        class="square"
        aria-label="Zoom out"
        title={`Zoom out${keyHint("zoomOut")}`}
        onClick={() => zoomTo(view.value.k / 1.25)}
      >
        <Icon name="minus" />
      </button>
      <button type="button" class="zoom" title={`To 100 %${keyHint("zoomWhole")}`} onClick={() => zoomTo(1)}>
        <span class="unseen">Zoom </span>
        {computed(() => `${Math.round(view.value.k * 100)} %`)}
      </button>
      <button
        type="button"
        class="square"
        aria-label="Zoom in"
        title={`Zoom in${keyHint("zoomIn")}`}
        onClick={() => zoomTo(view.value.k * 1.25)}
      >
        <Icon name="plus" />
      </button>
      <button
        type="button"
        class="square"
        aria-label="Fit the graph"
        title={`Fit${keyHint("fit")}`}
        onClick={() => fit(index, glide, true)}
      >
        <Icon name="fit" />
      </button>
      <button
        type="button"
        class="square"
        aria-label={analysis.direction.value === "TB" ? "Lay out from left to right" : "Lay out from top to bottom"}
        title={analysis.direction.value === "TB" ? "Lay out from left to right" : "Lay out from top to bottom"}
        onClick={() => {
          moved.value = false;
          analysis.turnGraph();
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
    // A file is shown in whatever font is available, so its layout uses the common text widths.
    const { widths: _, ...drawing } = analysis.drawnAs(workspace.definition.value);
    const options = { ...drawing, foldLarge: true };
    const svg = await interpreter.query("svg", { text: workspace.definition.value, format: workspace.format.value, options });
    save(`${workspace.title.value}.svg`, svg, "image/svg+xml");
  } catch (error) {
    showAlarm(`The graph could not be saved: ${(error as Error).message}`);
  }
}
