// Marks on the border of a state and on a transition: breakpoints, mocks, recorded answers.

import type { GraphEdge, GraphNode } from "../model/graph.ts";
import { Parts, rowWidth } from "./Parts.tsx";
import type { Part } from "../ui/signs.ts";
import { count } from "../ui/format.ts";
import type { NodeMark } from "../debugger/onGraph.ts";

/** The vertical distance between marks before and after a state. */
const STEP = 17;

export function Marks({ node, marks }: { node: GraphNode; marks: readonly NodeMark[] }) {
  const middle = node.y + Math.min(node.height, 54) / 2;
  const sides = (side: "entry" | "exit") => marks.filter((mark) => mark.kind === "breakpoint" && (mark.side ?? "entry") === side);
  return (
    <g class="marks" aria-hidden="true">
      {(["entry", "exit"] as const).flatMap((side) =>
        sides(side).map((mark, i, all) => (
          <Breakpoint
            key={`${side}${i}`}
            mark={mark}
            left={side === "entry"}
            x={side === "entry" ? node.x : node.x + node.width}
            y={middle + (i - (all.length - 1) / 2) * STEP}
          />
        )),
      )}
      {marks
        .filter(({ kind }) => kind !== "breakpoint")
        .map((mark, i) => (
          <g key={i} class={`corner ${mark.kind}`} transform={`translate(${node.x + 8 + i * 20} ${node.y + node.height})`}>
            <title>{mark.title}</title>
            <rect x="-4" y="-9" width={mark.text ? rowWidth([mark.text], 6.6) + 10 : 18} height="18" rx="5" />
            <Parts
              parts={[mark.text ?? (mark.kind === "mock" ? "M" : { sign: "again" })]}
              letter={6.6}
              x={mark.text ? rowWidth([mark.text], 6.6) / 2 + 1 : 5}
              y={4}
            />
          </g>
        ))}
    </g>
  );
}

/** The number of problems in a state's definition, at its corner. */
export function Problems({ node, problems }: { node: GraphNode; problems: number }) {
  return (
    <g class="problem-badge" aria-hidden="true" transform={`translate(${node.x - 7} ${node.y - 7})`}>
      <title>{count(problems, "problem")}</title>
      <circle cx="8" cy="8" r="8" />
      <path d="M8 3.8V8.8M8 11.4V11.5" />
    </g>
  );
}

/** The sign of an overlay, on the border of a state. */
export function OverSign({ node, kind, sign }: { node: GraphNode; kind: string; sign: Part }) {
  return (
    <g class={`over-sign over-${kind}`} aria-hidden="true" transform={`translate(${node.x + node.width - 12} ${node.y})`}>
      <rect x="-11" y="-9" width="22" height="18" rx="5" />
      <Parts parts={[sign]} letter={7} x={0} y={4} />
    </g>
  );
}

/** Returns the middle of the longest straight piece of a line. */
export function middleOf({ points, labelBox: box }: GraphEdge): [number, number] {
  let [x, y, most] = [0, 0, -1];
  for (let i = 1; i < points.length; i++) {
    const [[ax, ay], [bx, by]] = [points[i - 1]!, points[i]!];
    const length = Math.abs(bx - ax) + Math.abs(by - ay);
    if (length > most) [x, y, most] = [(ax + bx) / 2, (ay + by) / 2, length];
  }
  // The mark is drawn beside the label and not on it.
  return box && x >= box.x - 8 && x <= box.x + box.width + 8 && y >= box.y - 8 && y <= box.y + box.height + 8
    ? [box.x - 9, box.y + box.height / 2]
    : [x, y];
}

export function EdgeMarks({ edge, marks }: { edge: GraphEdge; marks: readonly NodeMark[] }) {
  const [x, y] = middleOf(edge);
  return (
    <g class="marks" aria-hidden="true">
      {marks.map((mark, i) => (
        <Breakpoint key={i} mark={mark} left x={x} y={y + i * STEP} />
      ))}
    </g>
  );
}

function Breakpoint({ mark, left, x, y }: { mark: NodeMark; left: boolean; x: number; y: number }) {
  const parts: Part[] = [mark.sign, mark.hit].filter((part) => part !== undefined);
  const wide = rowWidth(parts, 7.5);
  return (
    <g class={`breakpoint ${mark.form ?? "filled"}`} transform={`translate(${x} ${y})`}>
      <title>{mark.title}</title>
      {parts.length > 0 && (
        <g class="sign">
          <rect x={left ? -14 - wide : 4} y="-8.5" width={wide + 10} height="17" rx="8.5" />
          <Parts parts={parts} letter={7.5} x={(left ? -1 : 1) * (9 + wide / 2)} y={4} />
        </g>
      )}
      {mark.form === "diamond" ? (
        <path d="M0 -8L8 0L0 8L-8 0Z" />
      ) : mark.form === "triangle" ? (
        <path d="M0 -7.5L8 6H-8Z" />
      ) : (
        <circle r="6.5" />
      )}
    </g>
  );
}
