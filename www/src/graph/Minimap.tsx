// A small map of a large graph, with a frame around the visible part.

import { useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type GraphIndex, isContainer, isState } from "../model/graph.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { failing } from "./status.ts";
import { centre, size, view } from "./viewport.ts";

const WIDTH = 190;
const HEIGHT = 140;
/** The minimum time between two redraws, in milliseconds. */
const REDRAW = 200;
/** The radius of a sign, and the minimum size of the frame around the visible part, in px. */
const MARK = 4;
const SEEN = 7;

/** The scale and the offsets of the graph on the map. */
interface Scale {
  k: number;
  left: number;
  top: number;
}

type Colour = (name: string) => string;

/** Returns the colours of an element's style. Each one is looked up once. */
function coloursOf(element: Element): Colour {
  const style = getComputedStyle(element);
  const colours = new Map<string, string>();
  return (name) => {
    let held = colours.get(name);
    if (held === undefined) colours.set(name, (held = style.getPropertyValue(name)));
    return held;
  };
}

function draw(element: HTMLCanvasElement, index: GraphIndex, at: Scale): void {
  const context = element.getContext("2d");
  if (!context) return;
  const scale = devicePixelRatio || 1;
  element.width = WIDTH * scale;
  element.height = HEIGHT * scale;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const colour = coloursOf(element);
  const marks = drawStates(context, index, at, colour);
  drawFailure(context, index, at, colour("--st-failed"));
  for (const [x, y, name] of marks) {
    context.beginPath();
    context.arc(x, y, MARK, 0, 7);
    context.fillStyle = colour(name);
    context.strokeStyle = colour("--surface");
    context.fill();
    context.stroke();
  }
}

/** Draws the states. Highlighted ones are returned, because they are drawn last and in a larger size. */
function drawStates(context: CanvasRenderingContext2D, { graph }: GraphIndex, { k, left, top }: Scale, colour: Colour) {
  const selected = selection.selectedState.peek();
  const active = execution.busy.peek() || playback.cursor.peek() < execution.eventCount.peek() ? playback.active.peek() : null;
  const marks: [number, number, string][] = [];
  for (const node of graph.nodes) {
    if (!isState(node) && node.type !== "Scope") continue;
    const [x, y, w, h] = [left + node.x * k, top + node.y * k, Math.max(node.width * k, 1), Math.max(node.height * k, 1)];
    if (isContainer(node)) {
      context.strokeStyle = colour(node.type === "Scope" ? "--g-scope-border" : "--g-border");
      context.lineWidth = 0.5;
      context.strokeRect(x, y, w, h);
      continue;
    }
    const { status } = playback.runOf(node.id).peek();
    context.fillStyle = colour(status === "idle" ? "--g-border" : `--st-${SAME[status] ?? status}`);
    context.fillRect(x, y, w, h);
    const middle: [number, number] = [x + w / 2, y + h / 2];
    if (failing.peek().states.has(node.id)) marks.push([...middle, "--st-failed"]);
    if (node.id === active) marks.push([...middle, "--st-running"]);
    if (node.name === selected) marks.push([...middle, "--accent"]);
  }
  return marks;
}

/** Statuses that have the colour of another status on the map. */
const SAME: Partial<Record<string, string>> = { timedOut: "failed", awaiting: "waiting" };

/** Draws the transitions that led to the failure. */
function drawFailure(context: CanvasRenderingContext2D, { graph }: GraphIndex, { k, left, top }: Scale, colour: string): void {
  const { way } = failing.peek();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const { id, points } of way.size > 0 ? graph.edges : []) {
    if (!way.has(id)) continue;
    points.forEach(([x, y], i) => (i === 0 ? context.moveTo(left + x * k, top + y * k) : context.lineTo(left + x * k, top + y * k)));
  }
  context.stroke();
}

export function Minimap({ index }: { index: GraphIndex }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = index.graph;
  const k = Math.min((WIDTH - 8) / width, (HEIGHT - 8) / height);
  const [left, top] = [(WIDTH - width * k) / 2 - index.corner[0] * k, (HEIGHT - height * k) / 2 - index.corner[1] * k];

  const due = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const drawNow = (): void => {
    due.current = undefined;
    if (canvas.current) draw(canvas.current, index, { k, left, top });
  };
  // The next redraw uses the graph of that time.
  const now = useRef(drawNow);
  now.current = drawNow;
  const drawSoon = (): void => {
    due.current ??= setTimeout(() => now.current(), REDRAW);
  };
  const drawn = useRef(false);
  // Only the first drawing is immediate. Later ones can wait, because users look at the graph and not at its map.
  useEffect(() => {
    if (drawn.current) drawSoon();
    else drawNow();
    drawn.current = true;
  }, [index, document.documentElement.dataset["theme"]]);
  useEffect(() => () => clearTimeout(due.current), []);
  useSignalEffect(() => {
    void playback.cursor.value;
    void selection.selectedState.value;
    void failing.value;
    drawSoon();
  });

  const seen = useComputed(() => {
    const { x, y, k: zoom } = view.value;
    const { width: w, height: h } = size.value;
    const clip = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
    const [x0, y0] = [clip(left + (-x / zoom) * k, WIDTH), clip(top + (-y / zoom) * k, HEIGHT)];
    const [x1, y1] = [clip(left + ((w - x) / zoom) * k, WIDTH), clip(top + ((h - y) / zoom) * k, HEIGHT)];
    const [dx, dy] = [Math.max(0, SEEN - (x1 - x0)) / 2, Math.max(0, SEEN - (y1 - y0)) / 2];
    return `M${x0 - dx} ${y0 - dy}H${x1 + dx}V${y1 + dy}H${x0 - dx}Z`;
  });

  const go = (event: PointerEvent): void => {
    const box = canvas.current!.getBoundingClientRect();
    centre((event.clientX - box.left - left) / k, (event.clientY - box.top - top) / k);
  };
  // The arrow keys move from state to state, and the view follows. This is the same by keyboard.
  return (
    <div
      class="minimap"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => event.buttons > 0 && go(event)}
    >
      <canvas ref={canvas} width={WIDTH} height={HEIGHT} />
      <svg width={WIDTH} height={HEIGHT}>
        <path class="seen" d={seen} />
      </svg>
    </div>
  );
}
