// @ts-nocheck: has no types yet.
// The names of what `using` and `await using` call; older browsers have none, and are given the ones that compilers fall back to.

export const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
export const asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");
