// Where the `+` of a transition or a state stands: it has the same size at any scale, and covers no label.

import type { Graph, GraphEdge } from "./graph.ts";

/// In px of the screen.
export const RADIUS = 9;
/// Around it, where it would touch what is beside it.
const AIR = 2;
/// A transition that is shorter than this has no room for a `+` and for a click beside it, which is so far away.
const SHORT = 60;
const BESIDE = 22;

type Point = [number, number];
type Box = NonNullable<GraphEdge["labelBox"]>;

export interface Seen {
  /// How large the drawing is shown.
  scale: number;
  /// The labels that are drawn.
  labels: readonly Box[];
  /// Whether a transition needs its line for clicks: its `+` stands beside it, as it does where there is a mark in its middle.
  beside(edge: GraphEdge, short: boolean): boolean;
}

export const labelsOf = ({ edges }: Graph): Box[] => edges.flatMap(({ labelBox }) => labelBox ?? []);

/// How far a place is from a box.
function away([x, y]: Point, box: Box): number {
  const dx = Math.max(box.x - x, 0, x - box.x - box.width);
  const dy = Math.max(box.y - y, 0, y - box.y - box.height);
  return Math.hypot(dx, dy);
}

/// The place that covers no label, or else the one that is the furthest from all: first of those that are named, then around the first.
export function clearOf(places: readonly Point[], { scale, labels }: Pick<Seen, "scale" | "labels">): Point {
  const need = (RADIUS + AIR) / scale;
  const least = (place: Point): number => labels.reduce((found, box) => Math.min(found, away(place, box)), Infinity);
  const clear = (place: Point): boolean => least(place) >= need;
  const named = places.find(clear);
  if (named) return named;
  const [x, y] = places[0]!;
  const around: Point[] = [];
  for (let ring = 1; ring <= 8; ring++)
    for (let part = 0; part < 8; part++) {
      const angle = (part * Math.PI) / 4;
      around.push([x + Math.cos(angle) * ring * need, y + Math.sin(angle) * ring * need]);
    }
  return around.find(clear) ?? [...places, ...around].reduce((best, place) => (least(place) > least(best) ? place : best));
}

/// The middles and quarters of the lines of a transition, the longest line first.
function alongLines({ points }: GraphEdge): { place: Point; across: boolean; length: number }[] {
  const lines = points.slice(1).map((to, i) => ({ from: points[i]!, to }));
  const long = ({ from, to }: { from: Point; to: Point }): number => Math.abs(to[0] - from[0]) + Math.abs(to[1] - from[1]);
  return lines
    .sort((a, b) => long(b) - long(a))
    .flatMap((line) => {
      const [[ax, ay], [bx, by]] = [line.from, line.to];
      const across = Math.abs(bx - ax) > Math.abs(by - ay);
      return [0.5, 0.38, 0.62, 0.25, 0.75].map((part) => ({
        place: [ax + (bx - ax) * part, ay + (by - ay) * part] as Point,
        across,
        length: long(line),
      }));
    });
}

/// Where a state can be put on a transition: in its middle, or where a label is there, as near to it as there is room on its line.
export function plusOf(edge: GraphEdge, seen: Seen): Point {
  const { scale } = seen;
  const along = alongLines(edge);
  const short = (along[0]?.length ?? 0) * scale <= SHORT;
  const off = BESIDE / scale;
  // How often the transition was taken stands on the other side.
  const sides = (sign: number): Point[] =>
    along.map(({ place: [x, y], across }): Point => (across ? [x, y + sign * off] : [x - sign * off, y]));
  const on = along.map(({ place }) => place);
  const beside = [...sides(1), ...sides(-1)];
  const places = seen.beside(edge, short) ? beside : [...on, ...beside];
  return clearOf(places.length > 0 ? places : [edge.points[0] ?? [0, 0]], seen);
}
