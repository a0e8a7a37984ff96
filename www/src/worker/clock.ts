// The time of a run: real, faster than real, or skipping from timer to timer.

import type { ClockMode } from "../model/protocol.ts";

const SPEED: Record<ClockMode, number> = { skip: 0, real: 1, x10: 10, x60: 60 };

interface Timer {
  run: () => void;
  due: number;
}

/// A clock for `machine.start`. In the mode "skip" it stands still, and jumps to the next timer once nothing else can
/// happen: no handler is at work, nobody is asked.
export class RunClock {
  private readonly speed: number;
  private timers = new Map<number, Timer>();
  private next = 1;
  private base = Date.now();
  private since = performance.now();
  private real: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  private checking = false;
  private readonly turn = new MessageChannel();

  /// `busy` tells whether anybody may still answer; `changed` is called when the next timer is another.
  constructor(mode: ClockMode, private readonly busy: () => boolean, private readonly changed: () => void) {
    this.speed = SPEED[mode];
    this.turn.port1.onmessage = () => {
      this.checking = false;
      if (!this.stopped && this.speed === 0 && !this.busy()) this.jump();
    };
  }

  now = (): number => Math.floor(this.base + (performance.now() - this.since) * this.speed);

  setTimeout = (run: () => void, delay: number): number => {
    const id = this.next++;
    this.timers.set(id, { run, due: this.now() + delay });
    this.arm();
    return id;
  };

  clearTimeout = (id: unknown): void => {
    if (this.timers.delete(id as number)) this.arm();
  };

  /// When the next timer rings, in this clock's time.
  due(): number | null {
    let due: number | null = null;
    for (const timer of this.timers.values()) due = due === null ? timer.due : Math.min(due, timer.due);
    return due;
  }

  rate(): number {
    return this.speed;
  }

  /// Somebody has answered: time may go on.
  nudge(): void {
    if (this.speed !== 0 || this.stopped || this.checking || this.timers.size === 0) return;
    this.checking = true;
    this.turn.port2.postMessage(0);
  }

  /// Jumps to the next timer. False if there is none.
  jump(): boolean {
    const due = this.due();
    if (due === null) return false;
    this.base = Math.max(due, this.now());
    this.since = performance.now();
    this.ring();
    return true;
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.real);
    this.timers.clear();
    this.turn.port1.close();
  }

  private arm(): void {
    clearTimeout(this.real);
    this.changed();
    if (this.stopped) return;
    if (this.speed === 0) return this.nudge();
    const due = this.due();
    if (due === null) return;
    // Browsers fire a delay of more than 31 bits at once.
    this.real = setTimeout(() => this.ring(), Math.min(Math.max(0, (due - this.now()) / this.speed), 2 ** 31 - 1));
  }

  private ring(): void {
    const now = this.now();
    for (const [id, timer] of [...this.timers]) {
      if (timer.due > now) continue;
      this.timers.delete(id);
      timer.run();
    }
    this.arm();
  }
}
