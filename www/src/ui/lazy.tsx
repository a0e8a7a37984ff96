// Pieces of the page that are not needed for its first look: loaded when they are first shown.

import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";

/// Says to the visitor that a part could not be loaded; the page sets it.
export const failing = { tell(_words: string): void {} };

/// A component of a chunk of its own; nothing stands in its place until that is there.
/// `failed` is called when it cannot be loaded.
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
          failing.tell(`A part of the page could not be loaded: ${error.message}`);
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
