// Where in a value a path finds what it selects: the places, not the values.

import type { Path } from "../model/stages.ts";

type Step =
  | { kind: "name"; name: string }
  | { kind: "index"; index: number }
  | { kind: "names"; names: string[] }
  | { kind: "indices"; indices: number[] }
  | { kind: "slice"; from: number | undefined; to: number | undefined }
  | { kind: "all" }
  | { kind: "deep" }
  | { kind: "filter"; text: string };

export interface Selected {
  places: Path[];
  /// One value, a list of those at the places, or an object with members of these.
  shape: "one" | "list" | "members";
}

/// More places than anybody sees at once.
const MOST = 2000;

const PART =
  /^(?:\.\.|\.?\*|\.([A-Za-z_\u0080-\uffff][\w\-\u0080-\uffff]*)|\[\s*(?:(-?\d+)|(\*)|(-?\d*)\s*:\s*(-?\d*)|((?:-?\d+\s*,\s*)+-?\d+)|((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\s*,\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))*))\s*\])/;

/// The steps of a JSONPath after its root; undefined for one that is not understood here.
export function stepsOf(text: string): Step[] | undefined {
  const steps: Step[] = [];
  let rest = text;
  while (rest !== "") {
    if (rest.startsWith("[?(")) {
      const end = endOfFilter(rest);
      if (end < 0) return undefined;
      steps.push({ kind: "filter", text: rest.slice(0, end) });
      rest = rest.slice(end);
      continue;
    }
    const found = PART.exec(rest);
    if (!found) return undefined;
    const [whole, name, index, star, from, to, indices, names] = found;
    rest = rest.slice(whole.length);
    if (whole === "..") {
      steps.push({ kind: "deep" });
      // `..name` and `..*`
      const next = /^(?:([A-Za-z_]\w*)|(\*))/.exec(rest);
      if (next) {
        steps.push(next[1] !== undefined ? { kind: "name", name: next[1] } : { kind: "all" });
        rest = rest.slice(next[0].length);
      }
    } else if (name !== undefined) steps.push({ kind: "name", name });
    else if (index !== undefined) steps.push({ kind: "index", index: Number(index) });
    else if (star !== undefined || whole.endsWith("*")) steps.push({ kind: "all" });
    else if (indices !== undefined) steps.push({ kind: "indices", indices: indices.split(",").map(Number) });
    else if (names !== undefined) {
      const all = [...names.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)].map(([, a, b]) => (a ?? b ?? "").replace(/\\(.)/g, "$1"));
      steps.push(all.length === 1 ? { kind: "name", name: all[0]! } : { kind: "names", names: all });
    } else steps.push({ kind: "slice", from: from ? Number(from) : undefined, to: to ? Number(to) : undefined });
  }
  return steps;
}

/// After the bracket that ends a filter; quotes and inner brackets are passed over.
function endOfFilter(text: string): number {
  let depth = 0;
  let quote = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (quote !== "") {
      if (c === "\\") i++;
      else if (c === quote) quote = "";
    } else if (c === "'" || c === '"') quote = c;
    else if (c === "[" || c === "(") depth++;
    else if ((c === "]" || c === ")") && --depth === 0) return i + 1;
  }
  return -1;
}

/// A place with what is there.
interface Found {
  path: Path;
  value: unknown;
}

const keysOf = (value: unknown): (string | number)[] =>
  Array.isArray(value) ? value.map((_, i) => i) : typeof value === "object" && value !== null ? Object.keys(value) : [];

/// Where one step leads from some places. `holds` says whether a filter takes an element.
function follow(step: Step, found: readonly Found[], holds: (filter: string, element: unknown) => boolean): Found[] {
  const next: Found[] = [];
  const take = (at: Found, key: string | number): void => {
    if (next.length < MOST && typeof at.value === "object" && at.value !== null && Object.hasOwn(at.value, key))
      next.push({ path: [...at.path, key], value: (at.value as Record<string | number, unknown>)[key] });
  };
  const nth = (at: Found, n: number): void => {
    if (Array.isArray(at.value)) take(at, n < 0 ? at.value.length + n : n);
  };
  for (const at of found) {
    switch (step.kind) {
      case "name":
        if (!Array.isArray(at.value)) take(at, step.name);
        break;
      case "names":
        for (const name of step.names) take(at, name);
        break;
      case "index":
        nth(at, step.index);
        break;
      case "indices":
        for (const n of step.indices) nth(at, n);
        break;
      case "slice": {
        if (!Array.isArray(at.value)) break;
        const { length } = at.value;
        const clamp = (n: number): number => Math.min(length, Math.max(0, n < 0 ? length + n : n));
        for (let i = clamp(step.from ?? 0); i < clamp(step.to ?? length); i++) take(at, i);
        break;
      }
      case "all":
        for (const key of keysOf(at.value)) take(at, key);
        break;
      case "deep": {
        const queue = [at];
        for (let inner = queue.shift(); inner !== undefined && next.length < MOST; inner = queue.shift()) {
          next.push(inner);
          for (const key of keysOf(inner.value))
            queue.push({ path: [...inner.path, key], value: (inner.value as Record<string | number, unknown>)[key] });
        }
        break;
      }
      case "filter":
        // A filter on an object asks the object itself.
        if (Array.isArray(at.value)) at.value.forEach((element, i) => holds(step.text, element) && take(at, i));
        else if (holds(step.text, at.value)) next.push(at);
        break;
    }
  }
  return next;
}

/// Where a path, given without its root, finds what it selects. `holds` says whether a filter takes an element.
export function select(text: string, value: unknown, holds: (filter: string, element: unknown) => boolean): Selected | undefined {
  const steps = stepsOf(text);
  if (!steps) return undefined;
  let found: Found[] = [{ path: [], value }];
  let shape: Selected["shape"] = "one";
  for (const step of steps) {
    found = follow(step, found, holds);
    if (step.kind === "names" && shape === "one") shape = "members";
    else if (step.kind !== "name" && step.kind !== "index") shape = "list";
  }
  return { places: found.map(({ path }) => path), shape };
}

/// The places from which a part of what was selected came.
export function within({ places, shape }: Selected, part: Path): Path[] {
  const [first, ...rest] = part;
  if (shape === "one") return places.map((place) => [...place, ...part]);
  if (first === undefined) return places;
  if (shape === "members") return places.filter((place) => place.at(-1) === first).map((place) => [...place, ...rest]);
  const place = typeof first === "number" ? places[first] : undefined;
  return place ? [[...place, ...rest]] : [];
}

/// Where a plain chain of names and indices finds what it selects in JSONata, which goes through arrays by itself.
export function selectMapped(text: string, value: unknown): Selected | undefined {
  const steps = [...text.matchAll(/\s*\.\s*(?:([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)|`([^`]*)`)|\s*\[\s*(-?\d+)\s*\]/gy)];
  if (steps.reduce((n, [whole]) => n + whole.length, 0) !== text.length) return undefined;
  let found: { path: Path; value: unknown }[] = [{ path: [], value }];
  for (const [, plain, quoted, index] of steps) {
    const name = plain ?? quoted;
    const next: typeof found = [];
    const into = (at: (typeof found)[number]): void => {
      if (Array.isArray(at.value)) at.value.forEach((element, i) => into({ path: [...at.path, i], value: element }));
      else if (next.length < MOST && typeof at.value === "object" && at.value !== null && Object.hasOwn(at.value, name!))
        next.push({ path: [...at.path, name!], value: (at.value as Record<string, unknown>)[name!] });
    };
    for (const at of found) {
      if (name !== undefined) into(at);
      else if (Array.isArray(at.value)) {
        const n = Number(index) < 0 ? at.value.length + Number(index) : Number(index);
        if (n in at.value) next.push({ path: [...at.path, n], value: at.value[n] as unknown });
      } else if (Number(index) === 0 || Number(index) === -1) next.push(at);
    }
    found = next;
  }
  if (found.length <= 1) return { places: found.map(({ path }) => path), shape: "one" };
  // Lists of lists are one list.
  const flat = found.flatMap(({ path, value: there }) => (Array.isArray(there) ? there.map((_, i): Path => [...path, i]) : [path]));
  return { places: flat, shape: "list" };
}
