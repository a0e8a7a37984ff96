// How long a thread may be silent before it counts as dead: the longer, the more it was given to work on.

/// So many characters may take a second longer, on a machine that is busy with other things.
const CHARACTERS = 200_000;

export class Patience {
  private silent = 0;
  /// How much came with the last call of each method: a run goes on with what it was begun with.
  private readonly given = new Map<string, number>();

  constructor(private readonly least: number) {}

  gave(method: string, params: object): void {
    let size = 0;
    // What is long is a text of its own, or a list.
    for (const value of Object.values(params)) size += value?.length ?? 0;
    this.given.set(method, size);
  }

  heard(): void {
    this.silent = 0;
  }

  get seconds(): number {
    let size = 0;
    for (const one of this.given.values()) size += one;
    return this.least + Math.floor(size / CHARACTERS);
  }

  /// A second without a word has passed, in which the page itself could listen. Whether that was one too many.
  passed(): boolean {
    this.silent += 1;
    return this.silent > this.seconds;
  }
}
