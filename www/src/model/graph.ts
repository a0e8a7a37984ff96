// The layout that the interpreter computes, and an index over it. One node per state, named by its JSON Pointer.

export type NodeKind =
  | "Pass" | "Task" | "Choice" | "Wait" | "Succeed" | "Fail" | "Parallel" | "Map"
  | "Unknown" | "Missing" | "Start" | "End" | "Scope";

export interface GraphNode {
  id: string;
  pointer: string;
  name: string;
  lines: string[];
  type: NodeKind;
  x: number;
  y: number;
  width: number;
  height: number;
  parent?: string;
  comment?: string;
  detail?: string;
  caption?: string;
  retries: boolean;
  /// What a Task waits for besides its answer.
  pattern?: "sync" | "token";
  /// What a Map says about its iterations.
  map?: { distributed: boolean; maxConcurrency?: number; reader?: string; batcher?: { items?: number; bytes?: number }; writer?: string };
  reachable: boolean;
  collapsed: boolean;
  states: number;
  depth: number;
}

export type EdgeKind = "start" | "next" | "choice" | "default" | "catch" | "end";

export interface GraphEdge {
  id: string;
  from: string;
  to: string;
  kind: EdgeKind;
  index?: number;
  back: boolean;
  label?: string;
  title?: string;
  points: [number, number][];
  path: string;
  labelBox?: { x: number; y: number; width: number; height: number };
}

export interface Graph {
  width: number;
  height: number;
  direction: "TB" | "LR";
  comment?: string;
  truncated: boolean;
  crossings: number;
  nodes: GraphNode[];
  edges: GraphEdge[];
}

const NOT_STATES = new Set<NodeKind>(["Missing", "Start", "End", "Scope"]);

/// A graph with the look-ups that the page and the worker need. Positions in `nodes` and `edges` are the keys of
/// everything that changes while a machine runs.
export class GraphIndex {
  readonly byId = new Map<string, number>();
  /// State names are unique in a whole machine; while somebody types, the first of several counts.
  readonly byName = new Map<string, number>();
  readonly out: number[][] = [];
  readonly in: number[][] = [];
  readonly parent: Int32Array;
  readonly children: number[][] = [];
  readonly stateCount: number;

  constructor(readonly graph: Graph) {
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

  /// The state that holds this node: the Parallel or Map around its scope.
  stateAround(i: number): number {
    let at = this.parent[i] ?? -1;
    while (at >= 0 && !isState(this.graph.nodes[at]!)) at = this.parent[at] ?? -1;
    return at;
  }

  /// All states within a container, at any depth.
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
