// Where in a value a path finds what it selects: the places, not the values.

import { type Selection, language } from "stepglass";
import type { Path } from "../model/stages.ts";

/// More places than anybody sees at once.
const MOST = 2000;

/// Where a JSONPath, given without its root, finds what it selects; undefined for one that ends in a function.
export function select(path: string, value: unknown): Selection | undefined {
  const found = language.select(`$${path}`, value);
  return found ? { ...found, places: found.places.slice(0, MOST) } : undefined;
}

/// The places from which a part of what was selected came.
export function within({ places, shape }: Selection, part: Path): Path[] {
  const [first, ...rest] = part;
  if (shape === "one") return places.map((place) => [...place, ...part]);
  if (first === undefined) return places;
  if (shape === "members") return places.filter((place) => place.at(-1) === first).map((place) => [...place, ...rest]);
  const place = typeof first === "number" ? places[first] : undefined;
  return place ? [[...place, ...rest]] : [];
}

/// Where a plain chain of names and indices finds what it selects in JSONata, which goes through arrays by itself.
export function selectMapped(path: string, value: unknown): Selection | undefined {
  const chain = language.syntax(`$${path}`, "jsonata");
  if ("message" in chain || chain.kind !== "path") return undefined;
  const steps = chain.parts!.slice(1);
  if (steps.some(({ kind }) => kind !== "name" && kind !== "index")) return undefined;
  let found: { path: Path; value: unknown }[] = [{ path: [], value }];
  for (const { kind, value: step } of steps) {
    const next: typeof found = [];
    const into = (at: (typeof found)[number], name: string): void => {
      if (Array.isArray(at.value)) at.value.forEach((element, i) => into({ path: [...at.path, i], value: element }, name));
      else if (next.length < MOST && typeof at.value === "object" && at.value !== null && Object.hasOwn(at.value, name))
        next.push({ path: [...at.path, name], value: (at.value as Record<string, unknown>)[name] });
    };
    for (const at of found) {
      if (kind === "name") into(at, String(step));
      else if (Array.isArray(at.value)) {
        const n = Number(step) < 0 ? at.value.length + Number(step) : Number(step);
        if (n in at.value) next.push({ path: [...at.path, n], value: at.value[n] as unknown });
      } else if (Number(step) === 0 || Number(step) === -1) next.push(at);
    }
    found = next;
  }
  if (found.length <= 1) return { places: found.map(({ path }) => path), shape: "one" };
  // Lists of lists are one list.
  const flat = found.flatMap(({ path, value: there }) => (Array.isArray(there) ? there.map((_, i): Path => [...path, i]) : [path]));
  return { places: flat, shape: "list" };
}
