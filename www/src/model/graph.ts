// An index over the layout that the interpreter computes. Each state has one node, which its JSON Pointer identifies.
import type { Graph, GraphEdge, GraphNode } from "stepglass";

export type { Graph, GraphEdge, GraphNode };
export type NodeKind = GraphNode["type"];

const NOT_STATES = new Set<NodeKind>(["Missing", "Start", "End", "Scope"]);

/**
 * A graph with the look-ups that the page and the worker need. Indices into `nodes` and `edges` are the keys of everything that
 * changes during a run.
 */
export class GraphIndex {
  readonly byId = new Map<string, number>();
  /** State names are unique in a machine. If the text is being edited and a name occurs several times, the first one counts. */
  readonly byName = new Map<string, number>();
  readonly out: number[][] = [];
  readonly in: number[][] = [];
  readonly parent: Int32Array;
  readonly children: number[][] = [];
  readonly stateCount: number;

  /** `corner` is the origin of the drawing. */
  constructor(
    readonly graph: Graph,
    readonly corner: readonly [x: number, y: number] = [0, 0],
  ) {
    const { nodes, edges } = graph;
    this.parent = new Int32Array(nodes.length).fill(-1);
    let states = 0;
    nodes.forEach((node, i) => {
      this.byId.set(node.id, i);
      if (isState(node)) {
        states += 1;
        if (!this.byName.has(node.name)) this.byName.set(node.name, i);
      }
      this.out.push([]);
      this.in.push([]);
      this.children.push([]);
    });
    this.stateCount = states;
    nodes.forEach((node, i) => {
      const parent = node.parent === undefined ? -1 : (this.byId.get(node.parent) ?? -1);
      this.parent[i] = parent;
      if (parent >= 0) this.children[parent]!.push(i);
    });
    edges.forEach((edge, e) => {
      const from = this.byId.get(edge.from);
      const to = this.byId.get(edge.to);
      if (from !== undefined) this.out[from]!.push(e);
      if (to !== undefined) this.in[to]!.push(e);
    });
  }

  node(i: number): GraphNode | undefined {
    return this.graph.nodes[i];
  }

  /** Returns the Parallel or Map state whose scope contains this node, or -1. */
  stateAround(i: number): number {
    let at = this.parent[i] ?? -1;
    while (at >= 0 && !isState(this.graph.nodes[at]!)) at = this.parent[at] ?? -1;
    return at;
  }

  /** Returns all states inside a container, at any depth. */
  statesInside(i: number): number[] {
    const found: number[] = [];
    const queue = [...(this.children[i] ?? [])];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      if (isState(this.graph.nodes[at]!)) found.push(at);
      queue.push(...this.children[at]!);
    }
    return found;
  }
}

export function isState(node: GraphNode): boolean {
  return !NOT_STATES.has(node.type);
}

export function isContainer(node: GraphNode): boolean {
  return node.type === "Scope" || (node.states > 0 && !node.collapsed);
}
