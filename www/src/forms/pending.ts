// What is typed in a control and not in the text yet: it is written a moment after the last key, or at once where a run begins.

import { unwritten } from "../store/workspace.ts";

/// For how long nobody types before it is written, in ms.
const PAUSE = 350;

export class Pending {
  /// Writes what was typed now. The control gives it with each drawing.
  settle: () => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  /// Whether it is written in a moment.
  get isDue(): boolean {
    return this.#timer !== undefined;
  }

  /// Somebody has typed: it is written when they pause.
  type(): void {
    this.hold();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.settle(), PAUSE);
  }

  /// Somebody has typed: it is written when they are done.
  hold(): void {
    unwritten.add(this.#finish);
  }

  /// Nothing is to be written any more.
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    unwritten.delete(this.#finish);
  }

  /// Waits for a change of the text, and tells why not, where it is refused.
  write(change: void | Promise<string | undefined>, told: (refused: string | undefined) => void): void {
    unwritten.add(this.#finish);
    this.#writing = Promise.resolve(change)
      .catch((error: Error) => error.message)
      .then((refused) => {
        if (!this.isDue) unwritten.delete(this.#finish);
        told(refused ?? undefined);
      });
  }

  /// For a run that begins while somebody types.
  readonly #finish = async (): Promise<void> => {
    this.settle();
    await this.#writing;
  };
}
