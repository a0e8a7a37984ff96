// Measures how long the interpreter computes: not the time in which it waits for a person.

export class Stopwatch {
  private worked = 0;
  private since: number | undefined;

  constructor(private readonly now: () => number) {
    this.since = now();
  }

  /// It has something to do.
  work(): void {
    this.since ??= this.now();
  }

  /// A person has something to do: a run is paused, or a task is to be answered.
  rest(): void {
    if (this.since !== undefined) this.worked += this.now() - this.since;
    this.since = undefined;
  }

  /// Milliseconds so far.
  get took(): number {
    return this.worked + (this.since === undefined ? 0 : this.now() - this.since);
  }
}
