// How a graph is fitted into its pane, as the page does it, with the widths of common sans-serif fonts.
import { gallery } from "../pkg-tests/api/examples.mjs";
import { layout } from "../dist/node.js";
import { importSource } from "./sources.mjs";

const { GraphIndex, isState } = await importSource("www/src/model/graph.ts");
const { EDGE, fittedView } = await importSource("www/src/model/fit.ts");
const { largestName, leastScale, legibleSize, placeName } = await importSource("www/src/model/cards.ts");

/** The panes: of a window of 1280 × 800 while a definition is written, of the same window while a run is debugged, of a phone. */
export const PANES = [
  ["write, 1280", { width: 556, height: 640 }],
  ["debug, 1280", { width: 1160, height: 440 }],
  ["debug, 1440", { width: 1320, height: 560 }],
  ["phone, 360", { width: 360, height: 520 }],
];
/** Machines with at most so many states must have no cut name. */
export const MOST_STATES = 40;

/**
 * Returns the scale at Fit, the states that have a cut name or no icon then, and the share of the pane that the drawing covers. Returns
 * `undefined` for a definition without states.
 */
export function fittedGraph(definition, size) {
  const ratio = Math.min(5, Math.max(0.2, Math.round((size.width / size.height) * 10) / 10));
  const height = Math.max(160, Math.round((size.height - EDGE) / 40) * 40);
  const graph = layout(definition, { foldLarge: true, aspect: ratio, height });
  const index = new GraphIndex(graph);
  if (index.stateCount === 0) return undefined;
  const largest = largestName(index, widthOf);
  const { k, x, y } = fittedView(index, size, { barBeside: true, legible: index.stateCount > 60 ? 0 : leastScale(largest) });
  const name = legibleSize(k);
  const hasIcons = name <= Math.max(17, largest);
  const poor = graph.nodes.filter(isState).filter((node) => {
    const { lines } = placeName(node, name, hasIcons, widthOf);
    return !hasIcons || lines.at(-1).endsWith("…");
  });
  const seen = (from, length, room) => Math.max(0, Math.min(room, from + length) - Math.max(0, from));
  const [across, along] = [seen(x, graph.width * k, size.width), seen(y, graph.height * k, size.height)];
  return {
    k,
    states: index.stateCount,
    poor: poor.map((node) => node.name),
    used: (across * along) / (size.width * size.height),
    whole: graph.width * k <= size.width && graph.height * k <= size.height,
  };
}

/** Returns the width of a text in bold, as the layout estimates it. */
function widthOf(text, size) {
  let sum = 0;
  for (const char of text) sum += /[ilI.,:;'|!\s]/.test(char) ? 305 : /[mwMW@%]/.test(char) ? 900 : /[A-Z…]/.test(char) ? 750 : 605;
  return (sum * size) / 1000;
}

/** Returns the page's examples, with their names. */
export function examples() {
  return gallery()
    .filter(({ format }) => format === "json")
    .map(({ id, definition }) => [id, JSON.parse(definition)]);
}
