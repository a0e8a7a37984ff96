// The position of the `+` of a transition or a state. It has the same size at any scale and covers no label.

import type { Graph, GraphEdge } from "../../model/graph.ts";

/** The radius, in pixels of the screen. */
export const RADIUS = 9;
/** The minimum distance to its neighbours, in pixels of the screen. */
const AIR = 2;
/**
 * A transition shorter than this has no room for a `+` and a click target, in pixels of the screen. Its `+` stands `BESIDE`
 * pixels away from the line.
 */
const SHORT = 60;
const BESIDE = 22;

type Point = [number, number];
type Box = NonNullable<GraphEdge["labelBox"]>;

export interface Seen {
  /** The scale of the drawing. */
  scale: number;
  /** The boxes of the labels that are drawn. */
  labels: readonly Box[];
  /** Returns whether the `+` stands beside the line, because the line is needed for clicks or has a mark in its middle. */
  beside(edge: GraphEdge, short: boolean): boolean;
}

export const labelsOf = ({ edges }: Graph): Box[] => edges.flatMap(({ labelBox }) => labelBox ?? []);

/** Returns the distance between a point and a box. */
function away([x, y]: Point, box: Box): number {
  const dx = Math.max(box.x - x, 0, x - box.x - box.width);
  const dy = Math.max(box.y - y, 0, y - box.y - box.height);
  return Math.hypot(dx, dy);
}

/**
 * Returns the first of the points that covers no label, else such a point near the first one, else the point farthest from all
 * labels.
 */
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

/** Returns points at the middles and quarters of a transition's lines, the longest line first. */
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

/** Returns the position of a transition's `+`: in its middle or, if a label is there, at the nearest free position. */
export function plusOf(edge: GraphEdge, seen: Seen): Point {
  const { scale } = seen;
  const along = alongLines(edge);
  const short = (along[0]?.length ?? 0) * scale <= SHORT;
  const off = BESIDE / scale;
  // The number of times that the transition was taken is shown on the other side.
  const sides = (sign: number): Point[] =>
    along.map(({ place: [x, y], across }): Point => (across ? [x, y + sign * off] : [x - sign * off, y]));
  const on = along.map(({ place }) => place);
  const beside = [...sides(1), ...sides(-1)];
  const places = seen.beside(edge, short) ? beside : [...on, ...beside];
  return clearOf(places.length > 0 ? places : [edge.points[0] ?? [0, 0]], seen);
}
