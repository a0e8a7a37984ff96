// Binary search.

/** Returns how many of the indices from 0 to `count` fit. Those that fit must come first. */
export function countFitting(count: number, fits: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
