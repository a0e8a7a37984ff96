// The parts over the panes during editing: the menu of choices, the field for a new name, and what is dragged from the palette.

import { useLayoutEffect, useRef } from "preact/hooks";
import { Carried } from "./Palette.tsx";
import { mount } from "./picking.ts";

export function Overlays() {
  const parent = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    mount(parent.current!);
  }, []);
  return (
    <>
      <div class="edit-over" ref={parent} />
      <Carried />
    </>
  );
}
