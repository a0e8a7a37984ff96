// Dialogs that are loaded when they are first opened.

import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import * as store from "../store.ts";

const loaded = new Map<() => Promise<unknown>, ComponentType>();

export function Lazy({ load }: { load: () => Promise<{ default: ComponentType }> }) {
  const ready = useSignal(loaded.has(load));
  useEffect(() => {
    if (ready.value) return;
    let wanted = true;
    load().then(
      (module) => {
        loaded.set(load, module.default);
        if (wanted) ready.value = true;
      },
      (error: Error) => {
        if (!wanted) return;
        store.dialog.value = "";
        store.shout(`A part of the page could not be loaded: ${error.message}`);
      },
    );
    return () => {
      wanted = false;
    };
  }, []);
  const Dialog = ready.value ? loaded.get(load) : undefined;
  return Dialog ? <Dialog /> : null;
}
