// A preview of the embedded element. It is the real element, which runs here. It is loaded on request.

import { useEffect, useRef } from "preact/hooks";
import wasm from "../../../dist/stepglass.wasm?url";
import "../embed/element.ts";
import "../styles/preview.css";
// The bundler replaces this import with the address of the worker.
// oxlint-disable-next-line import/default
import worker from "../embed/worker.ts?worker&url";
import { type Embedded, attributesOf } from "../exchange/embed.ts";

export function Preview({ embedded }: { embedded: Omit<Embedded, "script"> }) {
  const place = useRef<HTMLDivElement>(null);
  const wanted = JSON.stringify(embedded);
  useEffect(() => {
    const element = document.createElement("stepglass-debugger");
    element.setAttribute("worker-src", new URL(worker, document.baseURI).href);
    element.setAttribute("wasm-src", new URL(wasm, document.baseURI).href);
    element.setAttribute("definition", embedded.definition);
    for (const [name, value = ""] of attributesOf(embedded)) element.setAttribute(name, value);
    place.current!.replaceChildren(element);
    place.current!.scrollIntoView({ block: "nearest" });
    return () => element.remove();
  }, [wanted]);
  return <div class="embed-preview" ref={place} role="group" aria-label="Preview" />;
}
