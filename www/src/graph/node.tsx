// One state of the graph: what it shows, and how it is called.

import { type Signal, computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { goToDefinition } from "../editor/place.ts";
import { type GraphIndex, type GraphNode, isState } from "../model/graph.ts";
import { type NodeRun, STATUS_TEXT } from "../model/log.ts";
import * as store from "../store.ts";
import { GLYPHS, STATUS_ICON, iconPath } from "../ui/Icon.tsx";
import { count } from "../ui/format.ts";
import { choose, focused } from "./keys.ts";

export interface At {
  index: GraphIndex;
  at: number;
}

/// A state as a button: its box is given, its words and signs are here.
export function NodeButton({ index, at, run, container = false, children }: At & { run: Signal<NodeRun>; container?: boolean; children: ComponentChildren }) {
  const node = index.graph.nodes[at]!;
  const { status } = run.value;
  const selected = isState(node) && store.selectedState.value === node.name;
  const classes = [
    container ? "node container" : "node",
    `type-${node.type.toLowerCase()}`,
    `is-${status}`,
    selected ? "selected" : "",
    node.reachable ? "" : "unreached",
    node.type === "Missing" ? "missing" : "",
  ];
  const bad = problemsAt(node.pointer);
  return (
    <g class={classes.filter(Boolean).join(" ")}>
    <g
      class="node-button"
      role="button"
      data-node={node.id}
      tabIndex={focused.value === node.id ? 0 : -1}
      aria-label={nameOf(index, node, run.value, bad)}
      aria-pressed={selected}
      onFocus={() => (focused.value = node.id)}
      onClick={() => choose(node)}
      onDblClick={() => isState(node) && goToDefinition(node.name)}
    >
      {selected && <rect class="selection" x={node.x - 4} y={node.y - 4} width={node.width + 8} height={node.height + 8} rx="13" />}
      {children}
      <rect class="focus-ring" x={node.x - 4} y={node.y - 4} width={node.width + 8} height={node.height + 8} rx="13" />
    </g>
      <Badges node={node} run={run} />
      {(node.type === "Parallel" || node.type === "Map") && <FoldButton node={node} />}
      {bad > 0 && (
        <g class="problem-badge" aria-hidden="true" transform={`translate(${node.x - 7} ${node.y - 7})`}>
          <title>{count(bad, "problem")}</title>
          <circle cx="8" cy="8" r="8" />
          <path d="M8 3.8V8.8M8 11.4V11.5" />
        </g>
      )}
    </g>
  );
}

/// For the mouse; the keys are plus and minus.
function FoldButton({ node }: { node: GraphNode }) {
  const x = node.x + node.width - 24 - (node.retries ? 16 : 0);
  return (
    <g class="fold" aria-hidden="true" transform={`translate(${x} ${node.y + (node.collapsed ? 8 : 12)})`} onClick={() => store.toggleFold(node.pointer)}>
      <title>{node.collapsed ? "Unfold (+)" : "Fold (−)"}</title>
      <rect x="-6" y="-4" width="24" height="24" rx="6" />
      <path d={node.collapsed ? "M1 8H11M6 3V13" : "M1 8H11"} />
    </g>
  );
}

/// What is drawn is also what the accessible name begins with.
export function Head({ node }: { node: GraphNode }) {
  const { x, y } = node;
  return (
    <>
      <rect class="tile" x={x + 11} y={y + 12} width="30" height="30" rx="7" />
      <path class="glyph" transform={`translate(${x + 16} ${y + 17})`} d={GLYPHS[node.type]} />
      {node.lines.map((line, i) => (
        <text class="name" key={i} x={x + 52} y={y + 39 + 16 * i}>
          {`${line} `}
        </text>
      ))}
      <text class="caption" x={x + 52} y={y + 22}>
        {node.caption}
      </text>
      {node.retries && <path class="retries" transform={`translate(${x + node.width - 21} ${y + 9})`} d="M10.6 6A4.6 4.6 0 1 1 9.2 2.7M9.6 .4V3.2H6.8" />}
    </>
  );
}

function Badges({ node, run }: { node: GraphNode; run: Signal<NodeRun> }) {
  const { x, y } = node;
  const now = run.value;
  const badges: string[] = [];
  if (now.entered > 1) badges.push(`×${now.entered}`);
  if (now.iterations > 0) badges.push(`${now.iterationsDone + now.iterationsFailed}/${now.iterations}`);
  if (now.failures > 0 && now.status !== "failed") badges.push(`↻${now.failures}`);
  const icon = STATUS_ICON[now.status];
  return (
    <g class="badges" aria-hidden="true">
      {icon && (
        <g class="status" transform={`translate(${x + node.width - 12} ${y + node.height - 10})`}>
          <circle r="10" />
          {now.status === "running" ? <circle class="ring" r="5" /> : <path transform="translate(-6.5 -6.5) scale(.65)" d={iconPath(icon)} />}
        </g>
      )}
      {badges.length > 0 && (
        <g class="count" transform={`translate(${x + node.width - (icon ? 26 : 10)} ${y + node.height})`}>
          <rect x={-badges.join(" ").length * 6.6 - 12} y="-9" width={badges.join(" ").length * 6.6 + 12} height="18" rx="9" />
          <text x={-badges.join(" ").length * 3.3 - 6} y="4">
            {badges.join(" ")}
          </text>
        </g>
      )}
    </g>
  );
}

const problemCounts = computed(() => {
  const counts = new Map<string, number>();
  const index = store.graph.value;
  if (!index) return counts;
  for (const { pointer } of store.problems.value) {
    // The innermost state that holds the place.
    for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      if (!index.byId.has(at)) continue;
      counts.set(at, (counts.get(at) ?? 0) + 1);
      break;
    }
  }
  return counts;
});

function problemsAt(pointer: string): number {
  return problemCounts.value.get(pointer) ?? 0;
}

function nameOf(index: GraphIndex, node: GraphNode, run: NodeRun, problems: number): string {
  const drawn = node.lines.join(" ");
  const parts = [`${drawn} ${node.caption || node.type}`];
  if (drawn !== node.name) parts.push(node.name);
  if (node.type === "Missing") return [...parts, "missing state"].join(", ");
  parts.push(STATUS_TEXT[run.status]);
  if (run.entered > 1) parts.push(`entered ${run.entered} times`);
  if (run.iterations > 0) parts.push(`${run.iterationsDone} of ${run.iterations} items done${run.iterationsFailed ? `, ${run.iterationsFailed} failed` : ""}`);
  if (run.failures > 0) parts.push(count(run.failures, "failed attempt"));
  if (node.retries) parts.push("has retries");
  if (node.collapsed) parts.push("folded");
  if (!node.reachable) parts.push("nothing leads here");
  if (problems > 0) parts.push(count(problems, "problem"));
  const ways = (index.out[index.byId.get(node.id)!] ?? []).slice(0, 8).map((e) => {
    const edge = index.graph.edges[e]!;
    const to = index.node(index.byId.get(edge.to) ?? -1)?.name ?? "?";
    switch (edge.kind) {
      case "end":
        return "ends";
      case "choice":
        return `to ${to} if ${edge.title ?? edge.label ?? ""}`;
      case "default":
        return `else to ${to}`;
      case "catch":
        return `on ${edge.title ?? edge.label ?? "error"} to ${to}`;
      default:
        return `goes to ${to}`;
    }
  });
  return [...parts, ...ways].join(", ");
}
