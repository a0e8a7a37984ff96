// Binary search.

/** Returns how many of the ascending numbers are smaller than `limit`. */
export function lowerBound(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // `middle` is below the length.
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
