// Ends commands that run until they are interrupted.

/** Resolves when a signal asks the process to end. A second signal ends it at once. */
export function shutdownSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve());
  });
}
