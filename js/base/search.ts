// The search in a sorted list by halving it.

/** How many places from the first on fit, where those that fit come first. */
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
