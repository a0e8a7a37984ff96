// @ts-nocheck: has no types yet.
// Random numbers that a seed repeats.

/** A generator (splitmix32): small, and every seed is a good one. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** 32 bits. */
  bits() {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }

  /** From 0 to below 1. */
  fraction() {
    return this.bits() / 2 ** 32;
  }

  /** A whole number from 0 to below a limit. */
  below(limit) {
    return Math.floor(this.fraction() * limit);
  }

  /** One of a list. */
  pick(list) {
    return list[this.below(list.length)];
  }
}
