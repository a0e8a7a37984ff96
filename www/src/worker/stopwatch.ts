// Measures how long the interpreter computes, without the time in which it waits for a person.

export class Stopwatch {
  private worked = 0;
  private since: number | undefined;

  constructor(private readonly now: () => number) {
    this.since = now();
  }

  /** Starts the measurement, because the interpreter has something to do. */
  work(): void {
    this.since ??= this.now();
  }

  /** Pauses the measurement, because a person has something to do: a run is paused, or a task waits for an answer. */
  rest(): void {
    if (this.since !== undefined) this.worked += this.now() - this.since;
    this.since = undefined;
  }

  /** The measured time so far, in milliseconds. */
  get took(): number {
    return this.worked + (this.since === undefined ? 0 : this.now() - this.since);
  }
}
