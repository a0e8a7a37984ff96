// A clock for tests of durable executions.

/** A clock that stands still until a test moves it. */
export class TestClock {
  time = Date.UTC(2026, 0, 1);
  #timers = new Map();
  #next = 1;
  now = () => this.time;
  setTimeout = (run, delay) => (this.#timers.set(this.#next, { run, at: this.time + delay }), this.#next++);
  clearTimeout = (timer) => this.#timers.delete(timer);

  async pass(milliseconds) {
    this.time += milliseconds;
    for (const [id, { run, at }] of [...this.#timers]) if (at <= this.time && this.#timers.delete(id)) run();
    await quiet();
  }
}

/** Waits until pending promises and callbacks have run; the clock does not move. */
export async function quiet() {
  for (let i = 0; i < 50; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
