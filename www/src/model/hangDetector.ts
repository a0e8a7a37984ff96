// How long a worker may be silent before it counts as hanging. The limit grows with the size of its input.

/** The number of characters that add one second to the limit, measured for a busy machine. */
const CHARACTERS_PER_SECOND = 200_000;

export class HangDetector {
  private silent = 0;
  /**
   * The size of the last call of each method. All of them count, because a run still works on the data that it was started with.
   */
  private readonly given = new Map<string, number>();

  constructor(private readonly least: number) {}

  sent(method: string, params: object): void {
    let size = 0;
    // Only strings and arrays can be long.
    for (const value of Object.values(params)) size += value?.length ?? 0;
    this.given.set(method, size);
  }

  received(): void {
    this.silent = 0;
  }

  get seconds(): number {
    let size = 0;
    for (const one of this.given.values()) size += one;
    return this.least + Math.floor(size / CHARACTERS_PER_SECOND);
  }

  /**
   * Counts a second in which the worker was silent although the page could receive messages. Returns whether the limit is
   * exceeded.
   */
  isHanging(): boolean {
    this.silent += 1;
    return this.silent > this.seconds;
  }
}
