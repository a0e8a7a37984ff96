// Typed text that is not in the definition yet. It is written with a delay after the last keystroke, or at once when a run
// begins.

import { unwritten } from "../store/workspace.ts";

/** The delay after the last keystroke, in milliseconds. */
const PAUSE = 350;

export class Pending {
  /** Writes the typed text now. The control sets this function with each render. */
  settle: () => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** Whether a write is scheduled. */
  get isDue(): boolean {
    return this.#timer !== undefined;
  }

  /** Called after a keystroke. The text is written after the delay. */
  type(): void {
    this.hold();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.settle(), PAUSE);
  }

  /** Called after a keystroke. The text is written when the control is left. */
  hold(): void {
    unwritten.add(this.#finish);
  }

  /** Cancels the write. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    unwritten.delete(this.#finish);
  }

  /** Waits for a change of the definition, and reports why it was refused. */
  write(change: void | Promise<string | undefined>, told: (refused: string | undefined) => void): void {
    unwritten.add(this.#finish);
    this.#writing = Promise.resolve(change)
      .catch((error: Error) => error.message)
      .then((refused) => {
        if (!this.isDue) unwritten.delete(this.#finish);
        told(refused ?? undefined);
      });
  }

  /** Called when a run begins while the user types. */
  readonly #finish = async (): Promise<void> => {
    this.settle();
    await this.#writing;
  };
}
