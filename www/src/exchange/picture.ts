// The graph as a picture: SVG from the interpreter, and PNG made from it.

import { isState } from "../model/graph.ts";
import * as analysis from "../store/analysis.ts";
import * as execution from "../store/execution.ts";
import * as interpreter from "../store/interpreter.ts";
import * as playback from "../store/playback.ts";
import * as workspace from "../store/workspace.ts";

export interface PictureOptions {
  theme: "light" | "dark";
  /** Whether the status of each state is drawn. */
  withRun: boolean;
}

/**
 * A file is shown in whatever font is available, so its layout uses the common text widths. A picture that is made on this page
 * uses the page's font.
 */
export async function svgOf({ theme, withRun }: PictureOptions, here = false): Promise<string> {
  const inner = analysis.inside.value?.definition;
  const text = inner ?? workspace.definition.value;
  const { widths, ...drawing } = analysis.drawnAs(text);
  const index = analysis.graph.value;
  const breaks = index?.graph.breaks;
  const options: Record<string, unknown> = { theme, ...drawing, ...(breaks && { breaks }), ...(here && { widths }), foldLarge: true };
  if (withRun && index && execution.run.value) {
    const status: Record<string, string> = {};
    const notes: Record<string, string> = {};
    const taken: Record<string, number> = {};
    for (const node of index.graph.nodes) {
      if (!isState(node)) continue;
      const run = playback.runOf(node.id).peek();
      status[node.pointer] = run.status;
      if (run.entered > 1) notes[node.pointer] = `×${run.entered}`;
    }
    for (const edge of index.graph.edges) taken[edge.id] = playback.takenOf(edge.id).peek();
    Object.assign(options, { status, notes, taken });
  }
  return interpreter.query("svg", { text, format: inner === undefined ? workspace.format.value : "json", options });
}

/** The maximum number of pixels of a picture, which browsers limit. */
const MOST_PIXELS = 60_000_000;

/** Throws an Error that says why there is no picture. */
export async function pngOf(options: PictureOptions, scale: 1 | 2 | 3): Promise<Blob> {
  const svg = await svgOf(options, true);
  const [, width, height] = /viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  const size = { width: Math.ceil(Number(width) * scale), height: Math.ceil(Number(height) * scale) };
  if (!(size.width > 0 && size.height > 0)) throw new Error("The drawing has no size.");
  if (size.width * size.height > MOST_PIXELS)
    throw new Error(`A picture of ${size.width} × ${size.height} is larger than browsers allow. Choose a smaller scale, or SVG.`);
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image(size.width, size.height);
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = size.width;
    canvas.height = size.height;
    canvas.getContext("2d")!.drawImage(image, 0, 0, size.width, size.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw new Error("The browser could not make the picture.");
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}
