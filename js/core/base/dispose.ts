// The symbols of the methods that `using` and `await using` call. Older browsers lack them, so the package uses the ones that
// compilers fall back to.

export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");
