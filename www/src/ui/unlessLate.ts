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
