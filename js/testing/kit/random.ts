// Reproducible random numbers.

import type { Random as Generator } from "../../core/api/testing.d.ts";

/** A generator (splitmix32). It is small, and every seed is a good one. */
export class Random implements Generator {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns 32 random bits. */
  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }

  /** Returns a number from 0 to below 1. */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** Returns a whole number from 0 to below a limit. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** Returns a random item of a list. */
  pick<T>(list: readonly T[]): T {
    // Callers must not pass an empty list.
    return list[this.below(list.length)] as T;
  }
}
