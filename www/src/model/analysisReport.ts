// The data that the interpreter reports about the text of a definition.

import type { TextWidths } from "stepglass";
import type { Graph } from "./graph.ts";

export interface Place {
  line: number;
  column: number;
  offset: number;
}

export interface Diagnostic {
  code: string;
  severity: "error" | "warning";
  message: string;
  pointer: string;
  help?: string;
  range?: { start: Place; end: Place };
  fix?: { title: string; pointer: string; range?: { start: Place; end: Place }; replacement: string };
  /** The diagnostics that AWS gives for it. */
  aws?: { code: string; message: string; location?: string }[];
  /** All fixes for it; `fix` is one of them. */
  fixes?: Fix[];
  /** Other positions that the message refers to. */
  labels?: { pointer: string; range?: { start: Place; end: Place }; message: string }[];
}

export interface TaskInfo {
  state: string;
  resource: string;
  /** The function of a `lambda:invoke`, if the definition names it. */
  functionName?: string;
}

/** A state of the definition. This includes states that are not drawn because a container around them is folded. */
export interface StateInfo {
  name: string;
  type: string;
  pointer: string;
  /** The resource that a Task calls; empty for other states. */
  detail: string;
}

export interface Edit {
  from: number;
  to: number;
  text: string;
}

export interface Fix {
  title: string;
  /** Empty if nothing can be done; the title says so. */
  edits: Edit[];
  /** Set for an action that fixes no problem. It is listed after the fixes. */
  last?: true;
}

/** The result of converting states to JSONata. */
export interface Conversion {
  edits: Edit[];
  converted: string[];
  left: { state: string; reason: string }[];
}

export interface HoverInfo {
  from: number;
  to: number;
  kind: string;
  title: string;
  text: string;
  state?: string;
  path?: string;
  field?: string;
  /** The value in the last run: a label and JSON. */
  seen?: { label: string; value: string }[];
}

export interface NamePlaces {
  from: number;
  to: number;
  kind: "state" | "variable";
  name: string;
  places: { from: number; to: number; definition: boolean }[];
}

/** The ranges of a state and of its quoted name in the text. */
export interface StatePlace {
  name: string;
  pointer: string;
  from: number;
  to: number;
  nameFrom: number;
  nameTo: number;
}

export interface Analysis {
  diagnostics: Diagnostic[];
  /** The ranges in the order of the text. Absent if the text cannot be read at all. */
  places?: StatePlace[];
  states: StateInfo[];
  /** Set if there are so many states that all containers are folded at first. */
  crowded?: true;
  tasks: TaskInfo[];
  /** How long the analysis took, in milliseconds. */
  took: number;
}

/** The analysis as it is sent to the page. Members that have not changed since the page's last analysis are left out. */
export interface Analyzed {
  /** The number of this analysis. */
  id: number;
  diagnostics: Diagnostic[];
  states?: StateInfo[];
  tasks?: TaskInfo[];
  crowded?: true;
  /** The states in the order of the text. */
  named?: Pick<StatePlace, "name" | "pointer">[];
  /** Four numbers for each of these states: `from`, `to`, `nameFrom` and `nameTo`. Absent if the text cannot be read at all. */
  offsets?: Int32Array;
  took: number;
}

/** The graph of a text. */
export interface Drawing {
  /** Absent if the text cannot be read at all. The page then shows its last graph. */
  graphId?: number;
  /**
   * Absent also if the page has this graph already. A part that has not changed is replaced by its index in the page's graph, so
   * that the page does not draw it again; nodes are counted first, then edges. If most parts would move by the same distance,
   * they stay and the drawing gets another `corner`.
   */
  graph?: Omit<Graph, "nodes" | "edges"> & {
    nodes: (Graph["nodes"][number] | number)[];
    edges: (Graph["edges"][number] | number)[];
    corner: [x: number, y: number];
  };
  /** How long the layout took, in milliseconds. */
  took: number;
}

export interface Completions {
  replace: { start: number; end: number };
  items: Proposal[];
  /** The path to the data that is being typed, which completions may extend. */
  reads?: Reads;
}

export interface Proposal {
  label: string;
  kind: string;
  detail: string;
  insert: string;
  /** The position of the cursor within `insert`. The default is its end. */
  caret?: number;
}

/** A path to data, in a field of a state. */
export interface Reads {
  state: string;
  field: string;
  path: string;
  language: "jsonpath" | "jsonata";
}

export interface AtPlace {
  text: string;
  format: "json" | "yaml";
  offset: number;
}

/** The options of the page's layout. */
export interface Drawn {
  collapsed: string[];
  expanded: string[];
  direction: "TB" | "LR";
  /** The text widths of the font that the graph is drawn in. */
  widths: TextWidths;
  /** The aspect ratio of the pane (width divided by height), once it is known. */
  aspect?: number;
}
