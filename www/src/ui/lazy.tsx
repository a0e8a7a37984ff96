// Components that the first view does not need. They are loaded when they are first shown.

import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";

/** Reports to the user that a part could not be loaded. The page sets this function. */
export const failureReporter = { tell(_words: string): void {} };

/**
 * Returns a component that is loaded from its own chunk. Nothing is shown until it is loaded. `failed` is called if it cannot be
 * loaded.
 */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>, failed?: () => void): (props: P) => JSX.Element | null {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const ready = useSignal(loaded !== undefined);
    useEffect(() => {
      if (ready.value) return;
      let wanted = true;
      load().then(
        (component) => {
          loaded = component;
          if (wanted) ready.value = true;
        },
        (error: Error) => {
          if (!wanted) return;
          failed?.();
          failureReporter.tell(`A part of the page could not be loaded: ${error.message}`);
        },
      );
      return () => {
        wanted = false;
      };
    }, []);
    const Component = ready.value ? loaded : undefined;
    return Component ? <Component {...props} /> : null;
  };
}
