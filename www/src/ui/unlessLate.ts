// Answers that come when nobody waits for them any more.

/// Hands the answer on, unless the function that it returns was called before. An effect that asks for something returns that.
export function unlessLate<T>(asked: Promise<T>, take: (answer: T) => void, failed: (error: Error) => void = () => {}): () => void {
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

/// The same for a question that is put after a pause, so that a quick series of changes asks once.
export function soon<T>(
  milliseconds: number,
  ask: () => Promise<T>,
  take: (answer: T) => void,
  failed?: (error: Error) => void,
): () => void {
  let end = (): void => clearTimeout(timer);
  const timer = setTimeout(() => (end = unlessLate(ask(), take, failed)), milliseconds);
  return () => end();
}

/// Puts questions one at a time, and of those that come meanwhile the last one. For what changes with every frame: an answer that
/// is late is better there than none, which is what there would be if each question made the one before useless.
export function inTurn<T>(take: (answer: T) => void): (ask: () => Promise<T>) => void {
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
