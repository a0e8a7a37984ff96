// Compares two texts by lines, and narrows each changed range to the characters that differ.

/** Lines `from` to `to` of the old text correspond to lines `start` to `end` of the new one. */
interface Hunk {
  from: number;
  to: number;
  start: number;
  end: number;
}

/** A range of the old text, and its replacement. */
export interface Change {
  from: number;
  to: number;
  text: string;
}

/** If more lines than this differ, they are one change. */
const MOST = 4_000;

/** Returns the lines of a text, each with its line end. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Returns the ranges of lines that differ, in order, by Myers' algorithm, which finds the fewest. */
export function differing(a: readonly string[], b: readonly string[]): Hunk[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const [n, m] = [a.length - head - tail, b.length - head - tail];
  if (n === 0 && m === 0) return [];
  const whole = [{ from: head, to: head + n, start: head, end: head + m }];
  if (n === 0 || m === 0 || n + m > MOST) return whole;
  const moves = shortest(a, b, head, n, m);
  if (!moves) return whole;
  const hunks: Hunk[] = [];
  for (const { x, y, down } of moves) {
    const [from, start] = [head + x, head + y];
    const last = hunks.at(-1);
    const [to, end] = down ? [from, start + 1] : [from + 1, start];
    if (last && last.to === from && last.end === start) Object.assign(last, { to, end });
    else hunks.push({ from, to, start, end });
  }
  return hunks;
}

/** Returns the single insertions and deletions in order; undefined if there are too many. */
function shortest(
  a: readonly string[],
  b: readonly string[],
  head: number,
  n: number,
  m: number,
): { x: number; y: number; down: boolean }[] | undefined {
  const most = Math.min(n + m, 1_500);
  const size = 2 * most + 3;
  const middle = most + 1;
  const reach = new Int32Array(size);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[middle + k - 1]! < reach[middle + k + 1]!);
      let x = down ? reach[middle + k + 1]! : reach[middle + k - 1]! + 1;
      while (x < n && x - k < m && a[head + x] === b[head + x - k]) x++;
      reach[middle + k] = x;
      if (x >= n && x - k >= m) return back(trace, n, m);
    }
  }
  return undefined;
}

function back(trace: readonly Int32Array[], n: number, m: number): { x: number; y: number; down: boolean }[] {
  const steps: { x: number; y: number; down: boolean }[] = [];
  let [x, y] = [n, m];
  for (let d = trace.length - 1; d > 0; d--) {
    const row = trace[d]!;
    const at = (k: number): number => row[k + d + 1]!;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const before = down ? k + 1 : k - 1;
    const px = at(before);
    const py = px - before;
    steps.push({ x: px, y: py, down });
    [x, y] = [px, py];
  }
  return steps.reverse();
}

/** Returns the changes that turn one text into another, each narrowed to what differs. */
export function changesOf(before: string, after: string): Change[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const starts = startsOf(a);
  return differing(a, b).map(({ from, to, start, end }) => {
    const old = a.slice(from, to).join("");
    const next = b.slice(start, end).join("");
    const most = Math.min(old.length, next.length);
    let head = 0;
    while (head < most && old[head] === next[head]) head++;
    // A surrogate pair must not be split.
    if (head > 0 && /[\ud800-\udbff]/.test(old[head - 1]!)) head--;
    let tail = 0;
    while (tail < most - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail++;
    if (tail > 0 && /[\udc00-\udfff]/.test(old[old.length - tail]!)) tail--;
    const at = starts[from]!;
    return { from: at + head, to: at + old.length - tail, text: next.slice(head, next.length - tail) };
  });
}

function startsOf(lines: readonly string[]): number[] {
  const starts = [0];
  for (const line of lines) starts.push(starts.at(-1)! + line.length);
  return starts;
}

/** Applies changes whose positions belong to the given text. */
export function changed(text: string, changes: readonly Change[]): string {
  return changes.toReversed().reduce((whole, { from, to, text: put }) => whole.slice(0, from) + put + whole.slice(to), text);
}
