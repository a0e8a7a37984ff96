// The interface of the graph editor. It is loaded with the first action on the page, and nothing waits for it.

import { type ReadonlySignal, signal } from "@preact/signals";
import type { ComponentChildren, ComponentType, RefObject } from "preact";
import type { GraphIndex } from "../model/graph.ts";

/** Loads the graph editor, and the code that opens and saves files. The page sets both functions. */
export const loaders = { graphEditor: (): Promise<unknown> => Promise.resolve(), project: (): Promise<Project> => Promise.reject() };

/** The tabs and files of a project. */
export interface Project {
  save(): Promise<void>;
  openFiles(): Promise<void>;
  openFile(file: File, handle?: FileSystemFileHandle): Promise<void>;
  openProject(value: unknown): void;
  showSteps(): Promise<void>;
}

export interface GraphEditor {
  /** Drawn over the states, in the coordinates of the drawing. */
  Layer: ComponentType<{ index: GraphIndex; svg: RefObject<SVGSVGElement | null> }>;
  /** The buttons beside the drawing. */
  Bar: ComponentType;
  /** The choices to begin with, if there are no states. */
  Beginning: ComponentType;
  /** The menus, over the panes. */
  Over: ComponentType;
  /** The hints, in rows of their own below the drawing, where they cover nothing. */
  Below: ComponentType;
  /** The inspector's tabs and its form under the state's title, and whether the form is shown instead of the data. */
  form?: { View: ComponentType<{ title?: ComponentChildren }>; shown: ReadonlySignal<boolean> };
  /** Asks for a new name of a state, on its card if that is visible. */
  rename(id: string): void;
  /** Returns the keys in words, for screen readers. */
  words(): string;
}

export const graphEditor = signal<GraphEditor | null>(null);

/** Renames a state as soon as the graph editor is loaded, because the first double click may come before. */
export const renameNode = (id: string): Promise<void> => loaders.graphEditor().then(() => graphEditor.peek()?.rename(id));
