// What changes the machine on its graph. It comes with the first deed on the page, and nothing waits for it.

import { type ReadonlySignal, signal } from "@preact/signals";
import type { ComponentChildren, ComponentType, RefObject } from "preact";
import type { GraphIndex } from "../model/graph.ts";

/// Loads it, and what opens and saves files; the page sets how.
export const bring = { pen: (): Promise<unknown> => Promise.resolve(), project: (): Promise<Project> => Promise.reject() };

/// Tabs and files.
export interface Project {
  save(): Promise<void>;
  openFiles(): Promise<void>;
  openFile(file: File, handle?: FileSystemFileHandle): Promise<void>;
  openProject(value: unknown): void;
  showSteps(): Promise<void>;
}

export interface Pen {
  /// Drawn over the states, in the drawing's own px.
  Layer: ComponentType<{ index: GraphIndex; svg: RefObject<SVGSVGElement | null> }>;
  /// Buttons beside the drawing.
  Bar: ComponentType;
  /// What one can begin with, where there are no states.
  Beginning: ComponentType;
  /// Menus, over the panes.
  Over: ComponentType;
  /// Hints, in rows of their own below the drawing, where they cover nothing.
  Below: ComponentType;
  /// The inspector's tabs and its form, under the title of its state, and whether that is shown instead of the data.
  form?: { View: ComponentType<{ title?: ComponentChildren }>; shown: ReadonlySignal<boolean> };
  /// Asks for another name of a state, on its card where that is in view.
  rename(id: string): void;
  /// The keys for who hears them.
  words(): string;
}

export const pen = signal<Pen | null>(null);

/// Renames a state, as soon as what does that is loaded: the first double click on the page may come before it.
export const renameNode = (id: string): Promise<void> => bring.pen().then(() => pen.peek()?.rename(id));
