// The interface between the parts of a component's graph editor: the selected states, how gestures are applied, and what is asked
// before.

import type { Edited, Gesture, PossibleGesture } from "stepglass";
import type { GraphIndex, GraphNode } from "../model/graph.ts";
import type { Mock } from "../model/protocol.ts";
import type { Drawing } from "./drawing.ts";
import type { Link } from "./link.ts";
import type { Picker, Spot } from "./picker.ts";

/** The component, as its graph editor sees it. */
export interface Owner {
  readonly host: HTMLElement;
  readonly root: ShadowRoot;
  readonly shell: HTMLElement;
  readonly bar: HTMLElement;
  readonly frame: HTMLElement;
  link(): Link;
  text(): string;
  index(): GraphIndex | undefined;
  drawing(): Drawing | undefined;
  chosen(): string;
  choose(state: string): void;
  /** Shows another text. Resolves when it is drawn. */
  write(text: string): Promise<void>;
  /** Sets the mocks of tasks. `input` is used if the machine has no input yet. */
  prepare(mocks: Record<string, Mock>, input: unknown): void;
  /** Returns the definitions of other machines, by name. */
  machines(): Promise<Record<string, string>>;
  addMachine(name: string, definition: string): void;
}

/** The graph editor, as its commands see it. */
export interface EditorContext {
  readonly owner: Owner;
  readonly picker: Picker;
  readonly clipboard: { copy(cut: boolean): Promise<void>; paste(): Promise<void> };
  /** The ids of the selected states, if there are several. */
  selected: readonly string[];
  /** Whether each press adds a state to the selection or removes it. */
  multiSelect: boolean;
  /** Returns the focused state, or the selected one. */
  current(): GraphNode | undefined;
  /** Returns all selected states, or the single one. */
  selection(): GraphNode[];
  /** Returns a position beside a state. The default is the focused state. */
  spot(id?: string): Spot;
  focused(): boolean;
  /** Returns the gestures that are possible for a state, an edge, a scope, or several states. */
  possible(at: string | readonly string[]): Promise<PossibleGesture[]>;
  /**
   * Applies a gesture. With `careful`, the user is asked before fields are removed. If nothing was changed, it shows why and
   * returns undefined.
   */
  perform(gesture: Gesture, at?: Spot, careful?: boolean): Promise<Edited | undefined>;
  /** Returns the text as JSON, including what was typed. */
  json(): Promise<string>;
  /** Returns states as a definition of their own. If that is not possible, it shows why and returns undefined. */
  aslOf(states: readonly string[]): Promise<string | undefined>;
  notify(message: string, bad?: boolean): void;
  refuse(message: string | undefined): void;
  /** Called when the drawing over the graph has changed. */
  refresh(): void;
  /** Moves to the first placeholder from an offset of the text, if the text is shown. */
  fillIn(from: number): void;
}
