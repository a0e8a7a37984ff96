// What the parts of a component's pen need of each other: the states that a gesture is about, how it is made, and what is asked before.

import type { Edited, Gesture, PossibleGesture } from "stepglass";
import type { GraphIndex, GraphNode } from "../model/graph.ts";
import type { Mock } from "../model/protocol.ts";
import type { Drawing } from "./drawing.ts";
import type { Link } from "./link.ts";
import type { Picker, Spot } from "./picker.ts";

/// The component, as its pen sees it.
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
  /// Shows another text; resolves when it is drawn.
  write(text: string): Promise<void>;
  /// Tasks are answered so from now on; `input` is that of a machine that has none yet.
  prepare(mocks: Record<string, Mock>, input: unknown): void;
  /// The definitions of other machines, by their names.
  machines(): Promise<Record<string, string>>;
  keep(name: string, definition: string): void;
}

/// The pen, as its deeds see it.
export interface Making {
  readonly owner: Owner;
  readonly picker: Picker;
  readonly clipboard: { copy(cut: boolean): Promise<void>; paste(): Promise<void> };
  /// The ids of the states that are selected, where they are several.
  several: readonly string[];
  /// Each press adds a state to what is selected, or takes it away.
  gathering: boolean;
  /// The state that has the focus, or is chosen.
  here(): GraphNode | undefined;
  /// All that are selected, or the one.
  statesHere(): GraphNode[];
  /// Beside a state; without one beside the one that has the focus.
  spot(id?: string): Spot;
  focused(): boolean;
  /// What is possible at a place.
  possible(at: string | readonly string[]): Promise<PossibleGesture[]>;
  /// Makes a gesture; with `careful`, what is lost is asked about before. Gives undefined where nothing was changed, which was said then.
  perform(gesture: Gesture, at?: Spot, careful?: boolean): Promise<Edited | undefined>;
  /// The text as JSON, with what was typed.
  json(): Promise<string>;
  /// States as a definition of their own; undefined where that is not possible, which was said then.
  aslOf(states: readonly string[]): Promise<string | undefined>;
  tell(message: string, bad?: boolean): void;
  refuse(message: string | undefined): void;
  /// What is drawn over the graph has changed.
  shown(): void;
  /// Goes to the first placeholder from a place of the text on, where the text is shown.
  fillIn(from: number): void;
}
