// The graph of a text. It is laid out before the page requests it, and only what has changed is sent.

import { layout } from "stepglass";
import type { Graph, GraphEdge, GraphNode } from "../model/graph.ts";
import { equal } from "../model/equal.ts";
import type { Drawing, Drawn, StateInfo } from "../model/protocol.ts";
import { findStates, readSource } from "./definition.ts";
import { turn } from "./turn.ts";

/** The number of states from which on all containers are folded at first. */
export const LARGE_MACHINE = 5_000;

type Format = "json" | "yaml";

/** A graph, and what it was laid out for. Parts that have not changed are the same objects as in the graph before. */
interface Laid {
  of?: { text: string; format: Format; as: Drawn };
  json?: string;
  id: number;
  graph: Graph | undefined;
  /**
   * The origin of the drawing. If the layout has only moved as a whole, its parts stay where they were and the origin changes.
   */
  corner: [x: number, y: number];
}

/** The last layout. An equal one has the same id and is not sent again, because most keystrokes change nothing in the drawing. */
let laid: Laid = { id: 0, graph: undefined, corner: [0, 0] };
/** The last layout with a graph. While the user types, some texts in between cannot be read. */
let readable = laid;
/** The last layout that was sent to the page. */
let sent = laid;

/** Returns what the page must draw if it has the graph with the id `have`. */
export async function draw(text: string, format: Format, as: Drawn, have: number): Promise<Omit<Drawing, "took">> {
  await layOutAhead(text, format, as);
  const mine = laid;
  const { graph, id, corner } = mine;
  if (!graph) return {};
  // Sending the graph takes a fifth of the time of the layout, so other calls get a turn before it.
  if (graph.nodes.length > LARGE_MACHINE) await turn();
  const before = sent.id === have ? sent.graph : undefined;
  sent = mine;
  return { graphId: id, ...(have !== id && { graph: { ...withoutKnown(graph, before), corner } }) };
}

/**
 * Lays out a text, unless it is the last one that was laid out. The result of a gesture is laid out before the page requests it.
 */
export async function layOutAhead(text: string, format: Format, as: Drawn): Promise<void> {
  const of = { text, format, as };
  if (equal(laid.of, of)) return;
  const { json } = await readSource(text, format);
  const graph = laidOut(json, as);
  laid = graph ? { of, json, ...relativeTo(readable, graph) } : { of, id: 0, graph, corner: [0, 0] };
  if (graph) readable = laid;
}

/** The last machine that is drawn folded or not drawn at all, laid out with nothing folded. */
let whole: { json: string; graph: Graph } | undefined;

/**
 * Returns the graph of a machine with nothing folded, which its runs refer to. The drawn graph is used if nothing in it is
 * folded, because another layout would take as long as the first steps of the run.
 */
export function wholeGraph(json: string): Graph {
  const { graph } = readable;
  if (readable.json === json && graph?.nodes.every(({ collapsed }) => !collapsed)) return graph;
  if (whole?.json !== json) whole = { json, graph: layout(json) as unknown as Graph };
  return whole.graph;
}

/** Returns the graph as it is sent to the page: left out if the page already has it under the id `have`. */
export const graphForPage = (graph: Graph, have: number): { graph?: Graph } =>
  [sent, readable].some((one) => one.graph === graph && one.id === have) ? {} : { graph };

function laidOut(json: string, as: Drawn): Graph | undefined {
  const { of: before, graph: drawn } = readable;
  // An edited graph keeps its columns. They are chosen again if the pane's shape or the direction has changed.
  const breaks = before?.as.direction === as.direction && before.as.aspect === as.aspect ? drawn?.breaks : undefined;
  const states = findStates(json);
  try {
    const graph = layout(json, {
      ...as,
      ...(breaks && { breaks }),
      ...(states.length > LARGE_MACHINE && { collapsed: [...as.collapsed, ...outermost(states, as.expanded)] }),
      foldLarge: true,
      selectors: true,
    }) as unknown as Graph;
    return graph.nodes.length > 0 ? graph : undefined;
  } catch {
    // The text is not JSON. The diagnostics report that, and the page keeps the last graph.
    return undefined;
  }
}

/** Returns the top-level Parallel and Map states that the user has not opened. */
const outermost = (states: readonly StateInfo[], expanded: readonly string[]): string[] =>
  states
    .filter(
      ({ type, pointer }) => (type === "Parallel" || type === "Map") && pointer.split("/").length === 3 && !expanded.includes(pointer),
    )
    .map(({ pointer }) => pointer);

/**
 * Returns a graph relative to the one before: the displacement of most parts is subtracted, and unchanged parts are the same
 * objects as before.
 */
function relativeTo({ graph: before, corner: [left, top], id }: Laid, graph: Graph): Pick<Laid, "id" | "graph" | "corner"> {
  if (!before) return { id: Math.random(), graph, corner: [0, 0] };
  const nodes = new Map(before.nodes.map((node) => [node.id, node]));
  const edges = new Map(before.edges.map((edge) => [edge.id, edge]));
  const [dx, dy] = movedBy(nodes, graph.nodes);
  if (dx !== 0 || dy !== 0) moveBack(graph, dx, dy);
  const now: Graph = {
    ...graph,
    nodes: graph.nodes.map((node) => known(nodes.get(node.id), node)),
    edges: graph.edges.map((edge) => known(edges.get(edge.id), edge)),
  };
  const corner: Laid["corner"] = [-dx, -dy];
  const same =
    corner[0] === left &&
    corner[1] === top &&
    equalParts(now.nodes, before.nodes) &&
    equalParts(now.edges, before.edges) &&
    equal({ ...now, nodes: 0, edges: 0 }, { ...before, nodes: 0, edges: 0 });
  return { id: same ? id : Math.random(), graph: now, corner };
}

const known = <T>(before: T | undefined, now: T): T => (before !== undefined && equal(before, now) ? before : now);

const equalParts = (a: readonly unknown[], b: readonly unknown[]): boolean => a.length === b.length && a.every((part, i) => part === b[i]);

/** Returns the displacement of most nodes, or [0, 0] if there is no majority. */
function movedBy(before: ReadonlyMap<string, GraphNode>, nodes: readonly GraphNode[]): [number, number] {
  const times = new Map<string, number>();
  let most: [number, number] = [0, 0];
  let held = 0;
  for (const { id, x, y } of nodes) {
    const old = before.get(id);
    if (!old) continue;
    const by = `${x - old.x} ${y - old.y}`;
    const count = (times.get(by) ?? 0) + 1;
    times.set(by, count);
    if (count > held) [most, held] = [[x - old.x, y - old.y], count];
  }
  return held * 2 > nodes.length ? most : [0, 0];
}

function moveBack(graph: Graph, dx: number, dy: number): void {
  for (const node of graph.nodes) {
    node.x -= dx;
    node.y -= dy;
  }
  for (const edge of graph.edges) {
    edge.points = edge.points.map(([x, y]) => [x - dx, y - dy]);
    edge.path = pathMovedBack(edge, dx, dy);
    if (edge.labelBox) edge.labelBox = { ...edge.labelBox, x: edge.labelBox.x - dx, y: edge.labelBox.y - dy };
  }
}

/** Path data has an x after `H`, a y after `V`, and pairs of both after the other letters. */
function pathMovedBack({ path }: GraphEdge, dx: number, dy: number): string {
  return path.replace(/([A-Z])([^A-Z]*)/g, (_, letter: string, places: string) => {
    const moved = places.split(" ").map((at, i) => Number(at) - (letter === "V" || (letter !== "H" && i % 2 === 1) ? dy : dx));
    return letter + moved.join(" ");
  });
}

/** Replaces the parts that the page already has by their indices. */
function withoutKnown(
  graph: Graph,
  before: Graph | undefined,
): Pick<Required<Drawing>["graph"], "nodes" | "edges"> & Omit<Graph, "nodes" | "edges"> {
  if (!before) return graph;
  const at = new Map<unknown, number>([...before.nodes, ...before.edges].map((part, i) => [part, i]));
  return {
    ...graph,
    nodes: graph.nodes.map((node) => at.get(node) ?? node),
    edges: graph.edges.map((edge) => at.get(edge) ?? edge),
  };
}
