// Searching what is in order.

/// How many of the places from 0 to below `count` fit, where all that fit come before all that don't.
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
