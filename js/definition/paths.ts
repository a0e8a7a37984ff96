// Paths of JSONPath that name one place.

/** A path, as far as it names one place: `$.a['b'][0]`, and of `$$` and `$variable`. */
export interface SplitPath {
  /** `$`, `$$` or `$variable`. */
  start: string;
  /** Names, as they are written, and indices. */
  steps: (string | number)[];
  /** What follows, which is no name and no index; empty for a path that names one place. */
  rest: string;
}

/** The parts of a path; undefined for a text that does not begin as a path. */
export function splitPath(text: string): SplitPath | undefined {
  const start = /^(?:\$\$|\$[\p{L}_][\p{L}\p{N}_]*|\$)/u.exec(text)?.[0];
  if (start === undefined) return undefined;
  const steps: SplitPath["steps"] = [];
  let rest = text.slice(start.length);
  while (rest !== "") {
    const step = /^(?:\.([\p{L}\p{N}_-]+)|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*"((?:[^"\\]|\\.)*)"\s*\]|\[\s*(-?\d+)\s*\])/u.exec(rest);
    if (step === null) break;
    const [whole, plain, single, double, index] = step;
    steps.push(plain ?? single ?? double ?? Number(index));
    rest = rest.slice(whole.length);
  }
  return { start, steps, rest };
}
