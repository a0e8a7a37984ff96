// What other parts of the page add to the graph: commands of the node menu, marks on nodes, and where a debugger stands.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { GraphNode } from "../model/graph.ts";
import type { Part } from "../ui/signs.ts";

/// A command of the node menu, for the mouse and the keyboard alike.
export interface NodeCommand {
  id: string;
  label: string;
  /// Commands of one group stand together; groups in the order in which they came.
  group: string;
  /// The command of the page that does the same for the selected state, whose key is shown.
  command?: string;
  shown?(node: GraphNode): boolean;
  /// Given for a command that is switched on and off.
  checked?(node: GraphNode): boolean;
  run(node: GraphNode): void;
}

export const nodeCommands = signal<readonly NodeCommand[]>([]);

/// Adds commands to the node menu; what it gives takes them away again.
export function addNodeCommands(commands: readonly NodeCommand[]): () => void {
  nodeCommands.value = [...nodeCommands.peek(), ...commands];
  return () => (nodeCommands.value = nodeCommands.peek().filter((command) => !commands.includes(command)));
}

/// A sign on a node's border: breakpoints on the left (entry) or right (exit), mocks and replays in the corner.
export interface NodeMark {
  kind: "breakpoint" | "mock" | "replayed" | "size";
  /// What the sign says, where it has no sign of its own.
  text?: string;
  /// On an edge it is not drawn at the node, and named there all the same.
  side?: "entry" | "exit" | "edge";
  /// filled: stops; hollow: switched off; diamond: stops on a condition or a count; ring: writes to the log; triangle: on a change.
  form?: "filled" | "hollow" | "diamond" | "ring" | "triangle";
  /// Beside it: what it stops on, and the count.
  sign?: Part;
  hit?: string;
  /// A part of the node's accessible name: "breakpoint on entry".
  title: string;
}

/// By JSON Pointer of the state.
export const nodeMarks = signal<ReadonlyMap<string, readonly NodeMark[]>>(new Map());

/// By the edge's id.
export const edgeMarks = signal<ReadonlyMap<string, readonly NodeMark[]>>(new Map());

/// What states have given, by JSON Pointer; `inside` where the card shows it in place of what the state is about.
export const captions = signal<ReadonlyMap<string, { text: string; inside: boolean }>>(new Map());

/// What a debugger knows beyond the history, by JSON Pointer of the state; it counts before what the events say.
export interface Override {
  status: "paused" | "queued" | "awaiting";
  /// "paused before", "3 waiting": a part of the node's accessible name.
  title: string;
}

export const overrides = signal<ReadonlyMap<string, Override>>(new Map());

/// What an overlay says of a state: a kind, which is a class; a part of its accessible name; a letter on its border.
export interface OverState {
  kind: string;
  title: string;
  sign?: Part;
}

/// What is laid over the graph on request: what no run has used, or which of two runs has used what.
export interface Overlay {
  /// What it is, for the legend's name.
  title: string;
  /// By JSON Pointer of the state.
  nodes: ReadonlyMap<string, OverState>;
  /// Kinds of transitions by their pointers.
  edges: ReadonlyMap<string, string>;
  legend: readonly { kind: string; text: string; sign?: Part }[];
  /// Takes it away.
  close(): void;
  /// What is drawn besides, below the states.
  drawn?: JSX.Element;
}

export const overlay = signal<Overlay | null>(null);
