// The extension points of the graph: commands of the node menu, marks on nodes, and the position of a debugger.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { GraphNode } from "../model/graph.ts";
import type { Part } from "../ui/signs.ts";

/** A command of the node menu, for the mouse and the keyboard. */
export interface NodeCommand {
  id: string;
  label: string;
  /** Commands of one group are listed together. The groups have the order in which they were added. */
  group: string;
  /** The page's command that does the same for the selected state. Its key is shown. */
  command?: string;
  shown?(node: GraphNode): boolean;
  /** Present for a command that toggles something. */
  checked?(node: GraphNode): boolean;
  run(node: GraphNode): void;
}

export const nodeCommands = signal<readonly NodeCommand[]>([]);

/** Adds commands to the node menu. Returns the function that removes them. */
export function addNodeCommands(commands: readonly NodeCommand[]): () => void {
  nodeCommands.value = [...nodeCommands.peek(), ...commands];
  return () => (nodeCommands.value = nodeCommands.peek().filter((command) => !commands.includes(command)));
}

/** A mark on a node's border: breakpoints on the left (entry) or right (exit), mocks and replays in the corner. */
export interface NodeMark {
  kind: "breakpoint" | "mock" | "replayed" | "size";
  /** The text of the mark, if it has no sign. */
  text?: string;
  /** The mark of an edge is not drawn at the node, but it is part of the node's accessible name. */
  side?: "entry" | "exit" | "edge";
  /**
   * filled: stops; hollow: disabled; diamond: stops on a condition or a count; ring: writes to the log; triangle: stops on a
   * change.
   */
  form?: "filled" | "hollow" | "diamond" | "ring" | "triangle";
  /** The sign beside the mark, which says what it stops on, and the hit count. */
  sign?: Part;
  hit?: string;
  /** A part of the node's accessible name: "breakpoint on entry". */
  title: string;
}

/** The marks by the state's JSON Pointer. */
export const nodeMarks = signal<ReadonlyMap<string, readonly NodeMark[]>>(new Map());

/** The marks by the edge's id. */
export const edgeMarks = signal<ReadonlyMap<string, readonly NodeMark[]>>(new Map());

/** The outputs of states by JSON Pointer. `inside` is set if the card shows the output instead of its caption. */
export const captions = signal<ReadonlyMap<string, { text: string; inside: boolean }>>(new Map());

/** The debugger's status of a state, by JSON Pointer. It overrides the status from the events. */
export interface Override {
  status: "paused" | "queued" | "awaiting";
  /** A part of the node's accessible name: "paused before", "3 waiting". */
  title: string;
}

export const overrides = signal<ReadonlyMap<string, Override>>(new Map());

/** The overlay's data about a state: a kind, which is a class; a part of its accessible name; a letter on its border. */
export interface OverState {
  kind: string;
  title: string;
  sign?: Part;
}

/** An overlay on the graph that the user has requested: the coverage, or the comparison of two runs. */
export interface Overlay {
  /** The name of the overlay, for the legend. */
  title: string;
  /** The states by JSON Pointer. */
  nodes: ReadonlyMap<string, OverState>;
  /** The kinds of transitions by their pointers. */
  edges: ReadonlyMap<string, string>;
  legend: readonly { kind: string; text: string; sign?: Part }[];
  /** Removes the overlay. */
  close(): void;
  /** An additional drawing below the states. */
  drawn?: JSX.Element;
}

export const overlay = signal<Overlay | null>(null);
