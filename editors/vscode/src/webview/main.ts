// The page of a graph: the element, and what it says to the extension.

import { StepglassDebugger } from "../../../../dist/debugger.js";
import type { FromGraph, PictureFormat, ToGraph } from "./messages.ts";
import { pngOf } from "./pictures.ts";
import { TimeLine } from "./timeline.ts";

declare function acquireVsCodeApi(): { postMessage(message: FromGraph): void };

const { postMessage: post } = acquireVsCodeApi();
const element = new StepglassDebugger();
const timeLine = new TimeLine((event) => post({ kind: "goto", event }));

/** Returns a copy of a file in this page. A worker of a webview must have the webview's own origin. */
async function copied(address: string, type: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type }));
}

/** Uses the theme of the editor, as it is now and after each change. */
function dress(): void {
  const kinds = document.body.classList;
  const isContrast = kinds.contains("vscode-high-contrast") || kinds.contains("vscode-high-contrast-light");
  element.setAttribute("theme", isContrast ? "contrast" : kinds.contains("vscode-light") ? "light" : "dark");
}

async function begin(): Promise<void> {
  const { worker = "", wasm = "" } = document.body.dataset;
  const [script, module] = await Promise.all([copied(worker, "text/javascript"), copied(wasm, "application/wasm")]);
  element.setAttribute("worker-src", script);
  element.setAttribute("wasm-src", module);
  element.setAttribute("view", "graph");
  element.setAttribute("controls", "");
  element.setAttribute("readonly", "");
  element.editable = true;
  dress();
  new MutationObserver(dress).observe(document.body, { attributeFilter: ["class"] });
  document.body.append(element, timeLine.element);
  listen();
  post({ kind: "ready" });
}

/** The text that the graph shows, and the extension knows. */
let shown = "";
/** The state to select when the graph is there. */
let wanted = "";

function receive(message: ToGraph): void {
  switch (message.kind) {
    case "text":
      if (message.text === element.definition && message.text === shown) return;
      shown = message.text;
      // Text that the element has itself written needs no drawing.
      if (element.definition !== shown) element.definition = shown;
      return;
    case "select":
      wanted = message.state;
      element.selected = wanted;
      return;
    case "marks":
      element.marks = message.marks;
      timeLine.show(message.time);
      return;
    case "draw":
      draw(message.format).catch((error: Error) => post({ kind: "problem", message: `The graph cannot be drawn: ${error.message}` }));
  }
}

async function draw(format: PictureFormat): Promise<void> {
  const svg = await element.exportSvg({ theme: element.getAttribute("theme") === "dark" ? "dark" : "light" });
  post({ kind: "picture", data: format === "svg" ? svg : await pngOf(svg) });
}

function listen(): void {
  addEventListener("message", ({ data }: MessageEvent<ToGraph>) => receive(data));
  element.addEventListener("asl-diagnostics", () => setTimeout(() => (element.selected = wanted)));
  element.addEventListener("asl-select", ({ detail: { state } }) => {
    wanted = state;
    post({ kind: "select", state });
  });
  element.addEventListener("change", ({ detail: { definition, edits } }) => {
    const before = shown;
    shown = definition;
    post({ kind: "change", before, edits: edits.map(({ start, end, text }) => ({ start, end, text })) });
  });
  element.addEventListener("save", () => post({ kind: "save" }));
  // The document has one undo history, that of the editor.
  document.addEventListener(
    "keydown",
    (event) => {
      const key = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== "z" && key !== "y")) return;
      take(event, key === "y" || event.shiftKey ? "redo" : "undo");
    },
    { capture: true },
  );
  document.addEventListener(
    "click",
    (event) => {
      for (const target of event.composedPath()) {
        const label = target instanceof HTMLButtonElement ? target.getAttribute("aria-label") : null;
        if (label === "Undo" || label === "Redo") return take(event, label === "Undo" ? "undo" : "redo");
      }
    },
    { capture: true },
  );
}

function take(event: Event, kind: "undo" | "redo"): void {
  event.preventDefault();
  event.stopPropagation();
  post({ kind });
}

begin().catch((error: Error) => post({ kind: "problem", message: `The graph has not started: ${error.message}` }));
