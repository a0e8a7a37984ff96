// The component, as its graph editor sees it.

import type { GraphIndex } from "../model/graph.ts";
import type { Drawing } from "./drawing.ts";
import type { Link } from "./link.ts";

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
  prepare(mocks: Record<string, unknown>, input: unknown): void;
  /** Returns the definitions of other machines, by name. */
  machines(): Promise<Record<string, string>>;
  addMachine(name: string, definition: string): void;
}
