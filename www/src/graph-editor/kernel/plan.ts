// A plan: the steps of a command, in order, as data. The kernel makes plans, and a view executes their steps and answers them. So
// the kernel needs no page, no clock and no promises, and a test can answer in place of a view.

import type { Edited, Gesture, NewState, PossibleGesture, RefusedEdit } from "stepglass";
import type { GraphNode } from "../../model/graph.ts";
import type { Mode, Option, OptionGroup } from "./options.ts";
import type { EditorState } from "./state.ts";

/** A point of the window, in CSS pixels. */
export interface Spot {
  x: number;
  y: number;
}

/** The position of a question: a point of the window, or the id of the state to place it beside. The default is up to the view. */
export type At = Spot | string | undefined;

/** A choice among several options. */
export interface Choice {
  title: string;
  /** The placeholder of the filter field. If it is absent, there is no field. */
  placeholder?: string;
  groups: readonly OptionGroup[];
  /** Loads further options when the list opens. */
  more?(): Promise<readonly OptionGroup[]>;
  /** Searches for further options elsewhere. */
  search?(text: string): Promise<readonly OptionGroup[]>;
  /** The purposes that an option can be chosen for. The first one is the default. */
  modes?: readonly Mode[];
  /** The initial text of the field. */
  text?: string;
  /** Returns the option that the text itself stands for, or undefined. */
  made?(text: string): Option | undefined;
  /** Returns the message that there is no option. */
  nothing?(text: string): string;
  /** Returns the plan that moves an option up or down in its list. Its answer is the new list, or undefined if nothing moved. */
  move?(id: string, by: number): Plan<readonly OptionGroup[] | undefined>;
  /** The letters that select an option at once, if there is no field. */
  keys?: Readonly<Record<string, string>>;
  /** The option that is selected at first. */
  chosen?: string;
  at?: At;
}

export interface Chosen {
  id: string;
  mode: string;
}

/** The states, patterns and services that can be added, as far as the view knows them. */
export interface Catalog {
  /** The ids of the options that were chosen last, the latest first. */
  recent: readonly string[];
  patterns: readonly Option[];
  /** Loads the patterns if `patterns` does not have them yet. */
  more?(): Promise<readonly OptionGroup[]>;
  search(text: string): Promise<readonly OptionGroup[]>;
  /** The states that can be copied. */
  states: readonly { name: string; type: string; pointer: string }[];
}

/** A pattern with names that do not clash with those of the machine. */
export interface Pattern {
  asl: string;
  mocks: Record<string, unknown>;
  input: unknown;
}

/** The edits of a gesture for the current text, or why there are none. */
export interface Attempt {
  /** The text that the gesture applies to. */
  before: string;
  done: Edited | RefusedEdit;
  /** Whether the text was changed in the meantime, so that the edits do not fit any more. */
  stale: boolean;
}

export interface PerformOptions {
  at?: At;
  /** Whether the user is asked before fields are removed. */
  careful?: boolean;
  /** The pattern that the gesture inserts: its mocks and its input come with it, and its placeholders are to be filled in. */
  pattern?: Pattern;
}

/** What a view does for the kernel. Each method is a step of plans, and its result is the answer. */
export interface EditorHost {
  state(): EditorState;
  /** Returns whether the shown definition can be edited. If it cannot, the view shows why. */
  editable(): boolean;
  /** Returns the gestures that are possible for a state, an edge, a scope, or several states. */
  possible(places: string | readonly string[]): Promise<PossibleGesture[]>;
  /** Returns the edits of a gesture, without applying them. */
  edit(gesture: Gesture): Promise<Attempt | { failed: string }>;
  /** Applies the edits, selects and announces what the gesture has changed, and adds a step to the undo history. */
  apply(attempt: Attempt & { done: Edited }, gesture: Gesture, options: PerformOptions): Promise<void>;
  /** Undoes the last step, or redoes it. */
  takeBack(again: boolean): Promise<void>;
  /** Applies a gesture by the plan of `performing`, after those that are still being applied. */
  perform(gesture: Gesture, options?: PerformOptions): Promise<Edited | undefined>;

  pick(choice: Choice): Promise<Chosen | undefined>;
  /** Asks for the new name of a state, in its box. */
  name(node: GraphNode): Promise<string | undefined>;
  /** Shows a message and announces it. `refused` is set if the user wanted something that was not done. */
  notify(message: string, refused?: boolean): void;
  /** Selects states by their ids. */
  select(ids: readonly string[]): void;
  /** Whether each press adds a state to the selection or removes it. */
  selectByPresses(on: boolean): void;
  /** Moves the selection and the focus to a state. */
  focus(id: string): void;
  /** Moves to the first placeholder to fill in. Returns whether there is one. */
  fillIn(inserted?: Edited): boolean;

  catalog(): Catalog | Promise<Catalog>;
  /** Remembers an option of the catalog as the one that was chosen last. */
  remember(option: string): void;
  pattern(id: string): Promise<Pattern | undefined>;
  /** Returns a task that calls a service, in the machine's query language. */
  serviceState(id: string): Promise<NewState>;
  /** Called when a state was added. */
  added(done: Edited): void;
  /** Returns the definition of the machine that a state starts, if the view has it. */
  machineOf(node: GraphNode): Promise<string | undefined>;
  /** Called when states were extracted to a machine of their own. */
  extracted(done: Edited): void | Promise<void>;

  /** Puts a text into the clipboard. If the browser does not allow it, the view holds it for `clipboard`. */
  putClipboard(text: string): void | Promise<void>;
  /** Returns the text of the clipboard, or undefined if the browser does not allow it. */
  clipboard(): Promise<string | undefined>;
}

export type Step = { [K in keyof EditorHost]: { do: K; with: Parameters<EditorHost[K]> } }[keyof EditorHost];
export type Plan<T = void> = Generator<Step, T, unknown>;

/** A step, whose value is the view's answer: `const found = yield* ask("possible", id)`. */
export function* ask<K extends keyof EditorHost>(step: K, ...given: Parameters<EditorHost[K]>): Plan<Awaited<ReturnType<EditorHost[K]>>> {
  return (yield { do: step, with: given } as Step) as Awaited<ReturnType<EditorHost[K]>>;
}

/** Executes a plan: each step is a call of the view. */
export async function execute<T>(plan: Plan<T>, host: EditorHost): Promise<T> {
  for (let answer: unknown; ;) {
    const next = plan.next(answer);
    if (next.done) return next.value;
    answer = await (host[next.value.do] as (...given: unknown[]) => unknown).apply(host, next.value.with);
  }
}
