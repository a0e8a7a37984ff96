// Waits for a condition of the page while the tour goes on.

import { effect } from "@preact/signals";

/** After this time, in milliseconds, the user has done something else on the page. */
const PATIENCE = 20_000;

class Gone extends Error {}

/** Resolves when the condition holds. */
export function waitFor(so: () => boolean, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let dispose: (() => void) | undefined;
    const over = (): void => {
      clearTimeout(timer);
      gone.removeEventListener("abort", stop);
      // The effect may run before its dispose function exists.
      queueMicrotask(() => dispose?.());
    };
    const stop = (): void => {
      over();
      reject(new Gone());
    };
    const timer = setTimeout(() => {
      over();
      reject(new Error("something else was done on the page"));
    }, PATIENCE);
    gone.addEventListener("abort", stop);
    if (gone.aborted) return stop();
    dispose = effect(() => {
      if (!so()) return;
      over();
      resolve();
    });
  });
}

export function wait(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new Gone());
    };
    const timer = setTimeout(() => {
      gone.removeEventListener("abort", stop);
      resolve();
    }, ms);
    gone.addEventListener("abort", stop, { once: true });
    if (gone.aborted) stop();
  });
}

export const isGone = (error: unknown): boolean => error instanceof Gone;
