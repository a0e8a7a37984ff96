// Handles answers that may arrive when they are no longer needed.

/**
 * Calls `take` with the answer, unless the returned function was called before. An effect that starts a request returns that
 * function.
 */
export function latestOnly<T>(asked: Promise<T>, take: (answer: T) => void, failed: (error: Error) => void = () => {}): () => void {
  let late = false;
  asked.then(
    (answer) => {
      if (!late) take(answer);
    },
    (error: Error) => {
      if (!late) failed(error);
    },
  );
  return () => {
    late = true;
  };
}

/** Does the same for a request after a delay, so that a quick series of changes makes a single request. */
export function debounced<T>(
  milliseconds: number,
  ask: () => Promise<T>,
  take: (answer: T) => void,
  failed?: (error: Error) => void,
): () => void {
  let end = (): void => clearTimeout(timer);
  const timer = setTimeout(() => (end = latestOnly(ask(), take, failed)), milliseconds);
  return () => end();
}

/**
 * Makes one request at a time, and of those that are due meanwhile only the last one. This is for data that changes with every
 * frame: a late answer is better than none, and there would be none if each request cancelled the one before.
 */
export function oneAtATime<T>(take: (answer: T) => void): (ask: () => Promise<T>) => void {
  let asking = false;
  let next: (() => Promise<T>) | undefined;
  const put = (ask: () => Promise<T>): void => {
    if (asking) return void (next = ask);
    asking = true;
    void ask()
      .then(take, () => {})
      .finally(() => {
        asking = false;
        const waiting = next;
        next = undefined;
        if (waiting) put(waiting);
      });
  };
  return put;
}
