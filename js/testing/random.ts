// Random numbers that a seed repeats.

import type { Random as Generator } from "../api/testing.d.ts";

/** A generator (splitmix32): small, and every seed is a good one. */
export class Random implements Generator {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 32 bits. */
  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }

  /** From 0 to below 1. */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** A whole number from 0 to below a limit. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** One of a list. */
  pick<T>(list: readonly T[]): T {
    // An empty list has nothing to pick: whoever has one looks before.
    return list[this.below(list.length)] as T;
  }
}
