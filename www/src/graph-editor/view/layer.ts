// The layer that the graph editor draws over a graph, and its gestures of the pointer.

import type { PossibleGesture } from "stepglass";
import type { GraphIndex } from "../../model/graph.ts";
import { svg } from "../../ui/dom.ts";
import { type EditorHost, type Spot, execute } from "../kernel/plan.ts";
import { AWAY, GESTURES, type Gestures, REACH, between, connecting, lassoSign } from "../kernel/pointer.ts";
import { type Dragged, type Over, type Sight, type Sign, signsOf } from "../kernel/signs.ts";
import { type Rectangle, nearest } from "../kernel/transitions.ts";

/** The drawing that a layer is over. */
export interface Canvas {
  index: GraphIndex;
  svg: SVGSVGElement;
  /** The element that the layer's signs are drawn into. */
  group: SVGGElement;
  /** Returns what the signs depend on, or null if there are none now. */
  sight(): Omit<Sight, "index" | "over" | "touched"> | null;
  /** Returns further signs, which cannot be pressed. */
  more?(): Sign[];
  /** Returns a point of the window in px of the drawing. */
  place(event: { clientX: number; clientY: number }): [x: number, y: number];
  /** Returns whether touch is used, which has no hover. */
  touched(): boolean;
  /** Called when touch or a mouse is used. */
  touch(on: boolean): void;
  /** Returns whether each press on a state selects it too. */
  selects(): boolean;
  /** Moves the focus to a state that a gesture applies to. */
  focus(id: string): void;
  /** Scrolls the drawing while a drag is near its edge. */
  near?(event: PointerEvent): void;
  /** Opens the menu of what is below the pointer. Absent if the drawing has its own handling of menus, clicks and double clicks. */
  menu?(over: Over, at: Spot): void;
}

/** The callbacks of a drag: what is drawn during it, and what happens at its end. */
interface Dragging {
  begin?(): void;
  move(at: PointerEvent): Sign[];
  drop(at: PointerEvent): void;
}

interface Drawn {
  element: SVGElement;
  sign: Sign;
}

const spotOf = ({ clientX, clientY }: MouseEvent): Spot => ({ x: clientX + 8, y: clientY - 8 });
const named = ({ target }: Event, name: "node" | "port" | "insert" | "end"): string | undefined =>
  (target as Element).closest<SVGElement>(`[data-${name}]`)?.dataset[name];

export class Layer {
  private over: Over = {};
  private drawn = new Map<string, Drawn>();
  /** Draws the current drag again, and ends it. Both are set during a drag. */
  private redraw: (() => void) | undefined;
  private stop: (() => void) | undefined;
  private readonly gone = new AbortController();

  constructor(
    private readonly canvas: Canvas,
    private readonly host: EditorHost,
  ) {
    const { svg: element, menu } = canvas;
    const options = { signal: this.gone.signal };
    const first = { ...options, capture: true };
    element.addEventListener("pointermove", (event) => this.hover(event), options);
    element.addEventListener("pointerleave", () => this.point({}), options);
    element.addEventListener("pointerdown", (event) => this.press(event), first);
    element.addEventListener("click", (event) => this.click(event), first);
    element.addEventListener("dblclick", (event) => this.twice(event), first);
    if (menu) element.addEventListener("contextmenu", (event) => this.context(event, menu), options);
  }

  dispose(): void {
    this.stop?.();
    this.gone.abort();
    this.paint([]);
  }

  /** Draws the signs that can be pressed now. */
  draw(): void {
    const { canvas, over } = this;
    const { index } = canvas;
    const sight = canvas.sight();
    const more = canvas.more?.() ?? [];
    if (this.redraw) return this.redraw();
    this.paint(sight ? [...more, ...signsOf({ ...sight, index, over, touched: canvas.touched() })] : []);
  }

  private run<K extends keyof Gestures>(gesture: K, given: Gestures[K]): void {
    void execute(GESTURES[gesture](this.canvas.index, given, this.host.state()), this.host);
  }

  private overAt(event: MouseEvent): Over {
    const { index, place, sight } = this.canvas;
    const node = named(event, "node");
    const sign = named(event, "insert") ?? named(event, "end");
    const found = (): Over["edge"] => {
      if (sign !== undefined) return index.graph.edges.find(({ id }) => id === sign);
      return node === undefined ? nearest(index, ...place(event), REACH / (sight()?.scale ?? 1)) : undefined;
    };
    return { edge: found(), node: node ?? named(event, "port") };
  }

  private hover(event: PointerEvent): void {
    const mouse = event.pointerType === "mouse";
    if (!mouse && !this.canvas.touched()) this.touch(true);
    if (mouse && event.buttons === 0 && !this.stop) this.point(this.overAt(event));
  }

  private point(over: Over): void {
    if (over.edge === this.over.edge && over.node === this.over.node) return;
    this.over = over;
    this.draw();
  }

  private touch(on: boolean): void {
    this.canvas.touch(on);
    this.draw();
  }

  private press(event: PointerEvent): void {
    const finger = event.pointerType !== "mouse";
    if (finger !== this.canvas.touched()) this.touch(finger);
    if (this.lasso(event)) event.stopImmediatePropagation();
  }

  private click(event: MouseEvent): void {
    const { canvas } = this;
    const id = named(event, "node");
    if (id === undefined) {
      if (canvas.menu && this.isEmpty(event)) this.run("clear", {});
      return;
    }
    if (!(event.shiftKey || canvas.selects())) return;
    event.stopImmediatePropagation();
    canvas.focus(id);
    this.run("toggle", { id });
  }

  /** Returns whether an event is on no state, no transition and no sign. */
  private isEmpty({ target }: Event): boolean {
    return target === this.canvas.svg || (target as Element).closest(".backdrop, .scope") !== null;
  }

  private twice(event: MouseEvent): void {
    const { index, place, menu, focus } = this.canvas;
    const node = index.node(index.byId.get(named(event, "node") ?? "") ?? -1);
    if (node && menu) {
      focus(node.id);
      this.run("rename", { node });
    } else if (this.isEmpty(event)) {
      const [x, y] = place(event);
      this.run("create", { x, y, at: spotOf(event) });
    }
  }

  private context(event: MouseEvent, menu: NonNullable<Canvas["menu"]>): void {
    const over = this.overAt(event);
    if (over.node === undefined && !over.edge) return;
    event.preventDefault();
    menu(over, spotOf(event));
  }

  /** Starts a lasso if Shift is held beside the states and signs. It selects the states inside it. Returns whether it has started. */
  lasso(event: PointerEvent): boolean {
    const { place } = this.canvas;
    const pressed = (event.target as Element).closest("[data-node], .plus, .way-end, .selector, .fold");
    if (!event.shiftKey || event.button !== 0 || pressed || !this.canvas.sight()) return false;
    event.preventDefault();
    const from = place(event);
    let box: Rectangle | undefined;
    this.drag(event, {
      move: (at) => [lassoSign((box = between(...from, ...place(at))))],
      drop: () => box && this.run("lasso", { box }),
    });
    return true;
  }

  /** Drags a transition. A press without movement stays a press. */
  private connect(event: PointerEvent, dragged: Dragged): void {
    if (event.button !== 0) return;
    event.stopPropagation();
    event.preventDefault();
    const { index, place, near } = this.canvas;
    let known: readonly PossibleGesture[] | undefined;
    let over: string | null = null;
    this.drag(event, {
      begin: () =>
        void this.host.possible(dragged.edge ?? dragged.from).then(
          (found) => {
            known = found;
            this.redraw?.();
          },
          () => {},
        ),
      move: (at) => {
        near?.(at);
        const [x, y] = place(at);
        const now = connecting(index, { dragged, x, y, known });
        ({ over } = now);
        return now.signs;
      },
      drop: (at) => this.run("connect", { dragged, over, at: spotOf(at), known }),
    });
  }

  /** Follows the pointer from a press on. Escape gives the drag up. */
  private drag(event: PointerEvent, { begin, move, drop }: Dragging): void {
    const { svg: element } = this.canvas;
    const { pointerId, clientX, clientY } = event;
    const ends = new AbortController();
    const options = { capture: true, signal: ends.signal };
    let last: PointerEvent | undefined;
    this.stop?.();
    this.stop = () => {
      ends.abort();
      this.stop = this.redraw = undefined;
      if (last) this.draw();
    };
    const moved = (at: PointerEvent): void => {
      if (at.pointerId !== pointerId) return;
      at.stopImmediatePropagation();
      if (!last) {
        if (Math.hypot(at.clientX - clientX, at.clientY - clientY) < AWAY) return;
        // The capture begins only here, because a click goes to the element that captures the pointer.
        element.setPointerCapture(pointerId);
        this.redraw = () => this.paint(move(last!));
        begin?.();
      }
      last = at;
      this.redraw!();
    };
    const up = (at: PointerEvent): void => {
      if (at.pointerId !== pointerId) return;
      this.stop?.();
      if (!last) return;
      // A click follows the drag and must have no effect.
      const quiet = (click: Event): void => click.stopImmediatePropagation();
      addEventListener("click", quiet, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", quiet, true));
      if (at.type === "pointerup") drop(at);
    };
    const key = (pressed: KeyboardEvent): void => {
      if (pressed.key !== "Escape" || !last) return;
      pressed.preventDefault();
      pressed.stopImmediatePropagation();
      this.stop?.();
    };
    element.addEventListener("pointermove", moved, options);
    element.addEventListener("pointerup", up, options);
    element.addEventListener("pointercancel", up, options);
    addEventListener("keydown", key, options);
  }

  /** Shows these signs. Elements of equal keys stay, so that a press on one of them is not lost. */
  private paint(signs: readonly Sign[]): void {
    const before = this.drawn;
    this.drawn = new Map();
    for (const sign of signs) {
      const { element, sign: old } = before.get(sign.key) ?? { element: this.make(sign), sign: undefined };
      const transform = sign.x === undefined ? {} : { transform: `translate(${sign.x} ${sign.y}) scale(${sign.scale})` };
      const set = { ...transform, ...sign.set };
      for (const [name, value] of Object.entries(set)) element.setAttribute(name, String(value));
      for (const name of Object.keys(old?.set ?? {})) if (!(name in set)) element.removeAttribute(name);
      if (sign.class !== undefined) element.setAttribute("class", sign.class);
      if (!old) this.canvas.group.append(element);
      this.drawn.set(sign.key, { element, sign });
    }
    for (const [key, { element }] of before) if (!this.drawn.has(key)) element.remove();
  }

  private make({ key, shape, title = "" }: Sign): SVGElement {
    if (shape !== "plus" && shape !== "end") return svg(shape);
    const plus = shape === "plus";
    const element = svg(
      "g",
      { class: plus ? "plus" : "way-end" },
      svg("title", {}, title),
      svg("circle", { class: "hit", r: plus ? 14 : 12 }),
      svg("circle", { class: "face", r: plus ? 9 : 5.5 }),
      plus && svg("path", { d: "M-4.5 0H4.5M0 -4.5V4.5" }),
    );
    element.addEventListener("click", (event) => {
      const { press } = this.drawn.get(key)?.sign ?? {};
      // A click on the end of a transition selects the transition.
      if (!press) return;
      event.stopPropagation();
      this.run("press", { press, at: spotOf(event) });
    });
    element.addEventListener("pointerdown", (event) => {
      const { drag } = this.drawn.get(key)?.sign ?? {};
      if (drag) this.connect(event, drag);
    });
    return element;
  }
}
