// The open menu of a node. The code of the menu is loaded when the first one is opened.

import { signal } from "@preact/signals";
import type { GraphNode } from "../model/graph.ts";
import type { NodeCommand } from "../debugger/onGraph.ts";

interface Place {
  x: number;
  y: number;
  /** Returns the focus to where it was. */
  back: () => void;
}

/** The menu of a node: its own, or one with a title and commands. */
interface NodeMenu extends Place {
  node: GraphNode;
  title?: string;
  commands?: readonly (readonly NodeCommand[])[];
}

/** A command of a menu that belongs to no node. */
export interface PageCommand extends Omit<NodeCommand, "shown" | "checked" | "run"> {
  run(): void;
}

/** A menu of the page, as that of the header. */
interface PageMenu extends Place {
  node?: undefined;
  title: string;
  commands: readonly (readonly PageCommand[])[];
  /** The element that opens and closes the menu. A press on it is not one outside of the menu. */
  opener: HTMLElement;
}

export const menu = signal<NodeMenu | PageMenu | null>(null);

export function openMenu(node: GraphNode, x: number, y: number, back: () => void): void {
  menu.value = { node, x, y, back };
}
