// @ts-nocheck: has no types yet.
// Searching what is in order.

/** How many of some growing numbers are smaller than one. */
export function lowerBound(numbers, limit) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
