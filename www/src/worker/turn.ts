/** Gives the worker's event loop a turn between two long computations. */
export const turn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));
