// The graph of a component. It is drawn once; afterwards only statuses change.

import { type GraphEdge, type GraphIndex, type GraphNode, isContainer, isState } from "../model/graph.ts";
import { type NodeRun, STATUS_TEXT } from "../model/log.ts";
import { glyphOf } from "../ui/services.ts";
import { STATUS_ICON, iconPath } from "../ui/signs.ts";
import { svg } from "../ui/dom.ts";

interface Drawn {
  group: SVGGElement;
  button: SVGGElement;
  badge: SVGGElement;
}

interface DrawingEvents {
  choose(state: string): void;
}

let drawings = 0;

/** The drawing is a list of states within lists, each a button, as on the page. */
export class Drawing {
  readonly element: SVGSVGElement;
  private readonly nodes = new Map<number, Drawn>();
  private readonly lines = new Map<number, SVGPathElement>();
  private readonly prefix = `d${++drawings}`;
  private focused = -1;
  private selected = "";

  constructor(
    private readonly index: GraphIndex,
    private readonly events: DrawingEvents,
  ) {
    const { graph } = index;
    this.element = svg("svg", {
      class: "canvas",
      viewBox: `0 0 ${graph.width} ${graph.height}`,
      width: graph.width,
      height: graph.height,
      role: "group",
      "aria-roledescription": "state machine graph",
      "aria-label": `${graph.comment ?? "State machine"}: ${index.stateCount} ${index.stateCount === 1 ? "state" : "states"}`,
    });
    const heads = ["flow", "catch", "back", "taken"].map((kind) =>
      svg(
        "marker",
        {
          id: `${this.prefix}-${kind}`,
          viewBox: "0 0 10 10",
          refX: 9.5,
          refY: 5,
          markerWidth: 9,
          markerHeight: 9,
          markerUnits: "userSpaceOnUse",
          orient: "auto",
        },
        svg("path", { class: `head head-${kind}`, d: "M1 1L9.5 5L1 9Z" }),
      ),
    );
    this.element.append(svg("defs", {}, ...heads), this.scope(-1, "States"));
    const first = graph.nodes.findIndex(isState);
    if (first >= 0) this.focusable(first);
    this.element.addEventListener("keydown", (event) => this.keys(event));
  }

  /** Shows the status of a state. */
  paintNode(at: number, run: NodeRun): void {
    const drawn = this.nodes.get(at);
    const node = this.index.node(at);
    if (!drawn || !node) return;
    const classes = [
      "node",
      isContainer(node) ? "container" : "",
      `type-${node.type.toLowerCase()}`,
      `is-${run.status}`,
      node.name === this.selected ? "selected" : "",
      node.type === "Missing" ? "missing" : "",
    ];
    drawn.group.setAttribute("class", classes.filter(Boolean).join(" "));
    drawn.group.setAttribute("part", `node ${run.status}`);
    drawn.button.setAttribute("aria-label", this.nameOf(node, run));
    drawn.button.setAttribute("aria-pressed", String(node.name === this.selected));
    const icon = STATUS_ICON[run.status];
    const words = [
      run.entered > 1 ? `×${run.entered}` : "",
      run.iterations > 0 ? `${run.iterationsDone + run.iterationsFailed}/${run.iterations}` : "",
      run.failures > 0 && run.status !== "failed" ? `retried ${run.failures}` : "",
    ]
      .filter(Boolean)
      .join(" ");
    const { x, y, width, height } = node;
    const parts: SVGElement[] = [];
    // The icon is on the border, below the last line of the name.
    if (icon)
      parts.push(
        svg(
          "g",
          { class: "status", transform: `translate(${x + width - 14} ${y + height})` },
          svg("circle", { r: 10 }),
          svg("path", { transform: "translate(-6.5 -6.5) scale(.65)", d: iconPath(icon) }),
        ),
      );
    if (words) {
      const long = words.length * 6.6 + 12;
      parts.push(
        svg(
          "g",
          { class: "count", transform: `translate(${x + width - (icon ? 28 : 10)} ${y + height})` },
          svg("rect", { x: -long, y: -9, width: long, height: 18, rx: 9 }),
          svg("text", { x: -long / 2, y: 4 }, words),
        ),
      );
    }
    drawn.badge.replaceChildren(...parts);
  }

  paintEdge(at: number, taken: number): void {
    const line = this.lines.get(at);
    const edge = this.index.graph.edges[at];
    if (!line || !edge) return;
    const kind = kindOf(edge);
    line.setAttribute("class", `line line-${kind} line-of-${edge.kind}${taken > 0 ? " taken" : ""}`);
    line.setAttribute("marker-end", `url(#${this.prefix}-${taken > 0 && kind !== "catch" ? "taken" : kind})`);
  }

  /** Selects a state. The caller must paint the nodes again. */
  select(state: string): void {
    this.selected = state;
    const at = this.index.byName.get(state);
    if (at !== undefined) this.focusable(at);
  }

  /** Moves the focus to a state. */
  focus(id: string): void {
    this.nodes.get(this.index.byId.get(id) ?? -1)?.button.focus({ preventScroll: true });
  }

  group(id: string): SVGGElement | undefined {
    return this.nodes.get(this.index.byId.get(id) ?? -1)?.group;
  }

  /** Returns the position of a state on the screen. */
  boxOf(id: string): DOMRect | undefined {
    return this.nodes
      .get(this.index.byId.get(id) ?? -1)
      ?.button.querySelector(".box")
      ?.getBoundingClientRect();
  }

  /** Returns the box of a state, for scrolling it into view. */
  box(state: string): GraphNode | undefined {
    return this.index.node(this.index.byName.get(state) ?? -1);
  }

  private scope(scope: number, label: string): SVGGElement {
    const { nodes, edges } = this.index.graph;
    const inside = scope < 0 ? nodes.flatMap((_, i) => (this.index.parent[i]! < 0 ? [i] : [])) : this.index.children[scope]!;
    const quiet = svg("g", { "aria-hidden": "true" });
    const lines = inside.flatMap((i) => this.index.out[i]!);
    for (const e of lines) {
      const path = svg("path", { d: edges[e]!.path, part: "edge" });
      this.lines.set(e, path);
      this.paintEdge(e, 0);
      quiet.append(path);
    }
    for (const e of lines) {
      const { labelBox: box, label: words, title } = edges[e]!;
      if (box)
        quiet.append(
          svg(
            "g",
            { class: `edge-label edge-label-${kindOf(edges[e]!)}` },
            svg("title", {}, title ?? words),
            svg("rect", { x: box.x, y: box.y + 1, width: box.width, height: box.height - 2, rx: 8 }),
            svg("text", { x: box.x + box.width / 2, y: box.y + box.height / 2 + 4 }, words),
          ),
        );
    }
    const list = svg("g", { role: "list", "aria-label": label });
    for (const i of inside) {
      const node = nodes[i]!;
      if (node.type === "Start" || node.type === "End") quiet.append(mark(node));
      else
        list.append(svg("g", { role: "listitem" }, ...(node.type === "Scope" ? [frame(node), this.scope(i, node.name)] : this.state(i))));
    }
    return svg("g", {}, quiet, list.childNodes.length > 0 && list);
  }

  private state(i: number): SVGElement[] {
    const { nodes } = this.index.graph;
    const node = nodes[i]!;
    const { x, y, width, height } = node;
    const box = { x, y, width, height, rx: 10 };
    const around = { x: x - 4, y: y - 4, width: width + 8, height: height + 8, rx: 13 };
    const button = svg(
      "g",
      { class: "node-button", role: "button", tabindex: -1, "data-node": node.id },
      svg("rect", { class: "selection", ...around }),
      node.collapsed && svg("rect", { ...box, class: "behind", x: x + 6, y: y + 5, width: width - 12 }),
      svg("rect", { class: "box", ...box }),
      svg("rect", { class: "tile", x: x + 11, y: y + 12, width: 30, height: 30, rx: 7 }),
      svg("path", { class: "glyph", transform: `translate(${x + 16} ${y + 17})`, d: glyphOf(node) }),
      ...node.lines.map((line, n) => svg("text", { class: "name", x: x + 52, y: y + 39 + 16 * n }, `${line} `)),
      svg("text", { class: "caption", x: x + 52, y: y + 22 }, node.caption),
      svg("rect", { class: "focus-ring", ...around }),
    );
    button.addEventListener("click", () => this.events.choose(node.name));
    button.addEventListener("focus", () => this.focusable(i));
    const badge = svg("g", { class: "badges", "aria-hidden": "true" });
    const group = svg("g", {}, button, badge);
    this.nodes.set(i, { group, button, badge });
    if (!isContainer(node)) return [group];
    const scopes = this.index.children[i]!.map((scope) =>
      svg("g", {}, frame(nodes[scope]!), this.scope(scope, `${node.name}, ${nodes[scope]!.name}`)),
    );
    return [group, ...scopes];
  }

  /** Makes a node the one that the Tab key reaches. */
  private focusable(at: number): void {
    this.nodes.get(this.focused)?.button.setAttribute("tabindex", "-1");
    this.nodes.get(at)?.button.setAttribute("tabindex", "0");
    this.focused = at;
  }

  private keys(event: KeyboardEvent): void {
    const { index, focused } = this;
    const { edges } = index.graph;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...this.nodes.keys()];
    const beside = (step: number): number | undefined => all[all.indexOf(focused) + step];
    const along = (ids: (string | undefined)[]): number | undefined =>
      ids.map((id) => index.byId.get(id ?? "") ?? -1).find((at) => this.nodes.has(at));
    const inside = index.statesInside(focused).sort((a, b) => a - b)[0];
    let to: number | undefined;
    if (event.key === "ArrowDown") to = along((index.out[focused] ?? []).map((e) => edges[e]!.to)) ?? beside(1);
    else if (event.key === "ArrowUp") to = along((index.in[focused] ?? []).map((e) => edges[e]!.from)) ?? beside(-1);
    else if (event.key === "ArrowRight") to = beside(1);
    else if (event.key === "ArrowLeft") to = beside(-1);
    else if (event.key === "Home") to = all[0];
    else if (event.key === "End") to = all.at(-1);
    else if (event.key === "Escape") to = index.stateAround(focused);
    else if (event.key === "Enter" || event.key === " ") {
      this.events.choose(index.node(focused)?.name ?? "");
      if (event.key === "Enter" && inside !== undefined) to = inside;
    } else return;
    event.preventDefault();
    if (to !== undefined && to >= 0) this.nodes.get(to)?.button.focus();
  }

  private nameOf(node: GraphNode, run: NodeRun): string {
    const { index } = this;
    const ways = (index.out[index.byId.get(node.id)!] ?? []).slice(0, 8).map((e) => {
      const edge = index.graph.edges[e]!;
      const to = index.node(index.byId.get(edge.to) ?? -1)?.name ?? "?";
      return edge.kind === "end"
        ? "ends"
        : edge.kind === "choice"
          ? `to ${to} if ${edge.title ?? edge.label ?? ""}`
          : edge.kind === "default"
            ? `else to ${to}`
            : edge.kind === "catch"
              ? `on ${edge.title ?? edge.label ?? "error"} to ${to}`
              : `goes to ${to}`;
    });
    const counts = [
      run.entered > 1 ? `entered ${run.entered} times` : "",
      run.iterations > 0 ? `${run.iterationsDone} of ${run.iterations} items done` : "",
      run.failures > 0 ? `${run.failures} failed ${run.failures === 1 ? "attempt" : "attempts"}` : "",
    ];
    return [`${node.lines.join(" ")} ${node.caption || node.type}`, STATUS_TEXT[run.status], ...counts.filter(Boolean), ...ways].join(", ");
  }
}

function kindOf(edge: GraphEdge): "flow" | "catch" | "back" {
  return edge.kind === "catch" ? "catch" : edge.back ? "back" : "flow";
}

function frame({ x, y, width, height }: GraphNode): SVGRectElement {
  return svg("rect", { class: "scope", x, y, width, height, rx: 8 });
}

function mark(node: GraphNode): SVGGElement {
  const { x, y, width, height } = node;
  const end = node.type === "End";
  const group = svg("g", { class: end ? "mark mark-end" : "mark" });
  if (width > 20)
    group.append(svg("rect", { x, y, width, height, rx: height / 2 }), svg("text", { x: x + width / 2, y: y + height / 2 + 4 }, node.name));
  else {
    group.append(svg("circle", { cx: x + width / 2, cy: y + height / 2, r: width / 2 - 1 }));
    if (end) group.append(svg("circle", { class: "mark-dot", cx: x + width / 2, cy: y + height / 2, r: 3 }));
  }
  return group;
}
