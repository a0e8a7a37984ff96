// Fetches several executions at the same time.

/**
 * How many executions are fetched at the same time. The quotas of the API hold some hundreds of calls and get 10 to 20 more a second,
 * and one call takes some 50 ms. One execution at a time would leave most of them unused, and many more would only be throttled.
 */
const AT_A_TIME = 8;

/** Returns the results of a function for all items, in their order. After an error no further items are begun. */
export async function together<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let isStopped = false;
  const worker = async (): Promise<void> => {
    while (!isStopped && next < items.length) {
      const at = next++;
      try {
        results[at] = await work(items[at] as Item);
      } catch (error) {
        isStopped = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, items.length) }, worker));
  return results;
}
