// Selects several states: by Shift and click, with a lasso, or one after another by touch and by key.

import { effect, signal } from "@preact/signals";
import { focused } from "../graph/focus.ts";
import { view } from "../graph/viewport.ts";
import { type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import { type Rectangle, statesAlong, statesBeside, statesWithin } from "../model/transitions.ts";
import * as analysis from "../store/analysis.ts";
import * as selection from "../store/selection.ts";
import { say } from "../store/notifications.ts";
import { count } from "../ui/format.ts";

/** The lasso in px of the drawing, or null. */
export const lasso = signal<Rectangle | null>(null);
/** Whether each press adds a state to the selection or removes it, as Shift does. */
export const multiSelect = signal(false);

const { alsoSelected, selectedState } = selection;

// If another state is selected anywhere, it replaces the selection.
effect(() => {
  const state = selectedState.value;
  if (alsoSelected.peek().size > 0 && (state === null || !alsoSelected.peek().has(state))) selection.selectAlso([]);
});

export function chooseSeveral(names: readonly string[]): void {
  const index = analysis.graph.peek();
  const nodes = names.flatMap((name) => index?.node(index.byName.get(name) ?? -1) ?? []);
  const all = new Set(nodes.map(({ name }) => name));
  const last = nodes.at(-1);
  if (!last) {
    selection.selectAlso([]);
    selection.selectState(null, "graph");
    return say("Nothing is selected.");
  }
  selection.selectAlso([...all]);
  if (!all.has(selectedState.peek() ?? "")) selection.selectState(last.name, "graph");
  say(`${count(all.size, "state")} selected`);
}

/** Adds a state to the selection, or removes it. */
export function toggle(node: GraphNode): void {
  if (!isState(node)) return;
  const before = alsoSelected.peek().size > 0 ? [...alsoSelected.peek()] : selectedState.peek() === null ? [] : [selectedState.peek()!];
  focused.value = node.id;
  chooseSeveral(before.includes(node.name) ? before.filter((name) => name !== node.name) : [...before, node.name]);
}

export function severalByClick(event: MouseEvent, index: GraphIndex): boolean {
  if (!event.shiftKey && !multiSelect.peek()) return false;
  const id = (event.target as Element).closest<SVGElement>("[data-node]")?.dataset["node"];
  const node = index.node(index.byId.get(id ?? "") ?? -1);
  if (!node) return false;
  toggle(node);
  return true;
}

/** Starts a lasso if Shift is held beside the states. Returns whether it has started. */
export function startLasso(event: PointerEvent, svg: SVGSVGElement, index: GraphIndex): boolean {
  if (!event.shiftKey || event.button !== 0 || (event.target as Element).closest("[data-node], .plus, .selector, .fold")) return false;
  const box = svg.getBoundingClientRect();
  const place = (at: PointerEvent): [number, number] => {
    const { x, y, k } = view.peek();
    return [(at.clientX - box.left - x) / k, (at.clientY - box.top - y) / k];
  };
  const [fromX, fromY] = place(event);
  const before = [...alsoSelected.peek()];
  const move = (at: PointerEvent): void => {
    at.stopImmediatePropagation();
    if (!lasso.peek()) svg.setPointerCapture(event.pointerId);
    const [x, y] = place(at);
    lasso.value = { x: Math.min(x, fromX), y: Math.min(y, fromY), width: Math.abs(x - fromX), height: Math.abs(y - fromY) };
  };
  const end = (at: PointerEvent): void => {
    svg.removeEventListener("pointermove", move, true);
    svg.removeEventListener("pointerup", end, true);
    svg.removeEventListener("pointercancel", end, true);
    const drawn = lasso.peek();
    lasso.value = null;
    if (!drawn || at.type !== "pointerup") return;
    const quiet = (click: Event): void => click.stopImmediatePropagation();
    svg.addEventListener("click", quiet, { capture: true, once: true });
    setTimeout(() => svg.removeEventListener("click", quiet, true));
    const inside = statesWithin(index, drawn);
    chooseSeveral([...new Set([...before, ...inside.map(({ name }) => name)])]);
  };
  svg.addEventListener("pointermove", move, true);
  svg.addEventListener("pointerup", end, true);
  svg.addEventListener("pointercancel", end, true);
  return true;
}

/** Selects all states in the scope of the focused state. */
export function chooseAllBeside(node: GraphNode): void {
  const index = analysis.graph.peek();
  if (index) chooseSeveral(statesBeside(index, node).map(({ name }) => name));
}

/** Selects the predecessors or successors of a state in its scope. */
export function chooseAlong(node: GraphNode, up: boolean): void {
  const index = analysis.graph.peek();
  if (index) chooseSeveral(statesAlong(index, node, up).map(({ name }) => name));
}
