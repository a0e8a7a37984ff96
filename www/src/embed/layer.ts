// The layer that the component's graph editor draws over the graph: the `+` of transitions and states, and the transition being
// dragged.

import type { PossibleGesture } from "stepglass";
import { targetsOf } from "../graph-editor/kernel/gestures.ts";
import { type GraphEdge, type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import {
  type Rectangle,
  insertTitle,
  canRedirect,
  nearest,
  portOf,
  scopeAt,
  stateUnder,
  statesWithin,
  canInsertInto,
  transitionTitle,
} from "../graph-editor/kernel/transitions.ts";
import { labelsOf, plusOf } from "../graph-editor/kernel/plus.ts";
import { svg } from "./dom.ts";
import type { Spot } from "./picker.ts";

/** The callbacks of the layer. */
interface LayerActions {
  insert(edge: GraphEdge, at: Spot): void;
  append(state: string, at: Spot): void;
  create(scope: string, at: Spot): void;
  rename(state: string): void;
  menu(state: string, at: Spot): void;
  /** Called for a click with Shift. */
  also(state: string): void;
  /** Returns whether each press has the effect of Shift and click. */
  gathering(): boolean;
  /** Called with the states inside the lasso. */
  within(states: readonly GraphNode[]): void;
  possible(place: string): Promise<PossibleGesture[]>;
  /** Called when the end of a transition was dropped on a state or on an empty place. */
  drop(from: string, edge: string | undefined, to: string | null, at: Spot, known: PossibleGesture[] | undefined): void;
  /** Called for a click on an empty place. */
  none(): void;
  /** Returns the pointers of the selected states. */
  selected(): string[];
}

/** The distance at which the pointer reaches a sign, and the movement from which on a press is a drag, in px of the screen. */
const REACH = 12;
const AWAY = 5;

/** Whether touch is used. It has no hover, so everything that can be pressed is shown. */
let touched = matchMedia("(hover: none) and (pointer: coarse)").matches;

export class Layer {
  private readonly group = svg("g", { class: "pen", "aria-hidden": "true" });
  private over: { edge?: GraphEdge | undefined; node?: string | undefined } = {};
  private stop: (() => void) | undefined;
  private labels: ReturnType<typeof labelsOf> | undefined;

  constructor(
    private readonly index: GraphIndex,
    private readonly canvas: SVGSVGElement,
    private readonly hand: LayerActions,
  ) {
    canvas.append(this.group);
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerleave", () => this.look({}));
    canvas.addEventListener("pointerdown", (event) => {
      const finger = event.pointerType !== "mouse";
      if (finger === touched) return;
      touched = finger;
      this.draw();
    });
    canvas.addEventListener(
      "click",
      (event) => {
        const node = stateOf(event);
        if (node === undefined && !(event.target as Element).closest(".pen")) hand.none();
        if (node === undefined || !(event.shiftKey || hand.gathering())) return;
        event.stopPropagation();
        hand.also(node);
      },
      true,
    );
    canvas.addEventListener("dblclick", (event) => {
      const node = stateOf(event);
      if (node !== undefined) hand.rename(node);
      else if (!(event.target as Element).closest(".pen")) hand.create(scopeAt(index, ...this.place(event)), spot(event));
    });
    canvas.addEventListener("contextmenu", (event) => {
      const node = stateOf(event) ?? (event.target as Element).closest<SVGElement>("[data-port]")?.dataset["port"];
      if (node === undefined) return;
      event.preventDefault();
      hand.menu(node, spot(event));
    });
  }

  /** Draws the signs that can be pressed now. */
  draw(): void {
    if (this.stop) return;
    const { index } = this;
    const { edges } = index.graph;
    const chosen = this.hand.selected();
    const at = this.over.node;
    const near = [...chosen, ...(at === undefined ? [] : [at])];
    const ways = touched
      ? edges
      : [
          ...new Set([
            ...(this.over.edge ? [this.over.edge] : []),
            ...near.flatMap((id) => (index.out[index.byId.get(id) ?? -1] ?? []).map((e) => edges[e]!)),
            ...chosen.flatMap((id) => (index.in[index.byId.get(id) ?? -1] ?? []).map((e) => edges[e]!)),
          ]),
        ];
    const ports = touched ? index.graph.nodes.filter(isState).map(({ id }) => id) : [...new Set(near)];
    this.group.replaceChildren(
      ...(chosen.length > 1 ? chosen.map((id) => this.around(id, "target")) : []),
      ...this.end(this.over.edge),
      ...ways.filter((edge) => canInsertInto(index, edge)).map((edge) => this.insert(edge)),
      ...ports.flatMap((id) => this.port(id)),
    );
  }

  private get scale(): number {
    return this.canvas.getScreenCTM()?.a || 1;
  }

  private place(event: { clientX: number; clientY: number }): [number, number] {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.canvas.getScreenCTM()!.inverse());
    return [x, y];
  }

  private move(event: PointerEvent): void {
    if (this.stop || event.pointerType !== "mouse" || event.buttons !== 0) return;
    const target = event.target as Element;
    const sign = target.closest<SVGElement>("[data-port]")?.dataset["port"];
    const on = target.closest<SVGElement>("[data-insert], [data-end]")?.dataset;
    const way = on?.["insert"] ?? on?.["end"];
    const node = stateOf(event) ?? sign;
    const edge =
      way === undefined
        ? node === undefined
          ? nearest(this.index, ...this.place(event), REACH / this.scale)
          : undefined
        : this.index.graph.edges.find(({ id }) => id === way);
    this.look({ edge, node });
  }

  private look(over: Layer["over"]): void {
    if (over.edge === this.over.edge && over.node === this.over.node) return;
    this.over = over;
    this.draw();
  }

  private plus(x: number, y: number, title: string, name: Record<string, string>, press: (at: Spot) => void): SVGGElement {
    const made = svg(
      "g",
      { class: "plus", transform: `translate(${x} ${y}) scale(${1 / this.scale})`, ...name },
      svg("title", {}, title),
      svg("circle", { class: "hit", r: 14 }),
      svg("circle", { class: "face", r: 9 }),
      svg("path", { d: "M-4.5 0H4.5M0 -4.5V4.5" }),
    );
    made.addEventListener("click", (event) => {
      event.stopPropagation();
      press(spot(event));
    });
    return made;
  }

  /** Returns the `+` of a transition. For touch it is on the line, but a short line is reserved for clicks. */
  private insert(edge: GraphEdge): SVGGElement {
    const labels = (this.labels ??= labelsOf(this.index.graph));
    const [x, y] = plusOf(edge, { scale: this.scale, labels, beside: (_, short) => short && !touched });
    return this.plus(x, y, insertTitle(this.index, edge), { "data-insert": edge.id }, (at) => this.hand.insert(edge, at));
  }

  private port(id: string): SVGGElement[] {
    const node = this.index.node(this.index.byId.get(id) ?? -1);
    if (!node || !isState(node) || node.type === "Succeed" || node.type === "Fail") return [];
    const [x, y] = portOf(node, this.scale);
    const title = `Add a state after ${node.name}; drag to connect it`;
    const made = this.plus(x, y, title, { "data-port": id }, (at) => this.hand.append(id, at));
    made.addEventListener("pointerdown", (event) => this.lead(event, id, undefined, x, y));
    return [made];
  }

  private end(edge: GraphEdge | undefined): SVGGElement[] {
    if (!edge || touched || !canRedirect(edge)) return [];
    const [x, y] = edge.points.at(-1)!;
    const made = svg(
      "g",
      { class: "way-end", transform: `translate(${x} ${y}) scale(${1 / this.scale})`, "data-end": edge.id },
      svg("title", {}, `${transitionTitle(this.index, edge)}: drag it to another state`),
      svg("circle", { class: "hit", r: 12 }),
      svg("circle", { class: "face", r: 5.5 }),
    );
    made.addEventListener("pointerdown", (event) => this.lead(event, edge.from, edge.id, ...edge.points[0]!));
    return [made];
  }

  private around(id: string, kind: string): SVGElement {
    const { x, y, width, height } = this.index.node(this.index.byId.get(id) ?? -1)!;
    return svg("rect", { class: kind, x: x - 5, y: y - 5, width: width + 10, height: height + 10, rx: 14 });
  }

  /** Returns the outlines of the possible targets of a transition, and of the state under the pointer. */
  private ends(targets: ReadonlySet<string>, over: string | null, refused: boolean): SVGElement[] {
    const possible = [...targets].map((id) => this.around(id, id === over ? "target hit" : "target"));
    return refused ? [...possible, this.around(over!, "no-target")] : possible;
  }

  /** Drags a transition by the pointer. A press without movement stays a press. */
  private lead(event: PointerEvent, from: string, edge: string | undefined, x: number, y: number): void {
    event.preventDefault();
    const { index, hand } = this;
    let known: PossibleGesture[] | undefined;
    let targets = new Set<string>();
    let over: string | null = null;
    this.drag(event, {
      begin: (again) =>
        hand.possible(edge ?? from).then(
          (all) => {
            known = all;
            targets = targetsOf(all, edge);
            again();
          },
          () => {},
        ),
      paint: (at) => {
        const [toX, toY] = this.place(at);
        over = stateUnder(index, toX, toY);
        const refused = over !== null && known !== undefined && !targets.has(over);
        return [...this.ends(targets, over, refused), svg("path", { class: refused ? "lead not" : "lead", d: `M${x} ${y}L${toX} ${toY}` })];
      },
      drop: (at) => hand.drop(from, edge, over, spot(at), known),
    });
  }

  /** Starts a lasso if Shift is held on an empty place. It selects the states inside it. */
  lasso(event: PointerEvent): void {
    if (!event.shiftKey || event.pointerType !== "mouse" || (event.target as Element).closest("[data-node], .plus, .way-end")) return;
    event.preventDefault();
    const [fromX, fromY] = this.place(event);
    let drawn: Rectangle | undefined;
    this.drag(event, {
      paint: (at) => {
        const [x, y] = this.place(at);
        drawn = { x: Math.min(x, fromX), y: Math.min(y, fromY), width: Math.abs(x - fromX), height: Math.abs(y - fromY) };
        return [svg("rect", { class: "lasso", ...drawn })];
      },
      drop: () => drawn && this.hand.within(statesWithin(this.index, drawn)),
    });
  }

  /** Follows the pointer from a press on; a press that moves nowhere stays a press. */
  private drag(event: PointerEvent, { begin, paint, drop }: Dragging): void {
    if (event.button !== 0 || this.stop) return;
    const { canvas, group } = this;
    const { pointerId } = event;
    let last: PointerEvent | undefined;
    const shown = svg("g", { class: "leading" });
    const draw = (): void => {
      if (last && this.stop) shown.replaceChildren(...paint(last));
    };
    const move = (at: PointerEvent): void => {
      if (at.pointerId !== pointerId) return;
      if (!last) {
        if (Math.hypot(at.clientX - event.clientX, at.clientY - event.clientY) < AWAY) return;
        canvas.setPointerCapture(pointerId);
        group.replaceChildren(shown);
        void begin?.(draw);
      }
      last = at;
      draw();
    };
    const up = (at: PointerEvent): void => {
      if (at.pointerId !== pointerId) return;
      this.stop?.();
      if (!last) return;
      // The click that comes with it is none, for the drawing neither.
      const quiet = (click: Event): void => click.stopImmediatePropagation();
      addEventListener("click", quiet, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", quiet, true));
      if (at.type === "pointerup") drop(at);
    };
    const unfollow = follow(canvas, move, up, () => this.stop?.());
    this.stop = () => {
      this.stop = undefined;
      unfollow();
      if (last) this.draw();
    };
  }
}

/** The callbacks of a drag: what is drawn during it, and what happens at its end. */
interface Dragging {
  /** Called when the drag begins. The given function draws again. */
  begin?(again: () => void): unknown;
  paint(at: PointerEvent): SVGElement[];
  drop(at: PointerEvent): unknown;
}

/** Listens to the pointer on an element, and to Escape, until the returned function is called. */
function follow(element: Element, move: (at: PointerEvent) => void, up: (at: PointerEvent) => void, escape: () => void): () => void {
  const ends = new AbortController();
  const { signal } = ends;
  const listen = (type: "pointermove" | "pointerup" | "pointercancel", heard: (at: PointerEvent) => void): void =>
    element.addEventListener(type, heard as EventListener, { signal });
  listen("pointermove", move);
  listen("pointerup", up);
  listen("pointercancel", up);
  const keys = (key: KeyboardEvent): void => {
    if (key.key !== "Escape") return;
    key.stopPropagation();
    escape();
  };
  addEventListener("keydown", keys, { capture: true, signal });
  return () => ends.abort();
}

const spot = ({ clientX, clientY }: { clientX: number; clientY: number }): Spot => ({ x: clientX + 8, y: clientY - 8 });
const stateOf = ({ target }: Event): string | undefined => (target as Element).closest<SVGElement>("[data-node]")?.dataset["node"];
