// Suggests the known word that somebody has misspelt or abbreviated.

/** Returns `; did you mean …?` if a known word is similar, else an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const found = only(known.filter((candidate) => word.length > 2 && candidate.startsWith(word))) ?? nearest(word, known);
  return found === undefined ? "" : `; did you mean ${found}?`;
}

function nearest(word: string, known: readonly string[]): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = edits(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= Math.min(2, Math.ceil(candidate.length / 3)) && (best === undefined || distance < best.distance))
      best = { candidate, distance };
  }
  return best?.candidate;
}

function only(words: string[]): string | undefined {
  return words.length === 1 ? words[0] : undefined;
}

/** Returns the number of insertions, deletions, substitutions and swaps of neighbours between two words. */
function edits(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1), swapped));
    }
  }
  return at(a.length, b.length);
}
