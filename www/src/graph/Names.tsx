// The names of states whose boxes are too small for them. As on a geographical map, all names have one size on the screen and are
// shown where there is room. The active, failed and selected states are always named.

import { useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type GraphIndex, isContainer, isState } from "../model/graph.ts";
import * as execution from "../store/execution.ts";
import * as playback from "../store/playback.ts";
import * as selection from "../store/selection.ts";
import { iconPath } from "../ui/Icon.tsx";
import { nameSize } from "./lod.ts";
import { cut, widthOf } from "../ui/measure.ts";
import { failing } from "./status.ts";
import { sight } from "./viewport.ts";

/** The maximum number of names. */
const MOST = 400;
/** The maximum number of failures that are marked. */
const MOST_PINS = 40;
/** A name that has room for fewer characters than this is not shown. */
const LEAST = 5;
/** The maximum width of a name, in multiples of its height. */
const LONGEST = 14;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The occupied area, in rows of a fixed height. */
class Taken {
  private readonly rows = new Map<number, Box[]>();
  constructor(private readonly row: number) {}

  private each({ y, height }: Box, visit: (row: number) => boolean | void): boolean {
    for (let row = Math.floor(y / this.row); row <= Math.floor((y + height) / this.row); row++) if (visit(row)) return true;
    return false;
  }

  add(box: Box): void {
    this.each(box, (row) => void (this.rows.get(row)?.push(box) ?? this.rows.set(row, [box])));
  }

  hits(box: Box, but?: Box): boolean {
    return this.each(box, (row) =>
      this.rows
        .get(row)
        ?.some(
          (other) =>
            other !== but &&
            box.x < other.x + other.width &&
            other.x < box.x + box.width &&
            box.y < other.y + other.height &&
            other.y < box.y + box.height,
        ),
    );
  }
}

export interface Name {
  id: string;
  text: string;
  x: number;
  y: number;
}

/** Returns the names that have room, for a font size in px of the drawing. */
export function place(index: GraphIndex, size: number, [left, top, right, bottom]: number[]): Name[] {
  const { nodes } = index.graph;
  const height = size * 1.2;
  const seen = nodes.filter(
    (node) => isState(node) && node.x < right! && node.y < bottom! && node.x + node.width > left! && node.y + node.height > top!,
  );
  const boxes = seen.filter((node) => !isContainer(node));
  const [states, names] = [new Taken(Math.max(200, size * 2)), new Taken(Math.max(200, size * 2))];
  for (const box of boxes) states.add(box);
  const found: Name[] = [];
  for (const node of boxes) {
    if (found.length >= MOST) break;
    const whole = cut(node.name, size, size * LONGEST);
    const [x, y] = [node.x + node.width / 2, node.y + node.height / 2];
    const at = (width: number): Box => ({ x: x - width / 2 - size / 4, y: y - height / 2, width: width + size / 2, height });
    const put = (text: string, box: Box): void => {
      names.add(box);
      found.push({ id: node.id, text, x, y: y + size * 0.36 });
    };
    const wide = at(widthOf(whole, size));
    if (!states.hits(wide, node) && !names.hits(wide)) put(whole, wide);
    else {
      const text = cut(node.name, size, node.width);
      const narrow = at(widthOf(text, size));
      if ([...text].length >= Math.min(LEAST + 1, node.name.length) && !names.hits(narrow)) put(text, narrow);
    }
  }
  for (const node of seen) {
    // The name of a container is above the states inside it.
    if (!isContainer(node) || found.length >= MOST) continue;
    const text = cut(node.name, size, node.width - 50);
    const box = { x: node.x + 10, y: node.y + 2, width: widthOf(text, size), height };
    if ([...text].length < Math.min(LEAST + 1, node.name.length) || states.hits(box) || names.hits(box)) continue;
    names.add(box);
    found.push({ id: node.id, text, x: box.x + box.width / 2, y: box.y + size * 0.96 });
  }
  return found;
}

export function Names({ index }: { index: GraphIndex }) {
  const size = nameSize.value;
  const bounds = sight.value;
  const names = useMemo(() => place(index, size, bounds.split(" ").map(Number)), [index, size, bounds]);
  // The active states change many times a second. The other names keep their positions then.
  const forced = useComputed(() => {
    const wanted = new Set([...failing.value.states].slice(0, MOST_PINS));
    if (execution.busy.value || playback.cursor.value < execution.eventCount.value) wanted.add(playback.active.value ?? "");
    wanted.add(index.graph.nodes[index.byName.get(selection.selectedState.value ?? "") ?? -1]?.id ?? "");
    return [...wanted].flatMap((id) => index.node(index.byId.get(id) ?? -1) ?? []).filter(isState);
  }).value;
  return (
    <g class="names" aria-hidden="true" style={{ fontSize: `${size}px` }}>
      {names.map(({ id, text, x, y }) => (
        <text key={id} x={x} y={y}>
          {text}
        </text>
      ))}
      {forced.map((node) => {
        const text = cut(node.name, size, size * LONGEST);
        const width = widthOf(text, size) + size * 2.2;
        const failed = failing.value.states.has(node.id);
        const [x, y] = [node.x + node.width / 2, node.y + Math.min(node.height, 54) / 2];
        return (
          <g key={node.id} class={`pin${failed ? " pin-failed" : ""}`} transform={`translate(${x} ${y})`}>
            <rect x={-width / 2} y={-size * 0.8} width={width} height={size * 1.6} rx={size * 0.8} />
            {failed && (
              <path transform={`translate(${-width / 2 + size * 0.35} ${-size * 0.5}) scale(${size / 20})`} d={iconPath("cross")} />
            )}
            <text x={failed ? size * 0.4 : 0} y={size * 0.36}>
              {text}
            </text>
          </g>
        );
      })}
    </g>
  );
}
