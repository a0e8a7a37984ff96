// What the interpreter tells of a definition's text.

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
  /// What AWS says about it.
  aws?: { code: string; message: string; location?: string }[];
  /// All changes that would put it right; `fix` is one of them.
  fixes?: Fix[];
  /// Other places that the message is about.
  labels?: { pointer: string; range?: { start: Place; end: Place }; message: string }[];
}

export interface TaskInfo {
  state: string;
  resource: string;
  /// The function of a `lambda:invoke`, where the definition names it.
  functionName?: string;
}

/// A state of the definition, also one that is not drawn because it is inside of a folded one.
export interface StateInfo {
  name: string;
  type: string;
  pointer: string;
  /// What a Task calls; empty for others.
  detail: string;
}

export interface Edit {
  from: number;
  to: number;
  text: string;
}

export interface Fix {
  title: string;
  /// None where nothing can be done, as the title says.
  edits: Edit[];
  /// What puts no problem right stands behind what does.
  last?: true;
}

/// What came of turning states to JSONata.
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
  /// What the last run had there: a label and JSON.
  seen?: { label: string; value: string }[];
}

export interface NamePlaces {
  from: number;
  to: number;
  kind: "state" | "variable";
  name: string;
  places: { from: number; to: number; definition: boolean }[];
}

/// Where a state and its name, with quotes, stand in the text.
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
  /// In the order of the text; absent where it cannot be read at all.
  places?: StatePlace[];
  states: StateInfo[];
  /// There are so many that whatever can be folded begins so.
  crowded?: true;
  tasks: TaskInfo[];
  /// Milliseconds that reading took.
  took: number;
}

/// What the page is told of a text. What is as in the analysis that it has does not come.
export interface Analyzed {
  /// The number of this one.
  id: number;
  diagnostics: Diagnostic[];
  states?: StateInfo[];
  tasks?: TaskInfo[];
  crowded?: true;
  /// The states in the order of the text.
  named?: Pick<StatePlace, "name" | "pointer">[];
  /// Four numbers for each of these: `from`, `to`, `nameFrom` and `nameTo`. Absent where the text cannot be read at all.
  offsets?: Int32Array;
  took: number;
}

/// The graph of a text.
export interface Drawing {
  /// Absent where the text cannot be read at all: the page keeps its last graph.
  graphId?: number;
  /// Absent too where the page has this graph already. Of what is as in the graph that it has comes only the place there, so that
  /// the page knows what it need not draw again: first its nodes are counted, then its edges. Where most parts would move by the same
  /// they stay, and the drawing begins at another `corner`.
  graph?: Omit<Graph, "nodes" | "edges"> & {
    nodes: (Graph["nodes"][number] | number)[];
    edges: (Graph["edges"][number] | number)[];
    corner: [x: number, y: number];
  };
  /// Milliseconds that laying out took.
  took: number;
}

export interface Completions {
  replace: { start: number; end: number };
  items: Proposal[];
  /// The path into the data that is being written, whose members may follow.
  reads?: Reads;
}

export interface Proposal {
  label: string;
  kind: string;
  detail: string;
  insert: string;
  /// Where in `insert` the cursor goes; its end where absent.
  caret?: number;
}

/// A path into the data, in a field of a state.
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

/// How a graph is laid out for the page.
export interface Drawn {
  collapsed: string[];
  expanded: string[];
  direction: "TB" | "LR";
  /// Of the font that it is drawn in.
  widths: TextWidths;
  /// Width by height of the pane, once that is known.
  aspect?: number;
}
